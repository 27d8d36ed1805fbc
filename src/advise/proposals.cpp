#include "advise/proposals.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "advise/array_problem.hpp"
#include "base/words.hpp"
#include "solve/notation.hpp"
#include "solve/solve.hpp"

namespace lanebank::advise {
namespace {

using findings::AccessLog;
using findings::BlockRoom;
using solve::Family;

constexpr std::uint64_t solver_work = 20'000'000;  ///< of the solver, per row length
constexpr std::size_t row_limit = 4;
constexpr std::uint64_t random_gain =
    10;  ///< of the excess, what a layout must save at least where data choose the index: 1 in so many

std::uint64_t added(std::uint64_t sum, std::uint64_t part, std::uint64_t times) { return sum + part * times; }

void add(Figures& sum, const Figures& part, std::uint64_t times) {
  sum.wavefronts = added(sum.wavefronts, part.wavefronts, times);
  sum.ideal = added(sum.ideal, part.ideal, times);
  sum.worst_degree = std::max(sum.worst_degree, part.worst_degree);
}

std::string opcode_of(const std::string& sass) {
  const std::size_t first = sass.starts_with('@') ? sass.find(' ') + 1 : 0;
  return sass.substr(first, sass.find(' ', first) - first);
}

std::uint32_t blocks_with(const AccessLog& log, std::uint32_t shared_bytes) {
  const BlockRoom& room = log.room;
  if (room.block_bytes == 0) return 0;
  const std::uint32_t unit = std::max(room.unit_bytes, 1u);
  const std::uint32_t bytes = (shared_bytes + room.reserved_bytes + unit - 1) / unit * unit;
  return bytes == 0 ? room.other_blocks : std::min(room.other_blocks, room.multiprocessor_bytes / bytes);
}

bool is_padding(const solve::Layout& layout) { return layout.family() == Family::padding && layout.panel_count() == 1; }

std::string text_of(const solve::Layout& layout) {
  const std::uint32_t element = layout.tile().element_bytes;
  if (is_padding(layout))
    return "rows of " + grouped(layout.tile().row_bytes()) + " + " + counted(layout.pad_bytes(), "byte", "bytes");
  if (layout.family() == Family::xor_row && layout.row_xor().unit_elements * element != element)
    return solve::describe(layout) + " (columns of " + counted(element, "byte", "bytes") + ")";
  return solve::describe(layout);
}

/// Sentences with "; " between: instructions of one line say the same.
std::string each_once(const std::string& text) {
  constexpr std::string_view separator = "; ";
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    const std::string sentence = text.substr(begin, end - begin);
    if (result.find(sentence) == std::string::npos) result += (result.empty() ? "" : "; ") + sentence;
    begin = end + separator.size();
  }
  return result;
}

/// The order in which proposals are made and tried.
bool better(const Proposal& one, const Proposal& other) {
  const auto rank = [](const Proposal& p) {
    const bool loses_blocks = p.occupancy.after < p.occupancy.before;
    return std::tuple(p.after.wavefronts, loses_blocks, p.more_bytes, p.index_instructions);
  };
  return rank(one) < rank(other);
}

class Proposer {
 public:
  Proposer(const ArrayRuns& array, const ArrayShape& shape)
      : array_(array),
        shape_(shape),
        grain_(grain_of(array, shape.declared.element_bytes)),
        random_(depends_on_data(array)) {}

  tl::expected<Proposals, Refusal> run() {
    const solve::Tile plain{1, array_.size_bytes / grain_.part_bytes, grain_.part_bytes};
    auto as_is = counted_under(array_, solve::Layout::row_major(plain));
    if (!as_is) return tl::unexpected(as_is.error());
    result_.before = as_is->before;
    result_.lines = as_is->lines;
    if (result_.before.excess() == 0) return std::move(result_);
    for (const std::uint32_t row : rows()) search(row);
    std::stable_sort(all_.begin(), all_.end(), better);
    choose();
    explain();
    return std::move(result_);
  }

 private:
  bool is_fixed() const {
    return std::any_of(array_.runs.begin(), array_.runs.end(),
                       [](const ArrayRun& run) { return run.logged().bulk_copies || run.logged().matrix_operands; });
  }

  std::vector<std::uint32_t> rows() const {
    const DeclaredShape& shape = shape_.declared;
    if (shape.sizes.size() > 1) return {shape.sizes.back() * shape.element_bytes};
    std::vector<std::uint32_t> rows = row_lengths(array_, grain_, row_limit);
    const std::uint32_t pitch = shape_.pitch_bytes;
    if (pitch != 0 && std::find(rows.begin(), rows.end(), pitch) == rows.end()) rows.push_back(pitch);
    return rows;
  }

