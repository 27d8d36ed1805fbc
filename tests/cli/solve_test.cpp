// `lanebank solve` without a process: streams, files and exit codes.
#include "lanebank/solve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace lanebank::tools {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const std::string data = LANEBANK_SOLVE_DATA;

struct Outcome {
  int code = -1;
  std::string out, err;
};

Outcome run(const SolveArguments& arguments, const std::string& input = "") {
  std::istringstream in(input);
  std::ostringstream out, err;
  Outcome outcome;
  outcome.code = run_solve(arguments, in, out, err);
  outcome.out = out.str();
  outcome.err = err.str();
  return outcome;
}

SolveArguments of(const std::string& problem) {
  SolveArguments arguments;
  arguments.problem = data + "/" + problem + ".json";
  return arguments;
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class SolveFiles : public testing::Test {
 protected:
  SolveFiles() { fs::create_directories(folder_); }
  ~SolveFiles() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

 private:
  std::string folder_ = testing::TempDir() + "lanebank-solve-" + std::to_string(::getpid());
};

TEST(SolveCommand, AnswersInWordsWithProofAndCode) {
  const Outcome outcome = run(of("half_64x96"));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_THAT(
      outcome.out,
      AllOf(HasSubstr("64 x 96 elements of 2 bytes"), HasSubstr("best: Swizzle<2,4,3> (Bits, Base, Shift in bytes)"),
            HasSubstr("optimal over all layouts: byte bound reached"), HasSubstr("rows padded by 16 bytes to 208"),
            HasSubstr("128 + 96"), HasSubstr("return flat ^ ((flat & 0x180u) >> 3);"), HasSubstr("Swizzle<2,3,3>{}"),
            HasSubstr("static_assert(lanebank::has_wavefronts<tile, tile_pattern_2, 96>);")));
  EXPECT_EQ(run(of("half_64x96")).out, outcome.out) << "the same every time";
}

TEST(SolveCommand, SaysWhyTheBestIsNotIdealAndTheWayOut) {
  const Outcome outcome = run(of("float_32x32_vector_rows"));
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("residue bound reached"), HasSubstr("not ideal: residue: vectors of 16 bytes"),
                    HasSubstr("store 8 bytes instead of 16 in \"store rows\": 96 instead of 160"),
                    HasSubstr("store 4 bytes instead of 16 in \"store rows\": 64 instead of 160")));
}

TEST(SolveCommand, JsonHasThePromisedKeys) {
  SolveArguments arguments = of("half_64x96");
  arguments.json = "-";
  arguments.map = true;
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.code, 0);
  const json answer = json::parse(outcome.out);
  EXPECT_EQ(answer["schema"], "lanebank.solution/1");
  EXPECT_EQ(answer["family"], "swizzle");
  EXPECT_EQ(answer["parameters"], json({{"bits", 2}, {"base", 4}, {"shift", 3}, {"unit_bytes", 1}}));
  EXPECT_EQ(answer["bytes"], 12288);
  EXPECT_EQ(answer["patterns"][1]["name"], "ldmatrix");
  EXPECT_EQ(answer["patterns"][1]["wavefronts"], 96);
  EXPECT_EQ(answer["patterns"][1]["ideal"], 96);
  EXPECT_EQ(answer["patterns"][1]["lower_bound"], 96);
  EXPECT_EQ(answer["patterns"][1]["plain_wavefronts"], 384);
  EXPECT_EQ(answer["total_wavefronts"], 192);
  EXPECT_EQ(answer["lower_bound"], 192);
  EXPECT_EQ(answer["optimal"], true);
  EXPECT_EQ(answer["certificate"], "byte bound reached");
  for (const char* form : {"cuda", "cute", "lanebank"}) EXPECT_TRUE(answer["code"][form].is_string()) << form;
  ASSERT_EQ(answer["map"].size(), 64u * 96u);
  EXPECT_EQ(answer["map"][96 * 2 + 1], (2 * 192 + 2) ^ 48) << "row 2, column 1";
  std::uint64_t sum = 0;
  for (const json& pattern : answer["patterns"]) sum += pattern["wavefronts"].get<std::uint64_t>();
  EXPECT_EQ(sum, answer["total_wavefronts"]);
  EXPECT_GE(answer["alternatives"].size(), 4u);
  for (const json& other : answer["alternatives"]) {
    EXPECT_TRUE(other.contains("wavefronts") && other.contains("bytes") && other.contains("index_instructions"));
    EXPECT_NE(other["family"], "swizzle");
  }
}

TEST_F(SolveFiles, JsonGoesToAFileBesideTheText) {
  SolveArguments arguments = of("half_64x80");
  arguments.json = path("answer.json");
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("best: "));
  EXPECT_EQ(json::parse(content(path("answer.json")))["total_wavefronts"], 160);
  arguments.json = path("none/answer.json");
  EXPECT_EQ(run(arguments).code, 125);
}

