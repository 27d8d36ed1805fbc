#include "questions.hpp"

#include <array>
#include <charconv>
#include <istream>
#include <ostream>
#include <string_view>

#include "solve/problem.hpp"

namespace lanebank::tools {
namespace {

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

}  // namespace

std::string trimmed(const std::string& line) {
  const std::size_t first = line.find_first_not_of(" \t\r"), last = line.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : line.substr(first, last - first + 1);
}

std::string read_shape(const std::string& line, solve::Tile& tile) {
  const std::size_t cross = line.find_first_of("xX");
  if (cross == std::string::npos || !parse(trimmed(line.substr(0, cross)), tile.rows) ||
      !parse(trimmed(line.substr(cross + 1)), tile.columns))
    return "Two numbers with an x between them, please.";
  if (std::uint64_t{tile.rows} * tile.columns > solve::tile_limit_bytes) return "No GPU has such shared memory.";
  return "";
}

std::string read_element(const std::string& line, solve::Tile& tile) {
  for (const TypeName& type : types)
    if (type.name == line) tile.element_bytes = type.bytes;
  if (tile.element_bytes == 0 && !parse(line, tile.element_bytes)) return "A number of bytes, or a type, please.";
  if (tile.element_bytes <= solve::tile_limit_bytes / (tile.rows * tile.columns)) return "";
  tile.element_bytes = 0;
  return "No GPU has such shared memory.";
}

std::optional<std::string> Questions::next(const std::string& question) {
  questions_ << question << std::flush;
  std::string line;
  if (!std::getline(answers_, line)) return std::nullopt;
  return trimmed(line);
}

void Questions::complain(const std::string& wrong) { questions_ << "  " << wrong << '\n'; }

tl::unexpected<Diagnostic> Questions::ended(const std::string& question) {
  return fail("ask.end", "", "the answers end before the question \"" + trimmed(question) + "\"",
              "Answer it, or say it on the command line.");
}

tl::unexpected<Diagnostic> Questions::unusable() {
  return fail("ask.answer", "", "no answer that can be used", "See docs/solver.md, or say it on the command line.");
}

Result<bool> Questions::ask_whether(const std::string& question) {
  bool yes = false;
  const Result<void> asked = ask(question + " yes or no: ", [&](const std::string& line) -> std::string {
    yes = line == "yes" || line == "y";
    return yes || line == "no" || line == "n" ? "" : "yes or no, please.";
  });
  if (!asked) return tl::unexpected(asked.error());
  return yes;
}

}  // namespace lanebank::tools
