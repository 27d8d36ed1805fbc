// Runs: straight stretches of a program that are compiled to machine code of this processor (AVX-512 or AVX2), so that
// registers stay in vector registers from one instruction to the next.
//
//   operation      0       1       2       3       4
//   before     IADD3 -> IMAD -> LOP3 -> LDS  -> FFMA       each calls its own function
//   after      [ one function for 0..2 ] -> LDS -> FFMA
//
// The first operation of a run gets the run's function; the others keep theirs, for branches into the middle. A run needs
// all 32 lanes of the warp active; else its function calls the first operation's own, and the warp goes on one by
// one. Results are those of the operations' own functions, bit by bit (tests/machine compares them).
//
// Counts: a run counts once how often it ran (Warp::run_counts), and the active lanes of guarded operations; add_run_counts
// gives both to its instructions when the launch is over.
//
// AVX-512 code works on whole rows. AVX2 code passes over a run four times, for lanes 0..7, 8..15, 16..23 and 24..31, so
// that its 16 registers hold as many rows.
//
// Where the processor or the operating system does not allow it, programs run as they are.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "machine/fused.hpp"
#include "machine/operation.hpp"
#include "machine/warp.hpp"

namespace lanebank::machine {

/// Whether an operation has no guard.
inline bool is_always(const Operation& op) { return (op.guard == 7 || op.guard == 15) && op.guard_flip == 0; }

struct CompiledRun {
  std::uint32_t first = 0, count = 0;  ///< operations
};

/// The code of a program's runs; they live as long as it does.
class Runs {
 public:
  virtual ~Runs() = default;
  std::vector<CompiledRun> runs;
};

/// What the code is made of.
enum class RunCode : std::uint8_t { avx2, avx512 };

bool processor_can(RunCode code);

/// The best that this processor can; none: nothing is compiled.
std::optional<RunCode> best_run_code();

/// Compiles the runs of a program and puts them into its operations. `zero_row`: the first row behind the registers.
/// nullptr where nothing was compiled.
std::unique_ptr<Runs> compile_runs(std::span<Operation> operations, std::span<const Fused> fused,
                                   std::uint16_t zero_row, std::optional<RunCode> code = best_run_code());

/// Adds what the runs counted to the counts of their instructions.
void add_run_counts(const Runs& runs, std::span<const Operation> operations, std::span<const std::uint64_t> run_counts,
                    std::span<Count> counts);

}  // namespace lanebank::machine
