// Double-precision lane operations against the specification (unpacked.hpp), at every SIMD level.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "lane_harness.hpp"
#include "machine/numerics/unpacked.hpp"

namespace lanebank::machine::testing {
namespace {

using numerics::Binary64;
using numerics::Rounding;
using Word64 = std::uint64_t;

constexpr unsigned D = 10, A = 12, B = 14, C = 16;
constexpr Word64 sign_bit = 0x8000000000000000u;

bool nan(Word64 x) { return (x & ~sign_bit) > 0x7ff0000000000000u; }
double value(Word64 x) { return __builtin_bit_cast(double, x); }
Word64 with_sign(Word64 x, bool negate, bool absolute) {
  return (absolute ? x & ~sign_bit : x) ^ (negate ? sign_bit : 0);
}

/// The first operand that is a NaN, made quiet, as the register holds it; else the result, a NaN made the default one.
Word64 nan_rule(Word64 result, std::initializer_list<Word64> operands) {
  for (const Word64 x : operands)
    if (nan(x)) return x | 0x0008000000000000u;
  return nan(result) ? 0xfff8000000000000u : result;
}

enum class Slot { row, literal, constant, uniform };
struct FormCase {
  unsigned form;
  Slot slot;
  bool third;
};

void check_pairs(const Level& level, Name name, Bits bits, const FormCase& f, std::uint64_t seed,
                 const std::function<Word64(Word64, Word64, Word64)>& reference) {
  LaneMachine m;
  EdgeWords words(double_edges(), 64, seed);
  Word64 scalar = words();
  if (f.slot == Slot::literal) scalar &= ~Word64{0xffffffffu}, bits.literal(static_cast<std::uint32_t>(scalar >> 32));
  if (f.slot == Slot::uniform)
    bits.uniform(6), m.w.uniform[6] = static_cast<std::uint32_t>(scalar),
                     m.w.uniform[7] = static_cast<std::uint32_t>(scalar >> 32);
  if (f.slot == Slot::constant) bits.set(38, 54, 0x170).set(54, 59, 0);
  const char* reason = m.lower(level, name, bits);
  ASSERT_EQ(reason, nullptr) << reason;
  if (f.slot == Slot::constant) {
    ASSERT_EQ(m.constants.size(), 2u);
    for (unsigned i = 0; i < 2; ++i) {
      EXPECT_EQ(m.constants[i].offset_bytes, 0x170 + 4 * m.constants[i].word);
      m.operation().immediate[m.constants[i].word] = static_cast<std::uint32_t>(scalar >> (32 * m.constants[i].word));
    }
  }
  for (const std::uint32_t mask : {0xffffffffu, 0x8000fff1u, 0u}) {
    m.w.active = mask;
    std::array<Word64, 32> before{};
    for (unsigned i = 0; i < 32; ++i) {
      m.set_pair(A, i, words()), m.set_pair(B, i, words()), m.set_pair(C, i, words()),
          m.set_pair(D, i, before[i] = words());
    }
    ASSERT_TRUE(m.execute());
    for (unsigned i = 0; i < 32; ++i) {
      const Word64 b = f.slot != Slot::row && !f.third ? scalar : m.pair(B, i),
                   c = f.slot != Slot::row && f.third ? scalar : m.pair(C, i);
      const Word64 wanted = (mask >> i) & 1 ? reference(m.pair(A, i), b, c) : before[i];
      ASSERT_EQ(m.pair(D, i), wanted) << level.name << std::hex << " a " << m.pair(A, i) << " b " << b << " c " << c;
    }
  }
}

TEST(DoubleOperations, AddTakesItsSecondOperandFromTheThirdPlace) {
  std::uint64_t seed = 1;
  for (const Level& level : levels())
    for (unsigned mode = 0; mode < 4; ++mode)
      for (unsigned signs = 0; signs < 16; ++signs)
        for (const FormCase& f : {FormCase{1, Slot::row, true},
                                  {2, Slot::literal, true},
                                  {3, Slot::constant, true},
                                  {7, Slot::uniform, true}}) {
          const bool slot_signs = f.slot == Slot::constant || f.slot == Slot::uniform;
          Bits bits(0x029, f.form);
          bits.d(D).a(A).set(72, signs & 1).set(73, signs & 2).set(78, 80, mode);
          if (f.slot == Slot::row) bits.c(C).set(75, signs & 4).set(74, signs & 8);
          if (slot_signs) bits.set(63, signs & 4).set(62, signs & 8);
          check_pairs(level, Name::DADD, bits, f, ++seed, [&](Word64 a, Word64, Word64 c) {
            const Word64 register_a = a, register_c = c;
            a = with_sign(a, signs & 1, signs & 2);
            if (f.slot != Slot::literal) c = with_sign(c, signs & 4, signs & 8);
            return nan_rule(numerics::add_unpacked<Binary64>(a, c, static_cast<Rounding>(mode)),
                            {register_c, register_a});
          });
          if (HasFatalFailure()) return;
        }
}

TEST(DoubleOperations, MultiplyRoundsInEveryForm) {
  std::uint64_t seed = 100;
  for (const Level& level : levels())
    for (unsigned mode = 0; mode < 4; ++mode)
      for (unsigned signs = 0; signs < 16; ++signs)
        for (const FormCase& f : {FormCase{1, Slot::row, false},
                                  {4, Slot::literal, false},
                                  {5, Slot::constant, false},
                                  {6, Slot::uniform, false}}) {
          Bits bits(0x028, f.form);
          bits.d(D).a(A).set(72, signs & 1).set(73, signs & 2).set(78, 80, mode);
          if (f.slot == Slot::row) bits.b(B);
          if (f.slot != Slot::literal) bits.set(63, signs & 4).set(62, signs & 8);
          check_pairs(level, Name::DMUL, bits, f, ++seed, [&](Word64 a, Word64 b, Word64) {
            const Word64 register_a = a, register_b = b;
            a = with_sign(a, signs & 1, signs & 2);
            if (f.slot != Slot::literal) b = with_sign(b, signs & 4, signs & 8);
            return nan_rule(numerics::multiply_unpacked<Binary64>(a, b, static_cast<Rounding>(mode)),
                            {register_b, register_a});
          });
          if (HasFatalFailure()) return;
        }
}

TEST(DoubleOperations, MultiplyAddRoundsOnceInEveryForm) {
  std::uint64_t seed = 200;
  for (const Level& level : levels())
    for (unsigned mode = 0; mode < 4; ++mode)
      for (unsigned signs = 0; signs < 64; signs += signs < 8 ? 1 : 7)
        for (const FormCase& f : {FormCase{1, Slot::row, false},
                                  {2, Slot::literal, true},
                                  {3, Slot::constant, true},
                                  {4, Slot::literal, false},
                                  {5, Slot::constant, false},
                                  {6, Slot::uniform, false},
                                  {7, Slot::uniform, true}}) {
          Bits bits(0x02b, f.form);
          bits.d(D)
              .a(A)
              .c(f.third ? B : C)
              .set(72, signs & 1)
              .set(73, signs & 2)
              .set(78, 80, mode)
              .set(75, signs & 16)
              .set(74, signs & 32);
          if (f.slot == Slot::row) bits.b(B);
          const bool slot_signs = f.slot != Slot::literal;
          if (slot_signs) bits.set(63, signs & 4).set(62, signs & 8);
          check_pairs(level, Name::DFMA, bits, f, ++seed, [&](Word64 a, Word64 b, Word64 c) {
            const Word64 register_a = a, register_b = b, register_c = c;
            a = with_sign(a, signs & 1, signs & 2);
            Word64& slot = f.third ? c : b;
            Word64& field = f.third ? b : c;
            if (slot_signs) slot = with_sign(slot, signs & 4, signs & 8);
            field = with_sign(field, signs & 16, signs & 32);
            return nan_rule(numerics::multiply_add_unpacked<Binary64>(a, b, c, static_cast<Rounding>(mode)),
                            {register_b, register_c, register_a});
          });
          if (HasFatalFailure()) return;
        }
}

TEST(DoubleOperations, ComparisonsSetBothPredicates) {
  EdgeWords words(double_edges(), 64, 7);
  for (const Level& level : levels())
    for (unsigned code = 1; code < 15; ++code)
      for (unsigned how = 0; how < 3; ++how)
        for (const bool literal : {false, true}) {
          LaneMachine m;
          const Word64 scalar = words() & ~Word64{0xffffffffu};
          Bits bits(0x02a, literal ? 2 : 1);
          bits.a(A).set(74, 76, how).set(76, 80, code).set(81, 84, 2).set(84, 87, 3).set(87, 90, 4).set(73);
          if (literal)
            bits.literal(static_cast<std::uint32_t>(scalar >> 32));
          else
            bits.b(B).set(63);
          ASSERT_EQ(m.lower(level, Name::DSETP, bits), nullptr);
          m.w.active = 0xffff00ff;
          m.w.predicates[2] = 0x12345678, m.w.predicates[3] = 0x9abcdef0;
          const auto with = m.w.predicates[4] = static_cast<std::uint32_t>(words.next());
          for (unsigned i = 0; i < 32; ++i)
            m.set_pair(A, i, words()), m.set_pair(B, i, i % 3 ? words() : (m.pair(A, i) & ~sign_bit) ^ sign_bit);
          ASSERT_TRUE(m.execute());
          for (unsigned i = 0; i < 32; ++i) {
            const double x = value(m.pair(A, i) & ~sign_bit),
                         y = literal ? value(scalar) : value(m.pair(B, i) ^ sign_bit);
            const unsigned relation = std::isnan(x) || std::isnan(y) ? 8 : x < y ? 1 : x == y ? 2 : 4;
            const bool result = relation & code, p = (with >> i) & 1, on = (0xffff00ffu >> i) & 1;
            const auto combined = [&](bool v) { return how == 0 ? v && p : how == 1 ? v || p : v != p; };
            ASSERT_EQ((m.w.predicates[2] >> i) & 1, on ? combined(result) : (0x12345678u >> i) & 1);
            ASSERT_EQ((m.w.predicates[3] >> i) & 1, on ? combined(!result) : (0x9abcdef0u >> i) & 1);
          }
        }
}

TEST(DoubleOperations, MinimumSequenceOfTheCompilerGivesTheMinimum) {
  // DSETP.MIN P1, P2, a, b; result = P1 ? a : b; @P2 result = b made quiet. This is fmin, with -0 below +0.
  EdgeWords words(double_edges(), 64, 8);
  for (const Level& level : levels())
    for (const bool maximum : {false, true}) {
      LaneMachine m;
      ASSERT_EQ(
          m.lower(level, Name::DSETP,
                  Bits(0x02a, 1).a(A).b(B).set(76, 80, maximum ? 15 : 0).set(81, 84, 1).set(84, 87, 2).set(87, 90, 7)),
          nullptr);
      for (unsigned round = 0; round < 500; ++round) {
        for (unsigned i = 0; i < 32; ++i)
          m.set_pair(A, i, words()), m.set_pair(B, i, i % 4 ? words() : m.pair(A, i) ^ sign_bit);
        ASSERT_TRUE(m.execute());
        for (unsigned i = 0; i < 32; ++i) {
          const Word64 a = m.pair(A, i), b = m.pair(B, i);
          Word64 found = (m.w.predicates[1] >> i) & 1 ? a : b;
          if ((m.w.predicates[2] >> i) & 1) found = b | 0x0008000000000000u;
          if (nan(a) && nan(b)) {
            ASSERT_TRUE(nan(found));
          } else if (nan(a) || nan(b)) {
            ASSERT_EQ(found, nan(a) ? b : a);
          } else if (value(a) == value(b)) {
            ASSERT_EQ(found, (a >> 63) == (maximum ? 0u : 1u) ? a : b);
          } else {
            ASSERT_EQ(value(found), maximum ? std::fmax(value(a), value(b)) : std::fmin(value(a), value(b)));
          }
        }
      }
    }
}

TEST(DoubleOperations, WhatIsNotExecutedSaysSo) {
  LaneMachine m;
  const Level& level = levels().front();
  EXPECT_NE(m.lower(level, Name::DADD, Bits(0x029, 4).d(D).a(A)), nullptr);
  EXPECT_NE(m.lower(level, Name::DADD, Bits(0x029, 3).d(D).a(A).set(91)), nullptr);
  EXPECT_NE(m.lower(level, Name::DSETP, Bits(0x02a, 1).a(A).b(B).set(74, 76, 3).set(76, 80, 1)), nullptr);
  EXPECT_NE(m.lower(level, Name::DFMA, Bits(0x02b, 1).d(249).a(A).b(B).c(C)), nullptr);  // a pair beyond the registers
}

}  // namespace
}  // namespace lanebank::machine::testing
