// Unmodified CUDA programs under the preloaded runtime: how they are linked, what they load, how they end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>

#include "report/channel.hpp"
#include "run_program.hpp"

namespace lanebank {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ProgramEnd;
using testing::run_program;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::string program(const std::string& name) { return std::string(LANEBANK_PROGRAMS) + "/" + name; }

struct Observed {
  ProgramEnd end;
  findings::ProgramReport report;
};

/// As `lanebank run` does it: the shim in LD_PRELOAD, a channel for the records.
Observed run(const std::vector<std::string>& command, std::map<std::string, std::string> environment = {}) {
  testing::TemporaryFile channel;
  environment["LD_PRELOAD"] = LANEBANK_PRELOAD;
  environment["LANEBANK_CHANNEL"] = channel.path();
  Observed result{run_program(command, environment), {}};
  report::ChannelReader reader;
  EXPECT_TRUE(reader.read(channel.path()));
  reader.finish(result.report);
  return result;
}

void expect_vector_add(const std::string& name, const std::string& architecture,
                       const std::map<std::string, std::string>& environment = {}) {
  const Observed result = run({program(name)}, environment);
  EXPECT_EQ(result.end.exit_code, 0);
  EXPECT_EQ(result.end.output, "no error, 0 wrong\n");
  EXPECT_THAT(result.end.errors, IsEmpty());
  ASSERT_THAT(result.report.launches, SizeIs(1));
  EXPECT_EQ(result.report.launches[0].kernel, "add(const float *, const float *, float *, int)");
  EXPECT_EQ(result.report.launches[0].arch, architecture);
  EXPECT_THAT(result.report.problems, IsEmpty());
}

TEST(Linking, StaticRuntimeOfAPositionIndependentExecutable) { expect_vector_add("vector_add", "sm_90"); }
TEST(Linking, StaticRuntimeOfAFixedExecutable) { expect_vector_add("vector_add_fixed", "sm_90"); }
TEST(Linking, SharedRuntime) { expect_vector_add("vector_add_shared", "sm_90"); }
TEST(Linking, SharedRuntimeOfAStrippedExecutable) { expect_vector_add("vector_add_shared_stripped", "sm_90"); }
TEST(Linking, LinkedToLanebankItself) { expect_vector_add("vector_add_linked", "sm_90"); }
TEST(Linking, LinkedToLanebankItselfAndStripped) { expect_vector_add("vector_add_linked_stripped", "sm_90"); }
TEST(Linking, WithoutDebugSymbols) { expect_vector_add("vector_add_debug_stripped", "sm_90"); }
TEST(Linking, PlainNvcc) { expect_vector_add("vector_add_default", "sm_75"); }
TEST(Linking, ArchitectureOfTutorials) { expect_vector_add("vector_add_80", "sm_80"); }

TEST(Linking, RunsWithoutTheToolkitWhenTheRuntimeIsShared) {
  // The real libcudart.so.13 is out of reach; the one beside the shim lets the program start.
  expect_vector_add("vector_add_shared_no_rpath", "sm_90", {{"LD_LIBRARY_PATH", LANEBANK_STUBS}});
}

TEST(Linking, LinkedToLanebankRunsByItself) {
  const ProgramEnd end = run_program({program("vector_add_linked_stripped")});
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.output, "no error, 0 wrong\n");
  EXPECT_THAT(end.errors, IsEmpty());
}

TEST(Linking, StrippedStaticRuntimeIsRefusedWithBothRemedies) {
  const Observed result = run({program("vector_add_stripped")});
  EXPECT_EQ(result.end.exit_code, 122);
  EXPECT_THAT(result.end.output, IsEmpty());
  ASSERT_THAT(result.report.problems, SizeIs(1));
  EXPECT_EQ(result.report.problems[0].id, "program.stripped");
  EXPECT_THAT(result.report.problems[0].where, HasSubstr("vector_add_stripped"));
  EXPECT_THAT(result.report.problems[0].remedy, HasSubstr("-cudart shared"));
  EXPECT_THAT(result.report.problems[0].remedy, HasSubstr("do not strip"));
}

TEST(Linking, WithoutAChannelTheRefusalGoesToStderr) {
  const ProgramEnd end = run_program({program("vector_add_stripped")}, {{"LD_PRELOAD", LANEBANK_PRELOAD}});
  EXPECT_EQ(end.exit_code, 122);
  EXPECT_THAT(end.errors, StartsWith("lanebank: "));
  EXPECT_THAT(end.errors, HasSubstr("-cudart shared"));
}

TEST(Linking, SeparateCompilation) {
  const Observed result = run({program("separate")});
  EXPECT_EQ(result.end.output, "1001 1004 1009 1016, no error\n");
  EXPECT_THAT(result.report.launches, SizeIs(1));
}

TEST(Linking, CodeForAnotherArchitectureNamesTheFlag) {
  const Observed result = run({program("vector_add_120")});
  EXPECT_THAT(result.end.output, StartsWith("no kernel image is available for execution on the device"));
  ASSERT_THAT(result.report.problems, SizeIs(1));
  EXPECT_THAT(result.report.problems[0].remedy, HasSubstr("-gencode arch=compute_90,code=sm_90"));
}

