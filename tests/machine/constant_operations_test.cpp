// Loads from constant banks and special registers.
#include "one_instruction.hpp"

namespace lanebank::machine::test {
namespace {

using u64 = std::uint64_t;

/// Runs one instruction on a launch that `prepare` fills in and gives the state afterwards, per SIMD level.
void run_each(u64 low, u64 high, unsigned architecture, const char* text,
              const std::function<void(OneInstruction&)>& prepare,
              const std::function<void(const State&, OneInstruction&)>& expect, Word active = all_lanes) {
  SCOPED_TRACE(text);
  const sass::Word word{low, high};
  EXPECT_EQ(sass::disassemble(sass::decode(word, 0, architecture), architecture), text);
  for (const Level& level : levels()) {
    SCOPED_TRACE(level.name);
    const auto one = std::make_unique<OneInstruction>(level, word, architecture);
    ASSERT_EQ(one->unsupported(), nullptr) << one->unsupported();
    prepare(*one);
    State before;
    for (unsigned i = 0; i < 32; ++i) before.r[4][i] = 4 * i;
    before.u[4] = 8;
    before.p[7] = before.p[15] = all_lanes;
    expect(one->run(before, active), *one);
  }
}

TEST(ConstantOperations, LoadsAtFixedOffsetsAreFilledInAtLaunch) {
  check({
      {0x00000a00ff017b82, 0x000ff00000000800, 90, "LDC R1, c[0x0][0x28]", [](Lane& l) { l.set_r(1, l.c(0, 0x28)); }},
      {0x00008400ff027b82, 0x000ea20000000a00, 90, "LDC.64 R2, c[0x0][0x210]",
       [](Lane& l) { l.set_pair(2, l.c(0, 0x210) | u64{l.c(0, 0x214)} << 32); }},
      {0x00008400ffff7b82, 0x000ea20000000a00, 90, "LDC.64 RZ, c[0x0][0x210]", [](Lane&) {}},
      {0x00c084c0ff027b82, 0x000ea20000000000, 90, "LDC.U8 R2, c[0x3][0x213]",
       [](Lane& l) { l.set_r(2, l.c(3, 0x210) >> 24); }},
      {0x00c08440ff027b82, 0x000ea20000000200, 90, "LDC.S8 R2, c[0x3][0x211]",
       [](Lane& l) { l.set_r(2, Word(std::int32_t(std::int8_t(l.c(3, 0x210) >> 8)))); }},
      {0x00c08480ff027b82, 0x000ea20000000400, 90, "LDC.U16 R2, c[0x3][0x212]",
       [](Lane& l) { l.set_r(2, l.c(3, 0x210) >> 16); }},
      {0x00c08480ff027b82, 0x000ea20000000600, 90, "LDC.S16 R2, c[0x3][0x212]",
       [](Lane& l) { l.set_r(2, Word(std::int32_t(std::int16_t(l.c(3, 0x210) >> 16)))); }},
      {0x00005c0000047ab9, 0x000fe20000000800, 75, "ULDC UR4, c[0x0][0x170]",
       [](Lane& l) { l.set_ur(4, l.c(0, 0x170)); }, true},
      {0x0000580000047ab9, 0x000fe20000000a00, 75, "ULDC.64 UR4, c[0x0][0x160]",
       [](Lane& l) { l.set_ur_pair(4, l.c(0, 0x160) | u64{l.c(0, 0x164)} << 32); }, true},
      {0x0000660000067ab9, 0x000fe40000000000, 75, "ULDC.U8 UR6, c[0x0][0x198]",
       [](Lane& l) { l.set_ur(6, l.c(0, 0x198) & 0xff); }, true},
      {0x00005800003f7ab9, 0x000fe20000000a00, 75, "ULDC.64 URZ, c[0x0][0x160]", [](Lane&) {}, true},
      {0x00000000000c7805, 0x000fe2000001ff00, 75, "CS2R R12, SRZ", [](Lane& l) { l.set_pair(12, 0); }},
  });
  check_unsupported(0x0000080004027b82, 0x000ea20000004800, 90, "LDC.IL R2, c[0x0][R4+0x20]");
  check_unsupported(0x0000580000047ab9, 0x000fe20008000a00, 90, "ULDC.64 UR4, cx[UR0][0x160]");
}

TEST(ConstantOperations, IndexedLoadsReadTheBank) {
  std::vector<std::byte> bank(66);
  for (unsigned i = 0; i < bank.size(); ++i) bank[i] = std::byte(0x80 + i);
  const auto word_at = [&](unsigned offset) {
    Word word = 0;
    for (unsigned i = 0; i < 4; ++i)
      if (offset + i < bank.size()) word |= Word(bank[offset + i]) << 8 * i;
    return word;
  };
  const auto prepare = [&](OneInstruction& one) { one.launch().banks[3] = {bank.data(), 66}; };
  // R4 of lane i is 4i: the lanes from 13 on read beyond the end of the bank.
  run_each(0x00c0040004027b82, 0x000ea20000000800, 90, "LDC R2, c[0x3][R4+0x10]", prepare,
           [&](const State& s, OneInstruction&) {
             for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(s.r[2][i], word_at(16 + 4 * i)) << i;
           });
  run_each(0x00fffe0004027b82, 0x000ea20000000800, 90, "LDC R2, c[0x3][R4+-0x8]", prepare,
           [&](const State& s, OneInstruction&) {
             for (unsigned i = 2; i < 32; ++i) EXPECT_EQ(s.r[2][i], word_at(4 * i - 8)) << i;
           });
  run_each(0x00c0000004027b82, 0x000ea20000000a00, 90, "LDC.64 R2, c[0x3][R4]", prepare,
           [&](const State& s, OneInstruction&) {
             for (unsigned i = 0; i < 32; ++i) {
               EXPECT_EQ(s.r[2][i], word_at(4 * i)) << i;
               EXPECT_EQ(s.r[3][i], word_at(4 * i + 4)) << i;
             }
           });
  run_each(
      0x00c0004004027b82, 0x000ea20000000200, 90, "LDC.S8 R2, c[0x3][R4+0x1]", prepare,
      [&](const State& s, OneInstruction&) {
        for (unsigned i = 0; i < 32; ++i)
          EXPECT_EQ(s.r[2][i], i % 2 != 0 ? 0 : 4 * i + 1 < 66 ? 0xffffff81 + 4 * i : 0) << i;
      },
      0x55555555);
  run_each(0x00c0040004027abb, 0x000ea20008000a00, 90, "ULDC.64 UR2, c[0x3][UR4+0x10]", prepare,
           [&](const State& s, OneInstruction&) {
             EXPECT_EQ(s.u[2], word_at(24));
             EXPECT_EQ(s.u[3], word_at(28));
           });
}

TEST(ConstantOperations, ThreadIndicesOfEveryShapeOfBlock) {
  static constexpr unsigned shapes[][3] = {{1024, 1, 1}, {1, 1024, 1}, {16, 16, 4}, {32, 32, 1}, {33, 5, 3},
                                           {7, 11, 13},  {1, 1, 64},   {3, 341, 1}, {1000, 1, 1}};
  for (const auto& shape : shapes)
    for (unsigned base = 0; base < shape[0] * shape[1] * shape[2]; base += 32) {
      const auto prepare = [&](OneInstruction& one) {
        std::copy_n(shape, 3, one.launch().block);
        one.warp().thread_base = base;
      };
      run_each(0x0000000000027919, 0x000e220000002100, 90, "S2R R2, SR_TID.X", prepare,
               [&](const State& s, OneInstruction&) {
                 for (unsigned i = 0; i < 32; ++i) ASSERT_EQ(s.r[2][i], (base + i) % shape[0]);
               });
      run_each(0x0000000000027919, 0x000ea20000002200, 90, "S2R R2, SR_TID.Y", prepare,
               [&](const State& s, OneInstruction&) {
                 for (unsigned i = 0; i < 32; ++i) ASSERT_EQ(s.r[2][i], (base + i) / shape[0] % shape[1]);
               });
      run_each(0x0000000000027919, 0x000ee80000002300, 90, "S2R R2, SR_TID.Z", prepare,
               [&](const State& s, OneInstruction&) {
                 for (unsigned i = 0; i < 32; ++i) ASSERT_EQ(s.r[2][i], (base + i) / shape[0] / shape[1]);
               });
    }
}

TEST(ConstantOperations, SpecialRegistersOfLanesBlocksAndLaunches) {
  const auto prepare = [](OneInstruction& one) {
    one.block().index[0] = 11, one.block().index[1] = 22, one.block().index[2] = 33;
    one.block().cluster_rank = 3;
    one.block().linear = 140;
    one.warp().thread_base = 96;
    one.launch().warps_per_block = 9;
    one.launch().shared_bytes = 4096;
  };
  const auto reads = [&](u64 number, const char* name, const std::function<Word(unsigned lane)>& expected) {
    run_each(0x0000000000027919, 0x000e220000000000 | number << 8, 90, (std::string("S2R R2, ") + name).c_str(),
             prepare, [&](const State& s, OneInstruction&) {
               for (unsigned i = 0; i < 32; ++i) ASSERT_EQ(s.r[2][i], expected(i));
             });
    // Uniform: what the first active lane sees.
    run_each(
        0x00000000000579c3, 0x000e620000000000 | number << 8, 90, (std::string("S2UR UR5, ") + name).c_str(), prepare,
        [&](const State& s, OneInstruction&) { EXPECT_EQ(s.u[5], expected(9)); }, 0xfffffe00);
  };
  reads(0x00, "SR_LANEID", [](unsigned i) { return i; });
  reads(0x02, "SR_VIRTCFG", [](unsigned) { return 64u << 8; });  // of the multiprocessor
  reads(0x03, "SR_VIRTID", [](unsigned) { return 3u << 8; });
  reads(0x25, "SR_CTAID.X", [](unsigned) { return 11; });
  reads(0x26, "SR_CTAID.Y", [](unsigned) { return 22; });
  reads(0x27, "SR_CTAID.Z", [](unsigned) { return 33; });
  reads(0x2f, "SR_SWINHI", [](unsigned) { return 0x01000000; });
  reads(0x32, "SR_SMEMSZ", [](unsigned) { return 4096 + 0x400; });
  reads(0x37, "SR_LMEMHIOFF", [](unsigned) { return 0; });  // where the thread's local memory begins
  reads(0x38, "SR_EQMASK", [](unsigned i) { return 1u << i; });
  reads(0x39, "SR_LTMASK", [](unsigned i) { return (1u << i) - 1; });
  reads(0x3a, "SR_LEMASK", [](unsigned i) { return Word((u64{2} << i) - 1); });
  reads(0x3b, "SR_GTMASK", [](unsigned i) { return Word(~u64{0} << (i + 1)); });
  reads(0x3c, "SR_GEMASK", [](unsigned i) { return ~0u << i; });
  reads(0x43, "SR_VIRTUALSMID", [](unsigned) { return 140 % 132; });
  reads(0x88, "SR_CgaCtaId", [](unsigned) { return 3; });
  reads(0xff, "SRZ", [](unsigned) { return 0; });
  check_unsupported(0x0000000000027919, 0x000e220000006400, 90, "S2R R2, SR_PM0");
  check_unsupported(0x0000000000027919, 0x000e220000001000, 90, "S2R R2, SR_PRIM_TYPE");
}

TEST(ConstantOperations, SpecialRegistersHaveTheNamesOfTheDisassembly) {
  const auto name = [](u64 number) {
    const sass::Word word{0x0000000000027919, 0x000e220000000000 | number << 8};
    return sass::disassemble(sass::decode(word, 0, 90), 90);
  };
#define LANEBANK_SPECIAL_REGISTER(number, text, source, status) EXPECT_EQ(name(number), "S2R R2, " text);
#include "machine/special_registers.def"
#undef LANEBANK_SPECIAL_REGISTER
}

TEST(ConstantOperations, ClocksGrowWithEveryRead) {
  for (const Level& level : levels()) {
    OneInstruction one(level, {0x0000000000027805, 0x000fe40000015000}, 90);  // CS2R R2, SR_CLOCKLO
    ASSERT_EQ(one.unsupported(), nullptr);
    u64 last = 0;
    State before;
    before.p[7] = all_lanes;
    one.warp().worker->clock = 0xffffff00;
    for (int i = 0; i < 10; ++i) {
      const State s = one.run(before, all_lanes);
      const u64 now = s.r[2][0] | u64{s.r[3][0]} << 32;
      EXPECT_GT(now, last);
      last = now;
    }
    EXPECT_GT(last, 0xffffffffu);
  }
}

}  // namespace
}  // namespace lanebank::machine::test
