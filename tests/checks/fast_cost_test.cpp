// The fast counts equal the exact model: on the measured patterns and on random ones.
#include "checks/fast_cost.hpp"

#include <gtest/gtest.h>

#include <random>

#include "../bank_model/truth.hpp"
#include "../random_seed.hpp"

namespace lanebank::checks {

void PrintTo(const FastCost& cost, std::ostream* out) {
  *out << cost.wavefronts << " (ideal " << cost.ideal << ", worst " << cost.worst_degree << ")";
}

namespace {

FastCost exact(const AccessRule& rule, const Access& access) {
  const Cost cost = cost_by(rule, access);
  return {cost.modelled, cost.wavefronts, cost.ideal, cost.worst_degree};
}

TEST(FastCost, EqualsTheModelOnEveryMeasuredPattern) {
  std::vector<std::string> files(std::begin(truth::h200_files), std::end(truth::h200_files));
  files.insert(files.end(), {"wavefronts.csv", "source_page.csv"});
  for (const std::string& file : files)
    for (const truth::Row& row : truth::rows_of(file)) {
      const AccessRule rule = access_rule(90, row.access.kind, row.access.lane_bytes);
      ASSERT_EQ(fast_cost(rule, row.access), exact(rule, row.access)) << row.file << ":" << row.line;
    }
}

TEST(FastCost, EqualsTheModelOnRandomPatterns) {
  std::mt19937_64 random(test_seed());
  const auto below = [&](unsigned bound) { return std::uniform_int_distribution<unsigned>(0, bound - 1)(random); };
  for (int i = 0; i < 60000 && !testing::Test::HasFailure(); ++i) {
    Access access;
    access.kind = static_cast<AccessKind>(below(12));
    access.lane_bytes = 1u << below(5);
    access.matrices = 1u << below(3);
    access.source = static_cast<SourceOrder>(below(4));
    access.total_bytes = below(5000);
    if (below(2) == 0) access.active_lanes = static_cast<std::uint32_t>(random());
    if (below(50) == 0) access.active_lanes = 0;
    const unsigned unit = below(20) == 0 ? 1 : access.lane_bytes;  // now and then misaligned
    const unsigned range = 1u << (1 + below(12)), stride = below(3) == 0 ? below(300) : 0;
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
      access.sources[lane] = access.lane_bytes * (range < 64 ? lane * range : below(4096));
    if (below(3) == 0)
      for (std::uint32_t& source : access.sources) source = below(3) == 0 ? no_source : source;
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
      access.addresses[lane] = unit * (stride != 0 ? stride * lane : below(range));
    if (below(4) == 0)
      for (unsigned lane = 0; lane < lanes_per_warp; ++lane) access.addresses[lane] = access.addresses[lane & ~1u];
    const AccessRule rule = access_rule(90, access.kind, access.lane_bytes);
    EXPECT_EQ(fast_cost(rule, access), exact(rule, access)) << "kind " << static_cast<int>(access.kind);
  }
}

}  // namespace
}  // namespace lanebank::checks
