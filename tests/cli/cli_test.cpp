// `lanebank` as a process: exit codes, streams, files. Programs are shell scripts that write to the channel
// what lanebank's runtime would write.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "../report/sample.hpp"
#include "report/channel.hpp"

extern char** environ;

namespace lanebank {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using report::encode;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::StartsWith;

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Outcome {
  int code = -1;
  std::string out, err;
};

class Command : public testing::Test {
 protected:
  Command() { fs::create_directories(folder_); }
  ~Command() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }

  /// A program that appends `records` to its channel and then does `more`.
  std::string program(const std::string& records, const std::string& more = "", const std::string& name = "app") {
    write(name + ".records", records);
    write(name, "#!/bin/sh\ncat '" + path(name + ".records") + "' >> \"$LANEBANK_CHANNEL\"\n" + more + "\n");
    fs::permissions(path(name), fs::perms::owner_all);
    return path(name);
  }

  pid_t start(const std::vector<std::string>& words) {
    std::vector<std::string> all = {LANEBANK_COMMAND};
    all.insert(all.end(), words.begin(), words.end());
    std::vector<char*> argv;
    for (std::string& word : all) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, path("out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, path("err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t child = 0;
    EXPECT_EQ(posix_spawn(&child, LANEBANK_COMMAND, &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    return child;
  }

  Outcome finish(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), content(path("out")), content(path("err"))};
  }

  Outcome lanebank(const std::vector<std::string>& words) { return finish(start(words)); }

  std::string folder_ = testing::TempDir() + "cli-" + std::to_string(::getpid());
};

const std::string conflicts = encode({1, test::plain_launch(0)}) + encode({1, test::clean_launch(1)});
const std::string clean = encode({1, test::clean_launch(0)});
const std::string unsupported =
    encode({1, Diagnostic{"call.unsupported", "cudaFoo", "is not implemented", "Do without.", Severity::error}});

using RunExitCode = Command;

TEST_F(RunExitCode, IsZeroWithoutFindings) { EXPECT_EQ(lanebank({"run", "--", program(clean)}).code, 0); }

TEST_F(RunExitCode, Is120WithExcessWavefronts) {
  const Outcome outcome = lanebank({"run", "--", program(conflicts)});
  EXPECT_EQ(outcome.code, 120);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, HasSubstr("1 of 2 kernels has excess wavefronts (exit 120)"));
  EXPECT_THAT(outcome.err, HasSubstr("lanes 0..31 read 32 different words of bank 0"));
}

TEST_F(RunExitCode, FollowsMaxExcessAndFailOn) {
  const std::string app = program(conflicts);
  EXPECT_EQ(lanebank({"run", "--max-excess", "1015808", "--", app}).code, 0);
  EXPECT_EQ(lanebank({"run", "--max-excess", "1015807", "--", app}).code, 120);
  EXPECT_EQ(lanebank({"run", "--fail-on", "never", "--", app}).code, 0);
  EXPECT_EQ(lanebank({"run", "--fail-on", "race,out-of-bounds", "--", app}).code, 0);
  EXPECT_EQ(lanebank({"run", "--fail-on", "bank-conflict", "--", app}).code, 120);
}

TEST_F(RunExitCode, IsTheProgramsOwnBeforeAllOthers) {
  EXPECT_EQ(lanebank({"run", "--", program(conflicts, "exit 3")}).code, 3);
  EXPECT_EQ(lanebank({"run", "--", program("", "exit 1")}).code, 1);
  EXPECT_EQ(lanebank({"run", "--", program(unsupported, "exit 7")}).code, 7);
}

TEST_F(RunExitCode, Is128PlusTheSignalAndTheReportIsKept) {
  const Outcome outcome = lanebank({"run", "--json", path("r.json"), "--", program(conflicts, "kill -SEGV $$")});
  EXPECT_EQ(outcome.code, 139);
  EXPECT_THAT(outcome.err, HasSubstr("the program ended by signal 11"));
  const json report = json::parse(content(path("r.json")));
  EXPECT_EQ(report["program"]["exit_code"], 139);
  EXPECT_EQ(report["launches"].size(), 2u);
}

TEST_F(RunExitCode, Is121WhenNothingWasAnalysed) {
  EXPECT_EQ(lanebank({"run", "--", "true"}).code, 121);
  const Outcome outcome = lanebank({"run", "--", program(encode({1, report::FilteredLaunch{}}))});
  EXPECT_EQ(outcome.code, 121);
  EXPECT_THAT(outcome.err, HasSubstr("the filters left every launch out"));
}

