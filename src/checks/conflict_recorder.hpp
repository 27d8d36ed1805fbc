// One worker's half of the conflict counter: the hot path.
//
// Each instruction remembers the pattern that its last access had, and each pattern the pattern that came
// after it last time. An access is compared with that successor: all lanes at once, a handful of vector
// instructions. Loops with one pattern and loops that cycle through several (XOR swizzles) both hit. A miss
// looks the pattern up in a table, and a new pattern is costed by the bank model. Costs are multiplied by counts
// only when the launch ends.
#pragma once

#include <array>
#include <atomic>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "checks/conflicts.hpp"
#include "checks/fast_cost.hpp"
#include "machine/events.hpp"

namespace lanebank::checks {

/// Which array an address lies in, and the range of addresses for which the answer stays the same.
class ArrayMap {
 public:
  explicit ArrayMap(const std::vector<SharedArray>& arrays);
  struct Window {
    std::int32_t array = no_array;
    std::uint32_t first = 0;
    std::uint32_t last_offset = 0xffffffffu;  ///< the window holds `address` if address - first <= last_offset
  };
  Window find(std::uint32_t address) const;
  /// Calls `f` with each array that has bytes of [first, end).
  template <class F>
  void for_each_in(std::uint64_t first, std::uint64_t end, F&& f) const {
    for (const Window& window : windows_)
      if (window.array != no_array && window.first < end && std::uint64_t{window.first} + window.last_offset >= first)
        f(window.array);
  }
  std::size_t array_count() const { return array_count_; }

 private:
  std::vector<Window> windows_;  ///< sorted, without gaps
  std::size_t array_count_ = 0;
};

/// How often a pattern began where: a table by address.
class BaseTable {
 public:
  /// Counts one more at `base`; false if it is not in the table yet.
  bool add(std::uint32_t base) {
    if (!entries_) return false;
    for (std::uint32_t at = place_of(base); entries_[at].count != 0; at = (at + 1) & mask_)
      if (entries_[at].base == base) {
        ++entries_[at].count;
        return true;
      }
    return false;
  }
  /// Puts `base`, which is not in the table, into it with a count of 1.
  void insert(std::uint32_t base);
  std::uint32_t size() const { return size_; }
  /// In no particular order.
  template <class F>
  void for_each(F&& f) const {
    for (std::uint32_t at = 0; entries_ && at <= mask_; ++at)
      if (entries_[at].count != 0) f(entries_[at].base, entries_[at].count);
  }

 private:
  struct Entry {
    std::uint32_t base = 0;
    std::uint64_t count = 0;  ///< 0: free
  };
  std::uint32_t place_of(std::uint32_t base) const { return (base * 0x9e3779b1u >> 7) & mask_; }
  void put(const Entry& entry);

  std::unique_ptr<Entry[]> entries_;  ///< mask_ + 1 of them, a power of two
  std::uint32_t mask_ = 0, size_ = 0;
};

/// A lane pattern of one instruction in one array.
struct alignas(64) Pattern {
  std::uint32_t relative[lanes_per_warp] = {};  ///< address - base; 0 for inactive lanes
  std::uint32_t select[lanes_per_warp] = {};    ///< all ones for active lanes
  std::uint32_t lanes = 0;
  std::uint32_t phase = 0;  ///< low bits of the base that belong to the pattern, and the source shape
  ArrayMap::Window window;
  std::uint32_t low = 0xffffffffu, high = 0, first_base = 0, varying = 0;
  std::uint64_t executions = 0;
  Pattern* next = nullptr;   ///< what followed it last time
  Pattern* chain = nullptr;  ///< in its hash bucket
  std::uint32_t instruction = 0, hash = 0;
  FastCost cost;
  BaseTable bases;                 ///< where they are counted
  std::uint64_t without_base = 0;  ///< executions whose base found no room in it
};

/// Where the lanes of an asynchronous copy read, up to a shift by whole 128-byte lines: a member of Access.
struct SourceShape {
  SourceOrder source = SourceOrder::unknown;
  std::array<std::uint32_t, lanes_per_warp> sources{};
  auto operator<=>(const SourceShape&) const = default;
};

/// Counts of accesses that have no pattern record.
struct Tally {
  std::int32_t array = no_array;
  std::uint64_t executions = 0, unmodelled = 0, wavefronts = 0, ideal = 0;
  unsigned worst_degree = 0;
  std::uint32_t low = 0xffffffffu, high = 0;  ///< lane addresses; low > high if there were none
  void add(const FastCost& cost);
};

/// One instruction's state.
struct Slot {
  Pattern* last = nullptr;
  std::uint32_t usable_lanes = 0;  ///< lanes whose addresses count
  std::uint32_t phase_bits = 0;    ///< low bits of the base that belong to the pattern
  bool needs_source = false;       ///< the source shape belongs to the pattern
  bool seen = false;
  bool generic = false;
  AccessKind kind = AccessKind::load;
  std::uint8_t lane_bytes = 0, matrices = 0;
  std::uint32_t patterns = 0;
  std::uint64_t unrecorded = 0;  ///< of the tallies: accesses for whose pattern there was no room
  std::vector<Tally> tallies;    ///< by array
  Tally& tally(std::int32_t array);
};

/// What the recorders of a launch may still make.
struct RecordBudget {
  explicit RecordBudget(const ConflictLimits& limits) : patterns(limits.patterns), bases(limits.bases) {}
  std::atomic<std::int64_t> patterns, bases;
};
using SharedBudget = std::shared_ptr<RecordBudget>;

/// Vector instructions that the hot path is compiled for.
enum class VectorSet { baseline, avx2, avx512 };
bool supported(VectorSet set);

class ConflictRecorder : public machine::Recorder {
 public:
  ConflictRecorder(const machine::LaunchInfo& launch, ArrayMap arrays, ConflictLimits limits, SharedBudget budget);
  ~ConflictRecorder() override;

