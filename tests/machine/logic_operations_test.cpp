// Logic, shifts, permutes, bit fields, comparisons and predicates: single instructions against formulas
// that go bit by bit or through 64-bit arithmetic.
#include <bit>

#include "one_instruction.hpp"

namespace lanebank::machine::test {
namespace {

using i64 = std::int64_t;
using u64 = std::uint64_t;

i64 s(Word x) { return static_cast<std::int32_t>(x); }

Word table(Word a, Word b, Word c, unsigned t) {
  Word result = 0;
  for (unsigned i = 0; i < 32; ++i) {
    const unsigned number = 4 * (a >> i & 1) + 2 * (b >> i & 1) + (c >> i & 1);
    result |= (t >> number & 1) << i;
  }
  return result;
}

TEST(LogicOperations, Lop3OfKnownCode) {
  check({
      {0x0000000c0b077212, 0x004fd000078ee207, 75, "LOP3.LUT R7, R11, R12, R7, 0xe2, !PT",
       [](Lane& l) { l.set_r(7, table(l.r(11), l.r(12), l.r(7), 0xe2)); }},
      {0x00000000ff0ca212, 0x000fd000078e33ff, 75, "@!P2 LOP3.LUT R12, RZ, R0, RZ, 0x33, !PT",
       [](Lane& l) { l.set_r(12, ~l.r(0)); }},
      {0x0000000209097812, 0x000fe200078ee200, 75, "LOP3.LUT R9, R9, 0x2, R0, 0xe2, !PT",
       [](Lane& l) { l.set_r(9, table(l.r(9), 2, l.r(0), 0xe2)); }},
      {0x00005c000d0d7a12, 0x002fd000078ec0ff, 75, "LOP3.LUT R13, R13, c[0x0][0x170], RZ, 0xc0, !PT",
       [](Lane& l) { l.set_r(13, l.r(13) & l.c(0, 0x170)); }},
      {0x0000000504047c12, 0x000fe4000f8ec0ff, 75, "LOP3.LUT R4, R4, UR5, RZ, 0xc0, !PT",
       [](Lane& l) { l.set_r(4, l.r(4) & l.ur(5)); }},
      {0x0000000302027812, 0x000fda000782c0ff, 90, "LOP3.LUT P1, R2, R2, 0x3, RZ, 0xc0, !PT",
       [](Lane& l) { l.set_r(2, l.r(2) & 3), l.set_p(1, (l.r(2) & 3) != 0); }},
      {0x0000000302ff7812, 0x000fda000482c0ff, 90, "LOP3.LUT P1, RZ, R2, 0x3, RZ, 0xc0, !P1",
       [](Lane& l) { l.set_p(1, (l.r(2) & 3) != 0 || !l.p(1)); }},
      {0x0000000302ff7812, 0x000fda000103c0ff, 90, "LOP3.LUT.PAND P1, RZ, R2, 0x3, RZ, 0xc0, P2",
       [](Lane& l) { l.set_p(1, (l.r(2) & 3) != 0 && l.p(2)); }},
      {0x0000000504047c12, 0x000fe4000f86c0ff, 75, "LOP3.LUT P3, R4, R4, UR5, RZ, 0xc0, !PT",
       [](Lane& l) { l.set_r(4, l.r(4) & l.ur(5)), l.set_p(3, (l.r(4) & l.ur(5)) != 0); }},
  });
}

TEST(LogicOperations, Lop3ForEveryTable) {
  for (unsigned t = 0; t < 256; ++t) {
    char text[64];
    std::snprintf(text, sizeof text, "LOP3.LUT R7, R11, R12, R9, 0x%x, !PT", t);
    const auto formula = [t](Lane& l) { l.set_r(7, table(l.r(11), l.r(12), l.r(9), t)); };
    check({0x0000000c0b077212, 0x000fd000078e0009 | u64{t} << 8, 75, text, formula}, 3);
    std::snprintf(text, sizeof text, "LOP3.LUT P2, R7, R11, R12, R9, 0x%x, !PT", t);
    const auto with_predicate = [t](Lane& l) {
      const Word result = table(l.r(11), l.r(12), l.r(9), t);
      l.set_r(7, result), l.set_p(2, result != 0);
    };
    check({0x0000000c0b077212, 0x000fd00007840009 | u64{t} << 8, 75, text, with_predicate}, 3);
  }
}

/// high:low shifted, the amount taken modulo 64 or limited to `limit`.
u64 shifted(u64 x, Word n, bool right, bool is_signed) {
  if (n >= 64) return is_signed && right && i64(x) < 0 ? ~u64{0} : 0;
  if (!right) return x << n;
  return is_signed ? u64(i64(x) >> n) : x >> n;
}

TEST(LogicOperations, ShfInAllForms) {
  // Types S64, U64, S32, U32; wrapping or not; left or right; low or high word.
  for (unsigned bits = 0; bits < 32; ++bits) {
    const bool wrap = bits & 1, right = bits & 2, high = bits & 4;
    const unsigned type = bits >> 3;
    static constexpr const char* types[] = {"S64", "U64", "S32", "U32"};
    const bool is_signed = type == 0 || type == 2;
    const Word width = type < 2 ? 64 : 32;
    const std::string text =
        std::string("SHF.") + (right ? "R" : "L") + (wrap ? ".W." : ".") + types[type] + (high ? ".HI" : "");
    const u64 modifiers = u64{type} << 9 | u64{wrap} << 11 | u64{right} << 12 | u64{high} << 16;
    const auto result = [=](Word a, Word amount, Word c) {
      const Word n = wrap ? amount % width : std::min(amount, width);
      u64 x = a | u64{c} << 32;
      if (!right && !high) x &= 0xffffffff;
      const u64 y = shifted(x, n, right, is_signed);
      return high ? Word(y >> 32) : Word(y);
    };
    const std::string in_register = text + " R11, R0, R12, R9", in_uniform = text + " R11, R0, UR5, R9";
    check({0x0000000c000b7219, 0x000fe20000000009 | modifiers, 75, in_register.c_str(),
           [=](Lane& l) { l.set_r(11, result(l.r(0), l.r(12), l.r(9))); }},
          60);
    check({0x00000005000b7c19, 0x000fe20008000009 | modifiers, 75, in_uniform.c_str(),
           [=](Lane& l) { l.set_r(11, result(l.r(0), l.ur(5), l.r(9))); }},
          60);
    for (const Word amount : {0u, 1u, 5u, 31u, 32u, 33u, 63u, 64u, 100u}) {
      char literal[64];
      std::snprintf(literal, sizeof literal, "%s R11, R0, 0x%x, R9", text.c_str(), amount);
      check({0x00000000000b7819 | u64{amount} << 32, 0x000fe20000000009 | modifiers, 75, literal,
             [=](Lane& l) { l.set_r(11, result(l.r(0), amount, l.r(9))); }},
            6);
    }
  }
  check({
      {0x00005c000c187a19, 0x001fc4000000100d, 80, "SHF.R.S64 R24, R12, c[0x0][0x170], R13",
       [](Lane& l) {
         l.set_r(24, Word(shifted(l.r(12) | u64{l.r(13)} << 32, std::min(l.c(0, 0x170), 64u), true, true)));
       }},
      {0x00000005ff0e7819, 0x000fe40000011400, 75, "SHF.R.S32.HI R14, RZ, 0x5, R0",
       [](Lane& l) { l.set_r(14, Word(s(l.r(0)) >> 5)); }},
  });
}

Word permuted(Word a, Word c, Word selector) {
  const u64 bytes = a | u64{c} << 32;
  Word result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned nibble = selector >> 4 * i & 15;
    Word byte = bytes >> 8 * (nibble & 7) & 0xff;
    if (nibble & 8) byte = byte & 0x80 ? 0xff : 0;
    result |= byte << 8 * i;
  }
  return result;
}

TEST(LogicOperations, PrmtPicksBytes) {
  // Selectors of the named modes as the PTX manual lists them, for the low two bits of the control.
  static constexpr Word forward[] = {0x3210, 0x4321, 0x5432, 0x6543}, backward[] = {0x5670, 0x6701, 0x7012, 0x0123};
  static constexpr Word replicate8[] = {0x0000, 0x1111, 0x2222, 0x3333},
                        replicate16[] = {0x1010, 0x3232, 0x1010, 0x3232};
  static constexpr Word edge_left[] = {0x3210, 0x3211, 0x3222, 0x3333}, edge_right[] = {0x0000, 0x1110, 0x2210, 0x3210};
  check({
      {0x0000000a07147216, 0x008fc60000000000, 90, "PRMT R20, R7, R10, R0",
       [](Lane& l) { l.set_r(20, permuted(l.r(7), l.r(0), l.r(10))); }},
      {0x0000000600057216, 0x004fd00000000105, 75, "PRMT.F4E R5, R0, R6, R5",
       [](Lane& l) { l.set_r(5, permuted(l.r(0), l.r(5), forward[l.r(6) & 3])); }},
      {0x0000000600067216, 0x004fd00000000207, 75, "PRMT.B4E R6, R0, R6, R7",
       [](Lane& l) { l.set_r(6, permuted(l.r(0), l.r(7), backward[l.r(6) & 3])); }},
      {0x0000000800077216, 0x008fd00000000307, 75, "PRMT.RC8 R7, R0, R8, R7",
       [](Lane& l) { l.set_r(7, permuted(l.r(0), l.r(7), replicate8[l.r(8) & 3])); }},
      {0x0000000400047216, 0x010fd00000000409, 75, "PRMT.ECL R4, R0, R4, R9",
       [](Lane& l) { l.set_r(4, permuted(l.r(0), l.r(9), edge_left[l.r(4) & 3])); }},
      {0x0000000800057216, 0x010fd00000000505, 75, "PRMT.ECR R5, R0, R8, R5",
       [](Lane& l) { l.set_r(5, permuted(l.r(0), l.r(5), edge_right[l.r(8) & 3])); }},
      {0x0000000600067216, 0x010fd00000000609, 75, "PRMT.RC16 R6, R0, R6, R9",
       [](Lane& l) { l.set_r(6, permuted(l.r(0), l.r(9), replicate16[l.r(6) & 3])); }},
      {0x0000760404047816, 0x000fc8000000000d, 75, "PRMT R4, R4, 0x7604, R13",
       [](Lane& l) { l.set_r(4, permuted(l.r(4), l.r(13), 0x7604)); }},
      {0x0000065404047816, 0x000fc8000000000d, 75, "PRMT R4, R4, 0x654, R13",
       [](Lane& l) { l.set_r(4, permuted(l.r(4), l.r(13), 0x654)); }},
      {0x0000bb9903177816, 0x000fe200000000ff, 75, "PRMT R23, R3, 0xbb99, RZ",
       [](Lane& l) { l.set_r(23, permuted(l.r(3), 0, 0xbb99)); }},
      {0x0000f8c903177816, 0x000fe20000000005, 75, "PRMT R23, R3, 0xf8c9, R5",
       [](Lane& l) { l.set_r(23, permuted(l.r(3), l.r(5), 0xf8c9)); }},
  });
}

TEST(LogicOperations, SelAndMovCopyWords) {
  check({
      {0x0000000406147207, 0x001fe40005000000, 75, "SEL R20, R6, R4, !P2",
       [](Lane& l) { l.set_r(20, l.p(2) ? l.r(4) : l.r(6)); }},
      {0xffffffff08087807, 0x000fe40000000000, 75, "SEL R8, R8, 0xffffffff, P0",
       [](Lane& l) { l.set_r(8, l.p(0) ? l.r(8) : ~0u); }},
      {0x0000000807077c07, 0x000fcc0009800000, 75, "SEL R7, R7, UR8, P3",
       [](Lane& l) { l.set_r(7, l.p(3) ? l.r(7) : l.ur(8)); }},
      {0x0000001e00167202, 0x000fc60000000f00, 90, "MOV R22, R30", [](Lane& l) { l.set_r(22, l.r(30)); }},
      {0x000000ff000d7202, 0x000fc60000000f00, 90, "MOV R13, RZ", [](Lane& l) { l.set_r(13, 0); }},
      {0x0000002000137802, 0x000fe20000000f00, 90, "MOV R19, 0x20", [](Lane& l) { l.set_r(19, 32); }},
      {0x0000410000057a02, 0x000fe20000000f00, 75, "MOV R5, c[0x0][0x104]", [](Lane& l) { l.set_r(5, l.c(0, 0x104)); }},
      {0x00000008000d7c02, 0x000fe20008000f00, 80, "MOV R13, UR8", [](Lane& l) { l.set_r(13, l.ur(8)); }},
  });
  check_unsupported(0x0000001e00167202, 0x000fc60000000700, 90, "MOV R22, R30, 0x7");
}

Word field(Word x, Word n, bool is_signed) {
  if (n == 0) return 0;
  if (n >= 32) return x;
  const u64 value = x & ((u64{1} << n) - 1);
  return is_signed && (value >> (n - 1)) != 0 ? Word(value | ~u64{0} << n) : Word(value);
}
Word ones(u64 first, u64 width) {
  Word result = 0;
  for (u64 i = 0; i < 32; ++i)
    if (i >= first && i - first < width) result |= 1u << i;
  return result;
}
Word highest(Word x) { return x == 0 ? ~0u : 31u - Word(std::countl_zero(x)); }

TEST(LogicOperations, FieldsAndCounts) {
  check({
      {0x000000080706721a, 0x000fcc0000000200, 75, "SGXT R6, R7, R8",
       [](Lane& l) { l.set_r(6, field(l.r(7), l.r(8), true)); }},
      {0x000000060505721a, 0x000fe40000000000, 75, "SGXT.U32 R5, R5, R6",
       [](Lane& l) { l.set_r(5, field(l.r(5), l.r(6), false)); }},
      {0x00000006000b721a, 0x001fc60000000a00, 90, "SGXT.W R11, R0, R6",
       [](Lane& l) { l.set_r(11, field(l.r(0), l.r(6) % 32, true)); }},
      {0x000000070007721a, 0x008fd00000000800, 75, "SGXT.W.U32 R7, R0, R7",
       [](Lane& l) { l.set_r(7, field(l.r(0), l.r(7) % 32, false)); }},
      {0x000000090e04781a, 0x000fe40000000200, 75, "SGXT R4, R14, 0x9",
       [](Lane& l) { l.set_r(4, field(l.r(14), 9, true)); }},
      {0x0000000c0b0c721b, 0x000fe40000000000, 75, "BMSK R12, R11, R12",
       [](Lane& l) { l.set_r(12, ones(l.r(11), l.r(12))); }},
      {0x0000000d000d721b, 0x004fd00000000800, 75, "BMSK.W R13, R0, R13",
       [](Lane& l) { l.set_r(13, ones(l.r(0) % 32, l.r(13) % 32)); }},
      {0x00005d000d0c7a1b, 0x000fd00000000000, 75, "BMSK R12, R13, c[0x0][0x174]",
       [](Lane& l) { l.set_r(12, ones(l.r(13), l.c(0, 0x174))); }},
      {0x0000000000087300, 0x000ee200000e0000, 75, "FLO.U32 R8, R0", [](Lane& l) { l.set_r(8, highest(l.r(0))); }},
      {0x0000000000097300, 0x000f2200000e0200, 75, "FLO R9, R0",
       [](Lane& l) { l.set_r(9, highest(s(l.r(0)) < 0 ? ~l.r(0) : l.r(0))); }},
      {0x80000000000a7300, 0x000e2200000e0600, 75, "FLO.SH R10, ~R0",
       [](Lane& l) {
         const Word x = ~l.r(0), m = highest(s(x) < 0 ? ~x : x);
         l.set_r(10, m == ~0u ? m : 31 - m);
       }},
      {0x0000000d00157300, 0x00032200000e0400, 75, "FLO.U32.SH R21, R13",
       [](Lane& l) { l.set_r(21, l.r(13) == 0 ? ~0u : Word(std::countl_zero(l.r(13)))); }},
      {0x0000000400057309, 0x000ff00000000000, 75, "POPC R5, R4",
       [](Lane& l) { l.set_r(5, Word(std::popcount(l.r(4)))); }},
      {0x8000000400057309, 0x000ff00000000000, 75, "POPC R5, ~R4",
       [](Lane& l) { l.set_r(5, Word(std::popcount(~l.r(4)))); }},
      {0x0000000400047301, 0x000e220000000000, 75, "BREV R4, R4",
       [](Lane& l) {
         Word d = 0;
         for (unsigned i = 0; i < 32; ++i) d |= (l.r(4) >> i & 1) << (31 - i);
         l.set_r(4, d);
       }},
  });
  check_unsupported(0x0740000000067a1a, 0x002fc60000000000, 75, "SGXT.U32 R6, R0, c[0x1d][0x0]");
  check_unsupported(0x0000000000087300, 0x000ee20000060000, 75, "FLO.U32 R8, P3, R0");
}

}  // namespace
}  // namespace lanebank::machine::test