TEST_F(RunExitCode, Is122WhenSomethingCannotBeAnalysed) {
  const Outcome outcome = lanebank({"run", "--", program(conflicts + unsupported)});
  EXPECT_EQ(outcome.code, 122);
  EXPECT_THAT(outcome.err, HasSubstr("cannot analyse: cudaFoo: is not implemented"));
  EXPECT_THAT(outcome.err, HasSubstr("Do without."));
}

TEST_F(RunExitCode, Is125WhenTheChannelWasDamaged) {
  for (const char* junk : {"junk\n", "{\"record\":\"launch\",\"process\":1,\"launch\":{},\"rows\":[]}\n", "\\0\n"})
    EXPECT_EQ(lanebank({"run", "--", program(clean + junk)}).code, 125) << junk;
}

TEST_F(RunExitCode, IsNotChangedByARecordThatAKilledProcessBegan) {
  const Outcome outcome = lanebank({"run", "--", program(clean + conflicts.substr(0, 300))});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("ended while it wrote its last record"));
}

using Show = Command;

TEST_F(Show, IsACommandOfTheWhole) {
  const Outcome outcome = lanebank({"show", "tile[tx][ty]", "--tile", "32x32xf32", "--block", "32x32", "--brief"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, StartsWith("tile[tx][ty]: 1,024 wavefronts, ideal 32, worst degree 32; cure: "));
  EXPECT_THAT(outcome.err, IsEmpty());
}

using RunWrongUse = Command;

TEST_F(RunWrongUse, Is125WithAMessage) {
  write("plain", "text");
  write("garbage", std::string("\x7f", 1) + "ELF and then nothing");
  fs::permissions(path("garbage"), fs::perms::owner_all);
  write("nointerpreter", "#!/nonexistent/interpreter\n");
  fs::permissions(path("nointerpreter"), fs::perms::owner_all);
  const std::string app = program(clean);
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{}, "subcommand"},
      {{"frobnicate"}, "subcommand"},
      {{"run"}, "a program is required"},
      {{"run", "--"}, "a program is required"},
      {{"run", "--no-such-option", app}, "--no-such-option"},
      {{"run", "--", "no-such-program-anywhere"}, "no such program on PATH"},
      {{"run", "--", path("missing")}, "cannot be run: No such file"},
      {{"run", "--", folder_}, "is a folder"},
      {{"run", "--", path("plain")}, "Permission denied"},
      {{"run", "--", path("garbage")}, "neither a program of this machine nor a script"},
      {{"run", "--", path("nointerpreter")}, "interpreter"},
      {{"run", "--arch", "sm_42", "--", app}, "sm_90"},
      {{"run", "--blocks", "sample:0", "--", app}, "neither all nor sample:K"},
      {{"run", "--blocks", "7", "--", app}, "neither all nor sample:K"},
      {{"run", "--launch-skip", "-1", "--", app}, "launch-skip"},
      {{"run", "--launch-count", "many", "--", app}, "launch-count"},
      {{"run", "--kernel-name", "regex:(", "--", app}, "no regular expression"},
      {{"run", "--kernel-name-base", "symbol", "--", app}, "function, demangled, mangled"},
      {{"run", "--fail-on", "everything", "--", app}, "bank-conflict"},
      {{"run", "--max-excess", "x", "--", app}, "max-excess"},
      {{"run", "--json", "/nonexistent/folder/r.json", "--", app}, "cannot be written"},
      {{"run", "--report", "/nonexistent/folder/r.txt", "--", app}, "cannot be written"},
      {{"show"}, "nothing to show"},
      {{"show", "s[2*tid"}, "column 8: expected ']'"},
      {{"show", "missing.json"}, "missing.json"},
      {{"wavefronts"}, "FILE"},
      {{"solve"}, "PROBLEM"},
      {{"solve", "p.json", "--ask"}, "--ask"},
      {{"solve", "p.json", "--order", "xyz"}, "--order"},
      {{"solve", path("missing.json")}, "missing.json"},
      {{"wavefronts", path("missing.csv")}, "missing.csv"},
  };
  for (const auto& [words, message] : cases) {
    const Outcome outcome = lanebank(words);
    EXPECT_EQ(outcome.code, 125) << testing::PrintToString(words);
    EXPECT_THAT(outcome.err, HasSubstr(message)) << testing::PrintToString(words);
    EXPECT_THAT(outcome.err, StartsWith("lanebank"));
    EXPECT_THAT(outcome.out, IsEmpty());
  }
}

