#include "session/gate.hpp"

#include <algorithm>

namespace lanebank::session {

using findings::Finding;
using findings::Rule;

namespace {

bool names(const Gate& gate, Rule rule) { return !gate.rules || gate.rules->contains(rule); }

bool has_too_much_excess(const findings::ProgramReport& report, const Gate& gate) {
  return report.excess() - std::min(report.excess(), report.accepted.excess) > gate.max_excess;
}

bool is_counted_error(const Finding& finding, const Gate& gate) {
  if (finding.rule == Rule::bank_conflict) return false;
  return gate.rules ? names(gate, finding.rule) : finding.severity == Severity::error;
}

}  // namespace

std::function<bool(const Finding&)> failing(const findings::ProgramReport& report, const Gate& gate) {
  const bool conflicts = names(gate, Rule::bank_conflict) && has_too_much_excess(report, gate);
  return [gate, conflicts](const Finding& finding) {
    if (gate.never) return false;
    return finding.rule == Rule::bank_conflict ? conflicts : is_counted_error(finding, gate);
  };
}

int exit_code(const findings::ProgramReport& report, const Gate& gate) {
  if (report.exit_code != 0) return report.exit_code;
  const auto is_channel = [](const Diagnostic& problem) { return problem.id.rfind("channel.", 0) == 0; };
  if (std::any_of(report.problems.begin(), report.problems.end(), is_channel)) return exit_failure;
  if (!report.problems.empty()) return exit_cannot_analyse;
  if (report.launches.empty()) return gate.no_launch && report.filtered_launches == 0 ? exit_success : exit_nothing;
  if (gate.never) return exit_success;
  if (names(gate, Rule::bank_conflict) && has_too_much_excess(report, gate)) return exit_findings;
  const bool fails = std::any_of(report.findings.begin(), report.findings.end(),
                                 [&](const Finding& finding) { return is_counted_error(finding, gate); });
  return fails ? exit_findings : exit_success;
}

Result<Gate> read_gate(const std::string& fail_on, std::uint64_t max_excess) {
  Gate gate;
  gate.max_excess = max_excess;
  if (fail_on.empty()) return gate;
  if (fail_on == "never") {
    gate.never = true;
    return gate;
  }
  gate.rules.emplace();
  for (std::size_t begin = 0; begin <= fail_on.size();) {
    const std::size_t end = std::min(fail_on.find(',', begin), fail_on.size());
    const std::string name = fail_on.substr(begin, end - begin);
    const auto rule = findings::rule_named(name);
    if (!rule)
      return fail("gate.rule", "--fail-on", "'" + name + "' is no rule",
                  "Known are: never, " + findings::rule_names() + ".");
    gate.rules->insert(*rule);
    begin = end + 1;
  }
  return gate;
}

}  // namespace lanebank::session
