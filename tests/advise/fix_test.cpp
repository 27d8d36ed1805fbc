// Verdicts and proposals on small launches.
#include "advise/fix.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "../random_seed.hpp"
#include "../remap/log.hpp"
#include "advise/fix_formats.hpp"
#include "base/words.hpp"

namespace lanebank::advise {
namespace {

using findings::AccessLog;
using testing::HasSubstr;

const std::string tile_source =
    "constexpr int T = 32;\n__global__ void transpose(const float* in) {\n  __shared__ float tile[T][T];\n"
    "  tile[threadIdx.y][threadIdx.x] = *in;\n  use(tile[threadIdx.x][threadIdx.y]);\n}\n";

/// A program of one launch with that log; its two rows stand in lines 4 and 5 of t.cu.
findings::ProgramReport program(AccessLog log, std::uint64_t shared_wavefronts = 3136) {
  findings::ProgramReport report;
  findings::LaunchReport launch;
  launch.kernel = "transpose(const float *)";
  launch.symbol = "_Z9transposePKf";
  findings::Instructions rows(2);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].sass = i == 0 ? "STS [R1], R2" : "LDS R2, [R1]";
    rows[i].array = "tile";
    rows[i].file = "t.cu";
    rows[i].line = static_cast<std::uint32_t>(4 + i);
  }
  launch.instructions = std::make_shared<findings::Instructions>(rows);
  launch.shared.wavefronts = shared_wavefronts;
  launch.accesses = std::make_shared<AccessLog>(std::move(log));
  report.launches = {launch};
  return report;
}

FixOptions with_source(const std::string& text) {
  FixOptions options;
  options.source = [&text](const std::string& file) { return file == "t.cu" ? &text : nullptr; };
  return options;
}

TEST(Fix, of_a_column_is_a_layout_without_conflicts) {
  const auto run = program(test::column_log());
  const FixReport report = advise_on(run, with_source(tile_source));
  ASSERT_EQ(report.arrays.size(), 1u);
  const ArrayFix& fix = report.arrays[0];
  EXPECT_EQ(fix.verdict, Verdict::fixable);
  EXPECT_EQ(fix.shape.source, ArrayShape::Source::declaration);
  EXPECT_EQ(fix.line, 3u);
  EXPECT_EQ(fix.before, (Figures{64 + 96 * 32, 160, 32}));
  ASSERT_GE(fix.proposals.size(), 2u);
  const FixProposal& best = fix.proposals[0];
  EXPECT_EQ(best.proposal.after.wavefronts, 160u);
  EXPECT_EQ(best.proposal.more_bytes, 0);
  ASSERT_TRUE(best.edit);
  EXPECT_THAT(best.edit->source, HasSubstr("__shared__ lanebank_transpose_tile tile;"));
  const FixProposal& padded = fix.proposals[1];
  EXPECT_EQ(padded.proposal.more_bytes, 128);
  EXPECT_EQ(padded.edit->declaration, "__shared__ float tile[T][T + 1];");
  EXPECT_TRUE(report.has_findings());
  const std::string json = fix_json(report);
  EXPECT_THAT(json, HasSubstr("\"schema\": \"lanebank.fix/1\""));
  EXPECT_THAT(json, HasSubstr("\"verdict\": \"fixable\""));
  EXPECT_THAT(fix_text(report, {120, 8}), HasSubstr("1 of 1 array can be fixed by a layout (exit 120)"));
}

TEST(Fix, says_where_nothing_is_wrong) {
  AccessLog log = test::column_log();
  log.accesses.pop_back();
  const auto run = program(std::move(log));
  const FixReport report = advise_on(run, with_source(tile_source));
  EXPECT_EQ(report.arrays[0].verdict, Verdict::clean);
  EXPECT_EQ(report.arrays[0].message, "already clean: 64 wavefronts, ideal");
  EXPECT_FALSE(report.has_findings());
}

TEST(Fix, leaves_a_small_excess_alone) {
  const auto run = program(test::column_log(), 2976 * 250);
  const FixReport report = advise_on(run, with_source(tile_source));
  EXPECT_EQ(report.arrays[0].verdict, Verdict::minor);
  EXPECT_EQ(report.arrays[0].message, "excess 0.4 % of shared traffic: leave it");
  EXPECT_TRUE(report.arrays[0].proposals.empty());
  EXPECT_FALSE(report.has_findings());
  FixOptions all = with_source(tile_source);
  all.least_share = 0;
  EXPECT_EQ(advise_on(run, all).arrays[0].verdict, Verdict::fixable);
}

TEST(Fix, claims_nothing_where_accesses_are_missing) {
  AccessLog log = test::column_log();
  log.arrays[0].unrecorded = 7;
  const auto run = program(std::move(log));
  const FixReport report = advise_on(run, with_source(tile_source));
  EXPECT_EQ(report.arrays[0].verdict, Verdict::untouchable);
  EXPECT_THAT(report.arrays[0].message, HasSubstr("7 accesses found no room in the log"));
}

