#include "checks/cure.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>

#include "base/words.hpp"
#include "checks/fast_cost.hpp"
#include "checks/lane_shape.hpp"

namespace lanebank::checks {
namespace {

constexpr std::size_t evaluation_limit = 2048;  ///< accesses costed per array and layout
constexpr std::uint32_t smallest_row_bytes = 32;

using Layout = findings::RowLayout;  // padded, or XORed in units of the widest access of the array

struct Use {
  InstructionConflicts* instruction;
  const AccessRecord* record;
};

/// What a layout makes of an array: wavefronts of each instruction on it, at most; exact if `sure`.
struct Recount {
  Layout layout;
  std::vector<std::pair<const InstructionConflicts*, std::uint64_t>> wavefronts;
  std::uint64_t total = 0;
  bool sure = true;
};

std::uint64_t wavefronts_of(const Recount& recount, const InstructionConflicts& instruction) {
  for (const auto& [row, wavefronts] : recount.wavefronts)
    if (row == &instruction) return wavefronts;
  return 0;
}

const ArrayShare& share_of(const InstructionConflicts& instruction, std::int32_t array) {
  return *std::find_if(instruction.arrays.begin(), instruction.arrays.end(),
                       [&](const ArrayShare& share) { return share.array == array; });
}

class ArrayCure {
 public:
  ArrayCure(ConflictReport& report, std::int32_t index, const SharedArray& array)
      : architecture_(report.architecture), index_(index), array_(array) {
    for (InstructionConflicts& instruction : report.instructions)
      for (const AccessRecord& record : instruction.records)
        if (record.array == index) uses_.push_back({&instruction, &record});
  }

  void run() {
    if (!curable()) return;
    std::optional<Recount> best_xor, best_pad;
    for (const Layout& layout : layouts()) {
      std::optional<Recount>& best = layout.pad_bytes == 0 ? best_xor : best_pad;
      std::optional<Recount> recount = this->recount(layout);
      if (recount && recount->total < wavefronts_now_ && (!best || recount->total < best->total))
        best = std::move(recount);
    }
    InstructionConflicts* previous = nullptr;
    for (const Use& use : uses_) {
      if (use.instruction == previous || !use.instruction->cure.empty()) continue;
      previous = use.instruction;
      use.instruction->cure = sentence(*use.instruction, best_xor, best_pad);
      if (use.instruction->cure.empty()) continue;
      const Recount& first = helps(*use.instruction, best_xor) ? *best_xor : *best_pad;
      use.instruction->cure_layout = first.layout;
      use.instruction->cured_array = index_;
    }
  }

 private:
  bool curable() {
    std::size_t evaluations = 0;
    bool excess = false;
    for (const Use& use : uses_) {
      const InstructionConflicts& row = *use.instruction;
      if (row.unrecorded != 0 || row.unmodelled != 0 || row.leaves_array) return false;
      wavefronts_now_ += use.record->executions * use.record->wavefronts;
      evaluations += std::size_t{1} << std::min(std::popcount(use.record->varying_bits), 20);
      excess = excess || use.record->excess() != 0;
      unit_bytes_ = std::max(unit_bytes_, row.lane_bytes);
      narrowest_bytes_ = std::min(narrowest_bytes_, row.lane_bytes);
    }
    return excess && evaluations <= evaluation_limit;
  }

