#include "show/accesses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "picture/words.hpp"
#include "show/caret.hpp"

namespace lanebank::show {
namespace {

constexpr std::uint64_t instance_limit = 1 << 16;

Diagnostic at_lane(Diagnostic error, const Scope& scope, unsigned tid, std::uint64_t turn) {
  const std::size_t line = error.what.find('\n');
  std::string who = fmt::format(" (warp {}, lane {}", tid / lanes_per_warp, tid % lanes_per_warp);
  if (const std::string loops = scope.turn_text(turn); !loops.empty()) who += ", " + loops;
  error.what.insert(line == std::string::npos ? error.what.size() : line, who + ")");
  return error;
}

bool is_matrix(const solve::InstructionName& instruction) { return instruction.matrices != 0; }

class Elaboration {
 public:
  Elaboration(const Statement& statement, const Scope& scope, const Array& array, const Run& run)
      : statement_(statement), scope_(scope), array_(array), run_(run) {}

  Result<Accesses> go() {
    if (const Result<void> known = choose_instruction(); !known) return tl::unexpected(known.error());
    const unsigned first = run_.warp.value_or(0), last = run_.warp ? first + 1 : run_.block.warps();
    if (last > run_.block.warps())
      return fail("show.warp", "--warp " + std::to_string(first),
                  fmt::format("the block has {} only", picture::counted(run_.block.warps(), "warp")),
                  "Warps count from 0; --block sets the block.");
    if (scope_.turns() * (last - first) > instance_limit)
      return fail("show.size", "", "more than 65,536 instructions: warps x iterations",
                  "Show a part, with --warp or a shorter --for.");
    for (unsigned warp = first; warp < last; ++warp)
      for (std::uint64_t turn = 0; turn < scope_.turns(); ++turn) {
        Result<WarpPlaces> places = instance(warp, turn);
        if (!places) return tl::unexpected(places.error());
        if (places->active != 0) result_.instances.push_back(*places);
      }
    if (result_.instances.empty())
      return tl::unexpected(
          at_column("show.no-lane", statement_.source, 1, "no lane takes part", "See --if and --mask."));
    return std::move(result_);
  }

 private:
  Result<void> choose_instruction() {
    result_.name = statement_.name;
    result_.text = statement_.text;
    result_.array = statement_.array;
    result_.instruction = statement_.instruction != nullptr ? statement_.instruction : run_.instruction;
    if (result_.instruction == nullptr) result_.instruction = solve::instruction_named("ld");
    const unsigned wanted = statement_.type->bytes * run_.vector;
    result_.lane_bytes = is_matrix(*result_.instruction) ? 16 : wanted;
    const unsigned only = result_.instruction->lane_bytes;
    if (!is_matrix(*result_.instruction) && result_.instruction->kind >= AccessKind::async_copy_ca && only != 0)
      result_.lane_bytes = only;
    const unsigned bytes = result_.lane_bytes;
    if (bytes == 0 || bytes > 16 || !std::has_single_bit(bytes))
      return tl::unexpected(at_column(
          "show.width", statement_.source, 1, fmt::format("{} bytes per lane: no instruction moves so many", bytes),
          "A lane moves 1, 2, 4, 8 or 16 bytes; give what the compiler makes of it, one access for each part."));
    if (only != 0 && only != bytes)
      return tl::unexpected(
          at_column("show.width", statement_.source, 1,
                    fmt::format("{} moves {} bytes per lane, not {}", result_.instruction->name, only, bytes),
                    "Name an instruction of this width, or change the type or --vector."));
    return {};
  }

  Result<WarpPlaces> instance(unsigned warp, std::uint64_t turn) {
    WarpPlaces places;
    places.warp = warp;
    places.turn = turn;
    const std::uint32_t giving = addressing_lanes(result_.instruction->kind, result_.instruction->matrices);
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
      const unsigned tid = warp * lanes_per_warp + lane;
      if (tid >= run_.block.threads() || ((run_.mask & giving) >> lane & 1) == 0) continue;
      const Result<std::vector<std::int64_t>> values = scope_.values(run_.block, tid, turn);
      if (!values) return tl::unexpected(at_lane(values.error(), scope_, tid, turn));
      if (run_.condition) {
        const Result<std::int64_t> holds = run_.condition->evaluate(*values);
        if (!holds) return tl::unexpected(at_lane(holds.error(), scope_, tid, turn));
        if (*holds == 0) continue;
      }
      const Result<std::uint32_t> offset = offset_of(*values);
      if (!offset) return tl::unexpected(at_lane(offset.error(), scope_, tid, turn));
      places.offsets[lane] = *offset;
      places.sources[lane] = lane * result_.instruction->source_stride;
      places.active |= std::uint32_t{1} << lane;
    }
    return places;
  }

