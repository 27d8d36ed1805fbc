#include "verify/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>

#include "base/words.hpp"
#include "findings/shared_kinds.hpp"
#include "report/wording.hpp"
#include "verify/counters.hpp"

namespace lanebank::verify {

using findings::InstructionReport;
using findings::Kind;
using findings::LaunchReport;

namespace {

constexpr CauseInfo causes[] = {
#define LANEBANK_CAUSE(identifier, spelled, explained, meaning) {spelled, explained, meaning},
#include "verify/causes.def"
#undef LANEBANK_CAUSE
};

Figures predicted_of(const InstructionReport& row) {
  if (!row.modelled) return {row.executed, row.threads, std::nullopt, std::nullopt};
  return {row.executed, row.threads, row.wavefronts, row.ideal};
}

/// Both known and not the same.
bool differ(const std::optional<std::uint64_t>& a, const std::optional<std::uint64_t>& b) { return a && b && *a != *b; }

/// Races and reads of what nobody wrote: the launch's result is not determined.
bool is_undetermined(const LaunchReport& launch) {
  return std::any_of(launch.checks.begin(), launch.checks.end(), [](const findings::CheckReport& check) {
    return check.severity == Severity::error || check.rule == findings::Rule::uninitialised;
  });
}

/// Copies past L1 of which Nsight Compute misreads P0 (tests/hardware/README.md): as a guard it hides the row, as the predicate
/// of the source it stands for all lanes that read, with .ZFILL, or for none.
bool is_misread(const RowComparison& row) {
  const std::string& sass = row.instruction->sass;
  const std::string mnemonic = report::mnemonic_of(sass);
  if (!mnemonic.starts_with("LDGSTS") || mnemonic.find(".BYPASS") == std::string::npos) return false;
  if (sass.starts_with("@P0 ") || sass.starts_with("@!P0 ")) return row.measured->wavefronts == 0u;
  return sass.ends_with(", P0") || sass.ends_with(", !P0");
}

Cause cause_of(const RowComparison& row, const LaunchReport& launch) {
  const Figures &ours = row.predicted, &theirs = *row.measured;
  const bool runs = differ(ours.executed, theirs.executed) || differ(ours.threads, theirs.threads);
  const bool costs = differ(ours.wavefronts, theirs.wavefronts) || differ(ours.ideal, theirs.ideal);
  if (!runs && !costs) return row.instruction->modelled ? Cause::none : Cause::not_modelled;
  if (row.instruction->timing_dependent) return Cause::timing;
  if (!costs && report::mnemonic_of(row.instruction->sass).starts_with("SYNCS")) return Cause::waiting;
  if (is_undetermined(launch)) return Cause::race;
  if (!runs && is_misread(row)) return Cause::predicate;
  return runs ? Cause::executed : Cause::wavefronts;
}

std::string explanation_of(Cause cause, const InstructionReport& row, const LaunchReport& launch) {
  std::string text(info(cause).meaning);
  if (cause == Cause::not_modelled && !row.why.empty()) text += ": " + row.why;
  if (cause == Cause::wavefronts && !launch.measured)
    text += ". On " + launch.arch + " it is assumed: " + launch.rules_source;
  return text;
}

void explain(RowComparison& row, const LaunchReport& launch) {
  row.cause = cause_of(row, launch);
  if (row.cause != Cause::none) row.explanation = explanation_of(row.cause, *row.instruction, launch);
}

/// One row for a launch of which only sums were measured.
RowComparison whole_kernel(const LaunchReport& launch, const MeasuredLaunch& measured) {
  InstructionReport all;
  all.sass = "all shared-memory instructions";
  for (const InstructionReport& row : *launch.instructions) {
    if (row.kind == Kind::other) continue;
    all.timing_dependent = all.timing_dependent || row.timing_dependent;
    if (row.modelled) continue;
    all.modelled = false;
    all.why = row.why;
  }
  const auto counter = [&](const char* metric) -> std::optional<std::uint64_t> {
    const auto at = measured.counters.find(metric);
    if (at == measured.counters.end()) return std::nullopt;
    return static_cast<std::uint64_t>(at->second);
  };
  RowComparison sums;
  if (all.modelled) sums.predicted = {std::nullopt, std::nullopt, launch.shared.wavefronts, launch.shared.ideal};
  sums.measured = Figures{std::nullopt, std::nullopt, counter("memory_l1_wavefronts_shared"),
                          counter("memory_l1_wavefronts_shared_ideal")};
  sums.instruction = std::make_shared<InstructionReport>(std::move(all));
  explain(sums, launch);
  return sums;
}

/// The machine code is the same, as far as both sides show it.
std::optional<Diagnostic> other_code(const LaunchReport& launch, const MeasuredLaunch& measured,
                                     const std::map<std::uint64_t, const MeasuredRow*>& rows) {
  const std::string name = report::shown_name(launch.kernel);
  const std::string device =
      measured.capability.empty() ? "" : " (the device has compute capability " + measured.capability + ")";
  for (const InstructionReport& row : *launch.instructions) {
    if (!row.function.empty()) continue;
    const auto at = rows.find(row.address);
    const std::string ours = report::mnemonic_of(row.sass);
    if (at == rows.end()) {
      if (row.kind == Kind::other) continue;
      if (row.address / 16 >= measured.instructions)
        return Diagnostic{"verify.cut", name,
                          "the file ends after " + counted(measured.instructions, "instruction", "instructions") +
                              ", before " + ours + " at " + report::instruction_text(row.address),
                          "Is it cut off? Export it again.", Severity::error};
      if (!findings::shared_kind(ours)) continue;  // such a row is only kept where it counts
    }
    const std::string theirs = at == rows.end() ? "another instruction" : report::mnemonic_of(at->second->sass);
    if (ours != theirs)
      return Diagnostic{"verify.code", name,
                        fmt::format("other machine code was measured: at {} it has {}, predicted is {} of {}{}",
                                    report::instruction_text(row.address), theirs, ours, launch.arch, device),
                        "Compare the same build; --arch chooses the architecture that is predicted.", Severity::error};
  }
  return std::nullopt;
}

LaunchComparison compare_launch(const LaunchReport& launch, const MeasuredLaunch& measured) {
  LaunchComparison result;
  result.launch = &launch;
  if (!measured.has_rows) {
    if (measured.counters.contains("memory_l1_wavefronts_shared")) {
      result.whole_kernel = true;
      result.rows.push_back(whole_kernel(launch, measured));
    }
    result.counters = compare_counters(launch, measured, result.rows);
    return result;
  }
  std::map<std::uint64_t, const MeasuredRow*> rows;
  for (const MeasuredRow& row : measured.rows) rows.emplace(row.address_bytes, &row);
  if (auto problem = other_code(launch, measured, rows)) {
    result.problem = std::move(problem);
    return result;
  }
  std::set<std::uint64_t> seen;
  for (const InstructionReport& row : *launch.instructions) {
    if (row.kind == Kind::other) continue;
    RowComparison compared;
    compared.instruction = {launch.instructions, &row};  // shares the list
    compared.predicted = predicted_of(row);
    const auto at = row.function.empty() ? rows.find(row.address) : rows.end();
    if (at == rows.end() && row.function.empty()) {
      compared.measured = Figures{std::nullopt, std::nullopt, 0, 0};
      explain(compared, launch);
    } else if (at == rows.end()) {
      compared.cause = Cause::other_function;
      compared.explanation = explanation_of(compared.cause, row, launch);
    } else {
      const MeasuredRow& found = *at->second;
      compared.measured = Figures{found.executed, found.threads, found.wavefronts, found.ideal};
      compared.nway = found.nway;
      explain(compared, launch);
      seen.insert(row.address);
    }
    result.rows.push_back(std::move(compared));
  }
  for (const MeasuredRow& row : measured.rows) {
    if (seen.contains(row.address_bytes) || (row.wavefronts.value_or(0) == 0 && row.ideal.value_or(0) == 0)) continue;
    InstructionReport unknown;
    unknown.address = static_cast<std::uint32_t>(row.address_bytes);
    unknown.sass = row.sass;
    if (const auto kind = findings::shared_kind(report::mnemonic_of(row.sass))) unknown.kind = kind->kind;
    RowComparison compared;
    compared.instruction = std::make_shared<InstructionReport>(std::move(unknown));
    compared.measured = Figures{row.executed, row.threads, row.wavefronts, row.ideal};
    compared.nway = row.nway;
    compared.cause = Cause::not_predicted;
    compared.explanation = info(compared.cause).meaning;
    result.rows.push_back(std::move(compared));
  }
  std::stable_sort(result.rows.begin(), result.rows.end(), [](const RowComparison& a, const RowComparison& b) {
    return std::tie(a.instruction->function, a.instruction->address) <
           std::tie(b.instruction->function, b.instruction->address);
  });
  result.counters = compare_counters(launch, measured, result.rows);
  return result;
}

/// Predicted launches that no measured one took yet, by kernel.
class Unmatched {
 public:
  explicit Unmatched(const std::vector<LaunchReport>& launches) {
    for (const LaunchReport& launch : launches) {
      by_name_[without_casts(launch.kernel)].push_back(&launch);
      by_base_[kernel_base_name(launch.kernel)].push_back(&launch);
    }
  }