  /// Rows are taken from the strides of the accesses with excess.
  std::vector<Layout> layouts() const {
    std::vector<std::uint32_t> rows;
    for (const Use& use : uses_) {
      if (use.record->excess() == 0) continue;
      const Access access = access_of(*use.instruction, *use.record, use.record->base_low);
      const auto steps = lane_steps(access, use.record->lanes);
      if (!steps) continue;
      for (const LaneStep& step : *steps) {
        const std::uint64_t bytes = static_cast<std::uint64_t>(std::llabs(step.stride_bytes));
        if (bytes < smallest_row_bytes || bytes >= array_.size_bytes) continue;
        if (bytes % unit_bytes_ == 0 && array_.size_bytes % bytes == 0)
          rows.push_back(static_cast<std::uint32_t>(bytes));
      }
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    if (rows.size() > 4) rows.resize(4);
    std::vector<Layout> all;
    for (const std::uint32_t row : rows) {
      if (std::has_single_bit(row)) {
        all.push_back({row, 0, unit_bytes_, 1});
        if (row < bank_row_bytes) all.push_back({row, 0, unit_bytes_, bank_row_bytes / row});
      }
      for (std::uint32_t pad = unit_bytes_; pad <= std::max(64u, unit_bytes_); pad *= 2)
        all.push_back({row, pad, 0, 1});
    }
    return all;
  }

  /// Costs every record under the layout, at every base that its varying bits allow; nothing if an instruction would
  /// pay for it.
  std::optional<Recount> recount(const Layout& layout) const {
    Recount result{layout, {}, 0, true};
    for (const Use& use : uses_) {
      unsigned least = ~0u, most = 0;
      const std::uint32_t fixed = use.record->base_low & ~use.record->varying_bits;
      std::uint32_t varied = 0;
      do {
        const unsigned wavefronts = cost_under(layout, use, fixed | varied);
        least = std::min(least, wavefronts);
        most = std::max(most, wavefronts);
        varied = (varied - use.record->varying_bits) & use.record->varying_bits;
      } while (varied != 0);
      const std::uint64_t wavefronts = use.record->executions * most;
      if (result.wavefronts.empty() || result.wavefronts.back().first != use.instruction)
        result.wavefronts.push_back({use.instruction, 0});
      result.wavefronts.back().second += wavefronts;
      if (result.wavefronts.back().second > share_of(*use.instruction, index_).wavefronts) return std::nullopt;
      result.total += wavefronts;
      result.sure = result.sure && least == most;
    }
    return result;
  }

  unsigned cost_under(const Layout& layout, const Use& use, std::uint32_t base) const {
    Access access = access_of(*use.instruction, *use.record, base);
    for (std::uint32_t& address : access.addresses)
      address = array_.offset_bytes + layout(address - array_.offset_bytes);
    return fast_cost(access_rule(architecture_, access.kind, access.lane_bytes), access).wavefronts;
  }

  /// Of the declaration where it says more than bytes (PTX declares most arrays as bytes), else of the accesses.
  unsigned element_bytes() const { return array_.element_bytes > 1 ? array_.element_bytes : narrowest_bytes_; }

  std::string elements_text(std::uint32_t count) const {
    if (!array_.element.empty()) return std::to_string(count) + " " + array_.element + "s";
    if (element_bytes() == 1) return std::to_string(count) + " bytes";
    if (element_bytes() == bank_bytes) return std::to_string(count) + " words";
    return std::to_string(count) + " elements of " + std::to_string(element_bytes()) + " bytes";
  }

  std::string xor_text(const Layout& layout) const {
    const std::uint32_t columns = layout.row_bytes / layout.unit_bytes;
    const std::uint32_t rows = array_.size_bytes / layout.row_bytes / layout.rows_per_step;
    std::string row = "row";
    if (layout.rows_per_step != 1) row += " / " + std::to_string(layout.rows_per_step);
    if (rows > columns) row += " % " + std::to_string(columns);
    if (row != "row") row = "(" + row + ")";
    const bool element = layout.unit_bytes == element_bytes();
    return (element ? std::string("column") : std::to_string(layout.unit_bytes) + "-byte column") + " ^ " + row +
           " (0 bytes)";
  }

  std::string pad_text(const Layout& layout) const {
    const std::uint32_t bytes = layout.row_bytes + layout.pad_bytes;
    const std::string row =
        bytes % element_bytes() == 0 ? elements_text(bytes / element_bytes()) : std::to_string(bytes) + " bytes";
    const std::uint64_t more = std::uint64_t{array_.size_bytes} / layout.row_bytes * layout.pad_bytes;
    return "rows of " + row + " (+" + grouped(more) + " bytes)";
  }

  bool helps(const InstructionConflicts& instruction, const std::optional<Recount>& recount) const {
    return recount && wavefronts_of(*recount, instruction) < share_of(instruction, index_).wavefronts;
  }

  std::string sentence(const InstructionConflicts& instruction, const std::optional<Recount>& by_xor,
                       const std::optional<Recount>& by_pad) const {
    if (instruction.excess() == 0) return "";
    const ArrayShare& share = share_of(instruction, index_);
    const auto figure = [&](const Recount& recount) {
      const std::uint64_t wavefronts = instruction.wavefronts - share.wavefronts + wavefronts_of(recount, instruction);
      return (recount.sure ? "" : "at most ") + grouped(wavefronts) + (wavefronts == 1 ? " wavefront" : " wavefronts");
    };
    const bool xor_helps = helps(instruction, by_xor), pad_helps = helps(instruction, by_pad);
    if (xor_helps && pad_helps) {
      const std::string with_xor = figure(*by_xor), with_pad = figure(*by_pad);
      if (with_xor == with_pad) return xor_text(by_xor->layout) + ", or " + pad_text(by_pad->layout) + ": " + with_xor;
      return xor_text(by_xor->layout) + ": " + with_xor + "; or " + pad_text(by_pad->layout) + ": " + with_pad;
    }
    if (xor_helps) return xor_text(by_xor->layout) + ": " + figure(*by_xor);
    if (pad_helps) return pad_text(by_pad->layout) + ": " + figure(*by_pad);
    return "";
  }

  unsigned architecture_;
  std::int32_t index_;
  const SharedArray& array_;
  std::vector<Use> uses_;
  unsigned unit_bytes_ = bank_bytes;  ///< the widest access, at least a word
  unsigned narrowest_bytes_ = 16;
  std::uint64_t wavefronts_now_ = 0;
};

}  // namespace

void find_cures(ConflictReport& report, const std::vector<SharedArray>& arrays) {
  for (const InstructionConflicts& row : report.instructions)
    if (row.kind == AccessKind::bulk_copy || row.kind == AccessKind::matrix_operand) return;
  for (std::size_t i = 0; i < arrays.size(); ++i)
    if (arrays[i].size_bytes != 0) ArrayCure(report, static_cast<std::int32_t>(i), arrays[i]).run();
}

}  // namespace lanebank::checks