TEST(Fix, takes_rows_from_the_strides_without_a_source) {
  const auto run = program(test::column_log());
  const FixReport report = advise_on(run, {});
  const ArrayFix& fix = report.arrays[0];
  EXPECT_EQ(fix.shape.source, ArrayShape::Source::strides);
  ASSERT_EQ(fix.verdict, Verdict::fixable);
  EXPECT_EQ(fix.proposals[0].proposal.after.wavefronts, 160u);
  EXPECT_FALSE(fix.proposals[0].edit);
  EXPECT_THAT(fix.proposals[0].no_edit, HasSubstr("--source"));
  EXPECT_THAT(fix.proposals[0].code, HasSubstr("tile_offset(unsigned row, unsigned column)"));
}

TEST(Fix, takes_a_shape_that_is_given) {
  const auto run = program(test::column_log());
  const std::string unknown = "__global__ void transpose(float* in) {\n  __shared__ float tile[N][M];\n}\n";
  FixOptions options = with_source(unknown);
  const FixReport without = advise_on(run, options);
  EXPECT_THAT(without.arrays[0].proposals.at(0).no_edit, HasSubstr("cannot be evaluated"));
  options.shapes = {{"tile", {{32, 32}, 4, ""}}};
  const FixReport report = advise_on(run, options);
  EXPECT_EQ(report.arrays[0].shape.source, ArrayShape::Source::given);
  EXPECT_TRUE(report.arrays[0].proposals.at(0).edit);
}

TEST(Fix, keeps_wide_vectors_whole) {
  AccessLog log = test::column_log();
  std::vector<findings::BaseCount> rows;
  for (std::uint32_t i = 0; i < 8; ++i) rows.push_back({i * 512, 2});
  log.accesses[0] = test::access(
      0, AccessKind::store, 16, [](unsigned lane) { return lane * 16; }, rows);
  const auto run = program(std::move(log));
  const FixReport report = advise_on(run, with_source(tile_source));
  ASSERT_EQ(report.arrays[0].verdict, Verdict::fixable);
  EXPECT_EQ(report.arrays[0].proposals[0].proposal.after.wavefronts, 16 * 4 + 96 * 4u) << "the residue bound";
  EXPECT_THAT(report.arrays[0].message, HasSubstr("not ideal: residue"));
  EXPECT_THAT(report.arrays[0].ways_out, testing::Contains(HasSubstr("store 4 bytes instead of 16")));
}

TEST(Fix, sees_padding_that_the_index_does_not_use) {
  AccessLog log = test::column_log();
  log.arrays[0].size_bytes = 32 * 33 * 4;
  const auto run = program(std::move(log));
  const std::string source = "__global__ void transpose(float* in) {\n  __shared__ float tile[32 * 33];\n}\n";
  const FixReport report = advise_on(run, with_source(source));
  EXPECT_THAT(report.arrays[0].message,
              HasSubstr("padding declared but not used in the index: the last 128 of 4,224 bytes are never touched, 32 "
                        "rows are 128 bytes apart"));
}

TEST(Fix, proposes_nothing_but_the_hardwares_swizzles_where_tma_writes) {
  AccessLog log = test::column_log();
  log.arrays[0].bulk_copies = true;
  const auto run = program(std::move(log));
  const FixReport report = advise_on(run, with_source(tile_source));
  EXPECT_THAT(report.arrays[0].message, HasSubstr("TMA or bulk copies reach it"));
  for (const FixProposal& fix : report.arrays[0].proposals) {
    EXPECT_EQ(fix.proposal.layout.family(), solve::Family::hardware);
    EXPECT_FALSE(fix.edit);
  }
}

TEST(Fix, does_not_fit_a_layout_to_random_indices) {
  AccessLog log = test::column_log();
  log.accesses.clear();
  std::mt19937 random(test_seed());
  for (int i = 0; i < 200; ++i) {
    std::array<unsigned, 32> places{};
    for (unsigned& place : places) place = static_cast<unsigned>(random() % 1024) * 4;
    const auto relative = [&](unsigned lane) { return places[lane] - places[0]; };
    log.accesses.push_back(test::access(1, AccessKind::load, 4, relative, {{places[0], 1}}));
  }
  const auto run = program(std::move(log));
  const FixReport report = advise_on(run, with_source(tile_source));
  EXPECT_EQ(report.arrays[0].verdict, Verdict::no_layout);
  EXPECT_THAT(report.arrays[0].message, HasSubstr("its index depends on data"));
  EXPECT_THAT(report.arrays[0].message, HasSubstr("no layout saves a tenth of the excess"));
}

TEST(Fix, counts_the_blocks_that_memory_costs) {
  AccessLog log = test::column_log();
  log.room = {232448, 5 * 5120, 1024, 128, 32};
  const auto run = program(std::move(log));
  const FixReport report = advise_on(run, with_source(tile_source));
  EXPECT_EQ(report.arrays[0].proposals[0].proposal.occupancy.before, 5u);
  EXPECT_EQ(report.arrays[0].proposals[0].proposal.occupancy.after, 5u) << "a swizzle takes no memory";
  EXPECT_EQ(report.arrays[0].proposals[1].proposal.occupancy.after, 4u);
}

TEST(FunctionName, is_the_kernels_own) {
  EXPECT_EQ(kernel_base_name("void ns::tr<(int)0, a::b<(int)3>>(const float *, int)"), "tr");
  EXPECT_EQ(kernel_base_name("<unnamed>::k(float *)"), "k");
  EXPECT_EQ(kernel_base_name("plain"), "plain");
}

}  // namespace
}  // namespace lanebank::advise
