#include "machine/fuse/runs.hpp"

#include <algorithm>

#include "base/check.hpp"

#if defined(__x86_64__)
#include "machine/fuse/run_compiler_avx2.hpp"
#include "machine/fuse/run_compiler_avx512.hpp"
#endif

namespace lanebank::machine {

#if defined(__x86_64__)
namespace {

/// Operations where something else than the one before may lead.
std::vector<bool> leaders(std::span<const Operation> operations) {
  std::vector<bool> result(operations.size());
  for (const Operation& op : operations)
    if (op.target != nullptr) result[static_cast<std::size_t>(op.target - operations.data())] = true;
  return result;
}

}  // namespace

bool processor_can(RunCode code) {
  if (!__builtin_cpu_supports("popcnt")) return false;
  if (code == RunCode::avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

std::unique_ptr<Runs> compile_runs(std::span<Operation> operations, std::span<const Fused> fused,
                                   std::uint16_t zero_row, std::optional<RunCode> code) {
  constexpr std::uint32_t shortest = 2, longest = 400;
  if (!code) return nullptr;
  try {
    std::unique_ptr<fuse::RunCompiler> compiler;
    if (code == RunCode::avx512)
      compiler = std::make_unique<fuse::RunCompilerAvx512>(operations, fused, zero_row);
    else
      compiler = std::make_unique<fuse::RunCompilerAvx2>(operations, fused, zero_row);
    const std::vector<bool> leads = leaders(operations);
    const auto count = static_cast<std::uint32_t>(operations.size());
    for (std::uint32_t first = 0; first < count;) {
      std::uint32_t end = first;
      while (end < count && end - first < longest && (end == first || !leads[end]) &&
             fuse::RunCompiler::compiles(operations[end], fused[end]))
        ++end;
      if (end - first >= shortest) compiler->compile({first, end - first});
      first = std::max(end, first + 1);
    }
    if (compiler->runs.empty()) return nullptr;
    compiler->install(operations);
    return compiler;
  } catch (const Xbyak::Error& error) {
    const int number = error;
    LANEBANK_CHECK(number == Xbyak::ERR_CANT_ALLOC || number == Xbyak::ERR_CANT_PROTECT, error.what());
    return nullptr;  // no memory that may be executed
  }
}

#else
bool processor_can(RunCode) { return false; }

std::unique_ptr<Runs> compile_runs(std::span<Operation>, std::span<const Fused>, std::uint16_t,
                                   std::optional<RunCode>) {
  return nullptr;
}
#endif

std::optional<RunCode> best_run_code() {
  static const std::optional<RunCode> best = processor_can(RunCode::avx512) ? std::optional(RunCode::avx512)
                                             : processor_can(RunCode::avx2) ? std::optional(RunCode::avx2)
                                                                            : std::nullopt;
  return best;
}

void add_run_counts(const Runs& runs, std::span<const Operation> operations, std::span<const std::uint64_t> run_counts,
                    std::span<Count> counts) {
  for (std::size_t i = 0; i < runs.runs.size(); ++i)
    for (std::uint32_t n = 0; n < runs.runs[i].count; ++n) {
      const Operation& op = operations[runs.runs[i].first + n];
      Count& count = counts[op.instruction];
      count.executed += run_counts[i];
      if (is_always(op)) count.threads += 32 * run_counts[i];
    }
}

}  // namespace lanebank::machine
