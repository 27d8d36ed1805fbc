// Arrays written through one map and read through another.
#include "checks/swizzle_mismatch.hpp"

#include <gtest/gtest.h>

namespace lanebank::checks {
namespace {

constexpr unsigned row_bytes = 128;

/// Records of one instruction: execution n accesses `at(n, lane)`.
template <class At>
InstructionConflicts row(std::uint32_t instruction, AccessKind kind, unsigned executions, At at) {
  InstructionConflicts conflicts;
  conflicts.instruction = instruction;
  conflicts.kind = kind;
  for (unsigned n = 0; n < executions; ++n) {
    AccessRecord record;
    record.array = 0;
    record.lanes = ~0u;
    record.base_low = record.base_high = at(n, 0u);
    for (unsigned lane = 0; lane < 32; ++lane)
      record.relative_bytes[lane] = static_cast<std::int32_t>(at(n, lane)) - static_cast<std::int32_t>(at(n, 0u));
    conflicts.records.push_back(record);
  }
  return conflicts;
}

unsigned plain(unsigned row, unsigned column) { return row * row_bytes + 4 * column; }
unsigned swizzled(unsigned row, unsigned column) { return row * row_bytes + 4 * (column ^ row); }

template <class Write, class Read>
std::vector<SwizzleMismatch> found(Write write, Read read) {
  ConflictReport report;
  report.instructions = {
      row(0, AccessKind::store, 32, [&](unsigned n, unsigned lane) { return write(n, lane); }),
      row(1, AccessKind::load, 32, [&](unsigned n, unsigned lane) { return read(lane, n); }),
  };
  return swizzle_mismatches(report, {{0, 32 * row_bytes, "", 4}});
}

TEST(SwizzleMismatch, WrittenSwizzledAndReadPlain) {
  const auto mismatches = found(swizzled, plain);
  ASSERT_EQ(mismatches.size(), 1u);
  EXPECT_EQ(mismatches[0].bits, 5u);
  EXPECT_EQ(mismatches[0].base, 2u);
  EXPECT_EQ(mismatches[0].shift, 5u);
  EXPECT_EQ(mismatches[0].store, 0u);
  EXPECT_EQ(mismatches[0].load, 1u);
}

TEST(SwizzleMismatch, WhatFitsIsNone) {
  EXPECT_TRUE(found(swizzled, swizzled).empty());
  EXPECT_TRUE(found(plain, plain).empty());
}

TEST(SwizzleMismatch, PlainStoresAndOddReadsAreNone) {
  EXPECT_TRUE(found(plain, swizzled).empty()) << "butterflies and the like read as they please";
}

}  // namespace
}  // namespace lanebank::checks
