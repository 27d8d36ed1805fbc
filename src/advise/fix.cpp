#include "advise/fix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "advise/array_problem.hpp"
#include "advise/bottleneck.hpp"
#include "base/words.hpp"
#include "show/element_type.hpp"
#include "solve/notation.hpp"

namespace lanebank::advise {
namespace {

using findings::BaseCount;
using findings::LoggedAccess;

/// One past the last byte that an access touches, from the array's start.
std::uint32_t touched_bytes(const ArrayRuns& array) {
  std::uint32_t end = 0;
  for (const ArrayRun& run : array.runs)
    for (const LoggedAccess& access : run.log().accesses) {
      if (access.array != static_cast<std::int32_t>(run.array)) continue;
      std::int32_t last = 0;
      for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1)
        last = std::max(last, access.relative_bytes[static_cast<unsigned>(std::countr_zero(rest))]);
      for (const BaseCount& base : access.bases)
        end = std::max(
            end, base.base_bytes + static_cast<std::uint32_t>(last) + access.lane_bytes - run.logged().offset_bytes);
    }
  return end;
}

/// Rows of a multiple of the element more were declared than the index uses: empty if not.
std::string unused_padding(const ArrayRuns& array, std::uint32_t element_bytes) {
  constexpr std::size_t rows_tried = 8;
  constexpr std::uint32_t longest_pad_bytes = 128;
  const std::uint32_t touched = touched_bytes(array);
  if (touched >= array.size_bytes || element_bytes == 0) return "";
  const std::uint32_t tail = array.size_bytes - touched;
  for (const std::uint32_t row : row_lengths(array, grain_of(array, element_bytes), rows_tried)) {
    if (touched % row != 0) continue;
    const std::uint32_t rows = touched / row;
    if (rows < 2 || tail % rows != 0 || tail / rows % element_bytes != 0) continue;
    if (tail / rows > std::min(row / 2, longest_pad_bytes)) continue;
    return fmt::format(
        "padding declared but not used in the index: the last {} of {} bytes are never touched, {} rows are {} bytes "
        "apart",
        grouped(tail), grouped(array.size_bytes), rows, grouped(row));
  }
  return "";
}

bool by_hardware(const ArrayRuns& array, bool findings::LoggedArray::*what) {
  return std::any_of(array.runs.begin(), array.runs.end(), [&](const ArrayRun& run) { return run.logged().*what; });
}

std::string engine_text(const ArrayRuns& array) {
  if (by_hardware(array, &findings::LoggedArray::bulk_copies))
    return "TMA or bulk copies reach it: only the hardware's swizzles of 32, 64 and 128 bytes are possible";
  if (by_hardware(array, &findings::LoggedArray::matrix_operands))
    return "wgmma reads it: only the hardware's swizzles of 32, 64 and 128 bytes are possible";
  return "";
}

class Adviser {
 public:
  Adviser(ArrayFix& fix, const FixOptions& options) : fix_(fix), options_(options) {}

  void run() {
    read_source();
    find_shape();
    find_pitch();
    auto proposals = proposals_for(fix_.array, fix_.shape);
    if (!proposals) {
      fix_.verdict = Verdict::untouchable;
      add_measured();
      say(proposals.error().diagnostic.what);
      if (!proposals.error().diagnostic.remedy.empty()) say(proposals.error().diagnostic.remedy);
      return;
    }
    fix_.before = proposals->before;
    fix_.lines = std::move(proposals->lines);
    judge(*proposals);
    if (fix_.verdict != Verdict::fixable) return;
    for (Proposal& proposal : proposals->list) add(std::move(proposal));
  }

 private:
  void say(const std::string& sentence) {
    if (!sentence.empty()) fix_.message += (fix_.message.empty() ? "" : "; ") + sentence;
  }

  void read_source() {
    if (fix_.array.file.empty() || !options_.source) return;
    text_ = options_.source(fix_.array.file);
    if (text_ == nullptr) return;
    source_ = scan_source(*text_);
    if (Result<Declaration> found = find_declaration(source_, fix_.array.name, fix_.array.function)) {
      declaration_ = std::move(*found);
      fix_.line = declaration_->line;
    }
  }

  void find_shape() {
    const std::uint32_t bytes = fix_.array.size_bytes;
    for (const auto& [name, shape] : options_.shapes)
      if (name == fix_.array.name || name == fix_.array.function + ":" + fix_.array.name) {
        fix_.shape = {ArrayShape::Source::given, shape};
        if (declaration_) fix_.shape.declared.element = declaration_->type;
        return;
      }
    if (declaration_)
      if (auto shape = declared_shape(source_, *declaration_, fix_.array.kernels.front(), bytes)) {
        fix_.shape = {ArrayShape::Source::declaration, std::move(*shape)};
        return;
      }
    const bool typed = declaration_ && !declaration_->sizes.empty();
    const show::ElementType* type = typed ? show::element_type(declaration_->type) : nullptr;
    std::uint32_t element = type != nullptr ? type->bytes : fix_.array.element_bytes;
    if (element == 0 || bytes % element != 0) element = grain_of(fix_.array, 0).part_bytes;
    fix_.shape.declared = {{bytes / element}, element, typed ? declaration_->type : ""};
  }

