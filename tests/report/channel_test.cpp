#include "report/channel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "report/json.hpp"
#include "sample.hpp"

namespace lanebank::report {
namespace {

using findings::LaunchReport;
using testing::HasSubstr;

std::string line(const Record& record) {
  std::string text = encode(record);
  text.pop_back();
  return text;
}

findings::ProgramReport finish(ChannelReader& reader) {
  findings::ProgramReport report;
  reader.finish(report);
  return report;
}

class ChannelFile : public testing::Test {
 protected:
  ChannelFile() { std::ofstream(path_).close(); }
  ~ChannelFile() override { std::filesystem::remove(path_); }
  std::string path_ = testing::TempDir() + "channel-" + std::to_string(::getpid());
};

TEST(Channel, RecordsAreOneLineEachAndReadBackWhole) {
  LaunchReport launch = test::plain_launch(3);
  launch.fault = findings::FaultReport{"trap", "Traps.\nTwice.", 16, "f(int)", "a.cu", 3, 7, 33};
  launch.checks = {test::race()};
  launch.accesses = std::make_shared<findings::AccessLog>(test::sample_log());
  const std::string text = encode({4711, launch, {}});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_EQ(text.back(), '\n');
  const auto back = decode(std::string_view(text).substr(0, text.size() - 1));
  ASSERT_TRUE(back) << to_string(back.error());
  EXPECT_EQ(back->process, 4711);
  const LaunchReport& read = std::get<LaunchReport>(back->content);
  EXPECT_EQ(read.id, 3u);
  EXPECT_EQ(read.seconds, launch.seconds);
  EXPECT_EQ(read.fault, launch.fault);
  EXPECT_EQ(read.checks, launch.checks);
  EXPECT_EQ(read.rules_source, launch.rules_source);
  EXPECT_EQ(*read.instructions, *launch.instructions) << "with reasons, cures and worst accesses";
  ASSERT_TRUE(read.accesses);
  EXPECT_EQ(*read.accesses, *launch.accesses);

  const Diagnostic problem{"call.unsupported", "cudaFoo", "w", "r", Severity::error};
  const auto second = decode(line({1, problem, {}}));
  ASSERT_TRUE(second);
  EXPECT_EQ(std::get<Diagnostic>(second->content).where, "cudaFoo");
  EXPECT_TRUE(std::holds_alternative<FilteredLaunch>(decode(line({1, FilteredLaunch{}, {}}))->content));
}

TEST(Channel, LaunchesOfOneProcessComeInTheirOwnOrder) {
  ChannelReader reader;
  reader.take(line({7, test::clean_launch(1), {}}));
  reader.take(line({7, test::plain_launch(0), {}}));
  const auto report = finish(reader);
  ASSERT_EQ(report.launches.size(), 2u);
  EXPECT_EQ(report.launches[0].symbol, test::plain_launch().symbol);
  EXPECT_EQ(report.launches[0].id, 0u);
  EXPECT_EQ(report.launches[1].id, 1u);
}

TEST(Channel, ProcessesAreCountedThroughByTheirFirstRecord) {
  ChannelReader reader;
  reader.take(line({900, test::plain_launch(0), {}}));
  reader.take(line({800, test::plain_launch(0), {}}));
  reader.take(line({900, test::clean_launch(1), {}}));
  const auto report = finish(reader);
  ASSERT_EQ(report.launches.size(), 3u);
  EXPECT_EQ(report.launches[1].process, 0u);
  EXPECT_EQ(report.launches[1].symbol, test::clean_launch().symbol);
  EXPECT_EQ(report.launches[2].process, 1u);
  EXPECT_EQ(report.launches[2].id, 2u);
}

TEST(Channel, EqualRowsOfManyLaunchesAreHeldOnce) {
  ChannelReader reader;
  for (unsigned i = 0; i < 10; i++) reader.take(line({1, test::plain_launch(i), {}}));
  const auto report = finish(reader);
  for (const LaunchReport& launch : report.launches) EXPECT_EQ(launch.instructions, report.launches[0].instructions);
}

TEST(Channel, RowsCanBeThoseOfAnEarlierLaunchOfTheProcess) {
  ChannelReader reader;
  reader.take(line({1, test::plain_launch(4), {}}));
  Record again{1, test::plain_launch(7), 4};
  EXPECT_LT(encode(again).size(), 1000u);
  reader.take(line(again));
  auto report = finish(reader);
  ASSERT_EQ(report.launches.size(), 2u);
  EXPECT_TRUE(report.problems.empty());
  EXPECT_EQ(report.launches[1].instructions, report.launches[0].instructions);

  again.process = 2;
  reader.take(line({1, test::plain_launch(4), {}}));
  reader.take(line(again));
  report = finish(reader);
  EXPECT_EQ(report.launches.size(), 1u) << "another process has no such launch";
  EXPECT_EQ(report.problems.size(), 1u);
}

TEST(Channel, LogsAreHeldOnceAndCanBeThoseOfAnEarlierLaunch) {
  LaunchReport launch = test::plain_launch(4);
  launch.accesses = std::make_shared<findings::AccessLog>(test::sample_log());
  ChannelReader reader;
  reader.take(line({1, launch, {}}));
  launch.id = 5;
  reader.take(line({1, launch, {}}));
  launch.id = 7;
  Record again{1, launch, 4};
  again.accesses_of = 4;
  EXPECT_LT(encode(again).size(), 1000u);
  reader.take(line(again));
  reader.take(line({1, test::plain_launch(8), 4}));
  auto report = finish(reader);
  EXPECT_TRUE(report.problems.empty());
  ASSERT_EQ(report.launches.size(), 4u);
  ASSERT_TRUE(report.launches[0].accesses);
  EXPECT_EQ(report.launches[1].accesses, report.launches[0].accesses);
  EXPECT_EQ(report.launches[2].accesses, report.launches[0].accesses);
  EXPECT_FALSE(report.launches[3].accesses);

  again.process = 2;
  again.rows_of.reset();
  reader.take(line(again));
  report = finish(reader);
  EXPECT_TRUE(report.launches.empty()) << "another process has no such launch";
  EXPECT_EQ(report.problems.size(), 1u);
}

TEST(Channel, LogsThatCannotBeAreRefused) {
  using findings::AccessLog;
  const std::vector<std::function<void(AccessLog&)>> faults = {
      [](AccessLog& log) { log.accesses[0].row = 3; },
      [](AccessLog& log) { log.accesses[0].array = 2; },
      [](AccessLog& log) { log.accesses[0].kind = static_cast<AccessKind>(12); },
      [](AccessLog& log) { log.accesses[0].lane_bytes = 3; },
      [](AccessLog& log) { log.accesses[0].lane_bytes = 32; },
      [](AccessLog& log) { log.accesses[0].lane_bytes = 0; },
      [](AccessLog& log) { log.accesses[0].matrices = 5; },
      [](AccessLog& log) { log.accesses[0].lanes = 0; },
      [](AccessLog& log) { log.accesses[0].bases.clear(); },
      [](AccessLog& log) { log.accesses[0].bases[1].base_bytes = 0; },
      [](AccessLog& log) { log.accesses[0].bases[1].count = 0; },
      [](AccessLog& log) { log.accesses[0].bases[31].base_bytes = 1u << 20; },
      [](AccessLog& log) { log.accesses[0].relative_bytes[3] = -1; },
      [](AccessLog& log) { log.accesses[0].relative_bytes[3] = 1 << 20; },
      [](AccessLog& log) { log.arrays[0].size_bytes = 1u << 20; },
      [](AccessLog& log) { log.arrays[0].offset_bytes = 1u << 30; },
      [](AccessLog& log) { log.arrays.clear(); },
  };
  for (std::size_t i = 0; i < faults.size(); i++) {
    AccessLog log = test::sample_log();
    faults[i](log);
    LaunchReport launch = test::plain_launch();
    launch.accesses = std::make_shared<AccessLog>(log);
    ChannelReader reader;
    reader.take(line({1, launch, {}}));
    const auto report = finish(reader);
    EXPECT_TRUE(report.launches.empty()) << i;
    ASSERT_EQ(report.problems.size(), 1u) << i;
    EXPECT_EQ(report.problems[0].id, "channel.damaged");
  }
}

TEST(Channel, WarningsAreNotes) {
  ChannelReader reader;
  reader.take(line({1, Diagnostic{"lines.damaged", "app", "w", "r", Severity::warning}, {}}));
  const auto report = finish(reader);
  EXPECT_TRUE(report.problems.empty());
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_EQ(report.notes[0].what, "w");
}

TEST(Channel, AProblemToldTwiceIsReportedOnce) {
  ChannelReader reader;
  const Diagnostic problem{"call.unsupported", "cudaFoo", "w", "r", Severity::error};
  reader.take(line({1, problem, {}}));
  reader.take(line({2, problem, {}}));
  reader.take(line({2, FilteredLaunch{}, {}}));
  const auto report = finish(reader);
  EXPECT_EQ(report.problems.size(), 1u);
  EXPECT_EQ(report.filtered_launches, 1u);
}

TEST(Channel, LinesThatAreNoRecordsBecomeOneProblemAndTheRestCounts) {
  for (const char* bad : {"", "hello", "{}", "[]", "42", "{\"record\":\"launch\",\"process\":1}",
                          "{\"record\":\"launch\",\"process\":-4,\"launch\":{},\"rows\":[]}",
                          "{\"record\":\"strange\",\"process\":1}", "{\"record\":7,\"process\":1}", "\xff\xff"}) {
    ChannelReader reader;
    reader.take(bad);
    reader.take(bad);
    reader.take(line({1, test::plain_launch(), {}}));
    const auto report = finish(reader);
    ASSERT_EQ(report.problems.size(), 1u) << bad;
    EXPECT_EQ(report.problems[0].id, "channel.damaged");
    EXPECT_EQ(report.launches.size(), 1u);
  }
}

TEST(Channel, TotalsThatDoNotAddUpAreRefused) {
  LaunchReport launch = test::plain_launch();
  launch.shared.wavefronts += 5;
  ChannelReader reader;
  reader.take(line({1, launch, {}}));
  const auto report = finish(reader);
  EXPECT_TRUE(report.launches.empty());
  ASSERT_EQ(report.problems.size(), 1u);
  EXPECT_EQ(report.problems[0].id, "channel.damaged");
}

TEST(Channel, FiguresThatOverflowTheirSumAreRefused) {
  LaunchReport launch = test::plain_launch();
  auto rows = *launch.instructions;
  rows[1].wavefronts = rows[2].wavefronts = ~std::uint64_t{0} - 1;
  launch.instructions = std::make_shared<findings::Instructions>(rows);
  ChannelReader reader;
  reader.take(line({1, launch, {}}));
  EXPECT_EQ(finish(reader).problems.size(), 1u);
}

TEST(Channel, DamagedRecordsNeverCrash) {
  LaunchReport launch = test::plain_launch();
  launch.accesses = std::make_shared<findings::AccessLog>(test::sample_log());
  const std::string good = line({1, launch, {}});
  std::mt19937 random(11);
  for (int i = 0; i < 3000; i++) {
    std::string text = good;
    for (unsigned k = 0; k < 1 + random() % 4; k++) text[random() % text.size()] = static_cast<char>(random());
    if (random() % 4 == 0) text.resize(random() % text.size());
    ChannelReader reader;
    reader.take(text);
    const auto report = finish(reader);
    EXPECT_EQ(report.launches.size() + report.problems.size(), 1u);
    (void)decode(text);
  }
}

TEST_F(ChannelFile, ALastLineWithoutItsEndIsNotedAndTheRestCounts) {
  {
    std::ofstream file(path_);
    file << encode({1, test::plain_launch(0), {}}) << encode({1, test::clean_launch(1), {}}).substr(0, 100);
  }
  ChannelReader reader;
  ASSERT_TRUE(reader.read(path_));
  const auto report = finish(reader);
  EXPECT_EQ(report.launches.size(), 1u);
  EXPECT_TRUE(report.problems.empty());
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_EQ(report.notes[0].id, "channel.truncated");
}

TEST_F(ChannelFile, SeveralProcessesAndThreadsAppendWithoutMixing) {
  constexpr int processes = 4, threads = 3, launches = 50;
  for (int p = 0; p < processes; p++) {
    if (::fork() != 0) continue;
    auto writer = ChannelWriter::open(path_);
    bool good = writer.has_value();
    std::vector<std::thread> workers;
    for (int t = 0; good && t < threads; t++)
      workers.emplace_back([&, t] {
        for (unsigned i = 0; i < launches; i++)
          good = writer->append({1000 + p, test::plain_launch(static_cast<unsigned>(t) * launches + i)}).has_value() &&
                 good;
      });
    for (std::thread& worker : workers) worker.join();
    ::_exit(good ? 0 : 1);
  }
  for (int p = 0; p < processes; p++) {
    int status = 1;
    ::wait(&status);
    EXPECT_EQ(status, 0);
  }
  ChannelReader reader;
  ASSERT_TRUE(reader.read(path_));
  const auto report = finish(reader);
  EXPECT_TRUE(report.problems.empty());
  EXPECT_EQ(report.launches.size(), static_cast<std::size_t>(processes * threads * launches));
}

TEST(Channel, AChannelThatCannotBeOpenedIsADiagnostic) {
  const auto writer = ChannelWriter::open("/nonexistent/channel");
  ASSERT_FALSE(writer);
  EXPECT_THAT(to_string(writer.error()), HasSubstr("/nonexistent/channel"));
  ChannelReader reader;
  EXPECT_FALSE(reader.read("/nonexistent/channel"));
}

TEST(Channel, AFullDeviceIsADiagnostic) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  auto writer = ChannelWriter::open("/dev/full");
  ASSERT_TRUE(writer);
  const auto result = writer->append({1, test::plain_launch()});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().id, "channel.write");
}

TEST(Channel, ANumberOutOfRangeIsRefused) {
  EXPECT_FALSE(decode(R"({"record":"launch","process":0.93939393E93939394})"));
}

}  // namespace
}  // namespace lanebank::report
