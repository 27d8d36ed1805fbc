#include "checks/conflict_recorder.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "base/check.hpp"

namespace lanebank::checks {
namespace {

using machine::SharedAccess;
using machine::SharedKind;

static_assert(static_cast<int>(SharedKind::load) == static_cast<int>(AccessKind::load) &&
                  static_cast<int>(SharedKind::store) == static_cast<int>(AccessKind::store) &&
                  static_cast<int>(SharedKind::matrix_load) == static_cast<int>(AccessKind::matrix_load) &&
                  static_cast<int>(SharedKind::matrix_store) == static_cast<int>(AccessKind::matrix_store) &&
                  static_cast<int>(SharedKind::atomic) == static_cast<int>(AccessKind::atomic) &&
                  static_cast<int>(SharedKind::atomic_cas) == static_cast<int>(AccessKind::atomic_cas) &&
                  static_cast<int>(SharedKind::atomic_merged) == static_cast<int>(AccessKind::atomic_merged) &&
                  static_cast<int>(SharedKind::atomic_spin) == static_cast<int>(AccessKind::atomic_spin) &&
                  static_cast<int>(SharedKind::async_copy_ca) == static_cast<int>(AccessKind::async_copy_ca) &&
                  static_cast<int>(SharedKind::async_copy_cg) == static_cast<int>(AccessKind::async_copy_cg) &&
                  static_cast<int>(SharedKind::bulk_copy) == static_cast<int>(AccessKind::bulk_copy) &&
                  static_cast<int>(SharedKind::matrix_operand) == static_cast<int>(AccessKind::matrix_operand),
              "SharedKind and AccessKind list the same kinds in the same order");

/// Low bits of the base that a kind's cost depends on, beside the lane-relative pattern.
std::uint32_t phase_bits_of(AccessKind kind, unsigned lane_bytes) {
  if (kind == AccessKind::async_copy_cg) return bank_row_bytes - 1;
  return lane_bytes < bank_bytes ? bank_bytes - 1 : 0;
}

/// Instructions whose cost is decided by their bytes, not by lanes.
bool counted_by_bytes(AccessKind kind) { return kind == AccessKind::bulk_copy || kind == AccessKind::matrix_operand; }

/// Odd multipliers, one per lane, from splitmix64 of the lane number: fixed, so that runs repeat.
struct LaneMultipliers {
  alignas(64) std::uint32_t of[lanes_per_warp] = {};
  constexpr LaneMultipliers() {
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
      std::uint64_t z = (lane + 1) * 0x9e3779b97f4a7c15u;
      z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
      z = (z ^ z >> 27) * 0x94d049bb133111ebu;
      of[lane] = static_cast<std::uint32_t>(z >> 32) | 1;
    }
  }
};
constexpr LaneMultipliers multipliers;

std::uint32_t finish_hash(std::uint32_t sum, std::uint32_t instruction, std::uint32_t lanes, std::uint32_t phase) {
  std::uint64_t z = (std::uint64_t{instruction} << 32 | lanes) * 0x9e3779b97f4a7c15u;
  z ^= (std::uint64_t{sum} << 32 | phase) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 29) * 0x94d049bb133111ebu;
  return static_cast<std::uint32_t>(z >> 32);
}

}  // namespace

void BaseTable::put(const Entry& entry) {
  std::uint32_t at = place_of(entry.base);
  while (entries_[at].count != 0) at = (at + 1) & mask_;
  entries_[at] = entry;
}

void BaseTable::insert(std::uint32_t base) {
  if (!entries_ || 2 * (size_ + 1) > mask_ + 1) {
    const auto old = std::move(entries_);
    const std::uint32_t old_count = old ? mask_ + 1 : 0;
    mask_ = old ? 2 * mask_ + 1 : 7;
    entries_ = std::make_unique<Entry[]>(mask_ + 1);
    for (std::uint32_t at = 0; at < old_count; ++at)
      if (old[at].count != 0) put(old[at]);
  }
  put({base, 1});
  ++size_;
}

