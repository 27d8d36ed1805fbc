// Findings that somebody accepted: by a suppression file, or because an earlier report (the baseline) has them already.
//
// A suppression file has one entry a line, words KEY=PATTERN with blanks between; # begins a comment. Keys: rule, hazard, kernel,
// file, array, line. A finding is suppressed when every pattern of an entry matches; * and ? stand for any text and any
// character, and a pattern with blanks stands in double quotes:
//
//   # the counters of this kernel are only estimates
//   rule=race hazard=read-after-write kernel="histogram(*" file=*/histogram.cu array=bins
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "findings/report.hpp"

namespace lanebank::findings {

struct Suppression {
  struct Term {
    std::string key, pattern;
  };
  std::vector<Term> terms;
  std::uint32_t line = 0;  ///< of the file
  std::string text;        ///< as written
};

/// `name` of the file serves messages. Errors: an unknown key, a rule that is none, an entry without terms.
Result<std::vector<Suppression>> read_suppressions(std::string_view text, const std::string& name);

/// A suppression file that accepts these findings, without lines, which move; each entry once.
std::string write_suppressions(const std::vector<Finding>& findings);

/// Findings that were there before, by what stays the same when lines move.
struct Baseline {
  std::function<std::string(const Finding&)> identity;  ///< empty: nothing is known
  std::map<std::string, std::uint64_t> excess;          ///< of bank conflicts; of others 0
};

/// Those of an earlier report, told apart by rule, kernel, function, file, array and kind of access.
Baseline baseline_of(const std::vector<Finding>& findings);

/// Takes the suppressed findings out of the report, and those that the baseline has: of bank conflicts those whose excess is not
/// above the baseline's. Fills `accepted`; suppressions without use become notes, and so do findings of the baseline that are gone.
void accept_known(ProgramReport& report, const std::vector<Suppression>& suppressions, const Baseline& baseline);

}  // namespace lanebank::findings
