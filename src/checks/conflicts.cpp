#include "checks/conflicts.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/check.hpp"
#include "checks/conflict_recorder.hpp"
#include "checks/cure.hpp"
#include "checks/explain.hpp"

namespace lanebank::checks {
namespace {

auto identity_of(const AccessRecord& record) {
  return std::tie(record.array, record.lanes, record.relative_bytes, record.source, record.source_bytes);
}

AccessRecord record_of(const Pattern& pattern, const SourceShape& shape) {
  AccessRecord record;
  record.array = pattern.window.array;
  record.lanes = pattern.lanes;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
    record.relative_bytes[lane] = static_cast<std::int32_t>(pattern.relative[lane]);
  record.source = shape.source;
  record.source_bytes = shape.sources;
  record.executions = pattern.executions;
  record.base_low = pattern.low;
  record.base_high = pattern.high;
  record.varying_bits = pattern.varying;
  record.modelled = pattern.cost.modelled;
  record.wavefronts = pattern.cost.wavefronts;
  record.ideal = pattern.cost.ideal;
  record.worst_degree = pattern.cost.worst_degree;
  record.bases.reserve(pattern.bases.size());
  pattern.bases.for_each([&](std::uint32_t base, std::uint64_t count) { record.bases.push_back({base, count}); });
  return record;
}

/// Sorted, with one count for each base.
void sum_equal(std::vector<findings::BaseCount>& bases) {
  std::sort(bases.begin(), bases.end(), [](const auto& a, const auto& b) { return a.base_bytes < b.base_bytes; });
  std::size_t kept = 0;
  for (const findings::BaseCount& base : bases) {
    if (kept != 0 && bases[kept - 1].base_bytes == base.base_bytes)
      bases[kept - 1].count += base.count;
    else
      bases[kept++] = base;
  }
  bases.resize(kept);
}

/// One instruction's patterns of all workers, equal ones joined.
struct Gathered {
  struct Entry {
    AccessRecord record;
    std::uint32_t phase = 0;
  };
  std::vector<Entry> entries;

