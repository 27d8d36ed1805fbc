#include "advise/recount.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.hpp"
#include "base/words.hpp"
#include "checks/fast_cost.hpp"

namespace lanebank::advise {

using findings::AccessLog;
using findings::BaseCount;
using findings::LoggedAccess;
using findings::LoggedArray;

namespace {

Refusal refuse(const LoggedArray& array, std::string id, std::string what, std::string remedy = {},
               std::optional<std::uint32_t> row = std::nullopt) {
  return {{std::move(id), array.name, std::move(what), std::move(remedy)}, row};
}

/// An access but its addresses, for the bank model.
Access shape_of(const LoggedAccess& logged) {
  Access access;
  access.kind = logged.kind;
  access.lane_bytes = logged.lane_bytes;
  access.active_lanes = logged.lanes;
  access.matrices = logged.matrices;
  access.source = logged.source;
  std::copy(logged.source_bytes.begin(), logged.source_bytes.end(), access.sources);
  return access;
}

void place(Access& access, const LoggedAccess& logged, std::uint32_t base) {
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
    access.addresses[lane] = base + static_cast<std::uint32_t>(logged.relative_bytes[lane]);
}

AccessRule rule_of(const AccessLog& log, const LoggedAccess& logged) {
  return access_rule(log.architecture, logged.kind, logged.lane_bytes);
}

/// Lowest and highest byte of the active lanes, from the base.
std::pair<std::int64_t, std::int64_t> reach_of(const LoggedAccess& logged) {
  std::int64_t low = 0, high = 0;  // of the first active lane
  for (std::uint32_t rest = logged.lanes; rest != 0; rest &= rest - 1) {
    const std::int64_t relative = logged.relative_bytes[static_cast<unsigned>(std::countr_zero(rest))];
    low = std::min(low, relative);
    high = std::max(high, relative);
  }
  return {low, high + logged.lane_bytes};
}

bool inside(const LoggedArray& array, std::int64_t first, std::int64_t end) {
  return first >= array.offset_bytes && end <= std::int64_t{array.offset_bytes} + array.size_bytes;
}

/// Has a lane of an access that begins elsewhere a byte in the array?
bool reaches(const LoggedAccess& logged, const LoggedArray& array) {
  const auto [low, high] = reach_of(logged);
  const std::int64_t first = array.offset_bytes, end = first + array.size_bytes;
  for (const BaseCount& base : logged.bases) {
    if (base.base_bytes + high <= first || base.base_bytes + low >= end) continue;
    for (std::uint32_t rest = logged.lanes; rest != 0; rest &= rest - 1) {
      const std::int64_t at =
          std::int64_t{base.base_bytes} + logged.relative_bytes[static_cast<unsigned>(std::countr_zero(rest))];
      if (at < end && at + logged.lane_bytes > first) return true;
    }
  }
  return false;
}

/// Is the place of the array itself, mod 128 bytes, part of what such an access costs?
bool place_matters(const LoggedAccess& logged) {
  return logged.kind == AccessKind::async_copy_cg || logged.lane_bytes < bank_bytes;
}

constexpr std::uint32_t dynamic_alignment_bytes = 16;  // where dynamic memory begins, at least

std::uint32_t round_up(std::uint32_t value, std::uint32_t unit) {
  return unit < 2 ? value : (value + unit - 1) / unit * unit;
}

/// Where each array lies when some change, and what the block takes.
struct Placement {
  std::vector<std::uint32_t> offsets;
  BlockBytes block;
};

/// `bytes_of(i)`: what array i takes.
template <class BytesOf>
Placement placement_with(const AccessLog& log, BytesOf bytes_of) {
  Placement result{{}, {log.static_shared_bytes, log.dynamic_shared_bytes}};
  std::uint32_t end = 0;  // of the static arrays so far, once one has changed
  for (std::size_t i = 0; i < log.arrays.size(); ++i) {
    const LoggedArray& array = log.arrays[i];
    const std::uint32_t bytes = bytes_of(i);
    const std::uint32_t alignment =
        array.dynamic ? std::max(dynamic_alignment_bytes, array.alignment_bytes) : array.alignment_bytes;
    const std::uint32_t offset = std::max(array.offset_bytes, round_up(end, alignment));
    result.offsets.push_back(offset);
    if (array.dynamic) {
      result.block.dynamic_bytes = std::max(result.block.dynamic_bytes, bytes);
      continue;
    }
    if (end != 0 || bytes != array.size_bytes) end = std::max(end, offset + bytes);
    result.block.static_bytes = std::max(result.block.static_bytes, end);
  }
  return result;
}

std::optional<Refusal> too_large(const AccessLog& log, const LoggedArray& array, const BlockBytes& block) {
  if (block.static_bytes > findings::static_shared_limit_bytes && block.static_bytes > log.static_shared_bytes)
    return refuse(
        array, "remap.too-large",
        "static shared memory would be " + grouped(block.static_bytes) + " bytes, and " +
            grouped(findings::static_shared_limit_bytes) + " is the most",
        "Declare it extern __shared__ and give the bytes at the launch, or choose a swizzle, which takes none.");
  const std::uint32_t all = block.static_bytes + block.dynamic_bytes;
  if (log.room.block_bytes != 0 && all > log.room.block_bytes)
    return refuse(array, "remap.too-large",
                  "a block would have " + grouped(all) + " bytes of shared memory, and " +
                      grouped(log.room.block_bytes) + " is the most",
                  "Choose a swizzle, which takes no bytes.");
  return std::nullopt;
}

/// Is the map the array as it is, or one of the swizzles of TMA and wgmma at a place where they agree with it?
bool is_hardware_mode(const LoggedArray& array, const ByteMap& map) {
  if (map.is_identity()) return true;
  for (unsigned bits = 1; bits <= 3; ++bits) {
    if (array.offset_bytes % (128u << bits) != 0) continue;
    const solve::Swizzle mode{bits, 4, 3};
    bool same = true;
    for (std::uint32_t byte = 0; same && byte < map.size_bytes(); ++byte) same = map.to(byte) == mode(byte);
    if (same) return true;
  }
  return false;
}

class Counter {
 public:
  Counter(const AccessLog& log, std::span<const Change> changes) : log_(log), maps_(log.arrays.size()) {
    for (const Change& change : changes) {
      LANEBANK_CHECK(maps_.at(change.array) == nullptr, "array " + std::to_string(change.array) + " changes twice");
      maps_[change.array] = change.map;
    }
    placement_ = placement_with(
        log, [&](std::size_t i) { return maps_[i] != nullptr ? maps_[i]->bytes() : log.arrays[i].size_bytes; });
  }

