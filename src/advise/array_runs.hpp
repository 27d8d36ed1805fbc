// The arrays of a run as the source declares them: one declaration, with all kernels and launches that use it. Instances of a
// template whose array has the same size share one, since an edit of the declaration changes them together.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "findings/report.hpp"

namespace lanebank::advise {

/// The array in launches whose logs are equal.
struct ArrayRun {
  const findings::LaunchReport* launch = nullptr;  ///< the first of them
  std::size_t array = 0;                           ///< index into its AccessLog::arrays
  std::uint64_t launches = 1;

  const findings::AccessLog& log() const { return *launch->accesses; }
  const findings::LoggedArray& logged() const { return log().arrays[array]; }
};

struct ArrayRuns {
  std::string name;
  std::string function;              ///< the kernel's own name: "tr"
  std::string file;                  ///< of its lines; empty: unknown
  std::vector<std::string> kernels;  ///< as the report names them, in order of launch
  std::vector<ArrayRun> runs;        ///< never empty
  std::uint32_t size_bytes = 0;
  std::uint32_t element_bytes = 0;  ///< 0: unknown

  bool is_dynamic() const { return runs.front().logged().dynamic; }
};

/// Of all launches with a log, by first launch, then by place; only arrays that some access begins in or that TMA or wgmma
/// reach. Views into `report`.
std::vector<ArrayRuns> array_runs(const findings::ProgramReport& report);

}  // namespace lanebank::advise
