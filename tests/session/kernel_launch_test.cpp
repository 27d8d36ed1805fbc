// One kernel without a host program: tests/session/data/launch.cu.
#include "session/kernel_launch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <numeric>

#include "session/device_limits.hpp"

namespace lanebank::session {
namespace {

using testing::HasSubstr;

std::vector<std::byte> read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

const std::string code_path = std::string(LANEBANK_TEST_DATA) + "/launch_sm90.cubin";

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  const auto* first = reinterpret_cast<const std::byte*>(values.data());
  return {first, first + values.size() * sizeof(T)};
}

template <class T>
std::vector<T> values_of(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

class Launches : public testing::Test {
 protected:
  static Result<KernelLauncher> loaded(const std::string& checks = "all") {
    EngineOptions options;
    options.jobs = 1;
    options.checks = checks;
    return KernelLauncher::load(read(code_path), "launch.cubin", options);
  }
  static std::vector<float> numbers(std::size_t count) {
    std::vector<float> all(count);
    std::iota(all.begin(), all.end(), 0.0f);
    return all;
  }
  static KernelLaunch transposed(const std::string& kernel) {
    return {
        .kernel = kernel,
        .grid = {2, 2, 1},
        .block = {32, 32, 1},
        .arguments = {KernelArgument::buffer(bytes_of(numbers(4096))),
                      KernelArgument::buffer(std::vector<std::byte>(4096 * sizeof(float))), KernelArgument::value(64)}};
  }
};

TEST_F(Launches, KernelsAreChosenByAnySpelling) {
  const auto kernels = loaded();
  ASSERT_TRUE(kernels) << to_string(kernels.error());
  EXPECT_EQ(kernels->architecture(), 90u);
  EXPECT_EQ(kernels->kernels().size(), 7u);
  for (const char* name :
       {"_Z9transposeILi1EEvPKfPfi", "transpose<1>", "transpose<(int)1>", "transpose< 1 >(const float*, float*, int)",
        "void transpose<(int)1>(const float *, float *, int)", "transpose<1", "_Z9transposeILi1"}) {
    const auto kernel = kernels->kernel(name);
    ASSERT_TRUE(kernel) << name << ": " << to_string(kernel.error());
    EXPECT_EQ(kernel->symbol, "_Z9transposeILi1EEvPKfPfi") << name;
    EXPECT_THAT(kernel->parameter_bytes, testing::ElementsAre(8u, 8u, 4u));
  }
  for (const char* name : {"scale(float", "vectors::scale(float*, float)", "scale(float *, float)"})
    EXPECT_EQ(kernels->kernel(name).map([](const auto& one) { return one.symbol; }).value_or(""),
              "_ZN7vectors5scaleEPff")
        << name;
  EXPECT_TRUE(kernels->kernel("without")) << "a beginning";
  for (const char* name : {"transpose", "scale", "vectors::scale", "t", ""}) {
    const auto kernel = kernels->kernel(name);
    ASSERT_FALSE(kernel) << name;
    EXPECT_EQ(kernel.error().id, "kernel.ambiguous") << name;
    EXPECT_THAT(kernel.error().what, testing::AnyOf(HasSubstr("transpose<(int)0>"), HasSubstr("scale(double *")));
  }
  const auto none = kernels->kernel("transpose<2>");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().id, "kernel.missing");
  EXPECT_THAT(none.error().what, HasSubstr("without_barrier(int *)"));
}

TEST_F(Launches, ResultsAndCountsComeBack) {
  auto kernels = loaded();
  ASSERT_TRUE(kernels) << to_string(kernels.error());
  for (int turn = 0; turn < 2; ++turn) {
    const auto plain = kernels->launch(transposed("transpose<0>")),
               padded = kernels->launch(transposed("transpose<1>"));
    ASSERT_TRUE(plain && padded);
    ASSERT_EQ(plain->report.launches.size(), 1u);
    EXPECT_EQ(plain->report.launches[0].shared.excess, 4u * 32 * 31);
    EXPECT_EQ(padded->report.launches.at(0).shared.excess, 0u);
    ASSERT_EQ(plain->report.findings.size(), 1u);
    EXPECT_EQ(plain->report.findings[0].line, 10u);
    EXPECT_TRUE(padded->report.findings.empty());
    const auto in = numbers(4096), out = values_of<float>(plain->buffers[1]);
    for (std::size_t row = 0; row < 64; ++row)
      for (std::size_t column = 0; column < 64; ++column)
        ASSERT_EQ(out[column * 64 + row], in[row * 64 + column]) << row << " " << column;
    EXPECT_EQ(padded->buffers[1], plain->buffers[1]);
    EXPECT_EQ(values_of<float>(plain->buffers[0]), in);
    EXPECT_TRUE(plain->buffers[2].empty()) << "no buffer";
  }
}

TEST_F(Launches, ChecksRunByChoice) {
  const KernelLaunch launch{.kernel = "without_barrier",
                            .block = {64, 1, 1},
                            .arguments = {KernelArgument::buffer(std::vector<std::byte>(256))}};
  for (const auto& [checks, rules] : {std::pair("all", 1u), std::pair("none", 0u), std::pair("race", 1u)}) {
    auto kernels = loaded(checks);
    ASSERT_TRUE(kernels) << to_string(kernels.error());
    const auto result = kernels->launch(launch);
    ASSERT_TRUE(result) << to_string(result.error());
    unsigned races = 0;
    for (const findings::Finding& finding : result->report.findings) races += finding.rule == findings::Rule::race;
    EXPECT_EQ(races, rules) << checks;
  }
}

TEST_F(Launches, ArgumentsAreValuesBuffersAndPlacesInThem) {
  auto kernels = loaded();
  ASSERT_TRUE(kernels) << to_string(kernels.error());
  struct Triple {
    int first;
    double second;
    int third;
  };
  std::vector<int> ones(96, 1);
  ones[32] = 5;
  KernelLaunch launch{
      .kernel = "add",
      .block = {32, 1, 1},
      .dynamic_shared_bytes = 128,
      .arguments = {KernelArgument::buffer(bytes_of(ones)), KernelArgument::buffer(std::vector<std::byte>(128)),
                    KernelArgument::value(Triple{100, 20, 3}), KernelArgument::same_as(0, 128)}};
  auto result = kernels->launch(launch);
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_EQ(values_of<int>(result->buffers[1])[0], 129);
  EXPECT_EQ(values_of<int>(result->buffers[1])[1], 125);
  launch.arguments[3] = KernelArgument::value(static_cast<void*>(nullptr));
  result = kernels->launch(launch);
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_EQ(values_of<int>(result->buffers[1])[0], 124);
}

TEST_F(Launches, WhatDoesNotFitIsRefusedWithTheReason) {
  auto kernels = loaded();
  ASSERT_TRUE(kernels) << to_string(kernels.error());
  const auto refused = [&](auto&& change) {
    KernelLaunch launch = transposed("transpose<0>");
    change(launch);
    const auto result = kernels->launch(launch);
    return result ? std::string("not refused") : result.error().id + ": " + to_string(result.error());
  };
  EXPECT_THAT(refused([](auto& l) { l.arguments.pop_back(); }), HasSubstr("takes 3 arguments, not 2"));
  EXPECT_THAT(refused([](auto& l) { l.arguments[2] = KernelArgument::value(64L); }),
              HasSubstr("argument 2 of void transpose<(int)0>(const float *, float *, int): is a value of 8 bytes"));
  EXPECT_THAT(refused([](auto& l) { l.arguments[2] = l.arguments[0]; }), HasSubstr("the parameter has 4"));
  EXPECT_THAT(refused([](auto& l) { l.arguments[1] = KernelArgument::same_as(2); }), HasSubstr("is no buffer"));
  EXPECT_THAT(refused([](auto& l) { l.arguments[1] = KernelArgument::same_as(9); }), HasSubstr("is no buffer"));
  EXPECT_THAT(refused([](auto& l) { l.arguments[1] = KernelArgument::same_as(0, 16385); }), HasSubstr("points behind"));
  EXPECT_THAT(refused([](auto& l) { l.block = {32, 33, 1}; }), HasSubstr("launch.block"));
  EXPECT_THAT(refused([](auto& l) { l.block = {1, 1, 128}; }), HasSubstr("launch.block"));
  EXPECT_THAT(refused([](auto& l) { l.grid = {1, 0, 1}; }), HasSubstr("launch.grid"));
  EXPECT_THAT(refused([](auto& l) { l.dynamic_shared_bytes = 232448 - 4095; }), HasSubstr("launch.shared"));
  EXPECT_THAT(refused([](auto& l) { l.cluster = {3, 1, 1}; }), HasSubstr("no multiple"));
  EXPECT_THAT(refused([](auto& l) { l.cluster = {32, 1, 1}; }), HasSubstr("16 blocks"));
  EXPECT_THAT(refused([](auto& l) {
                l.kernel = "add";
                l.block = {128, 1, 1};
              }),
              HasSubstr("__launch_bounds__"));
}

TEST_F(Launches, AKernelThatStopsIsSaidEveryTime) {
  auto kernels = loaded();
  ASSERT_TRUE(kernels) << to_string(kernels.error());
  const KernelLaunch launch{.kernel = "traps", .arguments = {KernelArgument::buffer(std::vector<std::byte>(4))}};
  for (int turn = 0; turn < 2; ++turn) {
    const auto result = kernels->launch(launch);
    ASSERT_TRUE(result) << to_string(result.error());
    ASSERT_EQ(result->report.problems.size(), 1u) << turn;
    EXPECT_EQ(result->report.problems[0].id, "kernel.trap");
    ASSERT_EQ(result->report.launches.size(), 1u);
    EXPECT_TRUE(result->report.launches[0].fault);
  }
}

TEST(KernelLauncher, CodeThatCannotRunIsTold) {
  const auto told = [](const std::string& text, const EngineOptions& options = {}) {
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    const auto kernels = KernelLauncher::load({first, text.size()}, "file", options);
    return kernels ? std::string("loaded") : kernels.error().id + ": " + to_string(kernels.error());
  };
  EXPECT_THAT(told(""), HasSubstr("code.unknown: file"));
  EXPECT_THAT(told("hello"), HasSubstr("nvcc -cubin"));
  EXPECT_THAT(told(".version 9.0\n.target sm_90\n"), HasSubstr("ptx.no_assembler")) << "no PATH is given";
  EXPECT_THAT(told(std::string("\x50\xed\x55\xba", 4)), HasSubstr("file"));
  const auto code = read(code_path);
  const std::string cubin(reinterpret_cast<const char*>(code.data()), code.size());
  EXPECT_THAT(told(cubin), "loaded");
  EXPECT_THAT(told(cubin.substr(0, cubin.size() / 2)), HasSubstr("file"));
  EXPECT_THAT(told(cubin, {.architecture = 80}), HasSubstr("code.none: file: holds sm_90"));
  EXPECT_THAT(told(cubin, {.checks = "rase"}), HasSubstr("rase"));
  std::ifstream self("/proc/self/exe", std::ios::binary);
  EXPECT_THAT(told({std::istreambuf_iterator<char>(self), {}}), HasSubstr("code.host: file"));
}

}  // namespace
}  // namespace lanebank::session
