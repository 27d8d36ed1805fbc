// Conversions against the processor's own arithmetic and __float128, at every SIMD level.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>

#include "host_half.hpp"
#include "lane_harness.hpp"
#include "machine/numerics/unpacked.hpp"

namespace lanebank::machine::testing {
namespace {

using Word32 = std::uint32_t;
using Word64 = std::uint64_t;
__extension__ typedef __float128 Exact;

constexpr unsigned D = 10, B = 12;
constexpr int modes[4] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};

float single(Word32 x) { return __builtin_bit_cast(float, x); }
double twice(Word64 x) { return __builtin_bit_cast(double, x); }
double half(unsigned x) { return half_number(x & 0xffff); }
double brain(unsigned x) { return single(x << 16); }

enum Format : unsigned { f16 = 1, f32 = 2, f64 = 3, bf16 = 4 };

/// Random bits of a format that often lie near `limit`, the end of an integer type.
struct Numbers {
  EdgeWords singles{single_edges(), 32, 1}, doubles{double_edges(), 64, 2};
  std::mt19937_64 random{3};
  Word64 operator()(unsigned format) {
    const Word64 choice = random();
    if (format == f32)
      return choice % 3 ? singles() : 0x3f000000 + random() % 0x20000000 + (random() & 1) * 0x80000000u;
    if (format == f64)
      return choice % 3 ? doubles() : 0x3fe0000000000000u + random() % 0x0500000000000000u + (random() << 63);
    return random() & 0xffff;
  }
};
double value_of(Word64 bits, unsigned format) {
  return format == f32   ? single(static_cast<Word32>(bits))
         : format == f64 ? twice(bits)
         : format == f16 ? half(bits & 0xffff)
                         : brain(bits & 0xffff);
}
double rounded_whole(double x, unsigned mode) {
  std::fesetround(modes[mode]);
  volatile double v = x;
  volatile double r = std::nearbyint(v);
  std::fesetround(FE_TONEAREST);
  return r;
}

TEST(Conversions, NumbersToIntegersSaturateInEveryCombination) {
  Numbers numbers;
  for (const Level& level : levels())
    for (const unsigned from : {f16, f32, f64, bf16})
      for (unsigned size = 0; size < 4; ++size)
        for (unsigned variant = 0; variant < 32; ++variant) {
          const unsigned mode = variant & 3;
          const bool is_signed = variant & 4, nan_to_zero = variant & 8, ftz = variant & 16;
          const bool negate = variant % 5 == 0, absolute = variant % 7 == 0,
                     high = from != f32 && from != f64 && variant % 3 == 0;
          LaneMachine m;
          Bits bits(from == f64 || size == 3 ? 0x111 : 0x105, 1);
          bits.d(D)
              .b(B)
              .set(72, is_signed)
              .set(75, 77, size)
              .set(77, nan_to_zero)
              .set(78, 80, mode)
              .set(80, ftz)
              .set(84, 87, from);
          bits.set(63, negate).set(62, absolute).set(60, high);
          const char* reason = m.lower(level, Name::F2I, bits);
          ASSERT_EQ(reason, nullptr) << reason;
          const unsigned width = 8u << size;
          for (unsigned round = 0; round < 20; ++round) {
            for (unsigned i = 0; i < 32; ++i)
              m.set_pair(B, i, from == f32 || from == f64 ? numbers(from) : numbers.random());
            ASSERT_TRUE(m.execute());
            for (unsigned i = 0; i < 32; ++i) {
              Word64 raw = m.pair(B, i);
              if (high) raw = (raw & 0xffffffff) >> 16;
              if (from == f32) raw &= 0xffffffff;
              double x = value_of(raw, from);
              if (ftz && from == f32 && std::fabs(x) < 0x1p-126) x = std::copysign(0.0, x);
              if (absolute) x = std::fabs(x);
              if (negate) x = -x;
              Word64 wanted;
              if (std::isnan(x)) {
                wanted = nan_to_zero ? 0 : Word64{1} << (width - 1);
              } else {
                const Exact whole = rounded_whole(x, mode);
                const Exact largest = is_signed ? static_cast<Exact>((Word64{1} << (width - 1)) - 1)
                                                : static_cast<Exact>(~Word64{0} >> (64 - width));
                const Exact smallest = is_signed ? -largest - 1 : 0;
                const Exact clamped = whole > largest ? largest : whole < smallest ? smallest : whole;
                wanted = clamped < 0 ? static_cast<Word64>(static_cast<std::int64_t>(clamped))
                                     : static_cast<Word64>(clamped);
              }
              const Word64 found = size == 3 ? m.pair(D, i) : m.row(D)[i];
              ASSERT_EQ(found, size == 3 ? wanted : wanted & 0xffffffff)
                  << level.name << " " << x << " from " << from << " size " << size << " variant " << variant;
            }
          }
        }
}

TEST(Conversions, IntegersToNumbersRoundInEveryMode) {
  std::mt19937_64 random(4);
  for (const Level& level : levels())
    for (const unsigned to : {f16, f32, f64, bf16})
      for (unsigned size = 0; size < 4; ++size)
        for (unsigned variant = 0; variant < 8; ++variant) {
          const unsigned mode = variant & 3;
          const bool is_signed = variant & 4;
          const unsigned part = size == 0 ? variant & 3 : size == 1 ? variant & 1 : 0;
          LaneMachine m;
          Bits bits(to == f64 || size == 3 ? 0x112 : 0x106, 1);
          bits.d(D).b(B).set(74, is_signed).set(75, 78, to).set(78, 80, mode).set(84, 86, size).set(60, 62, part);
          const char* reason = m.lower(level, Name::I2F, bits);
          ASSERT_EQ(reason, nullptr) << reason;
          const unsigned width = 8u << size;
          for (unsigned round = 0; round < 40; ++round) {
            for (unsigned i = 0; i < 32; ++i) {
              const Word64 x = random() >> (random() % 64);
              m.set_pair(B, i, random() % 2 ? x : ~x);
            }
            ASSERT_TRUE(m.execute());
            for (unsigned i = 0; i < 32; ++i) {
              Word64 raw = size == 3 ? m.pair(B, i) : m.row(B)[i] >> (part * width);
              raw <<= 64 - width;
              const bool negative = is_signed && raw >> 63;
              const Word64 magnitude =
                  negative ? (~(static_cast<Word64>(static_cast<std::int64_t>(raw) >> (64 - width))) + 1)
                           : raw >> (64 - width);
              const auto how = static_cast<numerics::Rounding>(mode);
              const numerics::Unpacked u{.sign = negative, .significand = magnitude};
              const Word64 wanted = to == f16   ? numerics::round_to<numerics::Binary16>(u, how)
                                    : to == f32 ? numerics::round_to<numerics::Binary32>(u, how)
                                    : to == f64 ? numerics::round_to<numerics::Binary64>(u, how)
                                                : numerics::round_to<numerics::Brain16>(u, how);
              ASSERT_EQ(to == f64 ? m.pair(D, i) : m.row(D)[i], wanted)
                  << level.name << " " << magnitude << " to " << to << " size " << size << " variant " << variant;
              if (mode == 0 && to == f32) {  // the processor as second witness
                const float own = is_signed ? static_cast<float>(static_cast<std::int64_t>(raw) >> (64 - width))
                                            : static_cast<float>(raw >> (64 - width));
                ASSERT_EQ(m.row(D)[i], __builtin_bit_cast(Word32, own));
              }
            }
          }
        }
}

TEST(Conversions, PackedIntegerConversionEqualsTheGeneralOne) {
  std::mt19937_64 random(5);
  for (const Level& level : levels())
    for (const bool is_signed : {false, true})
      for (const unsigned mode : {0u, 3u})
        for (const unsigned form : {1u, 4u, 6u}) {
          LaneMachine m;
          const auto scalar = static_cast<Word32>(random());
          Bits bits(0x045, form);
          bits.d(D).set(74, is_signed).set(75, 78, 2).set(78, 80, mode).set(84, 86, 2);
          if (form == 1) bits.b(B);
          if (form == 4) bits.literal(scalar);
          if (form == 6) bits.uniform(8), m.w.uniform[8] = scalar;
          ASSERT_EQ(m.lower(level, Name::I2FP, bits), nullptr);
          m.w.active = 0xff00ff0f;
          for (unsigned i = 0; i < 32; ++i)
            m.row(B)[i] = static_cast<Word32>(random() >> (random() % 40)), m.row(D)[i] = 5;
          ASSERT_TRUE(m.execute());
          for (unsigned i = 0; i < 32; ++i) {
            const Word32 x = form == 1 ? m.row(B)[i] : scalar;
            std::fesetround(modes[mode]);
            volatile float own = is_signed ? static_cast<float>(static_cast<std::int32_t>(x)) : static_cast<float>(x);
            std::fesetround(FE_TONEAREST);
            const float result = own;
            EXPECT_EQ(m.row(D)[i], (0xff00ff0fu >> i) & 1 ? __builtin_bit_cast(Word32, result) : 5u);
          }
        }
}

TEST(Conversions, NumbersToNumbersRoundInEveryCombination) {
  Numbers numbers;
  for (const Level& level : levels())
    for (const unsigned from : {f16, f32, f64, bf16})
      for (const unsigned to : {f16, f32, f64, bf16})
        for (unsigned mode = 0; mode < 4; ++mode)
          for (const bool ftz : {false, true}) {
            LaneMachine m;
            Bits bits(from == f64 || to == f64 ? 0x110 : 0x104, 1);
            bits.d(D).b(B).set(75, 78, to).set(78, 80, mode).set(80, ftz).set(84, 87, from).set(63, mode == 1);
            ASSERT_EQ(m.lower(level, Name::F2F, bits), nullptr);
            for (unsigned round = 0; round < 40; ++round) {
              for (unsigned i = 0; i < 32; ++i) {
                Word64 x = numbers(from);
                if (from == f64 && numbers.random() % 2)
                  x = 0x3600000000000000u + numbers.random() % 0x1300000000000000u;
                m.set_pair(B, i, x);
              }
              ASSERT_TRUE(m.execute());
              for (unsigned i = 0; i < 32; ++i) {
                double x = value_of(from == f32 ? m.row(B)[i] : m.pair(B, i), from);
                const double smallest = from == f32 || from == bf16 ? 0x1p-126 : 0x1p-14;
                if (ftz && from != f64 && std::fabs(x) < smallest) x = std::copysign(0.0, x);
                const bool keeps_sign = std::isnan(x) && (from == f64 || to == f64);
                if (mode == 1 && !keeps_sign) x = -x;
                const Word64 found = to == f64 ? m.pair(D, i) : m.row(D)[i];
                const Word64 bits64 = __builtin_bit_cast(Word64, x);
                if (std::isnan(x) && from == f64 && to != f64) {  // sign and payload stay
                  const Word64 sign = bits64 >> 63, payload = bits64 & 0xfffffffffffff;
                  ASSERT_EQ(found, to == f32   ? sign << 31 | 0x7fc00000 | payload >> 29
                                   : to == f16 ? sign << 15 | 0x7e00 | payload >> 42
                                               : sign << 15 | 0x7fc0 | payload >> 45);
                  continue;
                }
                if (std::isnan(x)) {
                  ASSERT_TRUE(to == f64 ? std::isnan(twice(found)) : found == (to == f32 ? 0x7fffffffu : 0x7fffu))
                      << std::hex << found;
                  continue;
                }
                const auto how = static_cast<numerics::Rounding>(mode);
                Word64 wanted =
                    to == f64   ? bits64
                    : to == f32 ? numerics::convert_unpacked<numerics::Binary32, numerics::Binary64>(bits64, how)
                    : to == f16 ? numerics::convert_unpacked<numerics::Binary16, numerics::Binary64>(bits64, how)
                                : numerics::convert_unpacked<numerics::Brain16, numerics::Binary64>(bits64, how);
                if (ftz && to == f32 && (wanted & 0x7f800000) == 0) wanted &= 0x80000000;
                if (ftz && to == f16 && (wanted & 0x7c00) == 0) wanted &= 0x8000;
                if (ftz && to != f64 && to != f32 && to != f16 && (wanted & 0x7f80) == 0) wanted &= 0x8000;
                ASSERT_EQ(found, wanted) << level.name << " " << x << " from " << from << " to " << to << " mode "
                                         << mode;
              }
            }
          }
}

TEST(Conversions, RoundingToWholeNumbersKeepsTheFormat) {
  Numbers numbers;
  for (const Level& level : levels())
    for (const unsigned format : {f16, f32, f64, bf16})
      for (unsigned mode = 0; mode < 4; ++mode) {
        LaneMachine m;
        ASSERT_EQ(m.lower(level, Name::FRND,
                          Bits(format == f64 ? 0x113 : 0x107, 1)
                              .d(D)
                              .b(B)
                              .set(75, 78, format)
                              .set(78, 80, mode)
                              .set(84, 87, format)),
                  nullptr);
        for (unsigned round = 0; round < 100; ++round) {
          for (unsigned i = 0; i < 32; ++i) m.set_pair(B, i, numbers(format));
          ASSERT_TRUE(m.execute());
          for (unsigned i = 0; i < 32; ++i) {
            const double x = value_of(format == f32 ? m.row(B)[i] : m.pair(B, i), format),
                         wanted = rounded_whole(x, mode);
            const Word64 found = format == f64 ? m.pair(D, i) : m.row(D)[i];
            const double result = value_of(found, format);
            if (std::isnan(x)) {
              ASSERT_TRUE(std::isnan(result));
              ASSERT_TRUE(format != f32 || found == 0x7fffffffu);
            } else {
              ASSERT_EQ(__builtin_bit_cast(Word64, result), __builtin_bit_cast(Word64, wanted))
                  << x << " mode " << mode;
            }
          }
        }
      }
}

unsigned narrow(float x, bool is_brain, unsigned mode, bool finite, bool relu) {
  if (std::isnan(x)) return 0x7fff;
  const auto bits = __builtin_bit_cast(Word32, x);
  const auto how = static_cast<numerics::Rounding>(mode);
  const auto r = static_cast<unsigned>(
      is_brain ? numerics::convert_unpacked<numerics::Brain16, numerics::Binary32>(bits, how, finite)
               : numerics::convert_unpacked<numerics::Binary16, numerics::Binary32>(bits, how, finite));
  return relu && (r & 0x8000) ? 0 : r;
}

TEST(Conversions, PackingPutsTheFirstOperandAbove) {
  Numbers numbers;
  for (const Level& level : levels())
    for (const unsigned architecture : {80u, 90u})
      for (unsigned variant = 0; variant < 32; ++variant) {
        const bool is_brain = variant & 1, relu = variant & 2, finite = variant & 4;
        const unsigned mode = variant & 8 ? 3 : 0, form = variant & 16 ? 4 : 1;
        LaneMachine m(architecture);
        const auto scalar = static_cast<Word32>(numbers(f32));
        Bits bits(0x03e, form);
        bits.d(D).a(11).c(255).set(76, is_brain).set(75, relu).set(77, finite).set(79, 81, mode);
        if (form == 1)
          bits.b(B);
        else
          bits.literal(scalar);
        ASSERT_EQ(m.lower(level, Name::F2FP, bits), nullptr);
        for (unsigned round = 0; round < 100; ++round) {
          for (unsigned i = 0; i < 32; ++i)
            for (const unsigned r : {11u, B})
              m.row(r)[i] = static_cast<Word32>(round % 2 ? numbers(f32) : 0x33000000 + numbers.random() % 0x16000000);
          ASSERT_TRUE(m.execute());
          for (unsigned i = 0; i < 32; ++i) {
            const Word32 wanted = narrow(single(m.row(11)[i]), is_brain, mode, finite, relu) << 16 |
                                  narrow(single(form == 1 ? m.row(B)[i] : scalar), is_brain, mode, finite, relu);
            ASSERT_EQ(m.row(D)[i], wanted)
                << level.name << std::hex << " " << m.row(11)[i] << " " << m.row(B)[i] << " variant " << variant;
          }
        }
      }
}

TEST(Conversions, EightBitFormatsPackMergeAndUnpack) {
  for (const Level& level : levels()) {
    LaneMachine m;
    for (unsigned i = 0; i < 32; ++i) {
      m.row(11)[i] = __builtin_bit_cast(Word32, 1.5f * static_cast<float>(i) - 10);
      m.row(B)[i] = __builtin_bit_cast(Word32, 1000.0f * static_cast<float>(i));
      m.row(13)[i] = 0xaaaa0000 + i;
    }
    // The words nvcc makes: 0x..48070.. SATFINITE.E4M3.F32.PACK_AB_MERGE_C, 0x..48060.. the same to E5M2.
    Bits merge(0x03e, 1);
    merge.d(D).a(11).b(B).c(13).set(76).set(77).set(78).set(87).set(90);
    m.run(level, Name::F2FP, merge);
    for (unsigned i = 0; i < 32; ++i) {
      const auto high =
          numerics::convert_unpacked<numerics::E4M3, numerics::Binary32>(m.row(11)[i], numerics::Rounding::nearest);
      const auto low =
          numerics::convert_unpacked<numerics::E4M3, numerics::Binary32>(m.row(B)[i], numerics::Rounding::nearest);
      EXPECT_EQ(m.row(D)[i], (i << 16) | high << 8 | low);
    }
    EXPECT_EQ(m.row(D)[31] & 0xff, 0x7eu);  // 31000 saturates at 448
    merge.set(76, false);
    m.run(level, Name::F2FP, merge);
    for (unsigned i = 0; i < 32; ++i) {
      const auto low = numerics::convert_unpacked<numerics::E5M2, numerics::Binary32>(
          m.row(B)[i], numerics::Rounding::nearest, true);
      EXPECT_EQ(m.row(D)[i] & 0xff, low);
    }
    // Every 8-bit number goes to halves and back.
    for (const bool e5m2 : {false, true})
      for (const bool high : {false, true})
        for (unsigned first = 0; first < 256; first += 32) {
          for (unsigned i = 0; i < 32; ++i)
            m.row(B)[i] =
                (high ? 0x10000u : 1u) * ((first + i) | ((255 - first - i) << 8)) | (high ? 0x1234 : 0x56780000);
          m.run(level, Name::F2FP,
                Bits(0x03e, 1).d(D).a(255).b(B).c(255).set(73, 75, e5m2 ? 2 : 3).set(89).set(88, high));
          Bits back(0x03e, 1);
          back.d(14).a(255).b(D).c(255).set(73, 75, 1).set(77).set(76, !e5m2).set(87).set(90);
          m.run(level, Name::F2FP, back);
          for (unsigned i = 0; i < 32; ++i)
            for (unsigned h = 0; h < 2; ++h) {
              const unsigned x = h ? 255 - first - i : first + i, unpacked = (m.row(D)[i] >> (16 * h)) & 0xffff,
                             packed = (m.row(14)[i] >> (8 * h)) & 0xff;
              const bool is_nan = e5m2 ? (x & 0x7f) > 0x7c : (x & 0x7f) == 0x7f;
              const Word64 wanted =
                  e5m2 ? x << 8
                       : numerics::convert_unpacked<numerics::Binary16, numerics::E4M3>(x, numerics::Rounding::nearest);
              EXPECT_EQ(unpacked, is_nan ? 0x7fff : wanted) << x;
              EXPECT_EQ(packed, is_nan ? 0x7f : e5m2 && (x & 0x7f) == 0x7c ? x - 1 : x) << x;  // infinity saturates
            }
        }
  }
}

TEST(Conversions, IntegerClampsSaturate) {
  std::mt19937_64 random(6);
  for (const Level& level : levels())
    for (unsigned kind = 0; kind < 4; ++kind) {
      LaneMachine m;
      for (unsigned i = 0; i < 32; ++i)
        for (const unsigned r : {11u, B, 13u}) {
          const auto x = static_cast<Word32>(random() >> (32 + random() % 32));
          m.row(r)[i] = random() % 2 ? x : ~x;
        }
      const std::int64_t low = kind == 0 || kind == 2 ? 0
                               : kind == 1            ? -128
                                                      : -32768,
                         high = kind == 0   ? 255
                                : kind == 1 ? 127
                                : kind == 2 ? 65535
                                            : 32767;
      const auto clamp = [&](Word32 x) {
        return static_cast<Word32>(std::min(std::max<std::int64_t>(static_cast<std::int32_t>(x), low), high));
      };
      m.run(level, Name::I2I, Bits(0x038, 1).d(D).b(B).set(76, 78, kind));
      for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(m.row(D)[i], clamp(m.row(B)[i]));
      m.run(level, Name::I2IP, Bits(0x039, 1).d(D).a(11).b(B).c(13).set(76, 78, kind).set(74, 76, 1));
      for (unsigned i = 0; i < 32; ++i)
        EXPECT_EQ(m.row(D)[i],
                  kind < 2 ? m.row(13)[i] << 16 | (clamp(m.row(11)[i]) & 0xff) << 8 | (clamp(m.row(B)[i]) & 0xff)
                           : clamp(m.row(11)[i]) << 16 | (clamp(m.row(B)[i]) & 0xffff));
    }
}

TEST(Conversions, PackedBytesRoundSaturateAndTakeAHalfOfTheThird) {
  Numbers numbers;
  for (const Level& level : levels())
    for (unsigned variant = 0; variant < 32; ++variant) {
      const bool truncates = variant & 1, is_signed = variant & 2, nan_to_zero = variant & 4, upper = variant & 8,
                 relu = variant & 16;
      LaneMachine m;
      Bits bits(0x043, 1);
      bits.d(D).a(11).b(B).c(13).set(72, upper).set(74, nan_to_zero).set(75, relu).set(76, is_signed);
      bits.set(78, 80, truncates ? 3 : 0);
      if (relu && !is_signed) {
        EXPECT_NE(m.lower(level, Name::F2IP, bits), nullptr);
        continue;
      }
      ASSERT_EQ(m.lower(level, Name::F2IP, bits), nullptr);
      const auto byte = [&](Word32 x) -> Word32 {
        const double number = value_of(x, f32);
        if (std::isnan(number)) return nan_to_zero || relu ? 0 : 0x80;
        const double whole = truncates ? std::trunc(number) : std::nearbyint(number);
        const double low = relu || !is_signed ? 0 : -128, high = is_signed ? 127 : 255;
        return static_cast<Word32>(static_cast<int>(std::min(std::max(whole, low), high))) & 0xff;
      };
      for (unsigned round = 0; round < 100; ++round) {
        for (unsigned i = 0; i < 32; ++i)
          for (const unsigned r : {11u, B, 13u}) {
            const auto quarters = static_cast<float>(static_cast<int>(numbers.random() % 2400) - 1200) / 4;
            m.row(r)[i] =
                numbers.random() % 2 ? static_cast<Word32>(numbers(f32)) : __builtin_bit_cast(Word32, quarters);
          }
        ASSERT_TRUE(m.execute());
        for (unsigned i = 0; i < 32; ++i) {
          const Word32 half = upper ? m.row(13)[i] >> 16 : m.row(13)[i] & 0xffff;
          ASSERT_EQ(m.row(D)[i], half << 16 | byte(m.row(11)[i]) << 8 | byte(m.row(B)[i])) << std::hex << variant;
        }
      }
    }
}

TEST(Conversions, WhatIsNotExecutedSaysSo) {
  LaneMachine m;
  const Level& level = levels().front();
  EXPECT_NE(m.lower(level, Name::F2IP, Bits(0x043, 1).d(D).a(11).b(B).c(13).set(78, 80, 1)), nullptr);
  EXPECT_NE(m.lower(level, Name::F2IP, Bits(0x043, 1).d(D).a(11).b(B).c(13).set(76, 78, 2)), nullptr);
  EXPECT_NE(m.lower(level, Name::I2FP, Bits(0x045, 1).d(D).b(B).set(75, 78, 1).set(84, 86, 2)), nullptr);
  EXPECT_NE(m.lower(level, Name::I2FP, Bits(0x045, 1).d(D).b(B).set(75, 78, 2).set(84, 86, 1)), nullptr);
  EXPECT_NE(m.lower(level, Name::F2F, Bits(0x104, 1).d(D).b(B).set(75, 78, 5).set(84, 87, 2)), nullptr);
  EXPECT_NE(m.lower(level, Name::F2I, Bits(0x105, 1).d(D).b(B).set(84, 87, 0)), nullptr);
  EXPECT_NE(m.lower(level, Name::FRND, Bits(0x107, 1).d(D).b(B).set(75, 78, 1).set(84, 87, 2)), nullptr);
  EXPECT_NE(m.lower(level, Name::F2FP, Bits(0x03e, 1).d(D).a(11).b(B).c(255).set(73, 75, 1)), nullptr);
  EXPECT_NE(m.lower(level, Name::F2FP, Bits(0x03e, 1).d(D).a(11).b(B).c(255).set(87)), nullptr);  // E5M2 without merge
  EXPECT_NE(m.lower(level, Name::I2F, Bits(0x106, 1).d(D).b(B).set(75, 78, 2).set(84, 86, 1).set(60, 62, 2)), nullptr);
}

}  // namespace
}  // namespace lanebank::machine::testing