TEST_F(RunWrongUse, OfAPathIsFoundBeforeTheProgramRuns) {
  const std::string app = program(clean, "touch '" + path("ran") + "'");
  for (const char* option : {"--json=", "--sarif=", "--junit=", "--github=", "--markdown=", "--html=", "--report="}) {
    EXPECT_EQ(lanebank({"run", option + std::string("/nonexistent/report"), "--", app}).code, 125) << option;
    EXPECT_FALSE(fs::exists(path("ran"))) << option;
  }
  const std::pair<const char*, std::vector<const char*>> others[] = {
      {"fix", {"--json=", "--sarif=", "--diff=", "--report="}}, {"checklist", {"--json=", "--report="}}};
  for (const auto& [command, options] : others)
    for (const char* option : options) {
      EXPECT_EQ(lanebank({command, option + std::string("/nonexistent/report"), "--", app}).code, 125) << option;
      EXPECT_FALSE(fs::exists(path("ran"))) << command << " " << option;
    }
  EXPECT_EQ(lanebank({"run", "--", app}).code, 0);
  EXPECT_TRUE(fs::exists(path("ran")));
}

TEST_F(RunWrongUse, AFullDiskIs125) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  EXPECT_EQ(lanebank({"run", "--json", "/dev/full", "--", program(clean)}).code, 125);
  EXPECT_EQ(lanebank({"run", "--json", "/dev/full", "--", program(clean, "exit 4")}).code, 4);
}

using RunStreams = Command;

TEST_F(RunStreams, OfTheProgramPassUntouched) {
  const std::string app = program(clean, "printf 'to stdout\\n'; printf 'to stderr\\n' >&2");
  const Outcome outcome = lanebank({"run", "--report", path("report.txt"), "--", app});
  EXPECT_EQ(outcome.out, "to stdout\n");
  EXPECT_EQ(outcome.err, "to stderr\n");
  EXPECT_THAT(content(path("report.txt")), HasSubstr("clean: 65,536 wavefronts"));
}

TEST_F(RunStreams, JsonGoesToStandardOutputOnlyWhenAskedFor) {
  const std::string app = program(conflicts, "echo hello");
  const Outcome outcome = lanebank({"run", "--json", "-", "--", app});
  ASSERT_THAT(outcome.out, StartsWith("hello\n"));
  EXPECT_EQ(json::parse(outcome.out.substr(6))["schema"], "lanebank.report/1");
}

TEST_F(RunStreams, OneRunWritesEveryFormat) {
  const Outcome outcome =
      lanebank({"run", "--json", path("r.json"), "--sarif", path("r.sarif"), "--junit", path("r.xml"), "--markdown",
                path("r.md"), "--html", path("r.html"), "--github", "--", program(conflicts, "echo hello")});
  EXPECT_EQ(outcome.code, 120);
  EXPECT_EQ(json::parse(content(path("r.json")))["schema"], "lanebank.report/1");
  EXPECT_EQ(json::parse(content(path("r.sarif")))["version"], "2.1.0");
  EXPECT_THAT(content(path("r.xml")), HasSubstr("tests=\"3\" failures=\"1\""));
  EXPECT_THAT(content(path("r.md")), StartsWith("### lanebank: failed"));
  EXPECT_THAT(content(path("r.html")), StartsWith("<!doctype html>"));
  EXPECT_THAT(outcome.out, StartsWith("hello\n::warning title=lanebank%3A shared-memory bank conflict::"))
      << "the file lies outside of the working directory";
  EXPECT_THAT(outcome.out, HasSubstr("\n::notice title=lanebank%3A total::1 of 2 kernels has excess wavefronts"));
}

TEST_F(RunStreams, JUnitFailsAsTheRunDoes) {
  const std::string app = program(conflicts);
  EXPECT_EQ(lanebank({"run", "--max-excess", "1015808", "--junit", path("r.xml"), "--", app}).code, 0);
  EXPECT_THAT(content(path("r.xml")), HasSubstr("tests=\"3\" failures=\"0\""));
  EXPECT_EQ(lanebank({"run", "--fail-on", "never", "--junit", path("r.xml"), "--", app}).code, 0);
  EXPECT_THAT(content(path("r.xml")), HasSubstr("tests=\"3\" failures=\"0\""));
}

