// The report, condensed for reading: launches of one kernel and shape together, rows of one source line
// together, most excess first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "findings/report.hpp"

namespace lanebank::report {

/// Rows of one source line (or of one address, where no line is known) with the same mnemonic and array.
struct LineDigest {
  const findings::InstructionReport* row = nullptr;  ///< the one with most excess
  std::string mnemonic;                              ///< "LDS.128"
  std::uint64_t instructions = 0;                    ///< how many rows are summed here
  std::uint64_t executed = 0, wavefronts = 0, ideal = 0, excess = 0;
  std::uint32_t worst_degree = 0;
  bool modelled = true, timing_dependent = false;
  bool same_cure = true;                                      ///< the rows' cures are equal
  bool remapped = false;                                      ///< a remap reaches one of the rows
  std::uint64_t remapped_wavefronts = 0, remapped_ideal = 0;  ///< of all rows, of those that none reaches as they are
};

/// A remap of one array, with the sums of its figures where the launches' are summed.
struct RemapDigest {
  findings::RemapReport sum;  ///< `refused`: of the first launch that refused it
  std::uint64_t refusals = 0;
};

/// Launches of one kernel with the same grid, block and shared memory.
struct KernelDigest {
  const findings::LaunchReport* launch = nullptr;  ///< the first
  std::uint64_t launches = 0;
  bool summed = false;  ///< their figures differ: sums of all; else of one launch
  findings::SharedTotals shared;
  std::uint64_t all_excess = 0;   ///< of all launches
  std::vector<LineDigest> lines;  ///< most excess first, then in the order of the code
  std::vector<const findings::FaultReport*> faults;
  std::vector<const findings::CheckReport*> checks;  ///< of each cause the first, in the order of the launch's
  std::vector<RemapDigest> remaps;
};

/// Most excess first, then in the order of the program.
std::vector<KernelDigest> digest(const findings::ProgramReport& report);

}  // namespace lanebank::report
