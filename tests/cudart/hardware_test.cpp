// The transcripts that programs print on an NVIDIA H200 (hardware/*.h200.txt), printed by the same programs
// under lanebank: properties, errors of calls and launches, faults, occupancy, forks.
#include <gtest/gtest.h>

#include <sstream>

#include "run_program.hpp"

namespace lanebank {
namespace {

class Hardware : public ::testing::TestWithParam<const char*> {};

TEST_P(Hardware, TranscriptIsTheSame) {
  const std::string topic = GetParam(), program = std::string(LANEBANK_PROGRAMS) + "/" + topic;
  if (topic.starts_with("driver_") && access(program.c_str(), X_OK) != 0) GTEST_SKIP() << "no libcuda to link with";
  const auto end =
      testing::run_program({program}, {{"LD_PRELOAD", LANEBANK_PRELOAD}, {"LD_LIBRARY_PATH", LANEBANK_STUBS}});
  EXPECT_EQ(end.exit_code, 0) << end.errors;
  std::istringstream ours(end.output), theirs(testing::read_file(std::string(LANEBANK_TRANSCRIPTS) + "/" +
                                                                 topic.substr(0, topic.find("_90")) + ".h200.txt"));
  std::string our_line, their_line;
  for (int line = 1; std::getline(theirs, their_line); ++line) {
    ASSERT_TRUE(std::getline(ours, our_line)) << "ends before line " << line;
    EXPECT_EQ(our_line, their_line) << "line " << line;
  }
  EXPECT_FALSE(std::getline(ours, our_line)) << "goes on: " << our_line;
}

INSTANTIATE_TEST_SUITE_P(All, Hardware,
                         ::testing::Values("properties", "launch_errors", "faults", "memory_errors", "streams_events",
                                           "functions", "tensor_map", "processes", "rarer_calls", "launch_words",
                                           "bulk_copies", "groups", "graph_nodes", "graph_calls", "graph_conditionals",
                                           "graph_memory", "mipmaps", "store_order", "wide_atomics", "driver_contexts",
                                           "driver_memory", "driver_modules", "textures_90", "surfaces_90",
                                           "texture_rounding", "remote_stores", "im2col", "surface_formats",
                                           "texture_offsets"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace lanebank