  std::vector<AccessRecord> join() {
    const auto key = [](const Entry& entry) {
      return std::tuple_cat(identity_of(entry.record), std::tie(entry.phase));
    };
    // Places, not the entries, are sorted: these are long, and random accesses leave thousands of them.
    std::vector<Entry*> order;
    order.reserve(entries.size());
    for (Entry& entry : entries) order.push_back(&entry);
    std::sort(order.begin(), order.end(), [&](const Entry* a, const Entry* b) {
      return std::tuple_cat(key(*a), std::tie(a->record.base_low)) <
             std::tuple_cat(key(*b), std::tie(b->record.base_low));
    });
    std::vector<AccessRecord> joined;
    joined.reserve(entries.size());
    const Entry* previous = nullptr;
    for (const Entry* entry : order) {
      const AccessRecord& record = entry->record;
      if (previous == nullptr || key(*previous) != key(*entry)) {
        joined.push_back(record);
      } else {
        AccessRecord& sum = joined.back();
        sum.executions += record.executions;
        sum.varying_bits |= record.varying_bits | (sum.base_low ^ record.base_low);
        sum.base_high = std::max(sum.base_high, record.base_high);
        sum.bases.insert(sum.bases.end(), record.bases.begin(), record.bases.end());
      }
      previous = entry;
    }
    std::vector<AccessRecord*> by_excess;
    by_excess.reserve(joined.size());
    for (AccessRecord& record : joined) {
      sum_equal(record.bases);
      by_excess.push_back(&record);
    }
    std::stable_sort(by_excess.begin(), by_excess.end(),
                     [](const AccessRecord* a, const AccessRecord* b) { return a->excess() > b->excess(); });
    std::vector<AccessRecord> result;
    result.reserve(joined.size());
    for (AccessRecord* record : by_excess) result.push_back(std::move(*record));
    return result;
  }
};

ArrayShare& share_of(InstructionConflicts& row, std::int32_t array) {
  const auto at = std::lower_bound(row.arrays.begin(), row.arrays.end(), array,
                                   [](const ArrayShare& share, std::int32_t wanted) { return share.array < wanted; });
  if (at != row.arrays.end() && at->array == array) return *at;
  return *row.arrays.insert(at, ArrayShare{array});
}

void widen(InstructionConflicts& row, std::int64_t first, std::int64_t end) {
  const bool empty = row.first_byte == row.end_byte;
  row.first_byte = static_cast<std::uint32_t>(empty ? first : std::min<std::int64_t>(row.first_byte, first));
  row.end_byte = static_cast<std::uint32_t>(empty ? end : std::max<std::int64_t>(row.end_byte, end));
}

void add_record(InstructionConflicts& row, const AccessRecord& record, const std::vector<SharedArray>& arrays) {
  row.executions += record.executions;
  if (!record.modelled) row.unmodelled += record.executions;
  row.wavefronts += record.executions * record.wavefronts;
  row.ideal += record.executions * record.ideal;
  row.worst_degree = std::max(row.worst_degree, record.worst_degree);
  ArrayShare& share = share_of(row, record.array);
  share.executions += record.executions;
  share.wavefronts += record.executions * record.wavefronts;
  share.ideal += record.executions * record.ideal;
  share.worst_degree = std::max(share.worst_degree, record.worst_degree);
  const auto [low, high] = std::minmax_element(record.relative_bytes.begin(), record.relative_bytes.end());
  const std::int64_t first = std::int64_t{record.base_low} + *low;
  const std::int64_t end = std::int64_t{record.base_high} + *high + row.lane_bytes;
  widen(row, first, end);
  if (record.array == no_array) return;
  const SharedArray& array = arrays[static_cast<std::size_t>(record.array)];
  if (first < array.offset_bytes || end > std::int64_t{array.offset_bytes} + array.size_bytes) row.leaves_array = true;
}

void add_tally(InstructionConflicts& row, const Tally& tally) {
  row.executions += tally.executions;
  row.unmodelled += tally.unmodelled;
  row.wavefronts += tally.wavefronts;
  row.ideal += tally.ideal;
  row.worst_degree = std::max(row.worst_degree, tally.worst_degree);
  if (tally.low > tally.high) return;
  widen(row, tally.low, std::int64_t{tally.high} + row.lane_bytes);
  ArrayShare& share = share_of(row, tally.array);
  share.executions += tally.executions;
  share.wavefronts += tally.wavefronts;
  share.ideal += tally.ideal;
  share.worst_degree = std::max(share.worst_degree, tally.worst_degree);
}

/// One worker's.
void add_uses(std::vector<ArrayUse>& uses, const ConflictRecorder& worker, const ArrayMap& arrays) {
  for (std::size_t i = 0; i < uses.size(); ++i) {
    uses[i].bulk_copies |= worker.uses()[i].bulk_copies;
    uses[i].matrix_operands |= worker.uses()[i].matrix_operands;
    uses[i].barriers |= worker.uses()[i].barriers;
  }
  const auto unrecorded = [&](std::uint64_t first, std::uint64_t end, std::uint64_t executions) {
    arrays.for_each_in(first, end,
                       [&](std::int32_t array) { uses[static_cast<std::size_t>(array)].unrecorded += executions; });
  };
  worker.for_each_pattern([&](const Pattern& pattern) {
    if (pattern.without_base == 0) return;
    std::int32_t low = 0, high = 0;
    for (const std::uint32_t relative : pattern.relative) {
      low = std::min(low, static_cast<std::int32_t>(relative));
      high = std::max(high, static_cast<std::int32_t>(relative));
    }
    const unsigned bytes = worker.slots()[pattern.instruction].lane_bytes;
    unrecorded(static_cast<std::uint64_t>(std::int64_t{pattern.low} + low),
               static_cast<std::uint64_t>(std::int64_t{pattern.high} + high + bytes), pattern.without_base);
  });
  for (const Slot& slot : worker.slots())
    for (const Tally& tally : slot.tallies)
      if (tally.low <= tally.high) unrecorded(tally.low, std::uint64_t{tally.high} + slot.lane_bytes, tally.executions);
}

/// The first reason that some access of the row is not modelled.
std::string reason_of(const InstructionConflicts& row, unsigned architecture) {
  const AccessRule rule = access_rule(architecture, row.kind, row.lane_bytes);
  for (const AccessRecord& record : row.records)
    if (!record.modelled) return cost_by(rule, access_of(row, record, record.base_low)).reason;
  return rule.reason;
}

}  // namespace

const InstructionConflicts* ConflictReport::find(std::uint32_t instruction) const {
  const auto at =
      std::lower_bound(instructions.begin(), instructions.end(), instruction,
                       [](const InstructionConflicts& row, std::uint32_t wanted) { return row.instruction < wanted; });
  return at != instructions.end() && at->instruction == instruction ? &*at : nullptr;
}

ConflictObserver::ConflictObserver(std::vector<SharedArray> arrays, ConflictLimits limits)
    : arrays_(std::move(arrays)), limits_(limits), budget_(std::make_shared<RecordBudget>(limits)) {}

std::unique_ptr<machine::Recorder> ConflictObserver::recorder(const machine::LaunchInfo& launch) {
  return ConflictRecorder::make(launch, ArrayMap(arrays_), limits_, budget_);
}

void ConflictObserver::finish(const machine::LaunchInfo& launch,
                              std::vector<std::unique_ptr<machine::Recorder>> recorders) {
  const ArchitectureRules rules = architecture_rules(launch.architecture);
  report_ = ConflictReport{launch.architecture, rules.measured, rules.source, {}, {}};
  if (limits_.bases != 0) report_.uses.resize(arrays_.size());
  const ArrayMap arrays(arrays_);
  std::vector<Gathered> gathered(launch.instructions.size());
  std::vector<const ConflictRecorder*> workers;
  for (const auto& recorder : recorders) {
    workers.push_back(dynamic_cast<const ConflictRecorder*>(recorder.get()));
    LANEBANK_CHECK(workers.back() != nullptr, "a recorder of another observer");
  }
  for (std::size_t i = 0; i < gathered.size(); ++i) {
    std::size_t patterns = 0;
    for (const ConflictRecorder* worker : workers) patterns += worker->slots()[i].patterns;
    gathered[i].entries.reserve(patterns);
  }
  for (const ConflictRecorder* worker : workers) {
    worker->for_each_pattern([&](const Pattern& pattern) {
      gathered[pattern.instruction].entries.push_back(
          {record_of(pattern, worker->source_of(pattern)), pattern.phase % bank_row_bytes});
    });
    if (limits_.bases != 0) add_uses(report_.uses, *worker, arrays);
  }
  for (std::size_t i = 0; i < gathered.size(); ++i) {
    InstructionConflicts row;
    bool seen = false;
    for (const ConflictRecorder* worker : workers) {
      const Slot& slot = worker->slots()[i];
      if (!slot.seen) continue;
      LANEBANK_CHECK(!seen || (row.kind == slot.kind && row.lane_bytes == slot.lane_bytes),
                     "instruction " + std::to_string(i) + " is of two kinds");
      seen = true;
      row.instruction = static_cast<std::uint32_t>(i);
      row.kind = slot.kind;
      row.lane_bytes = slot.lane_bytes;
      row.matrices = slot.matrices;
      row.generic = row.generic || slot.generic;
      row.unrecorded += slot.unrecorded;
      for (const Tally& tally : slot.tallies) add_tally(row, tally);
    }
    if (!seen) continue;
    row.records = gathered[i].join();
    for (const AccessRecord& record : row.records) add_record(row, record, arrays_);
    if (row.unmodelled != 0) row.reason = reason_of(row, launch.architecture);
    row.explanation = explain(row, launch.architecture);
    report_.instructions.push_back(std::move(row));
  }
  find_cures(report_, arrays_);
}

Access access_of(const InstructionConflicts& instruction, const AccessRecord& record, std::uint32_t base) {
  Access access;
  access.kind = instruction.kind;
  access.lane_bytes = instruction.lane_bytes;
  access.active_lanes = record.lanes;
  access.matrices = instruction.matrices;
  access.source = record.source;
  std::copy_n(record.source_bytes.begin(), lanes_per_warp, access.sources);
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
    access.addresses[lane] = base + static_cast<std::uint32_t>(record.relative_bytes[lane]);
  return access;
}

}  // namespace lanebank::checks
