// What the memory checks of a launch found: pairs of instructions that race, reads of what nobody wrote, accesses that
// leave their array, barriers and masks used wrongly. One entry per cause (instructions and kind), with a count and one
// example.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <tuple>

namespace lanebank::checks {

enum class HazardKind : std::uint8_t {
  read_after_write,     ///< the later access may read before the earlier one wrote
  write_after_read,     ///< the later access may overwrite what the earlier one still has to read
  write_after_write,    ///< which of the two remains is open
  same_value_writes,    ///< as write_after_write, but both wrote the same value
  copy_not_awaited,     ///< an asynchronous copy writes what the later access reads or writes; nobody waited for it
  uninitialised,        ///< a read of bytes that nobody wrote; `earlier` means nothing
  outside_of_array,     ///< an access outside of the array that its instruction means; `earlier` means nothing
  divergent_barrier,    ///< lanes of one warp stood at one barrier by different instructions
  mask_without_caller,  ///< a warp-wide operation whose mask lacks a lane that executes it
  missing_lanes,        ///< a warp-wide operation whose mask names lanes that wait for its own elsewhere
  block_not_begun,      ///< an access to another block of the cluster that may not have begun; `earlier` means nothing
  block_ended,          ///< an access to another block of the cluster that may have ended; `earlier` means nothing
};

/// A lane that accessed memory.
struct LanePlace {
  std::uint32_t warp = 0, lane = 0;
  friend auto operator<=>(const LanePlace&, const LanePlace&) = default;
};

struct Hazard {
  HazardKind kind = HazardKind::read_after_write;
  bool in_warp = false;                  ///< between lanes of one warp
  bool at_once = false;                  ///< two lanes of one execution of one instruction
  bool pending = false;                  ///< a copy was still under way (copy_not_awaited: nobody at all had waited)
  std::uint32_t earlier = 0, later = 0;  ///< instructions, indices into LaunchInfo::instructions; in the order they ran
  std::uint64_t count = 0;               ///< lanes and cells that showed it
  // The first that showed it, in the order of blocks.
  std::uint64_t block = 0;
  LanePlace earlier_place, later_place;
  std::uint32_t byte = 0;   ///< from the block's first shared byte
  std::int32_t array = -1;  ///< outside_of_array: the array that is meant
  std::uint32_t mask = 0;   ///< mask_without_caller; missing_lanes: those
  // Of a plain store: what was in the first bytes that met (of another lane of it: what that lane stores), and what it stores.
  unsigned value_bytes = 0;  ///< 0: not known
  std::uint64_t current_value = 0, incoming_value = 0;

  using Cause = std::tuple<HazardKind, bool, bool, bool, std::uint32_t, std::uint32_t>;
  Cause cause() const { return {kind, in_warp, at_once, pending, earlier, later}; }
};

using Hazards = std::map<Hazard::Cause, Hazard>;

}  // namespace lanebank::checks