  tl::expected<Recount, Refusal> run(std::span<const Change> changes) {
    Recount result;
    for (const Change& change : changes) {
      const LoggedArray& array = log_.arrays[change.array];
      if ((array.bulk_copies || array.matrix_operands) && !is_hardware_mode(array, *change.map))
        return tl::unexpected(
            refuse(array, "remap.hardware",
                   std::string(array.bulk_copies ? "TMA or bulk copies" : "wgmma operands") +
                       " reach it, and they know only the hardware's swizzles",
                   "Give swizzle<1,4,3>, swizzle<2,4,3> or swizzle<3,4,3> (modes of 32, 64 and 128 bytes) on an "
                   "array aligned to 256, 512 or 1,024 bytes."));
      if (auto refusal = too_large(log_, array, placement_.block)) return tl::unexpected(std::move(*refusal));
      result.bytes += change.map->bytes();
    }
    for (const LoggedAccess& logged : log_.accesses) {
      if (auto refusal = moved_off_alignment(logged)) return tl::unexpected(std::move(*refusal));
      if (!counts(logged)) continue;
      if (result.rows.empty() || result.rows.back().row != logged.row) result.rows.push_back({logged.row, 0, {}, {}});
      if (auto refusal = add(logged, result.rows.back())) return tl::unexpected(std::move(*refusal));
    }
    for (const RowRecount& row : result.rows) {
      add(result.before, row.before);
      add(result.after, row.after);
    }
    return result;
  }

