// docs/cuda-runtime-calls.md is the page of runtime_calls.def and driver_calls.def.
// `LANEBANK_BLESS=1 cudart_page_test` writes it anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Row {
  std::string name, kind, detail;
};

const Row runtime_rows[] = {
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

const Row driver_rows[] = {
#define DRIVER(name, since) {#name, "call", ""},
#define AS(name, since, call, fault) {#name, "call", ""},
#define SAME(name, since, as) {#name, "same", ""},
#define NO_DRIVER(name) {#name, "missing", ""},
#include "cudart/driver_calls.def"
#undef DRIVER
#undef AS
#undef SAME
#undef NO_DRIVER
};

/// Names in code font, separated by blanks: prose that wraps.
std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "`" : " `") + name + "`";
  return text + "\n";
}

std::string page() {
  std::map<std::string, std::vector<std::string>> implemented, missing;
  std::size_t variants = 0;
  for (const Row& row : runtime_rows) {
    if (row.kind == "missing")
      missing[row.detail].push_back(row.name);
    else if (row.kind == "same")
      ++variants;
    else
      implemented[row.kind == "shim" ? "plain" : row.detail].push_back(row.name);
  }
  std::size_t count = 0;
  for (const auto& [fault, names] : implemented) count += names.size();
  std::ostringstream out;
  out << "# Calls of the CUDA runtime\n\n"
         "<!-- Made from src/cudart/runtime_calls.def and driver_calls.def by cudart_page_test; do not edit. -->\n\n"
         "Of the "
      << std::size(runtime_rows) << " functions that libcudart 13 exports, " << count << " are implemented, and "
      << variants
      << " more are their variants for the per-thread\n"
         "default stream (`_ptsz`, `_ptds`), which do the same. Every other one returns `cudaErrorNotSupported`, is "
         "named once on\n"
         "stderr and in the report, and makes `lanebank run` end with 122. What the calls return was compared with an "
         "NVIDIA H200:\n"
         "`tests/cudart/hardware/`. Programs built with CUDA 12 find its functions too, with the arguments that they "
         "have there.\n\n"
         "## Implemented\n\n"
         "### Calls that wait for the device\n\nThey report a fault of a kernel and print what its `printf` left.\n\n"
      << list(implemented["waits"])
      << "\n### Calls that do not wait\n\nAfter a fault they return it once a waiting call has reported it.\n\n"
      << list(implemented["queued"]) << "\n### Calls that never touch the device\n\n"
      << list(implemented["plain"]) << "\n## Not implemented\n";
  for (const auto& [reason, names] : missing) out << "\n" << reason << ": " << list(names);
  std::vector<std::string> driver;
  for (const Row& row : driver_rows)
    if (row.kind == "call") driver.push_back(row.name);
  out << "\n## Functions of the driver\n\n"
         "For programs linked with `-lcuda`, for those that open `libcuda.so.1`, and for `cudaGetDriverEntryPoint`. "
         "Those below are\n"
         "implemented, and their variants for the per-thread default stream; the others return "
         "`CUDA_ERROR_NOT_SUPPORTED` and are\n"
         "reported alike.\n\n"
      << list(driver);
  return out.str();
}

TEST(CallsPage, IsWhatTheTablesSay) {
  const std::string text = page();
  if (std::getenv("LANEBANK_BLESS")) std::ofstream(LANEBANK_CALLS_PAGE) << text;
  std::ifstream file(LANEBANK_CALLS_PAGE);
  const std::string written{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, written) << LANEBANK_CALLS_PAGE << "\nbless with LANEBANK_BLESS=1 if the tables are right";
}

/// Every implemented row is named in a test program, a transcript program or a test of calls.
TEST(CallsPage, EveryImplementedCallHasATest) {
  std::string tests;
  for (const char* path : {LANEBANK_CALL_TESTS}) {
    std::ifstream file(path);
    ASSERT_TRUE(file) << path;
    tests.append(std::istreambuf_iterator<char>(file), {});
  }
  auto mentioned = [&](const std::string& name) {
    for (std::size_t at = tests.find(name); at != std::string::npos; at = tests.find(name, at + 1)) {
      const char after = tests[at + name.size()], before = at == 0 ? ' ' : tests[at - 1];
      if (!std::isalnum(static_cast<unsigned char>(after)) && after != '_' &&
          !std::isalnum(static_cast<unsigned char>(before)) && before != '_')
        return true;
    }
    return false;
  };
  // nvcc writes these into every program with a kernel or a managed variable.
  const std::vector<std::string> written_by_nvcc = {"__cudaGetKernel", "__cudaLaunchKernel", "__cudaInitModule",
                                                    "__cudaGetProcAddress"};
  for (const Row& row : runtime_rows) {
    const bool by_nvcc = std::find(written_by_nvcc.begin(), written_by_nvcc.end(), row.name) != written_by_nvcc.end();
    EXPECT_TRUE(row.kind != "call" || by_nvcc || mentioned(row.name)) << row.name;
  }
  for (const Row& row : driver_rows) {
    // Programs write the plain name, which cuda.h turns into the newest form.
    const std::string plain = row.name.substr(0, row.name.rfind("_v"));
    EXPECT_TRUE(row.kind != "call" || mentioned(row.name) || mentioned(plain)) << row.name;
  }
}

}  // namespace