TEST(SolveCommand, ReadsAndWritesTheArticlesOrder) {
  SolveArguments arguments = of("half_64x96");
  arguments.order = "sbm";
  arguments.unit_bytes = 2;
  arguments.swizzle = "3,2,3";
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("best: swizzle<3,2,3> (S, B, M on indices of 2 bytes)"));
  EXPECT_THAT(outcome.out, HasSubstr("as given"));
  arguments.swizzle = "3,1,3";
  arguments.json = "-";
  const json given = json::parse(run(arguments).out)["given"];
  EXPECT_EQ(given["parameters"], json({{"bits", 1}, {"base", 4}, {"shift", 3}, {"unit_bytes", 1}}));
  EXPECT_EQ(given["wavefronts"], json({96, 192}));
  for (const char* wrong : {"3,2", "3,2,3,4", "a,b,c", "1,2,3", "3,2,99", "3,2,-1"}) {
    arguments.swizzle = wrong;
    EXPECT_EQ(run(arguments).code, 125) << wrong;
  }
  arguments.swizzle = "3,2,2";
  EXPECT_THAT(run(arguments).err, HasSubstr("tears vectors")) << "base 8 bytes, vectors of 16";
}

TEST(SolveCommand, ReadsStandardInput) {
  SolveArguments arguments;
  arguments.problem = "-";
  const Outcome outcome = run(arguments, content(data + "/half_64x80.json"));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, StartsWith("lanebank solve  standard input"));
}

TEST(SolveCommand, WrongInputEndsWith125AndSaysWhere) {
  SolveArguments arguments;
  arguments.problem = "-";
  Outcome outcome = run(arguments, "{\n  \"schema\": 3,\n");
  EXPECT_EQ(outcome.code, 125);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, StartsWith("lanebank solve: standard input:3:1: not JSON"));
  outcome =
      run(arguments, R"({"schema": "lanebank.problem/1", "array": {"rows": 0, "columns": 1, "element_bytes": 4}})");
  EXPECT_EQ(outcome.code, 125);
  EXPECT_THAT(outcome.err, HasSubstr("standard input /array/rows"));
  EXPECT_EQ(run(of("no_such_file")).code, 125);
  arguments.problem = data;
  outcome = run(arguments);
  EXPECT_EQ(outcome.code, 125);
  EXPECT_THAT(outcome.err, HasSubstr("cannot be read"));
}

TEST(SolveCommand, SaysWhereRulesAreAssumed) {
  SolveArguments arguments = of("half_64x80");
  arguments.architecture = 80;
  EXPECT_THAT(run(arguments).err, HasSubstr("note: sm_80"));
  arguments.architecture = 86;
  EXPECT_EQ(run(arguments).code, 0);
}

TEST_F(SolveFiles, AsksForAProblemAndSolvesIt) {
  SolveArguments arguments;
  arguments.ask = true;
  arguments.save = path("asked.json");
  const Outcome outcome = run(arguments, "64x96\nhalf\nvector 8\nldmatrix x4\n\n");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("Who reads it?"));
  EXPECT_THAT(outcome.out, AllOf(StartsWith("{ \"schema\": \"lanebank.problem/1\""), HasSubstr("Swizzle<2,4,3>"),
                                 HasSubstr("byte bound reached")));
  arguments = {};
  arguments.problem = path("asked.json");
  const Outcome again = run(arguments);
  EXPECT_EQ(again.code, 0);
  EXPECT_THAT(again.out, HasSubstr("Swizzle<2,4,3>"));
}

TEST(SolveCommand, AsksAgainUntilAnAnswerCanBeUsed) {
  SolveArguments arguments;
  arguments.ask = true;
  Outcome outcome = run(arguments,
                        "64 by 96\n 32 x 32\nquad\nfloat\nldmatrix x4\nvector 3\nvector 4\ncp.async\n"
                        "column\nsideways\nread row\nwrite accumulator\n\n");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("Two numbers with an x"), HasSubstr("A number of bytes, or a type"),
                                 HasSubstr("ldmatrix reads"), HasSubstr("a vector of 12 bytes"),
                                 HasSubstr("stmatrix and cp.async write"), HasSubstr("Begin with write or read")));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("write vector 4"), HasSubstr("read column"), HasSubstr("read row"),
                                 HasSubstr("write accumulator")));
  outcome = run(arguments, "64x96\nhalf\n");
  EXPECT_EQ(outcome.code, 125);
  EXPECT_THAT(outcome.err, HasSubstr("the answers end before the question"));
  EXPECT_EQ(run(arguments, std::string(100, '\n')).code, 125);
  EXPECT_EQ(run(arguments, "4000000000x4000000000\n").code, 125);
}

/// The text between the fence that follows `mark` and its end.
std::string block_after(const std::string& text, const std::string& mark) {
  const std::size_t at = text.find(mark);
  const std::size_t begin = text.find("```", at), line = text.find('\n', begin) + 1;
  return at == std::string::npos ? "" : text.substr(line, text.find("```", line) - line);
}

TEST(SolverPage, ItsExampleGivesWhatItShows) {
  const std::string page = content(LANEBANK_SOLVER_PAGE);
  const std::string problem = block_after(page, "<!-- tile.json -->"), shown = block_after(page, "<!-- transcript -->");
  ASSERT_THAT(problem, HasSubstr("lanebank.problem/1"));
  SolveArguments arguments;
  arguments.problem = "-";
  const Outcome outcome = run(arguments, problem);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::size_t end = shown.find("  ...");
  ASSERT_NE(end, std::string::npos);
  const std::string command = "$ lanebank solve - < tile.json\n";
  ASSERT_THAT(shown, StartsWith(command));
  EXPECT_THAT(outcome.out, StartsWith(shown.substr(command.size(), end - command.size())));
}

}  // namespace
}  // namespace lanebank::tools