 private:
  static void add(Figures& sum, const Figures& part) {
    sum.wavefronts += part.wavefronts;
    sum.ideal += part.ideal;
    sum.worst_degree = std::max(sum.worst_degree, part.worst_degree);
  }

  static void add(Figures& sum, const checks::FastCost& cost, std::uint64_t count) {
    sum.wavefronts += count * cost.wavefronts;
    sum.ideal += count * cost.ideal;
    sum.worst_degree = std::max(sum.worst_degree, cost.worst_degree);
  }

  /// The map of the array that the access begins in; nullptr where it keeps its layout.
  const ByteMap* map_of(const LoggedAccess& logged) const {
    return logged.array < 0 ? nullptr : maps_[static_cast<std::size_t>(logged.array)];
  }

  /// By how much the access's array moves.
  std::uint32_t shift_of(const LoggedAccess& logged) const {
    if (logged.array < 0) return 0;
    const auto index = static_cast<std::size_t>(logged.array);
    return placement_.offsets[index] - log_.arrays[index].offset_bytes;
  }

  bool counts(const LoggedAccess& logged) const {
    return map_of(logged) != nullptr || (place_matters(logged) && shift_of(logged) % bank_row_bytes != 0);
  }

  /// An array behind the one that grows keeps the alignment of its declaration only.
  std::optional<Refusal> moved_off_alignment(const LoggedAccess& logged) const {
    if (map_of(logged) != nullptr || shift_of(logged) % logged.lane_bytes == 0) return std::nullopt;
    const LoggedArray& moved = log_.arrays[static_cast<std::size_t>(logged.array)];
    return refuse(moved, "remap.misaligned",
                  "it lies behind the array that grows and would move by " + grouped(shift_of(logged)) +
                      " bytes, which its accesses of " + counted(logged.lane_bytes, "byte", "bytes") + " do not allow",
                  "Declare it with __align__(" + std::to_string(logged.lane_bytes) + ").", logged.row);
  }

  std::optional<Refusal> add(const LoggedAccess& logged, RowRecount& row) const {
    const AccessRule rule = rule_of(log_, logged);
    Access before = shape_of(logged), after = before;
    checks::FastCost as_run;
    std::uint32_t phase = bank_row_bytes;  // of `as_run`: what it costs does not change from line to line
    for (const BaseCount& base : logged.bases) {
      place(before, logged, base.base_bytes);
      if (base.base_bytes % bank_row_bytes != phase) as_run = checks::fast_cost(rule, before);
      phase = base.base_bytes % bank_row_bytes;
      if (map_of(logged) == nullptr) {
        place(after, logged, base.base_bytes + shift_of(logged));
      } else if (auto refusal = move(logged, before, after)) {
        return refusal;
      }
      row.executions += base.count;
      add(row.before, as_run, base.count);
      add(row.after, checks::fast_cost(rule, after), base.count);
    }
    return std::nullopt;
  }

