// `lanebank show` as a process, the page docs/show.md and the golden texts. `LANEBANK_BLESS=1 show_command_test` writes
// the page's outputs, its pictures and data/*.txt anew.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

bool blessing() { return std::getenv("LANEBANK_BLESS") != nullptr; }

struct Outcome {
  int code = -1;
  std::string out, err;
};

class Show : public testing::Test {
 protected:
  Show() {
    fs::create_directories(folder_ / "docs/pictures");
    fs::create_symlink(LANEBANK_SHOW_COMMAND, folder_ / "lanebank");
    fs::create_symlink(fs::path(LANEBANK_SOURCE) / "tests", folder_ / "tests");
  }
  ~Show() override { fs::remove_all(folder_); }

  /// A line of the shell in which `lanebank` is the command.
  Outcome shell(const std::string& line) const {
    const std::string all =
        "cd '" + folder_.string() + "' && PATH=\"$PWD:$PATH\" && { " + line + "\n} >out 2>err </dev/null";
    const int status = std::system(all.c_str());  // NOLINT(cert-env33-c): the shell is what is tested
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(folder_ / "out"), content(folder_ / "err")};
  }

  fs::path folder_ = fs::path(testing::TempDir()) / ("show-" + std::to_string(::getpid()));
};

TEST_F(Show, AnswersOnStandardOutput) {
  const Outcome outcome = shell("lanebank show 's[2*tid]'");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("2 wavefronts, ideal 1, degree 2"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\033")));
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST_F(Show, FitsATerminalOf80x40) {
  for (const char* line : {"'s[2*tid]'", "'tile[tx][ty]' --tile 32x32xf32 --block 32x32", "'*(float4*)&s[8*tid]'",
                           "'tile[lane % 16][lane / 16 * 8]' --tile 16x64xf16 --ldmatrix x4",
                           "'W: tile[ty][tx]' 'R: tile[tx][ty]'", "'atomicAdd(&bins[tid % 8], 1)'"}) {
    const Outcome outcome = shell(std::string("lanebank show --width 80 ") + line);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::istringstream lines(outcome.out);
    int count = 0;
    for (std::string text; std::getline(lines, text); ++count) EXPECT_LE(text.size(), 80u) << line << "\n" << text;
    EXPECT_LT(count, 40) << line << "\n" << outcome.out;
  }
}

TEST_F(Show, WrongInputIs125WithAPlaceAndARemedy) {
  const std::pair<const char*, const char*> cases[] = {
      {"lanebank show", "nothing to show"},
      {"lanebank show 's[2*tid'", "column 8: expected ']'"},
      {"lanebank show 's[tid]' --tile 32x33", "column 6"},
      {"lanebank show 's[tid]' --block 32x64", "more than 1024 threads"},
      {"lanebank show 's[tid]' --for k=0:0", "no iteration"},
      {"lanebank show 's[tid]' --vector 3", "12 bytes per lane"},
      {"lanebank show 's[tid]' --vector 99", "vector"},
      {"lanebank show 's[tid]' --order abc", "order"},
      {"lanebank show 's[tid]' --picture round", "picture"},
      {"lanebank show 's[tid]' --arch sm_42", "sm_90"},
      {"lanebank show 's[tid]' --store --load", "more than one instruction"},
      {"lanebank show 's[tid]' --svg /nonexistent/folder/x.svg", "cannot be written"},
      {"lanebank show 's[tid]' --json /nonexistent/folder/x.json", "cannot be written"},
      {"lanebank show 's[tid]' --json - --svg -", "both would go to standard output"},
      {"lanebank show missing.json", "missing.json: cannot be read"},
      {"lanebank show tests", "expected an index"},
      {"lanebank show 's[tid]' problem.json", "a problem file stands alone"},
      {"lanebank show --swizzle 3,4,3", "nothing to show"},
      {"lanebank show --swizzle 3,4,3 --tile 'char s[]'", "needs the tile's size"},
      {"echo '{' > p.json; lanebank show p.json", "p.json:"},
      {"lanebank show --frobnicate", "frobnicate"},
      {"lanebank show 's[tid]' > /dev/full", "cannot be written"},
  };
  for (const auto& [line, message] : cases) {
    const Outcome outcome = shell(line);
    EXPECT_EQ(outcome.code, 125) << line;
    EXPECT_THAT(outcome.err, HasSubstr(message)) << line;
    EXPECT_THAT(outcome.err, StartsWith("lanebank"));
    EXPECT_THAT(outcome.out, IsEmpty()) << line;
  }
}

TEST_F(Show, JsonSaysWhatTheTextSays) {
  const Outcome outcome =
      shell("lanebank show 'W: tile[ty][tx]' 'R: tile[tx][ty]' --tile 32x32xf32 --block 32x32 --json -");
  EXPECT_EQ(outcome.code, 0);
  const json answer = json::parse(outcome.out);
  EXPECT_EQ(answer["schema"], "lanebank.show/1");
  EXPECT_EQ(answer["accesses"][0]["as_written"]["wavefronts"], 32);
  EXPECT_EQ(answer["accesses"][1]["as_written"]["wavefronts"], 1024);
  EXPECT_EQ(answer["accesses"][1]["as_written"]["excess"], 992);
  const json& worst = answer["accesses"][1]["worst"];
  ASSERT_EQ(worst["lanes"].size(), 32u);
  EXPECT_EQ(worst["lanes"][5]["byte"], 640);
  EXPECT_EQ(worst["phases"][0]["degree"], 32);
  EXPECT_EQ(worst["phases"][0]["bits_missing_the_bank_field"], json({7, 8, 9, 10, 11}));
  EXPECT_EQ(answer["arrays"][0]["cures"][0]["wavefronts"], 64);
}

TEST_F(Show, WritesFiles) {
  EXPECT_EQ(shell("lanebank show 's[2*tid]' --svg a.svg --json a.json").code, 0);
  EXPECT_THAT(content(folder_ / "a.svg"), StartsWith("<svg"));
  EXPECT_EQ(json::parse(content(folder_ / "a.json"))["schema"], "lanebank.show/1");
  EXPECT_THAT(shell("lanebank show 's[2*tid]' --svg -").out, StartsWith("<svg"));
}

TEST_F(Show, TakesExpressionsBesideOptionsWithoutValue) {
  for (const char* line : {"lanebank show --stmatrix 's[4*tid]' -q", "lanebank show 's[4*tid]' --stmatrix -q",
                           "lanebank show --stmatrix x4 's[4*tid]' -q"})
    EXPECT_EQ(shell(line).out, "s[4*tid]: 4 wavefronts, ideal 4, worst degree 1\n") << line;
}

TEST_F(Show, ReadsAProblemFromStandardInput) {
  const Outcome outcome = shell("cat tests/show/data/problem.json | lanebank show - -q");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("read columns: "));
}

TEST_F(Show, SaysThatOtherArchitecturesAreNotMeasured) {
  EXPECT_THAT(shell("lanebank show 's[tid]' --arch sm_80 -q").err, HasSubstr("not measured"));
}

/// What the command writes to a terminal.
std::string on_terminal(const std::vector<std::string>& variables) {
  int master = -1;
  const pid_t child = ::forkpty(&master, nullptr, nullptr, nullptr);
  if (child == 0) {
    for (const char* name : {"NO_COLOR", "COLORTERM", "COLORFGBG"}) ::unsetenv(name);
    ::setenv("TERM", "xterm-256color", 1);
    for (const std::string& variable : variables) ::putenv(::strdup(variable.c_str()));
    ::execl(LANEBANK_SHOW_COMMAND, "lanebank", "show", "s[2*tid]", nullptr);
    ::_exit(1);
  }
  std::string text;
  char buffer[4096];
  for (ssize_t count = 0; (count = ::read(master, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  ::close(master);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  return text;
}

TEST(ShowOnATerminal, HasColoursUnlessNoColorIsSet) {
  EXPECT_THAT(on_terminal({}), HasSubstr("\033[48;5;"));
  EXPECT_THAT(on_terminal({"COLORTERM=truecolor"}), HasSubstr("\033[48;2;"));
  EXPECT_THAT(on_terminal({"NO_COLOR=1"}), Not(HasSubstr("\033")));
  EXPECT_THAT(on_terminal({"TERM=dumb"}), Not(HasSubstr("\033")));
}

struct Golden {
  const char* name;
  const char* line;
};

void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.name; }

class GoldenText : public Show, public testing::WithParamInterface<Golden> {};

TEST_P(GoldenText, IsAsBlessed) {
  const Outcome outcome = shell(std::string("lanebank show ") + GetParam().line);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const fs::path path = fs::path(LANEBANK_TEST_DATA) / GetParam().name;
  if (blessing()) std::ofstream(path) << outcome.out;
  EXPECT_EQ(outcome.out, content(path)) << path << "\nbless with LANEBANK_BLESS=1 if the new text is right";
}

constexpr Golden goldens[] = {
    {"stride.txt", "'s[2*tid]' --width 80 --lanes"},
    {"column.txt", "'tile[tx][ty]' --tile 32x32xf32 --block 32x32 --width 80 --code"},
    {"xor.txt",
     "'tile[threadIdx.y][threadIdx.x ^ threadIdx.y]' 'R: tile[threadIdx.x][threadIdx.y ^ threadIdx.x]' --block 32x32"},
    {"phases.txt", "'*(float4*)&s[8*tid]' --phases --width 100"},
    {"ldmatrix.txt", "'tile[lane % 16][lane / 16 * 8]' --tile 16x64xf16 --ldmatrix x4 --compare"},
    {"given.txt", "'tile[tx][ty]' --tile 32x32xf32 --block 32x32 --swizzle 5,2,5 --compare"},
    {"pad.txt", "'W: tile[ty][tx]' 'R: tile[tx][ty]' --tile 16x16xf32 --block 16x16 --pad 1"},
    {"atomics.txt", "'atomicAdd(&bins[tid % 8], 1)' --block 64"},
    {"copy.txt", "'fill: tile[tid / 4][tid % 4 * 8]' --tile 32x40xf16 --cp-async cg --block 128"},
    {"broadcast.txt", "'s[tid / 32]'"},
    {"swizzle313.txt", "--swizzle 3,1,3 --order sbm --tile 16x16xf16"},
    {"swizzle222.txt", "--swizzle 2,2,2 --order sbm --tile 16x16xf16 --compare"},
    {"stages.txt", "--swizzle 3,1,3 --swizzle 4,2,3 --order sbm --tile 16x32xf16"},
    {"plain.txt", "--tile 8x32xf32"},
    {"problem.txt", "tests/show/data/problem.json --compare"},
    {"brief.txt", "'W: tile[ty][tx]' 'R: tile[tx][ty]' --block 32x32 --brief"},
    {"json.txt", "'s[2*tid]' --if 'tid < 20' --json -"},
};
INSTANTIATE_TEST_SUITE_P(Show, GoldenText, testing::ValuesIn(goldens), [](const auto& info) {
  return std::string(info.param.name, std::string(info.param.name).find('.'));
});

/// Runs every line "$ lanebank ..." of the page's code blocks; the page with the outputs as they are now.
TEST_F(Show, PageIsTrue) {
  const fs::path path = fs::path(LANEBANK_SOURCE) / "docs/show.md";
  std::istringstream page(content(path));
  std::string made;
  bool in_block = false, in_output = false;
  unsigned commands = 0;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      in_block = !in_block;
      in_output = false;
    }
    if (in_block && line.starts_with("$ lanebank ")) {
      const Outcome outcome = shell(line.substr(2));
      made += line + "\n" + outcome.out + outcome.err;
      in_output = true;
      ++commands;
      continue;
    }
    if (!in_output) made += line + "\n";
  }
  EXPECT_GE(commands, 10u);
  if (blessing()) std::ofstream(path) << made;
  EXPECT_EQ(made, content(path)) << "bless with LANEBANK_BLESS=1 if the new outputs are right";
  unsigned pictures = 0;
  for (const auto& entry : fs::directory_iterator(folder_ / "docs/pictures")) {
    const fs::path kept = fs::path(LANEBANK_SOURCE) / "docs/pictures" / entry.path().filename();
    if (blessing()) fs::copy_file(entry.path(), kept, fs::copy_options::overwrite_existing);
    EXPECT_EQ(content(entry.path()), content(kept)) << kept << " is not what the page's command draws";
    ++pictures;
  }
  EXPECT_GE(pictures, 2u);
}

}  // namespace
