#include "solve/index_reader.hpp"

#include <algorithm>
#include <utility>

#include "solve/expression.hpp"

namespace lanebank::solve {
namespace {

constexpr std::int64_t most = std::int64_t{1} << 32;

/// A loop variable of the index form and the values it takes.
struct Loop {
  std::string name;
  std::int64_t first = 0, end = 0, step = 1;
  std::int64_t count() const { return (end - first + step - 1) / step; }
};

bool is_identifier(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

/// The accesses of a pattern given as expressions in `lane` and loop variables.
class IndexReader {
 public:
  IndexReader(const Tile& tile, Pattern& pattern, JsonPlace place)
      : tile_(tile), pattern_(pattern), place_(std::move(place)) {}

  Result<void> read() {
    if (!place_.value().is_object())
      return place_.wrong("problem.object", "an object is needed", "Its keys: row, column and the loop variables.");
    for (const auto& [key, value] : place_.value().items())
      if (key != "row" && key != "column" && key != "active" && key != "source")
        if (Result<void> loop = read_loop(key); !loop) return loop;
    std::int64_t count = 1;
    for (const Loop& loop : loops_) {
      count *= loop.count();
      if (count > access_limit)
        return place_.wrong("problem.size", "the loops make more than " + std::to_string(access_limit) + " accesses",
                            "Give one warp's accesses of one pass over the tile, and the rest as weight.");
    }
    for (const char* key : {"row", "column"})
      if (Result<JsonPlace> there = place_.member(key); !there) return tl::unexpected(there.error());
    for (const char* key : {"row", "column", "active", "source"})
      if (Result<void> read = read_expression(key); !read) return read;
    for (std::int64_t i = 0; i < count; ++i)
      if (Result<void> added = add_access(i); !added) return added;
    return {};
  }

 private:
  enum Part { row, column, active, source, part_count };

  Result<void> read_loop(const std::string& key) {
    const JsonPlace place = place_[key];
    if (!is_identifier(key) || key == "lane")
      return place.wrong("problem.key", shown(key) + " cannot be a loop variable",
                         "Loop variables are names of letters, digits and _, other than lane, row, column, active and "
                         "source.");
    const Result<std::size_t> size = place.array_size(2, 3);
    if (!size) return tl::unexpected(size.error());
    const Result<std::int64_t> first = place[std::size_t{0}].whole(-most, most), end = place[1].whole(-most, most);
    if (!first) return tl::unexpected(first.error());
    if (!end) return tl::unexpected(end.error());
    Loop loop{key, *first, *end, 1};
    if (*size == 3) {
      const Result<std::int64_t> step = place[2].whole(1, most);
      if (!step) return tl::unexpected(step.error());
      loop.step = *step;
    }
    if (loop.end <= loop.first)
      return place.wrong("problem.loop", "the loop over " + key + " has no values",
                         "[first, end] runs from first to end - 1.");
    loops_.push_back(std::move(loop));
    return {};
  }

  Result<void> read_expression(const char* key) {
    if (!place_.has(key)) {
      const std::string text = std::string_view(key) == "active" ? "1" : "0";
      expressions_.push_back(*Expression::parse(text, {}));
      return {};
    }
    const JsonPlace place = place_[key];
    std::vector<std::string> names = {"lane"};
    for (const Loop& loop : loops_) names.push_back(loop.name);
    std::string text;
    if (place.value().is_number_integer()) {
      text = place.value().dump();
    } else {
      const Result<std::string> given = place.text();
      if (!given) return tl::unexpected(given.error());
      text = *given;
    }
    Result<Expression> parsed = Expression::parse(text, std::move(names));
    if (!parsed) return placed(parsed.error(), place);
    expressions_.push_back(std::move(*parsed));
    return {};
  }

  /// An expression's error with its place in the file before the column.
  static tl::unexpected<Diagnostic> placed(Diagnostic error, const JsonPlace& place, const std::string& values = "") {
    error.where = place.where() + ", " + error.where;
    if (!values.empty()) error.what += " (" + values + ")";
    return tl::unexpected(std::move(error));
  }

  std::string values_text(unsigned lane) const {
    std::string text = "lane = " + std::to_string(lane);
    for (std::size_t i = 0; i < loops_.size(); ++i)
      text += ", " + loops_[i].name + " = " + std::to_string(values_[i + 1]);
    return text;
  }

  Result<std::int64_t> value(Part part, unsigned lane) const {
    constexpr const char* keys[] = {"row", "column", "active", "source"};
    const Result<std::int64_t> result = expressions_[part].evaluate(values_);
    if (!result) return placed(result.error(), place_[keys[part]], values_text(lane));
    return result;
  }

  Result<void> add_access(std::int64_t number) {
    values_.assign(1, 0);
    for (std::size_t i = loops_.size(); i-- > 0; number /= loops_[i].count())
      values_.insert(values_.begin() + 1, loops_[i].first + number % loops_[i].count() * loops_[i].step);
    WarpAccess access;
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
      values_[0] = lane;
      if ((addressing_lanes(pattern_) >> lane & 1) == 0) continue;
      if (Result<void> read = add_lane(lane, access); !read) return read;
    }
    pattern_.accesses.push_back(access);
    return {};
  }

  Result<void> add_lane(unsigned lane, WarpAccess& access) const {
    const Result<std::int64_t> takes_part = value(active, lane);
    if (!takes_part) return tl::unexpected(takes_part.error());
    access.sources[lane] = lane * pattern_.instruction->source_stride;
    if (*takes_part == 0) return {};
    const Result<std::int64_t> at_row = value(row, lane), at_column = value(column, lane), from = value(source, lane);
    for (const auto* each : {&at_row, &at_column, &from})
      if (!*each) return tl::unexpected(each->error());
    const std::string where = place_.where() + ", " + values_text(lane);
    if (*at_row < 0 || *at_column < 0 || *at_row >= most || *at_column >= most)
      return fail(
          "problem.outside", where,
          "row " + std::to_string(*at_row) + ", column " + std::to_string(*at_column) + " lies outside the array",
          "Correct the expression, or switch lanes off with \"active\".");
    access.lanes[lane] = {static_cast<std::uint32_t>(*at_row), static_cast<std::uint32_t>(*at_column)};
    if (Result<void> inside = check_element(tile_, access.lanes[lane], pattern_.access_bytes, where); !inside)
      return inside;
    if (place_.has("source")) {
      if (*from < 0 || *from >= most)
        return fail("problem.outside", where, "source " + std::to_string(*from) + " is no offset of 32 bits",
                    "Sources are bytes from a 128-byte line of global memory.");
      access.sources[lane] = static_cast<std::uint32_t>(*from);
    }
    access.active_lanes |= 1u << lane;
    return {};
  }

  const Tile& tile_;
  Pattern& pattern_;
  JsonPlace place_;
  std::vector<Loop> loops_;
  std::vector<Expression> expressions_;  ///< by Part
  std::vector<std::int64_t> values_;     ///< lane, then the loops'
};

}  // namespace

Result<void> read_index(const Tile& tile, Pattern& pattern, const JsonPlace& place) {
  return IndexReader(tile, pattern, place).read();
}

}  // namespace lanebank::solve
