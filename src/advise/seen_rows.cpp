#include "advise/seen_rows.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "advise/recount.hpp"
#include "checks/fast_cost.hpp"
#include "checks/lane_shape.hpp"

namespace lanebank::advise {
namespace {

constexpr std::uint32_t shortest_row_bytes = 32;  // lanes that are nearer lie side by side in one row

}  // namespace

std::vector<SeenRow> seen_rows(const findings::AccessLog& log, std::size_t index) {
  const findings::LoggedArray& array = log.arrays.at(index);
  std::uint32_t widest = 1;
  for (const findings::LoggedAccess& logged : log.accesses)
    if (logged.array == static_cast<std::int32_t>(index)) widest = std::max(widest, logged.lane_bytes);
  std::map<std::uint32_t, std::uint64_t> excess, executions;
  for (const findings::LoggedAccess& logged : log.accesses) {
    if (logged.array != static_cast<std::int32_t>(index)) continue;
    const Access access = access_at(logged, logged.bases.front().base_bytes);
    const auto steps = checks::lane_steps(access, access.active_lanes);
    if (!steps) continue;
    const checks::FastCost cost =
        checks::fast_cost(access_rule(log.architecture, access.kind, access.lane_bytes), access);
    std::uint64_t count = 0;
    for (const findings::BaseCount& base : logged.bases) count += base.count;
    for (const checks::LaneStep& step : *steps) {
      const auto bytes = static_cast<std::uint64_t>(std::llabs(step.stride_bytes));
      if (bytes < shortest_row_bytes || bytes >= array.size_bytes || bytes % widest != 0 ||
          array.size_bytes % bytes != 0)
        continue;
      const auto row = static_cast<std::uint32_t>(bytes);
      executions[row] += count;
      if (cost.wavefronts > cost.ideal) excess[row] += count * (cost.wavefronts - cost.ideal);
    }
  }
  std::vector<SeenRow> rows;
  for (const auto& [bytes, weight] : excess.empty() ? executions : excess) rows.push_back({bytes, weight});
  std::stable_sort(rows.begin(), rows.end(), [](const SeenRow& a, const SeenRow& b) { return a.weight > b.weight; });
  return rows;
}

}  // namespace lanebank::advise
