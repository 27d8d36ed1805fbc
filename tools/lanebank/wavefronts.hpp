// `lanebank wavefronts FILE.csv`: the cost of access patterns (src/checks/wavefronts_csv.hpp).
#pragma once

#include <iosfwd>
#include <string>

namespace lanebank::tools {

/// Predicts every row of the file `path` ("-": `input`) on `out`; messages go to `err`. Returns the exit code: 0, or
/// 125 when the file cannot be read or a row is wrong. `architecture`: compute capability x 10; `source_page`: the source
/// page's figures instead of the hardware counters'.
int run_wavefronts(const std::string& path, std::istream& input, std::ostream& out, std::ostream& err,
                   unsigned architecture = 90, bool source_page = false);

}  // namespace lanebank::tools
