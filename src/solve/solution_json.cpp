#include "solve/solution_json.hpp"

#include <nlohmann/json.hpp>

#include "solve/proof_code.hpp"

namespace lanebank::solve {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Swizzle& swizzle) {
  return {{"bits", swizzle.bits}, {"base", swizzle.base}, {"shift", swizzle.shift}, {"unit_bytes", 1}};
}

Json parameters(const Layout& layout) {
  switch (layout.family()) {
    case Family::identity:
      return {{"pitch_bytes", layout.pitch_bytes()}};
    case Family::padding: {
      Json result = {{"pad_bytes", layout.pad_bytes()}, {"pitch_bytes", layout.pitch_bytes()}};
      if (layout.panel_count() > 1) {
        result["panel_columns"] = layout.panel_columns();
        result["panel_stride_bytes"] = layout.panel_stride_bytes();
      }
      return result;
    }
    case Family::diagonal:
      return {{"step_elements", layout.step_elements()}};
    case Family::xor_row:
      return {{"unit_elements", layout.row_xor().unit_elements},
              {"bits", layout.row_xor().bits},
              {"row_shift", layout.row_xor().row_shift}};
    case Family::swizzle:
    case Family::any_pitch:
      return to_json(layout.terms()[0]);
    case Family::xor2:
      return {{"terms", {to_json(layout.terms()[0]), to_json(layout.terms()[1])}}};
    case Family::padding_xor: {
      Json result = {{"pad_bytes", layout.pad_bytes()}, {"pitch_bytes", layout.pitch_bytes()}};
      result.update(to_json(layout.terms()[0]));
      return result;
    }
    case Family::hardware: {
      Json result = {{"mode_bytes", layout.mode_bytes()}};
      result.update(to_json(layout.terms()[0]));
      result["panel_columns"] = layout.panel_columns();
      result["panel_stride_bytes"] = layout.panel_stride_bytes();
      result["base_alignment_bytes"] = layout.alignment_bytes();
      return result;
    }
    case Family::linear:
      break;
  }
  return {{"matrix", layout.matrix()}, {"unit_bytes", 1}};
}

Json to_json(const Candidate& candidate) {
  return {{"family", std::string(name_of(candidate.layout.family()))},
          {"description", describe(candidate.layout)},
          {"parameters", parameters(candidate.layout)},
          {"total_wavefronts", candidate.total_wavefronts},
          {"wavefronts", candidate.wavefronts},
          {"bytes", candidate.bytes},
          {"index_instructions", candidate.index_instructions}};
}

Json patterns_json(const Problem& problem, const Solution& solution) {
  Json result = Json::array();
  for (std::size_t i = 0; i < solution.patterns.size(); ++i) {
    const PatternFigures& figures = solution.patterns[i];
    const Pattern& pattern = problem.patterns[i];
    Json row = {{"name", figures.name},
                {"instruction", std::string(pattern.instruction->name)},
                {"access_bytes", pattern.access_bytes},
                {"executed", pattern.repeat * pattern.accesses.size()},
                {"wavefronts", figures.wavefronts},
                {"ideal", figures.ideal},
                {"lower_bound", figures.lower_bound},
                {"worst_degree", figures.worst_degree}};
    if (solution.plain_counts)
      row["plain_wavefronts"] = figures.plain_wavefronts;
    else
      row["plain_wavefronts"] = nullptr;
    result.push_back(std::move(row));
  }
  return result;
}

}  // namespace

std::string to_json(const Problem& problem, const Solution& solution, const Writing& writing) {
  const Layout& layout = solution.best.layout;
  const Notation code = code_of(problem, solution.best);
  Json result = {{"schema", "lanebank.solution/1"},
                 {"family", std::string(name_of(layout.family()))},
                 {"parameters", parameters(layout)},
                 {"description", describe(layout, writing.order, writing.unit_bytes)},
                 {"bytes", solution.best.bytes},
                 {"index_instructions", solution.best.index_instructions},
                 {"patterns", patterns_json(problem, solution)},
                 {"total_wavefronts", solution.best.total_wavefronts},
                 {"ideal", solution.ideal_total},
                 {"lower_bound", solution.lower_bound},
                 {"optimal", solution.optimal},
                 {"optimal_over", solution.optimal_over},
                 {"certificate", solution.certificate},
                 {"bound", solution.bound},
                 {"nodes", solution.nodes},
                 {"code", {{"cuda", code.cuda}, {"cute", code.cute}, {"lanebank", code.lanebank}}},
                 {"alternatives", Json::array()},
                 {"ways_out", Json::array()}};
  for (const Candidate& candidate : solution.alternatives) result["alternatives"].push_back(to_json(candidate));
  for (const WayOut& way : solution.ways_out)
    result["ways_out"].push_back({{"what", way.what},
                                  {"total_wavefronts", way.total_wavefronts},
                                  {"family", std::string(name_of(way.layout.family()))},
                                  {"description", describe(way.layout)},
                                  {"parameters", parameters(way.layout)}});
  if (writing.given) result["given"] = to_json(*writing.given);
  if (writing.map) {
    Json map = Json::array();
    for (std::uint32_t row = 0; row < layout.tile().rows; ++row)
      for (std::uint32_t column = 0; column < layout.tile().columns; ++column)
        map.push_back(layout.offset(row, column));
    result["map"] = std::move(map);
  }
  return result.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lanebank::solve
