// Problem files: what they may say, and what is said about them when they are wrong.
#include "solve/problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "files.hpp"
#include "solve/json_reader.hpp"
#include "solve/presets.hpp"

namespace lanebank::solve {
namespace {

using testing::HasSubstr;

constexpr const char* array =
    R"("schema": "lanebank.problem/1", "array": {"rows": 32, "columns": 32, "element_bytes": 4})";

std::string with_pattern(const std::string& pattern) {
  return std::string("{") + array + R"(, "patterns": [{)" + pattern + "}]}";
}
std::string with_index(const std::string& index) {
  return with_pattern(R"("instruction": "ld", "access_bytes": 4, "index": {)" + index + "}");
}
/// 32 lanes, the first at `first`, the others null.
std::string lanes(const std::string& first) {
  std::string text = "[" + first;
  for (int i = 1; i < 32; ++i) text += ", null";
  return text + "]";
}

Problem read(const std::string& text) {
  Result<Problem> problem = problem_from_json(text, "p.json");
  if (!problem) {
    ADD_FAILURE() << to_string(problem.error()) << "\n" << text;
    return {};
  }
  return std::move(*problem);
}

TEST(ProblemFile, ReadsListedAccessesAndExpressions) {
  const Problem problem = read(std::string("{") + array + R"(,
    "constraints": {"max_bytes": 5000, "families": ["padding", "xor2"], "engine": null},
    "patterns": [
      {"name": "listed", "instruction": "st", "access_bytes": 16, "weight": 6,
       "accesses": [)" + lanes("[3, 8]") +
                               ", " + lanes("null") + R"(]},
      {"instruction": "ld", "access_bytes": 4,
       "index": {"row": "lane", "column": "k + j", "k": [0, 6, 2], "j": [1, 3]}},
      {"instruction": "ldmatrix_x2", "index": {"row": "lane", "column": 4}},
      {"instruction": "cp_async_cg_16", "repeat": 5,
       "index": {"row": "lane / 8", "column": "lane % 8 * 4", "source": "lane * 64", "active": "lane != 3"}}]})");
  EXPECT_EQ(problem.tile, (Tile{32, 32, 4}));
  EXPECT_EQ(problem.max_bytes, 5000u);
  EXPECT_EQ(problem.families, (std::vector<Family>{Family::padding, Family::xor2}));
  ASSERT_EQ(problem.patterns.size(), 4u);
  const Pattern &listed = problem.patterns[0], &index = problem.patterns[1], &matrix = problem.patterns[2],
                &copy = problem.patterns[3];
  EXPECT_EQ(listed.name, "listed");
  EXPECT_EQ(listed.repeat, 3u) << "six executed instructions, two of them listed";
  EXPECT_EQ(listed.accesses[0].active_lanes, 1u);
  EXPECT_EQ(listed.accesses[0].lanes[0], (Element{3, 8}));
  EXPECT_EQ(listed.accesses[1].active_lanes, 0u);
  EXPECT_EQ(index.name, "pattern 2");
  ASSERT_EQ(index.accesses.size(), 6u);
  EXPECT_EQ(index.accesses[1].lanes[7], (Element{7, 2})) << "the last loop changes fastest";
  EXPECT_EQ(index.accesses[5].lanes[31], (Element{31, 6}));
  EXPECT_EQ(matrix.access_bytes, 16u);
  EXPECT_EQ(matrix.accesses[0].active_lanes, 0xffffu) << "only lanes that give rows";
  EXPECT_EQ(copy.repeat, 5u);
  EXPECT_EQ(copy.accesses[0].sources[4], 256u);
  EXPECT_EQ(copy.accesses[0].active_lanes, 0xfffffff7u);
}

TEST(ProblemFile, WeightBelowTheListedInstructionsRepeatsTheList) {
  const std::string pattern =
      R"("instruction": "ld", "access_bytes": 4, "index": {"row": "k", "column": "lane", "k": [0, 8]})";
  EXPECT_EQ(read(with_pattern(pattern)).patterns[0].repeat, 1u);
  EXPECT_EQ(read(with_pattern(pattern + R"(, "weight": 8)")).patterns[0].repeat, 1u);
  EXPECT_EQ(read(with_pattern(pattern + R"(, "weight": 80)")).patterns[0].repeat, 10u);
  EXPECT_EQ(read(with_pattern(pattern + R"(, "weight": 1)")).patterns[0].repeat, 1u);
  EXPECT_EQ(read(with_pattern(pattern + R"(, "weight": 3)")).patterns[0].repeat, 3u);
}

TEST(ProblemFile, WrittenAndReadAgainIsTheSame) {
  for (const char* name : {"half_64x96", "half_64x64_cp_async", "half_64x64_tma", "code_3_of_5"}) {
    Problem problem = problem_of(name);
    problem.max_bytes = 20000;
    problem.families = {Family::linear, Family::xor_row};
    problem.patterns[0].repeat = 7;
    problem.patterns[0].accesses[0].active_lanes &= 0xfffffffeu;
    const Problem again = read(to_json(problem));
    EXPECT_EQ(to_json(again), to_json(problem));
    EXPECT_EQ(again.families, problem.families);
    EXPECT_EQ(again.patterns[0].repeat, 7u);
    EXPECT_EQ(again.patterns[0].accesses[0].active_lanes,
              problem.patterns[0].accesses[0].active_lanes & addressing_lanes(problem.patterns[0]));
  }
}

struct Wrong {
  std::string text, id, where;
};

std::vector<Wrong> wrong_files() {
  return {
      {"", "problem.json", "p.json:1:1"},
      {"{\n  \"schema\": x", "problem.json", "p.json:2:13"},
      {"{\"a\": 1", "problem.json", "p.json:1:8"},
      {"[1]", "problem.object", "p.json /"},
      {"{}", "problem.missing", "p.json /"},
      {R"({"schema": "lanebank.problem/2"})", "problem.schema", "p.json /schema"},
      {R"({"schema": "lanebank.problem/1"})", "problem.missing", "p.json /"},
      {R"({"schema": "lanebank.problem/1", "shape": 1})", "problem.key", "p.json /shape"},
      {R"({"schema": "lanebank.problem/1", "array": {"rows": -4, "columns": 4, "element_bytes": 4}, "patterns": []})",
       "problem.number", "p.json /array/rows"},
      {R"({"schema": "lanebank.problem/1", "array": {"rows": 4.5, "columns": 4, "element_bytes": 4}, "patterns": []})",
       "problem.number", "p.json /array/rows"},
      {R"({"schema": "lanebank.problem/1", "array": {"rows": 99999999999999999999, "columns": 4, "element_bytes": 4}})",
       "problem.number", "p.json /array/rows"},
      {R"({"schema": "lanebank.problem/1", "array": {"rows": 100000, "columns": 100000, "element_bytes": 4}})",
       "problem.size", "p.json /array"},
      {std::string("{") + array + R"(, "patterns": []})", "problem.array", "p.json /patterns"},
      {std::string("{") + array + R"(, "constraints": {"max_bytes": 4095}, "patterns": [{"instruction": "ld",
         "access_bytes": 4, "index": {"row": 0, "column": "lane"}}]})",
       "problem.max-bytes", "p.json /constraints/max_bytes"},
      {std::string("{") + array + R"(, "constraints": {"families": ["xor", "magic"]}})", "problem.family",
       "p.json /constraints/families/1"},
      {std::string("{") + array + R"(, "constraints": {"engine": "gpu"}})", "problem.engine",
       "p.json /constraints/engine"},
      {with_pattern(R"("instruction": "lds")"), "problem.instruction", "p.json /patterns/0/instruction"},
      {with_pattern(R"("instruction": "ld", "index": {"row": 0, "column": 0})"), "problem.missing",
       "p.json /patterns/0"},
      {with_pattern(R"("instruction": "ld", "access_bytes": 12, "index": {"row": 0, "column": 0})"),
       "problem.access-bytes", "p.json /patterns/0/access_bytes"},
      {with_pattern(R"("instruction": "ldmatrix_x4", "access_bytes": 8, "index": {"row": 0, "column": 0})"),
       "problem.access-bytes", "p.json /patterns/0/access_bytes"},
      {with_pattern(R"("instruction": "ld", "access_bytes": 4)"), "problem.accesses", "p.json /patterns/0"},
      {with_pattern(R"("instruction": "ld", "access_bytes": 4, "weight": 12, "index": {"row": "k", "column": "lane",
         "k": [0, 8]})"),
       "problem.weight", "p.json /patterns/0/weight"},
      {with_pattern(R"("instruction": "ld", "access_bytes": 4, "accesses": [[[0, 0]]])"), "problem.array",
       "p.json /patterns/0/accesses/0"},
      {with_pattern(R"("instruction": "ld", "access_bytes": 4, "accesses": [)" + lanes("[0]") + "]"), "problem.array",
       "p.json /patterns/0/accesses/0/0"},
      {with_pattern(R"("instruction": "ld", "access_bytes": 4, "accesses": [)" + lanes("[0, 32]") + "]"),
       "problem.outside", "p.json /patterns/0/accesses/0/0"},
      {with_pattern(R"("instruction": "ld", "access_bytes": 16, "accesses": [)" + lanes("[0, 30]") + "]"),
       "problem.outside", "p.json /patterns/0/accesses/0/0"},
      {with_index(R"("row": "lane", "column": "k", "k": [0, 33])"), "problem.outside",
       "p.json /patterns/0/index, lane = 0, k = 32"},
      {with_index(R"("row": "lane - 1", "column": 0)"), "problem.outside", "p.json /patterns/0/index, lane = 0"},
      {with_index(R"("row": "lane % 8 / k", "column": 0, "k": [0, 2])"), "expression.zero",
       "p.json /patterns/0/index/row, column 10"},
      {with_index(R"("row": "lane << 63", "column": 0)"), "expression.overflow",
       "p.json /patterns/0/index/row, column 6"},
      {with_index(R"("row": "tid", "column": 0)"), "expression.name", "p.json /patterns/0/index/row, column 1"},
      {with_index(R"("row": 0, "column": "lane +")"), "expression.syntax", "p.json /patterns/0/index/column, column 7"},
      {with_index(R"("row": 0)"), "problem.missing", "p.json /patterns/0/index"},
      {with_index(R"("row": 0, "column": 0, "k": [3, 3])"), "problem.loop", "p.json /patterns/0/index/k"},
      {with_index(R"("row": 0, "column": 0, "k": [0, 100000000])"), "problem.size", "p.json /patterns/0/index"},
      {with_index(R"("row": 0, "column": 0, "a/b": [0, 1])"), "problem.key", "p.json /patterns/0/index/a~1b"},
      {with_index(R"("row": 0, "column": 0, "lane": [0, 1])"), "problem.key", "p.json /patterns/0/index/lane"},
  };
}

