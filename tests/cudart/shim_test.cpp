// The parts of the shim: entry points that bind at the first call, the log of registrations, the redirection
// of a library's own CUDA runtime, refusals.
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <link.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <vector>

#include "report/channel.hpp"
#include "run_program.hpp"

extern "C" {
#define _Noreturn __attribute__((noreturn))
#include "cudart/shim/shim.h"
#undef _Noreturn

// The engine of this test: each function answers 5000 + what tells that its arguments arrived.
static int engine_loads = 0, unregistered = 0;
static int answer_malloc(void** address, std::size_t bytes) {
  *address = reinterpret_cast<void*>(bytes + 1);
  return 5001;
}
static int answer_free(void*) { return 5002; }
static int answer_tiny() { return 5003; }
static double answer_many(long a, long b, long c, long d, long e, long f, double x, double y, long g) {
  return static_cast<double>(a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g) + x + 10 * y;
}
static int answer_other() { return 5000; }
static void* table[lanebank_rows];
static const lanebank_engine engine{LANEBANK_INTERFACE_VERSION, lanebank_rows, table, 0, nullptr,
                                    [] { ++unregistered; }};

const lanebank_engine* lanebank_load_engine(const lanebank_shim*) {
  ++engine_loads;
  for (void*& entry : table) entry = reinterpret_cast<void*>(&answer_other);
  for (int row : {lanebank_row___cudaRegisterFatBinary, lanebank_row___cudaRegisterFatBinaryEnd,
                  lanebank_row___cudaUnregisterFatBinary, lanebank_row___cudaRegisterFunction,
                  lanebank_row___cudaRegisterVar, lanebank_row___cudaRegisterManagedVar})
    table[row] = nullptr;
  table[lanebank_row_cudaMalloc] = reinterpret_cast<void*>(&answer_malloc);
  table[lanebank_row_cudaFree] = reinterpret_cast<void*>(&answer_free);
  table[lanebank_row___cudaGetProcAddress] = reinterpret_cast<void*>(&answer_tiny);
  table[lanebank_row_cudaMemcpy2D] = reinterpret_cast<void*>(&answer_many);
  return &engine;
}

void** __cudaRegisterFatBinary(void*);
void __cudaUnregisterFatBinary(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
int cudaMalloc(void**, std::size_t);
double cudaMemcpy2D(long, long, long, long, long, long, double, double, long);
int cudaEventQuery(void*);
}

namespace lanebank {
namespace {

/// A library opened as programs do, and what the shim needs to know of it.
struct Library {
  explicit Library(const char* path) : handle(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    if (handle == nullptr) throw std::runtime_error(dlerror());
    link_map* map = nullptr;
    dlinfo(handle, RTLD_DI_LINKMAP, &map);
    bias = map->l_addr;
  }
  ~Library() { dlclose(handle); }
  int call(const char* name) { return reinterpret_cast<int (*)()>(dlsym(handle, name))(); }
  void* handle;
  std::uintptr_t bias = 0;
};

TEST(Names, AreSortedSoThatTheyAreFound) {
  for (int row = 0; row < lanebank_rows; ++row) EXPECT_EQ(lanebank_find_row(lanebank_names[row]), row);
  EXPECT_EQ(lanebank_find_row("cudaNoSuchFunction"), -1);
  EXPECT_EQ(lanebank_find_row(""), -1);
  EXPECT_EQ(lanebank_find_row("cudaMallo"), -1);
}

TEST(Registrations, AreRecordedInOrderWithoutTheEngine) {
  const int loads = engine_loads;
  int wrapper = 0;
  const std::size_t before = [] {
    lanebank_registration records[64];
    return lanebank_registrations(0, records, 64);
  }();
  void** fatbin = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(fatbin, "stub", nullptr, "_Z6kernelv", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaUnregisterFatBinary(fatbin);
  lanebank_registration records[8];
  ASSERT_EQ(lanebank_registrations(before, records, 8), 3u);
  EXPECT_EQ(records[0].kind, lanebank_registers_fatbin);
  EXPECT_EQ(records[0].host, &wrapper);
  EXPECT_EQ(records[1].kind, lanebank_registers_kernel);
  EXPECT_STREQ(records[1].name, "_Z6kernelv");
  EXPECT_EQ(records[1].fatbin, fatbin);
  EXPECT_EQ(records[2].kind, lanebank_unregisters_fatbin);
  EXPECT_EQ(lanebank_registrations(before + 3, records, 8), 0u);
  EXPECT_EQ(lanebank_registrations(before, records, 2), 2u);
  EXPECT_EQ(engine_loads, loads);
}

TEST(Entries, BindOnceAndPassAllArguments) {
  EXPECT_EQ(cudaMemcpy2D(1, 2, 3, 4, 5, 6, 0.5, 0.25, 7), 1 + 4 + 9 + 16 + 25 + 36 + 49 + 0.5 + 2.5);
  EXPECT_EQ(cudaMemcpy2D(1, 2, 3, 4, 5, 6, 0.5, 0.25, 7), 1 + 4 + 9 + 16 + 25 + 36 + 49 + 0.5 + 2.5);
  void* address = nullptr;
  EXPECT_EQ(cudaMalloc(&address, 41), 5001);
  EXPECT_EQ(address, reinterpret_cast<void*>(42));
  EXPECT_EQ(cudaEventQuery(nullptr), 5000);
  EXPECT_EQ(engine_loads, 1);
}

TEST(Entries, UnregisteringWaitsForALoadedEngine) {
  cudaEventQuery(nullptr);
  const int before = unregistered;
  int wrapper = 0;
  __cudaUnregisterFatBinary(__cudaRegisterFatBinary(&wrapper));
  EXPECT_EQ(unregistered, before + 1);
}

TEST(Redirect, SendsTheOwnRuntimeOfALibraryToTheEntries) {
  Library library(FAKE_SYMBOLS);
  EXPECT_EQ(library.call("call_free"), 1002);
  lanebank_trampolines trampolines;
  ASSERT_EQ(lanebank_redirect(FAKE_SYMBOLS, library.bias, &trampolines), lanebank_redirected);
  EXPECT_NE(trampolines.start, nullptr);
  EXPECT_EQ(library.call("call_free"), 5002);
  EXPECT_EQ(library.call("call_tiny"), 5003);
  EXPECT_EQ(library.call("call_own"), 1004) << "functions that libcudart does not have stay";
}

TEST(Redirect, LeavesTheCodeReadOnly) {
  Library library(FAKE_SYMBOLS);
  lanebank_trampolines trampolines;
  lanebank_redirect(FAKE_SYMBOLS, library.bias, &trampolines);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) EXPECT_EQ(line.find("rwxp"), std::string::npos) << line;
}

TEST(Redirect, TellsTheKindsApart) {
  lanebank_trampolines trampolines;
  Library importer(FAKE_IMPORTER), plain(FAKE_PLAIN), driver(FAKE_DRIVER);
  EXPECT_EQ(lanebank_redirect(FAKE_DRIVER, driver.bias, &trampolines), lanebank_no_cuda);
  EXPECT_EQ(lanebank_redirect(FAKE_IMPORTER, importer.bias, &trampolines), lanebank_imports);
  EXPECT_EQ(lanebank_redirect(FAKE_PLAIN, plain.bias, &trampolines), lanebank_no_cuda);
  EXPECT_EQ(lanebank_redirect("/no/such/file", 0, &trampolines), lanebank_no_cuda);
  EXPECT_EQ(lanebank_redirect("/dev/null", 0, &trampolines), lanebank_no_cuda);
  EXPECT_EQ(trampolines.start, nullptr);
  EXPECT_EQ(plain.call("call_malloc"), 1005);
  std::size_t targets = 9;
  const std::string stripped = testing::read_file(FAKE_STRIPPED), whole = testing::read_file(FAKE_SYMBOLS);
  EXPECT_EQ(lanebank_classify(stripped.data(), stripped.size(), &targets), lanebank_stripped);
  EXPECT_EQ(targets, 0u);
  EXPECT_EQ(lanebank_classify(whole.data(), whole.size(), &targets), lanebank_redirected);
  EXPECT_EQ(targets, 3u);
}

TEST(Redirect, SurvivesDamagedFiles) {
  const std::string whole = testing::read_file(FAKE_SYMBOLS);
  std::size_t targets;
  for (std::size_t size = 0; size < whole.size(); size += 61) {
    const std::vector<char> cut(whole.begin(), whole.begin() + static_cast<long>(size));
    EXPECT_NE(lanebank_classify(cut.data(), cut.size(), &targets), lanebank_refused);
  }
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::vector<char> damaged(whole.begin(), whole.end());
    for (int change = 0; change < 3; ++change) {
      // headers and section table are where it hurts
      const std::size_t at =
          change == 0 ? random() % 64 : damaged.size() - 1 - random() % std::min<std::size_t>(damaged.size(), 2600);
      damaged[at] = static_cast<char>(random());
    }
    EXPECT_NE(lanebank_classify(damaged.data(), damaged.size(), &targets), lanebank_refused);
  }
}

TEST(Refusal, IsARecordOfTheChannel) {
  testing::TemporaryFile channel;
  const int descriptor = open(channel.path().c_str(), O_WRONLY | O_APPEND);
  lanebank_write_problem(descriptor, "program.stripped", "/a \"quoted\"\\ path\n\xc3\xa4", "is so", "do this");
  close(descriptor);
  std::string line = channel.text();
  ASSERT_FALSE(line.empty());
  ASSERT_EQ(line.back(), '\n');
  line.pop_back();
  const auto record = report::decode(line);
  ASSERT_TRUE(record) << to_string(record.error());
  EXPECT_EQ(record->process, getpid());
  const auto& problem = std::get<Diagnostic>(record->content);
  EXPECT_EQ(problem.id, "program.stripped");
  EXPECT_EQ(problem.where, "/a \"quoted\"\\ path???");
  EXPECT_EQ(problem.what, "is so");
  EXPECT_EQ(problem.remedy, "do this");
  EXPECT_EQ(problem.severity, Severity::error);
}

}  // namespace
}  // namespace lanebank
