// Sums, products, minima: single instructions against formulas in 64-bit arithmetic. Encodings are those
// that nvcc made, or such with modifier bits changed.
#include <algorithm>

#include "one_instruction.hpp"

namespace lanebank::machine::test {
namespace {

using i64 = std::int64_t;
using u64 = std::uint64_t;
using u128 = unsigned __int128;

i64 s(Word x) { return static_cast<std::int32_t>(x); }
u64 neg(Word x) { return u64{~x} + 1; }  // with its carry: -0 is 2^32
u64 inv(Word x) { return u64{~x}; }
Word low(u64 x) { return static_cast<Word>(x); }
Word high(u64 x) { return static_cast<Word>(x >> 32); }

TEST(IntegerOperations, Iadd3AddsThreeWordsWithNegations) {
  check({
      {0x000000ff0b0b9210, 0x000fe40007ffe1ff, 90, "@!P1 IADD3 R11, -R11, RZ, RZ",
       [](Lane& l) { l.set_r(11, low(0 - u64{l.r(11)})); }},
      {0x0000001f06060810, 0x000fc80007ffe1ff, 75, "@P0 IADD3 R6, -R6, 0x1f, RZ",
       [](Lane& l) { l.set_r(6, 0x1f - l.r(6)); }},
      {0x0000000806064810, 0x000fc60007ffe0ff, 75, "@P4 IADD3 R6, R6, 0x8, RZ",
       [](Lane& l) { l.set_r(6, l.r(6) + 8); }},
      {0x8000450009057a10, 0x003fc60007ffe0ff, 80, "IADD3 R5, R9, -c[0x0][0x114], RZ",
       [](Lane& l) { l.set_r(5, l.r(9) - l.c(0, 0x114)); }},
      {0x0000000806077c10, 0x000fc8000fffe1ff, 75, "IADD3 R7, -R6, UR8, RZ",
       [](Lane& l) { l.set_r(7, l.ur(8) - l.r(6)); }},
      {0x000000040d217c10, 0x000fe2000fffe0ff, 75, "IADD3 R33, R13, UR4, RZ",
       [](Lane& l) { l.set_r(33, l.r(13) + l.ur(4)); }},
      {0x0000000402107210, 0x000fc40007ffe005, 75, "IADD3 R16, R2, R4, R5",
       [](Lane& l) { l.set_r(16, l.r(2) + l.r(4) + l.r(5)); }},
      {0x8000000402107210, 0x000fc40007ffe905, 75, "IADD3 R16, -R2, -R4, -R5",
       [](Lane& l) { l.set_r(16, 0 - l.r(2) - l.r(4) - l.r(5)); }},
      {0x0000000402ff7210, 0x000fc40007ffe005, 75, "IADD3 RZ, R2, R4, R5", [](Lane&) {}},
  });
}

TEST(IntegerOperations, Iadd3CarriesOutOnceOrTwice) {
  check({
      {0x0000000402107210, 0x000fc40007f5e1ff, 75, "IADD3 R16, P2, -R2, R4, RZ",
       [](Lane& l) {
         const u64 sum = neg(l.r(2)) + l.r(4);
         l.set_r(16, low(sum)), l.set_p(2, high(sum) >= 1);
       }},
      {0x8000000700077210, 0x004fc80007f1e0ff, 75, "IADD3 R7, P0, R0, -R7, RZ",
       [](Lane& l) {
         const u64 sum = l.r(0) + neg(l.r(7));
         EXPECT_EQ(high(sum) >= 1, l.r(0) >= l.r(7));  // no borrow
         l.set_r(7, low(sum)), l.set_p(0, l.r(0) >= l.r(7));
       }},
      {0x80000008ff0f7210, 0x000fca0007f1e0ff, 75, "IADD3 R15, P0, RZ, -R8, RZ",
       [](Lane& l) { l.set_r(15, 0 - l.r(8)), l.set_p(0, l.r(8) == 0); }},
      {0x0000001219ff7210, 0x000fe40007fde0ff, 75, "IADD3 RZ, P6, R25, R18, RZ",
       [](Lane& l) { l.set_p(6, u64{l.r(25)} + l.r(18) >= u64{1} << 32); }},
      {0xdb6db6db121b7810, 0x000fe20007fde0ff, 75, "IADD3 R27, P6, R18, -0x24924925, RZ",
       [](Lane& l) {
         const u64 sum = u64{l.r(18)} + 0xdb6db6db;
         l.set_r(27, low(sum)), l.set_p(6, high(sum) != 0);
       }},
      {0x0000000605047c10, 0x000fc6000ff1e0ff, 90, "IADD3 R4, P0, R5, UR6, RZ",
       [](Lane& l) {
         const u64 sum = u64{l.r(5)} + l.ur(6);
         l.set_r(4, low(sum)), l.set_p(0, high(sum) != 0);
       }},
      {0x00005c0004187a10, 0x000fc40007f5e0ff, 75, "IADD3 R24, P2, R4, c[0x0][0x170], RZ",
       [](Lane& l) {
         const u64 sum = u64{l.r(4)} + l.c(0, 0x170);
         l.set_r(24, low(sum)), l.set_p(2, high(sum) != 0);
       }},
      {0x0000000402107210, 0x000fc40007b5e005, 75, "IADD3 R16, P2, P3, R2, R4, R5",
       [](Lane& l) {
         const u64 sum = u64{l.r(2)} + l.r(4) + l.r(5);
         l.set_r(16, low(sum)), l.set_p(2, high(sum) >= 1), l.set_p(3, high(sum) >= 2);
       }},
      {0x8000000402107210, 0x000fc40007b5e905, 75, "IADD3 R16, P2, P3, -R2, -R4, -R5",
       [](Lane& l) {
         const u64 sum = neg(l.r(2)) + neg(l.r(4)) + neg(l.r(5));
         l.set_r(16, low(sum)), l.set_p(2, high(sum) >= 1), l.set_p(3, high(sum) >= 2);
       }},
  });
}

TEST(IntegerOperations, Iadd3XAddsItsPredicatesAndComplements) {
  check({
      {0x0000000605057210, 0x008fca000071e4ff, 75, "IADD3.X R5, P0, R5, R6, RZ, P0, !PT",
       [](Lane& l) {
         const u64 sum = u64{l.r(5)} + l.r(6) + l.p(0);
         l.set_r(5, low(sum)), l.set_p(0, high(sum) >= 1);
       }},
      {0x8000000706077210, 0x008fca000071e4ff, 75, "IADD3.X R7, P0, R6, ~R7, RZ, P0, !PT",
       [](Lane& l) {
         const u64 sum = u64{l.r(6)} + inv(l.r(7)) + l.p(0);
         l.set_r(7, low(sum)), l.set_p(0, high(sum) >= 1);
       }},
      {0x0000000a0d0c7210, 0x000fe40002fbe5ff, 75, "IADD3.X R12, P5, ~R13, R10, RZ, P5, !PT",
       [](Lane& l) {
         const u64 sum = inv(l.r(13)) + l.r(10) + l.p(5);
         l.set_r(12, low(sum)), l.set_p(5, high(sum) >= 1);
       }},
      {0x000000ffff117210, 0x000fe20001fe2408, 75, "IADD3.X R17, RZ, RZ, R8, P3, P1",
       [](Lane& l) { l.set_r(17, l.r(8) + l.p(3) + l.p(1)); }},
      {0xb6db6db613177810, 0x002fe200037fe4ff, 75, "IADD3.X R23, R19, -0x4924924a, RZ, P6, !PT",
       [](Lane& l) { l.set_r(23, l.r(19) + 0xb6db6db6 + l.p(6)); }},
      {0x0000000405197c10, 0x000fe200097fe4ff, 75, "IADD3.X R25, R5, UR4, RZ, P2, !PT",
       [](Lane& l) { l.set_r(25, l.r(5) + l.ur(4) + l.p(2)); }},
      {0x8000000402107210, 0x000fc40001b42d05, 75, "IADD3.X R16, P2, P3, ~R2, ~R4, ~R5, P3, P1",
       [](Lane& l) {
         const u64 sum = inv(l.r(2)) + inv(l.r(4)) + inv(l.r(5)) + l.p(3) + l.p(1);
         l.set_r(16, low(sum)), l.set_p(2, high(sum) >= 1), l.set_p(3, high(sum) >= 2);
       }},
  });
}

TEST(IntegerOperations, ViaddAddsWordsAndHalves) {
  check({
      {0x0000000806063836, 0x000fc80000000000, 90, "@P3 VIADD R6, R6, 0x8", [](Lane& l) { l.set_r(6, l.r(6) + 8); }},
      {0x000000041d1d7c36, 0x000fe20008000000, 90, "VIADD R29, R29, UR4",
       [](Lane& l) { l.set_r(29, l.r(29) + l.ur(4)); }},
      {0x8000000007137236, 0x000fe20000000000, 90, "VIADD R19, R7, -R0", [](Lane& l) { l.set_r(19, l.r(7) - l.r(0)); }},
      {0x8000000007137236, 0x000fe20000000200, 90, "VIADD.16x2 R19, R7, -R0",
       [](Lane& l) {
         const Word a = l.r(7), b = l.r(0);
         l.set_r(19, ((a - b) & 0xffff) | ((a >> 16) - (b >> 16)) << 16);
       }},
      {0x0001000109147836, 0x008fc40000000200, 90, "VIADD.16x2 R20, R9, 0x10001",
       [](Lane& l) { l.set_r(20, ((l.r(9) + 1) & 0xffff) | ((l.r(9) >> 16) + 1) << 16); }},
  });
}

TEST(IntegerOperations, ImadInAllItsShapes) {
  check({
      {0x0000000307037224, 0x000fe400078e0204, 75, "IMAD R3, R7, R3, R4",
       [](Lane& l) { l.set_r(3, l.r(7) * l.r(3) + l.r(4)); }},
      {0x0000000903027224, 0x000fe200078e0a11, 80, "IMAD R2, R3, R9, -R17",
       [](Lane& l) { l.set_r(2, l.r(3) * l.r(9) - l.r(17)); }},
      {0x00000009000b7224, 0x008fca00078e02ff, 75, "IMAD R11, R0, R9, RZ",
       [](Lane& l) { l.set_r(11, l.r(0) * l.r(9)); }},
      {0x000000ffff037224, 0x000fca00078e0a09, 75, "IMAD.MOV R3, RZ, RZ, -R9", [](Lane& l) { l.set_r(3, 0 - l.r(9)); }},
      {0x000000ffff008224, 0x000fe200078e0209, 75, "@!P0 IMAD.MOV R0, RZ, RZ, R9", [](Lane& l) { l.set_r(0, l.r(9)); }},
      {0x000000ffff067224, 0x001fe400078e00ff, 75, "IMAD.MOV.U32 R6, RZ, RZ, RZ", [](Lane& l) { l.set_r(6, 0); }},
      {0x00000004ff037424, 0x000fc800078e00ff, 75, "IMAD.MOV.U32 R3, RZ, RZ, 0x4", [](Lane& l) { l.set_r(3, 4); }},
      {0x00000a00ff017624, 0x000fe400078e00ff, 75, "IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28]",
       [](Lane& l) { l.set_r(1, l.c(0, 0x28)); }},
      {0x00000004ff097e24, 0x000fe2000f8e00ff, 75, "IMAD.U32 R9, RZ, RZ, UR4", [](Lane& l) { l.set_r(9, l.ur(4)); }},
      {0x0000000107074824, 0x000fc600078e0a08, 75, "@P4 IMAD.IADD R7, R7, 0x1, -R8",
       [](Lane& l) { l.set_r(7, l.r(7) - l.r(8)); }},
      {0x0000000108087824, 0x000fe200078e020b, 75, "IMAD.IADD R8, R8, 0x1, R11",
       [](Lane& l) { l.set_r(8, l.r(8) + l.r(11)); }},
      {0x0000002008087824, 0x000fe400078e00ff, 75, "IMAD.SHL.U32 R8, R8, 0x20, RZ",
       [](Lane& l) { l.set_r(8, l.r(8) << 5); }},
      {0x00010000070b7824, 0x000fe200078e00ff, 75, "IMAD.U32 R11, R7, 0x10000, RZ",
       [](Lane& l) { l.set_r(11, l.r(7) << 16); }},
      {0xfffffff902037824, 0x000fe200078e0203, 75, "IMAD R3, R2, -0x7, R3",
       [](Lane& l) { l.set_r(3, l.r(3) - 7 * l.r(2)); }},
      {0x0000000002037a24, 0x000fe200078e0203, 75, "IMAD R3, R2, c[0x0][0x0], R3",
       [](Lane& l) { l.set_r(3, l.r(2) * l.c(0, 0) + l.r(3)); }},
      {0x0000000402037c24, 0x000fe2000f8e0203, 75, "IMAD R3, R2, UR4, R3",
       [](Lane& l) { l.set_r(3, l.r(2) * l.ur(4) + l.r(3)); }},
      {0x8000000402037e24, 0x000fe2000f8e0203, 75, "IMAD R3, R2, R3, -UR4",
       [](Lane& l) { l.set_r(3, l.r(2) * l.r(3) - l.ur(4)); }},
      {0x8000000002037624, 0x000fe200078e0203, 75, "IMAD R3, R2, R3, -c[0x0][0x0]",
       [](Lane& l) { l.set_r(3, l.r(2) * l.r(3) - l.c(0, 0)); }},
      {0x8000001102037424, 0x000fe200078e0203, 75, "IMAD R3, R2, R3, -0x7fffffef",
       [](Lane& l) { l.set_r(3, l.r(2) * l.r(3) + 0x80000011); }},
      {0x0000001102037424, 0x000fe200078e0203, 75, "IMAD R3, R2, R3, 0x11",
       [](Lane& l) { l.set_r(3, l.r(2) * l.r(3) + 17); }},
  });
}

TEST(IntegerOperations, ImadXAddsAPredicate) {
  check({
      {0x0000000400047224, 0x000fd000000e0609, 75, "IMAD.X R4, R0, R4, R9, P0",
       [](Lane& l) { l.set_r(4, l.r(0) * l.r(4) + l.r(9) + l.p(0)); }},
      {0x000000ffff057224, 0x000fe200020e0600, 75, "IMAD.X R5, RZ, RZ, R0, P4",
       [](Lane& l) { l.set_r(5, l.r(0) + l.p(4)); }},
      {0x000000ffff0d7224, 0x000fe200028e06ff, 75, "IMAD.X R13, RZ, RZ, RZ, P5", [](Lane& l) { l.set_r(13, l.p(5)); }},
      {0x000000ffff0b7224, 0x000fc800000e0e0d, 75, "IMAD.X R11, RZ, RZ, ~R13, P0",
       [](Lane& l) { l.set_r(11, ~l.r(13) + l.p(0)); }},
      {0xffffffffff077424, 0x000fe200018e06ff, 75, "IMAD.X R7, RZ, RZ, -0x1, P3",
       [](Lane& l) { l.set_r(7, l.p(3) - 1u); }},
      {0x0000000100057824, 0x000fd000000e0605, 75, "IMAD.X R5, R0, 0x1, R5, P0",
       [](Lane& l) { l.set_r(5, l.r(0) + l.r(5) + l.p(0)); }},
      {0x0000000107077824, 0x000fd000000e0e00, 75, "IMAD.X R7, R7, 0x1, ~R0, P0",
       [](Lane& l) { l.set_r(7, l.r(7) + ~l.r(0) + l.p(0)); }},
      {0x0000000307077824, 0x000fd000040e0e00, 75, "IMAD.X R7, R7, 0x3, ~R0, !P0",
       [](Lane& l) { l.set_r(7, l.r(7) * 3 + ~l.r(0) + !l.p(0)); }},
      {0x00005a0002037a24, 0x000fe200008e0603, 75, "IMAD.X R3, R2, c[0x0][0x168], R3, P1",
       [](Lane& l) { l.set_r(3, l.r(2) * l.c(0, 0x168) + l.r(3) + l.p(1)); }},
      {0x0000000402037e24, 0x000fe200088e0603, 75, "IMAD.X R3, R2, R3, UR4, P1",
       [](Lane& l) { l.set_r(3, l.r(2) * l.r(3) + l.ur(4) + l.p(1)); }},
  });
}

TEST(IntegerOperations, ImadWideKeepsAllBitsAndCarries) {
  check({
      {0x0000000405027825, 0x001fca00078e0202, 90, "IMAD.WIDE R2, R5, 0x4, R2",
       [](Lane& l) { l.set_pair(2, u64(s(l.r(5)) * 4) + l.pair(2)); }},
      {0x0000000403067825, 0x001fca00078e0006, 90, "IMAD.WIDE.U32 R6, R3, 0x4, R6",
       [](Lane& l) { l.set_pair(6, u64{l.r(3)} * 4 + l.pair(6)); }},
      {0x00005a0002027625, 0x001fd000078e0203, 75, "IMAD.WIDE R2, R2, R3, c[0x0][0x168]",
       [](Lane& l) { l.set_pair(2, u64(s(l.r(2)) * s(l.r(3))) + (l.c(0, 0x168) | u64{l.c(0, 0x16c)} << 32)); }},
      {0x0000000602027e25, 0x001fd0000f8e0003, 75, "IMAD.WIDE.U32 R2, R2, R3, UR6",
       [](Lane& l) { l.set_pair(2, u64{l.r(2)} * l.r(3) + l.ur_pair(6)); }},
      {0x8000000602027e25, 0x001fd0000f8e0003, 75, "IMAD.WIDE.U32 R2, R2, R3, -UR6",
       [](Lane& l) { l.set_pair(2, u64{l.r(2)} * l.r(3) - l.ur_pair(6)); }},
      {0x0000000602027c25, 0x001fd0000f8e0204, 75, "IMAD.WIDE R2, R2, UR6, R4",
       [](Lane& l) { l.set_pair(2, u64(s(l.r(2)) * s(l.ur(6))) + l.pair(4)); }},
      {0x0000000205107225, 0x000fe200078e00ff, 75, "IMAD.WIDE.U32 R16, R5, R2, RZ",
       [](Lane& l) { l.set_pair(16, u64{l.r(5)} * l.r(2)); }},
      {0x0000000205107225, 0x000fe200078e02ff, 75, "IMAD.WIDE R16, R5, R2, RZ",
       [](Lane& l) { l.set_pair(16, u64(s(l.r(5)) * s(l.r(2)))); }},
      {0x0000000205107225, 0x000fe200078e0806, 75, "IMAD.WIDE.U32 R16, R5, R2, -R6",
       [](Lane& l) { l.set_pair(16, u64{l.r(5)} * l.r(2) - l.pair(6)); }},
      {0x00000004030a7225, 0x002fe20007820010, 75, "IMAD.WIDE.U32 R10, P1, R3, R4, R16",
       [](Lane& l) {
         const u128 sum = u128{l.r(3)} * l.r(4) + l.pair(16);
         l.set_pair(10, u64(sum)), l.set_p(1, sum >> 64 != 0);
       }},
      {0xcccccccc0c147825, 0x000fe2000780001a, 80, "IMAD.WIDE.U32 R20, P0, R12, -0x33333334, R26",
       [](Lane& l) {
         const u128 sum = u128{l.r(12)} * 0xcccccccc + l.pair(26);
         l.set_pair(20, u64(sum)), l.set_p(0, sum >> 64 != 0);
       }},
      {0x0000000503107225, 0x000fe200000e0416, 75, "IMAD.WIDE.U32.X R16, R3, R5, R22, P0",
       [](Lane& l) { l.set_pair(16, u64{l.r(3)} * l.r(5) + l.pair(22) + l.p(0)); }},
      {0x0000000503107225, 0x000fe20000040e16, 75, "IMAD.WIDE.X R16, P2, R3, R5, ~R22, P0",
       [](Lane& l) {
         const u128 sum = u128{u64(s(l.r(3)) * s(l.r(5)))} + u128{~l.pair(22)} + l.p(0);
         l.set_pair(16, u64(sum)), l.set_p(2, sum >> 64 != 0);
       }},
      {0x0000000205ff7225, 0x000fe200078e00ff, 75, "IMAD.WIDE.U32 RZ, R5, R2, RZ", [](Lane&) {}},
  });
}

TEST(IntegerOperations, ImadHighAddsAPairBeforeItDropsTheLowWord) {
  check({
      {0x0000000700077227, 0x004fc800078e02ff, 75, "IMAD.HI R7, R0, R7, RZ",
       [](Lane& l) { l.set_r(7, high(u64(s(l.r(0)) * s(l.r(7))))); }},
      {0x0000000507077227, 0x000fe200078e0006, 75, "IMAD.HI.U32 R7, R7, R5, R6",
       [](Lane& l) { l.set_r(7, high(u64{l.r(7)} * l.r(5) + l.pair(6))); }},
      {0x9249249303027827, 0x000fe200078e0202, 75, "IMAD.HI R2, R3, -0x6db6db6d, R2",
       [](Lane& l) { l.set_r(2, high(u64(s(l.r(3)) * s(0x92492493)) + l.pair(2))); }},
      {0x000000110d0e7227, 0x000fc8000782000e, 75, "IMAD.HI.U32 R14, P1, R13, R17, R14",
       [](Lane& l) {
         const u128 sum = u128{l.r(13)} * l.r(17) + l.pair(14);
         l.set_r(14, high(u64(sum))), l.set_p(1, sum >> 64 != 0);
       }},
      {0x000000110d0e7227, 0x000fc800028e0c0e, 75, "IMAD.HI.U32.X R14, R13, R17, ~R14, P5",
       [](Lane& l) { l.set_r(14, high(u64{l.r(13)} * l.r(17) + ~l.pair(14) + l.p(5))); }},
  });
}

/// High word of a 64-bit shift to the left.
Word scaled_high(Word low_word, Word high_word, unsigned n) { return high((low_word | u64{high_word} << 32) << n); }
Word sign(Word x) { return x >> 31 ? ~0u : 0; }

TEST(IntegerOperations, CarrylessProductsAddTheThirdByXor) {
  const auto product = [](u64 a, u64 b) {
    u128 sum = 0;
    for (unsigned i = 0; i < 64; ++i)
      if (b >> i & 1) sum ^= u128{a} << i;
    return sum;
  };
  check({
      {0x000000060412722c, 0x000fde0000000008, 90, "CLMAD.LO R18, R4, R6, R8",
       [=](Lane& l) { l.set_pair(18, static_cast<u64>(product(l.pair(4), l.pair(6))) ^ l.pair(8)); }},
      {0x000000060412722c, 0x000fde0000002008, 90, "CLMAD.HI R18, R4, R6, R8",
       [=](Lane& l) { l.set_pair(18, static_cast<u64>(product(l.pair(4), l.pair(6)) >> 64) ^ l.pair(8)); }},
      {0x000000060412722c, 0x000fde00000020ff, 80, "CLMAD.HI R18, R4, R6, RZ",
       [=](Lane& l) { l.set_pair(18, static_cast<u64>(product(l.pair(4), l.pair(6)) >> 64)); }},
  });
}

TEST(IntegerOperations, LeaScalesAndAdds) {
  check({
      {0x000000070a077211, 0x000fe400078e28ff, 90, "LEA R7, R10, R7, 0x5",
       [](Lane& l) { l.set_r(7, (l.r(10) << 5) + l.r(7)); }},
      {0x0000000404057c11, 0x000fe4000f8e10ff, 90, "LEA R5, R4, UR4, 0x2",
       [](Lane& l) { l.set_r(5, (l.r(4) << 2) + l.ur(4)); }},
      {0x0000000505087c11, 0x000fe4000f8410ff, 90, "LEA R8, P2, R5, UR5, 0x2",
       [](Lane& l) {
         const u64 sum = u64{l.r(5) << 2} + l.ur(5);
         l.set_r(8, low(sum)), l.set_p(2, high(sum) != 0);
       }},
      {0x800000070a077211, 0x000fe400078829ff, 90, "LEA R7, P4, -R10, -R7, 0x5",
       [](Lane& l) {
         const u64 sum = neg(l.r(10) << 5) + neg(l.r(7));
         l.set_r(7, low(sum)), l.set_p(4, high(sum) != 0);
       }},
      {0x000000070a077211, 0x000fe400010e2cff, 90, "LEA.X R7, R10, R7, 0x5, P2",
       [](Lane& l) { l.set_r(7, (l.r(10) << 5) + l.r(7) + l.p(2)); }},
      {0x00000001051a7811, 0x000fe200078fe0ff, 90, "LEA.HI R26, R5, 0x1, RZ, 0x1c",
       [](Lane& l) { l.set_r(26, (l.r(5) >> 4) + 1); }},
      {0x0000000b0d007211, 0x000fe200078ff8ff, 75, "LEA.HI R0, R13, R11, RZ, 0x1f",
       [](Lane& l) { l.set_r(0, scaled_high(l.r(13), 0, 31) + l.r(11)); }},
      {0x0000000b0d007211, 0x000fe200078f0006, 75, "LEA.HI R0, R13, R11, R6, 0x0",
       [](Lane& l) { l.set_r(0, l.r(6) + l.r(11)); }},
      {0x0000000902027211, 0x000fe200078ff2ff, 75, "LEA.HI.SX32 R2, R2, R9, 0x1e",
       [](Lane& l) { l.set_r(2, scaled_high(l.r(2), sign(l.r(2)), 30) + l.r(9)); }},
      {0x0000000015047211, 0x001fe400078908ff, 75, "LEA.HI R4, P4, R21, R0, RZ, 0x1",
       [](Lane& l) {
         const u64 sum = u64{scaled_high(l.r(21), 0, 1)} + l.r(0);
         l.set_r(4, low(sum)), l.set_p(4, high(sum) != 0);
       }},
      {0x0000000505057c11, 0x000fe400090f1406, 90, "LEA.HI.X R5, R5, UR5, R6, 0x2, P2",
       [](Lane& l) { l.set_r(5, scaled_high(l.r(5), l.r(6), 2) + l.ur(5) + l.p(2)); }},
      {0x000000190b087211, 0x000fe40000090eff, 90, "LEA.HI.X.SX32 R8, P4, R11, R25, 0x1, P0",
       [](Lane& l) {
         const u64 sum = u64{scaled_high(l.r(11), sign(l.r(11)), 1)} + l.r(25) + l.p(0);
         l.set_r(8, low(sum)), l.set_p(4, high(sum) != 0);
       }},
      {0x800000190b087211, 0x000fe40000090fff, 90, "LEA.HI.X.SX32 R8, P4, ~R11, ~R25, 0x1, P0",
       [](Lane& l) {
         const u64 sum = inv(scaled_high(l.r(11), sign(l.r(11)), 1)) + inv(l.r(25)) + l.p(0);
         l.set_r(8, low(sum)), l.set_p(4, high(sum) != 0);
       }},
      {0x00005d0005057a11, 0x000fc600000f0eff, 80, "LEA.HI.X.SX32 R5, R5, c[0x0][0x174], 0x1, P0",
       [](Lane& l) { l.set_r(5, scaled_high(l.r(5), sign(l.r(5)), 1) + l.c(0, 0x174) + l.p(0)); }},
      {0x0000000605077e11, 0x000fc6000f8f180a, 80, "LEA.HI R7, R5, R10, UR6, 0x3",
       [](Lane& l) { l.set_r(7, scaled_high(l.r(5), l.ur(6), 3) + l.r(10)); }},
      {0x0000000605077e11, 0x000fc6000a0f1c0a, 80, "LEA.HI.X R7, R5, R10, UR6, 0x3, P4",
       [](Lane& l) { l.set_r(7, scaled_high(l.r(5), l.ur(6), 3) + l.r(10) + l.p(4)); }},
  });
}

Word max_s(Word a, Word b) { return Word(std::max(s(a), s(b))); }
Word min_s(Word a, Word b) { return Word(std::min(s(a), s(b))); }
int half(Word x, unsigned n) { return static_cast<std::int16_t>(x >> 16 * n); }
template <class F>
Word by_halves(Word a, Word b, Word c, F f) {
  return (Word(f(half(a, 0), half(b, 0), half(c, 0))) & 0xffff) | Word(f(half(a, 1), half(b, 1), half(c, 1))) << 16;
}
int wrap(int x) { return static_cast<std::int16_t>(x); }

TEST(IntegerOperations, MinimaAndMaxima) {
  check({
      {0x0000000c11117217, 0x000fe40007800200, 75, "IMNMX R17, R17, R12, !PT",
       [](Lane& l) { l.set_r(17, max_s(l.r(17), l.r(12))); }},
      {0x000000000b007217, 0x000fe40003800200, 75, "IMNMX R0, R11, R0, PT",
       [](Lane& l) { l.set_r(0, min_s(l.r(11), l.r(0))); }},
      {0x0000001a05217217, 0x000fe40003800000, 75, "IMNMX.U32 R33, R5, R26, PT",
       [](Lane& l) { l.set_r(33, std::min(l.r(5), l.r(26))); }},
      {0x0000001a05217217, 0x000fe40007800000, 75, "IMNMX.U32 R33, R5, R26, !PT",
       [](Lane& l) { l.set_r(33, std::max(l.r(5), l.r(26))); }},
      {0x00000006070f7248, 0x000fe20003fe0100, 90, "VIMNMX R15, R7, R6, PT",
       [](Lane& l) { l.set_r(15, min_s(l.r(7), l.r(6))); }},
      {0x0000001cff1c7248, 0x000fe40007fe0100, 90, "VIMNMX R28, RZ, R28, !PT",
       [](Lane& l) { l.set_r(28, max_s(0, l.r(28))); }},
      {0x00000006070f7248, 0x000fe20003fe1100, 90, "VIMNMX.RELU R15, R7, R6, PT",
       [](Lane& l) { l.set_r(15, max_s(0, min_s(l.r(7), l.r(6)))); }},
      {0x0000000608097c48, 0x008fca000bfe0000, 90, "VIMNMX.U32 R9, R8, UR6, PT",
       [](Lane& l) { l.set_r(9, std::min(l.r(8), l.ur(6))); }},
      {0x00000000071a7248, 0x002fc60007fe0300, 90, "VIMNMX.S16x2 R26, R7, R0, !PT",
       [](Lane& l) { l.set_r(26, by_halves(l.r(7), l.r(0), 0, [](int a, int b, int) { return std::max(a, b); })); }},
      {0x00000000071a7248, 0x002fc60003fe0200, 90, "VIMNMX.U16x2 R26, R7, R0, PT",
       [](Lane& l) {
         l.set_r(26, by_halves(l.r(7), l.r(0), 0, [](int a, int b, int) { return std::min(a & 0xffff, b & 0xffff); }));
       }},
      {0x00000000071a7248, 0x002fc60003fe1300, 90, "VIMNMX.S16x2.RELU R26, R7, R0, PT",
       [](Lane& l) {
         l.set_r(26, by_halves(l.r(7), l.r(0), 0, [](int a, int b, int) { return std::max(std::min(a, b), 0); }));
       }},
      {0x0000000007127248, 0x000fc60007900300, 90, "VIMNMX.S16x2 R18, P0, P1, R7, R0, !PT",
       [](Lane& l) {
         const Word a = l.r(7), m = by_halves(a, l.r(0), 0, [](int x, int y, int) { return std::max(x, y); });
         l.set_r(18, m), l.set_p(0, half(m, 0) == half(a, 0)), l.set_p(1, half(m, 1) == half(a, 1));
       }},
      {0x000000000716720f, 0x000fc4000780010a, 90, "VIMNMX3 R22, R7, R0, R10, !PT",
       [](Lane& l) { l.set_r(22, max_s(max_s(l.r(7), l.r(0)), l.r(10))); }},
      {0x000000000716720f, 0x004fc6000380000a, 90, "VIMNMX3.U32 R22, R7, R0, R10, PT",
       [](Lane& l) {
         l.set_r(22, std::min({l.r(7), l.r(0), l.r(10)}));
       }},
      {0x000000000716720f, 0x000fc4000380130a, 90, "VIMNMX3.S16x2.RELU R22, R7, R0, R10, PT",
       [](Lane& l) {
         l.set_r(22, by_halves(l.r(7), l.r(0), l.r(10), [](int a, int b, int c) {
                   return std::max(0, std::min({a, b, c}));
                 }));
       }},
      {0x0000000007147246, 0x008fc6000780010a, 90, "VIADDMNMX R20, R7, R0, R10, !PT",
       [](Lane& l) { l.set_r(20, max_s(l.r(7) + l.r(0), l.r(10))); }},
      {0x8000000007147246, 0x008fc6000380000a, 90, "VIADDMNMX.U32 R20, R7, -R0, R10, PT",
       [](Lane& l) { l.set_r(20, std::min(l.r(7) - l.r(0), l.r(10))); }},
      {0x0000000007187246, 0x004fc6000380130a, 90, "VIADDMNMX.S16x2.RELU R24, R7, R0, R10, PT",
       [](Lane& l) {
         l.set_r(24, by_halves(l.r(7), l.r(0), l.r(10),
                               [](int a, int b, int c) { return std::max(0, std::min(wrap(a + b), c)); }));
       }},
      {0x0000000507147446, 0x008fc6000780090a, 90, "VIADDMNMX R20, R7, -R10, 0x5, !PT",
       [](Lane& l) { l.set_r(20, static_cast<Word>(std::max(static_cast<std::int32_t>(l.r(7) - l.r(10)), 5))); }},
      {0x0000000507147446, 0x008fc6000780010a, 90, "VIADDMNMX R20, R7, R10, 0x5, !PT",
       [](Lane& l) { l.set_r(20, max_s(l.r(7) + l.r(10), 5)); }},
      {0x0000000507147e46, 0x008fc6000f80010a, 90, "VIADDMNMX R20, R7, R10, UR5, !PT",
       [](Lane& l) { l.set_r(20, max_s(l.r(7) + l.r(10), l.ur(5))); }},
  });
}

TEST(IntegerOperations, WhatWasNotMeasuredIsRefused) {
  check_unsupported(0x00000006070f7248, 0x000fe20003f00100, 90, "VIMNMX R15, P0, R7, R6, PT");
  check_unsupported(0x0000000007187214, 0x000fe2000004020a, 90, "VABSDIFF R24, P2, R7, R0, R10");
  check_unsupported(0x8000000007147246, 0x008fc6000380100a, 90, "VIADDMNMX.U32.RELU R20, R7, -R0, R10, PT");
}

TEST(IntegerOperations, DifferencesAndDotProducts) {
  const auto byte = [](Word x, unsigned n, bool is_signed) {
    return is_signed ? int(std::int8_t(x >> 8 * n)) : int(x >> 8 * n & 0xff);
  };
  const auto dot4 = [byte](Word a, Word b, Word c, bool as, bool bs) {
    i64 sum = s(c);
    for (unsigned i = 0; i < 4; ++i) sum += byte(a, i, as) * byte(b, i, bs);
    return Word(sum);
  };
  const auto dot2 = [byte](Word a, Word b, Word c, unsigned first, bool as) {
    i64 sum = s(c);
    for (unsigned i = 0; i < 2; ++i) sum += (as ? half(a, i) : half(a, i) & 0xffff) * byte(b, first + i, true);
    return Word(sum);
  };
  check({
      {0x0000000000097213, 0x000fe40000000000, 75, "IABS R9, R0",
       [](Lane& l) { l.set_r(9, Word(std::abs(s(l.r(0))))); }},
      {0x0000000007187214, 0x000fe200000e020a, 90, "VABSDIFF R24, R7, R0, R10",
       [](Lane& l) { l.set_r(24, Word(std::abs(s(l.r(7)) - s(l.r(0)))) + l.r(10)); }},
      {0x00000000071a7214, 0x000fe200000e000a, 90, "VABSDIFF.U32 R26, R7, R0, R10",
       [](Lane& l) { l.set_r(26, Word(std::abs(i64{l.r(7)} - i64{l.r(0)})) + l.r(10)); }},
      {0x0000000e0b0b7215, 0x000fe200000e00ff, 75, "VABSDIFF4.U8 R11, R11, R14, RZ",
       [byte](Lane& l) {
         Word d = 0;
         for (unsigned i = 0; i < 4; ++i)
           d |= Word(std::abs(byte(l.r(11), i, false) - byte(l.r(14), i, false))) << 8 * i;
         l.set_r(11, d);
       }},
      {0x0000000e0b0b7215, 0x000fe200000e0a05, 75, "VABSDIFF4.ACC R11, R11, R14, R5",
       [byte](Lane& l) {
         Word d = l.r(5);
         for (unsigned i = 0; i < 4; ++i) d += Word(std::abs(byte(l.r(11), i, true) - byte(l.r(14), i, true)));
         l.set_r(11, d);
       }},
      {0x0000000703217226, 0x010fe20000000005, 75, "IDP.4A.U8.U8 R33, R3, R7, R5",
       [dot4](Lane& l) { l.set_r(33, dot4(l.r(3), l.r(7), l.r(5), false, false)); }},
      {0x0000000703217226, 0x010fe20000000605, 75, "IDP.4A.S8.S8 R33, R3, R7, R5",
       [dot4](Lane& l) { l.set_r(33, dot4(l.r(3), l.r(7), l.r(5), true, true)); }},
      {0x0000000703217226, 0x010fe20000000205, 75, "IDP.4A.S8.U8 R33, R3, R7, R5",
       [dot4](Lane& l) { l.set_r(33, dot4(l.r(3), l.r(7), l.r(5), true, false)); }},
      {0x0000000703227226, 0x000fe20000003605, 75, "IDP.2A.HI.S16.S8 R34, R3, R7, R5",
       [dot2](Lane& l) { l.set_r(34, dot2(l.r(3), l.r(7), l.r(5), 2, true)); }},
      {0x0000000703187226, 0x002fe20000001405, 75, "IDP.2A.LO.U16.S8 R24, R3, R7, R5",
       [dot2](Lane& l) { l.set_r(24, dot2(l.r(3), l.r(7), l.r(5), 0, false)); }},
  });
}

}  // namespace
}  // namespace lanebank::machine::test
