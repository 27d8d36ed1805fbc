#include "findings/rules.hpp"

#include <array>

namespace lanebank::findings {
namespace {

constexpr RuleInfo rules[] = {
#define LANEBANK_RULE(identifier, spelled, severity, title, meaning, remedy, link) \
  {Rule::identifier, spelled, Severity::severity, title, meaning, remedy, link},
#include "findings/rules.def"
#undef LANEBANK_RULE
};

constexpr std::string_view kinds[] = {
#define LANEBANK_KIND(identifier, spelled, meaning) spelled,
#include "findings/kinds.def"
#undef LANEBANK_KIND
};

constexpr std::string_view severities[] = {"note", "warning", "error"};

}  // namespace

std::span<const RuleInfo> all_rules() { return rules; }

const RuleInfo& info(Rule rule) { return rules[static_cast<std::size_t>(rule)]; }

std::string rule_names(std::optional<Rule> left_out) {
  std::string names;
  for (const RuleInfo& row : all_rules())
    if (row.rule != left_out) names += (names.empty() ? "" : ", ") + std::string(row.spelled);
  return names;
}

std::optional<Rule> rule_named(std::string_view name) {
  for (const RuleInfo& row : rules)
    if (row.spelled == name) return row.rule;
  return std::nullopt;
}

std::string_view spelled(Kind kind) { return kinds[static_cast<std::size_t>(kind)]; }

std::optional<Kind> kind_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kinds); i++)
    if (kinds[i] == name) return static_cast<Kind>(i);
  return std::nullopt;
}

std::string_view spelled(Severity severity) { return severities[static_cast<std::size_t>(severity)]; }

std::optional<Severity> severity_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(severities); i++)
    if (severities[i] == name) return static_cast<Severity>(i);
  return std::nullopt;
}

}  // namespace lanebank::findings