  /// The addresses of `before`, under the map.
  std::optional<Refusal> move(const LoggedAccess& logged, const Access& before, Access& after) const {
    const auto index = static_cast<std::size_t>(logged.array);
    const LoggedArray& array = log_.arrays[index];
    const ByteMap& map = *maps_[index];
    for (std::uint32_t rest = before.active_lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      const std::uint32_t byte = before.addresses[lane] - array.offset_bytes, to = map.to(byte);
      if (map.together(byte) < before.lane_bytes)
        return refuse(array, "remap.torn",
                      "an access of " + counted(before.lane_bytes, "byte", "bytes") + " at byte " + grouped(byte) +
                          " would be torn apart: only " + grouped(map.together(byte)) + " of them stay together",
                      "Choose a swizzle whose base is at least " +
                          std::to_string(std::countr_zero(std::bit_ceil(before.lane_bytes))) +
                          ", or rows whose length is a multiple of the access.",
                      logged.row);
      after.addresses[lane] = placement_.offsets[index] + to;
      if (after.addresses[lane] % before.lane_bytes != 0)
        return refuse(array, "remap.misaligned",
                      "an access of " + counted(before.lane_bytes, "byte", "bytes") + " at byte " + grouped(byte) +
                          " would lie at byte " + grouped(to) + ", which is no multiple of it",
                      "Pad rows by a multiple of " + counted(before.lane_bytes, "byte", "bytes") + ".", logged.row);
    }
    return std::nullopt;
  }

  const AccessLog& log_;
  std::vector<const ByteMap*> maps_;  ///< by array
  Placement placement_;
};

}  // namespace

std::optional<Refusal> untouchable(const AccessLog& log, std::size_t index, Spins spins) {
  const LoggedArray& array = log.arrays.at(index);
  if (array.unrecorded != 0)
    return refuse(array, "remap.unrecorded",
                  counted(array.unrecorded, "access", "accesses") +
                      " found no room in the log, as with indices that depend on data",
                  "Count fewer launches (--kernel-name, --launch-count), or a smaller input.");
  if (array.barriers)
    return refuse(array, "remap.barriers", "mbarriers lie in it, which the hardware reads where they are",
                  "Give them an array of their own.");
  for (const LoggedAccess& logged : log.accesses) {
    const bool own = logged.array == static_cast<std::int32_t>(index);
    const auto [low, high] = reach_of(logged);
    if (own) {
      if (logged.kind == AccessKind::atomic_spin && spins == Spins::refused)
        return refuse(
            array, "remap.spins",
            "atomics on it are loops (ATOMS.CAST.SPIN) in which one lane of each bank succeeds a turn, so that a "
            "layout changes how often they run",
            "Try the layout in the program itself.", logged.row);
      for (const BaseCount& base : logged.bases)
        if (!inside(array, base.base_bytes + low, base.base_bytes + high))
          return refuse(array, "remap.crosses", "an access that begins in it has lanes outside of it", {}, logged.row);
      const Access access = access_at(logged, logged.bases.front().base_bytes);
      if (const Cost cost = cost_by(rule_of(log, logged), access); !cost.modelled)
        return refuse(array, "remap.unmodelled", std::string("what an access costs is not known: ") + cost.reason, {},
                      logged.row);
    } else if (reaches(logged, array)) {
      return refuse(array, "remap.crosses", "an access that begins outside of it has lanes in it", {}, logged.row);
    }
  }
  return std::nullopt;
}

BlockBytes block_bytes_with(const AccessLog& log, std::size_t array, std::uint32_t bytes) {
  return placement_with(log, [&](std::size_t i) { return i == array ? bytes : log.arrays[i].size_bytes; }).block;
}

tl::expected<Recount, Refusal> recount(const AccessLog& log, std::span<const Change> changes, Spins spins) {
  for (const Change& change : changes) {
    LANEBANK_CHECK(change.map->size_bytes() == log.arrays.at(change.array).size_bytes,
                   std::to_string(change.map->size_bytes()));
    if (auto refusal = untouchable(log, change.array, spins)) return tl::unexpected(std::move(*refusal));
  }
  return Counter(log, changes).run(changes);
}

tl::expected<Recount, Refusal> recount(const AccessLog& log, std::size_t array, const ByteMap& map, Spins spins) {
  const Change change{array, &map};
  return recount(log, std::span(&change, 1), spins);
}

Access access_at(const LoggedAccess& logged, std::uint32_t base_bytes) {
  Access access = shape_of(logged);
  place(access, logged, base_bytes);
  return access;
}

}  // namespace lanebank::advise
