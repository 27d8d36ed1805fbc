// From what the machine and the traffic counter say about a launch to its Work.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "checks/global_traffic.hpp"
#include "findings/work.hpp"
#include "machine/device.hpp"
#include "sass/instruction.hpp"

namespace lanebank::session {

/// The pipe of a row of the instruction table; Pipe::issue for no_row.
findings::Pipe pipe_of(sass::Row row);

/// What one matrix instruction computes.
struct TensorProduct {
  findings::TensorKind kind = findings::TensorKind::half;
  std::uint64_t multiply_adds = 0;  ///< of one warp; of sparse ones those that are carried out
  bool warpgroup = false;           ///< a quarter of a warpgroup's
};

/// Of a disassembled matrix instruction ("HMMA.16816.F32 R4, ..."); none for 4-bit and binary ones and for what is no product.
std::optional<TensorProduct> tensor_product(std::string_view sass);

/// Work of the whole grid: with sampled blocks scaled to it, DRAM bytes then at most those of the allocations touched.
findings::Work make_work(const machine::LaunchRequest& request, const machine::LaunchOutcome& outcome,
                         const checks::GlobalTraffic& traffic, const machine::Memory& memory);

}  // namespace lanebank::session