ArrayMap::ArrayMap(const std::vector<SharedArray>& arrays) : array_count_(arrays.size()) {
  std::vector<std::int32_t> order(arrays.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return arrays[a].offset_bytes < arrays[b].offset_bytes; });
  std::uint64_t next = 0;
  constexpr std::uint64_t end = std::uint64_t{1} << 32;
  const auto add = [&](std::int32_t array, std::uint64_t last) {
    windows_.push_back({array, static_cast<std::uint32_t>(next), static_cast<std::uint32_t>(last - next - 1)});
    next = last;
  };
  for (const std::int32_t index : order) {
    const std::uint64_t first = arrays[index].offset_bytes, last = std::min(end, first + arrays[index].size_bytes);
    if (first > next) add(no_array, first);
    if (last > next) add(index, last);  // where arrays overlap, the one that begins first has the bytes
  }
  if (next < end) add(no_array, end);
}

ArrayMap::Window ArrayMap::find(std::uint32_t address) const {
  auto after = std::upper_bound(windows_.begin(), windows_.end(), address,
                                [](std::uint32_t a, const Window& window) { return a < window.first; });
  return *(after - 1);
}

ConflictRecorder::ConflictRecorder(const machine::LaunchInfo& launch, ArrayMap arrays, ConflictLimits limits,
                                   SharedBudget budget)
    : architecture_(launch.architecture),
      arrays_(std::move(arrays)),
      limits_(limits),
      budget_(std::move(budget)),
      slots_(launch.instructions.size()),
      uses_(arrays_.array_count()),
      buckets_(256, nullptr),
      shapes_{SourceShape{}, SourceShape{SourceOrder::consecutive}} {
  nothing_.next = &nothing_;
  for (Slot& slot : slots_) slot.last = &nothing_;
}

ConflictRecorder::~ConflictRecorder() = default;

bool ConflictRecorder::matches(const Pattern& pattern, const std::uint32_t* addresses, const Key& key) {
  if (pattern.lanes != key.lanes || pattern.phase != key.phase) return false;
  if (key.base - pattern.window.first > pattern.window.last_offset) return false;
  std::uint32_t difference = 0;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
    difference |= ((addresses[lane] - key.base) ^ pattern.relative[lane]) & pattern.select[lane];
  return difference == 0;
}

void ConflictRecorder::add(Pattern& pattern, std::uint32_t base) {
  ++pattern.executions;
  pattern.low = std::min(pattern.low, base);
  pattern.high = std::max(pattern.high, base);
  pattern.varying |= base ^ pattern.first_base;
}

bool ConflictRecorder::consecutive(const SharedAccess& access, std::uint32_t lanes) {
  if (access.zero_fills || (lanes & ~access.reading_lanes) != 0) return false;
  const unsigned first = std::countr_zero(lanes);
  const std::uint64_t base = access.global_addresses[first] - std::uint64_t{first} * access.lane_bytes;
  std::uint64_t difference = base % bank_row_bytes;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
    const std::uint64_t active = -std::uint64_t{lanes >> lane & 1};
    difference |= (access.global_addresses[lane] - base - lane * access.lane_bytes) & active;
  }
  return difference == 0;
}

/// The number of the access's source shape; shape_limit if there is no room for another.
std::uint32_t ConflictRecorder::shape_of(const SharedAccess& access, std::uint32_t lanes) {
  Access model;
  model.lane_bytes = access.lane_bytes;
  model.active_lanes = lanes;
  set_sources(model, access.global_addresses, access.reading_lanes, access.zero_fills);
  if (model.source == SourceOrder::unknown) return no_shape;
  SourceShape shape{model.source, std::to_array(model.sources)};
  if (const auto known = shape_at_.find(shape); known != shape_at_.end()) return known->second;
  if (shapes_.size() == shape_limit) return shape_limit;
  shapes_.push_back(shape);
  return shape_at_[shape] = static_cast<std::uint32_t>(shapes_.size() - 1);
}

