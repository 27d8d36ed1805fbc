// GPUs by name: the rows of gpus.def.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "base/occupancy.hpp"
#include "findings/work.hpp"

namespace lanebank::advise {

struct Gpu {
  std::string_view id, name, source;
  unsigned architecture = 90;
  unsigned multiprocessors = 0;
  double clock_hz = 0;
  double shared_bytes_per_cycle = 128;                          ///< of a multiprocessor
  std::array<double, findings::pipe_count> pipe_rates{};        ///< warp instructions a cycle by Pipe; 0: no limit
  std::array<double, findings::tensor_kind_count> mma_rates{};  ///< multiply-adds a cycle by TensorKind; 0: none
  std::array<double, findings::tensor_kind_count> warpgroup_mma_rates{};  ///< the same of wgmma
  double l2_bytes_per_cycle = 0;                                          ///< of the GPU
  double dram_bytes_per_second = 0;
  bool standard = false;  ///< of its architecture
  MultiprocessorLimits limits;
};

std::span<const Gpu> all_gpus();

/// By id, upper case or lower; else a Diagnostic that names those there are.
Result<const Gpu*> gpu_named(std::string_view id);

/// The standard GPU of an architecture ("sm_90" is 90), or of the newest older one.
const Gpu& gpu_of(unsigned architecture);

}  // namespace lanebank::advise