TEST_F(RunStreams, SourcesAreNamedAndFoundFromTheirRoot) {
  fs::create_directories(path("src/kernels"));
  std::string source;
  for (int line = 1; line < 20; line++) source += "line " + std::to_string(line) + ";\n";
  write("src/kernels/t.cu", source);
  findings::LaunchReport launch = test::plain_launch();
  findings::Instructions rows = *launch.instructions;
  for (findings::InstructionReport& row : rows) row.file = fs::absolute(path("src/kernels/t.cu")).lexically_normal();
  test::set_rows(launch, rows);
  const std::string app = program(encode({1, launch}));
  const std::string github = "--github=" + path("r.txt");
  lanebank({"run", "--source-root", path("src"), github, "--html", path("r.html"), "--", app});
  EXPECT_THAT(content(path("r.txt")), StartsWith("::warning file=kernels/t.cu,line=14,"));
  EXPECT_THAT(content(path("r.html")), HasSubstr("<code>line 14;</code>"));
  EXPECT_EQ(lanebank({"run", "--source-root", path("none"), "--", app}).code, 125);
}

TEST_F(RunStreams, ABaselineThatIsCutIsRefused) {
  json report = json::parse(R"({"schema":"lanebank.report/1","program":{"command":[],"exit_code":0},"launches":[],
    "problems":[],"left_out":{"findings":7,"launches":0},"findings":[]})");
  write("base.json", report.dump());
  const Outcome outcome = lanebank({"run", "--baseline", path("base.json"), "--", program(clean)});
  EXPECT_EQ(outcome.code, 125);
  EXPECT_THAT(outcome.err, HasSubstr("leaves 7 findings out"));
  EXPECT_THAT(outcome.err, HasSubstr("--all-findings"));
}

TEST_F(RunStreams, AFileThatExistsIsReplacedWhole) {
  write("r.json", std::string(100000, 'x'));
  EXPECT_EQ(lanebank({"run", "--json", path("r.json"), "--", program(clean)}).code, 0);
  EXPECT_TRUE(json::accept(content(path("r.json"))));
}

TEST_F(RunStreams, TwoRunsGiveTheSameBytes) {
  const std::string app = program(conflicts);
  lanebank({"run", "--json", path("a.json"), "--", app});
  lanebank({"run", "--json", path("b.json"), "--", app});
  EXPECT_EQ(content(path("a.json")), content(path("b.json")));
  EXPECT_THAT(content(path("a.json")), Not(HasSubstr("seconds")));
}

TEST_F(RunStreams, ARedirectedReportHasNoColours) {
  EXPECT_THAT(lanebank({"run", "--", program(conflicts)}).err, Not(HasSubstr("\033")));
}

using RunProgram = Command;

TEST_F(RunProgram, GetsItsArgumentsAndNothingElse) {
  const std::string app = program(clean, "for a in \"$@\"; do echo \"<$a>\"; done");
  EXPECT_EQ(lanebank({"run", "--", app, "--json", "a b", "", "--"}).out, "<--json>\n<a b>\n<>\n<-->\n");
  EXPECT_EQ(lanebank({"run", app, "--json", "x", "-k"}).out, "<--json>\n<x>\n<-k>\n")
      << "the first word ends lanebank's options";
}

TEST_F(RunProgram, IsToldItsOptions) {
  const std::string app = program(clean, "env | grep ^LANEBANK_ | sort");
  const Outcome outcome = lanebank(
      {"run", "--arch", "sm_80", "-j", "2", "-k", "regex:a|b", "-s", "3", "-c", "4", "--all-instructions", "--", app});
  for (const char* entry :
       {"LANEBANK_ARCH=80\n", "LANEBANK_JOBS=2\n", "LANEBANK_KERNEL_NAME=regex:a|b\n", "LANEBANK_LAUNCH_SKIP=3\n",
        "LANEBANK_LAUNCH_COUNT=4\n", "LANEBANK_ALL_INSTRUCTIONS=1\n", "LANEBANK_PROGRESS=0\n"})
    EXPECT_THAT(outcome.out, HasSubstr(entry));
}

