#include <gtest/gtest.h>

#include <map>

#include "session/engine.hpp"

namespace lanebank::session {
namespace {

Result<EngineOptions> read(const std::map<std::string, std::string>& variables) {
  return EngineOptions::from_environment([&](const char* name) -> const char* {
    auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(EngineOptions, OfAnEmptyEnvironmentAreTheDefaults) {
  const auto options = read({});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->architecture, 0u);
  EXPECT_EQ(options->launch_count, ~std::uint64_t{0});
  EXPECT_EQ(options->kernel_name_base, "function");
  EXPECT_TRUE(options->channel.empty());
  EXPECT_FALSE(options->access_log);
}

TEST(EngineOptions, GoThroughTheEnvironmentUnchanged) {
  EngineOptions options;
  options.architecture = 80;
  options.jobs = 3;
  options.kernel_name = "regex:a=b|c d";
  options.kernel_name_base = "demangled";
  options.launch_skip = 5;
  options.launch_count = 7;
  options.sample_blocks = 9;
  options.channel = "/tmp/some where";
  options.checks = "race,uninitialised";
  options.progress = options.all_instructions = options.access_log = true;
  std::map<std::string, std::string> variables;
  for (const std::string& entry : options.to_environment())
    variables[entry.substr(0, entry.find('='))] = entry.substr(entry.find('=') + 1);
  const auto back = read(variables);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->architecture, 80u);
  EXPECT_EQ(back->jobs, 3u);
  EXPECT_EQ(back->kernel_name, options.kernel_name);
  EXPECT_EQ(back->kernel_name_base, "demangled");
  EXPECT_EQ(back->launch_skip, 5u);
  EXPECT_EQ(back->launch_count, 7u);
  EXPECT_EQ(back->sample_blocks, 9u);
  EXPECT_EQ(back->channel, options.channel);
  EXPECT_EQ(back->checks, options.checks);
  EXPECT_TRUE(back->progress);
  EXPECT_TRUE(back->all_instructions);
  EXPECT_TRUE(back->access_log);
}

TEST(EngineOptions, NumbersThatAreNoneAreRefused) {
  for (const char* bad : {"", "x", "90x", "-1", " 90", "99999999999999999999999"})
    EXPECT_FALSE(read({{"LANEBANK_ARCH", bad}})) << bad;
  EXPECT_FALSE(read({{"LANEBANK_LAUNCH_SKIP", "1.5"}}));
  EXPECT_FALSE(read({{"LANEBANK_PROGRESS", "yes"}}));
}

}  // namespace
}  // namespace lanebank::session
