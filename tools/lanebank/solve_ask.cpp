#include <array>
#include <charconv>
#include <istream>
#include <ostream>
#include <string_view>
#include <vector>

#include "solve.hpp"
#include "solve/presets.hpp"
#include "solve/problem.hpp"

namespace lanebank::tools {
namespace {

constexpr unsigned attempts = 20;

std::string trimmed(const std::string& line) {
  const std::size_t first = line.find_first_not_of(" \t\r"), last = line.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : line.substr(first, last - first + 1);
}

bool parse(std::string_view text, std::uint32_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() && number > 0;
}

struct TypeName {
  std::string_view name;
  std::uint32_t bytes;
};
constexpr std::array<TypeName, 16> types = {{{"float", 4},
                                             {"f32", 4},
                                             {"half", 2},
                                             {"f16", 2},
                                             {"bf16", 2},
                                             {"double", 8},
                                             {"f64", 8},
                                             {"int", 4},
                                             {"i32", 4},
                                             {"u32", 4},
                                             {"char", 1},
                                             {"i8", 1},
                                             {"u8", 1},
                                             {"fp8", 1},
                                             {"float2", 8},
                                             {"float4", 16}}};

class Asker {
 public:
  Asker(std::istream& input, std::ostream& questions) : input_(input), questions_(questions) {}

  Result<std::string> run() {
    solve::Tile tile;
    std::vector<std::string> patterns;
    Result<void> asked =
        ask("Tile, rows x columns (64x96): ", [&](const std::string& line) { return read_shape(line, tile); });
    if (asked)
      asked = ask("Element, bytes or a type (2, half, float): ",
                  [&](const std::string& line) { return read_element(line, tile); });
    if (asked)
      asked = ask("Who writes it? " + solve::preset_names() + ": ",
                  [&](const std::string& line) { return read_pattern(line, tile, true, patterns); });
    if (asked)
      asked = ask("Who reads it? The same words: ",
                  [&](const std::string& line) { return read_pattern(line, tile, false, patterns); });
    bool more = true;
    while (asked && more)
      asked = ask("Another one? write or read, and the words; empty when done: ", [&](const std::string& line) {
        more = !line.empty();
        return more ? read_further(line, tile, patterns) : std::string();
      });
    if (!asked) return tl::unexpected(asked.error());
    return solve::preset_problem(tile, patterns);
  }

 private:
  /// `read` returns what is wrong with the answer, or nothing.
  template <class Read>
  Result<void> ask(const std::string& question, Read read) {
    for (unsigned i = 0; i < attempts; ++i) {
      questions_ << question << std::flush;
      std::string line;
      if (!std::getline(input_, line))
        return fail("ask.end", "", "the answers end before the question \"" + trimmed(question) + "\"",
                    "Answer it, or give a problem file.");
      const std::string wrong = read(trimmed(line));
      if (wrong.empty()) return {};
      questions_ << "  " << wrong << '\n';
    }
    return fail("ask.answer", "", "no answer that can be used", "See docs/solver.md, or give a problem file.");
  }

  static std::string read_shape(const std::string& line, solve::Tile& tile) {
    const std::size_t cross = line.find_first_of("xX");
    if (cross == std::string::npos || !parse(trimmed(line.substr(0, cross)), tile.rows) ||
        !parse(trimmed(line.substr(cross + 1)), tile.columns))
      return "Two numbers with an x between them, please.";
    if (std::uint64_t{tile.rows} * tile.columns > solve::tile_limit_bytes) return "No GPU has such shared memory.";
    return "";
  }

  static std::string read_element(const std::string& line, solve::Tile& tile) {
    for (const TypeName& type : types)
      if (type.name == line) tile.element_bytes = type.bytes;
    if (tile.element_bytes == 0 && !parse(line, tile.element_bytes)) return "A number of bytes, or a type, please.";
    if (tile.element_bytes <= solve::tile_limit_bytes / (tile.rows * tile.columns)) return "";
    tile.element_bytes = 0;
    return "No GPU has such shared memory.";
  }

  static std::string read_pattern(const std::string& line, const solve::Tile& tile, bool store,
                                  std::vector<std::string>& patterns) {
    const bool stores = line.starts_with("stmatrix") || line.starts_with("cp.async");
    if (line.starts_with("ldmatrix") ? store : stores && !store)
      return store ? "ldmatrix reads; stmatrix writes." : "stmatrix and cp.async write; ldmatrix reads.";
    Result<std::string> pattern = solve::preset_pattern(tile, line, store);
    if (!pattern) return to_string(pattern.error());
    patterns.push_back(std::move(*pattern));
    return "";
  }

  static std::string read_further(const std::string& line, const solve::Tile& tile,
                                  std::vector<std::string>& patterns) {
    const std::size_t blank = line.find(' ');
    const std::string way = line.substr(0, blank);
    if (blank == std::string::npos || (way != "write" && way != "read"))
      return "Begin with write or read: read column.";
    return read_pattern(trimmed(line.substr(blank)), tile, way == "write", patterns);
  }

  std::istream& input_;
  std::ostream& questions_;
};

}  // namespace

Result<std::string> ask_problem(std::istream& input, std::ostream& questions) { return Asker(input, questions).run(); }

}  // namespace lanebank::tools