  /// The figures of the run itself, where accesses cannot be counted again.
  void add_measured() {
    for (const ArrayRun& run : fix_.array.runs)
      for (const findings::InstructionReport& row : *run.launch->instructions) {
        if (row.array != fix_.array.name || !row.modelled) continue;
        fix_.before.wavefronts += row.wavefronts * run.launches;
        fix_.before.ideal += row.ideal * run.launches;
        fix_.before.worst_degree = std::max(fix_.before.worst_degree, row.worst_degree);
      }
  }

  /// What the excess costs, where its launches were counted.
  void find_worth() {
    Worth worth;
    double longest = 0;
    for (const ArrayRun& run : fix_.array.runs) {
      if (!run.launch->work) return;
      std::uint64_t excess = 0;
      for (const findings::InstructionReport& row : *run.launch->instructions)
        if (row.array == fix_.array.name) excess += row.excess();
      const Gpu& gpu = gpu_for(*run.launch, options_.gpu);
      const Saving saved = saving(*run.launch, gpu, excess);
      const auto launches = static_cast<double>(run.launches);
      worth.gpu = gpu.name;
      worth.seconds += saved.seconds * launches;
      worth.after_seconds += saved.after_seconds * launches;
      worth.at_most_seconds += saved.at_most_seconds * launches;
      if (saved.seconds < longest) continue;
      longest = saved.seconds;
      worth.binds = estimate(*run.launch, gpu).binds;
    }
    fix_.worth = std::move(worth);
  }

  /// Of arrays that only a constant can change.
  void find_pitch() {
    if (!declaration_ || !declaration_->has_pointer_uses()) return;
    const DeclaredShape& shape = fix_.shape.declared;
    const std::vector<std::uint32_t> rows =
        row_lengths(fix_.array, grain_of(fix_.array, shape.element_bytes), std::size_t{8});
    for (const PitchConstant& pitch : pitch_constants(source_, *declaration_, fix_.array.kernels.front(),
                                                      fix_.array.size_bytes / shape.element_bytes))
      if (std::find(rows.begin(), rows.end(), pitch.elements * shape.element_bytes) != rows.end())
        fix_.shape.pitch_bytes = pitch.elements * shape.element_bytes;
  }

  void judge(const Proposals& proposals) {
    if (fix_.before.excess() == 0) {
      fix_.verdict = Verdict::clean;
      say("already clean: " + counted(fix_.before.wavefronts, "wavefront", "wavefronts") + ", ideal");
      say(engine_text(fix_.array));
      return;
    }
    find_worth();
    std::uint64_t all = 0;
    for (const ArrayRun& run : fix_.array.runs) all += run.launch->shared.wavefronts * run.launches;
    const double share = all == 0 ? 1.0 : static_cast<double>(fix_.before.excess()) / static_cast<double>(all);
    if (share < options_.least_share) {
      fix_.verdict = Verdict::minor;
      say(fmt::format("excess {:.1f} % of shared traffic: leave it", 100 * share));
      return;
    }
    say(unused_padding(fix_.array, fix_.shape.declared.element_bytes));
    say(engine_text(fix_.array));
    if (depends_on_data(fix_.array))
      say("its index depends on data: the figures are those of this run's data, and simple layouts only were sought");
    if (spins()) say("its atomics run in loops, whose trips a layout changes too: --build gives that figure");
    fix_.verdict = proposals.list.empty() ? Verdict::no_layout : Verdict::fixable;
    if (proposals.list.empty())
      say(depends_on_data(fix_.array) ? "no layout saves a tenth of the excess" : "no layout takes fewer wavefronts");
    const bool ideal = !proposals.list.empty() && proposals.list.front().after.excess() == 0;
    if (!ideal && !proposals.bound.empty()) say("not ideal: " + proposals.bound);
    if (!ideal) fix_.ways_out = proposals.ways_out;
  }

  bool spins() const {
    for (const ArrayRun& run : fix_.array.runs)
      for (const LoggedAccess& access : run.log().accesses)
        if (access.array == static_cast<std::int32_t>(run.array) && access.kind == AccessKind::atomic_spin) return true;
    return false;
  }

