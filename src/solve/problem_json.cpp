#include "solve/problem_json.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "solve/index_reader.hpp"
#include "solve/json_reader.hpp"

namespace lanebank::solve {
namespace {

constexpr const char* schema = "lanebank.problem/1";
constexpr std::int64_t most = std::int64_t{1} << 32;

class ProblemReader {
 public:
  explicit ProblemReader(JsonPlace root) : root_(std::move(root)) {}

  Result<Problem> read() {
    if (Result<void> keys = root_.object_of({"schema", "array", "constraints", "patterns"}); !keys)
      return tl::unexpected(keys.error());
    for (auto part : {&ProblemReader::read_schema, &ProblemReader::read_array, &ProblemReader::read_constraints,
                      &ProblemReader::read_patterns})
      if (Result<void> done = (this->*part)(); !done) return tl::unexpected(done.error());
    if (Result<void> checked = check(problem_); !checked) {
      Diagnostic error = checked.error();
      error.where = root_.file() + " " + error.where;
      return tl::unexpected(std::move(error));
    }
    return std::move(problem_);
  }

 private:
  Result<void> read_schema() {
    const Result<JsonPlace> place = root_.member("schema");
    if (!place) return tl::unexpected(place.error());
    if (place->value() != schema)
      return place->wrong("problem.schema", "not a problem file of this version",
                          std::string("It must say \"schema\": \"") + schema + "\".");
    return {};
  }

  Result<void> read_array() {
    const Result<JsonPlace> array = root_.member("array");
    if (!array) return tl::unexpected(array.error());
    if (Result<void> keys = array->object_of({"rows", "columns", "element_bytes"}); !keys) return keys;
    Tile& tile = problem_.tile;
    const std::pair<const char*, std::uint32_t*> numbers[] = {
        {"rows", &tile.rows}, {"columns", &tile.columns}, {"element_bytes", &tile.element_bytes}};
    for (const auto& [key, number] : numbers) {
      const Result<JsonPlace> place = array->member(key);
      if (!place) return tl::unexpected(place.error());
      const Result<std::int64_t> value = place->whole(1, tile_limit_bytes);
      if (!value) return tl::unexpected(value.error());
      *number = static_cast<std::uint32_t>(*value);
    }
    Problem only_tile;
    only_tile.tile = tile;
    const Result<void> fits = check(only_tile);  // the tile is looked at first; that there is no pattern comes later
    if (fits.error().id == "problem.size") return array->wrong("problem.size", fits.error().what, fits.error().remedy);
    return {};
  }

  Result<void> read_constraints() {
    if (!root_.has("constraints")) return {};
    const JsonPlace place = root_["constraints"];
    if (Result<void> keys = place.object_of({"max_bytes", "families", "engine"}); !keys) return keys;
    if (place.has("max_bytes") && !place["max_bytes"].is_null()) {
      const Result<std::int64_t> value = place["max_bytes"].whole(1, UINT32_MAX);
      if (!value) return tl::unexpected(value.error());
      problem_.max_bytes = static_cast<std::uint32_t>(*value);
    }
    if (place.has("engine") && !place["engine"].is_null()) {
      const Result<std::string> engine = place["engine"].text();
      if (!engine) return tl::unexpected(engine.error());
      if (*engine != "tma" && *engine != "wgmma")
        return place["engine"].wrong("problem.engine", "unknown engine " + shown(*engine),
                                     "Known: \"tma\", \"wgmma\", or null.");
      problem_.engine = *engine == "tma" ? Engine::tma : Engine::wgmma;
    }
    if (place.has("families") && !place["families"].is_null()) return read_families(place["families"]);
    return {};
  }

  Result<void> read_families(const JsonPlace& place) {
    const Result<std::size_t> size = place.array_size(1, family_count);
    if (!size) return tl::unexpected(size.error());
    for (std::size_t i = 0; i < *size; ++i) {
      const Result<std::string> name = place[i].text();
      if (!name) return tl::unexpected(name.error());
      const std::optional<Family> family = family_named(*name);
      if (!family) {
        std::string known;
        for (unsigned f = 0; f < family_count; ++f)
          known += (known.empty() ? "" : ", ") + std::string(name_of(static_cast<Family>(f)));
        return place[i].wrong("problem.family", "unknown family " + shown(*name), "Known: " + known + ".");
      }
      problem_.families.push_back(*family);
    }
    return {};
  }

