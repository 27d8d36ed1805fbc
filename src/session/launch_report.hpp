// From what the machine and the conflict counter say about a launch to its LaunchReport.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checks/conflicts.hpp"
#include "findings/report.hpp"
#include "image/ptx_accesses.hpp"
#include "machine/device.hpp"
#include "session/kernel_name.hpp"
#include "session/timing_dependence.hpp"

namespace lanebank::session {

/// The shared array that an instruction means.
struct MeantArray {
  std::int32_t array = -1;         ///< index into Function::arrays; -1: unknown
  std::uint32_t access_bytes = 0;  ///< of the access of the embedded PTX; 0: unknown
};

/// What is known of a function before it runs, made once.
struct FunctionText {
  KernelName name;
  std::vector<findings::InstructionReport> rows;  ///< all but figures; row n stands at address 16 n
  std::vector<bool> always_shared;                ///< LDS and the like: shared memory whatever the address
  std::vector<TimingDependence> timing;
  std::vector<MeantArray> arrays;  ///< by instruction
};

/// Texts of functions, by module and index in Cubin::functions.
class FunctionTexts {
 public:
  const FunctionText& of(const machine::Module& module, std::uint32_t function);
  void forget(const machine::Module& module);

 private:
  /// Of the PTX that the module embeds, read once.
  const std::vector<image::PtxAccess>& accesses_of(const machine::Module& module);

  std::map<const machine::Module*, std::vector<image::PtxAccess>> accesses_;
  std::map<std::pair<const machine::Module*, std::uint32_t>, std::unique_ptr<FunctionText>> texts_;
};

/// The shared arrays of a launch, for the observer; index i is `function.arrays[i]`.
std::vector<checks::SharedArray> arrays_of(const image::Function& function, std::uint32_t dynamic_shared_bytes);

struct PlacedReport {
  findings::LaunchReport report;
  std::vector<std::uint32_t> row_of_instruction;  ///< of `report`, by index of LaunchInfo::instructions; no_row: none
};
inline constexpr std::uint32_t no_row = 0xffffffffu;

/// Rows of every shared-memory instruction of the kernel and of the functions that ran, or of all
/// instructions. The launch's id, process and log are left to the caller.
PlacedReport make_launch_report(const machine::LaunchRequest& request, const machine::LaunchOutcome& outcome,
                                const checks::ConflictReport& conflicts, FunctionTexts& texts, bool all_instructions);

/// "ATOMS.CAST.SPIN" of "@!P0 ATOMS.CAST.SPIN R9, [R6], R8, R9".
std::string_view mnemonic_of(std::string_view text);

/// Index in Cubin::functions of what an instruction belongs to.
std::uint32_t function_index(const machine::LaunchRequest& request, const machine::InstructionInfo& info);

/// A figure of the blocks that ran, for the whole grid.
std::uint64_t scaled(std::uint64_t figure, const machine::LaunchOutcome& outcome);

/// A fault, placed.
findings::FaultReport make_fault_report(const machine::LaunchRequest& request, const machine::LaunchInfo& info,
                                        const machine::Fault& fault);

}  // namespace lanebank::session
