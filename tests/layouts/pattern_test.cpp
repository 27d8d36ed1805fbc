// Patterns: which element each lane accesses, against lists and formulas written out here.
#include "lanebank/pattern.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "lanebank/layout.hpp"
#include "lanebank/pattern_cost.hpp"
#include "layouts_under_test.hpp"

namespace lanebank {
namespace {

template <class L, class P, class Formula>
void expect_lanes(PatternShape shape, Formula formula) {
  const PatternShape got = P::template shape<L>();
  EXPECT_EQ(got.kind, shape.kind);
  EXPECT_EQ(got.lane_bytes, shape.lane_bytes);
  EXPECT_EQ(got.accesses, shape.accesses);
  EXPECT_EQ(got.matrices, shape.matrices);
  for (unsigned k = 0; k < got.accesses; ++k)
    for (unsigned lane = 0; lane < 32; ++lane) {
      const Coordinate is = P::template at<L>(k, lane), should = formula(k, lane);
      ASSERT_EQ(is.active, should.active) << k << ' ' << lane;
      if (!should.active) continue;
      ASSERT_EQ(std::pair(is.row, is.column), std::pair(should.row, should.column)) << k << ' ' << lane;
    }
}

using Plain = RowMajor<float, 32, 64>;
using Halves = RowMajor<Half, 32, 64>;

TEST(Pattern, RowsAndColumnsFollowOneAnother) {
  expect_lanes<Plain, patterns::row<>>({AccessKind::load, 4, 64}, [](unsigned k, unsigned lane) {
    return Coordinate{k / 2, k % 2 * 32 + lane};
  });
  expect_lanes<Plain, patterns::column<patterns::store>>({AccessKind::store, 4, 64}, [](unsigned k, unsigned lane) {
    return Coordinate{lane, k};
  });
  // Narrow and short tiles: lanes go on in the next row or column; the last access is not full.
  expect_lanes<RowMajor<float, 7, 12>, patterns::row<>>({AccessKind::load, 4, 3}, [](unsigned k, unsigned lane) {
    const unsigned i = 32 * k + lane;
    return Coordinate{i / 12, i % 12, i < 84};
  });
  expect_lanes<RowMajor<float, 7, 12>, patterns::column<>>({AccessKind::load, 4, 3}, [](unsigned k, unsigned lane) {
    const unsigned i = 32 * k + lane;
    return Coordinate{i % 7, i / 7, i < 84};
  });
}

TEST(Pattern, VectorsAreWholeOnesOfTheRow) {
  expect_lanes<Halves, patterns::vector_row<8, patterns::store>>({AccessKind::store, 16, 8},
                                                                 [](unsigned k, unsigned lane) {
                                                                   return Coordinate{4 * k + lane / 8, lane % 8 * 8};
                                                                 });
  expect_lanes<Halves, patterns::vector_column<8>>({AccessKind::load, 16, 8}, [](unsigned k, unsigned lane) {
    return Coordinate{lane, k * 8};
  });
}

TEST(Pattern, WindowsTakeEveryPosition) {
  using L = RowMajor<float, 6, 10>;
  expect_lanes<L, patterns::window<2, 4>>({AccessKind::load, 4, 5 * 7}, [](unsigned k, unsigned lane) {
    return Coordinate{k / 7 + lane / 4, k % 7 + lane % 4, lane < 8};
  });
  expect_lanes<L, patterns::window<2, 5, patterns::load, 2, 5>>(
      {AccessKind::load, 4, 6}, [](unsigned k, unsigned lane) {
        return Coordinate{k / 2 * 2 + lane / 5, k % 2 * 5 + lane % 5, lane < 10};
      });
}

TEST(Pattern, MatricesLieInTheTileAsTheirOrderSays) {
  using enum MatrixOrder;
  constexpr AccessKind load = AccessKind::matrix_load;
  expect_lanes<Halves, patterns::ldmatrix<1>>({load, 16, 32, 1}, [](unsigned k, unsigned lane) {
    return Coordinate{k / 8 * 8 + lane % 8, k % 8 * 8};
  });
  expect_lanes<Halves, patterns::ldmatrix<2>>({load, 16, 16, 2}, [](unsigned k, unsigned lane) {
    return Coordinate{k / 8 * 16 + lane % 16, k % 8 * 8};
  });
  expect_lanes<Halves, patterns::ldmatrix<2, right>>({load, 16, 16, 2}, [](unsigned k, unsigned lane) {
    return Coordinate{k / 4 * 8 + lane % 8, k % 4 * 16 + lane / 8 % 2 * 8};
  });
  expect_lanes<Halves, patterns::ldmatrix<4>>({load, 16, 8, 4}, [](unsigned k, unsigned lane) {
    return Coordinate{k / 4 * 16 + lane % 8 + lane / 8 % 2 * 8, k % 4 * 16 + lane / 16 * 8};
  });
  expect_lanes<Halves, patterns::stmatrix<4, right_then_down>>(
      {AccessKind::matrix_store, 16, 8, 4}, [](unsigned k, unsigned lane) {
        return Coordinate{k / 4 * 16 + lane % 8 + lane / 16 * 8, k % 4 * 16 + lane / 8 % 2 * 8};
      });
  expect_lanes<Halves, patterns::ldmatrix<4, down>>({load, 16, 8, 4}, [](unsigned k, unsigned lane) {
    return Coordinate{lane, k * 8};
  });
  expect_lanes<Halves, patterns::ldmatrix<4, right>>({load, 16, 8, 4}, [](unsigned k, unsigned lane) {
    return Coordinate{k / 2 * 8 + lane % 8, k % 2 * 32 + lane / 8 * 8};
  });
}

TEST(Pattern, AccumulatorPairsAreThoseOfTheFragment) {
  // C of m16n8, PTX ISA: row = lane / 4 (+ 8 for c2, c3), column = lane % 4 * 2 + (i & 1).
  expect_lanes<Plain, patterns::accumulator_m16n8<>>({AccessKind::store, 8, 32}, [](unsigned k, unsigned lane) {
    return Coordinate{k / 16 * 16 + k % 2 * 8 + lane / 4, k / 2 % 8 * 8 + lane % 4 * 2};
  });
  expect_lanes<Halves, patterns::accumulator_m16n8<patterns::load>>(
      {AccessKind::load, 4, 32}, [](unsigned k, unsigned lane) {
        return Coordinate{k / 16 * 16 + k % 2 * 8 + lane / 4, k / 2 % 8 * 8 + lane % 4 * 2};
      });
}

TEST(Pattern, CopiesFillTheTileInRowOrderAndKnowTheirSource) {
  expect_lanes<Halves, patterns::cp_async_cg<>>({AccessKind::async_copy_cg, 16, 8}, [](unsigned k, unsigned lane) {
    return Coordinate{4 * k + lane / 8, lane % 8 * 8};
  });
  expect_lanes<Halves, patterns::cp_async_ca<4>>({AccessKind::async_copy_ca, 4, 32}, [](unsigned k, unsigned lane) {
    return Coordinate{k, lane * 2};
  });
  for (unsigned k = 0; k < 8; ++k)
    for (unsigned lane = 0; lane < 32; ++lane) {
      EXPECT_EQ((patterns::cp_async_cg<>::source<Halves>(k, lane)), (32 * k + lane) * 16) << "dense rows";
      EXPECT_EQ((patterns::cp_async_cg<4096>::source<Halves>(k, lane)), (4 * k + lane / 8) * 4096 + lane % 8 * 16);
    }
}

constexpr Coordinate diagonal(unsigned access, unsigned lane) { return {lane, (lane + access) % 64, lane < 30}; }

TEST(Pattern, CustomOnesAreTheFunctionGiven) {
  expect_lanes<Plain, patterns::custom<diagonal, 64>>({AccessKind::load, 4, 64}, diagonal);
  expect_lanes<Plain, patterns::custom<diagonal, 3, patterns::atomic>>({AccessKind::atomic, 4, 3}, diagonal);
}

/// Every element is accessed, and as often as every other.
template <class L, class P>
void expect_covers(unsigned times = 1) {
  std::multiset<std::pair<unsigned, unsigned>> seen;
  const PatternShape shape = P::template shape<L>();
  const std::uint32_t used = addressing_lanes(shape.kind, shape.matrices);
  for (unsigned k = 0; k < shape.accesses; ++k)
    for (unsigned lane = 0; lane < 32; ++lane) {
      const Coordinate place = P::template at<L>(k, lane);
      if (!place.active || (used >> lane & 1) == 0) continue;
      for (unsigned i = 0; i < shape.lane_bytes / L::element_bytes; ++i) seen.insert({place.row, place.column + i});
    }
  for (unsigned r = 0; r < L::rows; ++r)
    for (unsigned c = 0; c < L::columns; ++c) ASSERT_EQ(seen.count({r, c}), times) << r << ' ' << c;
  EXPECT_EQ(seen.size(), std::size_t{L::rows} * L::columns * times);
}

TEST(Pattern, TheOnesOfWholeTilesCoverThemOnce) {
  expect_covers<Halves, patterns::row<>>();
  expect_covers<Halves, patterns::column<>>();
  expect_covers<RowMajor<float, 7, 12>, patterns::vector_row<4>>();
  expect_covers<RowMajor<float, 7, 12>, patterns::vector_column<2>>();
  expect_covers<Halves, patterns::window<4, 8, patterns::load, 4, 8>>();
  expect_covers<Halves, patterns::ldmatrix<1>>();
  expect_covers<Halves, patterns::ldmatrix<2>>();
  expect_covers<Halves, patterns::ldmatrix<2, MatrixOrder::right>>();
  expect_covers<Halves, patterns::ldmatrix<4>>();
  expect_covers<Halves, patterns::ldmatrix<4, MatrixOrder::right_then_down>>();
  expect_covers<Halves, patterns::stmatrix<4, MatrixOrder::down>>();
  expect_covers<Halves, patterns::stmatrix<4, MatrixOrder::right>>();
  expect_covers<Plain, patterns::ldmatrix<4>>();
  expect_covers<Plain, patterns::accumulator_m16n8<>>();
  expect_covers<Halves, patterns::cp_async_cg<>>();
  expect_covers<Halves, patterns::cp_async_ca<8>>();
}

}  // namespace
}  // namespace lanebank
