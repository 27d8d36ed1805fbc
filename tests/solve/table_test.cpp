// The cases of the layout literature that the solver must get right, with exact figures: which layouts are ideal, which
// are not, and what proves it. Figures are those of plain enumeration under the measured rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files.hpp"
#include "solve/exact_count.hpp"

namespace lanebank::solve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

using Figures = std::vector<std::uint64_t>;

Figures plain(const Solution& solution) {
  Figures result;
  for (const PatternFigures& pattern : solution.patterns) result.push_back(pattern.plain_wavefronts);
  return result;
}

Figures figures(const Solution& solution, Family family) {
  const Candidate* candidate = alternative(solution, family);
  return candidate == nullptr ? Figures{} : candidate->wavefronts;
}

Swizzle swizzle_of(const Solution& solution) {
  return solution.best.layout.terms().empty() ? Swizzle{} : solution.best.layout.terms().front();
}

std::uint32_t extra_bytes(const Solution& solution, Family family) {
  const Candidate* candidate = alternative(solution, family);
  return candidate == nullptr ? ~0u : candidate->bytes - candidate->layout.tile().size_bytes();
}

void expect_ideal_by_bytes(const Solution& solution) {
  EXPECT_EQ(solution.best.total_wavefronts, solution.ideal_total);
  EXPECT_TRUE(solution.optimal);
  EXPECT_EQ(solution.optimal_over, "all layouts");
  EXPECT_EQ(solution.certificate, "byte bound reached");
  EXPECT_THAT(solution.bound, IsEmpty());
}

TEST(Table, Half64x96WithVectorStoresAndLdmatrix) {
  const Solution solution = solved(problem_of("half_64x96"));
  EXPECT_THAT(plain(solution), ElementsAre(96, 384));
  EXPECT_EQ(solution.best.layout.family(), Family::swizzle);
  EXPECT_EQ(swizzle_of(solution), (Swizzle{2, 4, 3}));
  EXPECT_THAT(solution.best.wavefronts, ElementsAre(96, 96));
  EXPECT_EQ(extra_bytes(solution, Family::swizzle), 0u);
  EXPECT_THAT(figures(solution, Family::padding), ElementsAre(128, 96));
  EXPECT_EQ(extra_bytes(solution, Family::padding), 1024u);
  expect_ideal_by_bytes(solution);
}

TEST(Table, Half64x96InPanels) {
  const Problem problem = problem_of("half_64x96");
  EXPECT_THAT(exact_count(problem, Layout::hardware(problem.tile, 64)).wavefronts, ElementsAre(160, 96));
  EXPECT_THAT(exact_count(problem, Layout::panels(problem.tile, 32, 0, 64)).wavefronts[0], 96u);
  Layout padded_panels = Layout::panels(problem.tile, 32, 0, 64);
  EXPECT_EQ(padded_panels.bytes(), 3 * (64 * 64 + 64u));
}

TEST(Table, Half64x80) {
  const Solution solution = solved(problem_of("half_64x80"));
  EXPECT_THAT(plain(solution), ElementsAre(80, 160));
  EXPECT_EQ(swizzle_of(solution), (Swizzle{1, 4, 3}));
  EXPECT_THAT(solution.best.wavefronts, ElementsAre(80, 80));
  EXPECT_THAT(figures(solution, Family::padding), ElementsAre(128, 80));
  const Problem problem = problem_of("half_64x80");
  EXPECT_THAT(exact_count(problem, Layout::hardware(problem.tile, 32)).wavefronts, ElementsAre(256, 80));
  expect_ideal_by_bytes(solution);
}

TEST(Table, Half64x128) {
  const Problem problem = problem_of("half_64x128");
  const Solution solution = solved(problem);
  EXPECT_THAT(plain(solution), ElementsAre(128, 1024));
  EXPECT_EQ(swizzle_of(solution), (Swizzle{3, 4, 4}));
  EXPECT_THAT(solution.best.wavefronts, ElementsAre(128, 128));
  EXPECT_THAT(exact_count(problem, Layout::swizzled(problem.tile, {3, 4, 3})).wavefronts, ElementsAre(128, 256));
  EXPECT_THAT(figures(solution, Family::padding), ElementsAre(128, 128));
  EXPECT_EQ(extra_bytes(solution, Family::padding), 64 * 16u);
  expect_ideal_by_bytes(solution);
}

