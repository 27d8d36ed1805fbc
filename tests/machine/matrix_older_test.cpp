// Products that only older architectures have, HMMA.884 of sm_75 and QMMA of sm_89, against definitions by elements: small
// integers, whose sums are exact.
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "host_half.hpp"
#include "lane_harness.hpp"

namespace lanebank::machine::testing {
namespace {

using Word32 = std::uint32_t;

constexpr unsigned D = 16, A = 32, B = 64, C = 96, E = 110;  // registers

Word32 half_bits(double x) { return nearest_half(x); }
/// e4m3 or e5m2 of an integer from -8 to 8.
Word32 eight_bits(int x, bool e5m2) {
  if (x == 0) return 0;
  const unsigned magnitude = static_cast<unsigned>(x < 0 ? -x : x);
  const unsigned exponent = static_cast<unsigned>(std::bit_width(magnitude)) - 1;
  const unsigned fraction = (magnitude << (e5m2 ? 2 : 3) >> exponent) & (e5m2 ? 3 : 7);
  return (x < 0 ? 0x80u : 0u) | (exponent + (e5m2 ? 15 : 7)) << (e5m2 ? 2 : 3) | fraction;
}

/// Half `n` of a lane's registers from `first` on.
void put_half(LaneMachine& m, unsigned first, unsigned lane, unsigned n, double x) {
  Word32& word = m.row(first + n / 2)[lane];
  word = (word & ~(0xffffu << (16 * (n % 2)))) | half_bits(x) << (16 * (n % 2));
}

TEST(QuadPairProducts, EachStepAddsItsElements) {
  std::mt19937_64 random(5);
  for (const Level& level : levels())
    for (const bool single : {false, true})
      for (const bool single_c : {false, true})
        for (const bool a_columns : {false, true})
          for (const bool b_columns : {false, true}) {
            if (single_c && !single) continue;
            LaneMachine m(75);
            int a[4][8][4], b[4][4][8], c[4][8][8];
            for (unsigned p = 0; p < 4; ++p)
              for (unsigned x = 0; x < 8; ++x) {
                for (unsigned k = 0; k < 4; ++k) {
                  a[p][x][k] = static_cast<int>(random() % 17) - 8;
                  b[p][k][x] = static_cast<int>(random() % 17) - 8;
                  const unsigned base = 4 * p + 16 * (x / 4);
                  put_half(m, A, base + (a_columns ? k : x % 4), a_columns ? x % 4 : k, a[p][x][k]);
                  put_half(m, B, base + (b_columns ? x % 4 : k), b_columns ? k : x % 4, b[p][k][x]);
                }
                for (unsigned n = 0; n < 8; ++n) c[p][x][n] = static_cast<int>(random() % 101) - 50;
              }
            for (unsigned step = 0; step < (single ? 4u : 2u); ++step) {
              const auto element = [&](unsigned lane, unsigned i, unsigned& row, unsigned& column) {
                const unsigned h = lane / 16;
                row = single ? (lane & 1) + (i & 2) + 4 * h : lane % 4 + 4 * h;
                column = single ? (i & 4) + (lane & 2) + (i & 1) : i;
              };
              for (unsigned lane = 0; lane < 32; ++lane) {
                const unsigned p = lane / 4 % 4;
                unsigned row, column;
                if (single_c)
                  for (unsigned n = 0; n < 2; ++n) {
                    element(lane, 2 * step + n, row, column);
                    m.row(C + n)[lane] = std::bit_cast<Word32>(static_cast<float>(c[p][row][column]));
                  }
                else
                  for (unsigned n = 0; n < 4; ++n)
                    put_half(m, C, lane, n, c[p][lane % 4 + 4 * (lane / 16)][4 * (single ? step / 2 : step) + n]);
              }
              const char* reason = m.lower(level, Name::HMMA_884,
                                           Bits(0x036, 1).d(D).a(A).b(B).c(C).set(73, a_columns).set(74, b_columns)
                                               .set(76, single).set(78, single_c).set(79, 81, step));
              ASSERT_EQ(reason, nullptr) << reason;
              ASSERT_TRUE(m.execute());
              for (unsigned lane = 0; lane < 32; ++lane)
                for (unsigned n = 0; n < (single ? 2u : 4u); ++n) {
                  unsigned row, column;
                  element(lane, single ? 2 * step + n : 4 * step + n, row, column);
                  const unsigned p = lane / 4 % 4;
                  int sum = c[p][row][column];
                  for (unsigned k = 0; k < 4; ++k) sum += a[p][row][k] * b[p][k][column];
                  if (single)
                    ASSERT_EQ(m.row(D + n)[lane], std::bit_cast<Word32>(static_cast<float>(sum)));
                  else
                    ASSERT_EQ(m.row(D + n / 2)[lane] >> (16 * (n % 2)) & 0xffff, half_bits(sum));
                }
            }
          }
}

TEST(EightBitProducts, OfSmallIntegersAreExactDenseAndSparse) {
  std::mt19937_64 random(6);
  for (const Level& level : levels())
    for (const bool sparse : {false, true})
      for (const bool large : {false, true})
        for (const bool single : {false, true})
          for (unsigned formats = 0; formats < 4; ++formats) {
            const bool a5 = formats & 1, b5 = formats & 2;
            const unsigned depth = large ? 32 : 16, wide = sparse ? 2 * depth : depth;
            LaneMachine m(89);
            int a[16][64] = {}, b[64][8], c[16][8];
            const auto put_byte = [&](unsigned first, unsigned row, unsigned k, bool by_rows, Word32 byte) {
              const unsigned reg = by_rows ? row / 8 + 2 * (k / 16) : k / 16, lane = 4 * (row % 8) + k % 16 / 4;
              Word32& word = m.row(first + reg)[lane];
              word = (word & ~(0xffu << (8 * (k % 4)))) | byte << (8 * (k % 4));
            };
            // e5m2 holds integers of two bits: -4 to 4 without 3 needs no more.
            const auto number = [&](bool e5m2) { return static_cast<int>(random() % (e5m2 ? 9 : 17)) - (e5m2 ? 4 : 8); };
            for (unsigned r = 0; r < 16; ++r)
              for (unsigned k = 0; k < depth; ++k) {
                const int x = number(a5);
                unsigned at = k;
                if (sparse) {
                  // Of four, the first and the last in even rows, the second and the third in odd ones.
                  at = 4 * (k / 2) + (r % 2 == 0 ? (k % 2 == 0 ? 0 : 3) : (k % 2 == 0 ? 1 : 2));
                }
                a[r][at] = x;
                put_byte(A, r, k, true, eight_bits(x, a5));
              }
            for (unsigned lane = 0; lane < 32; ++lane) m.row(E)[lane] = lane / 4 % 2 == 0 ? 0xccccccccu : 0x99999999u;
            for (unsigned k = 0; k < wide; ++k)
              for (unsigned n = 0; n < 8; ++n) b[k][n] = number(b5), put_byte(B, n, k, false, eight_bits(b[k][n], b5));
            for (unsigned r = 0; r < 16; ++r)
              for (unsigned n = 0; n < 8; ++n) {
                c[r][n] = static_cast<int>(random() % 101) - 50;
                const unsigned lane = 4 * (r % 8) + n / 2;
                if (single)
                  m.row(C + 2 * (r / 8) + n % 2)[lane] = std::bit_cast<Word32>(static_cast<float>(c[r][n]));
                else
                  put_half(m, C + r / 8, lane, n % 2, c[r][n]);
              }
            const char* reason =
                m.lower(level, Name::QMMA,
                        Bits(0x07a, 1).d(D).a(A).b(B).c(C).set(40, 48, E).set(74).set(75, 77, (large ? 1 : 0) + (sparse ? 1 : 0))
                            .set(77, single).set(78, a5).set(79, b5).set(80, sparse));
            ASSERT_EQ(reason, nullptr) << reason;
            ASSERT_TRUE(m.execute());
            for (unsigned r = 0; r < 16; ++r)
              for (unsigned n = 0; n < 8; ++n) {
                int sum = c[r][n];
                for (unsigned k = 0; k < wide; ++k) sum += a[r][k] * b[k][n];
                const unsigned lane = 4 * (r % 8) + n / 2;
                if (single)
                  ASSERT_EQ(m.row(D + 2 * (r / 8) + n % 2)[lane], std::bit_cast<Word32>(static_cast<float>(sum)));
                else
                  ASSERT_EQ(m.row(D + r / 8)[lane] >> (16 * (n % 2)) & 0xffff, half_bits(sum));
              }
          }
}

}  // namespace
}  // namespace lanebank::machine::testing
