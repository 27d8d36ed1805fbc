// Nsight Compute's pages read, compared with predictions, and every difference explained. Measurements: data/README.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "../report/golden.hpp"
#include "../report/sample.hpp"
#include "verify/compare.hpp"
#include "verify/formats.hpp"

namespace lanebank::verify {
namespace {

using findings::Kind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string content(const std::string& name) {
  std::ifstream file(std::string(LANEBANK_TEST_DATA) + "/" + name, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Result<Measurement> read(const std::string& text) {
  std::istringstream in(text);
  return read_ncu_csv(in, "f.csv");
}

Measurement measured(const std::string& name) {
  auto source = read(content(name + ".source.csv")), raw = read(content(name + ".raw.csv"));
  EXPECT_TRUE(source && raw);
  auto both = joined(std::move(*source), std::move(*raw));
  EXPECT_TRUE(both);
  return both.value_or(Measurement{});
}

const char* const header =
    "\"Address\",\"Source\",\"Instructions Executed\",\"Predicated-On Thread Instructions Executed\","
    "\"L1 Conflicts Shared N-Way\",\"L1 Wavefronts Shared\",\"L1 Wavefronts Shared Ideal\"\n";
const char* const kernel = "\"Kernel Name\",\"void tr<(int)0, (int)32>(const float *, float *, int)\",\n";

/// A table with the rows of test::plain_launch: a clean store and a load with 32 wavefronts each time.
std::string table(const std::string& load = "\"32768\",\"1048576\",\"32\",\"1048576\",\"32768\"",
                  const std::string& store = "\"32768\",\"1048576\",\"1\",\"32768\",\"32768\"") {
  std::string text = std::string(kernel) + header;
  for (unsigned at = 0; at < 40; at++) {
    char address[32];
    std::snprintf(address, sizeof address, "\"0x7f00%04x\",", 0x1000 + 16 * at);
    text += address +
            (at == 1    ? std::string("\"      S2R R0, SR_TID.X\",\"32768\",\"1048576\",\"0\",\"0\",\"0\"")
             : at == 25 ? "\"      STS [R5], R4\"," + store
             : at == 31 ? "\"  @P0 LDS R9, [R6]\"," + load
                        : "\"      NOP\",\"0\",\"0\",\"0\",\"0\",\"0\"") +
            "\n";
  }
  return text;
}

findings::ProgramReport program(findings::LaunchReport launch = test::plain_launch()) {
  findings::ProgramReport report;
  report.command = {"./transposes"};
  report.launches.push_back(std::move(launch));
  return report;
}

/// The comparison of plain_launch with such a table; its row of the load.
RowComparison compared(const std::string& text, const findings::ProgramReport& predicted = program()) {
  auto launches = read(text);
  EXPECT_TRUE(launches);
  const Comparison result = compare(predicted, std::move(*launches), false);
  EXPECT_THAT(result.problems, IsEmpty());
  EXPECT_EQ(result.launches.size(), 1u);
  return result.launches.at(0).rows.at(1);
}

findings::LaunchReport changed(void (*change)(findings::InstructionReport& load)) {
  findings::LaunchReport launch = test::plain_launch();
  findings::Instructions rows = *launch.instructions;
  change(rows.at(2));
  test::set_rows(launch, std::move(rows));
  return launch;
}

TEST(NcuCsv, ReadsTheSourcePageOfAnH200) {
  const Measurement launches = measured("atomics");
  ASSERT_EQ(launches.size(), 1u);
  const MeasuredLaunch& launch = launches[0];
  EXPECT_EQ(launch.kernel, "accumulate(const float *, float *)");
  EXPECT_EQ(launch.grid, (std::array<std::uint32_t, 3>{1, 1, 1}));
  EXPECT_EQ(launch.block, (std::array<std::uint32_t, 3>{256, 1, 1}));
  EXPECT_EQ(launch.capability, "9.0");
  ASSERT_EQ(launch.rows.size(), 18u);
  EXPECT_EQ(launch.rows[1], (MeasuredRow{0x110, "LDS R8, [R5+UR4]", 95, 2041, 533, 95, 5.0}));
  EXPECT_EQ(launch.counters.at("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"), 1952);
}

TEST(NcuCsv, EachLaunchOnceThoughThePageHasItTwice) {
  auto source = read(content("transposes.source.csv"));
  ASSERT_TRUE(source);
  EXPECT_EQ(source->size(), 4u);
  const Measurement once = measured("transposes");
  ASSERT_EQ(once.size(), 2u);
  EXPECT_EQ(once[0].kernel, "void tr<(int)0, (int)32>(const float *, float *, int)");
  EXPECT_EQ(once[0].rows.at(1).wavefronts, 65536u);
  EXPECT_EQ(once[1].rows.at(1).wavefronts, 2048u);
  EXPECT_EQ(doubles_in(*source), Doubles::certain);
  EXPECT_EQ(doubles_in(once), Doubles::none);
  EXPECT_EQ(doubles_in(*read(table() + table())), Doubles::possible);
}

TEST(NcuCsv, ColumnsAreFoundByNameInAnyRelease) {
  for (const char* names :
       {"\"Address\",\"Source\",\"L1 Wavefronts Shared Ideal\",\"L1 Wavefronts Shared\"",
        "\"Address\",\"Source\",\"memory_l1_wavefronts_shared_ideal\",\"memory_l1_wavefronts_shared\"",
        "\"Address\",\"Source\",\"L1 Wavefronts Shared Ideal (memory_l1_wavefronts_shared_ideal)\","
        "\"L1 Wavefronts Shared (memory_l1_wavefronts_shared)\"",
        "\"Address\",\"Source\",\"Memory Ideal L1 Transactions Shared\",\"Memory L1 Transactions Shared\""}) {
    const auto launches = read(std::string(kernel) + names + "\n\"16\",\"LDS R1, [R2]\",\"1,024\",\"2,048.00\"\n");
    ASSERT_TRUE(launches) << names;
    const MeasuredRow& row = launches->at(0).rows.at(0);
    EXPECT_EQ(row.ideal, 1024u);
    EXPECT_EQ(row.wavefronts, 2048u);
    EXPECT_EQ(row.executed, std::nullopt);
  }
}

TEST(NcuCsv, ReadsTheDetailsPageBetweenOtherLines) {
  const auto launches = read(
      "==PROF== Connected to process 7\n\"quoted\" output, of the program\nOK\n"
      "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"CC\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
      "\"0\",\"a(int *)\",\"(32, 1, 1)\",\"(2, 1, 1)\",\"8.9\",\"memory_l1_wavefronts_shared\",\"\",\"38 (0; 4; 34)\"\n"
      "\"0\",\"a(int *)\",\"(32, 1, 1)\",\"(2, 1, "
      "1)\",\"8.9\",\"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum\",\"\",\"1,234\"\n"
      "\"1\",\"b\",\"(32, 1, 1)\",\"(2, 1, 1)\",\"8.9\",\"dram__bytes.sum\",\"Gbyte\",\"1.5\"\n");
  ASSERT_TRUE(launches);
  ASSERT_EQ(launches->size(), 2u);
  EXPECT_EQ(launches->at(0).counters.at("memory_l1_wavefronts_shared"), 38);
  EXPECT_EQ(launches->at(0).counters.at("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"), 1234);
  EXPECT_THAT(launches->at(1).counters, IsEmpty());
}

TEST(NcuCsv, SaysWhatIsWrongAndWhere) {
  const auto error = [](const std::string& text) {
    const auto launches = read(text);
    EXPECT_FALSE(launches) << text;
    return launches ? Diagnostic{} : launches.error();
  };
  const std::string good = table();
  EXPECT_EQ(error("").id, "ncu.no-table");
  EXPECT_THAT(error("==ERROR== ERR_NVGPUCTRPERM - The user does not ...\n").what, HasSubstr("ERR_NVGPUCTRPERM"));
  EXPECT_THAT(error("==WARNING== No kernels were profiled.\n").what, HasSubstr("no kernel"));
  const Diagnostic columns = error(std::string(kernel) + "\"Address\",\"Source\",\"Instructions Executed\"\n");
  EXPECT_EQ(columns.id, "ncu.columns");
  EXPECT_EQ(columns.where, "f.csv:2");
  EXPECT_THAT(columns.remedy, HasSubstr("--metrics inst_executed,"));
  EXPECT_EQ(error("\"File Path\",\"a.cu\"\n\"Function Name\",\"f\"\n\"Line No\",\"Source\",\"Address\"\n").id,
            "ncu.view");
  EXPECT_EQ(error(good.substr(0, good.size() - 5)).id, "ncu.truncated");
  EXPECT_EQ(error(good.substr(0, good.size() - 12)).id, "ncu.truncated");
  EXPECT_EQ(error(std::string(kernel) + header + "\"0x10\",\"LDS\",\"1\"\n" + good).id, "ncu.damaged");
  EXPECT_EQ(error(table("\"1.05 M\",\"1\",\"1\",\"1\",\"1\"")).id, "ncu.number");
  EXPECT_EQ(error(table("\"-5\",\"1\",\"1\",\"1\",\"1\"")).id, "ncu.number");
  EXPECT_EQ(error(table("\"1e300\",\"1\",\"1\",\"1\",\"1\"")).id, "ncu.number");
  EXPECT_EQ(error("\"" + std::string(2 << 20, 'x')).id, "ncu.line");
}

TEST(NcuCsv, PagesOfDifferentProgramsAreNotJoined) {
  EXPECT_EQ(joined(measured("atomics"), measured("copies")).error().id, "ncu.pages");
  EXPECT_EQ(joined(*read(content("atomics.source.csv")), *read(content("copies.raw.csv"))).error().id, "ncu.pages");
}

TEST(Compare, EqualRows) {
  const RowComparison row = compared(table());
  EXPECT_EQ(row.verdict(), Verdict::equal);
  EXPECT_EQ(row.measured->wavefronts, 1048576u);
  EXPECT_EQ(row.nway, 32.0);
  EXPECT_THAT(row.explanation, IsEmpty());
}

TEST(Compare, AnotherCostIsUnexplained) {
  const RowComparison row = compared(table("\"32768\",\"1048576\",\"16\",\"524288\",\"32768\""));
  EXPECT_EQ(row.cause, Cause::wavefronts);
  EXPECT_EQ(row.verdict(), Verdict::unexplained);
  findings::LaunchReport assumed = test::plain_launch();
  assumed.measured = false;
  assumed.rules_source = "as on sm_90";
  EXPECT_THAT(compared(table("\"32768\",\"1048576\",\"16\",\"524288\",\"32768\""), program(assumed)).explanation,
              HasSubstr("assumed: as on sm_90"));
}

TEST(Compare, AnotherNumberOfExecutionsIsUnexplainedUnlessTheKernelRaces) {
  const std::string text = table("\"32767\",\"1048544\",\"32\",\"1048544\",\"32767\"");
  EXPECT_EQ(compared(text).cause, Cause::executed);
  findings::LaunchReport racing = test::plain_launch();
  racing.checks.push_back(test::race());
  EXPECT_EQ(compared(text, program(racing)).cause, Cause::race);
  EXPECT_EQ(compared(table(), program(racing)).cause, Cause::none);
}

TEST(Compare, LoopsThatRaceAreExplained) {
  const auto launch = changed([](findings::InstructionReport& load) { load.timing_dependent = true; });
  const RowComparison row = compared(table("\"40000\",\"1280000\",\"32\",\"1280000\",\"40000\""), program(launch));
  EXPECT_EQ(row.cause, Cause::timing);
  EXPECT_EQ(row.verdict(), Verdict::explained);
}

TEST(Compare, PredicatesThatNcuMisreadsAreExplained) {
  const auto cause = [](const std::string& sass, const std::string& counts) {
    findings::LaunchReport launch = test::plain_launch();
    findings::Instructions rows = *launch.instructions;
    rows.at(2).sass = sass;
    test::set_rows(launch, std::move(rows));
    std::string text = table(counts);
    const std::string load = "  @P0 LDS R9, [R6]";
    text.replace(text.find(load), load.size(), sass);
    return compared(text, program(launch)).cause;
  };
  const std::string more = "\"32768\",\"1048576\",\"64\",\"2097152\",\"65536\"",
                    none = "\"32768\",\"1048576\",\"0\",\"0\",\"0\"";
  EXPECT_EQ(cause("LDGSTS.E.BYPASS.128.ZFILL desc[UR8][R2.64], [R6], P0", more), Cause::predicate);
  EXPECT_EQ(cause("LDGSTS.E.BYPASS.128.ZFILL desc[UR8][R2.64], [R6], P1", more), Cause::wavefronts);
  EXPECT_EQ(cause("@P0 LDGSTS.E.BYPASS.128 desc[UR8][R2.64], [R6]", none), Cause::predicate);
  EXPECT_EQ(cause("@P0 LDGSTS.E.BYPASS.128 desc[UR8][R2.64], [R6]", more), Cause::wavefronts);
  EXPECT_EQ(cause("LDGSTS.E.128.ZFILL desc[UR8][R2.64], [R6], P0", more), Cause::wavefronts);
}

TEST(Compare, WithoutAModelTheMeasurementIsShown) {
  const auto launch = changed([](findings::InstructionReport& load) {
    load.modelled = false;
    load.why = "some read less than they write";
  });
  const RowComparison row = compared(table(), program(launch));
  EXPECT_EQ(row.cause, Cause::not_modelled);
  EXPECT_EQ(row.predicted.wavefronts, std::nullopt);
  EXPECT_THAT(row.explanation, HasSubstr("read less than they write"));
  // How often it ran is predicted all the same.
  EXPECT_EQ(compared(table("\"1\",\"32\",\"32\",\"32\",\"1\""), program(launch)).cause, Cause::executed);
}

TEST(Compare, FiguresThatTheFileLacksAreNotHeldAgainstIt) {
  EXPECT_EQ(compared(table("\"n/a\",\"n/a\",\"n/a\",\"1048576\",\"32768\"")).verdict(), Verdict::equal);
}

TEST(Compare, SharedMemoryWhereNoneWasPredicted) {
  const auto launch = changed([](findings::InstructionReport& load) {
    load.sass = "LDS R9, [R6]";
    load.address = 480;  // and at 496 the file has wavefronts
  });
  auto launches = read(table());
  const Comparison result = compare(program(launch), std::move(*launches), false);
  ASSERT_EQ(result.problems.size(), 1u);
  EXPECT_EQ(result.problems[0].id, "verify.code");
  const auto without = changed([](findings::InstructionReport& load) {
    load.kind = Kind::other;
    load.wavefronts = load.ideal = 0;
  });
  const RowComparison row = compared(table(), program(without));
  EXPECT_EQ(row.cause, Cause::not_predicted);
  EXPECT_EQ(row.instruction->kind, Kind::load);
  EXPECT_EQ(row.verdict(), Verdict::unexplained);
}

TEST(Compare, RowsOfCalledFunctionsMayBeMissing) {
  const auto launch = changed([](findings::InstructionReport& load) { load.function = "helper(int)"; });
  auto launches = read(table("\"0\",\"0\",\"0\",\"0\",\"0\""));
  const auto predicted = program(launch);
  const Comparison result = compare(predicted, std::move(*launches), false);
  ASSERT_EQ(result.launches.at(0).rows.size(), 2u);
  EXPECT_EQ(result.launches[0].rows[1].cause, Cause::other_function);
  EXPECT_EQ(result.total.unexplained, 0u);
}

TEST(Compare, OtherCodeAndCutFilesAreSaid) {
  const auto problem = [](std::string text) {
    auto launches = read(text);
    EXPECT_TRUE(launches);
    const auto predicted = program();
    const Comparison result = compare(predicted, std::move(*launches), false);
    EXPECT_EQ(result.compared(), 0u);
    return result.problems.empty() ? Diagnostic{} : result.problems[0];
  };
  std::string other = table();
  other.replace(other.find("LDS R9"), 6, "LDSM R");
  EXPECT_THAT(problem(other).what, HasSubstr("at +0x01f0 it has LDSM, predicted is LDS of sm_90"));
  const std::string whole = table();
  const std::string cut = whole.substr(0, whole.rfind('\n', whole.find("LDS R9")) + 1);
  EXPECT_EQ(problem(cut).id, "verify.cut");
}

TEST(Compare, LaunchesAreMatchedByKernelShapeAndOrder) {
  findings::ProgramReport predicted = program();
  predicted.launches.push_back(test::clean_launch(1));
  predicted.launches.push_back(test::plain_launch(2));
  predicted.launches[2].grid = {8, 8, 1};
  const std::string raw =
      "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid "
      "Size\",\"CC\",\"memory_l1_wavefronts_shared\",\"memory_l1_wavefronts_shared_ideal\"\n";
  // The raw page spells template arguments otherwise; the launches come in another order, and one has another grid.
  auto launches = read(
      raw +
      "\"0\",\"void tr<1, 32>(const float *, float *, int)\",\"(32, 32, 1)\",\"(32, 32, "
      "1)\",\"9.0\",\"65536\",\"65536\"\n"
      "\"1\",\"void tr<0, 32>(const float *, float *, int)\",\"(32, 32, 1)\",\"(8, 8, 1)\",\"9.0\",\"1\",\"65536\"\n"
      "\"2\",\"void tr<0, 32>(const float *, float *, int)\",\"(32, 32, 1)\",\"(16, 32, "
      "1)\",\"9.0\",\"1081344\",\"65536\"\n"
      "\"3\",\"other(int *)\",\"(32, 1, 1)\",\"(1, 1, 1)\",\"9.0\",\"1\",\"1\"\n");
  ASSERT_TRUE(launches);
  const Comparison result = compare(predicted, std::move(*launches), true);
  ASSERT_EQ(result.launches.size(), 2u);
  EXPECT_EQ(result.launches[0].launch->id, 1u);
  EXPECT_TRUE(result.launches[0].whole_kernel);
  EXPECT_EQ(result.launches[0].rows.at(0).verdict(), Verdict::equal);
  EXPECT_EQ(result.launches[1].launch->id, 2u);
  EXPECT_EQ(result.launches[1].rows.at(0).cause, Cause::wavefronts);
  ASSERT_EQ(result.problems.size(), 2u);
  EXPECT_THAT(result.problems[0].what, HasSubstr("it ran with grid 16x32"));
  EXPECT_THAT(result.problems[1].what, HasSubstr("did not launch it under lanebank"));
  EXPECT_EQ(result.capabilities, "9.0");
}

TEST(Compare, LaunchesThatWereNotMeasuredAreSaidUnlessTheFileIsPartial) {
  findings::ProgramReport predicted = program();
  predicted.launches.push_back(test::clean_launch(1));
  EXPECT_THAT(compare(predicted, *read(table()), true).problems, IsEmpty());
  const Comparison whole = compare(predicted, *read(table()), false);
  ASSERT_EQ(whole.problems.size(), 1u);
  EXPECT_EQ(whole.problems[0].id, "verify.not-measured");
  EXPECT_EQ(whole.not_measured, 1u);
}

TEST(Compare, APageWithEveryLaunchTwiceIsReadOnce) {
  const auto predicted = program();
  const Comparison result = compare(predicted, *read(table() + table()), false);
  EXPECT_EQ(result.launches.size(), 1u);
  EXPECT_THAT(result.problems, IsEmpty());
}

/// Counters of plain_launch as a raw page has them: the load's excess is 1,015,808, the wavefronts of loads 1,048,576.
std::map<std::string, CounterComparison> counters(const std::map<std::string, std::string>& values,
                                                  bool racing = false) {
  std::string names = "\"ID\",\"Kernel Name\",\"CC\"",
              cells = "\"0\",\"void tr<0, 32>(const float *, float *, int)\",\"9.0\"";
  for (const auto& [name, value] : values) names += ",\"l1tex__data_" + name + ".sum\"", cells += ",\"" + value + "\"";
  auto both = joined(*read(table()), *read(names + "\n" + cells + "\n"));
  EXPECT_TRUE(both);
  auto launch = changed([](findings::InstructionReport& load) { load.timing_dependent = true; });
  const auto predicted = program(racing ? launch : test::plain_launch());
  std::map<std::string, CounterComparison> result;
  const Comparison comparison = compare(predicted, std::move(*both), false);
  for (const CounterComparison& counter : comparison.launches.at(0).counters)
    result[counter.metric.substr(12, counter.metric.size() - 16)] = counter;
  return result;
}

TEST(Counters, ArbitrationShowsAlikeInConflictsAndWavefronts) {
  const auto found = counters({{"bank_conflicts_pipe_lsu_mem_shared_op_ld", "1,016,037"},
                               {"pipe_lsu_wavefronts_mem_shared_op_ld", "1,048,805"},
                               {"bank_conflicts_pipe_lsu_mem_shared_op_st", "0"},
                               {"pipe_lsu_wavefronts_mem_shared", "1,083,424"}});
  const CounterComparison& loads = found.at("bank_conflicts_pipe_lsu_mem_shared_op_ld");
  EXPECT_EQ(loads.source_page, 1015808u);
  EXPECT_EQ(loads.difference(), 229);
  EXPECT_EQ(loads.cause, Cause::arbitration);
  EXPECT_TRUE(loads.confirmed);
  EXPECT_THAT(loads.explanation, HasSubstr("by the same 229"));
  EXPECT_EQ(found.at("bank_conflicts_pipe_lsu_mem_shared_op_st").cause, Cause::none);
  EXPECT_EQ(found.at("pipe_lsu_wavefronts_mem_shared").cause, Cause::barriers);
}

TEST(Counters, OfLoopsThatRaceComeFromOtherRuns) {
  EXPECT_EQ(counters({{"bank_conflicts_pipe_lsu_mem_shared_op_ld", "900000"}}, true)
                .at("bank_conflicts_pipe_lsu_mem_shared_op_ld")
                .cause,
            Cause::passes);
  EXPECT_EQ(counters({{"bank_conflicts_pipe_lsu_mem_shared_op_ld", "900000"}})
                .at("bank_conflicts_pipe_lsu_mem_shared_op_ld")
                .cause,
            Cause::counter);
}

TEST(Counters, ThoseOfCopiesAndAtomicsDifferByThemselves) {
  const auto found = counters(
      {{"bank_conflicts_pipe_lsu_mem_shared_op_ldgsts", "7"}, {"bank_conflicts_pipe_lsu_mem_shared_op_atom", "7"}});
  EXPECT_EQ(found.at("bank_conflicts_pipe_lsu_mem_shared_op_ldgsts").cause, Cause::async_copies);
  EXPECT_EQ(found.at("bank_conflicts_pipe_lsu_mem_shared_op_atom").cause, Cause::atomics);
}

/// Of every kind one: what reports of it look like.
findings::ProgramReport mixed_program() {
  findings::LaunchReport launch = test::plain_launch();
  findings::Instructions rows = *launch.instructions;
  findings::InstructionReport loop = rows[2], unmodelled = rows[2], called = rows[2];
  loop.address = 512;
  loop.sass = "ATOMS.CAST.SPIN R9, [R6], R8, R9";
  loop.kind = Kind::atomic;
  loop.timing_dependent = true;
  loop.line = 20;
  unmodelled.address = 528;
  unmodelled.sass = "LDGSTS.E.BYPASS.128.ZFILL [R9], desc[UR6][R4.64]";
  unmodelled.kind = Kind::async_copy;
  unmodelled.modelled = false;
  unmodelled.why = "where the lanes read global memory is not known, or some read less than they write";
  unmodelled.line = 21;
  called.function = "helper(int)";
  rows.insert(rows.end(), {loop, unmodelled, called});
  test::set_rows(launch, rows);
  findings::ProgramReport report = program(launch);
  findings::make_files_relative(report.launches, "/home/me/project");
  return report;
}

Comparison mixed_comparison(const findings::ProgramReport& predicted) {
  std::string text = table("\"32768\",\"1048576\",\"16\",\"524288\",\"32768\"");
  const auto put = [&](const char* address, const char* row) {
    const std::size_t at = text.find(address), end = text.find('\n', at);
    text.replace(at, end - at, std::string(address) + "\"," + row);
  };
  put("0x7f001200", "\"ATOMS.CAST.SPIN R9, [R6], R8, R9\",\"40000\",\"1200000\",\"2\",\"80000\",\"80000\"");
  put("0x7f001210",
      "\"LDGSTS.E.BYPASS.128.ZFILL [R9], desc[UR6][R4.64]\",\"32768\",\"1048576\",\"4\",\"131072\",\"131072\"");
  auto both = joined(*read(text), *read("\"ID\",\"Kernel Name\",\"Block Size\",\"Grid "
                                        "Size\",\"CC\",\"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum\"\n"
                                        "\"0\",\"void tr<0, 32>(const float *, float *, int)\",\"(32, 32, 1)\",\"(32, "
                                        "32, 1)\",\"9.0\",\"500,000\"\n"));
  return compare(predicted, both.value_or(Measurement{}), false);
}

TEST(VerifyReport, TextAndJsonOfEveryKindOfRow) {
  const findings::ProgramReport predicted = mixed_program();
  const Comparison comparison = mixed_comparison(predicted);
  std::vector<Verdict> verdicts;
  for (const RowComparison& row : comparison.launches.at(0).rows) verdicts.push_back(row.verdict());
  EXPECT_THAT(verdicts, ElementsAre(Verdict::equal, Verdict::unexplained, Verdict::explained, Verdict::explained,
                                    Verdict::explained));
  test::expect_golden("mixed.txt", verify_text(predicted, comparison, {120, false, 120}));
  test::expect_golden("mixed.json", verify_json(predicted, comparison));
}

TEST(VerifyReport, EqualLaunchesAreShownOnceAndLongKernelsShortened) {
  findings::ProgramReport predicted = program();
  predicted.launches.push_back(test::plain_launch(1));
  const Comparison comparison = compare(predicted, *read(table() + table() + table() + table()), false);
  const std::string text = verify_text(predicted, comparison, {100, false, 0, 1});
  EXPECT_THAT(text, HasSubstr("block 32x32   x 2\n"));
  EXPECT_THAT(text, HasSubstr("and 1 row more, equal; --json has them all"));
  EXPECT_THAT(text, HasSubstr("4 of 4 rows equal, 0 explained, 0 unexplained"));
  EXPECT_THAT(text, Not(HasSubstr("\033[")));
}

TEST(Names, OfTheRawPageHaveNoCasts) {
  EXPECT_EQ(without_casts("void tr<(int)0, (ns::E)2, float>(const float *, (int)3)"),
            "void tr<0, 2, float>(const float *, (int)3)");
  EXPECT_EQ(without_casts("void f<void (*)(int)>(T1)"), "void f<void (*)(int)>(T1)");
  EXPECT_EQ(without_casts("f<(int"), "f<(int");
}

TEST(Metrics, ToCollectAreThoseOfTheTables) {
  const std::string list = metrics_to_collect();
  EXPECT_THAT(list, HasSubstr("memory_l1_wavefronts_shared,memory_l1_wavefronts_shared_ideal,"));
  EXPECT_THAT(list, HasSubstr("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"));
  EXPECT_THAT(list, Not(HasSubstr("ldgsts")));  // which sm_75 does not have
  EXPECT_THAT(list, Not(HasSubstr("derived__")));
}

}  // namespace
}  // namespace lanebank::verify
