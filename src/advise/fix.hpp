// What is to be done about each shared array of a run: the model of `lanebank fix`'s report.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "advise/array_runs.hpp"
#include "advise/edit.hpp"
#include "advise/gpu.hpp"
#include "advise/proposals.hpp"

namespace lanebank::advise {

enum class Verdict : std::uint8_t {
  clean,       ///< no excess wavefronts
  minor,       ///< less of its kernels' shared traffic than is worth a change
  fixable,     ///< there are proposals
  no_layout,   ///< no layout that was found takes fewer wavefronts
  untouchable  ///< nothing can be said under another layout; the message says why
};

/// "clean", "minor", "fixable", "no-layout", "untouchable".
std::string_view name_of(Verdict verdict);

/// What a build with the edit showed.
struct Trial {
  enum class State : std::uint8_t { untried, verified, withdrawn };
  State state = State::untried;
  std::string reason;                       ///< of withdrawn ones, one sentence
  std::optional<std::uint64_t> wavefronts;  ///< of the array in the rebuilt program
};

/// "untried", "verified", "withdrawn".
std::string_view name_of(Trial::State state);

/// A source line that accesses the array.
struct AccessLine {
  std::size_t line = 0;
  std::string text;
};

struct FixProposal {
  Proposal proposal;
  std::optional<Edit> edit;
  std::string no_edit;               ///< why there is none; then `code` is to be used by hand
  std::string code;                  ///< an index function and a declaration
  std::vector<AccessLine> accesses;  ///< to be changed by hand, without an edit
  Trial trial;
};

/// What the array's excess costs its kernels on a GPU, over all their launches (bottleneck.hpp).
struct Worth {
  std::string gpu;                                  ///< in words
  double seconds = 0;                               ///< lower bound as it is
  double after_seconds = 0;                         ///< and without the excess
  double at_most_seconds = 0;                       ///< no more than this can be saved
  findings::Limit binds = findings::Limit::shared;  ///< in the launch that takes longest
};

struct ArrayFix {
  ArrayRuns array;
  ArrayShape shape;
  std::size_t line = 0;  ///< of the declaration; 0: not found
  Verdict verdict = Verdict::clean;
  std::string message;  ///< one sentence, or several with "; " between
  Figures before;
  std::optional<Worth> worth;  ///< where there is excess and the launches' work was counted
  std::vector<LineFigures> lines;
  std::vector<FixProposal> proposals;  ///< in the order in which they are tried
  std::vector<std::string> ways_out;
};

struct FixReport {
  std::vector<std::string> command;
  std::vector<ArrayFix> arrays;
  std::vector<Diagnostic> notes;
  std::string diff;      ///< of all edits that were applied to the copy, or of the first proposals without --build
  bool built = false;    ///< with --build
  bool applied = false;  ///< the diff is in the user's file
  std::uint64_t wavefronts_before = 0;            ///< of the whole program's shared memory
  std::optional<std::uint64_t> wavefronts_after;  ///< rebuilt with all verified edits

  /// Is there excess that is worth a change and not applied?
  bool has_findings() const;
};

struct FixOptions {
  std::vector<std::pair<std::string, DeclaredShape>> shapes;  ///< of --shape, by array
  double least_share = 0.01;  ///< of the shared wavefronts of its kernels that an array's excess has to reach
  const Gpu* gpu = nullptr;   ///< of the estimates; none: the standard one of each launch's architecture
  /// The text of a source file by the name that the report has; nothing where it cannot be read.
  std::function<const std::string*(const std::string& file)> source;
};

/// Verdicts and proposals for every array of the run. Views into `report`.
FixReport advise_on(const findings::ProgramReport& report, const FixOptions& options);

/// The source with the edit of a proposal in it; `text` may have other edits already.
Result<Edit> edit_for(const std::string& text, const ArrayFix& array, const Proposal& proposal);

}  // namespace lanebank::advise
