// Laws of the bank model on random patterns, and the model against a reference that follows its definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "../random_seed.hpp"
#include "lanebank/bank_model.hpp"

namespace lanebank {
namespace {

struct KindAndWidth {
  AccessKind kind;
  unsigned lane_bytes;
};

std::vector<KindAndWidth> lane_kinds() {
  std::vector<KindAndWidth> kinds;
#define LANEBANK_ACCESS_RULE(sm, since, kind, lane_bytes, counting, ideal, group, paired, passes, note) \
  if (Counting::counting == Counting::distinct_words || Counting::counting == Counting::lanes ||        \
      Counting::counting == Counting::quad_words || Counting::counting == Counting::copied_lanes)       \
    kinds.push_back({AccessKind::kind, lane_bytes});
#include "lanebank/access_rules.def"
  return kinds;
}

class Laws : public testing::Test {
 protected:
  Laws() : random_(test_seed()) {}

  unsigned below(unsigned bound) { return std::uniform_int_distribution<unsigned>(0, bound - 1)(random_); }

  /// Strided, tiled, clustered, equal or scattered addresses; some lanes off.
  Access pattern(KindAndWidth kind) {
    Access access;
    access.kind = kind.kind;
    access.lane_bytes = kind.lane_bytes;
    access.matrices = 1u << below(3);
    access.source = below(2) == 0 ? SourceOrder::consecutive : SourceOrder::given;
    const unsigned source_stride = 1 + below(40), source_range = 1u << below(12);
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
      access.sources[lane] = (source_range < 64 ? lane * source_stride : below(source_range)) * kind.lane_bytes;
    if (access.source == SourceOrder::given && kind.kind == AccessKind::async_copy_ca && below(3) == 0) {
      if (below(2) == 0) access.source = SourceOrder::zero_filling;
      for (std::uint32_t& source : access.sources) source = below(3) == 0 ? no_source : source;
    }
    const unsigned shape = below(5), stride = below(80), columns = 1u << below(6), rows_apart = below(200);
    const unsigned range = 1u << (1 + below(10));
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
      unsigned element = 0;
      if (shape == 0) element = lane * stride;
      if (shape == 1) element = lane % columns + lane / columns * rows_apart;
      if (shape == 2) element = below(range);
      if (shape == 3) element = below(3) * 32 + below(2);
      if (shape == 4) element = lane / 2 * stride;
      access.addresses[lane] = element * kind.lane_bytes;
    }
    const unsigned lanes = below(4);
    if (lanes == 1) access.active_lanes = static_cast<std::uint32_t>(random_());
    if (lanes == 2) access.active_lanes = 0x55555555u << below(2);
    if (lanes == 3 && below(2) == 0) access.active_lanes = 1u << below(32);
    return access;
  }