  /// The version for a set that this machine supports.
  static std::unique_ptr<ConflictRecorder> make(VectorSet set, const machine::LaunchInfo& launch, ArrayMap arrays,
                                                ConflictLimits limits, SharedBudget budget);
  /// The version for this machine's best set.
  static std::unique_ptr<ConflictRecorder> make(const machine::LaunchInfo& launch, ArrayMap arrays,
                                                ConflictLimits limits, SharedBudget budget);

  void bulk_copy(const machine::WarpPlace& place, const machine::BulkCopy& copy) override;
  void sync(const machine::WarpPlace& place, const machine::SyncEvent& event) override;

  const std::vector<Slot>& slots() const { return slots_; }
  /// By array; gathered where bases are.
  const std::vector<ArrayUse>& uses() const { return uses_; }
  /// The source shape of a pattern; unknown for instructions that have none.
  const SourceShape& source_of(const Pattern& pattern) const { return shapes_[pattern.phase >> shape_shift]; }
  /// All patterns, in the order they came.
  template <class F>
  void for_each_pattern(F&& f) const {
    for (std::size_t i = 0; i < pattern_count_; ++i) f(blocks_[i / patterns_per_block][i % patterns_per_block]);
  }

 protected:
  /// What is compared of an access beside the lanes' addresses.
  struct Key {
    std::uint32_t lanes = 0, base = 0, phase = 0;
  };

  /// The body of shared_access; inlined into one function per instruction set.
  template <bool with_bases>
  [[gnu::always_inline]] inline void count(const machine::SharedAccess& access);
  /// The pattern of an access that did not come as expected: known, new, or nullptr when there is no room.
  [[gnu::always_inline]] inline Pattern* find(Slot& slot, const machine::SharedAccess& access, const Key& key);
  /// `find`, per instruction set.
  virtual Pattern* miss(Slot& slot, const machine::SharedAccess& access, const Key& key) = 0;

 private:
  static constexpr std::size_t patterns_per_block = 64;
  static constexpr unsigned shape_shift = 8;  ///< of the shape's number in `phase`
  static constexpr std::uint32_t no_shape = 0, consecutive_shape = 1, shape_limit = 1u << 20;

  [[gnu::always_inline]] static inline bool matches(const Pattern& pattern, const std::uint32_t* addresses,
                                                    const Key& key);
  [[gnu::always_inline]] static inline void add(Pattern& pattern, std::uint32_t base);
  [[gnu::always_inline]] static inline bool consecutive(const machine::SharedAccess& access, std::uint32_t lanes);
  std::uint32_t shape_of(const machine::SharedAccess& access, std::uint32_t lanes);
  Pattern* follows(Slot& slot, Pattern* pattern);
  void new_base(Pattern& pattern, std::uint32_t base);
  void mark(std::uint64_t first, std::uint64_t end, bool ArrayUse::*use);
  void begin(Slot& slot, const machine::SharedAccess& access);
  void without_pattern(Slot& slot, const machine::SharedAccess& access);
  Pattern* make_pattern(Slot& slot, const machine::SharedAccess& access, const Key& key, const std::uint32_t* relative,
                        std::uint32_t hash);
  void count_unrecorded(Slot& slot, const machine::SharedAccess& access, const Key& key);
  FastCost cost_of(const machine::SharedAccess& access, const Key& key) const;
  void grow_buckets();

  unsigned architecture_;
  ArrayMap arrays_;
  ConflictLimits limits_;
  SharedBudget budget_;
  Pattern nothing_;  ///< matches no access; the successor of an instruction's beginning
  std::vector<Slot> slots_;
  std::vector<ArrayUse> uses_;
  std::vector<std::unique_ptr<Pattern[]>> blocks_;
  std::size_t pattern_count_ = 0;
  std::vector<Pattern*> buckets_;
  std::vector<SourceShape> shapes_;                ///< by number
  std::map<SourceShape, std::uint32_t> shape_at_;  ///< numbers of the shapes that are neither unknown nor consecutive
};

}  // namespace lanebank::checks