TEST(Table, FloatRowsAndColumnsOfAnyWidth) {
  for (const unsigned width : {20u, 24u, 32u, 36u, 40u, 48u, 64u, 96u}) {
    SCOPED_TRACE(width);
    const Solution solution = solved(problem_of("float_32x" + std::to_string(width) + "_row_column"));
    EXPECT_THAT(solution.best.wavefronts, ElementsAre(width, width));
    EXPECT_EQ(extra_bytes(solution, Family::swizzle), 0u);
    EXPECT_THAT(figures(solution, Family::any_pitch), ElementsAre(width, width));
    EXPECT_GT(solution.plain_total, 2 * width);
    const Candidate* padding = alternative(solution, Family::padding);
    ASSERT_NE(padding, nullptr);
    EXPECT_EQ(padding->total_wavefronts == 2 * width, width % 32 == 0) << padding->total_wavefronts;
    expect_ideal_by_bytes(solution);
  }
}

TEST(Table, FloatVectorStoresAndScalarColumns) {
  const Solution solution = solved(problem_of("float_32x32_vector_rows"));
  EXPECT_EQ(solution.plain_total, 1056u);
  EXPECT_EQ(solution.best.total_wavefronts, 160u);
  EXPECT_EQ(alternative(solution, Family::padding)->total_wavefronts, 160u);
  EXPECT_TRUE(solution.optimal);
  EXPECT_EQ(solution.optimal_over, "all layouts");
  EXPECT_EQ(solution.certificate, "residue bound reached");
  EXPECT_THAT(solution.bound, StartsWith("residue: vectors of 16 bytes"));
  std::uint64_t by_8 = 0, by_4 = 0;
  for (const WayOut& way : solution.ways_out) {
    if (way.what == "store 8 bytes instead of 16 in \"store rows\"") by_8 = way.total_wavefronts;
    if (way.what == "store 4 bytes instead of 16 in \"store rows\"") by_4 = way.total_wavefronts;
  }
  EXPECT_EQ(by_8, 96u);
  EXPECT_EQ(by_4, 64u);
}

TEST(Table, FloatAccumulatorRowsAndLdmatrixNeedTwoTerms) {
  const Problem problem = problem_of("float_64x32_accumulator");
  const Solution solution = solved(problem);
  EXPECT_EQ(solution.plain_total, 416u);
  EXPECT_EQ(solution.best.layout.family(), Family::xor2);
  EXPECT_EQ(solution.best.total_wavefronts, 96u);
  EXPECT_EQ(extra_bytes(solution, Family::xor2), 0u);
  EXPECT_EQ(alternative(solution, Family::swizzle)->total_wavefronts, 128u);
  EXPECT_EQ(alternative(solution, Family::padding)->total_wavefronts, 128u);
  EXPECT_EQ(exact_count(problem, Layout::two_term(problem.tile, {1, 4, 5}, {2, 5, 2})).total, 96u);
  expect_ideal_by_bytes(solution);
}

TEST(Table, FloatAccumulatorAndRows) {
  const Problem problem = problem_of("float_64x64_accumulator");
  const Solution solution = solved(problem);
  EXPECT_THAT(plain(solution), ElementsAre(512, 128));
  EXPECT_EQ(swizzle_of(solution), (Swizzle{2, 5, 3}));
  EXPECT_THAT(solution.best.wavefronts, ElementsAre(128, 128));
  EXPECT_THAT(exact_count(problem, Layout::hardware(problem.tile, 128)).wavefronts, ElementsAre(256, 128));
  EXPECT_THAT(exact_count(problem, Layout::padded(problem.tile, 32)).wavefronts, ElementsAre(128, 128));
  EXPECT_THAT(exact_count(problem, Layout::padded(problem.tile, 16)).wavefronts, ElementsAre(256, 128));
  expect_ideal_by_bytes(solution);
}

TEST(Table, FloatPairedColumnsNeedTwiceTheRow) {
  const Problem problem = problem_of("float_16x32_paired_column");
  const Solution solution = solved(problem);
  EXPECT_THAT(plain(solution), ElementsAre(16, 256));
  EXPECT_THAT(solution.best.wavefronts, ElementsAre(16, 16));
  EXPECT_EQ(alternative(solution, Family::xor_row)->layout.row_xor(), (RowXor{2, 0, 4}));
  EXPECT_THAT(exact_count(problem, Layout::row_xor(problem.tile, {1, 0, 5})).wavefronts, ElementsAre(16, 32));
  EXPECT_THAT(exact_count(problem, Layout::padded(problem.tile, 8)).wavefronts, ElementsAre(16, 16));
  EXPECT_THAT(exact_count(problem, Layout::padded(problem.tile, 4)).wavefronts, ElementsAre(16, 32));
}

TEST(Table, EightByEightUnitsWithBothDiagonalsNeedALinearMap) {
  const Solution solution = solved(problem_of("units_8x8_queens"));
  EXPECT_EQ(solution.best.layout.family(), Family::linear);
  EXPECT_EQ(solution.best.total_wavefronts, 32u);
  for (const Family family : {Family::padding, Family::xor_row, Family::swizzle, Family::diagonal}) {
    ASSERT_NE(alternative(solution, family), nullptr) << name_of(family);
    EXPECT_GT(alternative(solution, family)->total_wavefronts, 32u) << name_of(family);
  }
  expect_ideal_by_bytes(solution);
}

