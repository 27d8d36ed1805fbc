// Texture and surface instructions that are decoded and refused. What the others do needs objects and memory: whole kernels
// of tests/cudart/hardware/textures.cu and surfaces.cu, on every architecture.
#include "one_instruction.hpp"

namespace lanebank::machine::test {
namespace {

TEST(TextureOperations, OffsetsDepthsAndCutHalvesAreRefused) {
  check_unsupported(0x2000040612067f60, 0x000fe200099e49ff, 90, "TEX.LL.DC RZ, R6, R18, R6, UR4, 0x0, 2D, 0x9");
  check_unsupported(0x2000040406007f60, 0x000fe200099f01ff, 90, "TEX.F16.RZ.LL RZ, R0, R6, R4, UR4, 0x0, 2D, 0x1");
  check_unsupported(0x2000440406007f60, 0x000fe200099e01ff, 90, "TEX.LL RZ, R0, R6, R4, UR4, 0x1, 2D, 0x1");
}

TEST(TextureOperations, StoresThatConvertAreRefused) {
  check_unsupported(0x7000040402007f9b, 0x000fe2000810af00, 90, "SUST.P.2D.STRONG.SM.TRAP [R2], R4, UR4, 0x0");
  check_unsupported(0x7000580402007b9b, 0x000fe20000110f00, 75, "SUST.P.2D.STRONG.CTA.TRAP [R2], R4, 0x0, 0x58");
}

TEST(TextureOperations, WithoutAnObjectTheKernelStops) {
  const sass::Word word{0x2000040406007f60, 0x000fe200099e01ff};
  for (const Level& level : levels()) {
    auto one = std::make_unique<OneInstruction>(level, word, 90);
    ASSERT_EQ(one->unsupported(), nullptr);
    Warp& warp = one->warp();
    warp.active = warp.live = 4;
    std::fill_n(warp.predicates, 8, all_lanes);
    EXPECT_EQ(one->execute_once(), nullptr);
    ASSERT_TRUE(one->launch().fault.has_value());
    EXPECT_EQ(one->launch().fault->thread, 2u);
    EXPECT_NE(one->launch().fault->message.find("no texture or surface object"), std::string::npos);
  }
}

}  // namespace
}  // namespace lanebank::machine::test
