// Control flow, synchronisation, calls and faults, on sm_75, sm_80 and sm_90 code of the same kernels.
#include <gmock/gmock.h>

#include "kernel_runner.hpp"

namespace lanebank::machine {
namespace {

using testing::HasSubstr;

class Control : public testing::TestWithParam<int> {
 protected:
  Control() : runner("control_sm" + std::to_string(GetParam()) + ".cubin") {}

  template <class... Arguments>
  LaunchOutcome run(const std::string& kernel, unsigned blocks, unsigned threads, Arguments... arguments) {
    LaunchOutcome outcome = runner.run(kernel, blocks, threads, arguments...);
    EXPECT_FALSE(outcome.fault) << kernel << ": " << outcome.fault->message << " at instruction "
                                << outcome.fault->instruction;
    return outcome;
  }

  KernelRunner runner;
};

std::string architecture_name(const testing::TestParamInfo<int>& info) { return "sm_" + std::to_string(info.param); }
INSTANTIATE_TEST_SUITE_P(Architectures, Control, testing::Values(75, 80, 90), architecture_name);

TEST_P(Control, LanesOfADivergentNestTakeTheirOwnTurns) {
  int* out = runner.array<int>(192);
  run("turns", 2, 96, out);
  for (int t = 0; t < 192; ++t) {
    int n = 0, x = t % 96;
    for (int i = 0; i < x % 7; ++i)
      for (int j = 0; j <= i; ++j) n += (x & 1) ? j : 1;
    EXPECT_EQ(out[t], n) << t;
  }
}

TEST_P(Control, AJumpTableSendsEachLaneItsWay) {
  int* out = runner.array<int>(64);
  for (int t = 0; t < 64; ++t) out[t] = 5 * t;
  run("choices", 1, 64, out);
  for (int t = 0; t < 64; ++t) {
    const int expected[] = {t * 3, t + 5 * t, t ^ 21, t << 2, t * t, -t, t / 3, 100 - t, 7};
    EXPECT_EQ(out[t], expected[t % 9]) << t;
  }
}

TEST_P(Control, RecursionKeepsAFrameForEachCall) {
  int* out = runner.array<int>(32);
  run("recursion", 1, 32, out);
  for (int t = 0; t < 32; ++t) {
    int n = 1;
    for (int i = 2; i <= t % 10; ++i) n *= i;
    EXPECT_EQ(out[t], n) << t;
  }
}

TEST_P(Control, FunctionPointersOfOneWarpMayDiffer) {
  int* out = runner.array<int>(64);
  run("pointers", 1, 64, out);
  for (int t = 0; t < 64; ++t) EXPECT_EQ(out[t], t % 3 == 0 ? t + 1 : t % 3 == 1 ? 2 * t : t * t) << t;
}

TEST_P(Control, BarrierReductionsCountAndCombine) {
  int* out = runner.array<int>(8);
  run("counts", 1, 100, out);
  EXPECT_THAT(std::vector<int>(out, out + 5), testing::ElementsAre(34, 1, 1, 0, 0));
}

TEST_P(Control, NamedBarriersJoinTheWarpsTheyCount) {
  int* out = runner.array<int>(32);
  run("named", 1, 64, out);
  for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(out[lane], 600 + 4 * (31 - lane)) << lane;
}

TEST_P(Control, ExitedWarpsDoNotHoldUpABarrier) {
  int* out = runner.array<int>(128);
  run("exited", 1, 128, out);
  for (int t = 0; t < 128; ++t) EXPECT_EQ(out[t], t >= 40 && t < 96 ? 0 : 1) << t;
}

TEST_P(Control, LocksBetweenThreadsEnd) {
  int* words = runner.array<int>(2);
  run("lock", 3, 64, words, words + 1);
  EXPECT_EQ(words[1], 192);
  words[1] = 0;
  run("divergent_lock", 2, 64, words, words + 1);
  EXPECT_EQ(words[1], 128);
}

TEST_P(Control, LanesMayWaitForAnotherLaneOfTheirWarp) {
  int* out = runner.array<int>(32);
  run("handover", 1, 32, out);
  for (int t = 0; t < 32; ++t) EXPECT_EQ(out[t], t == 31 ? 1 : 42) << t;
}

TEST_P(Control, BlocksMayWaitForEarlierBlocks) {
  constexpr int blocks = 200;
  int* flags = runner.array<int>(blocks);
  int* out = runner.array<int>(blocks);
  run("chain", blocks, 32, flags, out);
  for (int b = 0; b < blocks; ++b) EXPECT_EQ(out[b], 1 + b * (b + 1) / 2) << b;
}

TEST_P(Control, BlocksMayMeetAtASoftwareBarrier) {
  constexpr int blocks = 132;
  int* arrived = runner.array<int>(1);
  int* out = runner.array<int>(blocks);
  run("grid_barrier", blocks, 64, arrived, out);
  EXPECT_EQ(*arrived, 2 * blocks);
  for (int b = 0; b < blocks; ++b) EXPECT_EQ(out[b], 2) << b;
}

TEST_P(Control, ShufflesAndVotes) {
  int* out = runner.array<int>(160);
  run("shuffles", 1, 32, out);
  int sum = 0, votes = 0;
  for (int t = 0; t < 32; ++t) sum += t * t, votes |= t % 3 == 1 ? 1 << t : 0;
  for (int t = 0; t < 32; ++t) {
    const int up = t >= 3 ? t - 3 : t, down = t % 8 + 5 < 8 ? t + 5 : t;
    EXPECT_EQ(out[t], sum + up * 100000 + down) << t;
    EXPECT_EQ(out[32 + t], t / 16 * 16 + 7) << t;
    EXPECT_EQ(out[64 + t], votes) << t;
    EXPECT_EQ(out[96 + t], t / 5 < 6 ? 5 : 2) << t;
    EXPECT_EQ(out[128 + t], 496) << t;
  }
}

TEST_P(Control, HalfWarpsShuffleInDifferentBranches) {
  int* out = runner.array<int>(32);
  run("halves", 1, 32, out);
  for (int t = 0; t < 32; ++t) EXPECT_EQ(out[t], t < 16 ? (t + 1) % 16 : 16 + (t + 3) % 16) << t;
}

TEST_P(Control, DevicePrintfFormatsLikeTheHost) {
  run("say", 1, 32, 3);
  EXPECT_EQ(runner.printed, "thread 0 of block:  4.50 1099511627776 x %\nthread 1 of block:  4.50 1099511627776 x %\n");
}

TEST_P(Control, AFailedAssertionNamesThreadAndCondition) {
  run("insist", 1, 32, 3);
  const LaunchOutcome outcome = runner.run("insist", 1, 32, 9);
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::assertion);
  EXPECT_THAT(outcome.fault->message, HasSubstr("thread: [3,0,0] Assertion `threadIdx.x != 3 || n < 5` failed."));
}

TEST_P(Control, DeviceMallocGivesEachThreadItsOwn) {
  int* out = runner.array<int>(64);
  run("heap", 1, 64, out);
  for (int t = 0; t < 64; ++t) EXPECT_EQ(out[t], t) << t;
}

TEST_P(Control, ConstantAndDeviceVariables) {
  int* out = runner.array<int>(64);
  for (std::size_t n = 0; n < runner.module->cubin.variables.size(); ++n)
    if (runner.module->cubin.variables[n].symbol == "table")
      for (int i = 0; i < 64; ++i) reinterpret_cast<int*>(runner.module->variable_addresses[n])[i] = i * i;
  run("variables", 1, 64, out);
  for (int t = 0; t < 64; ++t) EXPECT_EQ(out[t], (t * 7 % 64) * (t * 7 % 64) + 17) << t;
}

TEST_P(Control, LocalArraysBelongToTheirThread) {
  int* out = runner.array<int>(32);
  run("local_array", 1, 32, out, 3);
  for (int t = 0; t < 32; ++t) {
    int a[32], s = 0;
    for (int i = 0; i < 32; ++i) a[i] = 3 * i;
    for (int i = 0; i < 32; ++i) s += a[(i * t + 3) % 32];
    a[t] = 5;
    EXPECT_EQ(out[t], s + a[t * 3 % 32]) << t;
  }
}

TEST_P(Control, AStoreBeyondAnAllocationIsAFault) {
  int* out = runner.array<int>(32);
  const LaunchOutcome outcome = runner.run("beyond", 1, 32, out, 8);
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::illegal_address);
  EXPECT_EQ(outcome.fault->thread, 24u);
  EXPECT_THAT(outcome.fault->message, HasSubstr("0 bytes behind the end of the allocation of 128 bytes"));
}