template <bool with_bases>
void ConflictRecorder::count(const SharedAccess& access) {
  Slot& slot = slots_[access.instruction];
  if (!slot.seen) [[unlikely]]
    begin(slot, access);
  Key key;
  key.lanes = access.mask & slot.usable_lanes;
  if (key.lanes == 0 || access.addresses == nullptr) [[unlikely]]
    return without_pattern(slot, access);
  key.base = access.addresses[std::countr_zero(key.lanes)];
  key.phase = key.base & slot.phase_bits;
  if (slot.needs_source && access.global_addresses != nullptr) {
    const std::uint32_t shape =
        consecutive(access, key.lanes) ? std::uint32_t{consecutive_shape} : shape_of(access, key.lanes);
    if (shape == shape_limit) [[unlikely]]
      return count_unrecorded(slot, access, key);
    key.phase |= shape << shape_shift;
  }
  Pattern* expected = slot.last->next;
  if (!matches(*expected, access.addresses, key)) [[unlikely]] {
    expected = miss(slot, access, key);
    if (expected == nullptr) return;
  }
  add(*expected, key.base);
  if constexpr (with_bases)
    if (!expected->bases.add(key.base)) [[unlikely]]
      new_base(*expected, key.base);
  slot.last = expected;
}

void ConflictRecorder::new_base(Pattern& pattern, std::uint32_t base) {
  if (budget_->bases.fetch_sub(1, std::memory_order_relaxed) > 0)
    pattern.bases.insert(base);
  else
    ++pattern.without_base;
}

void ConflictRecorder::mark(std::uint64_t first, std::uint64_t end, bool ArrayUse::*use) {
  arrays_.for_each_in(first, end, [&](std::int32_t array) { uses_[static_cast<std::size_t>(array)].*use = true; });
}

void ConflictRecorder::bulk_copy(const machine::WarpPlace&, const machine::BulkCopy& copy) {
  mark(copy.first_byte, std::uint64_t{copy.first_byte} + copy.bytes, &ArrayUse::bulk_copies);
  if (copy.has_barrier) mark(copy.barrier_byte, std::uint64_t{copy.barrier_byte} + 1, &ArrayUse::barriers);
}

void ConflictRecorder::sync(const machine::WarpPlace&, const machine::SyncEvent& event) {
  using Kind = machine::SyncEvent::Kind;
  if (event.kind == Kind::mbarrier_init || event.kind == Kind::mbarrier_arrive || event.kind == Kind::mbarrier_wait ||
      event.kind == Kind::copies_arrive)
    mark(event.number, std::uint64_t{event.number} + 1, &ArrayUse::barriers);
}

Pattern* ConflictRecorder::find(Slot& slot, const SharedAccess& access, const Key& key) {
  if (matches(*slot.last, access.addresses, key)) return slot.last;
  alignas(64) std::uint32_t relative[lanes_per_warp];
  std::uint32_t sum = 0;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
    const std::uint32_t select = -(key.lanes >> lane & 1);
    relative[lane] = (access.addresses[lane] - key.base) & select;
    sum += relative[lane] * multipliers.of[lane];
  }
  const std::uint32_t hash = finish_hash(sum, access.instruction, key.lanes, key.phase);
  for (Pattern* at = buckets_[hash & (buckets_.size() - 1)]; at != nullptr; at = at->chain)
    if (at->hash == hash && at->instruction == access.instruction && matches(*at, access.addresses, key))
      return follows(slot, at);
  return follows(slot, make_pattern(slot, access, key, relative, hash));
}

Pattern* ConflictRecorder::follows(Slot& slot, Pattern* pattern) {
  if (slot.last != &nothing_ && pattern != nullptr) slot.last->next = pattern;
  return pattern;
}

