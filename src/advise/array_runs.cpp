#include "advise/array_runs.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/words.hpp"

namespace lanebank::advise {
namespace {

using findings::AccessLog;
using findings::InstructionReport;
using findings::LaunchReport;

bool is_touched(const AccessLog& log, std::size_t array) {
  const findings::LoggedArray& logged = log.arrays[array];
  if (logged.bulk_copies || logged.matrix_operands || logged.unrecorded != 0) return true;
  return std::any_of(log.accesses.begin(), log.accesses.end(),
                     [&](const auto& access) { return access.array == static_cast<std::int32_t>(array); });
}

/// Where the kernel's own text is: behind all inlining.
std::string file_of(const LaunchReport& launch, std::size_t array) {
  for (const findings::LoggedAccess& access : launch.accesses->accesses) {
    if (access.array != static_cast<std::int32_t>(array) || access.row >= launch.instructions->size()) continue;
    const InstructionReport& row = (*launch.instructions)[access.row];
    const std::string& file = row.inlined_at.empty() ? row.file : row.inlined_at.back().file;
    if (!file.empty()) return file;
  }
  for (const InstructionReport& row : *launch.instructions)  // none was logged
    if (row.array == launch.accesses->arrays[array].name && !row.file.empty())
      return row.inlined_at.empty() ? row.file : row.inlined_at.back().file;
  return "";
}

}  // namespace

std::vector<ArrayRuns> array_runs(const findings::ProgramReport& report) {
  std::vector<ArrayRuns> result;
  std::map<std::tuple<std::string, std::string, std::string, std::uint32_t>, std::size_t> places;
  for (const LaunchReport& launch : report.launches) {
    if (!launch.accesses) continue;
    const AccessLog& log = *launch.accesses;
    for (std::size_t i = 0; i < log.arrays.size(); ++i) {
      if (!is_touched(log, i)) continue;
      const findings::LoggedArray& array = log.arrays[i];
      const std::string function = kernel_base_name(launch.kernel), file = file_of(launch, i);
      const auto [at, added] = places.try_emplace({file, function, array.name, array.size_bytes}, result.size());
      if (added) result.push_back({array.name, function, file, {}, {}, array.size_bytes, array.element_bytes});
      ArrayRuns& runs = result[at->second];
      if (std::find(runs.kernels.begin(), runs.kernels.end(), launch.kernel) == runs.kernels.end())
        runs.kernels.push_back(launch.kernel);
      const auto same = std::find_if(runs.runs.begin(), runs.runs.end(), [&](const ArrayRun& run) {
        return run.launch->accesses == launch.accesses && run.array == i && run.launch->symbol == launch.symbol;
      });
      if (same != runs.runs.end())
        ++same->launches;
      else
        runs.runs.push_back({&launch, i, 1});
    }
  }
  return result;
}

}  // namespace lanebank::advise
