#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "../random_seed.hpp"
#include "recorded.hpp"
#include "sass/table.hpp"

namespace lanebank::sass {
namespace {

constexpr unsigned architectures[] = {75, 80, 86, 89, 90};

TEST(Word, BitsCrossTheBoundaryOfItsHalves) {
  Word word{0xf000000000000001, 0x000000000000000a};
  EXPECT_EQ(word.bits(0, 1), 1u);
  EXPECT_EQ(word.bits(60, 68), 0xafu);
  EXPECT_EQ(word.bits(64, 128), 0xau);
  EXPECT_EQ(word.bits(0, 64), 0xf000000000000001u);
  EXPECT_EQ(word.signed_bits(60, 68), -0x51);
  EXPECT_TRUE(word.bit(65));
  EXPECT_FALSE(word.bit(64));
}

TEST(Decode, RandomWordsAreDecodedAndPrintedOnEveryArchitecture) {
  std::mt19937_64 random(test_seed());
  // With sanitizers a word takes 0.4 ms; the fuzz target tries others all the time.
  const int words = std::getenv("LANEBANK_EXHAUSTIVE") != nullptr ? 200'000 : 50'000;
  for (int n = 0; n < words; ++n) {
    Word word{random(), random()};
    // Every other word starts from the opcode of a row, so that pictures are exercised and not only the index.
    const RowInfo& row = rows[random() % row_count];
    if (n & 1) {
      std::uint64_t mask = row.match.operand_forms ? 0x1ff : 0xfff;
      word.low = (word.low & ~mask & ~row.match.mask.low) | row.opcode | row.match.value.low;
      word.high = (word.high & ~row.match.mask.high) | row.match.value.high;
    }
    for (unsigned architecture : architectures) {
      Instruction instruction = decode(word, static_cast<std::uint32_t>(random()) & ~15u, architecture);
      std::string text = disassemble(instruction, architecture);
      ASSERT_FALSE(text.empty());
      if (instruction.row == no_row) {
        EXPECT_TRUE(text.starts_with("??"));
      } else {
        const RowInfo& found = info(instruction.row);
        EXPECT_LE(found.first_architecture, architecture);
        EXPECT_GE(found.last_architecture, architecture);
        EXPECT_NE(text.find(found.mnemonic), std::string::npos);
        for (char c : text) ASSERT_TRUE(c >= ' ' && c <= '~') << text;
      }
    }
  }
}

TEST(Decode, SchedulingControlDoesNotChangeTheRow) {
  for (const Recorded& line : recorded("texts.txt")) {
    Word word = line.word;
    word.high ^= std::uint64_t{0x7fffff} << 41;
    for (unsigned architecture : line.architectures)
      EXPECT_EQ(decode(word, 0, architecture).row, decode(line.word, 0, architecture).row) << line.text;
  }
}

TEST(Decode, RowsEndWithTheirArchitectures) {
  Word redux{0x000000000c0473c4, 0x000000000000c200};  // REDUX.SUM.S32 UR4, R12: from sm_80 on
  EXPECT_EQ(decode(redux, 0, 75).row, no_row);
  EXPECT_EQ(decode(redux, 0, 80).row, Row::REDUX);
  EXPECT_EQ(decode(redux, 0, 70).row, no_row);
  EXPECT_EQ(decode(redux, 0, 100).row, no_row);
}

TEST(Decode, KnowsWhichGuardsAreUniform) {
  EXPECT_TRUE(has_uniform_guard(Row::UMOV));
  EXPECT_TRUE(has_uniform_guard(Row::SYNCS_EXCH));
  EXPECT_FALSE(has_uniform_guard(Row::R2UR));
  EXPECT_FALSE(has_uniform_guard(Row::SYNCS_ARRIVE));
  EXPECT_FALSE(has_uniform_guard(no_row));
}

}  // namespace
}  // namespace lanebank::sass