TEST(Linking, ProgramsWithoutCudaRunUntouched) {
  const Observed result = run({"/bin/echo", "hello"});
  EXPECT_EQ(result.end.exit_code, 0);
  EXPECT_EQ(result.end.output, "hello\n");
  EXPECT_THAT(result.end.errors, IsEmpty());
  EXPECT_THAT(result.report.launches, IsEmpty());
}

TEST(Libraries, OpenedAtRunTimeAreCaughtBeforeTheirConstructors) {
  const Observed result = run({program("plugin_user"), program("libplugin.so")});
  EXPECT_EQ(result.end.output, "at start 209, later 115\nat start 209, later 115\nat start 209, later 115\n");
  EXPECT_THAT(result.report.launches, SizeIs(6));
}

TEST(Libraries, LinkedOnesAreCaughtBeforeTheirConstructors) {
  const Observed result = run({program("plugin_linked")});
  EXPECT_EQ(result.end.output, "at start 209, later 115\n");
  EXPECT_THAT(result.report.launches, SizeIs(2));
}

TEST(Libraries, StrippedOnesEndTheProgramWithTheRemedies) {
  const Observed result = run({program("plugin_user"), program("libplugin_stripped.so")});
  EXPECT_EQ(result.end.exit_code, 122);
  ASSERT_THAT(result.report.problems, SizeIs(1));
  EXPECT_THAT(result.report.problems[0].where, HasSubstr("libplugin_stripped.so"));
}

struct Ending {
  const char* way;
  int exit_code;
  std::size_t launches;
};

class Endings : public ::testing::TestWithParam<Ending> {};

TEST_P(Endings, KeepTheRecordsOfFinishedLaunches) {
  const Observed result = run({program("ends"), GetParam().way});
  EXPECT_EQ(result.end.exit_code, GetParam().exit_code);
  EXPECT_THAT(result.report.launches, SizeIs(GetParam().launches));
  EXPECT_EQ(static_cast<std::size_t>(std::count(result.end.output.begin(), result.end.output.end(), '\n')),
            GetParam().launches);
}

INSTANTIATE_TEST_SUITE_P(All, Endings,
                         ::testing::Values(Ending{"return", 0, 1}, Ending{"fork", 0, 3}, Ending{"exec", 0, 2},
                                           Ending{"destructor", 0, 1}, Ending{"threads", 0, 3}, Ending{"_exit", 3, 1},
                                           Ending{"abort", 128 + 6, 1}, Ending{"kill", 128 + 9, 1},
                                           Ending{"segv", 128 + 11, 1}),
                         [](const auto& info) {
                           return std::string(info.param.way[0] == '_' ? info.param.way + 1 : info.param.way);
                         });

TEST(Calls, MissingOnesAreNamedOnceAndReported) {
  const Observed result = run({program("missing_call")});
  EXPECT_EQ(result.end.output, "cudaErrorNotSupported cudaErrorNotSupported cudaErrorNotSupported\n");
  const std::string& errors = result.end.errors;
  EXPECT_THAT(errors, HasSubstr("cudaIpcGetMemHandle is not implemented"));
  EXPECT_EQ(errors.find("cudaIpcGetMemHandle"), errors.rfind("cudaIpcGetMemHandle"));
  ASSERT_THAT(result.report.problems, SizeIs(1));
  EXPECT_EQ(result.report.problems[0].where, "cudaIpcGetMemHandle");
}

TEST(Textures, ByGradientsInMipmappedArraysAreRefused) {
  const Observed result = run({program("missing_call"), "gradients"});
  EXPECT_EQ(result.end.output, "cudaErrorLaunchFailure\n");
  EXPECT_THAT(result.end.errors, HasSubstr("gradients in a mipmapped array"));
}

TEST(Calls, OfTheDriverWorkBesideTheRuntime) {
  if (access(program("driver_calls").c_str(), X_OK) != 0) GTEST_SKIP() << "no libcuda to link with";
  const Observed result = run({program("driver_calls")}, {{"LD_LIBRARY_PATH", LANEBANK_STUBS}});
  EXPECT_EQ(result.end.output, "1 x NVIDIA H200, 9.x\nall right\n");
  EXPECT_THAT(result.end.errors, HasSubstr("cuGreenCtxDestroy is not implemented"));
  EXPECT_THAT(result.report.launches, SizeIs(7));
  ASSERT_THAT(result.report.problems, SizeIs(1));
  EXPECT_EQ(result.report.problems[0].where, "cuGreenCtxDestroy");
}

TEST(Calls, CodeThatNvrtcCompilesRuns) {
  if (access(program("nvrtc").c_str(), X_OK) != 0) GTEST_SKIP() << "no NVRTC, or no libcuda to link with";
  const Observed result = run({program("nvrtc")}, {{"LD_LIBRARY_PATH", LANEBANK_STUBS}});
  EXPECT_EQ(result.end.output, "compute_90 62\nsm_90 62\n") << result.end.errors;
  EXPECT_THAT(result.report.launches, SizeIs(2));
  EXPECT_THAT(result.report.problems, IsEmpty());
}

