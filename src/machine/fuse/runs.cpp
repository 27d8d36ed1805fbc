#include "machine/fuse/runs.hpp"

#include <algorithm>

#if defined(__x86_64__)
#include "machine/fuse/run_compiler.hpp"
#endif

namespace lanebank::machine {
namespace {

#if defined(__x86_64__)
bool processor_can() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("popcnt");
}

/// Operations where something else than the one before may lead.
std::vector<bool> leaders(std::span<const Operation> operations) {
  std::vector<bool> result(operations.size());
  for (const Operation& op : operations)
    if (op.target != nullptr) result[static_cast<std::size_t>(op.target - operations.data())] = true;
  return result;
}

#endif

}  // namespace

#if defined(__x86_64__)
std::unique_ptr<Runs> compile_runs(std::span<Operation> operations, std::span<const Fused> fused,
                                   std::uint16_t zero_row) {
  constexpr std::uint32_t shortest = 2, longest = 400;
  static const bool can = processor_can();
  if (!can) return nullptr;
  try {
    auto compiler = std::make_unique<fuse::RunCompiler>(operations, fused, zero_row);
    const std::vector<bool> leads = leaders(operations);
    const auto count = static_cast<std::uint32_t>(operations.size());
    for (std::uint32_t first = 0; first < count;) {
      std::uint32_t end = first;
      while (end < count && end - first < longest && (end == first || !leads[end]) &&
             compiler->compiles(operations[end], fused[end]))
        ++end;
      if (end - first >= shortest) compiler->compile({first, end - first});
      first = std::max(end, first + 1);
    }
    if (compiler->runs.empty()) return nullptr;
    compiler->install(operations);
    return compiler;
  } catch (const Xbyak::Error&) {  // no memory that may be executed
    return nullptr;
  }
}

#else
std::unique_ptr<Runs> compile_runs(std::span<Operation>, std::span<const Fused>, std::uint16_t) { return nullptr; }
#endif

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
