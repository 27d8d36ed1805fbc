// Matrix loads, stores and products against element-by-element definitions, at every SIMD level.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <optional>

#include "host_half.hpp"
#include "lane_harness.hpp"
#include "machine/numerics/unpacked.hpp"

namespace lanebank::machine::testing {
namespace {

using Word32 = std::uint32_t;

constexpr unsigned D = 16, A = 32, B = 64, C = 96, address = 8;

/// Keeps what is published.
struct Listener : Recorder {
  std::vector<SharedAccess> accesses;
  std::vector<std::vector<Word32>> addresses;
  void shared_access(const WarpPlace&, const SharedAccess& access) override {
    accesses.push_back(access);
    addresses.emplace_back();
    if (access.addresses != nullptr) addresses.back().assign(access.addresses, access.addresses + 32);
  }
};

// ------------------------------------------------------------------------------- LDSM, STSM, MOVM

std::uint16_t element(const LaneMachine& m, Word32 offset) {
  std::uint16_t x;
  std::memcpy(&x, m.w.shared + offset, 2);
  return x;
}
void number_shared(LaneMachine& m) {
  for (Word32 offset = 0; offset < LaneMachine::shared_size; offset += 2) {
    const auto x = static_cast<std::uint16_t>(offset / 2 * 40503u >> 3);
    std::memcpy(m.w.shared + offset, &x, 2);
  }
}
/// Row offsets of the 32 lanes: multiples of 16, in no order.
std::vector<Word32> scattered_rows(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Word32> rows(32);
  for (Word32& row : rows) row = static_cast<Word32>(random() % (LaneMachine::shared_size / 16 - 64)) * 16;
  return rows;
}

TEST(MatrixMoves, LoadsGiveEachLaneItsElements) {
  for (const Level& level : levels())
    for (const unsigned architecture : {75u, 90u})
      for (unsigned log2 = 0; log2 < 3; ++log2)
        for (const bool transposed : {false, true})
          for (const Word32 mask : {0xffffffffu, 0x0f0ff0ffu}) {
            LaneMachine m(architecture);
            number_shared(m);
            Listener listener;
            m.worker().shared_listeners.push_back(&listener);
            const std::vector<Word32> rows = scattered_rows(log2);
            m.w.uniform[4] = 32;
            m.w.active = mask;
            for (unsigned i = 0; i < 32; ++i) {
              m.row(address)[i] = rows[i] + m.w.shared_window - 32 - 0x60;
              for (unsigned q = 0; q < 4; ++q) m.row(D + q)[i] = 0xdead0000 + q;
            }
            m.run(level, Name::LDSM,
                  Bits(0x03b, 4).d(D).a(address).set(40, 64, 0x60).set(72, 74, log2).set(78, transposed).uniform(4));
            ASSERT_EQ(listener.accesses.size(), 1u);
            EXPECT_EQ(listener.accesses[0].kind, SharedKind::matrix_load);
            EXPECT_EQ(listener.accesses[0].matrices, 1u << log2);
            EXPECT_EQ(listener.accesses[0].lane_bytes, 16);
            EXPECT_EQ(listener.accesses[0].mask, mask);
            for (unsigned i = 0; i < 32; ++i)
              if ((mask >> i) & 1) {
                EXPECT_EQ(listener.addresses[0][i], rows[i]);
              }
            for (unsigned q = 0; q < 4; ++q)
              for (unsigned l = 0; l < 32; ++l) {
                const auto at = [&](unsigned row, unsigned column) {
                  const unsigned lane = 8 * q + row;
                  return Word32{
                      element(m, ((mask >> lane) & 1 ? rows[lane] : rows[std::countr_zero(mask)]) + 2 * column)};
                };
                const Word32 wanted = transposed ? at(2 * (l % 4), l / 4) | at(2 * (l % 4) + 1, l / 4) << 16
                                                 : at(l / 4, 2 * (l % 4)) | at(l / 4, 2 * (l % 4) + 1) << 16;
                EXPECT_EQ(m.row(D + q)[l], q < (1u << log2) && ((mask >> l) & 1) ? wanted : 0xdead0000 + q);
              }
          }
}

TEST(MatrixMoves, StoresPutEachLanesElements) {
  std::mt19937_64 random(3);
  for (const Level& level : levels())
    for (unsigned log2 = 0; log2 < 3; ++log2)
      for (const bool transposed : {false, true}) {
        LaneMachine m;
        Listener listener;
        m.worker().shared_listeners.push_back(&listener);
        for (unsigned i = 0; i < 32; ++i) {
          m.row(address)[i] = i * 48 + m.w.shared_window;
          for (unsigned q = 0; q < 4; ++q) m.row(B + q)[i] = static_cast<Word32>(random());
        }
        m.run(level, Name::STSM, Bits(0x044, 4).a(address).b(B).set(40, 64, 16).set(72, 74, log2).set(78, transposed));
        ASSERT_EQ(listener.accesses.size(), 1u);
        EXPECT_EQ(listener.accesses[0].kind, SharedKind::matrix_store);
        EXPECT_EQ(m.w.stores, 1u);
        for (unsigned q = 0; q < (1u << log2); ++q)
          for (unsigned l = 0; l < 32; ++l)
            for (unsigned h = 0; h < 2; ++h) {
              const unsigned row = transposed ? 2 * (l % 4) + h : l / 4, column = transposed ? l / 4 : 2 * (l % 4) + h;
              EXPECT_EQ(element(m, (8 * q + row) * 48 + 16 + 2 * column), (m.row(B + q)[l] >> (16 * h)) & 0xffff);
            }
        EXPECT_EQ(element(m, (8 << log2) * 48 + 16), 0);
      }
}

TEST(MatrixMoves, ATransposedFragmentIsTheTransposedMatrix) {
  for (const Level& level : levels()) {
    LaneMachine m;
    std::mt19937_64 random(4);
    for (unsigned i = 0; i < 32; ++i) m.row(A)[i] = static_cast<Word32>(random());
    m.run(level, Name::MOVM, Bits(0x03a, 1).d(D).a(A));
    const auto at = [&](unsigned r, unsigned row, unsigned column) {
      return (m.row(r)[4 * row + column / 2] >> (16 * (column & 1))) & 0xffff;
    };
    for (unsigned r = 0; r < 8; ++r)
      for (unsigned c = 0; c < 8; ++c) EXPECT_EQ(at(D, r, c), at(A, c, r));
  }
}

TEST(MatrixMoves, BadRowsFaultAndUnusedLanesDoNot) {
  for (const Level& level : levels()) {
    const auto attempt = [&](unsigned bad_lane, Word32 offset, unsigned log2) -> std::optional<Fault> {
      LaneMachine m;
      for (unsigned i = 0; i < 32; ++i) m.row(address)[i] = m.w.shared_window + 16 * i;
      m.row(address)[bad_lane] = m.w.shared_window + offset;
      EXPECT_EQ(m.lower(level, Name::LDSM, Bits(0x03b, 1).d(D).a(address).set(72, 74, log2)), nullptr);
      const bool went_on = m.execute();
      EXPECT_EQ(went_on, !m.launch().fault.has_value());
      return m.launch().fault;
    };
    EXPECT_FALSE(attempt(9, 8, 0));  // lane 9 is no row of a single matrix
    EXPECT_EQ(attempt(7, 8, 0)->kind, Fault::Kind::misaligned_address);
    EXPECT_EQ(attempt(9, LaneMachine::shared_size, 1)->kind, Fault::Kind::shared_out_of_bounds);
    EXPECT_EQ(attempt(9, LaneMachine::shared_size, 1)->thread, 9u);
    EXPECT_FALSE(attempt(31, LaneMachine::shared_size - 16, 2));
    EXPECT_EQ(attempt(31, static_cast<Word32>(-16), 2)->kind, Fault::Kind::shared_out_of_bounds);
  }
}

TEST(MatrixMoves, AWarpWithoutActiveLanesStillPublishes) {
  LaneMachine m;
  Listener listener;
  m.worker().shared_listeners.push_back(&listener);
  m.w.active = 0;
  for (unsigned i = 0; i < 32; ++i) m.row(D)[i] = 3;
  m.run(levels().front(), Name::LDSM, Bits(0x03b, 1).d(D).a(address));
  ASSERT_EQ(listener.accesses.size(), 1u);
  EXPECT_EQ(listener.accesses[0].mask, 0u);
  EXPECT_EQ(m.row(D)[5], 3u);
}

// ------------------------------------------------------------------------------- products

/// Where the elements of A, B and the sums stand, written down per shape from the PTX manual's formulas.
/// Elements are `bits` wide; lane = group * 4 + member.
struct Shape {
  unsigned rows, depth, bits;
};
struct Place {
  unsigned reg, lane, index;  // index: element in the register
};
Place place_a(const Shape& s, unsigned row, unsigned k) {
  const unsigned p = 32 / s.bits, quarter = 4 * p;  // elements of k in one register of the four lanes of a group
  const unsigned half = k / quarter, within = k % quarter;
  return {(s.rows == 16 ? row / 8 : 0) + half * (s.rows == 16 ? 2 : 1), (row % 8) * 4 + within / p, within % p};
}
Place place_b(const Shape& s, unsigned k, unsigned column) {
  const unsigned p = 32 / s.bits, quarter = 4 * p;
  return {k / quarter, column * 4 + (k % quarter) / p, k % p};
}
Place place_c(unsigned row, unsigned column) { return {row / 8 * 2 + column % 2, (row % 8) * 4 + column / 2, 0}; }

void put(LaneMachine& m, unsigned first, const Place& place, unsigned bits, Word32 value) {
  Word32& word = m.row(first + place.reg)[place.lane];
  const Word32 mask = bits == 32 ? ~Word32{0} : ((Word32{1} << bits) - 1) << (bits * place.index);
  word = (word & ~mask) | ((value << (bits == 32 ? 0 : bits * place.index)) & mask);
}

Word32 encode(double x, unsigned type) {  // 0 half, 1 bfloat16, 2 tf32
  if (type == 0) return nearest_half(x);
  const auto single = __builtin_bit_cast(Word32, static_cast<float>(x));
  return type == 1 ? single >> 16 : single;
}

struct FloatShape {
  unsigned type, depth;
  bool bit75, bit78;
};
constexpr FloatShape float_shapes[] = {{0, 8, false, false}, {0, 16, true, false}, {1, 8, false, false},
                                       {1, 16, true, false}, {2, 4, false, true},  {2, 8, false, false}};

Bits float_product(const FloatShape& f, bool single) {
  return Bits(0x03c, 1).d(D).a(A).b(B).c(C).set(75, f.bit75).set(76, single).set(78, f.bit78).set(82, 84, f.type);
}

TEST(MatrixProducts, SmallIntegersAreExactInEveryShapeAndType) {
  std::mt19937_64 random(1);
  for (const Level& level : levels())
    for (const unsigned architecture : {75u, 80u, 86u, 89u, 90u})
      for (const FloatShape& f : float_shapes)
        for (const bool single : {true, false})
          for (const bool negated : {false, true}) {
            if ((architecture == 75 && (f.type != 0)) || (!single && f.type != 0)) continue;
            const Shape s{16, f.depth, f.type == 2 ? 32u : 16u};
            LaneMachine m(architecture);
            double a[16][16], b[16][8], c[16][8];
            for (unsigned r = 0; r < 16; ++r)
              for (unsigned k = 0; k < f.depth; ++k) {
                a[r][k] = static_cast<double>(random() % 17) - 8;
                put(m, A, place_a(s, r, k), s.bits, encode(a[r][k], f.type));
                if (f.type == 2)
                  m.row(A + place_a(s, r, k).reg)[place_a(s, r, k).lane] |= random() & 0x1fff;  // the dropped bits
              }
            for (unsigned k = 0; k < f.depth; ++k)
              for (unsigned n = 0; n < 8; ++n)
                b[k][n] = static_cast<double>(random() % 17) - 8,
                put(m, B, place_b(s, k, n), s.bits, encode(b[k][n], f.type));
            for (unsigned r = 0; r < 16; ++r)
              for (unsigned n = 0; n < 8; ++n) {
                c[r][n] = static_cast<double>(random() % 201) - 100;
                if (single)
                  put(m, C, place_c(r, n), 32, __builtin_bit_cast(Word32, static_cast<float>(c[r][n])));
                else
                  put(m, C, {r / 8, (r % 8) * 4 + n / 2, n % 2}, 16, encode(c[r][n], 0));
              }
            const char* reason = m.lower(level, Name::HMMA, float_product(f, single).set(72, negated));
            ASSERT_EQ(reason, nullptr) << reason;
            m.w.active = 0xfffffff7;
            for (unsigned i = 0; i < 4; ++i) m.row(D + i)[3] = 0x77;
            ASSERT_TRUE(m.execute());
            for (unsigned r = 0; r < 16; ++r)
              for (unsigned n = 0; n < 8; ++n) {
                double sum = c[r][n];
                for (unsigned k = 0; k < f.depth; ++k) sum += (negated ? -a[r][k] : a[r][k]) * b[k][n];
                const Place p = place_c(r, n);
                if (p.lane == 3) continue;
                if (single) {
                  ASSERT_EQ(m.row(D + p.reg)[p.lane], __builtin_bit_cast(Word32, static_cast<float>(sum)))
                      << level.name << " type " << f.type << " depth " << f.depth;
                } else {
                  ASSERT_EQ((m.row(D + r / 8)[p.lane] >> (16 * (n % 2))) & 0xffff, encode(sum, 0));
                }
              }
            EXPECT_EQ(m.row(D)[3], 0x77u);  // an inactive lane keeps its registers
          }
}

__extension__ typedef __int128 Wide;

/// One step of the documented rule in integers: addends cut to 2^(top - fraction) towards zero, sum cut to
/// single precision. Every number is value * 2^-300.
float cut_sum(const std::vector<std::pair<double, int>>& addends, unsigned fraction) {
  int top = -100000;
  for (const auto& [x, exponent] : addends)
    if (x != 0) top = std::max(top, exponent);
  if (top == -100000) return 0;
  Wide sum = 0;
  for (const auto& [x, exponent] : addends)
    sum += static_cast<Wide>(std::ldexp(x, static_cast<int>(fraction) - top));  // a cast cuts
  if (sum == 0) return 0;
  Wide magnitude = sum < 0 ? -sum : sum;
  int shift = 0;
  while (magnitude >= (Wide{1} << 24)) magnitude >>= 1, ++shift;
  return static_cast<float>(std::ldexp(static_cast<double>(magnitude), shift + top - static_cast<int>(fraction)) *
                            (sum < 0 ? -1 : 1));
}

int exponent_of(double x, int smallest) { return x == 0 ? -100000 : std::max(std::ilogb(x), smallest); }

TEST(MatrixProducts, RandomNumbersFollowTheDocumentedCuts) {
  std::mt19937_64 random(2);
  for (const Level& level : levels())
    for (const unsigned architecture : {80u, 90u})
      for (const FloatShape& f : float_shapes) {
        const Shape s{16, f.depth, f.type == 2 ? 32u : 16u};
        const unsigned width = architecture == 90 ? (f.type == 2 ? 8 : 16) : (f.type == 2 ? 4 : 8),
                       fraction = architecture == 90 ? 25 : 24;
        const int smallest = f.type == 0 ? -14 : -126;
        for (unsigned round = 0; round < 20; ++round) {
          LaneMachine m(architecture);
          double a[16][16], b[16][8];
          float c[16][8];
          const auto number = [&](Word32& bits) {
            // Exponents within about 2^12 of each other, a few zeros and subnormals.
            const auto mantissa = static_cast<Word32>(random());
            const unsigned kind = random() % 16;
            if (f.type == 0)
              bits = kind == 0   ? 0
                     : kind == 1 ? mantissa & 0x83ff
                                 : ((mantissa & 0x83ff) | ((9 + random() % 12) << 10));
            else
              bits = kind == 0     ? 0
                     : f.type == 1 ? ((mantissa & 0x807f) | ((120 + random() % 12) << 7))
                                   : ((mantissa & 0x807fe000) | ((120 + random() % 12) << 23));
            return f.type == 0 ? half_number(bits)
                               : static_cast<double>(__builtin_bit_cast(float, f.type == 1 ? bits << 16 : bits));
          };
          Word32 bits;
          for (unsigned r = 0; r < 16; ++r)
            for (unsigned k = 0; k < f.depth; ++k) a[r][k] = number(bits), put(m, A, place_a(s, r, k), s.bits, bits);
          for (unsigned k = 0; k < f.depth; ++k)
            for (unsigned n = 0; n < 8; ++n) b[k][n] = number(bits), put(m, B, place_b(s, k, n), s.bits, bits);
          for (unsigned r = 0; r < 16; ++r)
            for (unsigned n = 0; n < 8; ++n) {
              c[r][n] = random() % 8 == 0 ? 0.0f
                                          : std::ldexp(static_cast<float>(static_cast<std::int32_t>(random())),
                                                       -36 + static_cast<int>(random() % 10));
              put(m, C, place_c(r, n), 32, __builtin_bit_cast(Word32, c[r][n]));
            }
          ASSERT_EQ(m.lower(level, Name::HMMA, float_product(f, true)), nullptr);
          ASSERT_TRUE(m.execute());
          for (unsigned r = 0; r < 16; ++r)
            for (unsigned n = 0; n < 8; ++n) {
              float sum = c[r][n];
              for (unsigned first = 0; first < f.depth; first += width) {
                std::vector<std::pair<double, int>> addends = {{sum, exponent_of(sum, -126)}};
                for (unsigned k = first; k < std::min(first + width, f.depth); ++k)
                  addends.emplace_back(a[r][k] * b[k][n],
                                       exponent_of(a[r][k], smallest) + exponent_of(b[k][n], smallest));
                sum = cut_sum(addends, fraction);
              }
              const Place p = place_c(r, n);
              ASSERT_EQ(m.row(D + p.reg)[p.lane], __builtin_bit_cast(Word32, sum))
                  << level.name << " sm_" << architecture << " type " << f.type << " depth " << f.depth;
            }
        }
      }
}

TEST(MatrixProducts, InfinitiesAndNaNReachTheSum) {
  for (const Level& level : levels()) {
    LaneMachine m;
    const Shape s{16, 16, 16};
    const auto set = [&](double a0, double b0, float c0) {
      for (unsigned q = 0; q < 4; ++q)
        std::memset(m.row(A + q), 0, 128), std::memset(m.row(B + q), 0, 128), std::memset(m.row(C + q), 0, 128);
      put(m, A, place_a(s, 5, 9), 16, encode(a0, 0));
      put(m, B, place_b(s, 9, 3), 16, encode(b0, 0));
      put(m, C, place_c(5, 3), 32, __builtin_bit_cast(Word32, c0));
      m.run(level, Name::HMMA, float_product(float_shapes[1], true));
      const Place p = place_c(5, 3);
      return m.row(D + p.reg)[p.lane];
    };
    const double inf = INFINITY;
    EXPECT_EQ(set(inf, 1, 0), 0x7f800000u);
    EXPECT_EQ(set(inf, -1, 0), 0xff800000u);
    EXPECT_EQ(set(inf, 0, 0), 0x7fffffffu);
    EXPECT_EQ(set(inf, 1, -INFINITY), 0x7fffffffu);
    EXPECT_EQ(set(NAN, 1, 0), 0x7fffffffu);
    EXPECT_EQ(set(1, 1, -INFINITY), 0xff800000u);
    EXPECT_EQ(set(65504, 65504, 3e38f), __builtin_bit_cast(Word32, 3e38f));     // the product is below the last place
    EXPECT_EQ(set(0, 0, 0x1p-140f), __builtin_bit_cast(Word32, 0x1p-140f));     // a subnormal sum stays
    EXPECT_EQ(set(0x1p-24, 0x1p-24, 0), __builtin_bit_cast(Word32, 0x1p-48f));  // subnormal factors count
  }
}

TEST(MatrixProducts, IntegersAccumulateInEveryShapeAndSign) {
  struct IntegerShape {
    bool four;
    unsigned code, rows, depth;  // code: bits 75, 85, 86
  };
  constexpr IntegerShape shapes[] = {{false, 0, 8, 16}, {false, 4, 16, 16}, {false, 5, 16, 32},
                                     {true, 2, 8, 32},  {true, 5, 16, 32},  {true, 6, 16, 64}};
  std::mt19937_64 random(3);
  for (const Level& level : levels())
    for (const IntegerShape& f : shapes)
      for (unsigned variant = 0; variant < 8; ++variant) {
        const bool sa = variant & 1, sb = variant & 2, saturate = variant & 4;
        const Shape s{f.rows, f.depth, f.four ? 4u : 8u};
        LaneMachine m(80);
        std::int64_t a[16][64], b[64][8], c[16][8];
        const auto number = [&](bool is_signed, Word32& bits) -> std::int64_t {
          bits = static_cast<Word32>(random()) & ((1u << s.bits) - 1);
          return is_signed && bits >> (s.bits - 1) ? std::int64_t{bits} - (1 << s.bits) : std::int64_t{bits};
        };
        Word32 bits;
        for (unsigned r = 0; r < f.rows; ++r)
          for (unsigned k = 0; k < f.depth; ++k) a[r][k] = number(sa, bits), put(m, A, place_a(s, r, k), s.bits, bits);
        for (unsigned k = 0; k < f.depth; ++k)
          for (unsigned n = 0; n < 8; ++n) b[k][n] = number(sb, bits), put(m, B, place_b(s, k, n), s.bits, bits);
        for (unsigned r = 0; r < f.rows; ++r)
          for (unsigned n = 0; n < 8; ++n) {
            c[r][n] = random() % 4 == 0   ? INT32_MAX - 5
                      : random() % 4 == 0 ? INT32_MIN + 5
                                          : static_cast<std::int32_t>(random());
            put(m, C, place_c(r, n), 32, static_cast<Word32>(c[r][n]));
          }
        Bits word(0x037, 1);
        word.d(D)
            .a(A)
            .b(B)
            .c(C)
            .set(74)
            .set(75, f.code & 1)
            .set(85, f.code & 2)
            .set(86, f.code & 4)
            .set(76, sa)
            .set(78, sb)
            .set(82, saturate)
            .set(83, f.four)
            .set(84, f.four);
        m.run(level, Name::IMMA, word);
        if (HasFatalFailure()) return;
        for (unsigned r = 0; r < f.rows; ++r)
          for (unsigned n = 0; n < 8; ++n) {
            std::int64_t sum = c[r][n];
            for (unsigned k = 0; k < f.depth; ++k) sum += a[r][k] * b[k][n];
            if (saturate) sum = std::min<std::int64_t>(std::max<std::int64_t>(sum, INT32_MIN), INT32_MAX);
            const Place p = place_c(r, n);
            ASSERT_EQ(m.row(D + p.reg)[p.lane], static_cast<Word32>(sum))
                << level.name << " rows " << f.rows << " depth " << f.depth << " variant " << variant;
          }
      }
}

TEST(MatrixProducts, BitsAreCounted) {
  std::mt19937_64 random(4);
  for (const Level& level : levels())
    for (unsigned shape = 0; shape < 3; ++shape)
      for (const bool use_and : {false, true}) {
        const Shape s{shape == 0 ? 8u : 16u, shape == 2 ? 256u : 128u, 1};
        LaneMachine m(80);
        for (unsigned r = 0; r < 4; ++r)
          for (unsigned i = 0; i < 32; ++i)
            m.row(A + r)[i] = static_cast<Word32>(random()), m.row(B + r)[i] = static_cast<Word32>(random()),
                      m.row(C + r)[i] = static_cast<Word32>(random() % 1000);
        m.run(
            level, Name::BMMA,
            Bits(0x03d, 1).d(D).a(A).b(B).c(C).set(74).set(75, shape & 1).set(76, shape & 2).set(78, use_and).set(80));
        for (unsigned r = 0; r < s.rows; ++r)
          for (unsigned n = 0; n < 8; ++n) {
            const auto bit = [&](unsigned first, const Place& p) {
              return (m.row(first + p.reg)[p.lane] >> p.index) & 1;
            };
            const Place c = place_c(r, n);
            Word32 sum = m.row(C + c.reg)[c.lane];
            for (unsigned k = 0; k < s.depth; ++k) {
              const Word32 x = bit(A, place_a(s, r, k)), y = bit(B, place_b(s, k, n));
              sum += use_and ? x & y : x ^ y;
            }
            ASSERT_EQ(m.row(D + c.reg)[c.lane], sum) << level.name << " shape " << shape;
          }
      }
}

TEST(MatrixProducts, DoublesAreFusedInOrderOfDepth) {
  std::mt19937_64 random(5);
  struct DoubleShape {
    unsigned code, rows, depth;
  };
  for (const Level& level : levels())
    for (const DoubleShape& f : {DoubleShape{0, 8, 4}, {1, 16, 4}, {2, 16, 8}, {3, 16, 16}}) {
      LaneMachine m;
      double a[16][16], b[16][8], c[16][8];
      const auto number = [&] {
        return std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())),
                          -60 - static_cast<int>(random() % 8));
      };
      const auto set = [&](unsigned first, unsigned pair, unsigned lane, double x) {
        m.set_pair(first + 2 * pair, lane, __builtin_bit_cast(std::uint64_t, x));
      };
      for (unsigned r = 0; r < f.rows; ++r)
        for (unsigned k = 0; k < f.depth; ++k)
          set(A, (f.rows == 16 ? r / 8 + 2 * (k / 4) : k / 4), (r % 8) * 4 + k % 4, a[r][k] = number());
      for (unsigned k = 0; k < f.depth; ++k)
        for (unsigned n = 0; n < 8; ++n) set(B, k / 4, n * 4 + k % 4, b[k][n] = number());
      for (unsigned r = 0; r < f.rows; ++r)
        for (unsigned n = 0; n < 8; ++n) set(C, place_c(r, n).reg, place_c(r, n).lane, c[r][n] = number());
      m.run(level, Name::DMMA, Bits(0x03f, 1).d(D).a(A).b(B).c(C).set(76, 78, f.code));
      for (unsigned r = 0; r < f.rows; ++r)
        for (unsigned n = 0; n < 8; ++n) {
          double sum = c[r][n];
          for (unsigned k = 0; k < f.depth; ++k) sum = std::fma(a[r][k], b[k][n], sum);
          ASSERT_EQ(m.pair(D + 2 * place_c(r, n).reg, place_c(r, n).lane), __builtin_bit_cast(std::uint64_t, sum));
        }
    }
}

