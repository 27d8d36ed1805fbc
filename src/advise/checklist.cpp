#include "advise/checklist.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <set>

#include "base/words.hpp"

namespace lanebank::advise {

using findings::LaunchReport;
using findings::Rule;

namespace {

struct PointRow {
  std::string_view spelled, question;
};

constexpr PointRow point_rows[] = {
#define LANEBANK_POINT(identifier, spelled, question) {spelled, question},
#include "advise/checklist_points.def"
#undef LANEBANK_POINT
};

bool uses_shared(const findings::ProgramReport& report) {
  return std::any_of(report.launches.begin(), report.launches.end(),
                     [](const LaunchReport& launch) { return launch.shared.executed != 0; });
}

/// "no" with the checks' reports and faults of these rules as evidence; "yes" without any.
Point checked(const findings::ProgramReport& report, PointId id, std::initializer_list<Rule> rules, const char* good,
              const char* bad) {
  Point point{id, Answer::yes, good, {}};
  std::set<std::string> seen;
  for (const findings::Finding& finding : report.findings) {
    if (std::find(rules.begin(), rules.end(), finding.rule) == rules.end()) continue;
    point.answer = Answer::no;
    point.reason = bad;
    const std::string text = std::string(findings::info(finding.rule).spelled) + ": " + finding.message;
    if (seen.insert(finding.kernel + text).second)
      point.evidence.push_back({finding.kernel, finding.evidence.array, finding.file, finding.line, 0, text, {}, {}});
  }
  if (point.answer == Answer::yes && !uses_shared(report)) {
    point.answer = Answer::not_known;
    point.reason = "no kernel accessed shared memory";
  }
  return point;
}

Point conflicts_point(const ChecklistInput& input) {
  Point point{PointId::conflicts, Answer::yes, "no excess wavefronts: nothing to change", {}};
  std::uint64_t excess = 0, unmodelled = 0;
  for (const LaunchReport& launch : input.report.launches) {
    excess += launch.shared.excess;
    for (const auto& row : *launch.instructions) unmodelled += row.modelled ? 0 : 1;
  }
  for (const ArrayFix& fix : input.fix.arrays) {
    if (fix.before.wavefronts == 0) continue;
    std::string text =
        counted(fix.before.wavefronts, "wavefront", "wavefronts") + " before, ideal " + grouped(fix.before.ideal);
    if (!fix.proposals.empty()) {
      const Proposal& best = fix.proposals.front().proposal;
      text += "; " + grouped(best.after.wavefronts) + " after, with " + best.text;
    } else if (fix.before.excess() != 0) {
      text += "; " + fix.message;
    }
    point.evidence.push_back(
        {fix.array.function, fix.array.name, fix.array.file, static_cast<std::uint32_t>(fix.line), 0, text, {}, {}});
  }
  if (unmodelled != 0) {
    point.answer = Answer::not_known;
    point.reason = "instructions follow no known rule: their wavefronts are not counted";
  }
  if (excess != 0) {
    point.answer = Answer::no;
    const bool fixable = std::any_of(input.fix.arrays.begin(), input.fix.arrays.end(),
                                     [](const ArrayFix& fix) { return !fix.proposals.empty(); });
    point.reason = counted(excess, "excess wavefront", "excess wavefronts") +
                   (fixable ? "; `lanebank fix` writes the edit" : "; no layout that was tried takes fewer");
  } else if (!uses_shared(input.report)) {
    point.answer = Answer::not_known;
    point.reason = "no kernel accessed shared memory";
  }
  return point;
}

Point result_point(const std::optional<Reference>& reference) {
  Point point{PointId::result, Answer::not_known, "no reference: name a program with the same output by --expect", {}};
  if (!reference) return point;
  PointEvidence evidence;
  if (!reference->ran) {
    point.reason = "the reference failed";
    evidence.text = reference->command;
  } else if (reference->same_output) {
    point.answer = Answer::yes;
    point.reason = "the same standard output";
    evidence.text = reference->command;
  } else {
    point.answer = Answer::no;
    point.reason = "the standard outputs differ";
    evidence.text =
        "line " + std::to_string(reference->first_difference_line) + " differs from that of " + reference->command;
  }
  point.evidence.push_back(std::move(evidence));
  return point;
}

Point sizes_point(const std::vector<SizeRun>& sizes) {
  Point point{PointId::sizes, Answer::not_known, "one size only: name others by --sizes", {}};
  if (sizes.empty()) return point;
  point.answer = Answer::yes;
  point.reason = counted(sizes.size() + 1, "size", "sizes") + ", none with an error";
  for (const SizeRun& run : sizes) {
    PointEvidence evidence;
    evidence.text = "arguments " + (run.arguments.empty() ? "none" : run.arguments) + ": ";
    if (!run.problem.empty()) {
      evidence.text += run.problem;
      if (point.answer == Answer::yes) point.answer = Answer::not_known;
    } else {
      evidence.text += fmt::format("exit {}, {}, {}, {} of {} wavefronts in excess", run.exit_code,
                                   counted(run.launches, "launch", "launches"), counted(run.errors, "error", "errors"),
                                   grouped(run.excess), grouped(run.wavefronts));
      if (run.exit_code != 0 || run.errors != 0) point.answer = Answer::no;
    }
    point.evidence.push_back(std::move(evidence));
  }
  if (point.answer == Answer::no) point.reason = "a size failed or showed an error";
  if (point.answer == Answer::not_known) point.reason = "a size was not analysed";
  return point;
}

Point bottleneck_point(const findings::ProgramReport& report) {
  Point point{PointId::bottleneck, Answer::not_known, "no kernel accessed shared memory", {}};
  std::vector<const LaunchReport*> launches;
  std::set<std::string> seen;
  for (const LaunchReport& launch : report.launches)
    if (launch.bottleneck && !launch.bottleneck->limits.empty() && launch.shared.executed != 0 &&
        seen.insert(launch.symbol).second)
      launches.push_back(&launch);
  std::stable_sort(launches.begin(), launches.end(), [](const LaunchReport* a, const LaunchReport* b) {
    return a->bottleneck->seconds > b->bottleneck->seconds;
  });
  std::size_t bound = 0;
  for (const LaunchReport* launch : launches) {
    const findings::Bottleneck& estimate = *launch->bottleneck;
    const bool shared = estimate.binds == findings::Limit::shared;
    bound += shared ? 1 : 0;
    std::string text = fmt::format("bound by {} on {}, at least {}", findings::name_of(estimate.binds).words,
                                   estimate.gpu_name, time_text(estimate.seconds));
    if (estimate.waves < 1) text += ", with a grid that does not fill the GPU";
    for (const findings::LimitTime& limit : estimate.limits)
      if (limit.limit == findings::Limit::shared && !shared)
        text += fmt::format("; shared memory {:.0f} % of it", 100 * limit.seconds / estimate.seconds);
    if (estimate.excess_wait_seconds > 0)
      text += fmt::format("; without the excess {} less, at most {}", time_text(estimate.saved_seconds()),
                          time_text(estimate.excess_wait_seconds));
    point.evidence.push_back({launch->kernel, "", "", 0, 0, text, {}, {}});
  }
  if (launches.empty()) return point;
  point.answer = bound != 0 ? Answer::yes : Answer::no;
  point.reason = bound != 0 ? "of " + grouped(bound) + " of " + counted(launches.size(), "kernel", "kernels") +
                                  ", by an estimate from counted work"
                            : "something else binds, by an estimate from counted work";
  return point;
}

}  // namespace

std::string_view name_of(Answer answer) {
  return answer == Answer::yes ? "yes" : answer == Answer::no ? "no" : "not-known";
}

std::string_view spelled(PointId id) { return point_rows[static_cast<std::size_t>(id)].spelled; }
std::string_view question_of(PointId id) { return point_rows[static_cast<std::size_t>(id)].question; }

bool Checklist::has_findings() const {
  return std::any_of(points.begin(), points.end(),
                     [](const Point& point) { return point.answer == Answer::no && point.id != PointId::bottleneck; });
}

Checklist checklist_of(const ChecklistInput& input) {
  Checklist list{input.report.command, {}};
  for (Point& point : access_points(input.report)) list.points.push_back(std::move(point));
  list.points.push_back(checked(input.report, PointId::inside,
                                {Rule::out_of_bounds, Rule::misaligned, Rule::shared_size},
                                "no access left its array; a column that runs over into the next row stays inside, and "
                                "shows in the third point",
                                "accesses leave their array"));
  list.points.push_back(checked(input.report, PointId::same_map, {Rule::swizzle_mismatch, Rule::uninitialised},
                                "nothing is read that was not written, and no array is written through a swizzle and "
                                "read otherwise",
                                "what is read is not what was written there"));
  list.points.push_back(
      checked(input.report, PointId::barrier, {Rule::race, Rule::barrier_divergence, Rule::invalid_sync_mask},
              "every two accesses to one byte of which one writes are in order", "accesses are not in order"));
  list.points.push_back(conflicts_point(input));
  list.points.push_back(result_point(input.reference));
  list.points.push_back(sizes_point(input.sizes));
  list.points.push_back(bottleneck_point(input.report));
  return list;
}

}  // namespace lanebank::advise
