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
//   cycles = ideal wavefronts x 128 / w + excess wavefronts x 2 + (sectors of global requests x 32 + bytes of bulk copies) / w
//
// with w bytes a cycle (128; 64 on sm_75). All rates are public figures (gpus.def) but one: an excess wavefront takes 2
// cycles. That is measured on an H200 by `examples/gemm_tile16.cu`: a load waits 29 cycles and 2 more for each wavefront after
// the first, an ldmatrix 49 cycles with its 4 wavefronts and 57 with 8. Other architectures are taken to be alike.
//
// Not modelled: latency that warps do not hide, barriers, DRAM and L2 that answer some orders of addresses slower than
// others, contention of atomics, launches. The launch is therefore never faster than the estimate on this model, and often
// slower. docs/bottleneck.md holds it against measured times.
#pragma once

#include <cstdint>

#include "advise/gpu.hpp"
#include "findings/report.hpp"

namespace lanebank::advise {

/// Cycles of the data stage for each wavefront beyond the ideal.
inline constexpr double excess_wavefront_cycles = 2;

/// Of a launch whose work was counted (EngineOptions::work); InternalError without.
findings::Bottleneck estimate(const findings::LaunchReport& launch, const Gpu& gpu);

/// The same with `removed` of its excess wavefronts gone.
struct Saving {
  double seconds = 0;        ///< lower bound of the launch as it is
  double after_seconds = 0;  ///< and without them: all limits overlap
  double removed_seconds = 0;  ///< the time of the wavefronts themselves: what can be saved at most, where nothing overlaps
};
Saving saving(const findings::LaunchReport& launch, const Gpu& gpu, std::uint64_t removed);

/// Estimates for all launches with counted work: on `gpu`, or on the standard GPU of each launch's architecture.
void add_bottlenecks(findings::ProgramReport& report, const Gpu* gpu);

}  // namespace lanebank::advise
