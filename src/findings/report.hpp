// What an analysis says, not how it looks: a ProgramReport holds the launches of a program, a
// LaunchReport the instructions of one launch, an InstructionReport one row of figures. The formats in
// src/report/ print these and nothing else.
//
// Units: executed counts warps (ncu: inst_executed), threads counts lanes that were on (ncu:
// thread_inst_executed_true), wavefronts and ideal count wavefronts (ncu:
// memory_l1_wavefronts_shared, memory_l1_wavefronts_shared_ideal), excess = wavefronts - ideal.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "findings/access_log.hpp"
#include "findings/bottleneck.hpp"
#include "findings/rules.hpp"
#include "findings/work.hpp"

namespace lanebank::findings {

/// A place in source text. `file` is as the compiler recorded it until `relative_to` shortens it.
struct SourcePlace {
  std::string file;
  std::uint32_t line = 0;
  std::string function;  ///< of an inlining step: the function that was inlined; else empty
  friend bool operator==(const SourcePlace&, const SourcePlace&) = default;
};

/// Lanes of an access that are served together.
struct Phase {
  std::uint32_t lanes = 0;            ///< mask
  std::uint32_t degree = 0;           ///< wavefronts that they need
  std::uint32_t bank = 0;             ///< where the degree is reached
  std::uint32_t colliding_lanes = 0;  ///< mask: those that meet there
  friend bool operator==(const Phase&, const Phase&) = default;
};

/// A layout of an array as rows of `row_bytes`: as declared, padded, or with the units of a row XORed by its number.
struct RowLayout {
  std::uint32_t row_bytes = 0;
  std::uint32_t pad_bytes = 0;      ///< after each row
  std::uint32_t unit_bytes = 0;     ///< what the XOR moves as a whole; 0: no XOR
  std::uint32_t rows_per_step = 1;  ///< XOR by row / rows_per_step

  /// Where a byte of the array, as declared, lies: counted from the array's first.
  std::uint32_t operator()(std::uint32_t byte) const {
    const std::uint32_t row = byte / row_bytes;
    if (unit_bytes == 0) return byte + row * pad_bytes;
    return byte ^ row / rows_per_step % (row_bytes / unit_bytes) * unit_bytes;
  }
  /// No division by 0, the XOR stays in its row, and sums do not overflow.
  bool is_sound() const {
    constexpr std::uint32_t limit = 1u << 24;
    return row_bytes != 0 && row_bytes < limit && pad_bytes < limit && rows_per_step != 0 &&
           (unit_bytes == 0 || (row_bytes % unit_bytes == 0 && std::has_single_bit(row_bytes / unit_bytes) &&
                                std::has_single_bit(unit_bytes) && pad_bytes == 0));
  }
  friend bool operator==(const RowLayout&, const RowLayout&) = default;
};

/// One access of an instruction that cost most: what the explanation and the pictures are made of.
struct WorstAccess {
  std::uint32_t mask = 0;                     ///< lanes that accessed
  std::array<std::uint32_t, 32> addresses{};  ///< bytes from the block's first shared byte; 0 for lanes that are off
  std::uint32_t lane_bytes = 4;
  std::uint32_t wavefronts = 0, ideal = 0;  ///< of this one access
  std::uint64_t block = 0;                  ///< linear index of the block that made it
  std::uint32_t warp = 0;                   ///< in that block
  std::uint32_t bank = 0;                   ///< the fullest bank of the fullest group
  std::vector<std::uint8_t> lanes;  ///< of that group and bank, one for each different word (or turn), ascending
  std::vector<Phase> phases;        ///< in the order of their lanes; empty: not known
  bool counts_lanes = false;        ///< a phase costs the lanes of its fullest bank, not the different words (atomics)
  std::uint32_t array_byte = 0;     ///< where the array begins, from the block's first shared byte
  std::uint32_t array_bytes = 0;    ///< 0: the array is not known
  friend bool operator==(const WorstAccess&, const WorstAccess&) = default;
};

/// Lines of a source file that others take the place of.
struct LineEdit {
  std::string file;  ///< as in InstructionReport
  std::uint32_t first =
      1;  ///< the first line that goes, counted from 1; of insertions: the line that they stand before
  std::uint32_t count = 0;  ///< lines that go
  std::string text;         ///< what comes, whole lines
  friend bool operator==(const LineEdit&, const LineEdit&) = default;
};

/// A change that removes (part of) a conflict, recounted on all recorded accesses of the array.
struct Suggestion {
  std::string text;
  std::optional<RowLayout> layout = std::nullopt;   ///< of a conflict: the first that the text names
  std::optional<WorstAccess> after = std::nullopt;  ///< the worst access, as it is under that layout
  std::vector<LineEdit> edits = {};                 ///< the change itself, where `lanebank fix` found one; not in JSON
  friend bool operator==(const Suggestion&, const Suggestion&) = default;
};

struct InstructionReport {
  std::uint32_t address = 0;  ///< bytes from the start of its function
  std::string function;       ///< demangled, when it is not the kernel itself
  std::string sass;
  Kind kind = Kind::other;
  std::uint32_t bits = 0;  ///< per lane; 0 where the word makes no sense
  std::string file;        ///< empty: unknown
  std::uint32_t line = 0;
  std::vector<SourcePlace> inlined_at;  ///< call sites, innermost first
  std::string array;                    ///< empty: unknown
  std::uint64_t executed = 0, threads = 0;
  bool modelled = true;
  bool timing_dependent = false;
  std::uint64_t wavefronts = 0, ideal = 0;  ///< meaningless unless modelled
  std::uint32_t worst_degree = 0;           ///< largest degree of a group in any access
  std::string why;                          ///< one sentence: on the worst access, or why it is not modelled
  std::optional<WorstAccess> worst;         ///< of an instruction with excess
  std::optional<Suggestion> suggestion;

