// From the words of --remap to the figures of a report.
#include "advise/remap.hpp"

#include <gtest/gtest.h>

#include "log.hpp"

namespace lanebank::advise {
namespace {

using findings::LaunchReport;
using findings::ProgramReport;

ProgramReport column_report() {
  ProgramReport report;
  LaunchReport launch;
  launch.kernel = "void ns::transpose<(int)0>(const float *, float *)";
  launch.symbol = "_Z9transpose";
  auto rows = std::make_shared<findings::Instructions>(2);
  (*rows)[0].sass = "STS [R5], R4";
  (*rows)[0].kind = findings::Kind::store;
  (*rows)[0].executed = (*rows)[0].wavefronts = (*rows)[0].ideal = 64;
  (*rows)[1].sass = "LDS R9, [R6]";
  (*rows)[1].kind = findings::Kind::load;
  (*rows)[1].line = 14;
  (*rows)[1].file = "/opt/include/tile.hpp";
  (*rows)[1].inlined_at = {{"transpose.cu", 20, "read"}};
  (*rows)[1].executed = (*rows)[1].ideal = 97;
  (*rows)[1].wavefronts = 96 * 32 + 5;  // one access more, which lies in no array that is known
  launch.instructions = rows;
  launch.accesses = std::make_shared<findings::AccessLog>(test::column_log());
  report.launches = {launch, launch};
  report.launches[1].id = 1;
  return report;
}

RemapRequest request(const std::string& text) {
  auto read = read_remap(text);
  EXPECT_TRUE(read) << (read ? "" : to_string(read.error()));
  return read ? *read : RemapRequest{};
}

TEST(ReadRemap, PartsKernelArrayAndLayout) {
  EXPECT_EQ(request("tile=pad+1").array, "tile");
  EXPECT_EQ(request("tile=pad+1").kernel, "");
  EXPECT_EQ(request("transpose:tile=swizzle<5,2,5>").kernel, "transpose");
  EXPECT_EQ(request("transpose:tile=swizzle<5,2,5>").array, "tile");
  EXPECT_EQ(request("void ns::transpose<(int)0>(const float *, float *):tile=row-major").kernel,
            "void ns::transpose<(int)0>(const float *, float *)");
  EXPECT_EQ(request("ns::storage=row-major").array, "ns::storage");
}

TEST(ReadRemap, SaysWhatIsWrongWithTheWords) {
  for (const char* text : {"", "tile", "=pad+1", "kernel:=pad+1"}) {
    const auto read = read_remap(text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().id, "remap.text") << text;
  }
  const auto read = read_remap("tile=swizzle<5,2");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().id, "layout.text");
  EXPECT_NE(read.error().where.find("column 12"), std::string::npos) << read.error().where;
}

TEST(ApplyRemaps, PutsTheFiguresBesideTheRows) {
  ProgramReport report = column_report();
  apply_remaps(report, {request("tile=pad+1")}, {});
  EXPECT_TRUE(report.problems.empty());
  for (const LaunchReport& launch : report.launches) {
    ASSERT_EQ(launch.remaps.size(), 1u);
    const findings::RemapReport& remap = launch.remaps[0];
    EXPECT_EQ(remap.refused, "");
    EXPECT_EQ(remap.layout, "pad+1@32") << "the rows are those that lanes step along";
    EXPECT_EQ(remap.bytes_before, 4096u);
    EXPECT_EQ(remap.bytes, 4224u);
    EXPECT_EQ(remap.wavefronts_before, 96u * 32 + 64);
    EXPECT_EQ(remap.wavefronts, 96u + 64);
    ASSERT_EQ(launch.remapped_rows.size(), 2u);
    EXPECT_EQ(launch.remapped_rows[1], (findings::RemappedRow{1, 96 + 5, 97, 1})) << "other accesses keep their cost";
  }
}

TEST(ApplyRemaps, ScalesSampledLaunches) {
  ProgramReport report = column_report();
  report.launches.resize(1);
  LaunchReport& launch = report.launches[0];
  launch.grid = {8, 2, 1};
  launch.sampled_blocks = 4;
  auto rows = *launch.instructions;
  for (findings::InstructionReport& row : rows) row.wavefronts *= 4;
  launch.instructions = std::make_shared<findings::Instructions>(rows);
  apply_remaps(report, {request("tile=swizzle<5,2,5>")}, {});
  EXPECT_EQ(launch.remaps.at(0).wavefronts, 4u * (96 + 64));
  EXPECT_EQ(launch.remapped_rows.at(1).wavefronts, 4u * (96 + 5));
}

TEST(ApplyRemaps, AsksForRowsThatNothingTells) {
  ProgramReport report = column_report();
  auto log = test::column_log();
  log.accesses.resize(1);
  for (LaunchReport& launch : report.launches) launch.accesses = std::make_shared<findings::AccessLog>(log);
  ProgramReport with_shape = report;
  apply_remaps(report, {request("tile=pad+1")}, {});
  EXPECT_NE(report.launches[0].remaps.at(0).refused.find("length of its rows is not known"), std::string::npos);
  EXPECT_NE(report.launches[0].remaps.at(0).remedy.find("--shape tile="), std::string::npos);
  EXPECT_TRUE(report.launches[0].remapped_rows.empty());
  apply_remaps(with_shape, {request("tile=pad+1")}, {{"tile", 16, 8}});
  EXPECT_EQ(with_shape.launches[0].remaps.at(0).layout, "pad+1@16");
  EXPECT_EQ(with_shape.launches[0].remaps.at(0).bytes, 4096u + 32 * 8);
}

TEST(ApplyRemaps, NamesTheInstructionThatStandsAgainstIt) {
  ProgramReport report = column_report();
  auto log = test::column_log();
  log.accesses[1].lane_bytes = 8;
  for (LaunchReport& launch : report.launches) launch.accesses = std::make_shared<findings::AccessLog>(log);
  apply_remaps(report, {request("tile=swizzle<5,2,5>")}, {});
  EXPECT_EQ(report.launches[0].remaps.at(0).refused.find("transpose.cu:20, LDS R9, [R6]: "), 0u)
      << report.launches[0].remaps.at(0).refused;
}

TEST(ApplyRemaps, OneLayoutForAnArray) {
  ProgramReport report = column_report();
  apply_remaps(report, {request("tile=swizzle<5,2,5>"), request("transpose:tile=pad+1")}, {});
  ASSERT_EQ(report.launches[0].remaps.size(), 2u);
  EXPECT_EQ(report.launches[0].remaps[0].refused, "");
  EXPECT_NE(report.launches[0].remaps[1].refused.find("another --remap"), std::string::npos);
}

TEST(ApplyRemaps, SaysWhichArraysThereAre) {
  ProgramReport report = column_report();
  apply_remaps(report, {request("tiles=pad+1"), request("other:tile=pad+1"), request("transpose:tile=pad+1")}, {});
  ASSERT_EQ(report.problems.size(), 2u);
  EXPECT_EQ(report.problems[0].id, "remap.unknown-array");
  EXPECT_EQ(report.problems[0].remedy, "There are: tile.");
  EXPECT_EQ(report.problems[1].id, "remap.unknown-kernel");
  EXPECT_EQ(report.launches[0].remaps.size(), 1u);
}

TEST(ApplyRemaps, RefusesSwizzlesThatLeaveTheArray) {
  ProgramReport report = column_report();
  apply_remaps(report, {request("tile=swizzle<1,2,-10>")}, {});  // bit 12 of 12 is the target
  EXPECT_NE(report.launches[0].remaps.at(0).refused.find("behind the end"), std::string::npos)
      << report.launches[0].remaps.at(0).refused;
}

}  // namespace
}  // namespace lanebank::advise
