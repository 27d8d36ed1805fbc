// Warpgroup products: operands laid out in shared memory by the canonical layouts of the PTX manual, written
// here as nested strides and a swizzle of the address, for every swizzle, direction, type and width.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>

#include "host_half.hpp"
#include "lane_harness.hpp"
#include "machine/numerics/unpacked.hpp"

namespace lanebank::machine::testing {
namespace {

using Word32 = std::uint32_t;
constexpr unsigned D = 16, A = 8, C = 16, first_uniform = 20;

enum Swizzle : unsigned { none = 0, bytes_128 = 1, bytes_64 = 2, bytes_32 = 3 };
unsigned atom_units(unsigned swizzle) { return swizzle == none ? 1 : 16u >> swizzle; }  // 8, 4, 2 units of 16 bytes

/// A matrix in shared memory: rows along m (or n), 32 bytes deep along k.
struct Tile {
  unsigned swizzle;
  bool mn_major;
  unsigned element_bytes;
  Word32 start, leading, stride;  // window address, byte offsets

  std::uint64_t descriptor() const {
    return std::uint64_t{(start & 0x3ffff) >> 4} | std::uint64_t{leading >> 4} << 16 |
           std::uint64_t{stride >> 4} << 32 | std::uint64_t{swizzle} << 62;
  }
  /// Canonical layouts, T elements of 16 bytes each, w units per swizzle row:
  ///   MN none    ((T,1,m),(8,k)) : ((1,T,S),(T,L))       MN swizzled ((T,w,m),(8,k)) : ((1,T,L),(wT,S))
  ///   K  none    ((8,m),(T,2k))  : ((T,S),(1,L))         K  swizzled ((8,m),(T,2k))  : ((wT,S),(1,T))
  Word32 address(unsigned mn, unsigned k) const {
    const unsigned t = 16 / element_bytes, w = atom_units(swizzle);
    const Word32 l = leading / element_bytes, s = stride / element_bytes;
    Word32 index;
    if (mn_major) {
      index = swizzle == none ? mn % t + mn / t * s + k % 8 * t + k / 8 * l
                              : mn % t + mn / t % w * t + mn / (t * w) * l + k % 8 * (w * t) + k / 8 * s;
    } else {
      index = swizzle == none ? mn % 8 * t + mn / 8 * s + k % t + k / t * l
                              : mn % 8 * (w * t) + mn / 8 * s + k % t + k / t * t;
    }
    Word32 a = start + index * element_bytes;
    const unsigned b = swizzle == none ? 0 : 4 - swizzle;  // Swizzle<b, 4, 3>
    a ^= ((a >> 7) & ((1u << b) - 1)) << 4;
    return a;
  }
};

struct Listener : Recorder {
  std::vector<SharedAccess> accesses;
  void shared_access(const WarpPlace&, const SharedAccess& access) override { accesses.push_back(access); }
};

/// How to write a number, and what the instruction calls the type.
struct Type {
  Name name;
  unsigned opcode, bytes;
  std::function<void(Bits&)> mark;
  std::function<Word32(int)> encode_a, encode_b;
};

Word32 half(int x) { return nearest_half(static_cast<double>(x)); }
Word32 brain(int x) { return __builtin_bit_cast(Word32, static_cast<float>(x)) >> 16; }
Word32 tensor(int x) { return __builtin_bit_cast(Word32, static_cast<float>(x)) | 0x155; }  // dropped bits
template <class F>
Word32 eight(int x) {
  return static_cast<Word32>(numerics::convert_unpacked<F, numerics::Binary32>(
      __builtin_bit_cast(Word32, static_cast<float>(x)), numerics::Rounding::nearest));
}
Word32 byte(int x) { return static_cast<Word32>(x) & 0xff; }

std::vector<Type> types() {
  using numerics::E4M3, numerics::E5M2;
  return {
      {Name::HGMMA, 0x1f0, 2, [](Bits& b) { b.set(75); }, half, half},
      {Name::HGMMA, 0x1f0, 2, [](Bits& b) { b.set(75).set(76); }, brain, brain},
      {Name::HGMMA, 0x1f0, 4, [](Bits& b) { b.set(75).set(77).set(58); }, tensor, tensor},
      {Name::QGMMA, 0x1f3, 1, [](Bits& b) { b.set(75); }, eight<E4M3>, eight<E4M3>},
      {Name::QGMMA, 0x1f3, 1, [](Bits& b) { b.set(75).set(76); }, eight<E5M2>, eight<E4M3>},
      {Name::QGMMA, 0x1f3, 1, [](Bits& b) { b.set(75).set(77); }, eight<E4M3>, eight<E5M2>},
      {Name::IGMMA, 0x1f1, 1, [](Bits& b) { b.set(76).set(82); }, byte, byte},
  };
}

Bits product(const Type& type, bool registers, unsigned n) {
  Bits bits(type.opcode, registers ? 6 : 4);
  bits.d(D).c(C).set(91);
  if (registers)
    bits.a(A).set(32, 38, first_uniform);
  else
    bits.set(24, 30, first_uniform);
  const unsigned step = n <= 32 ? n / 8 - 1 : n / 16 + 1;
  if (type.name == Name::IGMMA)
    bits.set(53, 59, 3 * step);
  else
    bits.set(53, 58, n / 8 - 1);
  type.mark(bits);
  return bits;
}

void set_descriptor(LaneMachine& m, unsigned uniform, std::uint64_t bits) {
  m.w.uniform[uniform] = static_cast<Word32>(bits);
  m.w.uniform[uniform + 1] = static_cast<Word32>(bits >> 32);
}

struct Problem {
  const Type* type;
  unsigned n, depth;
  Tile a, b;
  bool registers;
  int va[64][32], vb[256][32];