  void add(Proposal&& proposal) {
    FixProposal result{std::move(proposal), {}, "", "", {}};
    if (text_ == nullptr) {
      result.no_edit = fix_.array.file.empty() ? "the machine code has no lines: compile with -lineinfo"
                                               : fix_.array.file + " cannot be read: name it with --source";
    } else if (fix_.array.is_dynamic()) {
      result.no_edit =
          fix_.array.name + " is dynamic shared memory, so its declaration cannot carry a layout; launches give " +
          counted(fix_.array.size_bytes + static_cast<std::uint64_t>(result.proposal.more_bytes), "byte", "bytes") +
          " of it";
    } else if (proposal_is_fixed()) {
      result.no_edit = "the tensor map or descriptor has to say the same swizzle";
    } else if (auto edit = edit_for(*text_, fix_, result.proposal)) {
      result.edit = std::move(*edit);
    } else {
      result.no_edit = edit.error().what;
    }
    if (!result.edit) {
      result.code = solve::notation(result.proposal.layout, fix_.array.name).cuda;
      result.accesses = access_lines(result.proposal);
    }
    fix_.proposals.push_back(std::move(result));
  }

  std::vector<AccessLine> access_lines(const Proposal& proposal) const {
    std::vector<AccessLine> result;
    if (text_ == nullptr) return result;
    for (const LineFigures& figures : proposal.lines) {
      const bool known = !result.empty() && result.back().line == figures.line;
      if (figures.file != fix_.array.file || figures.line == 0 || known) continue;
      const std::string_view line = line_of(*text_, figures.line);
      const std::size_t first = std::min(line.find_first_not_of(" \t"), line.size());
      result.push_back({figures.line, std::string(line.substr(first))});
    }
    return result;
  }

  static std::string_view line_of(std::string_view text, std::size_t number) {
    for (; number > 1; --number) {
      const std::size_t end = text.find('\n');
      if (end == std::string_view::npos) return "";
      text.remove_prefix(end + 1);
    }
    return text.substr(0, text.find('\n'));
  }

  bool proposal_is_fixed() const { return !engine_text(fix_.array).empty(); }

  ArrayFix& fix_;
  const FixOptions& options_;
  const std::string* text_ = nullptr;
  SourceText source_;
  std::optional<Declaration> declaration_;
};

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::clean:
      return "clean";
    case Verdict::minor:
      return "minor";
    case Verdict::fixable:
      return "fixable";
    case Verdict::no_layout:
      return "no-layout";
    case Verdict::untouchable:
      break;
  }
  return "untouchable";
}

std::string_view name_of(Trial::State state) {
  switch (state) {
    case Trial::State::untried:
      return "untried";
    case Trial::State::verified:
      return "verified";
    case Trial::State::withdrawn:
      break;
  }
  return "withdrawn";
}

bool FixReport::has_findings() const {
  return std::any_of(arrays.begin(), arrays.end(), [&](const ArrayFix& array) {
    if (array.verdict == Verdict::clean || array.verdict == Verdict::minor) return false;
    if (array.verdict == Verdict::untouchable) return array.before.excess() != 0;
    const bool done = applied && std::any_of(array.proposals.begin(), array.proposals.end(), [](const FixProposal& p) {
                        return p.trial.state == Trial::State::verified;
                      });
    return !done;
  });
}

Result<Edit> edit_for(const std::string& text, const ArrayFix& array, const Proposal& proposal) {
  const SourceText source = scan_source(text);
  Result<Declaration> declaration = find_declaration(source, array.array.name, array.array.function);
  if (!declaration) return tl::unexpected(declaration.error());
  DeclaredShape shape = array.shape.declared;
  if (declaration->sizes.size() == 1) shape.sizes = {array.array.size_bytes / shape.element_bytes};  // rows or not
  if (shape.sizes.size() != declaration->sizes.size() && !declaration->sizes.empty())
    return fail("fix.edit", "line " + std::to_string(declaration->line),
                "the sizes of " + array.array.name + " cannot be evaluated",
                "Give them: --shape " + array.array.name + "=ROWSxCOLUMNSxTYPE.");
  const solve::Layout& layout = proposal.layout;
  const bool pads = layout.family() == solve::Family::padding && layout.panel_count() == 1 &&
                    layout.pad_bytes() % shape.element_bytes == 0;
  if (declaration->has_pointer_uses() && pads && layout.tile().row_bytes() == array.shape.pitch_bytes)
    for (const PitchConstant& pitch : pitch_constants(source, *declaration, array.array.kernels.front(),
                                                      array.array.size_bytes / shape.element_bytes))
      if (pitch.elements * shape.element_bytes == array.shape.pitch_bytes)
        return edited_pitch(source, pitch, {shape, layout});
  const ArrayGrain grain = grain_of(array.array, shape.element_bytes);
  return edited(source, *declaration,
                {shape, proposal.layout, grain.unit_bytes > shape.element_bytes ? grain.unit_bytes : 0});
}

FixReport advise_on(const findings::ProgramReport& report, const FixOptions& options) {
  FixReport result;
  result.command = report.command;
  result.notes = report.problems;
  for (const findings::LaunchReport& launch : report.launches) result.wavefronts_before += launch.shared.wavefronts;
  for (ArrayRuns& array : array_runs(report)) {
    result.arrays.emplace_back();
    result.arrays.back().array = std::move(array);
    Adviser(result.arrays.back(), options).run();
  }
  return result;
}

}  // namespace lanebank::advise
