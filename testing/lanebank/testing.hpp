// GoogleTest assertions on kernels: free of bank conflicts, so many wavefronts, free of races, without a GPU and in the test's process.
//
//   #include <lanebank/testing.hpp>
//
//   TEST(Transpose, IsFreeOfConflicts) {
//     float *in, *out;
//     cudaMalloc(&in, bytes), cudaMalloc(&out, bytes);
//     EXPECT_CONFLICT_FREE(lanebank::testing::launch(transpose<32>, dim3(8, 8), dim3(32, 32), 0, in, out, 256));
//   }
//
// The test is compiled by nvcc and linked with lanebank::testing, whose CUDA runtime executes kernels on the CPU: the kernel is the real
// one, as ptxas made it. What one EXPECT_ looks at is everything that its argument launched: a call of `launch`, or any expression
// between braces that ends in `observed()`.
//
// A launch that fails, and one that lanebank cannot analyse, fail every assertion: nothing passes unseen.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "lanebank/observe.h"

namespace lanebank::testing {

/// What was launched, and what came of it. Figures are sums where there were several launches.
struct Launched {
  cudaError_t error = cudaSuccess;
  std::uint64_t launches = 0;
  std::uint64_t executed = 0, wavefronts = 0, ideal = 0, excess = 0;  ///< of shared memory
  std::uint64_t races = 0, errors = 0;                                ///< errors: of all checks
  std::string conflicts, checks, problems;                            ///< in words

  /// Empty, or why the figures mean nothing.
  std::string failure() const {
    if (!problems.empty()) return "lanebank cannot analyse it:\n" + problems;
    if (error != cudaSuccess)
      return std::string("the launch failed: ") + cudaGetErrorName(error) + ", " + cudaGetErrorString(error) + "\n" +
             checks;
    return launches == 0 ? "nothing was launched\n" : "";
  }
};

/// Everything since the last call, once the device has finished it.
inline Launched observed() {
  Launched result;
  result.error = cudaDeviceSynchronize();
  lanebank_observed seen = {};
  seen.version = LANEBANK_OBSERVED_VERSION;
  if (lanebank_observe(&seen) != 0) {
    result.problems = "  the CUDA runtime that this test runs with is of another version of lanebank\n";
    return result;
  }
  result.launches = seen.launches;
  result.executed = seen.executed;
  result.wavefronts = seen.wavefronts;
  result.ideal = seen.ideal;
  result.excess = seen.excess;
  result.races = seen.races;
  result.errors = seen.errors;
  result.conflicts = seen.conflicts_text;
  result.checks = seen.checks_text;
  result.problems = seen.problems_text;
  return result;
}

/// Launches the kernel with the arguments converted to its parameters' types, waits for it, and returns what was seen of this launch
/// alone. More than 48 KiB of dynamic shared memory are opted in.
template <class... Parameters, class... Arguments>
Launched launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
                Arguments&&... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments),
                "launch: as many arguments as the kernel has parameters");
  observed();
  std::tuple<Parameters...> values(std::forward<Arguments>(arguments)...);
  const auto* entry = reinterpret_cast<const void*>(kernel);
  cudaError_t error = cudaSuccess;
  constexpr std::size_t without_opting_in = 48 * 1024;
  if (shared_bytes > without_opting_in)
    error = cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes));
  if (error == cudaSuccess)
    error = std::apply(
        [&](auto&... value) {
          // One more, so that a kernel without parameters has an array too.
          void* places[] = {const_cast<void*>(static_cast<const volatile void*>(&value))..., nullptr};
          return cudaLaunchKernel(entry, grid, block, places, shared_bytes, nullptr);
        },
        values);
  Launched result = observed();
  if (error != cudaSuccess) result.error = error;
  cudaGetLastError();
  return result;
}

namespace internal {

/// Launches are kept from the first question on, so that is asked before main.
inline int listen() {
  lanebank_observed seen = {};
  seen.version = LANEBANK_OBSERVED_VERSION;
  return lanebank_observe(&seen);
}
inline const int listening = listen();

inline ::testing::AssertionResult failed(const char* expression, const std::string& why) {
  return ::testing::AssertionFailure() << expression << "\n" << why;
}

inline ::testing::AssertionResult conflict_free(const char* expression, const Launched& seen) {
  if (const std::string why = seen.failure(); !why.empty()) return failed(expression, why);
  if (seen.excess == 0) return ::testing::AssertionSuccess();
  return failed(expression, "has " + std::to_string(seen.excess) +
                                " excess wavefronts: " + std::to_string(seen.wavefronts) + ", ideal " +
                                std::to_string(seen.ideal) + "\n" + seen.conflicts);
}

inline ::testing::AssertionResult wavefronts(const char* expression, const char*, const Launched& seen,
                                             std::uint64_t wanted) {
  if (const std::string why = seen.failure(); !why.empty()) return failed(expression, why);
  if (seen.wavefronts == wanted) return ::testing::AssertionSuccess();
  return failed(expression, "takes " + std::to_string(seen.wavefronts) + " wavefronts, not " + std::to_string(wanted) +
                                "; ideal " + std::to_string(seen.ideal) + "\n" + seen.conflicts);
}

inline ::testing::AssertionResult race_free(const char* expression, const Launched& seen) {
  if (const std::string why = seen.failure(); !why.empty()) return failed(expression, why);
  if (seen.races == 0) return ::testing::AssertionSuccess();
  return failed(expression, "races in shared memory\n" + seen.checks);
}

}  // namespace internal
}  // namespace lanebank::testing

/// No wavefronts of shared memory above the ideal.
#define EXPECT_CONFLICT_FREE(...) EXPECT_PRED_FORMAT1(::lanebank::testing::internal::conflict_free, (__VA_ARGS__))
#define ASSERT_CONFLICT_FREE(...) ASSERT_PRED_FORMAT1(::lanebank::testing::internal::conflict_free, (__VA_ARGS__))

/// Exactly so many wavefronts of shared memory: EXPECT_WAVEFRONTS(launch(...), 64).
#define EXPECT_WAVEFRONTS(launched, count) \
  EXPECT_PRED_FORMAT2(::lanebank::testing::internal::wavefronts, launched, count)
#define ASSERT_WAVEFRONTS(launched, count) \
  ASSERT_PRED_FORMAT2(::lanebank::testing::internal::wavefronts, launched, count)

/// No two accesses of different threads to a byte of shared memory, one of them a store, without a barrier between.
#define EXPECT_RACE_FREE(...) EXPECT_PRED_FORMAT1(::lanebank::testing::internal::race_free, (__VA_ARGS__))
#define ASSERT_RACE_FREE(...) ASSERT_PRED_FORMAT1(::lanebank::testing::internal::race_free, (__VA_ARGS__))
