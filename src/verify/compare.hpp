// Prediction and measurement, instruction by instruction, with the reason of every difference.
//
// Launches are matched by kernel, grid and block, the n-th of each with the n-th; instructions by their address from the
// kernel's first one, and their mnemonics must agree. Prediction comes from `lanebank run`, measurement from Nsight Compute.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "findings/report.hpp"
#include "verify/measurement.hpp"

namespace lanebank::verify {

enum class Cause : std::uint8_t {
#define LANEBANK_CAUSE(identifier, spelled, explained, meaning) identifier,
#include "verify/causes.def"
#undef LANEBANK_CAUSE
};

/// A row of causes.def.
struct CauseInfo {
  std::string_view spelled;
  bool explained;
  std::string_view meaning;
};
const CauseInfo& info(Cause cause);

enum class Verdict : std::uint8_t { equal, explained, unexplained };
std::string_view spelled(Verdict verdict);

/// Missing: not modelled, or the page has no such column.
struct Figures {
  std::optional<std::uint64_t> executed, threads, wavefronts, ideal;
  friend bool operator==(const Figures&, const Figures&) = default;
};

struct RowComparison {
  std::shared_ptr<const findings::InstructionReport> instruction;  ///< as predicted; if it was not: address, sass, kind
  Figures predicted;
  std::optional<Figures> measured;
  std::optional<double> nway;  ///< as ncu shows it
  Cause cause = Cause::none;
  std::string explanation;  ///< empty where all figures are equal
  Verdict verdict() const;
};

/// What a hardware counter of the kernel says beside the source page.
struct CounterComparison {
  std::string metric;
  std::uint64_t value = 0;
  bool of_conflicts = false;      ///< bank conflicts, else wavefronts
  std::uint64_t source_page = 0;  ///< the same instructions there: excess, or wavefronts
  Cause cause = Cause::none;
  bool confirmed =
      false;  ///< lost passes: the counters of conflicts and of wavefronts are above the source page by the same
  std::string explanation;
  std::int64_t difference() const { return static_cast<std::int64_t>(value - source_page); }
};

struct LaunchComparison {
  const findings::LaunchReport* launch = nullptr;  ///< of the report that was compared
  bool whole_kernel = false;                       ///< the file has sums of kernels only: one row stands for all
  std::vector<RowComparison> rows;                 ///< by function and address
  std::vector<CounterComparison> counters;         ///< in the order of counters.def
  std::optional<Diagnostic> problem;               ///< why it could not be compared; then there are no rows
};

/// Numbers of rows, and sums of those with both figures.
struct Totals {
  std::uint64_t rows = 0, equal = 0, explained = 0, unexplained = 0;
  Figures predicted{0, 0, 0, 0}, measured{0, 0, 0, 0};
  void add(const RowComparison& row);
};
Totals totals(const LaunchComparison& launch);

struct Comparison {
  std::vector<LaunchComparison> launches;  ///< by id
  std::vector<Diagnostic> problems;        ///< launches that could not be compared
  std::uint64_t not_measured = 0;          ///< predicted launches that the measurement does not have
  std::string capabilities;                ///< of the devices, "9.0"; empty: not told
  Totals total;
  std::size_t compared() const;
};

/// `partial`: the measurement may hold fewer launches than the program made. The comparison points into `predicted`.
Comparison compare(const findings::ProgramReport& predicted, Measurement measured, bool partial);

}  // namespace lanebank::verify