TEST_F(RunProgram, KeepsThePreloadsOfItsUser) {
  ::setenv("LD_PRELOAD", "libm.so.6", 1);
  const Outcome outcome = lanebank({"run", "--", program(clean, "echo \"$LD_PRELOAD\"")});
  ::unsetenv("LD_PRELOAD");
  EXPECT_THAT(outcome.out, testing::MatchesRegex("/.*\\.so:libm\\.so\\.6\n"));
}

TEST_F(RunProgram, LeavesNoChannelBehind) {
  const std::string folder = path("tmp");
  fs::create_directories(folder);
  ::setenv("TMPDIR", folder.c_str(), 1);
  lanebank({"run", "--", program(clean, "ls '" + folder + "'")});
  lanebank({"run", "--", program(clean, "kill -9 $$")});
  ::unsetenv("TMPDIR");
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(RunProgram, OfSeveralProcessesIsOneReport) {
  write("more", encode({2, test::plain_launch(0)}));
  const std::string app = program(clean, "sh -c \"cat '" + path("more") + "' >> \\\"$LANEBANK_CHANNEL\\\"\"");
  EXPECT_EQ(lanebank({"run", "--json", path("r.json"), "--", app}).code, 120);
  const json report = json::parse(content(path("r.json")));
  ASSERT_EQ(report["launches"].size(), 2u);
  EXPECT_EQ(report["launches"][1]["process"], 1);
}

TEST_F(RunProgram, GetsTheSignalsThatLanebankGets) {
  const std::string app =
      program(conflicts, "trap 'exit 9' TERM\ntouch '" + path("ready") + "'\nwhile true; do sleep 0.01; done");
  const pid_t command = start({"run", "--json", path("r.json"), "--", app});
  for (int i = 0; i < 1000 && !fs::exists(path("ready")); i++)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ASSERT_EQ(::kill(command, SIGTERM), 0);
  const Outcome outcome = finish(command);
  EXPECT_EQ(outcome.code, 9);
  EXPECT_EQ(json::parse(content(path("r.json")))["launches"].size(), 2u) << "what was gathered is reported";
}

TEST_F(RunProgram, ThatIsStaticIsNamedAsSuch) {
  if (!fs::exists("/sbin/ldconfig") || std::system("file -L /sbin/ldconfig 2>/dev/null | grep -q 'static'") != 0)
    GTEST_SKIP() << "no statically linked program at hand";
  const Outcome outcome = lanebank({"run", "--", "/sbin/ldconfig", "--version"});
  EXPECT_EQ(outcome.code, 122);
  EXPECT_THAT(outcome.err, HasSubstr("is linked statically"));
}

TEST_F(RunProgram, ThatIsStaticGetsNoLibrariesToOpen) {
  const std::string source = path("static.c"), app = path("static");
  std::ofstream(source) << "#include <dlfcn.h>\nint main(void) { return dlopen(\"libcuda.so.1\", RTLD_NOW) != 0; }\n";
  if (std::system(("cc -static -o '" + app + "' '" + source + "' 2>/dev/null").c_str()) != 0)
    GTEST_SKIP() << "no static C library at hand";
  if (std::system(app.c_str()) != 0) GTEST_SKIP() << "a driver at hand";
  EXPECT_EQ(lanebank({"run", "--", app}).code, 122);
}

using Remap = Command;

TEST_F(Remap, CountsTheLogOfTheRunAgain) {
  findings::LaunchReport launch = test::plain_launch(0);
  findings::AccessLog log = test::sample_log();
  log.accesses.pop_back();
  launch.accesses = std::make_shared<findings::AccessLog>(log);
  const std::string app = program(encode({1, launch, {}}), "echo log $LANEBANK_ACCESS_LOG");
  const Outcome outcome = lanebank({"run", "--remap", "tile=swizzle<5,2,5>", "--json", path("r.json"), "--", app});
  EXPECT_EQ(outcome.code, 120) << "the run is judged as it was";
  EXPECT_EQ(outcome.out, "log 1\n");
  EXPECT_THAT(outcome.err, HasSubstr("remap tile: Swizzle<5,2,5> (Bits, Base, Shift in bytes)   1,081,344 -> 65,536"));
  const json row = json::parse(content(path("r.json")))["launches"][0]["instructions"][1];
  EXPECT_EQ(row["wavefronts"], 1048576);
  EXPECT_EQ(row["remapped_wavefronts"], 32768);

  EXPECT_EQ(lanebank({"run", "--", app}).out, "log 0\n") << "logs cost something";
  const Outcome padded = lanebank({"run", "--remap", "tile=pad+1", "--shape", "tile=16x64xf32", "--", app});
  EXPECT_THAT(padded.err, HasSubstr("remap tile: rows padded by 4 bytes to 260"));
}

TEST_F(Remap, OfNothingThatIsThereCannotBeAnalysed) {
  findings::LaunchReport launch = test::clean_launch(0);
  launch.accesses = std::make_shared<findings::AccessLog>();
  const std::string app = program(encode({1, launch, {}}));
  const Outcome outcome = lanebank({"run", "--remap", "tile=pad+1", "--", app});
  EXPECT_EQ(outcome.code, 122);
  EXPECT_THAT(outcome.err, HasSubstr("--remap tile=pad+1"));
}

TEST_F(Remap, WordsThatAreNoLayoutStopTheCommandBeforeTheProgramRuns) {
  const std::string app = program("", "echo ran");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--remap", "tile=swizzle<5,2>"},
                                                {"--remap", "tile"},
                                                {"--remap", "tile=pad+1", "--shape", "tile"}}) {
    std::vector<std::string> all{"run"};
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), {"--", app});
    const Outcome outcome = lanebank(all);
    EXPECT_EQ(outcome.code, 125) << words[1];
    EXPECT_EQ(outcome.out, "");
  }
}