Pattern* ConflictRecorder::make_pattern(Slot& slot, const SharedAccess& access, const Key& key,
                                        const std::uint32_t* relative, std::uint32_t hash) {
  if (slot.patterns >= limits_.patterns_per_instruction ||
      budget_->patterns.fetch_sub(1, std::memory_order_relaxed) <= 0) {
    count_unrecorded(slot, access, key);
    return nullptr;
  }
  if (pattern_count_ >= buckets_.size()) grow_buckets();
  if (pattern_count_ % patterns_per_block == 0) blocks_.push_back(std::make_unique<Pattern[]>(patterns_per_block));
  Pattern& pattern = blocks_.back()[pattern_count_++ % patterns_per_block];
  ++slot.patterns;
  std::copy_n(relative, lanes_per_warp, pattern.relative);
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) pattern.select[lane] = -(key.lanes >> lane & 1);
  pattern.lanes = key.lanes;
  pattern.phase = key.phase;
  pattern.window = arrays_.find(key.base);
  pattern.first_base = key.base;
  pattern.next = &pattern;
  pattern.instruction = access.instruction;
  pattern.hash = hash;
  pattern.cost = cost_of(access, key);
  Pattern*& bucket = buckets_[hash & (buckets_.size() - 1)];
  pattern.chain = bucket;
  bucket = &pattern;
  return &pattern;
}

void ConflictRecorder::grow_buckets() {
  buckets_.assign(buckets_.size() * 4, nullptr);
  for_each_pattern([&](Pattern& pattern) {
    Pattern*& bucket = buckets_[pattern.hash & (buckets_.size() - 1)];
    pattern.chain = bucket;
    bucket = &pattern;
  });
}

FastCost ConflictRecorder::cost_of(const SharedAccess& access, const Key& key) const {
  Access model;
  model.kind = static_cast<AccessKind>(access.kind);
  model.lane_bytes = access.lane_bytes;
  model.active_lanes = key.lanes;
  model.matrices = access.matrices;
  std::copy_n(access.addresses, lanes_per_warp, model.addresses);
  if (access.global_addresses != nullptr)
    set_sources(model, access.global_addresses, access.reading_lanes, access.zero_fills);
  return fast_cost(access_rule(architecture_, model.kind, model.lane_bytes), model);
}

void ConflictRecorder::begin(Slot& slot, const SharedAccess& access) {
  slot.seen = true;
  slot.kind = static_cast<AccessKind>(access.kind);
  slot.lane_bytes = access.lane_bytes;
  slot.matrices = access.matrices;
  slot.generic = access.generic;
  const bool matrix = slot.kind == AccessKind::matrix_load || slot.kind == AccessKind::matrix_store;
  LANEBANK_CHECK(!matrix || access.matrices == 1 || access.matrices == 2 || access.matrices == 4,
                 "instruction " + std::to_string(access.instruction) + ", matrices " + std::to_string(access.matrices));
  slot.usable_lanes = counted_by_bytes(slot.kind) ? 0 : addressing_lanes(slot.kind, slot.matrices);
  slot.phase_bits = phase_bits_of(slot.kind, slot.lane_bytes);
  slot.needs_source = slot.kind == AccessKind::async_copy_ca || slot.kind == AccessKind::async_copy_cg;
}

void ConflictRecorder::without_pattern(Slot& slot, const SharedAccess& access) {
  FastCost cost{true};
  if (counted_by_bytes(slot.kind)) {
    Access model;
    model.kind = slot.kind;
    model.lane_bytes = slot.lane_bytes;
    model.total_bytes = access.bytes;
    for (const machine::ByteRange& operand : access.operands)
      mark(operand.first, operand.end, &ArrayUse::matrix_operands);
    cost = fast_cost(access_rule(architecture_, model.kind, model.lane_bytes), model);
  } else {
    LANEBANK_CHECK((access.mask & slot.usable_lanes) == 0,
                   "instruction " + std::to_string(access.instruction) + " has lanes but no addresses");
  }
  slot.tally(no_array).add(cost);
}