TEST_P(Control, AMisalignedStoreIsAFault) {
  char* out = runner.array<char>(32);
  const LaunchOutcome outcome = runner.run("crooked", 1, 1, out);
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::misaligned_address);
}

TEST_P(Control, AnAccessBeyondSharedMemoryIsAFault) {
  int* out = runner.array<int>(32);
  run("shared_beyond", 1, 32, out, 0);
  EXPECT_EQ(out[0], 31);
  const LaunchOutcome outcome = runner.run("shared_beyond", 1, 32, out, 4);
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::shared_out_of_bounds);
  EXPECT_EQ(outcome.fault->thread, 28u);
}

TEST_P(Control, ABlockThatCannotGoOnIsAFault) {
  int* out = runner.array<int>(1);
  const LaunchOutcome outcome = runner.run("stuck", 1, 64, out);
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::deadlock);
}

TEST_P(Control, ATrapIsAFaultOfItsThread) {
  const LaunchOutcome outcome = runner.run("trapped", 1, 32);
  ASSERT_TRUE(outcome.fault);
  EXPECT_EQ(outcome.fault->kind, Fault::Kind::trap);
  EXPECT_EQ(outcome.fault->thread, 9u);
}

TEST(Workers, ManyGiveTheResultsOfOne) {
  KernelRunner runner("control_sm90.cubin", 4);
  constexpr int blocks = 300;
  int* flags = runner.array<int>(blocks);
  int* out = runner.array<int>(blocks);
  EXPECT_FALSE(runner.run("chain", blocks, 32, flags, out).fault);
  for (int b = 0; b < blocks; ++b) EXPECT_EQ(out[b], 1 + b * (b + 1) / 2) << b;
  int* words = runner.array<int>(2);
  EXPECT_FALSE(runner.run("divergent_lock", 50, 64, words, words + 1).fault);
  EXPECT_EQ(words[1], 3200);
}

