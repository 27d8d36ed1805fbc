#include "show/show.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "picture/words.hpp"
#include "show/caret.hpp"
#include "show/cure.hpp"
#include "show/standard.hpp"

namespace lanebank::show {
namespace {

constexpr std::size_t expression_limit = 32;

/// Does a term need that name?
bool any_uses(const std::vector<Statement>& statements, const Scope& scope, std::string_view name) {
  return std::any_of(statements.begin(), statements.end(), [&](const Statement& statement) {
    return std::any_of(statement.terms.begin(), statement.terms.end(),
                       [&](const Term& term) { return scope.uses(term.index, name); });
  });
}

/// 32x32 where threads have a y, several warps where they are named; else one warp.
Block guessed_block(const std::vector<Statement>& statements, const Scope& scope) {
  for (const char* name : {"ty", "threadIdx.y", "blockDim.y"})
    if (any_uses(statements, scope, name)) return {32, 32, 1};
  for (const char* name : {"warp", "warpId", "warp_id", "warpid"})
    if (any_uses(statements, scope, name)) return {128, 1, 1};
  return {32, 1, 1};
}

std::string loops_text(const Scope& scope) {
  std::string text;
  for (const Loop& loop : scope.loops()) {
    const std::int64_t last = loop.begin + loop.step * static_cast<std::int64_t>(loop.count() - 1);
    text += (text.empty() ? "" : ", ") + fmt::format("{}={}", loop.name, loop.begin);
    if (last != loop.begin) text += fmt::format("..{}", last);
    if (loop.step != 1) text += fmt::format(" by {}", loop.step);
  }
  return text;
}

Result<GivenLayout> given_layout(const Request& request, const solve::Tile& tile) {
  GivenLayout given;
  given.pad_elements = request.pad_elements;
  const auto order =
      request.articles_order ? solve::SwizzleOrder::shift_bits_base : solve::SwizzleOrder::bits_base_shift;
  std::uint32_t unit = request.articles_order ? tile.element_bytes : 1;
  if (request.unit == "bytes")
    unit = 1;
  else if (request.unit == "elements")
    unit = tile.element_bytes;
  else if (request.unit == "vectors")
    unit = 16;
  else if (request.unit == "1" || request.unit == "2" || request.unit == "4" || request.unit == "8" ||
           request.unit == "16")
    unit = static_cast<std::uint32_t>(std::stoul(request.unit));
  else if (!request.unit.empty())
    return tl::unexpected(at_column("show.unit", request.unit, 1, "no unit of a swizzle",
                                    "Write --unit bytes, elements, vectors (of 16 bytes), 1, 2, 4, 8 or 16."));
  for (const std::string& text : request.swizzles) {
    const Result<solve::Swizzle> swizzle = parse_swizzle(text, order, unit);
    if (!swizzle) return tl::unexpected(swizzle.error());
    given.stages.push_back(*swizzle);
    given.names.push_back(both_orders(*swizzle, tile.element_bytes));
  }
  return given;
}

/// Arrays, figures and cures of the accesses that are in `answer`.
Result<Answer> completed(Answer answer, const std::vector<Array>& arrays, const Request& request) {
  answer.architecture = request.architecture;
  std::vector<Accesses> all;
  for (const AccessAnswer& access : answer.accesses) all.push_back(access.accesses);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    ArrayAnswer array;
    array.array = arrays[i];
    for (std::size_t k = 0; k < all.size(); ++k)
      if (all[k].array == i) array.accesses.push_back(k);
    if (array.accesses.empty()) continue;
    array.tile = tile_of(arrays[i], all, i);
    array.written = plain_arrangement(array.tile);
    const Result<GivenLayout> given = given_layout(request, array.tile);
    if (!given) return tl::unexpected(given.error());
    if (!given->empty()) array.given = arrangement_of(array.tile, *given);
    const std::size_t index = answer.arrays.size();
    for (const std::size_t k : array.accesses) {
      AccessAnswer& access = answer.accesses[k];
      access.accesses.array = index;
      access.written = figures_of(access.accesses, array.written, array.array.base_bytes, request.architecture);
      if (array.given && array.given->fault) {
        Figures figures;
        figures.served = false;
        figures.why = *array.given->fault;
        access.given = figures;
      } else if (array.given) {
        access.given = figures_of(access.accesses, *array.given, array.array.base_bytes, request.architecture);
      }
    }
    answer.arrays.push_back(std::move(array));
  }
  if (request.cures && !answer.of_layout)
    for (ArrayAnswer& array : answer.arrays) find_cures(array, answer);
  return answer;
}

Result<Arrays> declared(const Request& request, const Scope& scope) {
  std::vector<Array> arrays;
  for (const std::string& text : request.tiles) {
    Result<Array> array = parse_array(text, scope);
    if (!array) return tl::unexpected(array.error());
    for (const Array& other : arrays)
      if (other.name == array->name)
        return tl::unexpected(
            at_column("show.tile", text, 1,
                      array->name.empty() ? "a second --tile without a name" : "a second array '" + array->name + "'",
                      "Give each array its own name: --tile As=128x32xf16."));
    arrays.push_back(std::move(*array));
  }
  return Arrays(std::move(arrays));
}

Result<Answer> of_layout(const Request& request, Answer answer) {
  if (request.tiles.size() != 1)
    return fail("show.nothing", "", "nothing to show",
                "Give an access, lanebank show 's[2*tid]', or a layout with its tile, lanebank show --swizzle 3,4,3 "
                "--tile 64x64xf16.");
  Result<Array> array = parse_array(request.tiles.front(), answer.scope);
  if (!array) return tl::unexpected(array.error());
  if (array->bytes() == 0)
    return tl::unexpected(
        at_column("show.tile", request.tiles.front(), 1, "a layout needs the tile's size", "Write --tile 64x64xf16."));
  if (array->name.empty()) array->name = "tile";
  answer.of_layout = true;
  for (Accesses& accesses : standard_accesses(tile_of(*array, {}, 0)))
    answer.accesses.push_back({std::move(accesses), {}, {}});
  return completed(std::move(answer), {*array}, request);
}

Result<void> set_offsets(Arrays& arrays, const Request& request) {
  if (request.offset.empty()) return {};
  for (std::size_t i = 0; i < arrays.all().size(); ++i) {
    Array& array = arrays.at(i);
    if (array.base_bytes != 0) continue;
    const Result<std::uint32_t> base = parse_offset(request.offset, array.element_bytes());
    if (!base) return tl::unexpected(base.error());
    array.base_bytes = *base;
  }
  return {};
}

}  // namespace