TEST(ProblemFile, SaysWhatIsWrongWhereAndWhatToDo) {
  for (const Wrong& wrong : wrong_files()) {
    const Result<Problem> problem = problem_from_json(wrong.text, "p.json");
    ASSERT_FALSE(problem) << wrong.text;
    EXPECT_EQ(problem.error().id, wrong.id) << wrong.text << "\n" << to_string(problem.error());
    EXPECT_EQ(problem.error().where, wrong.where) << wrong.text << "\n" << to_string(problem.error());
    EXPECT_FALSE(problem.error().what.empty() || problem.error().remedy.empty()) << wrong.text;
  }
}

TEST(Solver, RefusesWhatNoLayoutServes) {
  Problem overlap = read(std::string("{") + array + R"(, "patterns": [
    {"instruction": "ld", "access_bytes": 16, "index": {"row": "lane", "column": 0}},
    {"instruction": "ld", "access_bytes": 16, "index": {"row": "lane", "column": 2}}]})");
  EXPECT_EQ(solve(overlap).error().id, "problem.alignment");
  Problem odd_rows = read(R"({"schema": "lanebank.problem/1", "array": {"rows": 8, "columns": 9, "element_bytes": 4},
    "constraints": {"engine": "tma"}, "patterns": [{"instruction": "ld", "access_bytes": 4, "index": {"row": 0,
    "column": "lane % 9"}}]})");
  const Result<Solution> refused = solve(odd_rows);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().id, "problem.no-layout");
  EXPECT_THAT(refused.error().what, HasSubstr("36 bytes"));
  odd_rows.engine = Engine::none;
  odd_rows.architecture = 70;
  EXPECT_EQ(solve(odd_rows).error().id, "problem.no-rule");
}

