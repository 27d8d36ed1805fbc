#include "session/timing_dependence.hpp"

#include <gtest/gtest.h>

namespace lanebank::session {
namespace {

std::vector<SassLine> code(std::initializer_list<const char*> lines) {
  std::vector<SassLine> result;
  for (const char* text : lines) result.push_back({static_cast<std::uint32_t>(16 * result.size()), text});
  return result;
}

/// One character per instruction: b in block, g in grid, . not marked.
std::string marks(std::initializer_list<const char*> lines) {
  std::string text;
  for (const TimingDependence& mark : timing_dependence(code(lines)))
    text += mark.in_block ? 'b' : mark.in_grid ? 'g' : '.';
  return text;
}

TEST(TimingDependence, MarksTheRetryLoopOfAFloatAtomicAndItsReconvergence) {
  EXPECT_EQ(marks({"LDG.E R7, desc[UR6][R2.64]",            // 0x00
                   "BSSY B0, 0x80",                         // 0x10
                   "LDS R8, [R5+UR4]",                      // 0x20
                   "FADD R9, R7, R8",                       // 0x30
                   "ATOMS.CAST.SPIN R9, [R6], R8, R9",      // 0x40
                   "ISETP.EQ.U32.AND P0, PT, R9, 0x1, PT",  // 0x50
                   "@!P0 BRA 0x20",                         // 0x60
                   "BSYNC B0",                              // 0x70
                   "EXIT"}),
            "..bbbbbb.");
}

TEST(TimingDependence, MarksACompareAndSwapLoopInGlobalMemory) {
  EXPECT_EQ(marks({"LDG.E R0, desc[UR4][R2.64]",                   // 0x00
                   "FADD R1, R0, R7",                              // 0x10
                   "ATOMG.E.CAS.STRONG.GPU PT, R1, [R2], R0, R1",  // 0x20
                   "ISETP.NE.U32.AND P0, PT, R1, R0, PT",          // 0x30
                   "MOV R0, R1",                                   // 0x40
                   "@P0 BRA 0x10",                                 // 0x50
                   "EXIT"}),
            ".ggggg.");
}

TEST(TimingDependence, MarksALoopThatPollsAFlag) {
  EXPECT_EQ(marks({"LDG.E.STRONG.GPU R0, desc[UR4][R2.64]", "ISETP.NE.AND P0, PT, R0, 0x1, PT", "@P0 BRA 0x0", "EXIT"}),
            "ggg.");
}

TEST(TimingDependence, LeavesASwapOutsideALoopAlone) {
  EXPECT_EQ(marks({"LDS R8, [R5]", "ATOMS.CAS R9, [R6], R8, R7", "STS [R1], R9", "EXIT"}), "....");
}

TEST(TimingDependence, LeavesALoopAloneWhoseEndDoesNotDependOnTheSwap) {
  EXPECT_EQ(marks({"ATOMS.CAS R9, [R6], R8, R7", "IADD3 R0, R0, 0x1, RZ", "ISETP.LT.AND P0, PT, R0, 0x8, PT",
                   "@P0 BRA 0x0", "EXIT"}),
            ".....");
}

TEST(TimingDependence, MarksOnlyTheInnermostLoop) {
  EXPECT_EQ(marks({"MOV R0, RZ",                            // 0x00
                   "LDS R8, [R5]",                          // 0x10
                   "ATOMS.CAST.SPIN R9, [R6], R8, R9",      // 0x20
                   "ISETP.EQ.U32.AND P0, PT, R9, 0x1, PT",  // 0x30
                   "@!P0 BRA 0x10",                         // 0x40
                   "IADD3 R0, R0, 0x1, RZ",                 // 0x50
                   "ISETP.LT.AND P1, PT, R0, 0x8, PT",      // 0x60
                   "@P1 BRA 0x10",                          // 0x70
                   "EXIT"}),
            ".bbbb....");
}

TEST(TimingDependence, FollowsTheResultAroundTheLoopAndThroughWidePairs) {
  EXPECT_EQ(marks({"ISETP.EQ.U32.AND P0, PT, R9, R3, PT",  // 0x00, uses what the swap wrote a turn ago
                   "@P0 BRA 0x40",                         // 0x10
                   "ATOMS.CAS.64 R8, [R6], R2, R4",        // 0x20, writes R8 and R9
                   "BRA 0x0",                              // 0x30
                   "EXIT"}),
            "bbbb.");
}

TEST(TimingDependence, OfLinesThatAreNoInstructionsIsNothing) {
  EXPECT_EQ(marks({"", "@", "@P0", "?? 0x1 0x2", "BRA", "BRA 0x1000", "BSSY", "BSYNC", "ATOMS.CAS"}), ".........");
}

}  // namespace
}  // namespace lanebank::session
