// The structure of an access: how the address follows from the lane number.
//
// Many patterns are affine in the bits of the lane, address(l) = base + sum over k of c_k x (bit k of l).
// Neighbouring bits whose c doubles form one step: a column of a 32-wide float tile is 32 steps of 128 bytes,
// a 16x16 tile read by column 16 steps of 64 bytes and 2 of 4 bytes, a broadcast steps of 0 bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lanebank/bank_model.hpp"

namespace lanebank::checks {

struct LaneStep {
  unsigned count = 1;             ///< how many lanes (or groups of lanes) follow one another
  std::int64_t stride_bytes = 0;  ///< apart
  bool operator==(const LaneStep&) const = default;
};

/// The steps of the lanes in the mask, from neighbouring lanes to distant ones; nothing if the addresses are not
/// affine in the lane. One step when all active lanes are equally spaced.
std::optional<std::vector<LaneStep>> lane_steps(const Access& access, std::uint32_t lanes);

/// "lane 3", "lanes 0..31", "lanes 0, 8, 16, 24", "lanes 1, 2, 7, 9 and 5 more".
std::string lane_list(std::uint32_t lanes);

}  // namespace lanebank::checks
