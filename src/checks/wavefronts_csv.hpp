// `lanebank wavefronts FILE.csv`: what does this access pattern cost?
//
// In: CSV (RFC 4180: quoted fields, LF or CRLF) with a header that names, in any order and among any others,
//   instruction     a name of access_names.def
//   access_bytes    bytes per lane
//   active_mask     hexadecimal, 0x allowed; bit i: lane i takes part
//   byte_addresses  32 numbers (decimal, or hexadecimal with 0x), separated by blanks; lane 0 first
// and may name
//   global_offsets  asynchronous copies: 32 numbers, where each lane reads, in bytes from a 128-byte line of global
//                   memory; without it, or where it is empty, the instruction's name says (access_names.def)
// Out: the same rows, character by character, with the columns predicted_wavefronts and predicted_ideal appended.
// They are what the hardware counters say (and its ideal), or with `source_page` what Nsight Compute's source page and so
// `lanebank run` says. The two differ for paired loads that conflict, and for cp.async.ca of 4 and 8 bytes with conflicts
// on both sides, whose counters follow no known rule.
// Where no rule is known a column says `not modelled`: a text, so that sums over the column leave it out and a reader
// sees why; an empty field would look like a row that was forgotten.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "lanebank/bank_model.hpp"

namespace lanebank::checks {

struct WavefrontsCsvOptions {
  std::string name = "standard input";  ///< of the file, for messages
  unsigned architecture = 90;           ///< compute capability x 10
  bool source_page = false;             ///< figures of the source page instead of the hardware counters
};

struct AccessFigures {
  std::optional<unsigned> wavefronts, ideal;  ///< nullopt: not modelled
};
/// Those of one access, as the columns have them.
AccessFigures access_figures(const Access& access, unsigned architecture, bool source_page);

/// Reads rows from `in` and writes each with its prediction to `out`, row by row. The first row that cannot be
/// read ends it with a Diagnostic "csv.*", `where` being name:line:column (both from 1, columns in bytes); what
/// was written until then stays written.
Result<void> predict_wavefronts(std::istream& in, std::ostream& out, const WavefrontsCsvOptions& options);

}  // namespace lanebank::checks