  std::uint64_t excess() const { return modelled && wavefronts > ideal ? wavefronts - ideal : 0; }
  friend bool operator==(const InstructionReport&, const InstructionReport&) = default;
};

/// Sums over the shared-memory instructions of a launch.
struct SharedTotals {
  std::uint64_t executed = 0, wavefronts = 0, ideal = 0, excess = 0;
  friend bool operator==(const SharedTotals&, const SharedTotals&) = default;
};

/// What stopped a kernel.
struct FaultReport {
  std::string kind;           ///< spelled as machine::Fault::Kind
  std::string message;        ///< a complete sentence
  std::uint32_t address = 0;  ///< of the instruction
  std::string function;       ///< as InstructionReport::function
  std::string file;
  std::uint32_t line = 0;
  std::uint64_t block = 0;   ///< linear
  std::uint32_t thread = 0;  ///< linear in the block
  friend bool operator==(const FaultReport&, const FaultReport&) = default;
};

/// A thread's access that a check speaks of.
struct AccessPlace {
  std::uint32_t address = 0;  ///< of the instruction
  std::string function;       ///< as InstructionReport::function
  std::string sass;
  std::string file;  ///< the innermost place outside of a toolkit's headers
  std::uint32_t line = 0;
  std::uint32_t thread = 0;  ///< linear in the block
  friend bool operator==(const AccessPlace&, const AccessPlace&) = default;
};

/// Two values of one place, in hexadecimal, as wide as they are.
struct MetValues {
  std::string current;   ///< what is there before a store
  std::string incoming;  ///< what it stores
  friend bool operator==(const MetValues&, const MetValues&) = default;
};

/// What a check of the memory accesses found: one cause, however often it showed.
struct CheckReport {
  Rule rule = Rule::race;
  Severity severity = Severity::error;
  std::string hazard;                  ///< "read-after-write", ...: which kind of it
  std::string message;                 ///< a complete sentence about the first time
  AccessPlace access;                  ///< the access that showed it
  std::optional<AccessPlace> earlier;  ///< the one before it that it is not ordered with
  std::string array;                   ///< empty: unknown
  std::uint32_t byte = 0;              ///< from the block's first shared byte
  std::uint64_t block = 0;             ///< linear
  std::uint64_t count = 0;             ///< how often it showed in the launch
  std::optional<MetValues> values;     ///< of a store that races
  std::optional<Suggestion> suggestion;
  friend bool operator==(const CheckReport&, const CheckReport&) = default;
};

using Instructions = std::vector<InstructionReport>;

/// What another layout would make of one array of a launch: its accesses recounted, as if the program had it.
struct RemapReport {
  std::string array;
  std::string layout;       ///< as --remap takes it: "pad+1@32"
  std::string description;  ///< the same in words; empty where it was refused early
  std::string refused;      ///< why it cannot be counted, or cannot be: then the figures below mean nothing
  std::string remedy;
  std::uint32_t bytes_before = 0, bytes = 0;              ///< of the array
  std::uint64_t wavefronts_before = 0, ideal_before = 0;  ///< of accesses that begin in the array
  std::uint64_t wavefronts = 0, ideal = 0;
  friend bool operator==(const RemapReport&, const RemapReport&) = default;
};

/// Figures of a whole row under all remaps of the launch that were not refused.
struct RemappedRow {
  std::uint32_t row = 0;  ///< of LaunchReport::instructions
  std::uint64_t wavefronts = 0, ideal = 0;
  std::uint32_t worst_degree = 0;  ///< in any access that was recounted
  friend bool operator==(const RemappedRow&, const RemappedRow&) = default;
};

struct LaunchReport {
  std::uint64_t id = 0;       ///< in the order of the program's launches
  std::uint32_t process = 0;  ///< 0: the first process that launched
  std::string kernel;         ///< demangled as ncu prints it
  std::string symbol;
  std::string arch;  ///< "sm_90"
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
  std::uint64_t sampled_blocks = 0;  ///< blocks that ran, when not all did: the figures are scaled to the grid
  std::uint64_t warp_instructions = 0;
  SharedTotals shared;
  std::shared_ptr<const Instructions> instructions = std::make_shared<Instructions>();  ///< equal lists are one object
  bool has_lines = false;                ///< the machine code carries a line table
  bool measured = true;                  ///< the access rules reproduce counts measured on this architecture
  std::string rules_source;              ///< where the rules come from, in words
  std::optional<Work> work;              ///< where it was asked for
  std::optional<Bottleneck> bottleneck;  ///< estimated from it
  std::optional<FaultReport> fault;
  std::vector<CheckReport> checks;            ///< by severity, errors first, then by address
  std::shared_ptr<const AccessLog> accesses;  ///< only where it was asked for; equal logs are one object
  std::vector<RemapReport> remaps;            ///< in the order they were asked for
  std::vector<RemappedRow> remapped_rows;     ///< by row: all that a remap reaches
  double seconds = 0;