  Result<void> read_patterns() {
    const Result<JsonPlace> place = root_.member("patterns");
    if (!place) return tl::unexpected(place.error());
    const Result<std::size_t> size = place->array_size(1, pattern_limit);
    if (!size) return tl::unexpected(size.error());
    for (std::size_t i = 0; i < *size; ++i)
      if (Result<void> read = read_pattern((*place)[i], i); !read) return read;
    return {};
  }

  Result<void> read_pattern(const JsonPlace& place, std::size_t index) {
    if (Result<void> keys = place.object_of(
            {"name", "instruction", "access_bytes", "weight", "repeat", "accesses", "sources", "index"});
        !keys)
      return keys;
    Pattern pattern;
    pattern.name = "pattern " + std::to_string(index + 1);
    if (place.has("name")) {
      const Result<std::string> name = place["name"].text();
      if (!name) return tl::unexpected(name.error());
      pattern.name = *name;
    }
    if (Result<void> read = read_instruction(place, pattern); !read) return read;
    if (place.has("index") == place.has("accesses"))
      return place.wrong("problem.accesses",
                         place.has("index") ? "both index and accesses" : "neither accesses nor index",
                         "Give the lanes' elements either listed (accesses) or as expressions (index).");
    if (Result<void> read =
            place.has("index") ? read_index(problem_.tile, pattern, place["index"]) : read_listed(place, pattern);
        !read)
      return read;
    accesses_ += pattern.accesses.size();
    if (accesses_ > access_limit)
      return place.wrong("problem.size", "more than " + std::to_string(access_limit) + " accesses in all patterns",
                         "Give one warp's accesses of one pass over the tile, and the rest as weight.");
    if (Result<void> read = read_weight(place, pattern); !read) return read;
    problem_.patterns.push_back(std::move(pattern));
    return {};
  }

  static Result<void> read_instruction(const JsonPlace& place, Pattern& pattern) {
    const Result<JsonPlace> instruction = place.member("instruction");
    if (!instruction) return tl::unexpected(instruction.error());
    const Result<std::string> name = instruction->text();
    if (!name) return tl::unexpected(name.error());
    pattern.instruction = instruction_named(*name);
    if (pattern.instruction == nullptr)
      return instruction->wrong("problem.instruction", "unknown instruction " + shown(*name),
                                "Known: " + instruction_names() + ".");
    pattern.access_bytes = pattern.instruction->lane_bytes;
    if (!place.has("access_bytes")) {
      if (pattern.access_bytes != 0) return {};
      return place.wrong("problem.missing", "no access_bytes", "Add the bytes per lane: 1, 2, 4, 8 or 16.");
    }
    const Result<std::int64_t> bytes = place["access_bytes"].whole(1, 16);
    if (!bytes) return tl::unexpected(bytes.error());
    pattern.access_bytes = static_cast<unsigned>(*bytes);
    return {};
  }

  Result<void> read_listed(const JsonPlace& place, Pattern& pattern) const {
    const JsonPlace list = place["accesses"];
    const Result<std::size_t> size = list.array_size(1, access_limit);
    if (!size) return tl::unexpected(size.error());
    if (place.has("sources"))
      if (Result<std::size_t> same = place["sources"].array_size(*size, *size); !same)
        return tl::unexpected(same.error());
    for (std::size_t i = 0; i < *size; ++i) {
      WarpAccess access;
      if (Result<void> read = read_lanes(list[i], pattern, access); !read) return read;
      if (place.has("sources"))
        if (Result<void> read = read_sources(place["sources"][i], access); !read) return read;
      pattern.accesses.push_back(access);
    }
    return {};
  }

  Result<void> read_lanes(const JsonPlace& place, const Pattern& pattern, WarpAccess& access) const {
    const auto lanes = static_cast<std::size_t>(std::popcount(addressing_lanes(pattern)));
    const Result<std::size_t> size = place.array_size(lanes, lanes_per_warp);
    if (!size) return tl::unexpected(size.error());
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
      access.sources[lane] = lane * pattern.instruction->source_stride;
      if (lane >= lanes || place.value()[lane].is_null()) continue;
      const JsonPlace pair = place[lane];
      if (Result<std::size_t> two = pair.array_size(2, 2); !two) return tl::unexpected(two.error());
      const Result<std::int64_t> row = pair[std::size_t{0}].whole(0, most - 1), column = pair[1].whole(0, most - 1);
      if (!row) return tl::unexpected(row.error());
      if (!column) return tl::unexpected(column.error());
      access.lanes[lane] = {static_cast<std::uint32_t>(*row), static_cast<std::uint32_t>(*column)};
      if (Result<void> inside = check_element(problem_.tile, access.lanes[lane], pattern.access_bytes, pair.where());
          !inside)
        return inside;
      access.active_lanes |= 1u << lane;
    }
    return {};
  }