TEST(EndlessWaits, EndWithWhatIsMissing) {
  const Observed bytes = run({program("endless_wait"), "bytes"});
  EXPECT_EQ(bytes.end.output, "cudaErrorLaunchTimeout\n");
  EXPECT_THAT(bytes.end.errors, HasSubstr("still waits for 1 arrival and 480 bytes"));
  const Observed cluster = run({program("endless_wait"), "cluster"});
  EXPECT_EQ(cluster.end.output, "cudaErrorLaunchTimeout\n");
  EXPECT_THAT(cluster.end.errors, HasSubstr("still waits for 1 arrival and 0 bytes"));
  const Observed right = run({program("endless_wait"), "right"});
  EXPECT_EQ(right.end.output, "cudaSuccess\n");
  EXPECT_THAT(right.end.errors, IsEmpty());
}

TEST(Samples, SpreadBlocksOverTheGridAndScaleTheFigures) {
  const Observed whole = run({program("which_blocks")});
  const Observed part = run({program("which_blocks")}, {{"LANEBANK_SAMPLE_BLOCKS", "7"}});
  EXPECT_EQ(part.end.output, " 0 14 28 42 57 71 85\n 0 1 2 3 4 5 6 7\n");
  ASSERT_THAT(whole.report.launches, SizeIs(2));
  ASSERT_THAT(part.report.launches, SizeIs(2));
  const auto &exact = whole.report.launches[0], &scaled = part.report.launches[0];
  EXPECT_EQ(exact.sampled_blocks, 0u);
  EXPECT_EQ(scaled.sampled_blocks, 7u);
  EXPECT_EQ(scaled.warp_instructions, exact.warp_instructions) << "all blocks do the same";
  EXPECT_EQ(scaled.shared, exact.shared);
  EXPECT_EQ(exact.shared.wavefronts, 500u) << "of a block: two stores of two, one load of one";
  const Observed pair = run({program("which_blocks")}, {{"LANEBANK_SAMPLE_BLOCKS", "3"}});
  EXPECT_EQ(pair.report.launches[1].sampled_blocks, 4u) << "clusters run whole";
}

TEST(Barriers, OfGridsAndBehindSplitWarps) {
  for (const char* name : {"barriers_75", "barriers_80", "barriers_90"}) {
    const Observed result = run({program(name)});
    // 1 + ... + 40; 0 + ... + 14 and 17 ones; 32 ones: an H200 prints the same. Then sums of 4 choose k times lanes;
    // lanes outside the branch keep their number.
    EXPECT_EQ(result.end.output, "cudaSuccess 820 820\n122 122 32\ncudaSuccess\ncudaSuccess 32 192 31\n") << name;
  }
}

TEST(Barriers, OfPipelinesWithAsynchronousCopies) {
  for (const char* name : {"pipelines_80", "pipelines_90"}) {
    const Observed result = run({program(name)});
    EXPECT_EQ(result.end.output, "no error\n0 wrong\n") << name;
  }
}

/// Runs a program of hardware/ that ends with 1 when a value is not the guide's, on the architectures that it was built for: all
/// print the same.
void expect_the_guides_words(const std::string& topic, const std::string& last_line) {
  std::string first;
  for (const char* architecture : {LANEBANK_TEXTURE_ARCHITECTURES}) {
    const Observed result = run({program(topic + architecture)});
    EXPECT_EQ(result.end.exit_code, 0) << result.end.output;
    EXPECT_THAT(result.end.output, HasSubstr(last_line));
    if (first.empty()) first = result.end.output;
    EXPECT_EQ(result.end.output, first) << topic << architecture << " differs from sm_75";
  }
}

TEST(Textures, AreWhatTheGuideSays) { expect_the_guides_words("textures", "1000 elements: "); }
TEST(Textures, AndSurfacesToo) { expect_the_guides_words("surfaces", "cudaFreeArray(nullptr) "); }

TEST(Textures, AndArraysOfTheDriverInterface) {
  if (access(program("driver_arrays").c_str(), X_OK) != 0) GTEST_SKIP() << "no libcuda to link with";
  const Observed result = run({program("driver_arrays")}, {{"LD_LIBRARY_PATH", LANEBANK_STUBS}});
  EXPECT_EQ(result.end.output, "all right\n") << result.end.errors;
}

TEST(Calls, MoveDataAsTheHostDoes) {
  const Observed result = run({program("data")});
  EXPECT_EQ(result.end.exit_code, 0) << result.end.output << result.end.errors;
  EXPECT_THAT(result.end.output, HasSubstr("all right"));
}

TEST(Memory, WordsOfEightBytesAreReadAndWrittenWhole) {
  const Observed result = run({program("whole_words")}, {{"LANEBANK_JOBS", "2"}});
  EXPECT_EQ(result.end.output, "no error, 0 torn\n") << result.end.errors;
}

}  // namespace
}  // namespace lanebank
