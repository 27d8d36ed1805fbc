#include <gtest/gtest-spi.h>

#include <lanebank/testing.hpp>

#include "transpose.cuh"

namespace {

using lanebank::testing::launch;

__global__ void without_barrier(int* out) {
  __shared__ int slots[64];
  slots[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = slots[63 - threadIdx.x];
}

__global__ void large(int* out) {
  extern __shared__ int dynamic[];
  dynamic[threadIdx.x] = 1;
  out[threadIdx.x] = dynamic[threadIdx.x];
}

TEST(HostCode, IsObservedFromTheBeginning) {
  int* out;
  cudaMalloc(&out, 256);
  without_barrier<<<1, 64>>>(out);
  large<<<1, 64, 256>>>(out);
  const auto seen = lanebank::testing::observed();
  EXPECT_EQ(seen.launches, 2u);
  EXPECT_EQ(seen.races, 1u);
  EXPECT_GE(seen.executed, 4u);
  EXPECT_EQ(seen.failure(), "");
  cudaFree(out);
}

class Kernels : public testing::Test {
 protected:
  static constexpr int n = 64;
  Kernels() {
    cudaMalloc(&in, sizeof(float) * n * n);
    cudaMalloc(&out, sizeof(float) * n * n);
  }
  ~Kernels() override {
    cudaFree(in);
    cudaFree(out);
  }
  const dim3 grid{n / 32, n / 32}, block{32, 32};
  static float *in, *out;  // EXPECT_NONFATAL_FAILURE reaches no members
};
float *Kernels::in, *Kernels::out;

lanebank::testing::Launched plain(float* in, float* out) {
  return launch(transpose<0>, dim3(2, 2), dim3(32, 32), 0, in, out, 64);
}
lanebank::testing::Launched racy(float* out) {
  return launch(without_barrier, dim3(1), dim3(64), 0, reinterpret_cast<int*>(out));
}

TEST_F(Kernels, OnPaddedRowsAreFreeOfConflictsAndRaces) {
  EXPECT_CONFLICT_FREE(launch(transpose<1>, grid, block, 0, in, out, n));
  ASSERT_RACE_FREE(launch(transpose<1>, grid, block, 0, in, out, n));
  EXPECT_WAVEFRONTS(launch(transpose<1>, grid, block, 0, in, out, n), 4u * 64);
  EXPECT_CONFLICT_FREE(launch(large, dim3(1), dim3(64), 100000, reinterpret_cast<int*>(out)));
}

TEST_F(Kernels, FailuresShowLineLanesAndPicture) {
  EXPECT_NONFATAL_FAILURE(EXPECT_CONFLICT_FREE(plain(in, out)), "has 3968 excess wavefronts: 4224, ideal 256");
  EXPECT_NONFATAL_FAILURE(EXPECT_CONFLICT_FREE(plain(in, out)), "transpose.cuh:7");
  EXPECT_NONFATAL_FAILURE(EXPECT_CONFLICT_FREE(plain(in, out)), "lanes 0..31 read 32 different words of one bank: a column");
  EXPECT_NONFATAL_FAILURE(EXPECT_CONFLICT_FREE(plain(in, out)), "     7   7!  .   .   .");
  EXPECT_NONFATAL_FAILURE(EXPECT_WAVEFRONTS(plain(in, out), 256u), "takes 4224 wavefronts, not 256");
  EXPECT_NONFATAL_FAILURE(EXPECT_RACE_FREE(racy(out)), "kernels_test.cu:14: race:");
  EXPECT_RACE_FREE(plain(in, out)) << "a race is forgotten with its launch";
}

TEST_F(Kernels, ThatFailOrDoNotRunFailEveryAssertion) {
  EXPECT_NONFATAL_FAILURE(EXPECT_RACE_FREE(launch(transpose<1>, dim3(1), dim3(33, 32), 0, in, out, 64)),
                          "the launch failed: cudaErrorInvalid");
  EXPECT_NONFATAL_FAILURE(EXPECT_CONFLICT_FREE(lanebank::testing::observed()), "nothing was launched");
}

// Spoils the device, as a fault does: last in this program.
TEST(Last, AFaultIsToldWithItsPlace) {
  EXPECT_NONFATAL_FAILURE(EXPECT_CONFLICT_FREE(launch(transpose<1>, dim3(1), dim3(32, 32), 0, nullptr, nullptr, 64)),
                          "transpose.cuh:5");
}

}  // namespace