const ArrayAnswer& Answer::array_of(const AccessAnswer& access) const { return arrays[access.accesses.array]; }

const Arrangement& Answer::shown_arrangement(const AccessAnswer& access) const {
  const ArrayAnswer& array = array_of(access);
  return access.given && access.given->served ? *array.given : array.written;
}

const Figures& Answer::shown_figures(const AccessAnswer& access) const {
  return access.given && access.given->served ? *access.given : access.written;
}

Result<Answer> answer(const Request& request) {
  Answer answer;
  Result<Scope> scope = Scope::make(request.loops, request.definitions);
  if (!scope) return tl::unexpected(scope.error());
  answer.scope = std::move(*scope);
  answer.turns = loops_text(answer.scope);
  if (!request.block.empty()) {
    const Result<Block> block = parse_block(request.block);
    if (!block) return tl::unexpected(block.error());
    answer.block = *block;
  }
  if (request.expressions.empty()) return of_layout(request, std::move(answer));
  if (request.expressions.size() > expression_limit)
    return fail("show.size", "", "more than 32 accesses", "Show fewer at a time.");
  Result<Arrays> arrays = declared(request, answer.scope);
  if (!arrays) return tl::unexpected(arrays.error());
  std::vector<Statement> statements;
  for (const std::string& text : request.expressions) {
    Result<Statement> statement = parse_statement(text, answer.scope, *arrays);
    if (!statement) return tl::unexpected(statement.error());
    statements.push_back(std::move(*statement));
  }
  if (const Result<void> set = set_offsets(*arrays, request); !set) return tl::unexpected(set.error());
  if (request.block.empty()) {
    answer.block = guessed_block(statements, answer.scope);
    answer.block_guessed = true;
  }
  Run run;
  run.block = answer.block;
  run.warp = request.warp;
  run.mask = request.mask;
  run.vector = request.vector;
  if (!request.condition.empty()) {
    Result<Arithmetic> condition =
        Arithmetic::parse(request.condition, 0, request.condition.size(), answer.scope.names());
    if (!condition) return tl::unexpected(condition.error());
    run.condition = std::move(*condition);
  }
  for (const Statement& statement : statements) {
    const Array& array = arrays->all()[statement.array];
    if (!request.instruction.empty()) {
      run.instruction = instruction_of(request.instruction, statement.type->bytes * request.vector);
      if (run.instruction == nullptr)
        return tl::unexpected(at_column("show.instruction", request.instruction, 1,
                                        "no instruction of this name and width",
                                        "Known: " + solve::instruction_names() + "."));
    }
    Result<Accesses> accesses = elaborate(statement, answer.scope, array, run);
    if (!accesses) return tl::unexpected(accesses.error());
    answer.accesses.push_back({std::move(*accesses), {}, {}});
  }
  if (request.warp && answer.block.warps() > 1)
    answer.notes.push_back(fmt::format("of warp {} alone, cures too; the block has {}", *request.warp,
                                       picture::counted(answer.block.warps(), "warp")));
  for (const Array& array : arrays->all())
    if (!array.given && !array.sizes.empty())
      answer.notes.push_back("no --tile given: " + array.name + " is taken as " + array.text());
  return completed(std::move(answer), arrays->all(), request);
}

