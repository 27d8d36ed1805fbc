// Operations on pairs of halves and bfloat16 against exact references, at every SIMD level. Halves: exact
// arithmetic in __float128, rounded once to the nearest half (host_half.hpp). bfloat16: unpacked.hpp.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "host_half.hpp"
#include "lane_harness.hpp"
#include "machine/numerics/unpacked.hpp"

namespace lanebank::machine::testing {
namespace {

using numerics::Brain16;
using numerics::Rounding;
using Word32 = std::uint32_t;

constexpr unsigned D = 10, A = 11, B = 12, C = 13;

bool nan16(unsigned x, bool brain) { return (x & 0x7fff) > (brain ? 0x7f80u : 0x7c00u); }
__extension__ typedef __float128 Exact;
Exact exact_half(unsigned x) { return static_cast<Exact>(half_number(x)); }

unsigned round_half(Exact x) {
  const unsigned bits = nearest_half(x);
  return nan16(bits, false) ? 0x7fff : bits;
}
unsigned reference(char operation, unsigned a, unsigned b, unsigned c, bool brain) {
  if (brain) {
    const std::uint64_t r = operation == '+'   ? numerics::add_unpacked<Brain16>(a, b, Rounding::nearest)
                            : operation == '*' ? numerics::multiply_unpacked<Brain16>(a, b, Rounding::nearest)
                                               : numerics::multiply_add_unpacked<Brain16>(a, b, c, Rounding::nearest);
    return nan16(static_cast<unsigned>(r), true) ? 0x7fff : static_cast<unsigned>(r);
  }
  const Exact x = exact_half(a), y = exact_half(b), z = exact_half(c);
  return round_half(operation == '+' ? x + y : operation == '*' ? x * y : x * y + z);
}
unsigned flush16(unsigned x, bool brain) { return (x & (brain ? 0x7f80 : 0x7c00)) == 0 ? x & 0x8000 : x; }

/// Whether the result, rounded with more exponents, is below the smallest normal number.
template <class F>
bool is_tiny(char operation, unsigned a, unsigned b, unsigned c) {
  using Unbounded = numerics::Format<std::uint64_t, 11, F::fraction_bits>;
  const numerics::Unpacked x = numerics::unpack<F>(a), y = numerics::unpack<F>(b), z = numerics::unpack<F>(c);
  const numerics::Unpacked exact = operation == '+' ? numerics::add_exactly(x, y, Rounding::nearest)
                                   : operation == '*'
                                       ? numerics::multiply_exactly(x, y)
                                       : numerics::add_exactly(numerics::multiply_exactly(x, y), z, Rounding::nearest);
  const std::uint64_t rounded = numerics::round_to<Unbounded>(exact, Rounding::nearest);
  return (rounded & ~Unbounded::sign_bit) < static_cast<std::uint64_t>(1024 - F::bias) << F::fraction_bits;
}

struct Select {
  unsigned selection;  // 0 both, 2 low twice, 3 high twice
  bool negate, absolute;
  unsigned half(Word32 x, bool high) const {
    const bool take_high = selection == 3 || (selection == 0 && high);
    unsigned h = take_high ? x >> 16 : x & 0xffff;
    if (absolute) h &= 0x7fff;
    return negate ? h ^ 0x8000 : h;
  }
};

EdgeWords pairs(std::uint64_t seed) {
  std::vector<std::uint64_t> both;
  for (const std::uint64_t x : half_edges())
    for (const std::uint64_t y : half_edges()) both.push_back(x << 16 | y);
  return EdgeWords(both, 32, seed);
}

struct Modifiers {
  bool brain, sat, relu, ftz;
};
unsigned finish(unsigned r, bool tiny, const Modifiers& how) {
  if (how.ftz && tiny) r &= 0x8000;
  const bool is_nan = nan16(r, how.brain);
  const unsigned one = how.brain ? 0x3f80 : 0x3c00;
  if (how.sat) r = is_nan || (r & 0x8000) ? 0 : r > one ? one : r;
  if (how.relu) r = is_nan ? 0x7fff : r & 0x8000 ? 0 : r;
  return r;
}

enum class Slot { row, literal, uniform };

void check_pairs(const Level& level, Name name, Bits bits, Slot slot, bool third, char operation, Select sa, Select sb,
                 Select sc, const Modifiers& how, std::uint64_t seed) {
  LaneMachine m;
  EdgeWords words = pairs(seed);
  const auto scalar = static_cast<Word32>(words());
  if (slot == Slot::literal) bits.literal(scalar);
  if (slot == Slot::uniform) bits.uniform(3), m.w.uniform[3] = scalar;
  const char* reason = m.lower(level, name, bits);
  ASSERT_EQ(reason, nullptr) << reason;
  for (const Word32 mask : {0xffffffffu, 0xffffffffu, 0xffffffffu, 0x13579bdfu, 0u}) {
    m.w.active = mask;
    for (unsigned i = 0; i < 32; ++i)
      m.row(A)[i] = static_cast<Word32>(words()), m.row(B)[i] = static_cast<Word32>(words()),
      m.row(C)[i] = static_cast<Word32>(words()), m.row(D)[i] = 0x11112222;
    ASSERT_TRUE(m.execute());
    for (unsigned i = 0; i < 32; ++i) {
      const Word32 b = slot != Slot::row && !third ? scalar : m.row(B)[i],
                   c = slot != Slot::row && third ? scalar : m.row(C)[i];
      Word32 wanted = 0;
      for (const bool high : {false, true}) {
        unsigned x = sa.half(m.row(A)[i], high), y = sb.half(b, high), z = sc.half(c, high);
        if (how.ftz) x = flush16(x, how.brain), y = flush16(y, how.brain), z = flush16(z, how.brain);
        const bool tiny =
            how.brain ? is_tiny<Brain16>(operation, x, y, z) : is_tiny<numerics::Binary16>(operation, x, y, z);
        wanted |= finish(reference(operation, x, y, z, how.brain), tiny, how) << (high ? 16 : 0);
      }
      if (!((mask >> i) & 1)) wanted = 0x11112222;
      ASSERT_EQ(m.row(D)[i], wanted) << level.name << std::hex << " a " << m.row(A)[i] << " b " << b << " c " << c
                                     << " " << operation;
    }
  }
}

std::vector<Modifiers> modifiers(bool with_relu) {
  std::vector<Modifiers> all;
  for (const bool brain : {false, true})
    for (const bool sat : {false, true})
      for (const bool relu : {false, true})
        for (const bool ftz : {false, true})
          if ((!relu || with_relu) && !(relu && sat)) all.push_back({brain, sat, relu, ftz});
  return all;
}

TEST(HalfOperations, AddAndMultiplyRoundOnce) {
  std::uint64_t seed = 1;
  for (const Level& level : levels())
    for (const char operation : {'+', '*'})
      for (const Modifiers& how : modifiers(false))
        for (unsigned variant = 0; variant < 12; ++variant) {
          static constexpr unsigned selections[3] = {0, 2, 3};
          const Slot slot = variant % 4 == 3 ? Slot::literal : variant % 4 == 2 ? Slot::uniform : Slot::row;
          const Select sa{selections[variant % 3], bool(variant & 1), bool(variant & 2)};
          const Select sb = slot == Slot::literal
                                ? Select{}
                                : Select{selections[(variant / 3) % 3], bool(variant & 4), bool(variant & 8)};
          const bool add = operation == '+';
          Bits bits(add ? 0x030 : 0x032, slot == Slot::row ? 1 : slot == Slot::literal ? (add ? 2 : 4) : (add ? 7 : 6));
          bits.d(D)
              .a(A)
              .set(72, sa.negate)
              .set(73, sa.absolute)
              .set(74, 76, sa.selection)
              .set(77, how.sat)
              .set(80, how.ftz)
              .set(85, how.brain);
          if (slot == Slot::row) bits.b(B);
          if (slot != Slot::literal) bits.set(63, sb.negate).set(62, sb.absolute).set(60, 62, sb.selection);
          check_pairs(level, add ? Name::HADD2 : Name::HMUL2, bits, slot, false, operation, sa, sb, {}, how, ++seed);
          if (HasFatalFailure()) return;
        }
}

TEST(HalfOperations, MultiplyAddRoundsOnceInBothEncodings) {
  std::uint64_t seed = 1000;
  struct FormCase {
    unsigned form;
    Slot slot;
    bool third;
  };
  static constexpr unsigned selections[3] = {0, 2, 3};
  for (const Level& level : levels())
    for (const bool matrix_unit : {false, true})
      for (const Modifiers& how : modifiers(true))
        for (const FormCase& f : {FormCase{1, Slot::row, false},
                                  {2, Slot::literal, true},
                                  {4, Slot::literal, false},
                                  {6, Slot::uniform, false},
                                  {7, Slot::uniform, true}})
          for (unsigned variant = 0; variant < 6; ++variant) {
            const auto pick = [&](unsigned k) { return matrix_unit ? 0 : selections[(variant + k) % 3]; };
            const Select sa{pick(0), bool(variant & 1), bool(variant & 2)};
            const Select slot =
                f.slot == Slot::literal ? Select{} : Select{pick(1), bool(variant & 2), bool(variant & 4)};
            const Select field{pick(2), bool(variant & 4), bool(variant & 1)};
            Bits bits(matrix_unit ? 0x035 : 0x031, f.form);
            bits.d(D)
                .a(A)
                .c(f.third ? B : C)
                .set(72, sa.negate)
                .set(73, sa.absolute)
                .set(77, how.sat)
                .set(79, how.relu)
                .set(80, how.ftz)
                .set(85, how.brain);
            bits.set(84, field.negate).set(83, field.absolute).set(87, 90, 7);
            if (!matrix_unit) bits.set(74, 76, sa.selection).set(81, 83, field.selection);
            if (f.slot == Slot::row) bits.b(B);
            if (f.slot != Slot::literal) bits.set(63, slot.negate).set(62, slot.absolute);
            if (f.slot != Slot::literal && !matrix_unit) bits.set(60, 62, slot.selection);
            check_pairs(level, Name::HFMA2, bits, f.slot, f.third, 'f', sa, f.third ? field : slot,
                        f.third ? slot : field, how, ++seed);
            if (HasFatalFailure()) return;
          }
}

TEST(HalfOperations, ConstantLoadsOfTheCompilerWriteTheirLiteral) {
  for (const Level& level : levels()) {
    LaneMachine m;
    for (const Word32 value : {0x3f800000u, 0x00000005u, 0x4b800000u, 0x80008000u, 0x7bff0001u}) {
      m.w.active = 0xffff0000;
      for (unsigned i = 0; i < 32; ++i) m.row(D)[i] = 7;
      // HFMA2.MMA R, -RZ, RZ, high, low
      m.run(level, Name::HFMA2, Bits(0x035, 2).d(D).a(255).c(255).literal(value).set(72));
      for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(m.row(D)[i], i < 16 ? 7 : value);
    }
    m.w.active = all_lanes;
    m.run(level, Name::HFMA2,
          Bits(0x035, 2).d(D).a(255).c(255).literal(0x80007fff));  // +0 * 0 + -0 is +0, NaN is canonical
    EXPECT_EQ(m.row(D)[31], 0x00007fffu);
  }
}

TEST(HalfOperations, ComplexMultiplicationTurnsTheSecondFactor) {
  for (const Level& level : levels()) {
    LaneMachine m;
    for (unsigned i = 0; i < 32; ++i) m.row(A)[i] = 0x3c003c00, m.row(B)[i] = 0x40004200 + i, m.row(C)[i] = 0x80008000;
    m.run(level, Name::HFMA2, Bits(0x031, 1).d(D).a(A).b(B).c(C).set(86));
    // H0_NH1: minus the upper half below the lower one.
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(m.row(D)[i], (0x4200 + i) << 16 | 0xc000);
  }
}

TEST(HalfOperations, WideningAddSelectsOneHalf) {
  EdgeWords words = pairs(5);
  for (const Level& level : levels())
    for (const unsigned selection : {0u, 2u, 3u}) {
      LaneMachine m;
      // HADD2.F32 R, -RZ, R.Hn
      ASSERT_EQ(m.lower(level, Name::HADD2, Bits(0x030, 1).d(D).a(255).b(B).set(72).set(60, 62, selection).set(78)),
                nullptr);
      for (unsigned round = 0; round < 100; ++round) {
        for (unsigned i = 0; i < 32; ++i) m.row(B)[i] = static_cast<Word32>(words());
        ASSERT_TRUE(m.execute());
        for (unsigned i = 0; i < 32; ++i) {
          const unsigned h = selection == 3 ? m.row(B)[i] >> 16 : m.row(B)[i] & 0xffff;
          const float x = static_cast<float>(half_number(h));
          ASSERT_EQ(m.row(D)[i], std::isnan(x) ? 0x7fffffffu : __builtin_bit_cast(Word32, x));
        }
      }
    }
}

float number(unsigned h, bool brain) {
  return brain ? __builtin_bit_cast(float, h << 16) : static_cast<float>(half_number(h));
}

TEST(HalfOperations, ComparisonsSetOnePredicateOrWordPerHalf) {
  EdgeWords words = pairs(6);
  for (const Level& level : levels())
    for (const bool brain : {false, true})
      for (unsigned code = 0; code < 16; ++code)
        for (unsigned variant = 0; variant < 12; ++variant) {
          const unsigned how = variant % 3;
          const bool both = variant & 1, ftz = variant & 4;
          LaneMachine m;
          Bits predicates(0x034, 1), set(0x033, 1);
          for (Bits* bits : {&predicates, &set})
            bits->a(A)
                .b(B)
                .set(63)
                .set(73)
                .set(60, 62, 2)
                .set(65, brain)
                .set(69, 71, how)
                .set(76, 80, code)
                .set(80, ftz)
                .set(87, 90, 4)
                .set(71, both);
          predicates.set(81, 84, 1).set(84, 87, both ? 7 : 2);
          set.d(D);
          for (unsigned i = 0; i < 32; ++i)
            m.row(A)[i] = static_cast<Word32>(words()),
            m.row(B)[i] = i % 3 ? static_cast<Word32>(words()) : m.row(A)[i] ^ 0x80008000;
          m.w.predicates[1] = 0, m.w.predicates[2] = 0, m.w.predicates[4] = static_cast<Word32>(words.next());
          m.run(level, Name::HSETP2, predicates);
          m.run(level, Name::HSET2, set);
          if (HasFatalFailure()) return;
          for (unsigned i = 0; i < 32; ++i) {
            bool result[2];
            for (unsigned h = 0; h < 2; ++h) {
              unsigned a = (m.row(A)[i] >> (16 * h)) & 0x7fff, b = (m.row(B)[i] & 0xffff) ^ 0x8000;
              if (ftz) a = flush16(a, brain), b = flush16(b, brain);
              const float x = number(a, brain), y = number(b, brain);
              const unsigned relation = std::isnan(x) || std::isnan(y) ? 8 : x < y ? 1 : x == y ? 2 : 4;
              result[h] = relation & code;
            }
            const bool with = (m.w.predicates[4] >> i) & 1;
            const auto combined = [&](bool v) { return how == 0 ? v && with : how == 1 ? v || with : v != with; };
            if (both) {
              ASSERT_EQ((m.w.predicates[1] >> i) & 1, combined(result[0] && result[1]));
            } else {
              ASSERT_EQ((m.w.predicates[1] >> i) & 1, combined(result[0]));
              ASSERT_EQ((m.w.predicates[2] >> i) & 1, combined(result[1]));
            }
            const Word32 yes = !both ? 0xffff : brain ? 0x3f80 : 0x3c00;
            ASSERT_EQ(m.row(D)[i], (combined(result[0]) ? yes : 0) | (combined(result[1]) ? yes << 16 : 0));
          }
        }
}

TEST(HalfOperations, MinimumAndMaximumOrderZerosAndNaN) {
  EdgeWords words = pairs(7);
  for (const Level& level : levels())
    for (unsigned variant = 0; variant < 32; ++variant) {
      const bool brain = variant & 1, ftz = variant & 2, propagate = variant & 4, xor_sign = variant & 8,
                 absolute = variant & 16;
      LaneMachine m;
      Bits bits(0x040, 1);
      bits.d(D).a(A).b(B).set(73, absolute).set(62, absolute).set(80, ftz).set(81, propagate).set(82, xor_sign);
      bits.set(85, brain).set(87, 90, 4);
      if (xor_sign && !absolute) {  // of others than |a| and |b| the hardware's rule is not known
        ASSERT_NE(m.lower(level, Name::HMNMX2, bits), nullptr);
        continue;
      }
      ASSERT_EQ(m.lower(level, Name::HMNMX2, bits), nullptr);
      for (unsigned round = 0; round < 100; ++round) {
        m.w.predicates[4] = static_cast<Word32>(words.next());
        for (unsigned i = 0; i < 32; ++i)
          m.row(A)[i] = static_cast<Word32>(words()),
          m.row(B)[i] = i % 3 ? static_cast<Word32>(words()) : m.row(A)[i] ^ 0x80008000;
        ASSERT_TRUE(m.execute());
        for (unsigned i = 0; i < 32; ++i) {
          Word32 wanted = 0;
          for (unsigned h = 0; h < 2; ++h) {
            unsigned a = (m.row(A)[i] >> (16 * h)) & 0xffff, b = (m.row(B)[i] >> (16 * h)) & 0xffff;
            const unsigned sign = (a ^ b) & 0x8000;  // of the operands before |x|
            if (absolute) a &= 0x7fff, b &= 0x7fff;
            if (ftz) a = flush16(a, brain), b = flush16(b, brain);
            if (xor_sign) a &= 0x7fff, b &= 0x7fff;
            const bool minimum = (m.w.predicates[4] >> i) & 1, na = nan16(a, brain), nb = nan16(b, brain);
            const float x = number(a, brain), y = number(b, brain);
            unsigned r = x == y ? ((a >> 15) == (minimum ? 1u : 0u) ? a : b) : (x < y) == minimum ? a : b;
            if (na) r = b;
            if (nb) r = a;
            if ((na && nb) || (propagate && (na || nb)))
              r = 0x7fff;
            else if (xor_sign)
              r |= sign;
            wanted |= r << (16 * h);
          }
          ASSERT_EQ(m.row(D)[i], wanted) << std::hex << m.row(A)[i] << " " << m.row(B)[i] << " variant " << variant;
        }
      }
    }
}

TEST(HalfOperations, WhatIsNotExecutedSaysSo) {
  LaneMachine m;
  const Level& level = levels().front();
  EXPECT_NE(m.lower(level, Name::HADD2, Bits(0x030, 1).d(D).a(A).b(B).set(74, 76, 1)), nullptr);
  EXPECT_NE(m.lower(level, Name::HADD2, Bits(0x030, 1).d(D).a(A).b(B).set(78).set(77)), nullptr);
  EXPECT_NE(m.lower(level, Name::HMUL2, Bits(0x032, 1).d(D).a(A).b(B).set(76)), nullptr);
  EXPECT_NE(m.lower(level, Name::HMUL2, Bits(0x032, 1).d(D).a(A).b(B).set(78)), nullptr);
  EXPECT_NE(m.lower(level, Name::HFMA2, Bits(0x031, 1).d(D).a(A).b(B).c(C).set(78)), nullptr);
  EXPECT_NE(m.lower(level, Name::HFMA2, Bits(0x031, 1).d(D).a(A).b(B).c(C).set(79)), nullptr);  // .RELU with P0
  EXPECT_NE(m.lower(level, Name::HSETP2, Bits(0x034, 1).a(A).b(B).set(64)), nullptr);
  EXPECT_NE(m.lower(level, Name::HSETP2, Bits(0x034, 1).a(A).b(B).set(71).set(81, 84, 1).set(84, 87, 2)), nullptr);
  EXPECT_NE(m.lower(level, Name::HMNMX2, Bits(0x040, 1).d(D).a(A).b(B).set(65)), nullptr);
}

}  // namespace
}  // namespace lanebank::machine::testing
