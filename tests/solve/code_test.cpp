// What the solver writes as code: nvcc compiles it, its static_asserts hold, and the program made of it has the map and the
// wavefronts that were predicted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "files.hpp"
#include "solve/exact_count.hpp"
#include "solve/proof_code.hpp"

namespace lanebank::solve {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

/// A hash of all offsets, the same in the program below.
std::uint32_t hash_of(const Layout& layout) {
  std::uint32_t hash = 2166136261u;
  for (std::uint32_t row = 0; row < layout.tile().rows; ++row)
    for (std::uint32_t column = 0; column < layout.tile().columns; ++column)
      hash = (hash ^ layout.offset(row, column)) * 16777619u;
  return hash;
}

constexpr const char* head = R"(#include <lanebank/layout.hpp>
#include <lanebank/proofs.hpp>
#include <cstdio>
template <class Offset>
unsigned hash_of(unsigned rows, unsigned columns, Offset offset) {
  unsigned hash = 2166136261u;
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned column = 0; column < columns; ++column) hash = (hash ^ offset(row, column)) * 16777619u;
  return hash;
}
)";

/// The text without its #include lines, which cannot stand inside a namespace.
std::string without_includes(const std::string& code) {
  std::string result;
  for (std::size_t at = 0; at < code.size();) {
    const std::size_t end = std::min(code.find('\n', at), code.size() - 1) + 1;
    if (code.compare(at, 8, "#include") != 0) result += code.substr(at, end - at);
    at = end;
  }
  return result;
}

/// A CUDA source with many layouts, and a main() that checks them.
class Source {
 public:
  void add(const Problem& problem, const Candidate& candidate) {
    const std::string number = std::to_string(count_++), name = "tile" + number;
    const Notation code = code_of(problem, candidate, name);
    const std::string mark = "// In the kernel:\n";
    const std::size_t split = code.cuda.find(mark);
    ASSERT_NE(split, std::string::npos);
    text_ += "namespace plain {\n" + code.cuda.substr(0, split) + "__global__ void kernel" + number +
             "(unsigned char* out) {\n" + code.cuda.substr(split + mark.size()) +
             "  auto* bytes = reinterpret_cast<volatile unsigned char*>(" + name + ");\n  bytes[" + name +
             "_offset(0, threadIdx.x)] = 1;\n  out[threadIdx.x] = bytes[0];\n  static_assert(sizeof(" + name +
             ") == " + name + "_bytes);\n}\n}\n";
    text_ += "namespace proved {\n" + without_includes(code.lanebank) + "}\n";
    const Tile& tile = candidate.layout.tile();
    const std::string shape = std::to_string(tile.rows) + ", " + std::to_string(tile.columns) + ", ";
    const std::string hash = std::to_string(hash_of(candidate.layout)) + "u";
    main_ += "  check(" + number + ", hash_of(" + shape + "plain::" + name + "_offset), " + hash + ");\n";
    main_ += "  check(" + number + ", hash_of(" + shape + "proved::" + name + "::offset), " + hash + ");\n";
    main_ += "  check(" + number + ", proved::" + name + "::bytes, " + std::to_string(candidate.bytes) + ");\n";
  }

  std::string text() const {
    return head + text_ +
           "int main() {\n  int wrong = 0;\n  auto check = [&](int number, unsigned found, unsigned expected) {\n    "
           "if "
           "(found != expected) std::printf(\"tile%d: %u, not %u\\n\", number, found, expected), wrong = 1;\n  };\n" +
           main_ + "  return wrong;\n}\n";
  }

 private:
  unsigned count_ = 0;
  std::string text_, main_;
};

Candidate candidate_of(const Problem& problem, const Layout& layout) {
  const ExactCount count = exact_count(problem, layout);
  EXPECT_TRUE(count.served);
  return {layout, count.total, layout.bytes(), layout.index_instructions(), count.wavefronts};
}

/// Elements of 12 bytes, rows padded by 4: no multiple of an element.
Problem odd_elements() {
  const char* text = R"({"schema": "lanebank.problem/1", "array": {"rows": 32, "columns": 8, "element_bytes": 12},
    "patterns": [{"name": "column \\ of\nstructs", "instruction": "ld", "access_bytes": 4,
                  "index": {"row": "lane", "column": "k", "k": [0, 8]}},
                 {"instruction": "atom_add_u32", "index": {"row": "lane * lane % 32", "column": 3}}]})";
  Result<Problem> problem = problem_from_json(text, "odd");
  if (!problem) throw std::runtime_error(to_string(problem.error()));
  return std::move(*problem);
}

TEST(Code, CompilesProvesItselfAndHasThePredictedMap) {
  Source source;
  Limits limits;
  limits.ways_out = false;
  for (const char* name :
       {"half_64x80", "half_64x128", "float_32x20_row_column", "float_32x32_vector_rows", "float_64x64_accumulator",
        "float_16x32_paired_column", "float_34x34_halo", "code_3_of_5", "half_64x64_cp_async", "half_64x64_wgmma"}) {
    const Problem problem = problem_of(name);
    source.add(problem, solved(problem, limits).best);
  }
  for (const char* name : {"half_64x96", "units_8x8_queens", "float_64x32_accumulator"}) {
    const Problem problem = problem_of(name);
    const Solution solution = solved(problem, limits);
    source.add(problem, solution.best);
    for (const Candidate& candidate : solution.alternatives) source.add(problem, candidate);
  }
  const Problem half = problem_of("half_64x96"), odd = odd_elements(), halo = problem_of("float_34x34_halo");
  source.add(half, candidate_of(half, Layout::panels(half.tile, 32, 16, 32)));
  source.add(half, candidate_of(half, Layout::hardware(half.tile, 64)));
  source.add(odd, solved(odd, limits).best);
  source.add(odd, candidate_of(odd, Layout::padded(odd.tile, 4)));
  source.add(halo, candidate_of(halo, Layout::swizzled(halo.tile, {2, 2, 5})));  // past the tile: more bytes
  const std::string folder = testing::TempDir() + "lanebank-code-" + std::to_string(::getpid());
  fs::create_directories(folder);
  std::ofstream(folder + "/code.cu") << source.text();
  const std::string command = std::string(LANEBANK_NVCC) + " -std=c++17 -arch=sm_90 -Werror all-warnings -I \"" +
                              LANEBANK_INCLUDE + "\" -o \"" + folder + "/code\" \"" + folder + "/code.cu\" > \"" +
                              folder + "/log\" 2>&1";
  const int compiled = std::system(command.c_str());
  std::ifstream log(folder + "/log");
  std::stringstream messages;
  messages << log.rdbuf();
  ASSERT_EQ(compiled, 0) << messages.str().substr(0, 4000) << "\n" << source.text();
  EXPECT_EQ(std::system(("\"" + folder + "/code\"").c_str()), 0);
  fs::remove_all(folder);
}

TEST(Code, NamesFromFilesCannotLeaveTheirComment) {
  const Problem odd = odd_elements();
  const std::string code = proof_code(odd, candidate_of(odd, Layout::row_major(odd.tile)));
  EXPECT_THAT(code, HasSubstr("// column ? of?structs: ld, 4 bytes a lane\n"));
}

}  // namespace
}  // namespace lanebank::solve
