// The table of calls and the table of errors, against each other and against the real libcudart.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "cudart/calls.hpp"
#include "cudart/entry.hpp"
#include "cudart/shim/interface.h"

namespace lanebank::cudart {
namespace {

struct Row {
  std::string name, kind, detail;
};

const std::vector<Row> rows = {
#define SHIM(name) {#name, "shim", ""},
#define CALL(name, fault) {#name, "call", #fault},
#define SAME(name, as) {#name, "same", #as},
#define MISSING(name, reason) {#name, "missing", reason},
#include "cudart/runtime_calls.def"
#undef SHIM
#undef CALL
#undef SAME
#undef MISSING
};

const std::vector<Row> rows_of_13 = {
#define ONLY_12(row)
#define SHIM(name) {#name, "shim", ""},
#define CALL(name, fault) {#name, "call", #fault},
#define SAME(name, as) {#name, "same", #as},
#define MISSING(name, reason) {#name, "missing", reason},
#include "cudart/runtime_calls.def"
#undef SHIM
#undef CALL
#undef SAME
#undef MISSING
};

const lanebank_engine* start() {
  static const lanebank_shim shim{LANEBANK_INTERFACE_VERSION, static_cast<unsigned>(rows.size()), [] { return 13; },
                                  [](std::size_t, lanebank_registration*, std::size_t) -> std::size_t { return 0; }};
  return lanebank_engine_start(&shim);
}

TEST(CallTable, IsSortedWithoutRepetition) {
  for (std::size_t i = 1; i < rows.size(); ++i)
    EXPECT_LT(std::strcmp(rows[i - 1].name.c_str(), rows[i].name.c_str()), 0) << rows[i].name;
}

TEST(CallTable, GivesAFunctionForAllButTheShimsRows) {
  const lanebank_engine* engine = start();
  ASSERT_NE(engine, nullptr);
  ASSERT_EQ(engine->calls, rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(engine->table[i] == nullptr, rows[i].kind == "shim") << rows[i].name;
    EXPECT_EQ(call_name(static_cast<unsigned>(i)), rows[i].name);
  }
}

TEST(CallTable, AnotherBuildOfTheShimIsRefused) {
  const lanebank_shim other{LANEBANK_INTERFACE_VERSION, static_cast<unsigned>(rows.size()) - 1, [] { return 13; },
                            nullptr};
  EXPECT_EQ(lanebank_engine_start(&other), nullptr);
  start();
}

TEST(CallTable, MissingRowsSayWhy) {
  for (const Row& row : rows) {
    if (row.kind == "missing") {
      EXPECT_GE(row.detail.size(), 8u) << row.name;
    }
  }
}

// The calls that programs use most (two public collections of CUDA programs) are implemented.
TEST(CallTable, HoldsTheMostUsedCalls) {
  std::map<std::string, std::string> kinds;
  for (const Row& row : rows) kinds[row.name] = row.kind;
  for (const char* name : {"cudaMalloc",
                           "cudaFree",
                           "cudaMemcpy",
                           "cudaDeviceSynchronize",
                           "cudaGetErrorString",
                           "cudaMemset",
                           "cudaMemcpyAsync",
                           "cudaGetLastError",
                           "cudaGetDeviceProperties",
                           "cudaFreeHost",
                           "cudaMallocHost",
                           "cudaStreamCreate",
                           "cudaStreamDestroy",
                           "cudaStreamSynchronize",
                           "cudaStreamWaitEvent",
                           "cudaSetDevice",
                           "cudaGetDevice",
                           "cudaGetDeviceCount",
                           "cudaMallocManaged",
                           "cudaDeviceGetAttribute",
                           "cudaMemcpyToSymbol",
                           "cudaMemcpyFromSymbol",
                           "cudaPeekAtLastError",
                           "cudaMemsetAsync",
                           "cudaHostAlloc",
                           "cudaMemGetInfo",
                           "cudaEventCreate",
                           "cudaEventCreateWithFlags",
                           "cudaEventRecord",
                           "cudaEventSynchronize",
                           "cudaEventElapsedTime",
                           "cudaEventDestroy",
                           "cudaFuncSetAttribute",
                           "cudaFuncGetAttributes",
                           "cudaDeviceReset",
                           "cudaMallocPitch",
                           "cudaMemcpy2D",
                           "cudaMemcpy2DAsync",
                           "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
                           "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
                           "cudaGetSymbolAddress",
                           "cudaMallocAsync",
                           "cudaFreeAsync",
                           "cudaStreamBeginCapture",
                           "cudaStreamEndCapture",
                           "cudaGraphInstantiate",
                           "cudaGraphLaunch",
                           "__cudaLaunchKernel",
                           "cudaLaunchKernel",
                           "cudaLaunchKernelExC",
                           "cudaLaunchCooperativeKernel",
                           "cudaGetDriverEntryPointByVersion"})
    EXPECT_EQ(kinds[name], "call") << name;
}

TEST(Errors, UnknownOnesAreSaidSo) {
  EXPECT_STREQ(calls::cudaGetErrorName(static_cast<abi::Error>(12345)), "unrecognized error code");
  EXPECT_STREQ(calls::cudaGetErrorString(static_cast<abi::Error>(-1)), "unrecognized error code");
  EXPECT_STREQ(calls::cudaGetErrorName(abi::cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
  EXPECT_STREQ(calls::cudaGetErrorString(abi::cudaErrorMemoryAllocation), "out of memory");
}

#ifdef LANEBANK_REAL_CUDART
TEST(CallTable, HasEveryFunctionOfTheRealLibrary) {
  void* real = dlopen(LANEBANK_REAL_CUDART, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(real, nullptr) << dlerror();
  for (const Row& row : rows_of_13) EXPECT_NE(dlsym(real, row.name.c_str()), nullptr) << row.name;
  dlclose(real);
}

TEST(Errors, NamesAndTextsAreTheRealLibrarys) {
  void* real = dlopen(LANEBANK_REAL_CUDART, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(real, nullptr) << dlerror();
  const auto name = reinterpret_cast<const char* (*)(int)>(dlsym(real, "cudaGetErrorName"));
  const auto text = reinterpret_cast<const char* (*)(int)>(dlsym(real, "cudaGetErrorString"));
  for (int value = 0; value <= 1100; ++value) {
    EXPECT_STREQ(calls::cudaGetErrorName(static_cast<abi::Error>(value)), name(value)) << value;
    EXPECT_STREQ(calls::cudaGetErrorString(static_cast<abi::Error>(value)), text(value)) << value;
  }
  dlclose(real);
}
#endif

}  // namespace
}  // namespace lanebank::cudart