void ConflictRecorder::count_unrecorded(Slot& slot, const SharedAccess& access, const Key& key) {
  ++slot.unrecorded;
  Tally& tally = slot.tally(arrays_.find(key.base).array);
  tally.add(cost_of(access, key));
  for (std::uint32_t rest = key.lanes; rest != 0; rest &= rest - 1) {
    const std::uint32_t address = access.addresses[std::countr_zero(rest)];
    tally.low = std::min(tally.low, address);
    tally.high = std::max(tally.high, address);
  }
}

Tally& Slot::tally(std::int32_t array) {
  for (Tally& known : tallies)
    if (known.array == array) return known;
  tallies.push_back({array});
  return tallies.back();
}

void Tally::add(const FastCost& cost) {
  ++executions;
  unmodelled += !cost.modelled;
  wavefronts += cost.wavefronts;
  ideal += cost.ideal;
  worst_degree = std::max(worst_degree, cost.worst_degree);
}

namespace {

// One class per instruction set, with and without bases: the same two bodies, inlined where the compiler may use its vectors.
#define LANEBANK_RECORDER(name, target)                                                         \
  template <bool with_bases>                                                                    \
  struct name final : ConflictRecorder {                                                        \
    using ConflictRecorder::ConflictRecorder;                                                   \
    target void shared_access(const machine::WarpPlace&, const SharedAccess& access) override { \
      count<with_bases>(access);                                                                \
    }                                                                                           \
    target Pattern* miss(Slot& slot, const SharedAccess& access, const Key& key) override {     \
      return find(slot, access, key);                                                           \
    }                                                                                           \
  };
LANEBANK_RECORDER(BaselineRecorder, )
#if defined(__x86_64__)
LANEBANK_RECORDER(Avx2Recorder, [[gnu::target("avx2")]])
LANEBANK_RECORDER(Avx512Recorder, [[gnu::target("avx512f,avx512dq,avx512vl")]])
#endif
#undef LANEBANK_RECORDER

template <template <bool> class Recorder>
std::unique_ptr<ConflictRecorder> made(const machine::LaunchInfo& launch, ArrayMap arrays, ConflictLimits limits,
                                       SharedBudget budget) {
  if (limits.bases != 0) return std::make_unique<Recorder<true>>(launch, std::move(arrays), limits, std::move(budget));
  return std::make_unique<Recorder<false>>(launch, std::move(arrays), limits, std::move(budget));
}

}  // namespace

bool supported(VectorSet set) {
#if defined(__x86_64__)
  if (set == VectorSet::avx512)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
  if (set == VectorSet::avx2) return __builtin_cpu_supports("avx2");
#endif
  return set == VectorSet::baseline;
}

std::unique_ptr<ConflictRecorder> ConflictRecorder::make(VectorSet set, const machine::LaunchInfo& launch,
                                                         ArrayMap arrays, ConflictLimits limits, SharedBudget budget) {
  LANEBANK_CHECK(supported(set), "vector set " + std::to_string(static_cast<int>(set)));
#if defined(__x86_64__)
  if (set == VectorSet::avx512) return made<Avx512Recorder>(launch, std::move(arrays), limits, std::move(budget));
  if (set == VectorSet::avx2) return made<Avx2Recorder>(launch, std::move(arrays), limits, std::move(budget));
#endif
  return made<BaselineRecorder>(launch, std::move(arrays), limits, std::move(budget));
}

std::unique_ptr<ConflictRecorder> ConflictRecorder::make(const machine::LaunchInfo& launch, ArrayMap arrays,
                                                         ConflictLimits limits, SharedBudget budget) {
  const VectorSet best = supported(VectorSet::avx512) ? VectorSet::avx512
                         : supported(VectorSet::avx2) ? VectorSet::avx2
                                                      : VectorSet::baseline;
  return make(best, launch, std::move(arrays), limits, std::move(budget));
}

}  // namespace lanebank::checks
