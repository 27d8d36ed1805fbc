// Which of the embedded machine codes runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "image/fatbin.hpp"

namespace lanebank::session {

/// Architectures that lanebank executes, ascending.
inline constexpr unsigned architectures[] = {75, 80, 86, 89, 90};
bool is_executable(unsigned architecture);

using Entries = std::vector<image::FatbinEntry>;

/// The entry whose machine code a device of `architecture` runs: the newest of the same major version that
/// is not newer than the device; nullptr: none.
const image::FatbinEntry* choose_cubin(const Entries& entries, unsigned architecture);
/// The newest PTX that can be assembled for `architecture`; nullptr: none.
const image::FatbinEntry* choose_ptx(const Entries& entries, unsigned architecture);

/// The architecture a device should have for a program with these fatbins: the newest embedded one for which
/// every fatbin with code has machine code, else the newest with any; 90 when there is only PTX or nothing.
unsigned choose_architecture(const std::vector<const Entries*>& fatbins);

/// What a fatbin offers, for messages: "sm_100, sm_120 and PTX for 120".
std::string offer(const Entries& entries);

/// "-gencode arch=compute_90,code=sm_90".
std::string nvcc_flag(unsigned architecture);

}  // namespace lanebank::session