TEST(MatrixProducts, SourcesMayBeTheDestination) {
  for (const Level& level : levels()) {
    LaneMachine m;
    for (unsigned q = 0; q < 4; ++q)
      for (unsigned i = 0; i < 32; ++i) m.row(A + q)[i] = 0x3c003c00, m.row(B + q)[i] = 0x3c003c00;
    Bits bits = float_product(float_shapes[1], true);
    bits.d(A).c(255);
    m.run(level, Name::HMMA, bits);
    for (unsigned q = 0; q < 4; ++q)
      for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(m.row(A + q)[i], __builtin_bit_cast(Word32, 16.0f));
  }
}

TEST(MatrixProducts, WhatIsNotExecutedSaysSo) {
  const Level& level = levels().front();
  LaneMachine m, old(75);
  const FloatShape& f = float_shapes[1];
  EXPECT_NE(m.lower(level, Name::HMMA, float_product(f, true).set(75).set(78)), nullptr);  // no such shape
  EXPECT_NE(m.lower(level, Name::HMMA, float_product(f, true).set(90)), nullptr);          // predicate
  EXPECT_NE(m.lower(level, Name::HMMA, float_product(f, false).set(82, 84, 1)), nullptr);  // bfloat16 sums
  EXPECT_NE(old.lower(level, Name::HMMA, float_product(f, true).set(77)), nullptr);        // SATFINITE
  EXPECT_NE(old.lower(level, Name::HMMA, float_product(f, true).set(82, 84, 1)), nullptr);
  EXPECT_NE(m.lower(level, Name::IMMA, Bits(0x037, 1).d(D).a(A).b(B).c(C)), nullptr);  // B by rows
  EXPECT_NE(m.lower(level, Name::IMMA, Bits(0x037, 1).d(D).a(A).b(B).c(C).set(74).set(83)), nullptr);
  EXPECT_NE(m.lower(level, Name::BMMA, Bits(0x03d, 1).d(D).a(A).b(B).c(C).set(74)), nullptr);
  EXPECT_NE(m.lower(level, Name::DMMA, Bits(0x03f, 1).d(D).a(A).b(B).c(C).set(63)), nullptr);
  EXPECT_NE(m.lower(level, Name::LDSM, Bits(0x03b, 4).d(D).a(address).set(79)), nullptr);
  EXPECT_NE(m.lower(level, Name::LDSM, Bits(0x03b, 4).d(D).a(address).set(72, 74, 3)), nullptr);
  EXPECT_NE(m.lower(level, Name::MOVM, Bits(0x03a, 1).d(D).a(A).set(78)), nullptr);
}

}  // namespace
}  // namespace lanebank::machine::testing
