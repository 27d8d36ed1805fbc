#include "verify/counters.hpp"

#include <algorithm>

#include "base/words.hpp"

namespace lanebank::verify {
namespace {

using findings::Kind;

enum class Operation { loads, stores, atomics, copies, all };

struct Counter {
  const char* metric;
  bool of_conflicts;
  Operation operation;
};

constexpr Counter counters[] = {
#define LANEBANK_NCU_COUNTER(identifier, metric, conflicts, operation, from) {metric, conflicts, Operation::operation},
#include "verify/counters.def"
#undef LANEBANK_NCU_COUNTER
};

bool takes(const Counter& counter, Kind kind) {
  switch (counter.operation) {
    case Operation::loads:
      return kind == Kind::load || kind == Kind::matrix_load;
    case Operation::stores:
      return kind == Kind::store || kind == Kind::matrix_store;
    case Operation::atomics:
      return kind == Kind::atomic;
    case Operation::copies:
      return kind == Kind::async_copy;
    case Operation::all:  // copies and operands are no conflicts of the load-store unit
      return kind != Kind::other &&
             (!counter.of_conflicts || (kind != Kind::async_copy && kind != Kind::matrix_operand));
  }
  return false;
}

/// "loads", for sentences.
const char* name_of(Operation operation) {
  constexpr const char* names[] = {"loads", "stores", "atomics", "asynchronous copies",
                                   "all shared-memory instructions"};
  return names[static_cast<std::size_t>(operation)];
}

struct Sum {
  std::uint64_t figure = 0;
  bool timing = false;
};

void add(Sum& sum, const Counter& counter, Kind kind, bool timing, std::uint64_t wavefronts, std::uint64_t ideal) {
  if (!takes(counter, kind)) return;
  sum.figure += !counter.of_conflicts ? wavefronts : wavefronts - std::min(wavefronts, ideal);
  sum.timing = sum.timing || timing;
}

Cause cause_of(const Counter& counter, const Sum& sum, std::uint64_t value) {
  if (value == sum.figure) return Cause::none;
  if (sum.timing) return Cause::passes;
  if (counter.operation == Operation::atomics) return Cause::atomics;
  if (counter.operation == Operation::copies) return Cause::async_copies;
  if (value < sum.figure) return Cause::counter;
  return counter.operation == Operation::all && !counter.of_conflicts ? Cause::barriers : Cause::arbitration;
}

/// The counter of the other sort, of the same instructions.
const CounterComparison* partner(const std::vector<CounterComparison>& list, const std::vector<Operation>& operations,
                                 std::size_t of) {
  for (std::size_t i = 0; i < list.size(); i++)
    if (operations[i] == operations[of] && list[i].of_conflicts != list[of].of_conflicts) return &list[i];
  return nullptr;
}

}  // namespace

std::vector<CounterComparison> compare_counters(const findings::LaunchReport& launch, const MeasuredLaunch& measured,
                                                const std::vector<RowComparison>& rows) {
  std::vector<CounterComparison> result;
  std::vector<Operation> operations;
  for (const Counter& counter : counters) {
    const auto at = measured.counters.find(counter.metric);
    if (at == measured.counters.end()) continue;
    Sum sum;
    if (measured.has_rows) {
      for (const RowComparison& row : rows)
        if (row.measured)
          add(sum, counter, row.instruction->kind, row.instruction->timing_dependent,
              row.measured->wavefronts.value_or(0), row.measured->ideal.value_or(0));
    } else {
      for (const findings::InstructionReport& row : *launch.instructions)
        if (row.modelled) add(sum, counter, row.kind, row.timing_dependent, row.wavefronts, row.ideal);
    }
    CounterComparison compared;
    compared.metric = counter.metric;
    compared.value = static_cast<std::uint64_t>(at->second);
    compared.of_conflicts = counter.of_conflicts;
    compared.source_page = sum.figure;
    compared.cause = cause_of(counter, sum, compared.value);
    compared.explanation = compared.cause == Cause::none
                               ? std::string("the ") + (counter.of_conflicts ? "excess" : "wavefronts") + " of " +
                                     name_of(counter.operation)
                               : std::string(info(compared.cause).meaning);
    result.push_back(std::move(compared));
    operations.push_back(counter.operation);
  }
  for (std::size_t i = 0; i < result.size(); i++) {
    if (result[i].cause != Cause::arbitration || !result[i].of_conflicts || operations[i] == Operation::all) continue;
    const CounterComparison* other = partner(result, operations, i);
    result[i].confirmed = other != nullptr && other->difference() == result[i].difference();
    if (result[i].confirmed)
      result[i].explanation += ". The counter of wavefronts is above the source page by the same " +
                               grouped(static_cast<std::uint64_t>(result[i].difference()));
  }
  return result;
}

}  // namespace lanebank::verify
