// What Nsight Compute (ncu) measured, read from the CSV that it prints.
//
// Three of its pages are understood, and told apart by their header cells, never by their order:
//
//   ncu --import X.ncu-rep --csv --page source     a table for each launch, a row for each SASS instruction
//   ncu --import X.ncu-rep --csv --page raw        one table, a row for each launch, a column for each metric
//   ncu --csv --metrics A,B ./app                  the details page: a row for each launch and metric
//
// Lines around the tables (==PROF== messages, what the program printed) are passed over. Every byte is hostile.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"

namespace lanebank::verify {

enum class Column : std::uint8_t {
#define LANEBANK_NCU_COLUMN(identifier, metric, collected, labels) identifier,
#include "verify/columns.def"
#undef LANEBANK_NCU_COLUMN
};

/// One instruction, summed over the launch. A figure that the page has no column for, or shows as n/a, is missing.
struct MeasuredRow {
  std::uint64_t address_bytes = 0;  ///< from the first instruction of the table
  std::string sass;                 ///< as printed, without blanks around it
  std::optional<std::uint64_t> executed, threads, wavefronts, ideal;
  std::optional<double> nway;
  friend bool operator==(const MeasuredRow&, const MeasuredRow&) = default;
};

struct MeasuredLaunch {
  std::string kernel;                                       ///< as printed: demangled, or its own name alone
  std::optional<std::array<std::uint32_t, 3>> grid, block;  ///< raw and details page
  std::string capability;                                   ///< "9.0"; empty: not told
  bool has_rows = false;                                    ///< of the source page
  std::uint64_t samples = 0;               ///< of the program counter, in the table: these differ from run to run
  std::size_t text_hash = 0;               ///< of the table's text
  std::uint64_t instructions = 0;          ///< rows of its table
  std::vector<MeasuredRow> rows;           ///< those that may reach shared memory, by address
  std::map<std::string, double> counters;  ///< by metric, of the raw and details page
  friend bool operator==(const MeasuredLaunch&, const MeasuredLaunch&) = default;
};

/// Launches in the order of the program.
using Measurement = std::vector<MeasuredLaunch>;

/// Reads one file; `name` serves messages. Errors ("ncu.…"): no table of these pages, no column of wavefronts, a row that is
/// cut off or damaged, a number that is none, more rows than `most_rows`.
Result<Measurement> read_ncu_csv(std::istream& in, const std::string& name);

inline constexpr std::size_t most_rows = 20'000'000;  ///< of one file that are kept

/// Joins what two files say of the same launches, the source page of one with the counters of another: launch n with launch n.
/// Error: they are not the same launches.
Result<Measurement> joined(Measurement a, Measurement b);

/// ncu prints the source page of several launches with each of them twice. Certain where samples, which no two runs share, are
/// the same too; possible where the tables are.
enum class Doubles { none, possible, certain };
Doubles doubles_in(const Measurement& launches);

/// Each second launch left out.
Measurement without_doubles(const Measurement& launches);

/// "void tr<0, 32>(float *)", the raw page's spelling, of the source page's "void tr<(int)0, (int)32>(float *)".
std::string without_casts(std::string_view kernel);

/// The same function, whether its parameters are printed or not.
bool same_kernel(const std::string& a, const std::string& b);

/// Metrics to be collected, with commas between: those of columns.def, and of counters.def those that every device has.
std::string metrics_to_collect();

}  // namespace lanebank::verify