Result<Answer> answer(const solve::Problem& problem, const Request& request) {
  Answer answer;
  answer.block_guessed = true;  // there is none
  Array array;
  array.given = true;
  array.name = "tile";
  array.type = element_type(plain_type_name(problem.tile.element_bytes));
  if (array.type == nullptr || array.type->bytes != problem.tile.element_bytes)
    return fail("show.problem", "", fmt::format("elements of {} bytes", problem.tile.element_bytes),
                "show draws elements of 1, 2, 4, 8 or 16 bytes.");
  array.sizes = {problem.tile.rows, problem.tile.columns};
  for (const solve::Pattern& pattern : problem.patterns) {
    Accesses accesses;
    accesses.name = accesses.text = pattern.name;
    accesses.instruction = pattern.instruction;
    accesses.lane_bytes = pattern.access_bytes;
    accesses.repeat = pattern.repeat;
    for (const solve::WarpAccess& warp : pattern.accesses) {
      WarpPlaces places;
      places.turn = accesses.instances.size();
      places.active = warp.active_lanes;
      places.sources = warp.sources;
      for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
        places.offsets[lane] =
            (warp.lanes[lane].row * problem.tile.columns + warp.lanes[lane].column) * problem.tile.element_bytes;
      accesses.instances.push_back(places);
    }
    answer.accesses.push_back({std::move(accesses), {}, {}});
  }
  return completed(std::move(answer), {array}, request);
}

Analysis worst_of(const AccessAnswer& access, const ArrayAnswer& array, const Arrangement& arrangement,
                  const Figures& figures, unsigned architecture) {
  const WarpPlaces& places = access.accesses.instances[figures.worst];
  const Result<Access> worst = access_under(access.accesses, places, arrangement, array.array.base_bytes);
  return analyse(worst ? *worst : Access{}, architecture);
}

std::string instruction_text(const Accesses& accesses) {
  const solve::InstructionName& instruction = *accesses.instruction;
  switch (instruction.kind) {
    case AccessKind::load:
      return fmt::format("load of {} a lane", picture::counted(accesses.lane_bytes, "byte"));
    case AccessKind::store:
      return fmt::format("store of {} a lane", picture::counted(accesses.lane_bytes, "byte"));
    case AccessKind::matrix_load:
      return fmt::format("ldmatrix.x{}", instruction.matrices);
    case AccessKind::matrix_store:
      return fmt::format("stmatrix.x{}", instruction.matrices);
    case AccessKind::async_copy_ca:
      return fmt::format("cp.async.ca of {} bytes a lane", accesses.lane_bytes);
    case AccessKind::async_copy_cg:
      return "cp.async.cg of 16 bytes a lane";
    default:
      return fmt::format("{} ({} bytes)", instruction.name, accesses.lane_bytes);
  }
}

}  // namespace lanebank::show
