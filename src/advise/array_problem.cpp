#include "advise/array_problem.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <tuple>

#include "advise/recount.hpp"
#include "advise/seen_rows.hpp"
#include "checks/lane_shape.hpp"

namespace lanebank::advise {
namespace {

using findings::BaseCount;
using findings::LoggedAccess;

constexpr std::size_t access_limit = 4096;  ///< of one problem
constexpr std::size_t random_limit = 512;   ///< the same where the index depends on data: a sample
constexpr std::size_t pattern_limit = solve::pattern_limit - 1;
constexpr std::uint32_t narrowest_row_bytes = 8, longest_row_bytes = 8192;
constexpr std::array<std::uint32_t, 4> usual_rows_bytes = {128, 64, 256, 512};

const solve::InstructionName* name_of(const LoggedAccess& access) {
  static constexpr const char* candidates[] = {
#define LANEBANK_ACCESS_NAME(name, kind, lane_bytes, matrices, source_stride) #name,
#include "lanebank/access_names.def"
  };
  for (const char* candidate : candidates) {
    const solve::InstructionName* name = solve::instruction_named(candidate);
    const bool width = name->lane_bytes == 0 || name->lane_bytes == access.lane_bytes;
    if (name->kind == access.kind && width && name->matrices == access.matrices) return name;
  }
  return nullptr;
}

bool in(const ArrayRun& run, const LoggedAccess& access) {
  return access.array == static_cast<std::int32_t>(run.array);
}

std::uint32_t byte_of(const ArrayRun& run, const LoggedAccess& access, const BaseCount& base, unsigned lane) {
  return base.base_bytes + static_cast<std::uint32_t>(access.relative_bytes[lane]) - run.logged().offset_bytes;
}

/// One warp instruction on the array, and how often it ran.
struct Weighted {
  std::uint64_t count = 0;
  const ArrayRun* run = nullptr;
  const LoggedAccess* access = nullptr;
  const BaseCount* base = nullptr;
};

/// The accesses that ran most; equal counts in the order of the log.
std::vector<Weighted> heaviest(const ArrayRuns& array) {
  std::vector<Weighted> all;
  for (const ArrayRun& run : array.runs)
    for (const LoggedAccess& access : run.log().accesses)
      if (in(run, access))
        for (const BaseCount& base : access.bases) all.push_back({base.count * run.launches, &run, &access, &base});
  const std::size_t limit = depends_on_data(array) ? random_limit : access_limit;
  if (all.size() > limit) {
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
    all.resize(limit);
  }
  return all;
}

std::string label(const Weighted& weighted) {
  const auto& rows = *weighted.run->launch->instructions;
  if (weighted.access->row >= rows.size()) return "access";
  const findings::InstructionReport& row = rows[weighted.access->row];
  const std::string opcode = row.sass.substr(row.sass.find('@') == 0 ? row.sass.find(' ') + 1 : 0);
  return opcode.substr(0, opcode.find(' ')) + (row.line == 0 ? "" : " of line " + std::to_string(row.line));
}

/// Counts in steps of about an eighth, so that nearly equal ones fall into one pattern.
std::uint64_t rounded(std::uint64_t count) {
  const int extra = std::max(0, static_cast<int>(std::bit_width(count)) - 4);
  return count >> extra << extra;
}

}  // namespace

ArrayGrain grain_of(const ArrayRuns& array, std::uint32_t element_bytes) {
  std::uint32_t places = 0, widest = 1, narrowest = 16;
  for (const ArrayRun& run : array.runs)
    for (const LoggedAccess& access : run.log().accesses) {
      if (!in(run, access)) continue;
      widest = std::max(widest, access.lane_bytes);
      narrowest = std::min(narrowest, access.lane_bytes);
      for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1)
        places |= static_cast<std::uint32_t>(access.relative_bytes[static_cast<unsigned>(std::countr_zero(rest))]);
      for (const BaseCount& base : access.bases) places |= base.base_bytes - run.logged().offset_bytes;
    }
  const std::uint32_t element = element_bytes == 0 ? narrowest : element_bytes;
  ArrayGrain grain;
  grain.part_bytes = std::min({narrowest, places == 0 ? 16u : 1u << std::countr_zero(places), element & (~element + 1),
                               array.size_bytes & (~array.size_bytes + 1)});
  grain.element_bytes = element;
  grain.unit_bytes = std::max(widest, element);
  if (grain.unit_bytes % element != 0) grain.unit_bytes *= element / (element & (~element + 1));
  return grain;
}