using Help = Command;

TEST_F(Help, TeachesWithExamplesAndNamesOnlyWhatExists) {
  const Outcome outcome = lanebank({"--help"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("lanebank run -- ./app"));
  std::set<std::string> named;  // by the examples
  std::istringstream lines(outcome.out.substr(outcome.out.find("Examples:")));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string program, command;
    if (words >> program >> command && program == "lanebank") named.insert(command);
  }
  EXPECT_THAT(named, IsSupersetOf({"run", "wavefronts", "solve", "show", "fix", "verify"}));
  for (const std::string& command : named) EXPECT_EQ(lanebank({command, "--help"}).code, 0) << command;
  EXPECT_THAT(lanebank({"fix", "--help"}).out, HasSubstr("{source} is the edited file"));
  EXPECT_THAT(lanebank({"run", "--help"}).out, HasSubstr("Exit code"));
  EXPECT_THAT(lanebank({"wavefronts", "--help"}).out, HasSubstr("predicted_wavefronts"));
  EXPECT_THAT(lanebank({"--version"}).out, StartsWith("lanebank "));
}

using Fix = Command;

TEST_F(Fix, EndsAsRunDoesWhereThereIsNothingToFix) {
  const Outcome silent = lanebank({"fix", "--", "/bin/true"});
  EXPECT_EQ(silent.code, 121);
  EXPECT_THAT(silent.err, HasSubstr("no shared array was accessed"));
  const Outcome failed = lanebank({"fix", "--", "/bin/sh", "-c", "echo hello; exit 3"});
  EXPECT_EQ(failed.code, 3);
  EXPECT_EQ(failed.out, "hello\n");
}

TEST_F(Fix, SaysWhatIsWrongBeforeTheProgramRuns) {
  const Outcome shape = lanebank({"fix", "--shape", "32x32xf32", "--", "/bin/echo", "ran"});
  EXPECT_EQ(shape.code, 125);
  EXPECT_THAT(shape.err, HasSubstr("NAME=ROWSxCOLUMNSxTYPE"));
  EXPECT_EQ(shape.out, "");
  const Outcome apply = lanebank({"fix", "--apply", "--", "/bin/echo", "ran"});
  EXPECT_EQ(apply.code, 125);
  EXPECT_THAT(apply.err, HasSubstr("Give --build"));
  EXPECT_EQ(apply.out, "");
}

using Wavefronts = Command;

TEST_F(Wavefronts, AnswersOnStandardOutput) {
  std::string addresses;
  for (int lane = 0; lane < 32; lane++) addresses += (lane ? " " : "") + std::to_string(128 * lane);
  write("p.csv", "instruction,access_bytes,active_mask,byte_addresses\nld,4,ffffffff," + addresses + "\n");
  const Outcome outcome = lanebank({"wavefronts", path("p.csv")});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out,
              StartsWith("instruction,access_bytes,active_mask,byte_addresses,predicted_wavefronts,predicted_ideal\n"));
  EXPECT_THAT(outcome.out, HasSubstr(",32,1\n"));
}

}  // namespace
}  // namespace lanebank