  static Result<void> read_sources(const JsonPlace& place, WarpAccess& access) {
    const Result<std::size_t> size = place.array_size(lanes_per_warp, lanes_per_warp);
    if (!size) return tl::unexpected(size.error());
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
      if (place[lane].is_null()) continue;
      const Result<std::int64_t> bytes = place[lane].whole(0, most - 1);
      if (!bytes) return tl::unexpected(bytes.error());
      access.sources[lane] = static_cast<std::uint32_t>(*bytes);
    }
    return {};
  }

  /// weight: executed instructions in all, or, where that is fewer than are listed, how often the list is executed.
  static Result<void> read_weight(const JsonPlace& place, Pattern& pattern) {
    if (place.has("weight") && place.has("repeat"))
      return place.wrong("problem.weight", "both weight and repeat", "Give one of them.");
    const char* key = place.has("repeat") ? "repeat" : "weight";
    if (!place.has(key)) return {};
    const Result<std::int64_t> number = place[key].whole(1, repeat_limit);
    if (!number) return tl::unexpected(number.error());
    pattern.repeat = static_cast<std::uint64_t>(*number);
    if (place.has("repeat") || pattern.repeat < pattern.accesses.size()) return {};
    if (pattern.repeat % pattern.accesses.size() != 0)
      return place[key].wrong("problem.weight",
                              "weight " + std::to_string(pattern.repeat) + " is not a multiple of the " +
                                  std::to_string(pattern.accesses.size()) + " instructions of the pattern",
                              "weight counts executed instructions; \"repeat\": N executes the whole list N times.");
    pattern.repeat /= pattern.accesses.size();
    return {};
  }

  JsonPlace root_;
  Problem problem_;
  std::size_t accesses_ = 0;
};

/// The sources that an instruction's name stands for.
bool has_own_sources(const Pattern& pattern) {
  for (const WarpAccess& warp : pattern.accesses)
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
      if (warp.sources[lane] != lane * pattern.instruction->source_stride) return true;
  return false;
}

Json to_json(const Pattern& pattern) {
  Json result = {{"name", pattern.name},
                 {"instruction", std::string(pattern.instruction->name)},
                 {"access_bytes", pattern.access_bytes}};
  if (pattern.repeat != 1) result["repeat"] = pattern.repeat;
  Json accesses = Json::array(), sources = Json::array();
  for (const WarpAccess& warp : pattern.accesses) {
    Json lanes = Json::array();
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
      if ((warp.active_lanes & addressing_lanes(pattern)) >> lane & 1)
        lanes.push_back({warp.lanes[lane].row, warp.lanes[lane].column});
      else
        lanes.push_back(nullptr);
    }
    accesses.push_back(std::move(lanes));
    sources.push_back(warp.sources);
  }
  result["accesses"] = std::move(accesses);
  if (has_own_sources(pattern)) result["sources"] = std::move(sources);
  return result;
}

}  // namespace

std::string to_json(const Problem& problem) {
  Json result = {{"schema", schema},
                 {"array",
                  {{"rows", problem.tile.rows},
                   {"columns", problem.tile.columns},
                   {"element_bytes", problem.tile.element_bytes}}}};
  Json constraints = Json::object();
  if (problem.max_bytes) constraints["max_bytes"] = *problem.max_bytes;
  for (const Family family : problem.families) constraints["families"].push_back(std::string(name_of(family)));
  if (problem.engine != Engine::none) constraints["engine"] = problem.engine == Engine::tma ? "tma" : "wgmma";
  if (!constraints.empty()) result["constraints"] = std::move(constraints);
  result["patterns"] = Json::array();
  for (const Pattern& pattern : problem.patterns) result["patterns"].push_back(to_json(pattern));
  return result.dump() + "\n";
}

Result<Problem> problem_from_json(std::string_view text, const std::string& name) {
  const Result<Json> document = parse_json(text, name);
  if (!document) return tl::unexpected(document.error());
  return ProblemReader(JsonPlace(*document, name)).read();
}

}  // namespace lanebank::solve
