// Logs of small launches, for tests.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "advise/recount.hpp"
#include "findings/access_log.hpp"

namespace lanebank::test {

/// All lanes, on array 0.
inline findings::LoggedAccess access(std::uint32_t row, AccessKind kind, std::uint32_t lane_bytes,
                                     const std::function<unsigned(unsigned)>& relative,
                                     std::vector<findings::BaseCount> bases) {
  findings::LoggedAccess access;
  access.row = row;
  access.array = 0;
  access.kind = kind;
  access.lane_bytes = lane_bytes;
  access.lanes = 0xffffffffu;
  for (unsigned lane = 0; lane < 32; ++lane) access.relative_bytes[lane] = static_cast<std::int32_t>(relative(lane));
  access.bases = std::move(bases);
  return access;
}

/// A 32x32 float tile: 64 stores of rows (row 0 of the report), 96 loads of columns (row 1).
inline findings::AccessLog column_log() {
  findings::AccessLog log;
  log.static_shared_bytes = 4096;
  log.arrays_known = true;
  log.arrays = {{"tile", 0, 4096, 4, 4}};
  std::vector<findings::BaseCount> rows, columns;
  for (std::uint32_t i = 0; i < 32; ++i) rows.push_back({i * 128, 2});
  for (std::uint32_t i = 0; i < 32; ++i) columns.push_back({i * 4, 3});
  log.accesses = {access(
                      0, AccessKind::store, 4, [](unsigned lane) { return lane * 4; }, rows),
                  access(
                      1, AccessKind::load, 4, [](unsigned lane) { return lane * 128; }, columns)};
  return log;
}

/// The refusal, which must be of that id.
inline advise::Refusal refused(const tl::expected<advise::Recount, advise::Refusal>& result, const std::string& id) {
  EXPECT_FALSE(result) << "expected " << id;
  if (result) return {};
  EXPECT_EQ(result.error().diagnostic.id, id) << result.error().diagnostic.what;
  EXPECT_FALSE(result.error().diagnostic.what.empty());
  return result.error();
}

}  // namespace lanebank::test
