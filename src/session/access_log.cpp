#include "session/access_log.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

namespace lanebank::session {

using findings::AccessLog;
using findings::BaseCount;
using findings::LoggedAccess;

namespace {

auto identity_of(const LoggedAccess& access) {
  return std::tie(access.row, access.array, access.lanes, access.relative_bytes, access.source, access.source_bytes);
}

std::uint64_t entries_of(const LoggedAccess& access) {
  const auto lanes = static_cast<std::uint64_t>(std::popcount(access.lanes));
  return (has_sources(access.source) ? 2 * lanes : lanes) + 2 * access.bases.size();
}

std::uint64_t executions_of(const LoggedAccess& access) {
  std::uint64_t sum = 0;
  for (const BaseCount& base : access.bases) sum += base.count;
  return sum;
}

LoggedAccess logged(const checks::InstructionConflicts& instruction, const checks::AccessRecord& record,
                    std::uint32_t row) {
  LoggedAccess access;
  access.row = row;
  access.array = record.array;
  access.kind = instruction.kind;
  access.lane_bytes = instruction.lane_bytes;
  const bool matrix = instruction.kind == AccessKind::matrix_load || instruction.kind == AccessKind::matrix_store;
  access.matrices = matrix ? instruction.matrices : 0;
  access.lanes = record.lanes;
  access.relative_bytes = record.relative_bytes;
  access.source = record.source;
  access.source_bytes = record.source_bytes;
  access.bases = record.bases;
  return access;
}

/// Accesses that the observer kept apart by the low bits of their bases become one.
std::vector<LoggedAccess> joined(std::vector<LoggedAccess> all) {
  std::sort(all.begin(), all.end(), [](const LoggedAccess& a, const LoggedAccess& b) {
    if (identity_of(a) != identity_of(b)) return identity_of(a) < identity_of(b);
    return a.bases.front().base_bytes < b.bases.front().base_bytes;
  });
  std::vector<LoggedAccess> result;
  for (LoggedAccess& access : all) {
    if (result.empty() || identity_of(result.back()) != identity_of(access)) {
      result.push_back(std::move(access));
      continue;
    }
    std::vector<BaseCount>& bases = result.back().bases;
    const auto middle = static_cast<std::ptrdiff_t>(bases.size());
    bases.insert(bases.end(), access.bases.begin(), access.bases.end());
    std::inplace_merge(bases.begin(), bases.begin() + middle, bases.end(),
                       [](const BaseCount& a, const BaseCount& b) { return a.base_bytes < b.base_bytes; });
  }
  return result;
}

/// Takes an array's accesses out of the log.
void leave_out(AccessLog& log, std::int32_t array) {
  std::uint64_t executions = 0;
  std::erase_if(log.accesses, [&](const LoggedAccess& access) {
    if (access.array != array) return false;
    executions += executions_of(access);
    return true;
  });
  if (array >= 0) log.arrays[static_cast<std::size_t>(array)].unrecorded += executions;
}

/// Nothing can be claimed for arrays of which something is missing: what is there serves nobody.
void bound(AccessLog& log, std::uint64_t limit) {
  for (std::size_t i = 0; i < log.arrays.size(); ++i)
    if (log.arrays[i].unrecorded != 0) leave_out(log, static_cast<std::int32_t>(i));
  std::map<std::int32_t, std::uint64_t> entries;
  std::uint64_t sum = 0;
  for (const LoggedAccess& access : log.accesses) {
    entries[access.array] += entries_of(access);
    sum += entries_of(access);
  }
  while (sum > limit) {
    const auto most =
        std::max_element(entries.begin(), entries.end(), [](auto& a, auto& b) { return a.second < b.second; });
    if (most->first >= 0) {
      leave_out(log, most->first);
    } else {
      // Accesses outside of the arrays that are known may have lanes in any.
      for (std::size_t i = 0; i < log.arrays.size(); ++i) ++log.arrays[i].unrecorded;
      log.accesses.clear();
      return;
    }
    sum -= most->second;
    entries.erase(most);
  }
}

}  // namespace

checks::ConflictLimits limits_for_log(const LogLimits& limits) {
  checks::ConflictLimits result;
  result.bases = limits.entries_of_launch;
  return result;
}

std::uint64_t entry_count(const AccessLog& log) {
  std::uint64_t sum = 0;
  for (const LoggedAccess& access : log.accesses) sum += entries_of(access);
  return sum;
}

AccessLog make_access_log(const machine::LaunchRequest& request, const checks::ConflictReport& conflicts,
                          const std::vector<std::uint32_t>& row_of_instruction, const findings::BlockRoom& room,
                          std::uint64_t entry_limit) {
  const image::Function& function = request.module->cubin.functions[request.function];
  AccessLog log;
  log.architecture = conflicts.architecture;
  log.static_shared_bytes = function.static_shared_bytes;
  log.dynamic_shared_bytes = request.dynamic_shared_bytes;
  log.arrays_known = function.arrays_known;
  log.room = room;
  for (std::size_t i = 0; i < function.arrays.size(); ++i) {
    const image::SharedArray& array = function.arrays[i];
    const checks::ArrayUse use = i < conflicts.uses.size() ? conflicts.uses[i] : checks::ArrayUse{};
    log.arrays.push_back({array.name, array.offset_bytes,
                          array.dynamic ? request.dynamic_shared_bytes : array.size_bytes, array.element_bytes,
                          array.alignment_bytes, array.dynamic, use.bulk_copies, use.matrix_operands, use.barriers,
                          use.unrecorded});
  }
  for (const checks::InstructionConflicts& instruction : conflicts.instructions)
    for (const checks::AccessRecord& record : instruction.records)
      if (!record.bases.empty())
        log.accesses.push_back(logged(instruction, record, row_of_instruction.at(instruction.instruction)));
  log.accesses = joined(std::move(log.accesses));
  bound(log, entry_limit);
  return log;
}

}  // namespace lanebank::session
