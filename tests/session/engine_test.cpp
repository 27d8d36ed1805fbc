// The engine around its edges; what it does with real machine code is tested by tests/truth.
#include "session/engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "report/channel.hpp"

namespace lanebank::session {
namespace {

using testing::HasSubstr;

/// A fatbin container with one entry: kind 1 PTX, 2 cubin.
std::vector<std::byte> fatbin(unsigned kind, unsigned architecture, const std::string& payload) {
  std::string padded = payload;
  padded.resize((payload.size() + 7) / 8 * 8);
  std::string bytes(16 + 64, '\0');
  auto put = [&](std::size_t offset, std::uint64_t value, std::size_t size) {
    std::memcpy(bytes.data() + offset, &value, size);
  };
  put(0, 0xba55ed50, 4);
  put(4, 1, 2);
  put(6, 16, 2);
  put(8, 64 + padded.size(), 8);
  put(16, kind, 2);
  put(18, 0x0101, 2);
  put(20, 64, 4);
  put(24, padded.size(), 8);
  put(16 + 28, architecture, 4);
  put(16 + 40, 1, 8);
  bytes += padded;
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  return {data, data + bytes.size()};
}

class Engines : public testing::Test {
 protected:
  Engines() { std::ofstream(channel_).close(); }
  ~Engines() override { std::filesystem::remove(channel_); }

  EngineOptions options() const {
    EngineOptions options;
    options.channel = channel_;
    options.jobs = 1;
    return options;
  }

  findings::ProgramReport told() const {
    report::ChannelReader reader;
    EXPECT_TRUE(reader.read(channel_));
    findings::ProgramReport report;
    reader.finish(report);
    return report;
  }

  std::string channel_ = testing::TempDir() + "engine-" + std::to_string(::getpid());
};

TEST_F(Engines, AProgramWithoutUsableCodeIsToldTheFlagOfNvcc) {
  const auto bytes = fatbin(2, 120, "cubin");
  Engine engine(options(), {});
  const std::size_t handle = engine.add_fatbin({{bytes}, "./app"});
  for (int turn = 0; turn < 2; turn++) {
    const auto module = engine.module(handle);
    ASSERT_FALSE(module);
    EXPECT_EQ(module.error().id, "code.none");
    EXPECT_THAT(module.error().what, HasSubstr("sm_120"));
    EXPECT_THAT(module.error().remedy, HasSubstr("-gencode arch=compute_90,code=sm_90"));
    EXPECT_FALSE(engine.kernel(handle, "k"));
    EXPECT_FALSE(engine.variable(handle, "v"));
  }
  ASSERT_EQ(told().problems.size(), 1u) << "once, however often it is met";
  EXPECT_EQ(told().problems[0].where, "./app");
}

TEST_F(Engines, PtxWithoutPtxasIsToldBoth) {
  const auto bytes = fatbin(1, 75, ".version 8.0");
  EngineOptions without = options();
  without.search_path = "/nonexistent";
  Engine engine(without, {});
  const auto module = engine.module(engine.add_fatbin({{bytes}, "./app"}));
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().id, "ptx.no_assembler");
  EXPECT_THAT(module.error().remedy, HasSubstr("nvcc -arch=sm_90"));
}

TEST_F(Engines, DamagedFatbinsAndCubinsAreDiagnostics) {
  Engine engine(options(), {});
  auto bytes = fatbin(2, 90, "no ELF at all");
  EXPECT_FALSE(engine.module(engine.add_fatbin({{bytes}, "./app"})));
  auto cut = bytes;
  cut.resize(40);
  const auto module = engine.module(engine.add_fatbin({{cut}, "./app"}));
  ASSERT_FALSE(module);
  EXPECT_THAT(module.error().where, HasSubstr("./app"));
  EXPECT_FALSE(engine.module(engine.add_fatbin({{}, "./app"})));
  EXPECT_FALSE(engine.module(12345));
  EXPECT_GE(told().problems.size(), 2u);
}

TEST_F(Engines, TheDeviceHasTheArchitectureOfTheCode) {
  const auto old = fatbin(2, 80, "cubin");
  Engine engine(options(), {});
  engine.add_fatbin({{old}, "./app"});
  EXPECT_EQ(engine.architecture(), 80u);
  EXPECT_EQ(Engine(options(), {}).architecture(), 90u);
  EngineOptions chosen = options();
  chosen.architecture = 86;
  EXPECT_EQ(Engine(chosen, {}).architecture(), 86u);
}

TEST_F(Engines, AnUnsupportedCallIsRecordedOnce) {
  Engine engine(options(), {});
  engine.unsupported_call("cudaFoo");
  engine.unsupported_call("cudaFoo");
  engine.unsupported_call("cudaBar");
  const auto report = told();
  ASSERT_EQ(report.problems.size(), 2u);
  EXPECT_EQ(report.problems[0].id, "call.unsupported");
  EXPECT_EQ(report.problems[0].where, "cudaFoo");
}

TEST_F(Engines, WhatMakesReportingImpossibleIsKeptForTheCaller) {
  EXPECT_FALSE(Engine(options(), {}).setup_error());
  EngineOptions bad = options();
  bad.channel = "/nonexistent/channel";
  EXPECT_TRUE(Engine(bad, {}).setup_error());
  bad = options();
  bad.kernel_name = "regex:(";
  EXPECT_TRUE(Engine(bad, {}).setup_error());
  EngineOptions none;
  EXPECT_FALSE(Engine(none, {}).setup_error()) << "a linked-in runtime has no channel";
}

TEST_F(Engines, AFatbinCanGo) {
  const auto bytes = fatbin(2, 120, "cubin");
  Engine engine(options(), {});
  const std::size_t handle = engine.add_fatbin({{bytes}, "./app"});
  (void)engine.module(handle);
  engine.remove_fatbin(handle);
  engine.remove_fatbin(handle);
  const auto module = engine.module(handle);
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().id, "fatbin.unknown");
}

}  // namespace
}  // namespace lanebank::session
