// The closed sets of the model: rules, instruction kinds, and how they are spelled.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"

namespace lanebank::findings {

enum class Rule : std::uint8_t {
#define LANEBANK_RULE(identifier, spelled, severity, title, meaning, remedy, link) identifier,
#include "findings/rules.def"
#undef LANEBANK_RULE
};

/// A row of rules.def.
struct RuleInfo {
  Rule rule;
  std::string_view spelled;
  Severity severity;
  std::string_view title;
  std::string_view meaning;
  std::string_view remedy;
  std::string_view link;
};

std::span<const RuleInfo> all_rules();
const RuleInfo& info(Rule rule);
std::optional<Rule> rule_named(std::string_view spelled);
/// "bank-conflict, race, ...", for messages; without `left_out`.
std::string rule_names(std::optional<Rule> left_out = std::nullopt);

enum class Kind : std::uint8_t {
#define LANEBANK_KIND(identifier, spelled, meaning) identifier,
#include "findings/kinds.def"
#undef LANEBANK_KIND
};

std::string_view spelled(Kind kind);
std::optional<Kind> kind_named(std::string_view spelled);

std::string_view spelled(Severity severity);
std::optional<Severity> severity_named(std::string_view spelled);

}  // namespace lanebank::findings