  Problem(const Type& t, unsigned columns, unsigned swizzle_a, unsigned swizzle_b, bool mn_a, bool mn_b,
          bool in_registers, std::mt19937_64& random)
      : type(&t), n(columns), depth(32 / t.bytes), registers(in_registers) {
    a = layout(swizzle_a, mn_a, t.bytes, 0x400, 64);
    b = layout(swizzle_b, mn_b, t.bytes, 0x400 + 0x6000, columns);
    for (auto& row : va)
      for (int& x : row) x = static_cast<int>(random() % 9) - 4;
    for (auto& row : vb)
      for (int& x : row) x = static_cast<int>(random() % 9) - 4;
  }
  static Tile layout(unsigned swizzle, bool mn, unsigned bytes, Word32 start, unsigned rows) {
    const unsigned w = atom_units(swizzle);
    Tile t{swizzle, mn, bytes, start, 0, 0};
    // Distances that leave gaps between the pieces, so that exchanged offsets show.
    if (!mn) {
      t.stride = 128 * w + (swizzle == none ? 16 : 0);
      t.leading = swizzle == none ? (rows / 8 + 1) * t.stride : 16;
    } else if (swizzle == none) {
      t.stride = 128 + 128;
      t.leading = (rows / 8 + 1) * t.stride;
    } else {
      t.leading = 128 * w * 2;
      t.stride = 128 * w * 2 * (rows * bytes / (16 * w) + 2);
      if (t.stride * 2 > 0x8000) t.stride = 128 * w, t.leading = 128 * w * 2;
    }
    // Swizzled patterns begin at multiples of their size.
    t.start = swizzle == none ? start : (start + 1023) / 1024 * 1024;
    return t;
  }
  void write(LaneMachine& m, unsigned warp) const {
    const auto store = [&](const Tile& t, unsigned row, unsigned k, Word32 x) {
      std::memcpy(m.w.shared + t.address(row, k) - 0x400, &x, t.element_bytes);
    };
    for (unsigned r = 0; r < 64; ++r)
      for (unsigned k = 0; k < depth; ++k) {
        if (!registers) {
          store(a, r, k, type->encode_a(va[r][k]));
        } else if (r / 16 == warp) {
          const unsigned p = 4 / type->bytes, row = r % 16, reg = row / 8 + 2 * (k / (4 * p)),
                         lane = row % 8 * 4 + k % (4 * p) / p;
          const unsigned shift = 8 * type->bytes * (k % p);
          Word32& word = m.row(A + reg)[lane];
          const Word32 mask = (type->bytes == 4 ? ~Word32{0} : (1u << (8 * type->bytes)) - 1) << shift;
          word = (word & ~mask) | (type->encode_a(va[r][k]) << shift);
        }
      }
    for (unsigned c = 0; c < n; ++c)
      for (unsigned k = 0; k < depth; ++k) store(b, c, k, type->encode_b(vb[c][k]));
    set_descriptor(m, first_uniform, registers ? b.descriptor() : a.descriptor());
    set_descriptor(m, first_uniform + 2, b.descriptor());
  }
  int sum(unsigned r, unsigned c) const {
    int s = 0;
    for (unsigned k = 0; k < depth; ++k) s += va[r][k] * vb[c][k];
    return s;
  }
};

void check(const Level& level, const Problem& problem, unsigned warp, bool accumulate, bool negate_a, bool negate_b,
           std::mt19937_64& random) {
  LaneMachine m;
  Listener listener;
  m.worker().shared_listeners.push_back(&listener);
  m.w.place.warp = warp;
  const bool integers = problem.type->name == Name::IGMMA;
  problem.write(m, warp % 4);
  std::vector<std::array<int, 32>> before(problem.n / 2);
  for (unsigned i = 0; i < problem.n / 2; ++i)
    for (unsigned l = 0; l < 32; ++l) {
      before[i][l] = static_cast<int>(random() % 101) - 50;
      m.row(C + i)[l] =
          integers ? static_cast<Word32>(before[i][l]) : __builtin_bit_cast(Word32, static_cast<float>(before[i][l]));
    }
  // The accumulator counts where UP2 is true.
  m.w.predicates[8 + 2] = accumulate ? all_lanes : 0;
  Bits bits = product(*problem.type, problem.registers, problem.n);
  bits.set(87, 90, 7 - 2).set(72, negate_a).set(63, negate_b);
  if (!integers && problem.type->bytes == 2)
    bits.set(61, problem.a.mn_major && !problem.registers).set(62, problem.b.mn_major);
  m.run(level, problem.type->name, bits);
  if (::testing::Test::HasFatalFailure()) return;
  const int sign = !integers && negate_a != negate_b ? -1 : 1;
  for (unsigned i = 0; i < problem.n / 2; ++i)
    for (unsigned l = 0; l < 32; ++l) {
      const unsigned row = 16 * (warp % 4) + l / 4 + 8 * (i / 2 % 2), column = i / 4 * 8 + l % 4 * 2 + i % 2;
      const int wanted = sign * problem.sum(row, column) + (accumulate ? before[i][l] : 0);
      const Word32 found = m.row(D + i)[l];
      ASSERT_EQ(integers ? static_cast<int>(found) : __builtin_bit_cast(float, found), wanted)
          << level.name << " n " << problem.n << " row " << row << " column " << column << " bytes "
          << problem.type->bytes;
    }
  if (warp % 4 != 0) {
    EXPECT_TRUE(listener.accesses.empty());
  } else {
    ASSERT_EQ(listener.accesses.size(), 1u);
    EXPECT_EQ(listener.accesses[0].kind, SharedKind::matrix_operand);
    EXPECT_EQ(listener.accesses[0].bytes, 32 * (problem.n + (problem.registers ? 0 : 64)));
  }
}

TEST(WarpgroupProducts, EveryLayoutOfEveryTypeMultipliesItsMatrices) {
  std::mt19937_64 random(1);
  const std::vector<Type> all = types();
  for (const Level& level : levels())
    for (const Type& type : all)
      for (unsigned swizzle = 0; swizzle < 4; ++swizzle)
        for (const bool mn_a : {false, true})
          for (const bool mn_b : {false, true})
            for (const bool registers : {false, true}) {
              if (type.bytes != 2 && (mn_a || mn_b)) continue;
              if (registers && mn_a) continue;
              const Problem problem(type, 16, swizzle, (swizzle + 1) % 4, mn_a, mn_b, registers, random);
              for (unsigned warp = 0; warp < 5; ++warp)
                check(level, problem, warp, warp % 2 == 0, false, false, random);
              if (HasFatalFailure()) return;
            }
}

TEST(WarpgroupProducts, EveryWidthWorks) {
  std::mt19937_64 random(2);
  const std::vector<Type> all = types();
  const Level& level = levels().back();
  for (const Type& type : all)
    for (unsigned n = 8; n <= 256; n += 8) {
      if (type.name == Name::IGMMA && n > 32 && n % 16 != 0) continue;
      const Problem problem(type, n, bytes_128, n % 64 ? bytes_32 : bytes_128, false, type.bytes == 2 && n % 16 == 0,
                            false, random);
      check(level, problem, n / 8 % 4, true, n % 16 == 0, n % 24 == 0, random);
      if (HasFatalFailure()) return;
    }
}

TEST(WarpgroupProducts, HalfAccumulatorsTakeTwoColumnsARegister) {
  std::mt19937_64 random(3);
  const Type type{Name::HGMMA, 0x1f0, 2, [](Bits&) {}, half, half};
  for (const Level& level : levels()) {
    const Problem problem(type, 24, bytes_64, none, false, false, false, random);
    LaneMachine m;
    problem.write(m, 0);
    for (unsigned i = 0; i < 6; ++i)
      for (unsigned l = 0; l < 32; ++l) m.row(C + i)[l] = half(static_cast<int>(l)) | half(-7) << 16;
    m.run(level, Name::HGMMA, product(type, false, 24));
    for (unsigned i = 0; i < 6; ++i)
      for (unsigned l = 0; l < 32; ++l)
        for (unsigned h = 0; h < 2; ++h)
          EXPECT_EQ((m.row(D + i)[l] >> (16 * h)) & 0xffff,
                    half(problem.sum(l / 4 + 8 * (i % 2), i / 2 * 8 + l % 4 * 2 + h) + (h ? -7 : static_cast<int>(l))));
  }
}

TEST(WarpgroupProducts, BitsAreCounted) {
  std::mt19937_64 random(4);
  for (const Level& level : levels()) {
    LaneMachine m;
    for (Word32 i = 0; i < 0x8000; ++i) m.w.shared[i] = static_cast<std::uint8_t>(random());
    const Tile a{none, false, 1, 0x400, 2048, 128}, b{none, false, 1, 0x400 + 0x4000, 2048, 128};
    set_descriptor(m, first_uniform, a.descriptor());
    set_descriptor(m, first_uniform + 2, b.descriptor());
    m.run(
        level, Name::BGMMA,
        Bits(0x1f2, 4).d(D).c(255).set(24, 30, first_uniform).set(91).set(53, 58, 4).set(77, 79, 2).set(80));  // n = 48
    for (unsigned i = 0; i < 24; ++i)
      for (unsigned l = 0; l < 32; ++l) {
        unsigned wanted = 0;
        for (unsigned k = 0; k < 32; ++k)
          wanted += static_cast<unsigned>(
              std::popcount(static_cast<unsigned>(m.w.shared[a.address(l / 4 + 8 * (i / 2 % 2), k) - 0x400] &
                                                  m.w.shared[b.address(i / 4 * 8 + l % 4 * 2 + i % 2, k) - 0x400])));
        ASSERT_EQ(m.row(D + i)[l], wanted);
      }
  }
}

TEST(WarpgroupProducts, IgnoredAccumulatorsAndDiscardedResultsNeedNoRegisters) {
  std::mt19937_64 random(5);
  const std::vector<Type> all = types();
  for (const Level& level : levels()) {
    const Problem problem(all[0], 64, bytes_128, bytes_128, false, false, false, random);
    LaneMachine m;
    problem.write(m, 0);
    Bits bits = product(all[0], false, 64);
    m.run(level, Name::HGMMA, bits.c(255).set(90));  // RZ, !UPT
    EXPECT_EQ(__builtin_bit_cast(float, m.row(D + 5)[3]), static_cast<float>(problem.sum(0, 8 + 6 + 1)));
    m.run(level, Name::HGMMA, bits.c(255).set(90, false));
    EXPECT_EQ(__builtin_bit_cast(float, m.row(D + 5)[3]), static_cast<float>(problem.sum(0, 8 + 6 + 1)));
    const std::vector<Word32> before(m.row(0), m.row(249) + 32);
    m.run(level, Name::HGMMA, bits.d(255));
    EXPECT_EQ(std::vector<Word32>(m.row(0), m.row(249) + 32), before);
  }
}

TEST(WarpgroupProducts, OperandsOutsideSharedMemoryFault) {
  std::mt19937_64 random(6);
  const std::vector<Type> all = types();
  for (const Level& level : levels()) {
    const Problem problem(all[0], 8, none, none, false, false, false, random);
    LaneMachine m;
    problem.write(m, 0);
    m.w.shared_bytes = 0x6000;  // B begins behind it
    ASSERT_EQ(m.lower(level, Name::HGMMA, product(all[0], false, 8)), nullptr);
    EXPECT_FALSE(m.execute());
    ASSERT_TRUE(m.launch().fault.has_value());
    EXPECT_EQ(m.launch().fault->kind, Fault::Kind::shared_out_of_bounds);
    LaneMachine other;
    problem.write(other, 0);
    set_descriptor(other, first_uniform, problem.a.descriptor() | std::uint64_t{1} << 49);
    ASSERT_EQ(other.lower(level, Name::HGMMA, product(all[0], false, 8)), nullptr);
    EXPECT_FALSE(other.execute());
    EXPECT_EQ(other.launch().fault->kind, Fault::Kind::unsupported);
  }
}

TEST(WarpgroupProducts, WhatIsNotExecutedSaysSo) {
  LaneMachine m;
  const Level& level = levels().front();
  const std::vector<Type> all = types();
  EXPECT_NE(m.lower(level, Name::HGMMA, product(all[0], false, 8).set(58)), nullptr);         // k 8 of halves
  EXPECT_NE(m.lower(level, Name::HGMMA, product(all[1], false, 8).set(75, false)), nullptr);  // bfloat16 sums
  EXPECT_NE(m.lower(level, Name::HGMMA, product(all[2], false, 8).set(62)), nullptr);         // transposed tf32
  EXPECT_NE(m.lower(level, Name::HGMMA, product(all[0], false, 8).set(76).set(77)), nullptr);
  EXPECT_NE(m.lower(level, Name::QGMMA, product(all[3], false, 8).set(58)), nullptr);
  EXPECT_NE(m.lower(level, Name::IGMMA, product(all[6], false, 8).set(53, 59, 1)), nullptr);
  EXPECT_NE(m.lower(level, Name::IGMMA, product(all[6], false, 8).set(77)), nullptr);
  EXPECT_NE(m.lower(level, Name::HGMMA, product(all[0], false, 256).d(200)), nullptr);  // registers beyond the last
  m.run(level, Name::WARPGROUP, Bits(0x1c5, 4).set(79, 81, 1));                         // WAIT
}

}  // namespace
}  // namespace lanebank::machine::testing
