// How long `lanebank solve` takes, one core, without reading and writing files.
//
//   bench_solve
//
// typical/...     what kernels ask: two to five patterns on tiles of up to 128 x 128 elements; promised: 20 ms
// infeasible/...  bit patterns that no layout serves, so that the search over linear layouts has to go to its end, or to
//                 its limit of work; promised: 10 s, and an answer that says which of the two it was
// Each case states its total before it is timed, and the benchmark stops if the solver finds another. `nodes`: of the search
// over linear layouts; `proved`: 1 where the optimum is certified.
#include <benchmark/benchmark.h>

#include <bit>
#include <stdexcept>
#include <string>
#include <vector>

#include "solve/presets.hpp"
#include "solve/problem_json.hpp"
#include "solve/solve.hpp"

namespace {

using namespace lanebank::solve;

Problem parsed(const std::string& text) {
  lanebank::Result<Problem> problem = problem_from_json(text, "benchmark");
  if (!problem) throw std::runtime_error(to_string(problem.error()));
  return std::move(*problem);
}

struct Word {
  const char* words;
  bool store;
};

Problem tile(const Tile& shape, const std::vector<Word>& words) {
  std::vector<std::string> patterns;
  for (const Word& word : words) {
    const lanebank::Result<std::string> pattern = preset_pattern(shape, word.words, word.store);
    if (!pattern) throw std::runtime_error(to_string(pattern.error()));
    patterns.push_back(*pattern);
  }
  return parsed(preset_problem(shape, patterns));
}

/// 32 x `columns` floats read 32 in a row at any column, and by column.
Problem halo(unsigned columns) {
  const std::string last = std::to_string(columns - 31), all = std::to_string(columns);
  return parsed(R"({"schema": "lanebank.problem/1", "array": {"rows": 34, "columns": )" + all +
                R"(, "element_bytes": 4}, "patterns": [{"instruction": "ld", "access_bytes": 4,
                "index": {"row": "r", "column": "k + lane", "r": [0, 34], "k": [0, )" +
                last + R"(]}}, {"instruction": "ld", "access_bytes": 4,
                "index": {"row": "r + lane", "column": "k", "r": [0, 3], "k": [0, )" +
                all + "]}}]}");
}

/// For every set of `chosen` of `bits` logical bits of a row of 2^bits units, a pattern whose lanes vary these bits.
Problem subsets(unsigned bits, unsigned chosen, unsigned unit_bytes) {
  std::string text = R"({"schema": "lanebank.problem/1", "array": {"rows": 1, "columns": )" +
                     std::to_string(1u << bits) + R"(, "element_bytes": )" + std::to_string(unit_bytes) +
                     R"(}, "patterns": [)";
  bool first = true;
  for (unsigned set = 0; set < 1u << bits; ++set) {
    if (std::popcount(set) != static_cast<int>(chosen)) continue;
    std::string column;
    unsigned lane_bit = 0;
    for (unsigned bit = 0; bit < bits; ++bit)
      if ((set >> bit & 1) != 0)
        column += (column.empty() ? "" : " | ") + std::string("(lane >> ") + std::to_string(lane_bit++) + " & 1) << " +
                  std::to_string(bit);
    text += (first ? "" : ",") + std::string(R"({"instruction": "ld", "access_bytes": )") + std::to_string(unit_bytes) +
            R"(, "index": {"row": 0, "active": "lane < )" + std::to_string(1u << chosen) + R"(", "column": ")" +
            column + "\"}}";
    first = false;
  }
  return parsed(text + "]}");
}

void run(benchmark::State& state, const Problem& problem, std::uint64_t expected_total) {
  const lanebank::Result<Solution> first = solve(problem);
  if (!first || first->best.total_wavefronts != expected_total) {
    state.SkipWithError(first ? ("total " + std::to_string(first->best.total_wavefronts)).c_str()
                              : to_string(first.error()).c_str());
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(solve(problem));
  state.counters["nodes"] = static_cast<double>(first->nodes);
  state.counters["proved"] = first->optimal ? 1 : 0;
}

void add(const std::string& name, Problem problem, std::uint64_t total) {
  benchmark::RegisterBenchmark(name.c_str(), run, std::move(problem), total)->Unit(benchmark::kMillisecond);
}

}  // namespace

int main(int argc, char** argv) {
  add("typical/half_64x96_vector_ldmatrix", tile({64, 96, 2}, {{"vector 8", true}, {"ldmatrix x4", false}}), 192);
  add("typical/half_128x64_cp_async_ldmatrix", tile({128, 64, 2}, {{"cp.async", true}, {"ldmatrix x4", false}}), 256);
  add("typical/half_128x128_stmatrix_vector", tile({128, 128, 2}, {{"stmatrix x4", true}, {"vector 8", false}}), 512);
  add("typical/float_128x128_row_column", tile({128, 128, 4}, {{"row", true}, {"column", false}}), 1024);
  add("typical/float_128x128_vector_column", tile({128, 128, 4}, {{"vector 4", true}, {"column", false}}), 2560);
  add("typical/float_64x64_five_patterns",
      tile({64, 64, 4},
           {{"accumulator", true}, {"vector 4", false}, {"ldmatrix x4", false}, {"row", false}, {"vector 2", true}}),
      640);
  add("typical/float_34x36_halo", halo(36), 278);
  add("infeasible/3_of_6_bits", subsets(6, 3, 16), 24);
  add("infeasible/5_of_7_bits", subsets(7, 5, 4), 26);
  add("infeasible/3_of_8_bits", subsets(8, 3, 16), 72);
  add("infeasible/5_of_9_bits", subsets(9, 5, 4), 164);
  add("infeasible/5_of_10_bits", subsets(10, 5, 4), 328);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
