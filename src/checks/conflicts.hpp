// The conflict counter: an observer of a launch that counts, for every shared-memory instruction, the
// wavefronts that the hardware would need, and keeps why: one access record per distinct lane pattern.
//
//   ConflictObserver observer(arrays);
//   ... the machine runs the launch with it ...
//   for (const InstructionConflicts& row : observer.report().instructions) ...
//
// Counts are exact for every launch; only the number of access records kept is bounded (ConflictLimits), and
// what went unrecorded is said in `unrecorded`. The report does not depend on the number of workers unless
// a bound was reached. Rules and their standing per architecture: include/lanebank/bank_model.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "findings/access_log.hpp"
#include "findings/report.hpp"
#include "lanebank/bank_model.hpp"
#include "machine/events.hpp"

namespace lanebank::checks {

/// A shared array of the kernel, in bytes from the block's first shared byte. `element` and
/// `element_bytes` serve the wording of cures ("rows of 33 floats"); "" and 0 if unknown.
struct SharedArray {
  std::uint32_t offset_bytes = 0;
  std::uint32_t size_bytes = 0;
  std::string element;
  unsigned element_bytes = 0;
};

inline constexpr std::int32_t no_array = -1;

/// All executions of one instruction on one array whose lanes have the same addresses up to a shift by a
/// multiple of 4 bytes (of 128 bytes for cp.async.cg). Lane i accessed base + relative_bytes[i].
struct AccessRecord {
  std::int32_t array = no_array;  ///< index into the array table: where the first active lane points
  std::uint32_t lanes = 0;        ///< active lanes
  std::array<std::int32_t, lanes_per_warp> relative_bytes{};  ///< to the first active lane; 0 for inactive ones
  SourceOrder source = SourceOrder::unknown;                  ///< asynchronous copies
  std::array<std::uint32_t, lanes_per_warp> source_bytes{};   ///< SourceOrder::given: as Access::sources
  std::uint64_t executions = 0;
  std::uint32_t base_low = 0;  ///< lowest address of the first active lane; one that occurred
  std::uint32_t base_high = 0;
  std::uint32_t varying_bits = 0;  ///< address bits in which the bases differ
  bool modelled = true;
  unsigned wavefronts = 0, ideal = 0, worst_degree = 0;  ///< of one execution
  std::vector<findings::BaseCount> bases;                ///< by address; only where they are counted (ConflictLimits)

  std::uint64_t excess() const { return executions * (wavefronts - ideal); }
};

/// An instruction's accesses that fall into one array.
struct ArrayShare {
  std::int32_t array = no_array;
  std::uint64_t executions = 0, wavefronts = 0, ideal = 0;
  unsigned worst_degree = 0;
};

/// One shared-memory instruction of the launch.
struct InstructionConflicts {
  std::uint32_t instruction = 0;  ///< index into LaunchInfo::instructions
  AccessKind kind = AccessKind::load;
  unsigned lane_bytes = 4;
  unsigned matrices = 0;
  bool generic = false;                     ///< reached through generic addresses; counted as its kind, as measured
  std::uint64_t executions = 0;             ///< accesses seen, those without an active lane included
  std::uint64_t unmodelled = 0;             ///< of these: no rule is known
  std::string reason;                       ///< why, if any
  std::uint64_t wavefronts = 0, ideal = 0;  ///< of the modelled ones
  unsigned worst_degree = 0;
  std::uint64_t unrecorded = 0;                ///< counted, but without an access record (ConflictLimits)
  std::uint32_t first_byte = 0, end_byte = 0;  ///< range of shared memory touched; empty if none
  bool leaves_array = false;          ///< some lanes of a recorded pattern may lie outside the first lane's array
  std::vector<ArrayShare> arrays;     ///< sorted by array
  std::vector<AccessRecord> records;  ///< most excess first
  std::string explanation;            ///< one sentence on the most expensive record; empty if nothing is in excess
  std::string cure;                   ///< empty unless a layout was found and recounted for all accesses of the array
  std::optional<findings::RowLayout> cure_layout;  ///< the first that `cure` names, of the array `cured_array`
  std::int32_t cured_array = no_array;

  bool modelled() const { return unmodelled == 0; }
  std::uint64_t excess() const { return wavefronts - ideal; }
};

/// What reaches an array beside the lanes of warps, and what of theirs is not recorded.
struct ArrayUse {
  bool bulk_copies = false, matrix_operands = false, barriers = false;
  std::uint64_t unrecorded = 0;  ///< accesses that may have lanes in it, without a record or its base
};

struct ConflictReport {
  unsigned architecture = 90;
  bool measured = false;                           ///< the rules reproduce counts of this architecture
  std::string rules_source;                        ///< in words
  std::vector<InstructionConflicts> instructions;  ///< sorted by index; only those that accessed shared memory
  std::vector<ArrayUse> uses;                      ///< by array; only where bases are counted
  const InstructionConflicts* find(std::uint32_t instruction) const;
};

/// Bounds of what is kept, not of what is counted. One record takes 384 bytes while a launch runs, of a copy whose
/// sources are not consecutive up to 350 more, and 16 to 32 for each address where it began.
struct ConflictLimits {
  std::uint32_t patterns_per_instruction = 4096;  ///< per worker
  std::uint32_t patterns = 1 << 17;               ///< of all workers together
  std::uint32_t bases = 0;  ///< AccessRecord::bases of all records and workers together; 0: they are not counted
};

struct RecordBudget;  // conflict_recorder.hpp

/// Counts one launch. Errors: an event that contradicts an earlier one of its instruction is our own bug
/// (InternalError).
class ConflictObserver final : public machine::Observer {
 public:
  explicit ConflictObserver(std::vector<SharedArray> arrays = {}, ConflictLimits limits = {});

  unsigned events() const override {
    return limits_.bases == 0 ? machine::shared_accesses : machine::shared_accesses | machine::syncs;
  }
  std::unique_ptr<machine::Recorder> recorder(const machine::LaunchInfo& launch) override;
  void finish(const machine::LaunchInfo& launch, std::vector<std::unique_ptr<machine::Recorder>> recorders) override;

  /// After `finish`.
  const ConflictReport& report() const { return report_; }
  ConflictReport take_report() { return std::move(report_); }

 private:
  std::vector<SharedArray> arrays_;
  ConflictLimits limits_;
  std::shared_ptr<RecordBudget> budget_;
  ConflictReport report_;
};

/// The access of a record at a base address, for the bank model.
Access access_of(const InstructionConflicts& instruction, const AccessRecord& record, std::uint32_t base);

}  // namespace lanebank::checks
