// What proofs count, against plain enumeration with the bank model; the shortcuts of counting; figures that are known.
#include "lanebank/proofs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <typeinfo>

#include "../random_seed.hpp"
#include "layouts_under_test.hpp"

namespace lanebank {
namespace {

/// Adds up `cost` over all accesses, built here from the pattern and the layout alone.
template <class L, class P>
PatternCost enumerated() {
  PatternCost sum;
  constexpr PatternShape shape = P::template shape<L>();
  for (unsigned k = 0; k < shape.accesses; ++k) {
    Access access;
    access.kind = shape.kind;
    access.lane_bytes = shape.lane_bytes;
    access.matrices = shape.matrices;
    access.active_lanes = 0;
    std::uint64_t sources[32] = {};
    for (unsigned lane = 0; lane < 32; ++lane) {
      const Coordinate place = P::template at<L>(k, lane);
      if (!place.active) continue;
      access.active_lanes |= 1u << lane;
      access.addresses[lane] = L::offset(place.row, place.column);
      if constexpr (shape.kind == AccessKind::async_copy_ca || shape.kind == AccessKind::async_copy_cg)
        sources[lane] = P::template source<L>(k, lane);
    }
    if (shape.kind == AccessKind::async_copy_ca || shape.kind == AccessKind::async_copy_cg)
      set_sources(access, sources);
    const Cost cost = lanebank::cost(access);
    EXPECT_TRUE(cost.modelled);
    sum.wavefronts += cost.wavefronts;
    sum.ideal += cost.ideal;
    sum.worst_degree = std::max(sum.worst_degree, cost.worst_degree);
    if (cost.wavefronts > cost.ideal && !sum.excess) sum.excess = true, sum.excess_access = k;
    const bool conflict = shape.kind == AccessKind::async_copy_cg ? cost.excess() > 0 : cost.worst_degree > 1;
    if (conflict && !sum.conflict) sum.conflict = true, sum.conflict_access = k;
  }
  return sum;
}

/// As pattern_cost counts, but at run time: the compiler would take minutes for all that is counted here.
template <class L, class P>
PatternCost counted_in_steps() {
  PatternCost sum;
  const unsigned accesses = P::template shape<L>().accesses;
  for (unsigned first = 0; first < accesses; first += detail::accesses_per_step)
    sum.add(detail::count_step<L, P>(first, std::min(accesses, first + detail::accesses_per_step)));
  return sum;
}

void expect_equal(const PatternCost& a, const PatternCost& b, const std::string& what) {
  EXPECT_EQ(a.wavefronts, b.wavefronts) << what;
  EXPECT_EQ(a.ideal, b.ideal) << what;
  EXPECT_EQ(a.worst_degree, b.worst_degree) << what;
  EXPECT_EQ(a.conflict, b.conflict) << what;
  EXPECT_EQ(a.excess, b.excess) << what;
  if (b.conflict) {
    EXPECT_EQ(a.conflict_access, b.conflict_access) << what;
  }
  if (b.excess) {
    EXPECT_EQ(a.excess_access, b.excess_access) << what;
  }
}

template <class L, class P>
void expect_counted() {
  const std::string what = std::string(typeid(L).name()) + ' ' + typeid(P).name();
  const PatternCost counted = counted_in_steps<L, P>();
  ASSERT_EQ(counted.fault, PatternFault::none) << what << counted.fault_access << ' ' << counted.fault_lane;
  expect_equal(counted, enumerated<L, P>(), what);
}

/// The same by the compiler.
template <class L, class P>
void expect_compiled() {
  constexpr PatternCost compiled = pattern_cost<L, P>;
  const PatternCost plain = enumerated<L, P>();
  expect_equal(compiled, plain, typeid(P).name());
  EXPECT_EQ((holds::conflict_free<L, P>), !plain.conflict);
  EXPECT_EQ((holds::ideal<L, P>), !plain.excess);
  EXPECT_EQ((wavefronts<L, P>), plain.wavefronts);
  EXPECT_EQ((ideal_wavefronts<L, P>), plain.ideal);
}

template <class L, class... Ps>
void expect_all_counted() {
  (expect_counted<L, Ps>(), ...);
}

constexpr Coordinate scattered(unsigned access, unsigned lane) {
  return {(lane * 7 + access) % 5, (lane * lane + 3 * access) % 7, (lane + access) % 3 != 0};
}
constexpr Coordinate pairs(unsigned access, unsigned lane) { return {lane / 2 % 5, (access + lane / 2) % 7}; }

/// Every pattern that fits a layout's element and shape.
template <class L>
void expect_fitting_patterns_counted() {
  using namespace patterns;
  if constexpr (L::element_bytes <= 8) {
    expect_all_counted<L, custom<scattered, 20>, custom<pairs, 9>, row<>, row<store>, column<>, column<store>,
                       window<2, 4>>();
    if constexpr (L::element_bytes >= 4) expect_all_counted<L, column<atomic>, custom<scattered, 20, atomic_cas>>();
    if constexpr (holds::aligned_for<L, 16> && L::columns * L::element_bytes % 16 == 0) {
      constexpr unsigned n = 16 / L::element_bytes;
      expect_all_counted<L, vector_row<n>, vector_row<n, store>, cp_async_cg<>, cp_async_cg<4096>, cp_async_ca<16>,
                         cp_async_ca<8>>();
      if constexpr (L::rows % 8 == 0)
        expect_all_counted<L, vector_column<n>, vector_column<n, store>, ldmatrix<1>, stmatrix<1>>();
      if constexpr (L::rows % 16 == 0 && L::columns % (2 * n) == 0)
        expect_all_counted<L, ldmatrix<2>, ldmatrix<2, MatrixOrder::right>, ldmatrix<4>,
                           stmatrix<4, MatrixOrder::right_then_down>>();
      if constexpr (L::rows % 16 == 0 && L::columns % 8 == 0)
        expect_all_counted<L, accumulator_m16n8<>, accumulator_m16n8<load>>();
    }
  }
}

TEST(Proofs, CountWhatEnumerationWithTheBankModelCounts) {
  for_each_layout(LayoutsUnderTest{}, [](auto layout) { expect_fitting_patterns_counted<decltype(layout)>(); });
}

TEST(Proofs, TheCompilerCountsTheSame) {
  using namespace patterns;
  expect_compiled<RowMajor<float, 32, 32>, column<>>();
  expect_compiled<RowMajor<float, 32, 32>, column<atomic>>();
  expect_compiled<Xor<float, 32, 32>, column<store>>();
  expect_compiled<Padded<float, 16, 16, 1>, row<>>();
  expect_compiled<RowMajor<float, 7, 12>, window<2, 4>>();
  expect_compiled<RowMajor<float, 7, 12>, custom<scattered, 20>>();
  expect_compiled<RowMajor<double, 7, 12>, custom<pairs, 9>>();
  expect_compiled<Padded<Half, 64, 64, 8>, cp_async_cg<>>();
  expect_compiled<RowMajor<Half, 32, 32>, ldmatrix<4>>();
}

TEST(Proofs, SpreadOutAccessesTakeOneWavefrontPerGroupAndAreIdeal) {
  std::mt19937_64 random(test_seed());
  unsigned spread = 0;
  for (int i = 0; i < 40000; ++i) {
    const AccessKind kinds[] = {AccessKind::load, AccessKind::store, AccessKind::matrix_load, AccessKind::matrix_store};
    Access access;
    access.kind = kinds[random() % 4];
    const bool matrix = access.kind == AccessKind::matrix_load || access.kind == AccessKind::matrix_store;
    access.lane_bytes = matrix ? 16 : 1u << random() % 5;
    access.matrices = 1u << random() % 3;
    const unsigned lanes = matrix ? 8 * access.matrices : 32;
    const unsigned group = detail::plain_group_lanes(access.kind, access.lane_bytes);
    ASSERT_NE(group, 0u);
    // Mostly permutations of the banks, with an odd lane out; some strides; some rows shared.
    const auto stride = static_cast<std::uint32_t>(random() % 70), flip = static_cast<std::uint32_t>(random() % 32);
    const unsigned shape = random() % 3;
    for (unsigned lane = 0; lane < 32; ++lane) {
      const auto row = static_cast<std::uint32_t>(random() % 8);
      const std::uint32_t unit = std::max(4u, access.lane_bytes), units = 128 / unit;
      access.addresses[lane] = shape == 0   ? ((lane ^ flip) % units) * unit + row * 128
                               : shape == 1 ? lane * stride * access.lane_bytes
                                            : static_cast<std::uint32_t>(random() % 64) * access.lane_bytes;
    }
    if (!detail::spread_out(access.addresses, lanes, group, access.lane_bytes)) continue;
    ++spread;
    const Cost cost = lanebank::cost(access);
    EXPECT_EQ(cost.wavefronts, lanes / group);
    EXPECT_EQ(cost.ideal, lanes / group);
    EXPECT_EQ(cost.worst_degree, 1u);
  }
  EXPECT_GT(spread, 4000u);
}

TEST(Proofs, MovingAnAccessByWordsLeavesItsCost) {
  std::mt19937_64 random(test_seed());
  struct KindAndBytes {
    AccessKind kind;
    unsigned bytes;
  };
  const KindAndBytes kinds[] = {{AccessKind::load, 1},   {AccessKind::load, 4},         {AccessKind::load, 8},
                                {AccessKind::load, 16},  {AccessKind::store, 2},        {AccessKind::store, 8},
                                {AccessKind::store, 16}, {AccessKind::matrix_load, 16}, {AccessKind::matrix_store, 16},
                                {AccessKind::atomic, 4}, {AccessKind::atomic_cas, 8}};
  for (int i = 0; i < 20000; ++i) {
    const KindAndBytes one = kinds[random() % std::size(kinds)];
    detail::Lanes a, b;
    a.active = b.active = random() % 2 == 0 ? 0xffffffffu : static_cast<std::uint32_t>(random());
    const std::uint32_t step = std::max(4u, one.bytes), distance = static_cast<std::uint32_t>(random() % 100) * step;
    Access first, second;
    first.kind = second.kind = one.kind;
    first.lane_bytes = second.lane_bytes = one.bytes;
    first.active_lanes = second.active_lanes = a.active;
    for (unsigned lane = 0; lane < 32; ++lane) {
      a.addresses[lane] = static_cast<std::uint32_t>(random() % 200) * one.bytes;
      b.addresses[lane] = a.addresses[lane] + distance;
      first.addresses[lane] = a.addresses[lane];
      second.addresses[lane] = b.addresses[lane];
    }
    ASSERT_TRUE(detail::moved_by_words(a, b));
    const Cost before = lanebank::cost(first), after = lanebank::cost(second);
    EXPECT_EQ(before.modelled, after.modelled);
    EXPECT_EQ(before.wavefronts, after.wavefronts);
    EXPECT_EQ(before.ideal, after.ideal);
    EXPECT_EQ(before.worst_degree, after.worst_degree);
    b.addresses[5] += 4;
    a.active |= 32, b.active |= 32;
    EXPECT_FALSE(detail::moved_by_words(a, b) && detail::lane_count(a.active) > 1);
  }
  detail::Lanes a, b;
  a.active = b.active = 3;
  b.addresses[0] = b.addresses[1] = 2;
  EXPECT_FALSE(detail::moved_by_words(a, b)) << "2 bytes are no words";
}

// Figures of the transposes and of the table of layouts for several patterns, known from hardware or by hand.
template <class L>
constexpr unsigned copied = wavefronts<L, patterns::cp_async_cg<>>;

TEST(Proofs, KnownFigures) {
  using namespace patterns;
  using Dense32 = RowMajor<float, 32, 32>;
  using Dense16 = RowMajor<float, 16, 16>;
  EXPECT_EQ((wavefronts<Dense32, column<>>), 32u * 32);
  EXPECT_EQ((wavefronts<Dense16, column<>>), 8u * 8) << "8, not 16: a warp holds two columns";
  EXPECT_EQ((wavefronts<Padded<float, 16, 16, 1>, column<>>), 2u * 8) << "the pad leaves two";
  EXPECT_EQ((wavefronts<Padded<float, 16, 16, 1>, row<>>), 2u * 8);
  EXPECT_EQ((wavefronts<Xor<float, 16, 16>, column<>>), 8u);
  EXPECT_TRUE((conflict_free<Xor<float, 32, 32>, row<>, column<>>));
  EXPECT_TRUE((conflict_free<Diagonal<float, 32, 32>, row<>, column<>>));
  EXPECT_TRUE((conflict_free<Padded<float, 32, 32, 1>, row<>, column<>>));
  // fp16 64x96: 16-byte stores in row order and ldmatrix.
  using Wide = RowMajor<Half, 64, 96>;
  EXPECT_EQ((wavefronts<Wide, vector_row<8, store>>), 96u);
  EXPECT_EQ((wavefronts<Wide, ldmatrix<4>>), 384u);
  EXPECT_TRUE((ideal<AnyPitch<Half, 64, 96, 16>, vector_row<8, store>, ldmatrix<4>>));
  EXPECT_EQ((AnyPitch<Half, 64, 96, 16>::bytes), Wide::bytes);
  EXPECT_EQ((wavefronts<Padded<Half, 64, 96, 8>, vector_row<8, store>>), 128u);
  EXPECT_EQ((wavefronts<Padded<Half, 64, 96, 8>, ldmatrix<4>>), 96u);
  EXPECT_EQ((wavefronts<RowMajor<Half, 64, 128>, ldmatrix<4>>), 1024u);
  EXPECT_EQ((wavefronts<Swizzled<RowMajor<Half, 64, 128>, Swizzle<3, 4, 3>>, ldmatrix<4>>), 256u)
      << "the 128-byte mode on flat rows of 256 bytes";
  // fp32 64x32: accumulator stores, 16-byte rows, ldmatrix rows.
  using TwoTerms = Swizzled<RowMajor<float, 64, 32>, SwizzleXor<Swizzle<1, 4, 5>, Swizzle<2, 5, 2>>>;
  EXPECT_TRUE((ideal<TwoTerms, accumulator_m16n8<>, vector_row<4>, ldmatrix<4>>));
  EXPECT_EQ((wavefronts<RowMajor<float, 64, 32>, accumulator_m16n8<>>), 256u);
  // 16-byte stores tax a scalar column read: 32 + 128.
  using Best = Swizzled<Dense32, Swizzle<3, 4, 3>>;
  EXPECT_EQ((wavefronts<Best, vector_row<4, store>> + wavefronts<Best, column<>>), 160u);
  // A XOR of 16-byte chunks is free for copies, padding is not.
  EXPECT_EQ((copied<RowMajor<Half, 64, 64>>), 64u);
  EXPECT_EQ((copied<HardwareTile<Half, 64, 64, 128>>), 64u);
  EXPECT_GE((copied<Padded<Half, 64, 64, 8>>), 160u);
  EXPECT_EQ((ideal_wavefronts<Padded<Half, 64, 64, 8>, cp_async_cg<>>), 64u);
}

TEST(Proofs, ABaseBetweenTheSwizzlesRepetitionsLeavesAnAbsoluteSwizzleFreeAndBreaksTheOffsetOne) {
  // The hardware's swizzle at 128 bytes past its repetition: reads by address stay free of conflicts; whoever computes
  // the XOR on offsets there looks elsewhere.
  using Address = Swizzled<Shifted<RowMajor<Half, 64, 64>, 128>, Swizzle<3, 4, 3>>;
  using Offset = Shifted<Swizzled<RowMajor<Half, 64, 64>, Swizzle<3, 4, 3>>, 128>;
  EXPECT_FALSE((holds::same_layout<Address, Offset>));
  EXPECT_TRUE((holds::same_layout<Swizzled<Shifted<RowMajor<Half, 64, 64>, 1024>, Swizzle<3, 4, 3>>,
                                  Shifted<Swizzled<RowMajor<Half, 64, 64>, Swizzle<3, 4, 3>>, 1024>>));
}

constexpr Coordinate beyond(unsigned, unsigned lane) { return {0, lane + 1}; }
constexpr Coordinate unaligned(unsigned, unsigned lane) { return {lane, 2}; }
constexpr Coordinate a_half_each(unsigned, unsigned lane) { return {0, lane}; }

TEST(Proofs, WhatCannotBeCountedIsSaid) {
  using L = RowMajor<float, 32, 32>;
  constexpr PatternCost outside = pattern_cost<L, patterns::custom<beyond>>;
  EXPECT_EQ(outside.fault, PatternFault::outside);
  EXPECT_EQ(outside.fault_lane, 31u);
  constexpr PatternCost torn = pattern_cost<L, patterns::custom<unaligned, 1, patterns::load, 16>>;
  EXPECT_EQ(torn.fault, PatternFault::torn);
  constexpr PatternCost no_rule =
      pattern_cost<RowMajor<Half, 32, 32>, patterns::custom<a_half_each, 1, patterns::atomic>>;
  EXPECT_EQ(no_rule.fault, PatternFault::not_modelled);
  EXPECT_FALSE((holds::countable<L, patterns::custom<beyond>>));
  EXPECT_FALSE((holds::conflict_free<L, patterns::custom<beyond>>));
  EXPECT_FALSE((holds::ideal<RowMajor<Half, 32, 32>, patterns::custom<a_half_each, 1, patterns::atomic>>));
}

/// The evidence is true: both lanes are served together, touch the words, and the words lie in the bank.
template <class L, class P>
void expect_evidence() {
  constexpr PatternCost cost = pattern_cost<L, P>;
  ASSERT_TRUE(cost.conflict);
  constexpr detail::Meeting met = detail::meeting<L, P, cost.conflict_access>;
  const Access access = access_of<L, P>(cost.conflict_access);
  const unsigned group = detail::plain_group_lanes(access.kind, access.lane_bytes);
  EXPECT_NE(met.first_lane, met.second_lane);
  EXPECT_EQ(met.first_lane / group, met.second_lane / group);
  EXPECT_EQ(met.first_word % 32, met.bank);
  EXPECT_EQ(met.second_word % 32, met.bank);
  EXPECT_NE(met.first_word, met.second_word);
  EXPECT_TRUE(detail::words_of(access.addresses[met.first_lane], access.lane_bytes).holds(met.first_word));
  EXPECT_TRUE(detail::words_of(access.addresses[met.second_lane], access.lane_bytes).holds(met.second_word));
  EXPECT_EQ(met.degree, lanebank::cost(access).worst_degree);
}

TEST(Proofs, EvidenceIsTrue) {
  expect_evidence<RowMajor<float, 32, 32>, patterns::column<>>();
  expect_evidence<RowMajor<Half, 64, 64>, patterns::ldmatrix<4>>();
  expect_evidence<RowMajor<Half, 64, 80>, patterns::stmatrix<2>>();
  expect_evidence<RowMajor<float, 64, 32>, patterns::accumulator_m16n8<>>();
  expect_evidence<Padded<float, 16, 16, 1>, patterns::row<>>();
  expect_evidence<RowMajor<float, 32, 32>, patterns::vector_column<4>>();
}

}  // namespace
}  // namespace lanebank