  void search(std::uint32_t row) {
    Result<solve::Problem> problem = problem_of(array_, grain_, row);
    if (!problem) return;
    if (is_fixed()) {
      problem->engine = solve::Engine::tma;
    } else if (!grain_.is_power_of_two()) {
      problem->families = {Family::padding};
    } else if (searched_) {  // the others do not depend on the row's length
      problem->families = {Family::padding, Family::diagonal, Family::xor_row, Family::padding_xor};
    }
    solve::Limits limits;
    limits.work = solver_work;
    limits.ways_out = !searched_ && !random_;
    if (random_) {  // a map that fits these data exactly is worth nothing with others
      problem->families = {Family::padding, Family::swizzle, Family::xor_row};
      limits.work /= 10;
    }
    searched_ = true;
    Result<solve::Solution> solution = solve::solve(*problem, limits);
    if (!solution) return;
    consider(solution->best.layout);
    // Of the rest only what can be chosen: every recount goes over all accesses.
    bool in_place = false, padded = false;
    for (const solve::Candidate& candidate : solution->alternatives) {
      const bool fits = !in_place && candidate.bytes <= array_.size_bytes;
      const bool pads = !padded && is_padding(candidate.layout);
      in_place = in_place || fits;
      padded = padded || pads;
      if (fits || pads) consider(candidate.layout);
    }
    if (!solution_ || solution->best.total_wavefronts < solution_->best.total_wavefronts) {
      if (solution_) solution->ways_out = solution_->ways_out;
      solution_ = std::move(*solution);
    }
  }

  void consider(const solve::Layout& layout) {
    auto proposal = counted_under(array_, layout);
    if (!proposal || proposal->after.wavefronts >= proposal->before.wavefronts) return;
    const std::uint64_t saved = proposal->before.wavefronts - proposal->after.wavefronts;
    if (random_ && saved < proposal->before.excess() / random_gain) return;
    all_.push_back(std::move(*proposal));
  }

  void choose() {
    const auto first = [&](auto&& fits) {
      const auto at = std::find_if(all_.begin(), all_.end(), fits);
      if (at == all_.end()) return;
      const bool known = std::any_of(result_.list.begin(), result_.list.end(),
                                     [&](const Proposal& other) { return other.layout == at->layout; });
      if (!known) result_.list.push_back(*at);
    };
    first([](const Proposal&) { return true; });
    first([](const Proposal& p) { return p.more_bytes <= 0; });
    first([](const Proposal& p) { return is_padding(p.layout); });
    first([&](const Proposal& p) { return is_padding(p.layout) && p.layout.tile().row_bytes() == shape_.pitch_bytes; });
    std::stable_sort(result_.list.begin(), result_.list.end(), better);
  }

  void explain() {
    if (!solution_) return;
    const bool ideal = !result_.list.empty() && result_.list.front().after.excess() == 0;
    if (ideal && !is_fixed()) return;
    if (!solution_->bound.starts_with("no bound")) result_.bound = each_once(solution_->bound);
    std::vector<std::string>& ways = result_.ways_out;
    for (const solve::WayOut& way : solution_->ways_out)
      if (std::find(ways.begin(), ways.end(), way.what) == ways.end()) ways.push_back(way.what);
  }

  const ArrayRuns& array_;
  const ArrayShape& shape_;
  ArrayGrain grain_;
  bool random_;  ///< the index depends on data
  Proposals result_;
  std::vector<Proposal> all_;
  std::optional<solve::Solution> solution_;
  bool searched_ = false;
};

}  // namespace

std::string_view name_of(ArrayShape::Source source) {
  switch (source) {
    case ArrayShape::Source::given:
      return "--shape";
    case ArrayShape::Source::declaration:
      return "its declaration";
    case ArrayShape::Source::strides:
      break;
  }
  return "the strides of its accesses";
}

tl::expected<Proposals, Refusal> proposals_for(const ArrayRuns& array, const ArrayShape& shape) {
  return Proposer(array, shape).run();
}

tl::expected<Proposal, Refusal> counted_under(const ArrayRuns& array, const solve::Layout& layout) {
  const Result<ByteMap> map = ByteMap::of(layout);
  if (!map) return tl::unexpected(Refusal{map.error(), std::nullopt});
  Proposal result{layout, text_of(layout), {}, {}, {}, 0, layout.index_instructions(), {}};
  result.more_bytes = std::int64_t{map->bytes()} - std::int64_t{array.size_bytes};
  std::map<std::tuple<std::string, std::uint32_t, std::string>, LineFigures> lines;
  std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
  for (const ArrayRun& run : array.runs) {
    const auto counted = recount(run.log(), run.array, *map, Spins::as_recorded);
    if (!counted) return tl::unexpected(counted.error());
    add(result.before, counted->before, run.launches);
    add(result.after, counted->after, run.launches);
    for (const RowRecount& row : counted->rows) {
      const findings::InstructionReport& text = run.launch->instructions->at(row.row);
      LineFigures& line = lines[{text.file, text.line, opcode_of(text.sass)}];
      line.executions += row.executions * run.launches;
      add(line.before, row.before, run.launches);
      add(line.after, row.after, run.launches);
    }
    const BlockBytes before = block_bytes_with(run.log(), run.array, array.size_bytes);
    const BlockBytes after = block_bytes_with(run.log(), run.array, map->bytes());
    const Occupancy occupancy{blocks_with(run.log(), before.static_bytes + before.dynamic_bytes),
                              blocks_with(run.log(), after.static_bytes + after.dynamic_bytes)};
    if (occupancy.after < least) result.occupancy = occupancy;
    least = std::min(least, occupancy.after);
  }
  for (auto& [key, line] : lines) {
    std::tie(line.file, line.line, line.opcode) = key;
    result.lines.push_back(std::move(line));
  }
  return result;
}

}  // namespace lanebank::advise