  std::mt19937_64 random_;
};

struct Counts {
  unsigned wavefronts = 0, ideal = 0;
  bool operator==(const Counts& other) const { return wavefronts == other.wavefronts && ideal == other.ideal; }
};
std::ostream& operator<<(std::ostream& out, const Counts& c) {
  return out << c.wavefronts << " (ideal " << c.ideal << ")";
}

/// Degree or lane degree of the lanes, with sets.
unsigned degree_of(const Access& access, const std::vector<unsigned>& lanes, bool by_lanes) {
  std::map<unsigned, std::multiset<std::uint32_t>> banks;
  for (const unsigned lane : lanes)
    for (std::uint32_t byte = 0; byte < access.lane_bytes; byte += 4) {
      const std::uint32_t word = (access.addresses[lane] + byte) / 4;
      auto& words = banks[word % 32];
      if (by_lanes || words.count(word) == 0) words.insert(word);
    }
  std::size_t degree = 0;
  for (const auto& [bank, words] : banks) degree = std::max(degree, words.size());
  return static_cast<unsigned>(degree);
}

/// Of cp.async.ca: the most lanes that one lane meets.
unsigned most_met(const Access& access, const std::vector<unsigned>& lanes) {
  const auto source = [&](unsigned lane) {
    return has_sources(access.source) ? access.sources[lane] : lane * access.lane_bytes;
  };
  const auto meet_at_source = [&](unsigned one, unsigned other) {
    return source(one) != no_source && source(other) != no_source && source(one) % 128 == source(other) % 128;
  };
  unsigned most = 0;
  for (const unsigned lane : lanes) {
    unsigned met = 0;
    for (const unsigned other : lanes)
      met += meet_at_source(lane, other) || access.addresses[lane] % 128 == access.addresses[other] % 128;
    most = std::max(most, met);
  }
  return most;
}

/// Of a load of 16 bytes: the degrees of its quarter-warps, or of the half-warps that are served as one.
std::vector<unsigned> quarters_of(const Access& access, const std::vector<unsigned>& lanes) {
  const std::set<unsigned> active(lanes.begin(), lanes.end());
  std::vector<unsigned> found;
  for (unsigned first = 0; first < 32; first += 16) {
    std::vector<unsigned> quarters[2], half;
    for (const unsigned lane : lanes)
      if (lane / 16 * 16 == first) half.push_back(lane), quarters[lane / 8 % 2].push_back(lane);
    const auto paired = [&](unsigned partner, bool may_be_alone) {
      return std::all_of(half.begin(), half.end(), [&](unsigned lane) {
        return active.count(lane ^ partner) == 0 ? may_be_alone
                                                 : access.addresses[lane] == access.addresses[lane ^ partner];
      });
    };
    const bool alone = first == 16 || active.count(31) == 0;
    const bool joins = (first == 0 && alone) || paired(1, alone) || paired(2, alone);
    if (!half.empty() && joins && degree_of(access, half, false) == 1) {
      found.push_back(1);
    } else {
      for (const auto& quarter : quarters)
        if (!quarter.empty()) found.push_back(degree_of(access, quarter, false));
    }
  }
  return found;
}

/// Straight from the definition.
Counts reference(const Access& access) {
  const bool by_lanes = access.kind == AccessKind::atomic || access.kind == AccessKind::atomic_cas;
  const bool matrix = access.kind == AccessKind::matrix_load || access.kind == AccessKind::matrix_store;
  std::vector<unsigned> lanes;
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((access.active_lanes >> lane & 1) != 0 && (!matrix || lane < 8 * access.matrices)) lanes.push_back(lane);
  const unsigned size = access.lane_bytes == 16 ? 8 : access.lane_bytes == 8 ? 16 : 32;
  const auto paired = [&](unsigned partner) {
    return std::all_of(lanes.begin(), lanes.end(), [&](unsigned lane) {
      return std::find(lanes.begin(), lanes.end(), lane ^ partner) == lanes.end() ||
             access.addresses[lane] == access.addresses[lane ^ partner];
    });
  };
  const unsigned passes = access.kind == AccessKind::atomic_cas ? 2 : 1;
  const auto degrees = [&](unsigned group_lanes) {
    std::vector<unsigned> result;
    for (unsigned first = 0; first < 32; first += group_lanes) {
      std::vector<unsigned> group;
      for (const unsigned lane : lanes)
        if (lane / group_lanes * group_lanes == first) group.push_back(lane);
      if (!group.empty())
        result.push_back(access.kind == AccessKind::async_copy_ca ? most_met(access, group)
                                                                  : degree_of(access, group, by_lanes));
    }
    return result;
  };
  const bool one = std::all_of(lanes.begin(), lanes.end(), [&](unsigned lane) {
    return access.addresses[lane] == access.addresses[lanes.front()];
  });
  std::vector<unsigned> found = degrees(size);
  if (access.kind == AccessKind::load && access.lane_bytes == 8) {
    const std::vector<unsigned> joined = degrees(2 * size);
    if (joined == std::vector<unsigned>{1} && (paired(1) || paired(2))) found = joined;
  } else if (access.kind == AccessKind::load && access.lane_bytes == 16) {
    found = one ? std::vector<unsigned>((lanes.size() + 15) / 16, 1) : quarters_of(access, lanes);
  }
  Counts counts;
  for (const unsigned degree : found) counts.wavefronts += passes * degree;
  counts.ideal = matrix ? static_cast<unsigned>(found.size())
                        : passes * static_cast<unsigned>((lanes.size() * access.lane_bytes + 127) / 128);
  counts.ideal = std::min(counts.ideal, counts.wavefronts);
  return counts;
}

Counts counts_of(const Access& access) {
  const Cost predicted = cost(access);
  EXPECT_TRUE(predicted.modelled) << predicted.reason;
  return {predicted.wavefronts, predicted.ideal};
}

TEST_F(Laws, EqualsTheDefinition) {
  for (const KindAndWidth kind : lane_kinds())
    for (int i = 0; i < 2000; ++i) {
      const Access access = pattern(kind);
      ASSERT_EQ(counts_of(access), reference(access))
          << static_cast<int>(kind.kind) << " of " << kind.lane_bytes << " bytes";
    }
}

TEST_F(Laws, ShiftByWholeElementsAndWordsChangesNothing) {
  for (const KindAndWidth kind : lane_kinds())
    for (int i = 0; i < 500; ++i) {
      const Access access = pattern(kind);
      Access shifted = access;
      const unsigned step = std::max(4u, kind.lane_bytes) * below(1000);
      for (std::uint32_t& address : shifted.addresses) address += step;
      ASSERT_EQ(counts_of(access), counts_of(shifted)) << "shift " << step;
    }
}

TEST_F(Laws, OrderOfLanesInsideAGroupDoesNotMatterForStores) {
  for (const KindAndWidth kind : lane_kinds()) {
    if (kind.kind == AccessKind::load) continue;           // pairing looks at neighbours
    if (kind.kind == AccessKind::async_copy_ca) continue;  // their sources stay
    const unsigned size = kind.lane_bytes == 16 ? 8 : kind.lane_bytes == 8 ? 16 : 32;
    for (int i = 0; i < 500; ++i) {
      Access access = pattern(kind);
      access.active_lanes = 0xffffffffu;
      const Counts before = counts_of(access);
      for (unsigned first = 0; first < 32; first += size)
        std::shuffle(access.addresses + first, access.addresses + first + size, random_);
      ASSERT_EQ(before, counts_of(access));
    }
  }
}

TEST_F(Laws, AddressesOfInactiveLanesDoNotMatter) {
  for (const KindAndWidth kind : lane_kinds())
    for (int i = 0; i < 500; ++i) {
      const Access access = pattern(kind);
      Access other = access;
      const std::uint32_t used = access.active_lanes & addressing_lanes(access.kind, access.matrices);
      for (unsigned lane = 0; lane < 32; ++lane)
        if ((used >> lane & 1) == 0)
          other.addresses[lane] = static_cast<std::uint32_t>(random_()), other.sources[lane] = other.addresses[lane];
      ASSERT_EQ(counts_of(access), counts_of(other));
    }
}

TEST_F(Laws, WavefrontsLieBetweenIdealAndOneLaneAtATime) {
  for (const KindAndWidth kind : lane_kinds())
    for (int i = 0; i < 500; ++i) {
      const Access access = pattern(kind);
      const Cost predicted = cost(access);
      ASSERT_TRUE(predicted.modelled) << predicted.reason;
      const unsigned lanes = static_cast<unsigned>(
          __builtin_popcount(access.active_lanes & addressing_lanes(access.kind, access.matrices)));
      ASSERT_GE(predicted.wavefronts, predicted.ideal);
      ASSERT_LE(predicted.wavefronts, predicted.passes * lanes);
    }
}

TEST_F(Laws, GroupsPartitionTheLanesAndAddUpToTheWavefronts) {
  for (const KindAndWidth kind : lane_kinds())
    for (int i = 0; i < 500; ++i) {
      const Access access = pattern(kind);
      const Cost predicted = cost(access);
      ASSERT_TRUE(predicted.modelled) << predicted.reason;
      std::uint32_t lanes = 0;
      unsigned sum = 0, worst = 0;
      for (unsigned g = 0; g < predicted.group_count; ++g) {
        const Group& group = predicted.groups[g];
        ASSERT_EQ(lanes & group.lanes, 0u);
        ASSERT_NE(group.lanes, 0u);
        lanes |= group.lanes;
        sum += group.degree;
        worst = std::max(worst, group.degree);
      }
      ASSERT_EQ(lanes, access.active_lanes & addressing_lanes(access.kind, access.matrices));
      ASSERT_EQ(predicted.passes * sum, predicted.wavefronts);
      ASSERT_EQ(worst, predicted.worst_degree);
    }
}

TEST_F(Laws, CopiedSectorsAreInvariantUnderShiftsOfWholeLines) {
  for (int i = 0; i < 5000; ++i) {
    const Access access = pattern({AccessKind::async_copy_cg, 16});
    Access shifted = access;
    for (std::uint32_t& address : shifted.addresses) address += 128 * (1 + i % 7);
    ASSERT_EQ(counts_of(access), counts_of(shifted));
  }
}

}  // namespace
}  // namespace lanebank
