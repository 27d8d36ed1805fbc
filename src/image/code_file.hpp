// Machine code as tools leave it in memory or in a file: a fatbin, a cubin, or PTX text. What runs code knows fatbins, so the
// other two are put into one.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "image/fatbin.hpp"

namespace lanebank::image {

/// What code is made for: "sm_90a" is 90 and true.
struct CodeTarget {
  unsigned architecture = 0;  ///< 0: not said
  bool architecture_specific = false;
};

/// By the `.target` line of PTX text.
CodeTarget ptx_target(std::string_view ptx);

/// A fatbin with this one entry, uncompressed.
std::vector<std::byte> make_fatbin(FatbinEntry::Kind kind, const CodeTarget& target, Bytes payload);

/// The fatbin for all of a file's bytes: itself, or one made of a cubin or of PTX text. `name` serves messages.
Result<std::vector<std::byte>> fatbin_of_file(Bytes file, const std::string& name);

}  // namespace lanebank::image