TEST(Solver, ServesVectorsThatRowMajorMisaligns) {
  const Solution solution = solved(read(R"({"schema": "lanebank.problem/1",
    "array": {"rows": 32, "columns": 9, "element_bytes": 4},
    "patterns": [{"instruction": "ld", "access_bytes": 16, "index": {"row": "lane", "column": 4}}]})"));
  EXPECT_FALSE(solution.plain_counts);
  EXPECT_EQ(solution.best.layout.family(), Family::padding);
  EXPECT_EQ(solution.best.layout.pitch_bytes() % 16, 0u);
  EXPECT_EQ(solution.best.total_wavefronts, 4u);
}

TEST(Solver, KeepsToMaxBytesAndFamilies) {
  Problem problem = problem_of("float_34x34_halo");
  problem.families = {Family::padding};
  EXPECT_EQ(solved(problem).best.total_wavefronts, 24u);
  problem.max_bytes = problem.tile.size_bytes() + 34 * 4 - 1;
  EXPECT_EQ(solve(problem).error().id, "problem.no-layout");
  problem.families = {Family::padding, Family::identity};
  EXPECT_EQ(solved(problem).best.layout.family(), Family::identity);
}

TEST(Presets, CoverTheTileOrSayWhyNot) {
  const Tile tile{64, 96, 2};
  for (const char* words : {"row", "column", "vector 8", "ldmatrix x1", "ldmatrix x2", "ldmatrix x4", "stmatrix x4",
                            "accumulator", "cp.async"}) {
    const Result<std::string> pattern = preset_pattern(tile, words, true);
    ASSERT_TRUE(pattern) << words << ": " << to_string(pattern.error());
    const Problem problem = read(preset_problem(tile, {*pattern}));
    ASSERT_EQ(problem.patterns.size(), 1u);
    std::vector<unsigned> touched(tile.rows * tile.columns, 0);
    const Pattern& made = problem.patterns[0];
    for (const WarpAccess& warp : made.accesses)
      for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
        if ((warp.active_lanes >> lane & 1) != 0)
          for (unsigned i = 0; i < made.access_bytes / tile.element_bytes; ++i)
            ++touched[warp.lanes[lane].row * tile.columns + warp.lanes[lane].column + i];
    EXPECT_EQ(std::count(touched.begin(), touched.end(), 1u), static_cast<std::ptrdiff_t>(touched.size())) << words;
  }
  EXPECT_EQ(preset_pattern(tile, "vector 3", true).error().id, "preset.tile");
  EXPECT_EQ(preset_pattern(tile, "vector", true).error().id, "preset.words");
  EXPECT_EQ(preset_pattern(tile, "sideways", true).error().id, "preset.words");
  EXPECT_EQ(preset_pattern(tile, "row row row", true).error().id, "preset.words");
  EXPECT_EQ(preset_pattern({60, 96, 2}, "ldmatrix x4", false).error().id, "preset.tile");
  EXPECT_EQ(preset_pattern({60, 90, 2}, "cp.async", true).error().id, "preset.tile");
}

}  // namespace
}  // namespace lanebank::solve
