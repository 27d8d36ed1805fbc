#include <istream>
#include <ostream>
#include <string_view>
#include <vector>

#include "questions.hpp"
#include "solve.hpp"
#include "solve/presets.hpp"

namespace lanebank::tools {
namespace {

class Asker {
 public:
  Asker(std::istream& input, std::ostream& questions) : questions_(input, questions) {}

  Result<std::string> run() {
    solve::Tile tile;
    std::vector<std::string> patterns;
    Result<void> asked = questions_.ask("Tile, rows x columns (64x96): ",
                                        [&](const std::string& line) { return read_shape(line, tile); });
    if (asked)
      asked = questions_.ask("Element, bytes or a type (2, half, float): ",
                             [&](const std::string& line) { return read_element(line, tile); });
    if (asked)
      asked = questions_.ask("Who writes it? " + solve::preset_names() + ": ",
                             [&](const std::string& line) { return read_pattern(line, tile, true, patterns); });
    if (asked)
      asked = questions_.ask("Who reads it? The same words: ",
                             [&](const std::string& line) { return read_pattern(line, tile, false, patterns); });
    bool more = true;
    while (asked && more)
      asked =
          questions_.ask("Another one? write or read, and the words; empty when done: ", [&](const std::string& line) {
            more = !line.empty();
            return more ? read_further(line, tile, patterns) : std::string();
          });
    if (!asked) return tl::unexpected(asked.error());
    return solve::preset_problem(tile, patterns);
  }

 private:
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

  Questions questions_;
};

}  // namespace

Result<std::string> ask_problem(std::istream& input, std::ostream& questions) { return Asker(input, questions).run(); }

}  // namespace lanebank::tools
