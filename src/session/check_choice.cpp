#include "session/check_choice.hpp"

#include <algorithm>

#include "findings/rules.hpp"

namespace lanebank::session {

Result<checks::MemoryCheckOptions> read_checks(const std::string& text) {
  checks::MemoryCheckOptions options;
  if (text == "all") return options;
  options.swizzles = options.race = options.uninitialised = options.bounds = options.barriers = options.masks = false;
  if (text == "none") return options;
  bool everything = false, influence = false, unused = false;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string name = text.substr(begin, end - begin);
    begin = end + 1;
    everything |= name == "all";
    influence |= name == "uninitialised=influence";
    unused |= name == "unused";
    if (name == "all" || name == "unused") continue;
    const auto rule = findings::rule_named(name == "uninitialised=influence" ? "uninitialised" : name);
    if (!rule || rule == findings::Rule::bank_conflict)
      return fail("checks.rule", "--checks", "'" + name + "' is no check",
                  "Known are: all, none, uninitialised=influence, unused, " +
                      findings::rule_names(findings::Rule::bank_conflict) + ".");
    options.race |= rule == findings::Rule::race;
    options.uninitialised |= rule == findings::Rule::uninitialised;
    options.bounds |= rule == findings::Rule::out_of_bounds;
    options.barriers |= rule == findings::Rule::barrier_divergence;
    options.swizzles |= rule == findings::Rule::swizzle_mismatch;
    options.masks |= rule == findings::Rule::invalid_sync_mask;
  }
  if (everything) options = {};
  options.influence = influence;
  options.unused = unused;
  return options;
}

}  // namespace lanebank::session