// Rows of 32 at any column: a swizzle of the flat offset misses where the pitch is no multiple of 128 bytes. Padding is
// ideal, and so is the XOR of the column by the row, which moves columns by a period of 32, and takes no byte.
TEST(Table, HaloTiles) {
  struct Row {
    unsigned columns, ideal, swizzle;
  };
  for (const Row& row : {Row{34, 24, 28}, Row{36, 32, 42}, Row{40, 48, 60}}) {
    SCOPED_TRACE(row.columns);
    const Solution solution = solved(problem_of("float_34x" + std::to_string(row.columns) + "_halo"));
    EXPECT_EQ(solution.ideal_total, row.ideal);
    EXPECT_EQ(alternative(solution, Family::swizzle)->total_wavefronts, row.swizzle);
    EXPECT_EQ(alternative(solution, Family::padding)->total_wavefronts, row.ideal);
    EXPECT_EQ(alternative(solution, Family::padding)->layout.pitch_bytes() / 4 % 2, 1u);
    EXPECT_EQ(solution.best.layout.family(), Family::xor_row);
    EXPECT_EQ(solution.best.bytes, solution.best.layout.tile().size_bytes());
    expect_ideal_by_bytes(solution);
    const Solution everywhere = solved(problem_of("float_34x" + std::to_string(row.columns) + "_halo_all"));
    EXPECT_EQ(everywhere.best.layout.family(), Family::xor_row);
    EXPECT_EQ(everywhere.best.total_wavefronts, everywhere.ideal_total);
    EXPECT_GT(alternative(everywhere, Family::swizzle)->total_wavefronts, everywhere.ideal_total);
  }
}

TEST(Table, PaddingTaxesTheFillsOfCpAsync) {
  const Solution solution = solved(problem_of("half_64x64_cp_async"));
  EXPECT_THAT(solution.best.wavefronts, ElementsAre(64, 64));
  EXPECT_EQ(swizzle_of(solution), (Swizzle{3, 4, 3}));
  const Figures padding = figures(solution, Family::padding);
  EXPECT_EQ(padding[1], 64u) << "padding cures the reads";
  EXPECT_EQ(padding[0], 168u) << "and makes the fills 2.5 to 3 times dearer";
  expect_ideal_by_bytes(solution);
}

TEST(Table, SubsetsOfBitsThatNoLayoutServes) {
  const Solution five = solved(problem_of("code_3_of_5"));
  EXPECT_EQ(five.best.total_wavefronts, 12u);
  EXPECT_EQ(five.ideal_total, 10u);
  EXPECT_EQ(five.lower_bound, 11u);
  EXPECT_THAT(five.bound, HasSubstr("bound"));
  EXPECT_TRUE(five.optimal);
  EXPECT_THAT(five.optimal_over, HasSubstr("linear"));
  EXPECT_THAT(five.certificate, StartsWith("exhausted: "));
  EXPECT_EQ(solved(problem_of("code_3_of_6")).best.total_wavefronts, 24u);
  EXPECT_EQ(solved(problem_of("code_5_of_7")).best.total_wavefronts, 26u);
}

TEST(Table, EnginesTakeOnlyTheirSwizzlesAndChangeTheAccessSide) {
  for (const char* name : {"half_64x64_tma", "half_64x64_wgmma"}) {
    const Solution solution = solved(problem_of(name));
    EXPECT_EQ(solution.best.layout.family(), Family::hardware);
    EXPECT_EQ(solution.best.layout.mode_bytes(), 128u);
    EXPECT_THAT(solution.alternatives, IsEmpty());
    ASSERT_FALSE(solution.ways_out.empty());
    EXPECT_EQ(solution.ways_out.front().total_wavefronts, solution.lower_bound);
    EXPECT_EQ(solution.ways_out.front().layout.family(), Family::hardware);
    EXPECT_LT(solution.ways_out.front().total_wavefronts, solution.best.total_wavefronts);
  }
}

TEST(Table, WorkLimitIsSaid) {
  Limits limits;
  limits.work = 100;
  const Solution solution = solved(problem_of("code_3_of_6"), limits);
  EXPECT_FALSE(solution.optimal);
  EXPECT_THAT(solution.optimal_over, IsEmpty());
  EXPECT_THAT(solution.certificate, StartsWith("best found, not proved: not all of "));
  EXPECT_THAT(solution.certificate, HasSubstr("linear"));
}

}  // namespace
}  // namespace lanebank::solve