TEST(Warpgroups, ProductsBeginWhenAllWarpsHaveArrived) {
  KernelRunner runner("warpgroups_sm90a.cubin");
  float* sums = runner.array<float>(64 * 8);
  EXPECT_FALSE(runner.run("without_barrier", 1, 128, sums).fault);
  // Warps 0 and 2 filled columns 0 to 3 with 1 and 3, warps 1 and 3 the others with 2 and 4; 8 k each.
  for (int i = 0; i < 64 * 8; ++i) EXPECT_EQ(sums[i], i % 8 < 4 ? 32 : 48) << "row " << i / 8 << ", column " << i % 8;
}

TEST(Warpgroups, MayUseTheRegistersThatTheyAskFor) {
  KernelRunner runner("warpgroups_sm90a.cubin");
  constexpr int many = 216, threads = 256;
  float* in = runner.array<float>(many * threads);
  float* out = runner.array<float>(many * threads);
  for (int i = 0; i < many * threads; ++i) in[i] = static_cast<float>(i % 1009);
  const LaunchOutcome outcome = runner.run("more_registers", 1, 384, in, out);
  EXPECT_FALSE(outcome.fault) << outcome.fault->message;
  for (int i = 0; i < many; ++i)
    for (int t = 0; t < threads; ++t)
      ASSERT_EQ(out[threads * i + t], in[threads * i + t] * in[threads * (many - 1 - i) + t]) << i << ", thread " << t;
}

}  // namespace
}  // namespace lanebank::machine
