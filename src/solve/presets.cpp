#include "solve/presets.hpp"

#include <bit>
#include <charconv>
#include <nlohmann/json.hpp>
#include <sstream>

namespace lanebank::solve {
namespace {

using Json = nlohmann::ordered_json;

std::string text(std::uint32_t number) { return std::to_string(number); }

tl::unexpected<Diagnostic> unfit(const std::string& words, const std::string& what, const std::string& remedy) {
  return fail("preset.tile", words, what, remedy);
}

/// Units of `elements` dealt to lanes in row order.
Json row_order(const Tile& tile, std::uint32_t elements) {
  const std::uint32_t per_row = tile.columns / elements, units = per_row * tile.rows;
  Json index = {{"row", "(32 * k + lane) / " + text(per_row)},
                {"column", "(32 * k + lane) % " + text(per_row) + (elements == 1 ? "" : " * " + text(elements))}};
  if (units % 32 != 0) index["active"] = "32 * k + lane < " + text(units);
  index["k"] = {0, (units + 31) / 32};
  return index;
}

Json column_order(const Tile& tile) {
  const std::uint32_t units = tile.rows * tile.columns;
  Json index = {{"row", "(32 * k + lane) % " + text(tile.rows)}, {"column", "(32 * k + lane) / " + text(tile.rows)}};
  if (units % 32 != 0) index["active"] = "32 * k + lane < " + text(units);
  index["k"] = {0, (units + 31) / 32};
  return index;
}

Result<Json> matrices(const Tile& tile, const std::string& words, unsigned count) {
  if (tile.element_bytes > 16 || !std::has_single_bit(tile.element_bytes))
    return unfit(words, "rows of 16 bytes are no whole number of elements of " + text(tile.element_bytes) + " bytes",
                 "ldmatrix and stmatrix take elements of 1, 2, 4, 8 or 16 bytes.");
  const std::uint32_t chunk = 16 / tile.element_bytes;
  const std::uint32_t rows = count == 1 ? 8 : 16, columns = count == 4 ? 2 * chunk : chunk;
  if (tile.rows % rows != 0 || tile.columns % columns != 0)
    return unfit(words, "the tile is no whole number of " + text(rows) + " x " + text(columns) + " elements",
                 "Choose another number of matrices, or another tile.");
  std::string column = text(columns) + " * j";
  if (count == 4) column += " + lane / 16 * " + text(chunk);
  return Json{{"row", text(rows) + " * i + lane % " + text(rows)},
              {"column", column},
              {"i", {0, tile.rows / rows}},
              {"j", {0, tile.columns / columns}}};
}

}  // namespace

std::string preset_names() {
  return "row, column, vector N, ldmatrix x1|x2|x4, stmatrix x1|x2|x4, accumulator, cp.async";
}

Result<std::string> preset_pattern(const Tile& tile, std::string_view words, bool store) {
  std::istringstream in{std::string(words)};
  std::string name, more, rest;
  in >> name >> more >> rest;
  const std::string all(words);
  const std::string remedy = "Known: " + preset_names() + ".";
  if (!rest.empty()) return fail("preset.words", rest, "one word too many", remedy);
  Json pattern = {{"name", (store ? "write " : "read ") + name + (more.empty() ? "" : " " + more)}};
  pattern["instruction"] = store ? "st" : "ld";
  const bool plain_width = std::has_single_bit(tile.element_bytes) && tile.element_bytes <= 16;
  const auto needs_width = [&]() {
    return unfit(all, "no access moves elements of " + text(tile.element_bytes) + " bytes",
                 "Elements of 1, 2, 4, 8 or 16 bytes are read and written whole.");
  };
  if ((name == "row" || name == "column") && more.empty()) {
    if (!plain_width) return needs_width();
    pattern["access_bytes"] = tile.element_bytes;
    pattern["index"] = name == "row" ? row_order(tile, 1) : column_order(tile);
  } else if (name == "vector") {
    std::uint32_t elements = 0;
    const auto [end, error] = std::from_chars(more.data(), more.data() + more.size(), elements);
    if (error != std::errc{} || end != more.data() + more.size() || elements == 0 || elements > 16)
      return fail("preset.words", all, "vector needs its number of elements", "Write vector 4, for instance.");
    const std::uint32_t bytes = elements * tile.element_bytes;
    if (!std::has_single_bit(bytes) || bytes > 16)
      return unfit(all, "a vector of " + text(bytes) + " bytes", "A lane moves 1, 2, 4, 8 or 16 bytes.");
    if (tile.columns % elements != 0)
      return unfit(all, "rows of " + text(tile.columns) + " are no whole number of vectors of " + text(elements),
                   "Choose narrower vectors.");
    pattern["access_bytes"] = bytes;
    pattern["index"] = row_order(tile, elements);
  } else if (name == "ldmatrix" || name == "stmatrix") {
    if (more != "x1" && more != "x2" && more != "x4")
      return fail("preset.words", all, name + " needs x1, x2 or x4", "Write " + name + " x4, for instance.");
    const Result<Json> index = matrices(tile, all, static_cast<unsigned>(more[1] - '0'));
    if (!index) return tl::unexpected(index.error());
    pattern["instruction"] = name + "_" + more;
    pattern["index"] = *index;
  } else if (name == "accumulator" && more.empty()) {
    if (!plain_width || tile.element_bytes > 8 || tile.rows % 16 != 0 || tile.columns % 8 != 0)
      return unfit(all, "the tile is no whole number of m16n8 accumulators",
                   "Rows must be a multiple of 16, columns of 8, elements of at most 8 bytes.");
    pattern["access_bytes"] = 2 * tile.element_bytes;
    pattern["index"] = {{"row", "16 * i + 8 * h + lane / 4"},
                        {"column", "8 * j + lane % 4 * 2"},
                        {"i", {0, tile.rows / 16}},
                        {"j", {0, tile.columns / 8}},
                        {"h", {0, 2}}};
  } else if (name == "cp.async" && more.empty()) {
    if (!plain_width || tile.row_bytes() % 16 != 0)
      return unfit(all, "rows of " + text(tile.row_bytes()) + " bytes are no whole number of 16-byte chunks",
                   "cp.async.cg copies 16 bytes a lane.");
    pattern["instruction"] = "cp_async_cg_16";
    pattern["index"] = row_order(tile, 16 / tile.element_bytes);
    pattern["index"]["source"] = "(32 * k + lane) * 16";
  } else {
    return fail("preset.words", all, "no pattern of that name", remedy);
  }
  return pattern.dump();
}

std::string preset_problem(const Tile& tile, const std::vector<std::string>& patterns) {
  std::string result = "{ \"schema\": \"lanebank.problem/1\",\n  \"array\": { \"rows\": " + text(tile.rows) +
                       ", \"columns\": " + text(tile.columns) + ", \"element_bytes\": " + text(tile.element_bytes) +
                       " },\n  \"patterns\": [";
  for (std::size_t i = 0; i < patterns.size(); ++i) result += (i == 0 ? "\n    " : ",\n    ") + patterns[i];
  return result + " ] }\n";
}

}  // namespace lanebank::solve
