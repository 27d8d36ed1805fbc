// ISETP, PLOP3, P2R, R2P: single instructions against formulas lane by lane.
#include "one_instruction.hpp"

namespace lanebank::machine::test {
namespace {

using u64 = std::uint64_t;

std::int64_t s(Word x) { return static_cast<std::int32_t>(x); }

bool compared(unsigned compare, std::int64_t a, std::int64_t b) {
  switch (compare) {
    case 0:
      return false;
    case 1:
      return a < b;
    case 2:
      return a == b;
    case 3:
      return a <= b;
    case 4:
      return a > b;
    case 5:
      return a != b;
    case 6:
      return a >= b;
    default:
      return true;
  }
}

bool combined(unsigned how, bool x, bool y) { return how == 0 ? x && y : how == 1 ? x || y : x != y; }

constexpr const char* compare_names[] = {"F", "LT", "EQ", "LE", "GT", "NE", "GE", "T"};
constexpr const char* combine_names[] = {"AND", "OR", "XOR"};

TEST(PredicateOperations, IsetpInEveryCombination) {
  for (unsigned compare = 0; compare < 8; ++compare)
    for (unsigned how = 0; how < 3; ++how)
      for (const bool is_signed : {false, true}) {
        const u64 high = u64{is_signed} << 9 | u64{how} << 10 | u64{compare} << 12;
        const std::string name =
            std::string("ISETP.") + compare_names[compare] + (is_signed ? "." : ".U32.") + combine_names[how];
        const auto value = [=](Word a, Word b) {
          return is_signed ? compared(compare, s(a), s(b)) : compared(compare, a, b);
        };
        check({0x000000030900720c, 0x000fe40000000070 | high | u64{2} << 17 | u64{7} << 20 | u64{7} << 23, 75,
               (name + " P2, PT, R9, R3, PT").c_str(),
               [=](Lane& l) { l.set_p(2, combined(how, value(l.r(9), l.r(3)), true)); }},
              40);
        check({0x000000030900720c, 0x000fe40000000070 | high | u64{2} << 17 | u64{4} << 20 | u64{9} << 23, 75,
               (name + " P2, P4, R9, R3, !P1").c_str(),
               [=](Lane& l) {
                 const bool result = value(l.r(9), l.r(3));
                 l.set_p(2, combined(how, result, !l.p(1))), l.set_p(4, combined(how, !result, !l.p(1)));
               }},
              40);
        check({0x0000000509007c0c, 0x000fe40008000070 | high | u64{2} << 17 | u64{7} << 20 | u64{3} << 23, 75,
               (name + " P2, PT, R9, UR5, P3").c_str(),
               [=](Lane& l) { l.set_p(2, combined(how, value(l.r(9), l.ur(5)), l.p(3))); }},
              40);
      }
}

TEST(PredicateOperations, IsetpOfKnownCode) {
  check({
      {0x000000ff0300720c, 0x000fe40003f26270, 75, "ISETP.GE.AND P1, PT, R3, RZ, PT",
       [](Lane& l) { l.set_p(1, s(l.r(3)) >= 0); }},
      {0x0000000a0300720c, 0x000fe40003f06070, 75, "ISETP.GE.U32.AND P0, PT, R3, R10, PT",
       [](Lane& l) { l.set_p(0, l.r(3) >= l.r(10)); }},
      {0xffffffff0d00780c, 0x000fe40003f45270, 90, "ISETP.NE.AND P2, PT, R13, -0x1, PT",
       [](Lane& l) { l.set_p(2, l.r(13) != ~0u); }},
      {0x00000c000400780c, 0x000fda0000701670, 90, "ISETP.LT.OR P0, PT, R4, 0xc00, P0",
       [](Lane& l) { l.set_p(0, s(l.r(4)) < 0xc00 || l.p(0)); }},
      {0x00005d00ff007a0c, 0x000fe20003f22270, 75, "ISETP.EQ.AND P1, PT, RZ, c[0x0][0x174], PT",
       [](Lane& l) { l.set_p(1, l.c(0, 0x174) == 0); }},
      {0x00000008ff007c0c, 0x000fd8000bf21270, 75, "ISETP.LT.AND P1, PT, RZ, UR8, PT",
       [](Lane& l) { l.set_p(1, 0 < s(l.ur(8))); }},
      {0x000000030900520c, 0x000fe40003f06070, 75, "@P5 ISETP.GE.U32.AND P0, PT, R9, R3, PT",
       [](Lane& l) { l.set_p(0, l.r(9) >= l.r(3)); }},
  });
}

TEST(PredicateOperations, IsetpExDecidesEqualHighWordsByTheLowOnes) {
  for (unsigned compare = 1; compare < 7; ++compare)
    for (const bool is_signed : {false, true}) {
      const u64 high = u64{is_signed} << 9 | u64{compare} << 12;
      const std::string name = std::string("ISETP.") + compare_names[compare] + (is_signed ? "." : ".U32.") +
                               "AND.EX P2, PT, R9, R3, PT, P4";
      // The registers 9 and 3 are the high words; the low words' comparison is in P4.
      check({0x000000030900720c, 0x000fe40003f40140 | high, 75, name.c_str(), [=](Lane& l) {
               const bool result =
                   is_signed ? compared(compare, s(l.r(9)), s(l.r(3))) : compared(compare, l.r(9), l.r(3));
               l.set_p(2, l.r(9) == l.r(3) ? l.p(4) : result);
             }});
    }
  check({
      {0x000000030500720c, 0x000fe20003f24110, 75, "ISETP.GT.U32.AND.EX P1, PT, R5, R3, PT, P1",
       [](Lane& l) { l.set_p(1, l.r(5) > l.r(3) || (l.r(5) == l.r(3) && l.p(1))); }},
      {0x000000ff0300720c, 0x000fe20003f05300, 75, "ISETP.NE.AND.EX P0, PT, R3, RZ, PT, P0",
       [](Lane& l) { l.set_p(0, l.r(3) != 0 || l.p(0)); }},
  });
}

bool in_table(unsigned table, bool a, bool b, bool c) { return table >> (4 * a + 2 * b + c) & 1; }

TEST(PredicateOperations, Plop3ForEveryTable) {
  for (unsigned t = 0; t < 256; t += 5) {
    char text[96];
    const unsigned second = (t * 7 + 3) & 0xff;
    std::snprintf(text, sizeof text, "PLOP3.LUT P0, P5, P1, !P2, P3, 0x%x, 0x%x", t, second);
    check({0x000000000000781c | u64{second} << 16, 0x000fe20000d14030 | u64{t & 7} | u64{t >> 3} << 8, 75, text,
           [=](Lane& l) {
             l.set_p(0, in_table(t, l.p(1), !l.p(2), l.p(3))), l.set_p(5, in_table(second, l.p(1), !l.p(2), l.p(3)));
           }},
          12);
  }
}

TEST(PredicateOperations, Plop3OfKnownCode) {
  check({
      {0x000000000000781c, 0x000fe20003f0e170, 75, "PLOP3.LUT P0, PT, PT, PT, PT, 0x8, 0x0",
       [](Lane& l) { l.set_p(0, false); }},
      {0x000000000000781c, 0x000fc60003f0f070, 75, "PLOP3.LUT P0, PT, PT, PT, PT, 0x80, 0x0",
       [](Lane& l) { l.set_p(0, true); }},
      {0x000000000000181c, 0x000fe40000f0e170, 90, "@P1 PLOP3.LUT P0, PT, P1, PT, PT, 0x8, 0x0",
       [](Lane& l) { l.set_p(0, false); }},
      {0x000000000000781c, 0x000fe20003f0f028, 90, "PLOP3.LUT P0, PT, PT, PT, UP2, 0x80, 0x0",
       [](Lane& l) { l.set_p(0, l.up(2)); }},
      {0x000000090000721f, 0x000fe40000700204, 75, "PLOP3.LUT P0, PT, R0.SIGN, R9.SIGN, R4.SIGN, 0x2, 0x0",
       [](Lane& l) { l.set_p(0, s(l.r(0)) >= 0 && s(l.r(9)) >= 0 && s(l.r(4)) < 0); }},
  });
}

TEST(PredicateOperations, P2rAndR2pPackPredicates) {
  const auto packed = [](const Lane& l, Word names) {
    Word d = 0;
    for (unsigned p = 0; p < 7; ++p) d |= Word{l.p(p)} << p;
    return d & names;
  };
  check({
      {0x0000007fff007803, 0x000fda0000000000, 90, "P2R R0, PR, RZ, 0x7f",
       [=](Lane& l) { l.set_r(0, packed(l, 0x7f)); }},
      {0x00000040ff037803, 0x000fd00000000000, 75, "P2R R3, PR, RZ, 0x40",
       [=](Lane& l) { l.set_r(3, packed(l, 0x40)); }},
      {0x0000007f05007803, 0x000fda0000002000, 90, "P2R.B2 R0, PR, R5, 0x7f",
       [=](Lane& l) { l.set_r(0, (l.r(5) & ~0x7f0000u) | packed(l, 0x7f) << 16); }},
      {0x0000007e2f007804, 0x000fe40000000000, 75, "R2P PR, R47, 0x7e",
       [](Lane& l) {
         for (unsigned p = 1; p < 7; ++p) l.set_p(p, l.r(47) >> p & 1);
       }},
      {0x0000002505007804, 0x000fe40000003000, 90, "R2P PR, R5.B3, 0x25",
       [](Lane& l) {
         for (const unsigned p : {0u, 2u, 5u}) l.set_p(p, l.r(5) >> (24 + p) & 1);
       }},
      {0x0000000605007204, 0x000fe40000000000, 90, "R2P PR, R5, R6",
       [](Lane& l) {
         for (unsigned p = 0; p < 7; ++p)
           if (l.r(6) >> p & 1) l.set_p(p, l.r(5) >> p & 1);
       }},
  });
}

}  // namespace
}  // namespace lanebank::machine::test
