// Whether the blocks of a cluster reach each other's shared memory only while its owner lives: after it has begun and before
// it has ended, as something that both did says.
//
// A block that has waited at the cluster's barrier knows that all others have begun. An access to another block is safe
// to the end if that block waits, later, at a barrier of the cluster that the accessing warp had still to arrive at. Waits at
// mbarriers, and fences beyond the block with what is in global memory, can say the same in ways that are not followed here:
// where a block has such, nothing is reported.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "checks/block_order.hpp"
#include "machine/events.hpp"

namespace lanebank::checks {

class ClusterLifetime {
 public:
  /// A lane's access to the shared memory of another block.
  struct Access {
    std::uint32_t instruction = 0;
    machine::WarpPlace place;  ///< who accessed
    std::uint32_t lane = 0, byte = 0;
  };

  /// The access that may come after the block's end, if there is one.
  std::optional<Access> block_ends(std::uint64_t block);
  void sync(const machine::WarpPlace& place, const machine::SyncEvent& event);

  /// Notes the access to a block that runs; false if that block may not have begun.
  bool reach(std::uint64_t target, const Access& access);

 private:
  struct Block {
    std::array<std::uint32_t, warps_per_block> arrivals{};  ///< at the cluster's barrier, by warp
    std::array<std::uint32_t, warps_per_block> waits{};
    std::uint32_t most_waits = 0;     ///< of any warp
    std::uint32_t other_orders = 0;   ///< waits at mbarriers, fences beyond the block
    std::optional<Access> reached;    ///< the access by another block that needs the latest barrier
    std::uint32_t needed_waits = 0;   ///< cluster barriers that a warp of this block must pass after it
    std::uint32_t orders_before = 0;  ///< other_orders then
  };
  std::unordered_map<std::uint64_t, Block> blocks_;  ///< that run and did something of this
};

}  // namespace lanebank::checks
