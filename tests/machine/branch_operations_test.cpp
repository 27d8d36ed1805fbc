// BRA.U on uniform predicates: where the lanes go. Other branches run in the kernels of control_test.cpp.
#include <gtest/gtest.h>

#include "lane_harness.hpp"

namespace lanebank::machine::testing {
namespace {

TEST(BranchOperations, AUniformPredicateAndTheGuardDecideTogether) {
  const std::uint32_t guards[] = {0, 0x0000ffff, all_lanes};
  for (const Level& level : levels())
    for (unsigned number = 0; number < 8; ++number)  // 7: UPT
      for (const bool negated : {false, true})
        for (const bool holds : {false, true})
          for (const std::uint32_t guard : guards) {
            if (number == 7 && !holds) continue;
            LaneMachine m;
            m.w.predicates[8 + number] = holds ? all_lanes : 0;
            m.w.predicates[3] = guard;
            // @P3 BRA.U (!)UPn
            const Bits word = Bits(0x147, 2).set(12, 15, 3).set(24, 27, number).set(27, negated).set(32).set(87, 90, 7);
            ASSERT_EQ(m.lower(level, Name::BRA, word), nullptr);
            Operation& op = m.operation();
            op.target = &op + 2;
            const std::uint32_t taken = holds != negated ? guard : 0;
            EXPECT_EQ(op.execute(m.w, &op), taken != 0 ? &op + 2 : &op + 1);
            EXPECT_EQ(m.w.active, taken != 0 ? taken : all_lanes);
            if (taken == 0x0000ffff) {
              ASSERT_EQ(m.w.splits.size(), 1u);
              EXPECT_EQ(m.w.splits[0].mask, 0xffff0000u);
              EXPECT_EQ(m.w.splits[0].pc, &op + 1);
            } else {
              EXPECT_TRUE(m.w.splits.empty());
            }
          }
}

}  // namespace
}  // namespace lanebank::machine::testing