  double conflict_rate() const {
    return shared.wavefronts == 0 ? 0.0 : static_cast<double>(shared.excess) / static_cast<double>(shared.wavefronts);
  }
};

/// The sums of `instructions`. Throws InternalError on overflow.
SharedTotals totals(const Instructions& instructions);

/// Every total equals the sum of its parts, or InternalError.
void check_totals(const LaunchReport& launch);

/// What a finding rests on.
struct Evidence {
  std::string array;
  Kind kind = Kind::other;
  std::uint32_t bits = 0;
  std::uint64_t executed = 0, wavefronts = 0, ideal = 0;
  std::uint32_t worst_degree = 0;
  std::uint64_t launches = 1;  ///< launches that showed exactly this
  std::optional<WorstAccess> worst;
  std::optional<FaultReport> fault;
  std::optional<CheckReport> check;
};

struct Finding {
  Rule rule = Rule::bank_conflict;
  Severity severity = Severity::warning;
  std::string message;
  std::string file;
  std::uint32_t line = 0;
  std::vector<SourcePlace> inlined_at;  ///< as InstructionReport::inlined_at
  std::uint64_t launch = 0;             ///< the first that showed it
  std::uint32_t address = 0;
  std::string function;  ///< as InstructionReport::function
  std::string kernel;
  Evidence evidence;
  std::optional<Suggestion> suggestion;

  /// Excess wavefronts of one launch; 0 unless a bank conflict.
  std::uint64_t excess() const {
    return rule == Rule::bank_conflict && evidence.wavefronts > evidence.ideal ? evidence.wavefronts - evidence.ideal
                                                                               : 0;
  }
};

/// Findings taken out of a report because somebody accepted them (accepted.hpp).
struct Accepted {
  std::uint64_t suppressed = 0, in_baseline = 0;
  std::uint64_t excess = 0;  ///< wavefronts, of bank conflicts among them
};

struct ProgramReport {
  std::vector<std::string> command;
  int exit_code = 0;                    ///< 128 + n after signal n
  std::vector<LaunchReport> launches;   ///< by id
  std::uint64_t filtered_launches = 0;  ///< ran uncounted because of a filter
  std::vector<Finding> findings;        ///< by launch, address, rule
  std::uint64_t left_out_findings = 0;  ///< of a report that was read: so many more there were
  Accepted accepted;
  std::vector<Diagnostic> problems;  ///< what could not be analysed, in order of appearance, each once
  std::vector<Diagnostic> notes;     ///< what the reader should know
  double seconds = 0;                ///< wall time of the program

  std::uint64_t excess() const;
};

/// Findings of all launches: one for each instruction with excess wavefronts, each fault and each check's report, identical
/// ones of identical launches joined.
std::vector<Finding> findings_of(const std::vector<LaunchReport>& launches);

/// A check's report as a finding of its launch.
Finding finding_of(const LaunchReport& launch, const CheckReport& check);

/// The rule that a fault of this kind (FaultReport::kind) breaks; none: it is no finding.
std::optional<Rule> rule_of_fault(const std::string& kind);

/// Two launches of one kernel whose rows are all equal: a report may show them as one.
bool same_figures(const LaunchReport& a, const LaunchReport& b);

/// `file` relative to `directory` where it lies below it, else as it is.
std::string relative_to(const std::string& file, const std::string& directory);
/// Applies relative_to to every file name of the launches.
void make_files_relative(std::vector<LaunchReport>& launches, const std::string& directory);

}  // namespace lanebank::findings
