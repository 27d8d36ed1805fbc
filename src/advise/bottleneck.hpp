// Which part of a GPU bounds the time of a launch, from what its instructions did: a roofline with a line for each part.
//
//   time of a multiprocessor's part   work / (rate x multiprocessors x balance x clock)
//   time of L2, DRAM                  bytes / (bytes a second)
//   lower bound of the launch         the longest of these
//
//   balance = (blocks / multiprocessors) / round up(blocks / multiprocessors): the busiest multiprocessor sets the pace
//
// Shared memory and L1 have one data stage, so they are one limit:
//
//   cycles = (wavefronts x 128 + sectors of global requests x 32 + bytes of bulk copies) / bytes a cycle
//
// All rates are public figures (gpus.def). What removing the excess saves:
//
//   where all limits overlap   the lower bound as it is - the lower bound without the excess wavefronts
//   at most                    excess wavefronts x 2 cycles / multiprocessors: a warp waits 2 cycles for each
//
// The 2 cycles are the one figure that is not public: measured on an H200 by `examples/gemm_tile16.cu` (a load takes 29 cycles
// and 2 more for each wavefront after the first, an ldmatrix 49 with its 4 wavefronts and 57 with 8; bench/results/kernels.md). Between
// warps the stage does one a cycle. Other architectures are taken to be alike.
//
// Not modelled: latency that warps do not hide, barriers, DRAM and L2 that answer some orders of addresses slower than others,
// contention of atomics, the time to launch. docs/bottleneck.md holds the estimate against measured times.
#pragma once

#include <cstdint>

#include "advise/gpu.hpp"
#include "findings/report.hpp"

namespace lanebank::advise {

/// Cycles that a warp waits for each wavefront beyond the ideal.
inline constexpr double excess_wait_cycles = 2;

/// Of a launch whose work was counted (EngineOptions::work); InternalError without.
findings::Bottleneck estimate(const findings::LaunchReport& launch, const Gpu& gpu);

/// The same with `removed` of its excess wavefronts gone.
struct Saving {
  double seconds = 0;          ///< lower bound of the launch as it is
  double after_seconds = 0;    ///< and without them
  double at_most_seconds = 0;  ///< that warps waited for them: no more can be saved
};
Saving saving(const findings::LaunchReport& launch, const Gpu& gpu, std::uint64_t removed);

/// The GPU of a launch's estimate: `gpu`, or the standard one of the launch's architecture.
const Gpu& gpu_for(const findings::LaunchReport& launch, const Gpu* gpu);

/// Estimates for all launches with counted work: on `gpu`, or on the standard GPU of each launch's architecture.
void add_bottlenecks(findings::ProgramReport& report, const Gpu* gpu);

}  // namespace lanebank::advise
