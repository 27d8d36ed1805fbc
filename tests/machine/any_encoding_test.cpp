// Whatever bits an instruction has, lowering it refuses it or gives an operation that stays inside its warp.
#include "one_instruction.hpp"

namespace lanebank::machine::test {
namespace {

/// Opcode fields (bits 0:12) of integer, logic, uniform, warp-level and constant operations.
constexpr unsigned opcodes[] = {
    0x202, 0x802, 0xa02, 0xc02, 0x203, 0x803, 0x204, 0x804, 0x805, 0x806, 0x207, 0x807, 0xc07, 0x20c, 0x80c, 0xa0c,
    0xc0c, 0x20f, 0x210, 0x810, 0xa10, 0xc10, 0x211, 0x811, 0xa11, 0xc11, 0x411, 0xe11, 0x212, 0x812, 0xc12, 0x213,
    0x214, 0x215, 0x216, 0x416, 0x816, 0xe16, 0x217, 0x817, 0x219, 0x419, 0x819, 0xa19, 0xc19, 0x21a, 0x81a, 0x21b,
    0x81c, 0x21f, 0x224, 0x424, 0x624, 0x824, 0xa24, 0xc24, 0xe24, 0x225, 0x425, 0x625, 0x825, 0xc25, 0xe25, 0x226,
    0x826, 0x227, 0x827, 0x236, 0x836, 0xc36, 0x246, 0x846, 0xe46, 0x248, 0x848, 0xc48, 0x300, 0x301, 0x309, 0x287,
    0x887, 0x28c, 0x88c, 0x290, 0x890, 0x291, 0x891, 0x491, 0x292, 0x892, 0x296, 0x896, 0x299, 0x899, 0x499, 0x29a,
    0x29b, 0x89c, 0x2a4, 0x8a4, 0x4a4, 0x2a5, 0x8a5, 0x4a5, 0x2bd, 0x2be, 0x2bf, 0x882, 0xc82, 0x883, 0x884, 0x886,
    0xab9, 0xabb, 0xb82, 0x919, 0x9c3, 0x389, 0x589, 0x989, 0xf89, 0x3a1, 0x3c4, 0x82f, 0x2ca, 0x3c2,
};

TEST(AnyEncoding, IsRefusedOrStaysInsideTheWarp) {
  std::mt19937_64 random(2024);
  unsigned executed = 0;
  for (const unsigned opcode : opcodes)
    for (unsigned round = 0; round < 60; ++round) {
      sass::Word word{(random() & ~0xfffull) | opcode, random()};
      if (round % 2 != 0) {  // registers that exist, for the most part
        word.low &= ~0x00c0'00c0'c0c0'0000ull;
        word.high &= ~0xc0ull;
      }
      const unsigned architecture = round % 3 == 0 ? 75 : round % 3 == 1 ? 80 : 90;
      if (sass::decode(word, 0, architecture).row == sass::no_row) continue;
      std::mt19937 values(round);
      const State before = random_state(values);
      for (const Level& level : levels()) {
        const auto one = std::make_unique<OneInstruction>(level, word, architecture);
        if (one->unsupported() != nullptr) continue;
        const State after = one->run(before, Word(values()));
        ++executed;
        // What no instruction changes.
        ASSERT_EQ(after.p[7], all_lanes) << std::hex << word.low << " " << word.high;
        ASSERT_EQ(after.p[15], all_lanes) << std::hex << word.low << " " << word.high;
        for (unsigned n = urz; n < uniform_count; ++n)
          ASSERT_EQ(after.u[n], 0u) << std::hex << word.low << " " << word.high;
      }
    }
  EXPECT_GT(executed, 1000u);
}

TEST(AnyEncoding, RunsAlikeAtEverySimdLevel) {
  std::mt19937_64 random(4711);
  const std::vector<Level> all = levels();
  for (const unsigned opcode : opcodes)
    for (unsigned round = 0; round < 60; ++round) {
      sass::Word word{(random() & ~0xfffull) | opcode, random()};
      word.low &= ~0x00c0'00c0'c0c0'0000ull;
      word.high &= ~0xc0ull;
      const unsigned architecture = round % 2 == 0 ? 75 : 90;
      if (sass::decode(word, 0, architecture).row == sass::no_row) continue;
      std::mt19937 values(round);
      const State before = random_state(values);
      const Word active = round % 3 == 0 ? all_lanes : Word(values());
      const auto first = std::make_unique<OneInstruction>(all[0], word, architecture);
      if (first->unsupported() != nullptr) continue;
      const State expected = first->run(before, active);
      for (std::size_t i = 1; i < all.size(); ++i) {
        const auto other = std::make_unique<OneInstruction>(all[i], word, architecture);
        ASSERT_TRUE(other->run(before, active) == expected)
            << all[i].name << " differs: " << sass::disassemble(sass::decode(word, 0, architecture), architecture);
      }
    }
}

}  // namespace
}  // namespace lanebank::machine::test
