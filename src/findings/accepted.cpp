#include "findings/accepted.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/words.hpp"

namespace lanebank::findings {
namespace {

constexpr std::string_view keys[] = {"rule", "hazard", "kernel", "file", "array", "line"};

std::string hazard_of(const Finding& finding) {
  if (finding.evidence.check) return finding.evidence.check->hazard;
  return finding.evidence.fault ? finding.evidence.fault->kind : "";
}

std::string value_of(const Finding& finding, std::string_view key) {
  if (key == "rule") return std::string(info(finding.rule).spelled);
  if (key == "hazard") return hazard_of(finding);
  if (key == "kernel") return finding.kernel;
  if (key == "file") return finding.file;
  if (key == "array") return finding.evidence.array;
  return std::to_string(finding.line);
}

bool matches(const Suppression& suppression, const Finding& finding) {
  return std::all_of(suppression.terms.begin(), suppression.terms.end(), [&](const Suppression::Term& term) {
    return fnmatch(term.pattern.c_str(), value_of(finding, term.key).c_str(), 0) == 0;
  });
}

std::string identity_of(const Finding& finding) {
  std::string text;
  for (const std::string& part :
       {std::string(info(finding.rule).spelled), hazard_of(finding), finding.kernel, finding.function, finding.file,
        finding.evidence.array, std::string(spelled(finding.evidence.kind)), std::to_string(finding.evidence.bits)})
    text += part + "\n";
  return text;
}

std::uint64_t excess_of(const Finding& finding) { return finding.excess() * finding.evidence.launches; }

/// Reads one word KEY=PATTERN from `text`, which is not empty and has no blank in front.
bool take_term(std::string_view& text, Suppression::Term& term) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return false;
  term.key = std::string(text.substr(0, equals));
  text.remove_prefix(equals + 1);
  const bool quoted = !text.empty() && text.front() == '"';
  if (quoted) text.remove_prefix(1);
  const std::size_t end = quoted ? text.find('"') : std::min(text.find_first_of(" \t"), text.size());
  if (end == std::string_view::npos) return false;
  term.pattern = std::string(text.substr(0, end));
  text.remove_prefix(std::min(text.size(), end + (quoted ? 1 : 0)));
  return true;
}

std::string pattern_for(const std::string& value) {
  std::string pattern;
  for (const char c : value) {
    if (c == '"') return "\"*\"";  // no way to write it
    if (c == '*' || c == '?' || c == '[' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern.find_first_of(" \t#") == std::string::npos ? pattern : "\"" + pattern + "\"";
}

}  // namespace

Result<std::vector<Suppression>> read_suppressions(std::string_view text, const std::string& name) {
  std::vector<Suppression> suppressions;
  std::uint32_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    ++number;
    Suppression suppression;
    suppression.line = number;
    suppression.text = std::string(line);
    const std::string where = name + ":" + std::to_string(number);
    for (;;) {
      while (!line.empty() && (line.front() == ' ' || line.front() == '\t' || line.front() == '\r'))
        line.remove_prefix(1);
      if (line.empty() || line.front() == '#') break;
      Suppression::Term term;
      if (!take_term(line, term))
        return fail("suppressions.syntax", where, "'" + std::string(line) + "' is no KEY=PATTERN",
                    "Patterns with blanks stand in double quotes.");
      if (std::find(std::begin(keys), std::end(keys), term.key) == std::end(keys))
        return fail("suppressions.key", where, "'" + term.key + "' is no key",
                    "Known are: rule, hazard, kernel, file, array, line.");
      if (term.key == "rule" && term.pattern.find_first_of("*?[") == std::string::npos && !rule_named(term.pattern))
        return fail("suppressions.rule", where, "'" + term.pattern + "' is no rule",
                    "Known are: " + rule_names() + ".");
      suppression.terms.push_back(std::move(term));
    }
    if (!suppression.terms.empty()) suppressions.push_back(std::move(suppression));
  }
  return suppressions;
}

std::string write_suppressions(const std::vector<Finding>& findings) {
  std::set<std::string> written;
  std::string text;
  for (const Finding& finding : findings) {
    std::string line;
    for (const std::string_view key : keys) {
      if (key == "line") continue;
      const std::string value = value_of(finding, key);
      if (!value.empty()) line += (line.empty() ? "" : " ") + std::string(key) + "=" + pattern_for(value);
    }
    if (written.insert(line).second) text += line + "\n";
  }
  return text;
}

Baseline baseline_of(const std::vector<Finding>& findings) {
  Baseline baseline;
  baseline.identity = identity_of;
  for (const Finding& finding : findings) baseline.excess[identity_of(finding)] += excess_of(finding);
  return baseline;
}

void accept_known(ProgramReport& report, const std::vector<Suppression>& suppressions, const Baseline& baseline) {
  std::map<std::string, std::uint64_t> left = baseline.excess;  // that may still come
  std::set<std::string> met;
  std::vector<std::uint64_t> used(suppressions.size());
  const auto is_suppressed = [&](const Finding& finding) {
    bool any = false;
    for (std::size_t n = 0; n < suppressions.size(); ++n) {
      if (!matches(suppressions[n], finding)) continue;
      ++used[n];
      any = true;
    }
    return any;
  };
  const auto is_known = [&](const Finding& finding) {
    const auto found = baseline.identity ? left.find(baseline.identity(finding)) : left.end();
    if (found == left.end()) return false;
    met.insert(found->first);
    if (excess_of(finding) > found->second) return false;
    found->second -= excess_of(finding);
    return true;
  };
  std::erase_if(report.findings, [&](const Finding& finding) {
    const bool suppressed = is_suppressed(finding);
    if (!suppressed && !is_known(finding)) return false;
    ++(suppressed ? report.accepted.suppressed : report.accepted.in_baseline);
    report.accepted.excess += excess_of(finding);
    return true;
  });
  // The launches' own lists, which the text report prints.
  for (LaunchReport& launch : report.launches)
    std::erase_if(launch.checks, [&](const CheckReport& check) {
      const Finding finding = finding_of(launch, check);
      return (baseline.identity && left.contains(baseline.identity(finding))) ||
             std::any_of(suppressions.begin(), suppressions.end(),
                         [&](const auto& one) { return matches(one, finding); });
    });
  for (std::size_t n = 0; n < suppressions.size(); ++n)
    if (used[n] == 0)
      report.notes.push_back(
          {"suppressions.unused", "",
           "suppression in line " + std::to_string(suppressions[n].line) + " was of no use: " + suppressions[n].text,
           "", Severity::note});
  if (const std::uint64_t gone = left.size() - met.size(); gone > 0)
    report.notes.push_back({"baseline.gone", "",
                            counted(gone, "finding", "findings") + " of the baseline did not come any more",
                            "Write the baseline again, so that they cannot come back.", Severity::note});
}

}  // namespace lanebank::findings
