// Single-precision lane operations against the specification (unpacked.hpp), at every SIMD level.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "lane_harness.hpp"
#include "machine/numerics/unpacked.hpp"

namespace lanebank::machine::testing {
namespace {

using numerics::Binary32;
using numerics::Rounding;
using Word32 = std::uint32_t;

constexpr unsigned D = 10, A = 11, B = 12, C = 13;

Word32 flush(Word32 x) { return (x & 0x7f800000) == 0 ? x & 0x80000000 : x; }
bool nan(Word32 x) { return (x & 0x7fffffff) > 0x7f800000; }
float value(Word32 x) { return __builtin_bit_cast(float, x); }

/// Binary32 with more exponents: what a result is rounded to, to see whether it is flushed.
using Unbounded = numerics::Format<std::uint64_t, 11, 23>;

/// Rounds and applies the result modifiers in the order the hardware does: flush, then the clamp.
Word32 finish(const numerics::Unpacked& exact, unsigned mode, bool ftz, bool sat) {
  const auto rounding = static_cast<Rounding>(mode);
  auto r = static_cast<Word32>(numerics::round_to<Binary32>(exact, rounding));
  if (nan(r)) return sat ? 0 : 0x7fffffff;
  const std::uint64_t unbounded = numerics::round_to<Unbounded>(exact, rounding);
  if (ftz && (unbounded & ~Unbounded::sign_bit) < std::uint64_t{1023 - 126} << 23) r &= 0x80000000;
  if (sat) r = value(r) <= 0 ? 0 : value(r) > 1 ? 0x3f800000 : r;
  return r;
}

struct SignCase {
  bool negate, absolute;
  Word32 operator()(Word32 x) const { return (absolute ? x & 0x7fffffff : x) ^ (negate ? 0x80000000 : 0); }
};

/// Where slot b's operand comes from; `form` is bits 9:12.
enum class Slot { row, literal, constant, uniform };

/// Fills rows a, b, c (and the slot's scalar), executes under several masks and compares every lane.
/// `reference(a, b, c)` gets the raw operands, `second_in_c`: slot b is the third operand.
void check_lanes(const Level& level, Name name, Bits bits, Slot slot, bool slot_is_third, std::uint64_t seed,
                 const std::function<Word32(Word32, Word32, Word32)>& reference) {
  LaneMachine m;
  EdgeWords words(single_edges(), 32, seed);
  const auto scalar = static_cast<Word32>(words());
  if (slot == Slot::literal) bits.literal(scalar);
  if (slot == Slot::uniform) bits.uniform(5), m.w.uniform[5] = scalar;
  if (slot == Slot::constant) bits.set(38, 54, 0x168).set(54, 59, 3);
  const char* reason = m.lower(level, name, bits);
  ASSERT_EQ(reason, nullptr) << reason;
  if (slot == Slot::constant) {
    ASSERT_EQ(m.constants.size(), 1u);
    EXPECT_EQ(m.constants[0].bank, 3);
    EXPECT_EQ(m.constants[0].offset_bytes, 0x168);
    m.operation().immediate[m.constants[0].word] = scalar;
  }
  for (const Word32 mask : {0xffffffffu, 0x0000ffffu, 0x80000001u, 0x5a5a1234u, 0u}) {
    m.w.active = mask;
    std::array<Word32, 32> before{};
    for (unsigned i = 0; i < 32; ++i) {
      m.row(A)[i] = static_cast<Word32>(words());
      m.row(B)[i] = static_cast<Word32>(words());
      m.row(C)[i] = static_cast<Word32>(words());
      before[i] = m.row(D)[i] = static_cast<Word32>(words());
    }
    ASSERT_TRUE(m.execute());
    for (unsigned i = 0; i < 32; ++i) {
      const Word32 b = slot != Slot::row && !slot_is_third ? scalar : m.row(B)[i];
      const Word32 c = slot != Slot::row && slot_is_third ? scalar : m.row(C)[i];
      const Word32 wanted = (mask >> i) & 1 ? reference(m.row(A)[i], b, c) : before[i];
      ASSERT_EQ(m.row(D)[i], wanted) << level.name << std::hex << " lane " << i << " a " << m.row(A)[i] << " b " << b
                                     << " c " << c;
    }
  }
}

struct Modifiers {
  unsigned mode;
  bool ftz, sat;
};
std::vector<Modifiers> all_modifiers() {
  std::vector<Modifiers> all;
  for (unsigned mode = 0; mode < 4; ++mode)
    for (bool ftz : {false, true})
      for (bool sat : {false, true}) all.push_back({mode, ftz, sat});
  return all;
}

TEST(FloatOperations, AddRoundsFlushesAndClampsInEveryForm) {
  std::uint64_t seed = 1;
  for (const Level& level : levels())
    for (const Modifiers& how : all_modifiers())
      for (unsigned signs = 0; signs < 16; ++signs)
        for (const auto& [form, slot] :
             {std::pair{1u, Slot::row}, {2u, Slot::literal}, {3u, Slot::constant}, {7u, Slot::uniform}}) {
          const SignCase sa{bool(signs & 1), bool(signs & 2)},
              sb{slot != Slot::literal && (signs & 4), slot != Slot::literal && (signs & 8)};
          Bits bits(0x021, form);
          bits.d(D)
              .a(A)
              .c(slot == Slot::row ? 0 : B)
              .set(72, sa.negate)
              .set(73, sa.absolute)
              .set(77, how.sat)
              .set(78, 80, how.mode)
              .set(80, how.ftz);
          if (slot == Slot::row) bits.b(B);
          if (slot != Slot::literal) bits.set(63, sb.negate).set(62, sb.absolute);
          check_lanes(level, Name::FADD, bits, slot, false, ++seed, [&](Word32 a, Word32 b, Word32) {
            a = sa(a), b = sb(b);
            if (how.ftz) a = flush(a), b = flush(b);
            return finish(numerics::add_exactly(numerics::unpack<Binary32>(a), numerics::unpack<Binary32>(b),
                                                static_cast<Rounding>(how.mode)),
                          how.mode, how.ftz, how.sat);
          });
          if (HasFatalFailure()) return;
        }
}

TEST(FloatOperations, MultiplyRoundsFlushesAndClampsInEveryForm) {
  std::uint64_t seed = 1000;
  for (const Level& level : levels())
    for (const Modifiers& how : all_modifiers())
      for (unsigned signs = 0; signs < 16; ++signs)
        for (const auto& [form, slot] :
             {std::pair{1u, Slot::row}, {4u, Slot::literal}, {5u, Slot::constant}, {6u, Slot::uniform}}) {
          const SignCase sa{bool(signs & 1), bool(signs & 2)},
              sb{slot != Slot::literal && (signs & 4), slot != Slot::literal && (signs & 8)};
          Bits bits(0x020, form);
          bits.d(D)
              .a(A)
              .set(72, sa.negate)
              .set(73, sa.absolute)
              .set(77, how.sat)
              .set(78, 80, how.mode)
              .set(80, how.ftz)
              .set(84, 87, 4);
          if (slot == Slot::row) bits.b(B);
          if (slot != Slot::literal) bits.set(63, sb.negate).set(62, sb.absolute);
          check_lanes(level, Name::FMUL, bits, slot, false, ++seed, [&](Word32 a, Word32 b, Word32) {
            a = sa(a), b = sb(b);
            if (how.ftz) a = flush(a), b = flush(b);
            return finish(numerics::multiply_exactly(numerics::unpack<Binary32>(a), numerics::unpack<Binary32>(b)),
                          how.mode, how.ftz, how.sat);
          });
          if (HasFatalFailure()) return;
        }
}

TEST(FloatOperations, MultiplyAddRoundsOnceInEveryForm) {
  std::uint64_t seed = 2000;
  struct FormCase {
    unsigned form;
    Slot slot;
    bool third;
  };
  for (const Level& level : levels())
    for (const Modifiers& how : all_modifiers())
      for (unsigned signs = 0; signs < 64; signs += signs < 8 ? 1 : 7)
        for (const FormCase& f : {FormCase{1, Slot::row, false},
                                  {2, Slot::literal, true},
                                  {3, Slot::constant, true},
                                  {4, Slot::literal, false},
                                  {5, Slot::constant, false},
                                  {6, Slot::uniform, false},
                                  {7, Slot::uniform, true}}) {
          const SignCase sa{bool(signs & 1), bool(signs & 2)};
          SignCase slot_sign{bool(signs & 4), bool(signs & 8)}, field_sign{bool(signs & 16), bool(signs & 32)};
          if (f.slot == Slot::literal) slot_sign = {};
          const SignCase sb = f.third ? field_sign : slot_sign, sc = f.third ? slot_sign : field_sign;
          Bits bits(0x023, f.form);
          bits.d(D)
              .a(A)
              .c(f.third ? B : C)
              .set(72, sa.negate)
              .set(73, sa.absolute)
              .set(77, how.sat)
              .set(78, 80, how.mode)
              .set(80, how.ftz);
          bits.set(75, field_sign.negate).set(74, field_sign.absolute);
          if (f.slot == Slot::row) bits.b(B);
          if (f.slot != Slot::literal) bits.set(63, slot_sign.negate).set(62, slot_sign.absolute);
          check_lanes(level, Name::FFMA, bits, f.slot, f.third, ++seed, [&](Word32 a, Word32 b, Word32 c) {
            a = sa(a), b = sb(b), c = sc(c);
            if (how.ftz) a = flush(a), b = flush(b), c = flush(c);
            const numerics::Unpacked product =
                numerics::multiply_exactly(numerics::unpack<Binary32>(a), numerics::unpack<Binary32>(b));
            return finish(
                numerics::add_exactly(product, numerics::unpack<Binary32>(c), static_cast<Rounding>(how.mode)),
                how.mode, how.ftz, how.sat);
          });
          if (HasFatalFailure()) return;
        }
}

TEST(FloatOperations, NearCancellationsOfMultiplyAddAreExact) {
  // c close to -a * b: the result is the product's low part, where a rounded product would show.
  std::mt19937_64 random(3);
  for (const Level& level : levels())
    for (unsigned mode = 0; mode < 4; ++mode) {
      LaneMachine m;
      Bits bits(0x023, 1);
      bits.d(D).a(A).b(B).c(C).set(78, 80, mode);
      ASSERT_EQ(m.lower(level, Name::FFMA, bits), nullptr);
      for (unsigned round = 0; round < 500; ++round) {
        for (unsigned i = 0; i < 32; ++i) {
          m.row(A)[i] = static_cast<Word32>(0x3f800000 + random() % 0x800000);
          m.row(B)[i] = static_cast<Word32>(0x3f800000 + random() % 0x800000);
          m.row(C)[i] = __builtin_bit_cast(Word32, -(value(m.row(A)[i]) * value(m.row(B)[i]))) +
                        static_cast<Word32>(random() % 3) - 1;
        }
        ASSERT_TRUE(m.execute());
        for (unsigned i = 0; i < 32; ++i)
          ASSERT_EQ(m.row(D)[i], numerics::multiply_add_unpacked<Binary32>(m.row(A)[i], m.row(B)[i], m.row(C)[i],
                                                                           static_cast<Rounding>(mode)));
      }
    }
}

TEST(FloatOperations, DestinationMayBeASource) {
  for (const Level& level : levels()) {
    LaneMachine m;
    for (unsigned i = 0; i < 32; ++i) m.row(A)[i] = __builtin_bit_cast(Word32, 1.5f + static_cast<float>(i));
    m.run(level, Name::FFMA, Bits(0x023, 1).d(A).a(A).b(A).c(A));
    for (unsigned i = 0; i < 32; ++i) {
      const float x = 1.5f + static_cast<float>(i);
      EXPECT_EQ(m.row(A)[i], __builtin_bit_cast(Word32, x * x + x));
    }
  }
}

TEST(FloatOperations, ZeroRegisterReadsZeroAndDiscards) {
  for (const Level& level : levels()) {
    LaneMachine m;
    for (unsigned i = 0; i < 32; ++i) m.row(A)[i] = 0x40000000 + i;
    m.run(level, Name::FADD, Bits(0x021, 1).d(D).a(A).b(255));
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(m.row(D)[i], 0x40000000 + i);
    m.run(level, Name::FADD, Bits(0x021, 1).d(255).a(A).b(A));
    m.run(level, Name::FADD, Bits(0x021, 1).d(D).a(255).b(255));
    for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(m.row(D)[i], 0u);
  }
}

bool relation_holds(unsigned code, float x, float y) {
  const bool unordered = std::isnan(x) || std::isnan(y);
  switch (code) {
    case 0:
      return false;
    case 1:
      return !unordered && x < y;
    case 2:
      return !unordered && x == y;
    case 3:
      return !unordered && x <= y;
    case 4:
      return !unordered && x > y;
    case 5:
      return !unordered && x != y;
    case 6:
      return !unordered && x >= y;
    case 7:
      return !unordered;
    case 8:
      return unordered;
    case 9:
      return unordered || x < y;
    case 10:
      return unordered || x == y;
    case 11:
      return unordered || x <= y;
    case 12:
      return unordered || x > y;
    case 13:
      return unordered || x != y;
    case 14:
      return unordered || x >= y;
    default:
      return true;
  }
}
bool combined(unsigned how, bool value, bool with) {
  return how == 0 ? value && with : how == 1 ? value || with : value != with;
}

TEST(FloatOperations, ComparisonsSetBothPredicates) {
  EdgeWords words(single_edges(), 32, 77);
  for (const Level& level : levels())
    for (unsigned code = 0; code < 16; ++code)
      for (unsigned how = 0; how < 3; ++how)
        for (bool ftz : {false, true})
          for (const Slot slot : {Slot::row, Slot::literal, Slot::uniform}) {
            LaneMachine m;
            const auto scalar = static_cast<Word32>(words());
            const SignCase sa{bool(code & 1), bool(how & 1)},
                sb{slot != Slot::literal && how == 2, slot != Slot::literal && (code & 2)};
            Bits bits(0x00b, slot == Slot::row ? 1 : slot == Slot::literal ? 4 : 6);
            bits.a(A)
                .set(74, 76, how)
                .set(76, 80, code)
                .set(80, ftz)
                .set(81, 84, 2)
                .set(84, 87, 3)
                .set(87, 90, 4)
                .set(90, ftz);
            bits.set(72, sa.negate).set(73, sa.absolute);
            if (slot == Slot::row) bits.b(B);
            if (slot == Slot::uniform) bits.uniform(9), m.w.uniform[9] = scalar;
            if (slot == Slot::literal)
              bits.literal(scalar);
            else
              bits.set(63, sb.negate).set(62, sb.absolute);
            ASSERT_EQ(m.lower(level, Name::FSETP, bits), nullptr);
            for (const Word32 mask : {0xffffffffu, 0x00ff1234u, 0u}) {
              m.w.active = mask;
              const Word32 old2 = m.w.predicates[2] = static_cast<Word32>(words()),
                           old3 = m.w.predicates[3] = static_cast<Word32>(words());
              const Word32 with = m.w.predicates[4] = static_cast<Word32>(words.next());
              for (unsigned i = 0; i < 32; ++i)
                m.row(A)[i] = static_cast<Word32>(words()),
                m.row(B)[i] = i % 3 ? static_cast<Word32>(words()) : m.row(A)[i];
              ASSERT_TRUE(m.execute());
              for (unsigned i = 0; i < 32; ++i) {
                Word32 a = sa(m.row(A)[i]), b = sb(slot == Slot::row ? m.row(B)[i] : scalar);
                if (ftz) a = flush(a), b = flush(b);
                const bool result = relation_holds(code, value(a), value(b)), p = ((with >> i) & 1) != (ftz ? 1u : 0u),
                           on = (mask >> i) & 1;
                ASSERT_EQ((m.w.predicates[2] >> i) & 1, on ? combined(how, result, p) : (old2 >> i) & 1)
                    << code << std::hex << " " << a << " " << b;
                ASSERT_EQ((m.w.predicates[3] >> i) & 1, on ? combined(how, !result, p) : (old3 >> i) & 1);
              }
            }
          }
}

TEST(FloatOperations, SetGivesOneOrZero) {
  EdgeWords words(single_edges(), 32, 78);
  for (const Level& level : levels())
    for (unsigned code = 0; code < 16; ++code) {
      LaneMachine m;
      ASSERT_EQ(m.lower(level, Name::FSET, Bits(0x00a, 1).d(D).a(A).b(B).set(76, 80, code).set(87, 90, 7)), nullptr);
      for (unsigned i = 0; i < 32; ++i)
        m.row(A)[i] = static_cast<Word32>(words()), m.row(B)[i] = i % 3 ? static_cast<Word32>(words()) : m.row(A)[i];
      ASSERT_TRUE(m.execute());
      for (unsigned i = 0; i < 32; ++i)
        EXPECT_EQ(m.row(D)[i], relation_holds(code, value(m.row(A)[i]), value(m.row(B)[i])) ? 0x3f800000u : 0u);
    }
}

TEST(FloatOperations, SelectFollowsThePredicate) {
  EdgeWords words(single_edges(), 32, 79);
  for (const Level& level : levels())
    for (bool ftz : {false, true})
      for (bool negated : {false, true})
        for (const Slot slot : {Slot::row, Slot::literal, Slot::uniform}) {
          LaneMachine m;
          const auto scalar = static_cast<Word32>(words());
          Bits bits(0x008, slot == Slot::row ? 1 : slot == Slot::literal ? 4 : 6);
          bits.d(D).a(A).set(72).set(80, ftz).set(87, 90, 2).set(90, negated);
          if (slot == Slot::row) bits.b(B).set(62);
          if (slot == Slot::uniform) bits.uniform(9), m.w.uniform[9] = scalar;
          if (slot == Slot::literal) bits.literal(scalar);
          ASSERT_EQ(m.lower(level, Name::FSEL, bits), nullptr);
          m.w.predicates[2] = static_cast<Word32>(words.next());
          m.w.active = 0xfff0ffff;
          for (unsigned i = 0; i < 32; ++i)
            m.row(A)[i] = static_cast<Word32>(words()), m.row(B)[i] = static_cast<Word32>(words()),
            m.row(D)[i] = 0x1234;
          ASSERT_TRUE(m.execute());
          for (unsigned i = 0; i < 32; ++i) {
            const Word32 b = slot == Slot::row ? m.row(B)[i] & 0x7fffffff : scalar;
            const Word32 chosen = (((m.w.predicates[2] >> i) & 1) != 0) != negated ? m.row(A)[i] ^ 0x80000000 : b;
            EXPECT_EQ(m.row(D)[i], (0xfff0ffffu >> i) & 1 ? (ftz ? flush(chosen) : chosen) : 0x1234);
          }
        }
}

Word32 reference_choice(Word32 x, Word32 y, bool minimum, bool propagate) {
  if ((nan(x) && nan(y)) || (propagate && (nan(x) || nan(y)))) return 0x7fffffff;
  if (nan(x)) return y;
  if (nan(y)) return x;
  if (value(x) == value(y)) return (x >> 31) == (minimum ? 1u : 0u) ? x : y;  // -0 is below +0
  return (value(x) < value(y)) == minimum ? x : y;
}

TEST(FloatOperations, MinimumAndMaximumOrderZerosAndNaN) {
  EdgeWords words(single_edges(), 32, 80);
  for (const Level& level : levels())
    for (unsigned how = 0; how < 32; ++how) {
      const bool ftz = how & 1, propagate = how & 2, xor_sign = how & 4, absolute = how & 16;
      LaneMachine m;
      Bits bits(0x009, how & 8 ? 6 : 1);
      const auto scalar = static_cast<Word32>(words());
      bits.d(D)
          .a(A)
          .set(80, ftz)
          .set(81, propagate)
          .set(82, xor_sign)
          .set(87, 90, 3)
          .set(73, absolute)
          .set(62, absolute);
      if (how & 8)
        bits.uniform(9), m.w.uniform[9] = scalar;
      else
        bits.b(B);
      if (xor_sign && !absolute) {  // of others than |a| and |b| the hardware's rule is not known
        ASSERT_NE(m.lower(level, Name::FMNMX, bits), nullptr);
        continue;
      }
      ASSERT_EQ(m.lower(level, Name::FMNMX, bits), nullptr);
      for (unsigned round = 0; round < 200; ++round) {
        m.w.predicates[3] = static_cast<Word32>(words.next());
        for (unsigned i = 0; i < 32; ++i)
          m.row(A)[i] = static_cast<Word32>(words()),
          m.row(B)[i] = i % 4 ? static_cast<Word32>(words()) : m.row(A)[i] ^ 0x80000000;
        ASSERT_TRUE(m.execute());
        for (unsigned i = 0; i < 32; ++i) {
          Word32 a = m.row(A)[i], b = how & 8 ? scalar : m.row(B)[i];
          const Word32 sign = (a ^ b) & 0x80000000;  // of the operands before |x|
          if (absolute) a &= 0x7fffffff, b &= 0x7fffffff;
          if (ftz) a = flush(a), b = flush(b);
          Word32 wanted =
              xor_sign ? reference_choice(a & 0x7fffffff, b & 0x7fffffff, (m.w.predicates[3] >> i) & 1, propagate)
                       : reference_choice(a, b, (m.w.predicates[3] >> i) & 1, propagate);
          if (xor_sign && !nan(wanted)) wanted |= sign;
          ASSERT_EQ(m.row(D)[i], wanted) << std::hex << a << " " << b << " how " << how;
        }
      }
    }
}

TEST(FloatOperations, DivisionSequenceIsExactWhereTheCheckPassesIt) {
  // The sequence that nvcc emits for a / b when FCHK is false must give the correctly rounded quotient.
  EdgeWords words(single_edges(), 32, 81);
  std::mt19937_64 random(9);
  for (const Level& level : levels()) {
    LaneMachine m;
    ASSERT_EQ(m.lower(level, Name::FCHK, Bits(0x102, 1).a(A).b(B).set(81, 84, 1)), nullptr);
    unsigned passed = 0;
    for (unsigned round = 0; round < 3000; ++round) {
      for (unsigned i = 0; i < 32; ++i) {
        m.row(A)[i] = static_cast<Word32>(round % 2 ? words() : random());
        m.row(B)[i] = static_cast<Word32>(round % 2 ? words() : random());
      }
      ASSERT_TRUE(m.execute());
      for (unsigned i = 0; i < 32; ++i) {
        if ((m.w.predicates[1] >> i) & 1) continue;
        ++passed;
        const float a = value(m.row(A)[i]), b = value(m.row(B)[i]);
        float r = 1.0f / b;  // as our MUFU.RCP
        r = std::fma(r, std::fma(-b, r, 1.0f), r);
        float q = std::fma(a, r, 0.0f);
        q = std::fma(r, std::fma(-b, q, a), q);
        q = std::fma(r, std::fma(-b, q, a), q);
        ASSERT_EQ(__builtin_bit_cast(Word32, q), __builtin_bit_cast(Word32, a / b))
            << std::hex << m.row(A)[i] << " / " << m.row(B)[i];
      }
    }
    EXPECT_GT(passed, 20000u);
    // Special operands always need care.
    const Word32 special[] = {0x7f800000, 0x7fc00000, 0xff800000};
    for (unsigned i = 0; i < 32; ++i) m.row(A)[i] = special[i % 3], m.row(B)[i] = 0x3f800000;
    ASSERT_TRUE(m.execute());
    EXPECT_EQ(m.w.predicates[1], all_lanes);
    const Word32 denominators[] = {0, 0x80000000, 0x7f800000, 0x7fc00000, 1, 0x007fffff};
    for (unsigned i = 0; i < 32; ++i) m.row(A)[i] = 0x3f800000, m.row(B)[i] = denominators[i % 6];
    ASSERT_TRUE(m.execute());
    EXPECT_EQ(m.w.predicates[1], all_lanes);
  }
}

TEST(FloatOperations, WhatIsNotExecutedSaysSo) {
  LaneMachine m;
  const Level& level = levels().front();
  EXPECT_NE(m.lower(level, Name::FFMA, Bits(0x023, 1).d(D).a(A).b(B).c(C).set(76)), nullptr);    // FMZ
  EXPECT_NE(m.lower(level, Name::FMUL, Bits(0x020, 1).d(D).a(A).b(B).set(84, 87, 0)), nullptr);  // no such scale
  EXPECT_NE(m.lower(level, Name::FMUL, Bits(0x020, 1).d(D).a(A).b(B).set(84, 87, 4).set(76)), nullptr);  // FMZ
  EXPECT_NE(m.lower(level, Name::FMNMX, Bits(0x009, 1).d(D).a(A).b(B).set(65)), nullptr);                // IS_A
  EXPECT_NE(m.lower(level, Name::FSETP, Bits(0x00b, 1).a(A).b(B).set(74, 76, 3)), nullptr);  // no such combination
  EXPECT_NE(m.lower(level, Name::FADD, Bits(0x021, 0).d(D).a(A)), nullptr);                  // no such form
  EXPECT_NE(m.lower(level, Name::FADD, Bits(0x021, 3).d(D).a(A).set(91)), nullptr);          // cx[UR][..]
  EXPECT_NE(m.lower(level, Name::FADD, Bits(0x021, 1).d(D).a(251).b(B)), nullptr);           // beyond the registers
}

}  // namespace
}  // namespace lanebank::machine::testing
