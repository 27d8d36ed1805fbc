// The uniform datapath: single instructions against formulas; each runs once, for whatever lanes are active.
#include <algorithm>
#include <bit>

#include "one_instruction.hpp"

namespace lanebank::machine::test {
namespace {

using i64 = std::int64_t;
using u64 = std::uint64_t;
using u128 = unsigned __int128;

i64 s(Word x) { return static_cast<std::int32_t>(x); }
Word low(u64 x) { return static_cast<Word>(x); }
Word high(u64 x) { return static_cast<Word>(x >> 32); }

Case once(u64 low, u64 high, unsigned architecture, const char* text, std::function<void(Lane&)> formula) {
  return {low, high, architecture, text, std::move(formula), true};
}

TEST(UniformOperations, Sums) {
  check({
      once(0x0000003f08087290, 0x000fe2000fffe13f, 75, "UIADD3 UR8, -UR8, URZ, URZ",
           [](Lane& l) { l.set_ur(8, 0 - l.ur(8)); }),
      once(0x0000003f3f3ff290, 0x000fea000fffe03f, 80, "@!UPT UIADD3 URZ, URZ, URZ, URZ",
           [](Lane& l) { l.set_ur(5, 12345); }),
      once(0x80000017070b7290, 0x000fe2000fffe03f, 80, "UIADD3 UR11, UR7, -UR23, URZ",
           [](Lane& l) { l.set_ur(11, l.ur(7) - l.ur(23)); }),
      once(0x0000000708057890, 0x000fe4000fffe807, 90, "UIADD3 UR5, UR8, 0x7, -UR7",
           [](Lane& l) { l.set_ur(5, l.ur(8) + 7 - l.ur(7)); }),
      once(0x000000700a0a7890, 0x000fc8000ff1e03f, 90, "UIADD3 UR10, UP0, UR10, 0x70, URZ",
           [](Lane& l) { l.set_ur(10, l.ur(10) + 0x70), l.set_up(0, u64{l.ur(10)} + 0x70 > ~0u); }),
      once(0x0000000b3f0b7290, 0x000fe400087fe43f, 90, "UIADD3.X UR11, URZ, UR11, URZ, UP0, !UPT",
           [](Lane& l) { l.set_ur(11, l.ur(11) + l.up(0)); }),
      once(0x8000000b050bd290, 0x000fe400093a2c07, 90, "@!UP5 UIADD3.X UR11, UP5, UP3, UR5, ~UR11, ~UR7, UP2, UP1",
           [](Lane& l) {
             const u64 sum = u64{l.ur(5)} + ~l.ur(11) + u64{~l.ur(7)} + l.up(2) + l.up(1);
             l.set_ur(11, low(sum)), l.set_up(5, high(sum) >= 1), l.set_up(3, high(sum) >= 2);
           }),
      once(0x0000000604067297, 0x000fde000fffe03f, 90, "UIADD3.64 UR6, UR4, UR6, URZ",
           [](Lane& l) { l.set_ur_pair(6, l.ur_pair(4) + l.ur_pair(6)); }),
      once(0x8000000604047297, 0x000fde000ff1e108, 90, "UIADD3.64 UR4, UP0, -UR4, -UR6, UR8",
           [](Lane& l) {
             const u128 sum = u128{~l.ur_pair(4)} + ~l.ur_pair(6) + l.ur_pair(8) + 2;
             l.set_ur_pair(4, static_cast<u64>(sum)), l.set_up(0, (sum >> 64) != 0);
           }),
      once(0x8000000104047897, 0x000fde000ff1e03f, 90, "UIADD3.64 UR4, UP0, UR4, -0x7fffffff, URZ",
           [](Lane& l) {
             const u128 sum = u128{l.ur_pair(4)} + 0xffffffff80000001u;
             l.set_ur_pair(4, static_cast<u64>(sum)), l.set_up(0, (sum >> 64) != 0);
           }),
      once(0x0000000405047291, 0x002fc6000f8ec03f, 90, "ULEA UR4, UR5, UR4, 0x18",
           [](Lane& l) { l.set_ur(4, (l.ur(5) << 24) + l.ur(4)); }),
      once(0x0000000a05067291, 0x000fc8000f80103f, 80, "ULEA UR6, UP0, UR5, UR10, 0x2",
           [](Lane& l) {
             const u64 sum = u64{l.ur(5) << 2} + l.ur(10);
             l.set_ur(6, low(sum)), l.set_up(0, high(sum) != 0);
           }),
      once(0x0000000506067291, 0x000fe4000f8f183f, 80, "ULEA.HI UR6, UR6, UR5, URZ, 0x3",
           [](Lane& l) { l.set_ur(6, (l.ur(6) >> 29) + l.ur(5)); }),
      once(0x0000000b05077291, 0x000fe400080f1407, 80, "ULEA.HI.X UR7, UR5, UR11, UR7, 0x2, UP0",
           [](Lane& l) { l.set_ur(7, high((l.ur(5) | u64{l.ur(7)} << 32) << 2) + l.ur(11) + l.up(0)); }),
      once(0x0000000104047891, 0x000fe2000f8f103f, 75, "ULEA.HI UR4, UR4, 0x1, URZ, 0x2",
           [](Lane& l) { l.set_ur(4, (l.ur(4) >> 30) + 1); }),
      once(0x0000000104047891, 0x000fe2000f8f123f, 75, "ULEA.HI.SX32 UR4, UR4, 0x1, 0x2",
           [](Lane& l) { l.set_ur(4, high(u64(s(l.ur(4))) << 2) + 1); }),
  });
}

TEST(UniformOperations, Products) {
  check({
      once(0x00000007040772a4, 0x000fc8000f8e0206, 80, "UIMAD UR7, UR4, UR7, UR6",
           [](Lane& l) { l.set_ur(7, l.ur(4) * l.ur(7) + l.ur(6)); }),
      once(0xc0000000040678a4, 0x000fe4000f8e0206, 80, "UIMAD UR6, UR4, -0x40000000, UR6",
           [](Lane& l) { l.set_ur(6, l.ur(4) * 0xc0000000 + l.ur(6)); }),
      once(0x00000007040772a4, 0x000fc8000f8e0a06, 80, "UIMAD UR7, UR4, UR7, -UR6",
           [](Lane& l) { l.set_ur(7, l.ur(4) * l.ur(7) - l.ur(6)); }),
      once(0x00000007040472a5, 0x000fd2000f8e0204, 75, "UIMAD.WIDE UR4, UR4, UR7, UR4",
           [](Lane& l) { l.set_ur_pair(4, u64(s(l.ur(4)) * s(l.ur(7))) + l.ur_pair(4)); }),
      once(0x00000008090472a5, 0x000fcc000f8e0004, 80, "UIMAD.WIDE.U32 UR4, UR9, UR8, UR4",
           [](Lane& l) { l.set_ur_pair(4, u64{l.ur(9)} * l.ur(8) + l.ur_pair(4)); }),
      once(0x00000008090472a5, 0x000fcc000f84083f, 80, "UIMAD.WIDE.U32 UR4, UP2, UR9, UR8, -URZ",
           [](Lane& l) { l.set_ur_pair(4, u64{l.ur(9)} * l.ur(8)), l.set_up(2, true); }),
      once(0x00000008090472a5, 0x000fcc00098a0404, 80, "UIMAD.WIDE.U32.X UR4, UP5, UR9, UR8, UR4, UP3",
           [](Lane& l) {
             const u128 sum = u128{l.ur(9)} * l.ur(8) + l.ur_pair(4) + l.up(3);
             l.set_ur_pair(4, u64(sum)), l.set_up(5, sum >> 64 != 0);
           }),
  });
}

TEST(UniformOperations, Bits) {
  const auto table = [](Word a, Word b, Word c, unsigned t) {
    Word d = 0;
    for (unsigned i = 0; i < 32; ++i) d |= (t >> (4 * (a >> i & 1) + 2 * (b >> i & 1) + (c >> i & 1)) & 1) << i;
    return d;
  };
  check({
      once(0x000000043f047292, 0x000fc6000f8e333f, 75, "ULOP3.LUT UR4, URZ, UR4, URZ, 0x33, !UPT",
           [](Lane& l) { l.set_ur(4, ~l.ur(4)); }),
      once(0x0000000907047292, 0x000fc6000f8e4706, 75, "ULOP3.LUT UR4, UR7, UR9, UR6, 0x47, !UPT",
           [=](Lane& l) { l.set_ur(4, table(l.ur(7), l.ur(9), l.ur(6), 0x47)); }),
      once(0x0000000f043f7892, 0x000fe2000f80c03f, 75, "ULOP3.LUT UP0, URZ, UR4, 0xf, URZ, 0xc0, !UPT",
           [](Lane& l) { l.set_up(0, (l.ur(4) & 15) != 0); }),
      once(0x0000000f043f7892, 0x000fe2000981c03f, 75, "ULOP3.LUT.PAND UP0, URZ, UR4, 0xf, URZ, 0xc0, UP3",
           [](Lane& l) { l.set_up(0, (l.ur(4) & 15) != 0 && l.up(3)); }),
      once(0x0000000504047299, 0x000fe2000800063f, 75, "USHF.L.U32 UR4, UR4, UR5, URZ",
           [](Lane& l) { l.set_ur(4, l.ur(5) < 32 ? l.ur(4) << l.ur(5) : 0); }),
      once(0x0000001f3f067899, 0x000fe40008011405, 80, "USHF.R.S32.HI UR6, URZ, 0x1f, UR5",
           [](Lane& l) { l.set_ur(6, s(l.ur(5)) < 0 ? ~0u : 0); }),
      once(0x000000033f097899, 0x000fe40008011607, 80, "USHF.R.U32.HI UR9, URZ, 0x3, UR7",
           [](Lane& l) { l.set_ur(9, l.ur(7) >> 3); }),
      once(0x0000000c04097899, 0x000fe40008001207, 80, "USHF.R.U64 UR9, UR4, 0xc, UR7",
           [](Lane& l) { l.set_ur(9, low((l.ur(4) | u64{l.ur(7)} << 32) >> 12)); }),
      once(0x0000002804097899, 0x000fe40008010207, 80, "USHF.L.U64.HI UR9, UR4, 0x28, UR7",
           [](Lane& l) { l.set_ur(9, l.ur(4) << 8); }),
      once(0x0000065404047896, 0x000fe40008000005, 90, "UPRMT UR4, UR4, 0x654, UR5",
           [](Lane& l) { l.set_ur(4, (l.ur(5) & 0xffffff) | l.ur(4) << 24); }),
      once(0x0000000504047287, 0x000fcc0008000000, 75, "USEL UR4, UR4, UR5, UP0",
           [](Lane& l) { l.set_ur(4, l.up(0) ? l.ur(4) : l.ur(5)); }),
      once(0x0000003f06047287, 0x000fe4000c000000, 90, "USEL UR4, UR6, URZ, !UP0",
           [](Lane& l) { l.set_ur(4, l.up(0) ? 0 : l.ur(6)); }),
      once(0x0000000807077887, 0x000fe20008000000, 75, "USEL UR7, UR7, 0x8, UP0",
           [](Lane& l) { l.set_ur(7, l.up(0) ? l.ur(7) : 8); }),
      once(0x000000050405729a, 0x000fda0008000200, 90, "USGXT UR5, UR4, UR5",
           [](Lane& l) {
             l.set_ur(5, l.ur(5) == 0    ? 0
                         : l.ur(5) >= 32 ? l.ur(4)
                                         : Word(s(l.ur(4) << (32 - l.ur(5))) >> (32 - l.ur(5))));
           }),
      once(0x000000050405789b, 0x000fda0008000000, 90, "UBMSK UR5, UR4, 0x5",
           [](Lane& l) { l.set_ur(5, l.ur(4) < 32 ? 0x1fu << l.ur(4) : 0); }),
      once(0x00000005000572bd, 0x000fda00080e0000, 90, "UFLO.U32 UR5, UR5",
           [](Lane& l) { l.set_ur(5, l.ur(5) == 0 ? ~0u : 31 - Word(std::countl_zero(l.ur(5)))); }),
      once(0x00000005000572be, 0x000fda0008000000, 90, "UBREV UR5, UR5",
           [](Lane& l) {
             Word d = 0;
             for (unsigned i = 0; i < 32; ++i) d |= (l.ur(5) >> i & 1) << (31 - i);
             l.set_ur(5, d);
           }),
      once(0x80000005000572bf, 0x000fda0008000000, 90, "UPOPC UR5, ~UR5",
           [](Lane& l) { l.set_ur(5, Word(std::popcount(~l.ur(5)))); }),
      once(0x0000000100057882, 0x000fe40000000000, 75, "UMOV UR5, 0x1", [](Lane& l) { l.set_ur(5, 1); }),
      once(0x0000003f00047c82, 0x000fe20008000000, 75, "UMOV UR4, URZ", [](Lane& l) { l.set_ur(4, 0); }),
      once(0x0000000c00061c82, 0x000fe20008000000, 80, "@UP1 UMOV UR6, UR12", [](Lane& l) { l.set_ur(6, l.ur(12)); }),
  });
}

TEST(UniformOperations, Predicates) {
  check({
      once(0x000000050700728c, 0x000fe4000bf06270, 80, "UISETP.GE.AND UP0, UPT, UR7, UR5, UPT",
           [](Lane& l) { l.set_up(0, s(l.ur(7)) >= s(l.ur(5))); }),
      once(0x000000120c00728c, 0x000fe20008706470, 80, "UISETP.GE.U32.OR UP0, UPT, UR12, UR18, UP0",
           [](Lane& l) { l.set_up(0, l.ur(12) >= l.ur(18) || l.up(0)); }),
      once(0x000018000600788c, 0x000fcc000bf06270, 80, "UISETP.GE.AND UP0, UPT, UR6, 0x1800, UPT",
           [](Lane& l) { l.set_up(0, s(l.ur(6)) >= 0x1800); }),
      once(0x000000050700728c, 0x000fe4000a626a70, 80, "UISETP.GE.XOR UP1, UP6, UR7, UR5, UP4",
           [](Lane& l) {
             const bool result = s(l.ur(7)) >= s(l.ur(5));
             l.set_up(1, result != l.up(4)), l.set_up(6, result == l.up(4));
           }),
      once(0x000000050400728c, 0x000fe2000bf01130, 75, "UISETP.LT.U32.AND.EX UP0, UPT, UR4, UR5, UPT, UP3",
           [](Lane& l) { l.set_up(0, l.ur(4) < l.ur(5) || (l.ur(4) == l.ur(5) && l.up(3))); }),
      once(0x000000000000789c, 0x000fe20003f0e170, 90, "UPLOP3.LUT UP0, UPT, UPT, UPT, UPT, 0x8, 0x0",
           [](Lane& l) { l.set_up(0, false); }),
      once(0x00000000005a789c, 0x000fe20000d1c134, 90, "UPLOP3.LUT UP0, UP5, UP1, !UP6, UP3, 0xc, 0x5a",
           [](Lane& l) {
             const unsigned i = 4u * l.up(1) + 2u * !l.up(6) + l.up(3);
             l.set_up(0, 0x0c >> i & 1), l.set_up(5, 0x5a >> i & 1);
           }),
      once(0x0000007f3f047883, 0x000fda0008000000, 90, "UP2UR UR4, UPR, URZ, 0x7f",
           [](Lane& l) {
             Word d = 0;
             for (unsigned p = 0; p < 7; ++p) d |= Word{l.up(p)} << p;
             l.set_ur(4, d);
           }),
      once(0x0000002704007884, 0x000fda0008000000, 90, "UR2UP UPR, UR4, 0x27",
           [](Lane& l) {
             for (const unsigned p : {0u, 1u, 2u, 5u}) l.set_up(p, l.ur(4) >> p & 1);
           }),
  });
}

TEST(UniformOperations, UrzTakesNoValue) {
  check({
      once(0x0000000b053f7290, 0x000fe4000fffe03f, 90, "UIADD3 URZ, UR5, UR11, URZ", [](Lane&) {}),
      once(0x00000008093f72a5, 0x000fcc000f8e0004, 80, "UIMAD.WIDE.U32 URZ, UR9, UR8, UR4", [](Lane&) {}),
  });
}

}  // namespace
}  // namespace lanebank::machine::test