std::vector<std::uint32_t> row_lengths(const ArrayRuns& array, const ArrayGrain& grain, std::size_t limit) {
  std::map<std::uint32_t, std::uint64_t> votes;
  const auto fits = [&](std::uint32_t row) {
    return row >= narrowest_row_bytes && row <= longest_row_bytes && row < array.size_bytes &&
           row % grain.unit_bytes == 0 && array.size_bytes % row == 0;
  };
  for (const ArrayRun& run : array.runs)
    for (const SeenRow& row : seen_rows(run.log(), run.array))
      if (fits(row.row_bytes)) votes[row.row_bytes] += row.weight * run.launches;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> ranked(votes.begin(), votes.end());
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::uint32_t> rows;
  for (const auto& [row, count] : ranked)
    if (rows.size() + 1 < limit) rows.push_back(row);  // one place is for the usual ones
  for (const std::uint32_t row : usual_rows_bytes)
    if (fits(row) && rows.size() < limit && std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
  return rows;
}

bool depends_on_data(const ArrayRuns& array) {
  constexpr std::size_t patterns_of_code = 16;  // unrolled loops and masks make a few
  std::map<std::pair<const ArrayRun*, std::uint32_t>, std::size_t> patterns;
  for (const ArrayRun& run : array.runs)
    for (const LoggedAccess& access : run.log().accesses) {
      if (!in(run, access)) continue;
      const Access first = access_at(access, access.bases.front().base_bytes);
      if (checks::lane_steps(first, first.active_lanes)) continue;
      if (++patterns[{&run, access.row}] > patterns_of_code) return true;
    }
  return false;
}

Result<solve::Problem> problem_of(const ArrayRuns& array, const ArrayGrain& grain, std::uint32_t row_bytes) {
  solve::Problem problem;
  const std::uint32_t part = grain.part_bytes, columns = row_bytes / part;
  problem.tile = {array.size_bytes / row_bytes, columns, part};
  problem.architecture = array.runs.front().log().architecture;
  const std::vector<Weighted> all = heaviest(array);
  for (const bool exact : {true, false}) {
    std::map<std::tuple<const ArrayRun*, std::uint32_t, std::uint32_t, std::uint64_t>, std::size_t> places;
    problem.patterns.clear();
    for (const Weighted& weighted : all) {
      const LoggedAccess& access = *weighted.access;
      const std::uint64_t count = exact ? weighted.count : rounded(weighted.count);
      const auto [at, added] =
          places.try_emplace({weighted.run, access.row, access.lane_bytes, count}, problem.patterns.size());
      if (added) {
        const solve::InstructionName* name = name_of(access);
        if (name == nullptr) return fail("fix.problem", array.name, "the solver has no name for " + label(weighted));
        problem.patterns.push_back({label(weighted), name, access.lane_bytes, count, {}});
      }
      solve::WarpAccess warp;
      warp.active_lanes = access.lanes;
      for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        const std::uint32_t byte = byte_of(*weighted.run, access, *weighted.base, lane);
        warp.lanes[lane] = {byte / row_bytes, byte % row_bytes / part};
        const bool has_source = has_sources(access.source) && access.source_bytes[lane] != no_source;
        warp.sources[lane] = has_source ? access.source_bytes[lane] : 16 * lane;
        if (byte % row_bytes + access.lane_bytes > row_bytes)
          return fail("fix.problem", array.name,
                      "an access lies across the end of a row of " + std::to_string(row_bytes));
      }
      problem.patterns[at->second].accesses.push_back(warp);
    }
    if (problem.patterns.size() <= pattern_limit) break;
  }
  if (problem.patterns.size() > pattern_limit) problem.patterns.resize(pattern_limit);
  const std::uint64_t most = std::max_element(problem.patterns.begin(), problem.patterns.end(), [](auto& a, auto& b) {
                               return a.repeat < b.repeat;
                             })->repeat;
  const int shift =
      std::max(0, static_cast<int>(std::bit_width(most)) - static_cast<int>(std::bit_width(solve::repeat_limit)) + 1);
  for (solve::Pattern& pattern : problem.patterns) pattern.repeat = std::max<std::uint64_t>(1, pattern.repeat >> shift);
  if (grain.is_power_of_two() && grain.element_bytes > part) {
    // An access of one lane costs the same everywhere; what it adds is that no layout may take the element apart.
    solve::Pattern whole{"element", solve::instruction_named("ld"), grain.element_bytes, 1, {}};
    solve::WarpAccess one;
    one.active_lanes = 1;
    for (std::uint32_t row = 0; row < std::min(problem.tile.rows, 16u); ++row) {
      one.lanes[0] = {row, 0};
      whole.accesses.push_back(one);
    }
    if (row_bytes % grain.element_bytes != 0)
      return fail("fix.problem", array.name, "rows of " + std::to_string(row_bytes) + " bytes cut elements apart");
    problem.patterns.push_back(std::move(whole));
  }
  return problem;
}

}  // namespace lanebank::advise
