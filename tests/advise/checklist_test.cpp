#include "advise/checklist.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "advise/bottleneck.hpp"

namespace lanebank::advise {
namespace {

using findings::AccessLog;
using findings::LoggedAccess;
using findings::ProgramReport;
using testing::HasSubstr;

/// One access of all lanes, `row` of the launch's rows; lane i at base + relative(i).
LoggedAccess access_of(std::uint32_t row, AccessKind kind, std::vector<findings::BaseCount> bases, unsigned stride) {
  LoggedAccess access;
  access.row = row;
  access.array = 0;
  access.kind = kind;
  access.lanes = ~0u;
  access.bases = std::move(bases);
  for (unsigned lane = 0; lane < 32; ++lane) access.relative_bytes[lane] = static_cast<std::int32_t>(lane * stride);
  return access;
}

/// Rows written along, a column read, of a 32 x 32 float tile: 32 and 1024 wavefronts.
ProgramReport transposition() {
  ProgramReport report;
  report.command = {"./app", "1024"};
  findings::LaunchReport launch;
  launch.kernel = "void tr<(int)32>(const float *, float *)";
  launch.symbol = "tr";
  launch.arch = "sm_90";
  launch.block = {32, 32, 1};
  auto rows = std::make_shared<findings::Instructions>(2);
  for (std::uint32_t i = 0; i < 2; ++i) {
    findings::InstructionReport& row = (*rows)[i];
    row.address = 16 * i;
    row.sass = i == 0 ? "STS [R1], R2" : "LDS R2, [R1]";
    row.kind = i == 0 ? findings::Kind::store : findings::Kind::load;
    row.file = "a.cu";
    row.line = 10 + i;
    row.array = "t";
    row.executed = 32;
    row.wavefronts = i == 0 ? 32 : 1024;
    row.ideal = 32;
  }
  launch.instructions = rows;
  launch.shared = {64, 1056, 64, 992};
  auto log = std::make_shared<AccessLog>();
  log->arrays_known = true;
  log->static_shared_bytes = 4096;
  findings::LoggedArray array;
  array.name = "t";
  array.size_bytes = 4096;
  array.element_bytes = 4;
  log->arrays.push_back(array);
  std::vector<findings::BaseCount> all_rows, all_columns;
  for (std::uint32_t i = 0; i < 32; ++i) {
    all_rows.push_back({128 * i, 1});
    all_columns.push_back({4 * i, 1});
  }
  log->accesses = {access_of(0, AccessKind::store, all_rows, 4), access_of(1, AccessKind::load, all_columns, 128)};
  launch.accesses = log;
  launch.work.emplace();
  launch.work->registers = 16;
  report.launches.push_back(std::move(launch));
  add_bottlenecks(report, nullptr);
  return report;
}

AccessLog changed(const ProgramReport& report) { return *report.launches[0].accesses; }
void set(ProgramReport& report, AccessLog log) {
  report.launches[0].accesses = std::make_shared<AccessLog>(std::move(log));
}

Checklist of(const ProgramReport& report, std::optional<Reference> reference = {}, std::vector<SizeRun> sizes = {}) {
  const FixReport fix = advise_on(report, {});
  return checklist_of({report, fix, std::move(reference), std::move(sizes)});
}

Point point(const Checklist& list, PointId id) { return list.points.at(static_cast<std::size_t>(id)); }

TEST(Checklist, has_ten_points_in_order_and_one_fault_of_a_plain_transposition) {
  const Checklist list = of(transposition());
  ASSERT_EQ(list.points.size(), 10u);
  for (std::size_t i = 0; i < list.points.size(); ++i) EXPECT_EQ(static_cast<std::size_t>(list.points[i].id), i);
  for (PointId id :
       {PointId::addresses, PointId::banks, PointId::bijection, PointId::inside, PointId::same_map, PointId::barrier})
    EXPECT_EQ(point(list, id).answer, Answer::yes) << spelled(id);
  EXPECT_EQ(point(list, PointId::conflicts).answer, Answer::no);
  EXPECT_THAT(point(list, PointId::conflicts).evidence.at(0).text,
              HasSubstr("1,056 wavefronts before, ideal 64; 64 after"));
  EXPECT_EQ(point(list, PointId::result).answer, Answer::not_known);
  EXPECT_EQ(point(list, PointId::sizes).answer, Answer::not_known);
  EXPECT_EQ(point(list, PointId::bottleneck).answer, Answer::yes);
  EXPECT_TRUE(list.has_findings());
}

TEST(Checklist, lists_addresses_and_banks_of_each_instruction) {
  const Checklist list = of(transposition());
  const auto evidence = point(list, PointId::banks).evidence;
  ASSERT_EQ(evidence.size(), 2u);
  EXPECT_EQ(evidence[0].text, "32 lanes in 32 banks: 1 wavefront, ideal 1");
  EXPECT_EQ(evidence[1].text, "32 lanes in 1 bank (bank 0): 32 wavefronts, ideal 1");
  EXPECT_EQ(evidence[1].line, 11u);
  EXPECT_EQ(evidence[1].addresses.at(31), 31u * 128);
  EXPECT_EQ(evidence[1].banks.at(31), 0u);
  EXPECT_EQ(point(list, PointId::addresses).evidence[1].text, "32 lanes at bytes 0, 128, ... 3968, at 32 places");
}

TEST(Checklist, two_lanes_at_one_element_are_no_bijection) {
  ProgramReport report = transposition();
  AccessLog log = changed(report);
  log.accesses[0].relative_bytes[7] = log.accesses[0].relative_bytes[3];
  set(report, log);
  const Point bijection = point(of(report), PointId::bijection);
  EXPECT_EQ(bijection.answer, Answer::no);
  EXPECT_EQ(bijection.evidence.at(0).text, "lanes 3 and 7 of one store write the same bytes");
  EXPECT_EQ(bijection.evidence.at(0).lanes, 1u << 3 | 1u << 7);
}

TEST(Checklist, elements_written_unequally_often_prove_nothing) {
  ProgramReport report = transposition();
  AccessLog log = changed(report);
  log.accesses[0].bases[5].count = 2;
  set(report, log);
  EXPECT_EQ(point(of(report), PointId::bijection).answer, Answer::not_known);
}

TEST(Checklist, what_found_no_room_in_the_log_is_not_known) {
  ProgramReport report = transposition();
  AccessLog log = changed(report);
  log.arrays[0].unrecorded = 1;
  set(report, log);
  EXPECT_EQ(point(of(report), PointId::addresses).answer, Answer::not_known);
  EXPECT_EQ(point(of(report), PointId::bijection).answer, Answer::not_known);
}

TEST(Checklist, checks_answer_the_points_that_they_are_about) {
  const struct {
    findings::Rule rule;
    PointId point;
  } rules[] = {{findings::Rule::race, PointId::barrier},
               {findings::Rule::out_of_bounds, PointId::inside},
               {findings::Rule::swizzle_mismatch, PointId::same_map}};
  for (const auto& [rule, id] : rules) {
    ProgramReport report = transposition();
    findings::CheckReport check;
    check.rule = rule;
    check.message = "threads 0 and 32";
    check.access.file = "a.cu";
    check.access.line = 11;
    report.launches[0].checks.push_back(check);
    report.findings = findings::findings_of(report.launches);
    const Checklist list = of(report);
    EXPECT_EQ(point(list, id).answer, Answer::no);
    ASSERT_EQ(point(list, id).evidence.size(), 1u);
    EXPECT_THAT(point(list, id).evidence[0].text, HasSubstr("threads 0 and 32"));
    EXPECT_EQ(point(list, id).evidence[0].line, 11u);
    for (PointId other : {PointId::inside, PointId::same_map, PointId::barrier})
      EXPECT_EQ(point(list, other).answer, other == id ? Answer::no : Answer::yes) << spelled(other);
  }
}

TEST(Checklist, a_reference_and_other_sizes_are_compared) {
  const ProgramReport report = transposition();
  Checklist list = of(report, Reference{"./ref", true, true, 0}, {{"512", 0, 1, 0, 64, 0, ""}});
  EXPECT_EQ(point(list, PointId::result).answer, Answer::yes);
  EXPECT_EQ(point(list, PointId::sizes).answer, Answer::yes);
  list = of(report, Reference{"./ref", true, false, 7}, {{"512", 0, 1, 2, 64, 0, ""}});
  EXPECT_EQ(point(list, PointId::result).answer, Answer::no);
  EXPECT_THAT(point(list, PointId::result).evidence.at(0).text, HasSubstr("line 7"));
  EXPECT_EQ(point(list, PointId::sizes).answer, Answer::no);
  list = of(report, Reference{"./ref", false, false, 1}, {{"512", 0, 0, 0, 0, 0, "no kernel was launched"}});
  EXPECT_EQ(point(list, PointId::result).answer, Answer::not_known);
  EXPECT_EQ(point(list, PointId::sizes).answer, Answer::not_known);
}

TEST(Checklist, a_program_without_shared_memory_leaves_all_open) {
  ProgramReport report;
  report.launches.emplace_back();
  const Checklist list = of(report);
  for (const Point& one : list.points) EXPECT_EQ(one.answer, Answer::not_known) << spelled(one.id);
  EXPECT_FALSE(list.has_findings());
}

TEST(Checklist, being_the_bottleneck_is_no_finding) {
  Checklist list;
  list.points = {{PointId::bottleneck, Answer::no, "", {}}};
  EXPECT_FALSE(list.has_findings());
}

TEST(Checklist, text_and_json_have_every_point) {
  const Checklist list = of(transposition());
  const std::string text = checklist_text(list, {120, 6});
  EXPECT_THAT(text, HasSubstr("tr<(int)32> t a.cu:11: 32 lanes in 1 bank (bank 0): 32 wavefronts, ideal 1"));
  EXPECT_THAT(text, HasSubstr("7 of 10 answered with yes (exit 120)"));
  const auto json = nlohmann::json::parse(checklist_json(list));
  EXPECT_EQ(json["schema"], "lanebank.checklist/1");
  ASSERT_EQ(json["points"].size(), 10u);
  EXPECT_EQ(json["points"][6]["id"], "conflicts");
  EXPECT_EQ(json["points"][6]["answer"], "no");
  EXPECT_EQ(json["points"][1]["evidence"][1]["banks"].size(), 32u);
  EXPECT_EQ(json["points"][7]["answer"], "not-known");
}

}  // namespace
}  // namespace lanebank::advise