  /// The first of that name and shape; with `any_shape` the first of that name.
  const LaunchReport* take(const MeasuredLaunch& measured, bool any_shape) {
    if (const auto at = by_name_.find(without_casts(measured.kernel)); at != by_name_.end())
      return take(at->second, measured, any_shape);
    const auto at = by_base_.find(kernel_base_name(measured.kernel));
    return at == by_base_.end() ? nullptr : take(at->second, measured, any_shape);
  }

  bool has_kernel(const MeasuredLaunch& measured) const { return by_base_.contains(kernel_base_name(measured.kernel)); }

 private:
  const LaunchReport* take(std::deque<const LaunchReport*>& queue, const MeasuredLaunch& measured, bool any_shape) {
    while (!queue.empty() && taken_.contains(queue.front())) queue.pop_front();
    for (const LaunchReport* launch : queue) {
      const bool fits = any_shape || ((!measured.grid || *measured.grid == launch->grid) &&
                                      (!measured.block || *measured.block == launch->block));
      if (fits && taken_.insert(launch).second) return launch;
    }
    return nullptr;
  }

  std::map<std::string, std::deque<const LaunchReport*>> by_name_, by_base_;
  std::set<const LaunchReport*> taken_;
};

std::string shape(const std::array<std::uint32_t, 3>& extent) { return report::extent(extent); }

/// The launch has no prediction of its shape.
Diagnostic without_prediction(const MeasuredLaunch& measured, Unmatched& unmatched) {
  const std::string name = report::shown_name(measured.kernel);
  if (const LaunchReport* other = unmatched.take(measured, true); other != nullptr && measured.grid)
    return {
        "verify.shape", name,
        "it ran with grid " + shape(*measured.grid) + " and block " +
            (measured.block ? shape(*measured.block) : "unknown") + ", predicted is a launch with grid " +
            shape(other->grid) + " and block " + shape(other->block),
        "Where the grid follows the number of multiprocessors, lanebank shows the program another GPU than this one.",
        Severity::error};
  return {"verify.launch", name,
          unmatched.has_kernel(measured) ? "it was launched more often than predicted"
                                         : "it was measured, and the program did not launch it under lanebank",
          "Are program, arguments and filters (-k, -s, -c) the same on both sides?", Severity::error};
}

/// Equal problems once, with how many launches they stand for.
void add_problem(std::vector<Diagnostic>& problems, const Diagnostic& problem) {
  const auto same = [&](const Diagnostic& other) {
    return other.id == problem.id && other.where == problem.where && other.what == problem.what;
  };
  if (std::none_of(problems.begin(), problems.end(), same)) problems.push_back(problem);
}

}  // namespace

const CauseInfo& info(Cause cause) { return causes[static_cast<std::size_t>(cause)]; }

std::string_view spelled(Verdict verdict) {
  return verdict == Verdict::equal ? "equal" : verdict == Verdict::explained ? "explained" : "unexplained";
}

Verdict RowComparison::verdict() const {
  if (cause == Cause::none) return Verdict::equal;
  return info(cause).explained ? Verdict::explained : Verdict::unexplained;
}

void Totals::add(const RowComparison& row) {
  rows++;
  const Verdict verdict = row.verdict();
  (verdict == Verdict::equal ? equal : verdict == Verdict::explained ? explained : unexplained)++;
  if (!row.measured) return;
  const auto sum = [](std::optional<std::uint64_t>& total, const std::optional<std::uint64_t>& figure) {
    *total += figure.value_or(0);
  };
  for (auto figure : {&Figures::executed, &Figures::threads, &Figures::wavefronts, &Figures::ideal}) {
    if (!(row.predicted.*figure) || !((*row.measured).*figure)) continue;
    sum(predicted.*figure, row.predicted.*figure);
    sum(measured.*figure, (*row.measured).*figure);
  }
}

Totals totals(const LaunchComparison& launch) {
  Totals totals;
  for (const RowComparison& row : launch.rows) totals.add(row);
  return totals;
}

std::size_t Comparison::compared() const {
  return static_cast<std::size_t>(
      std::count_if(launches.begin(), launches.end(), [](const LaunchComparison& launch) { return !launch.problem; }));
}

Comparison compare(const findings::ProgramReport& predicted, Measurement measured, bool partial) {
  Comparison result;
  const Doubles doubles = !measured.empty() && measured.front().grid ? Doubles::none : doubles_in(measured);
  if (doubles == Doubles::certain || (doubles == Doubles::possible && measured.size() > predicted.launches.size()))
    measured = without_doubles(measured);
  Unmatched unmatched(predicted.launches);
  std::vector<const MeasuredLaunch*> strangers;
  std::set<std::string> capabilities;
  for (const MeasuredLaunch& launch : measured) {
    if (!launch.capability.empty()) capabilities.insert(launch.capability);
    const LaunchReport* found = unmatched.take(launch, false);
    if (found == nullptr) {
      strangers.push_back(&launch);
      continue;
    }
    result.launches.push_back(compare_launch(*found, launch));
    if (result.launches.back().problem) add_problem(result.problems, *result.launches.back().problem);
  }
  result.not_measured = predicted.launches.size() - result.launches.size();
  if (predicted.launches.empty()) {
    const std::string end =
        predicted.exit_code == 0 ? "" : "ended with " + std::to_string(predicted.exit_code) + " and ";
    result.problems.push_back({"verify.nothing", predicted.command.empty() ? "" : predicted.command.front(),
                               end + "launched no kernel under lanebank, or none that the filters take",
                               "`lanebank run` on it says more.", Severity::error});
    return result;
  }
  for (const MeasuredLaunch* launch : strangers) add_problem(result.problems, without_prediction(*launch, unmatched));
  if (!partial && result.not_measured > strangers.size())
    result.problems.push_back(
        {"verify.not-measured", "",
         counted(result.not_measured, "launch", "launches") + " of the program were not measured",
         "Did the program do the same under ncu? Are its kernels launched in a way that ncu does not see?",
         Severity::error});
  for (const std::string& capability : capabilities)
    result.capabilities += (result.capabilities.empty() ? "" : ", ") + capability;
  std::sort(result.launches.begin(), result.launches.end(),
            [](const LaunchComparison& a, const LaunchComparison& b) { return a.launch->id < b.launch->id; });
  for (const LaunchComparison& launch : result.launches)
    for (const RowComparison& row : launch.rows) result.total.add(row);
  return result;
}

}  // namespace lanebank::verify
