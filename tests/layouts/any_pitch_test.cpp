// The law of any pitch, for every pitch of 1 to 520 units and units of 4, 8 and 16 bytes, against the exact model:
//
//   with no byte of padding, (i) the layout is a bijection onto rows x pitch units, for every number of rows;
//   (ii) lanes in consecutive rows of one column, from any row on, are free of conflicts; (iii) so are lanes in
//   consecutive units from a multiple of 128 bytes on, also where they run over the end of a row.
//
// Columns are sampled; LANEBANK_EXHAUSTIVE=1 takes them all.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iterator>
#include <random>
#include <utility>
#include <vector>

#include "../random_seed.hpp"
#include "lanebank/bank_model.hpp"
#include "lanebank/layout.hpp"

namespace lanebank {
namespace {

constexpr std::uint32_t pitches = 520, rows = 40, start_rows = 8;

struct alignas(16) Quad {
  std::uint32_t words[4];
};

/// One AnyPitch type.
struct Member {
  std::uint32_t pitch_units;
  std::uint32_t unit_bytes;
  std::uint32_t bytes;
  std::uint32_t (*offset)(std::uint32_t row, std::uint32_t column);
};

template <class Unit, std::uint32_t... Index>
void add_members(std::vector<Member>& members, std::integer_sequence<std::uint32_t, Index...>) {
  const Member all[] = {
      {Index + 1, sizeof(Unit), AnyPitch<Unit, rows, Index + 1>::bytes, &AnyPitch<Unit, rows, Index + 1>::offset}...};
  members.insert(members.end(), std::begin(all), std::end(all));
}

std::vector<Member> all_members() {
  std::vector<Member> members;
  const auto all = std::make_integer_sequence<std::uint32_t, pitches>{};
  add_members<std::uint32_t>(members, all);
  add_members<std::uint64_t>(members, all);
  add_members<Quad>(members, all);
  return members;
}

bool exhaustive() {
  const char* set = std::getenv("LANEBANK_EXHAUSTIVE");
  return set != nullptr && *set == '1';
}

/// Does a load of 32 lanes, whose units `place(lane)` names, take its ideal number of wavefronts?
template <class Place>
bool is_ideal(const Member& member, Place place) {
  Access access;
  access.lane_bytes = member.unit_bytes;
  for (unsigned lane = 0; lane < 32; ++lane) access.addresses[lane] = place(lane);
  const Cost cost = lanebank::cost(access);
  return cost.modelled && cost.wavefronts == 32 * member.unit_bytes / 128 && cost.wavefronts == cost.ideal;
}

TEST(AnyPitch, IsABijectionOntoRowsTimesPitchUnitsForEveryNumberOfRows) {
  for (const Member& m : all_members()) {
    EXPECT_EQ(m.bytes, rows * m.pitch_units * m.unit_bytes);
    std::vector<bool> taken(std::size_t{rows} * m.pitch_units);
    for (std::uint32_t r = 0; r < rows; ++r)
      for (std::uint32_t c = 0; c < m.pitch_units; ++c) {
        const std::uint32_t offset = m.offset(r, c), unit = offset / m.unit_bytes;
        ASSERT_EQ(offset % m.unit_bytes, 0u);
        ASSERT_LT(unit, (r + 1) * m.pitch_units)
            << "pitch " << m.pitch_units << ": beyond the first " << r + 1 << " rows";
        ASSERT_FALSE(taken[unit]) << "pitch " << m.pitch_units;
        taken[unit] = true;
      }
  }
}

TEST(AnyPitch, ColumnsAreFreeOfConflictsFromAnyRowOn) {
  std::mt19937_64 random(test_seed());
  const bool all = exhaustive();
  for (const Member& m : all_members()) {
    std::vector<std::uint32_t> columns;
    for (std::uint32_t c = 0; c < m.pitch_units; ++c)
      if (all || c == 0 || c + 1 == m.pitch_units || random() % m.pitch_units < 4) columns.push_back(c);
    for (std::uint32_t c : columns)
      for (std::uint32_t start = 0; start < start_rows; ++start)
        ASSERT_TRUE(is_ideal(m, [&](unsigned lane) { return m.offset(start + lane, c); }))
            << "pitch " << m.pitch_units << " units of " << m.unit_bytes << " bytes, column " << c << ", row " << start;
  }
}

TEST(AnyPitch, RunsFromAMultipleOf128BytesAreFreeOfConflicts) {
  std::mt19937_64 random(test_seed());
  const bool all = exhaustive();
  for (const Member& m : all_members()) {
    const std::uint32_t units = rows * m.pitch_units, line = 128 / m.unit_bytes;
    for (std::uint32_t first = 0; first + 32 <= units; first += line) {
      if (!all && first != 0 && random() % (units / line) >= 16) continue;
      ASSERT_TRUE(is_ideal(
          m, [&](unsigned lane) { return m.offset((first + lane) / m.pitch_units, (first + lane) % m.pitch_units); }))
          << "pitch " << m.pitch_units << " units of " << m.unit_bytes << " bytes, unit " << first;
    }
  }
}

TEST(AnyPitch, WithoutItsSwizzleEvenPitchesConflict) {
  // That the checks above can fail: plain rows of an even pitch do.
  const Member plain{48, 4, rows * 192, [](std::uint32_t r, std::uint32_t c) { return (r * 48 + c) * 4; }};
  EXPECT_FALSE(is_ideal(plain, [&](unsigned lane) { return plain.offset(lane, 0); }));
}

}  // namespace
}  // namespace lanebank