  Result<std::uint32_t> offset_of(const std::vector<std::int64_t>& values) const {
    std::int64_t offset = statement_.constant_bytes;
    std::size_t column = 1;
    for (const Term& term : statement_.terms) {
      const Result<std::int64_t> index = term.index.evaluate(values);
      if (!index) return tl::unexpected(index.error());
      column = term.index.begin() + 1;
      if (term.limit != 0 && (*index < 0 || *index >= term.limit))
        return tl::unexpected(outside(column, fmt::format("the index {} is outside 0..{}", *index, term.limit - 1)));
      std::int64_t step = 0;
      if (__builtin_mul_overflow(*index, std::int64_t{term.scale_bytes}, &step) ||
          __builtin_add_overflow(offset, step, &offset))
        return tl::unexpected(outside(column, "the address does not fit 64 bits"));
    }
    const std::uint64_t limit = array_.bytes() != 0 ? array_.bytes() : shared_limit_bytes;
    if (offset < 0) return tl::unexpected(outside(column, fmt::format("byte {} lies before the array", offset)));
    if (static_cast<std::uint64_t>(offset) + result_.lane_bytes > limit)
      return tl::unexpected(outside(
          column,
          fmt::format("bytes {} to {} lie outside {}", offset, offset + result_.lane_bytes - 1,
                      array_.bytes() != 0 ? fmt::format("the array of {} bytes", limit) : "the 227 KiB of a block")));
    if ((array_.base_bytes + static_cast<std::uint64_t>(offset)) % result_.lane_bytes != 0)
      return tl::unexpected(
          at_column("show.misaligned", statement_.source, column,
                    fmt::format("byte {} is not a multiple of the {} bytes that a lane moves: misaligned",
                                array_.base_bytes + static_cast<std::uint64_t>(offset), result_.lane_bytes),
                    "The hardware refuses it. Index by whole vectors: ((float4*)s)[tid], or &s[4*tid]."));
    return static_cast<std::uint32_t>(offset);
  }

  Diagnostic outside(std::size_t column, const std::string& what) const {
    const std::string remedy = array_.given ? "Is the index meant so? The array is " + array_.text() + "."
                               : array_.sizes.empty()
                                   ? "Declare the array with --tile, or limit the lanes with --if."
                                   : "No --tile is given: the array is taken as " + array_.text() + ".";
    return at_column("show.outside", statement_.source, column, what, remedy);
  }

  const Statement& statement_;
  const Scope& scope_;
  const Array& array_;
  const Run& run_;
  Accesses result_;
};

}  // namespace

Result<Accesses> elaborate(const Statement& statement, const Scope& scope, const Array& array, const Run& run) {
  return Elaboration(statement, scope, array, run).go();
}

solve::Tile tile_of(const Array& array, const std::vector<Accesses>& all, std::size_t index) {
  const std::uint32_t element = array.element_bytes();
  std::uint32_t end = element;
  for (const Accesses& accesses : all) {
    if (accesses.array != index) continue;
    for (const WarpPlaces& places : accesses.instances)
      for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
        if ((places.active >> lane & 1) != 0) end = std::max(end, places.offsets[lane] + accesses.lane_bytes);
  }
  const bool known = array.bytes() != 0;
  if (known) end = static_cast<std::uint32_t>(array.bytes());
  const std::uint32_t columns = array.sizes.size() > 1 ? array.sizes.back() : std::max(1u, bank_row_bytes / element);
  const std::uint32_t elements = (end + element - 1) / element;
  if (array.sizes.size() <= 1 && elements < columns) return {1, elements, element};
  return {(elements + columns - 1) / columns, columns, element};
}

Result<Access> access_under(const Accesses& accesses, const WarpPlaces& places, const Arrangement& arrangement,
                            std::uint32_t base_bytes) {
  Access access;
  access.kind = accesses.instruction->kind;
  access.lane_bytes = accesses.lane_bytes;
  access.active_lanes = places.active;
  if (accesses.instruction->matrices != 0) access.matrices = accesses.instruction->matrices;
  if (accesses.instruction->source_stride != 0) {
    access.source = SourceOrder::given;
    std::copy(places.sources.begin(), places.sources.end(), access.sources);
  }
  const picture::Tile& tile = arrangement.tile;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
    if ((places.active >> lane & 1) == 0) continue;
    const std::uint32_t flat = places.offsets[lane], first = arrangement.place(flat);
    for (std::uint32_t byte = tile.element_bytes; byte < accesses.lane_bytes; byte += tile.element_bytes)
      if (arrangement.place(flat + byte) != first + byte) {
        const std::uint32_t a = (flat + byte) / tile.element_bytes - 1, b = a + 1;
        return fail("show.torn", "",
                    fmt::format("{}-byte vectors are torn: elements ({},{}) and ({},{}) lie at bytes {} and {}",
                                accesses.lane_bytes, a / tile.columns, a % tile.columns, b / tile.columns,
                                b % tile.columns, tile.offsets[a], tile.offsets[b]));
      }
    access.addresses[lane] = base_bytes + first;
    if (access.addresses[lane] % accesses.lane_bytes != 0)
      return fail("show.misaligned", "",
                  fmt::format("{}-byte vectors are misaligned: lane {} at byte {}", accesses.lane_bytes, lane,
                              access.addresses[lane]));
  }
  return access;
}

Figures figures_of(const Accesses& accesses, const Arrangement& arrangement, std::uint32_t base_bytes,
                   unsigned architecture) {
  Figures figures;
  for (std::size_t i = 0; i < accesses.instances.size(); ++i) {
    const Result<Access> access = access_under(accesses, accesses.instances[i], arrangement, base_bytes);
    if (!access) {
      figures.served = false;
      figures.why = access.error().what;
      return figures;
    }
    const Cost cost = lanebank::cost(*access, architecture);
    if (!cost.modelled) {
      figures.modelled = false;
      figures.why = cost.reason;
      return figures;
    }
    figures.wavefronts += accesses.repeat * cost.wavefronts;
    figures.ideal += accesses.repeat * cost.ideal;
    figures.worst_degree = std::max(figures.worst_degree, cost.worst_degree);
    figures.uniform = figures.uniform && (i == 0 || cost.wavefronts == figures.worst_wavefronts);
    if (i == 0 || cost.wavefronts > figures.worst_wavefronts) {
      figures.worst = i;
      figures.worst_wavefronts = cost.wavefronts;
      figures.worst_ideal = cost.ideal;
    }
  }
  return figures;
}

}  // namespace lanebank::show
