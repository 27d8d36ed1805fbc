// A baseline: the findings that a project has already, one a line, so that a change of it reads well in a diff.
//
//   {"schema":"lanebank.baseline/1","findings":[
//   {"fingerprint":"8d0c..","rule":"bank-conflict","kernel":"..","file":"a.cu","array":"tile","text":"out[..] = ..","excess":63488},
//   ...
//   ]}
//
// Only `fingerprint` (fingerprint.hpp) and `excess` are read back: excess wavefronts of all launches together, 0 for what is no bank
// conflict. The rest is for people.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "findings/accepted.hpp"
#include "report/sources.hpp"

namespace lanebank::report {

/// Findings with equal fingerprints are one, by file, kernel and fingerprint.
std::string write_baseline(const std::vector<findings::Finding>& findings, Sources& sources);

/// Reads that, or a report that `write_json` wrote whole. `name` serves messages; the baseline reads `sources` when it is used.
Result<findings::Baseline> read_baseline(std::string_view text, const std::string& name,
                                         std::shared_ptr<Sources> sources);

}  // namespace lanebank::report
