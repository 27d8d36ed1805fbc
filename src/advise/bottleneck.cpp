#include "advise/bottleneck.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/check.hpp"

namespace lanebank::advise {

using findings::Limit;
using findings::Pipe;

namespace {

constexpr unsigned calibrated_architecture = 90;
constexpr double wavefront_bytes = 128, sector_bytes = 32;
constexpr std::uint64_t warp_lanes = 32;

double real(std::uint64_t number) { return static_cast<double>(number); }

std::uint64_t product(const std::array<std::uint32_t, 3>& extent) {
  return std::uint64_t{extent[0]} * extent[1] * extent[2];
}

/// Cycles of all multiprocessors together, by limit.
struct Cycles {
  double shared = 0;
  std::array<double, findings::pipe_count> pipes{};
};

double tensor_cycles(const findings::Work& work, const Gpu& gpu) {
  double cycles = 0;
  for (std::size_t kind = 0; kind < findings::tensor_kind_count; ++kind) {
    if (gpu.mma_rates[kind] > 0) cycles += real(work.mma[kind]) / gpu.mma_rates[kind];
    if (gpu.warpgroup_mma_rates[kind] > 0) cycles += real(work.warpgroup_mma[kind]) / gpu.warpgroup_mma_rates[kind];
  }
  return cycles;
}

Cycles cycles_of(const findings::LaunchReport& launch, const Gpu& gpu) {
  const findings::Work& work = *launch.work;
  Cycles cycles;
  cycles.shared = (real(launch.shared.wavefronts) * wavefront_bytes + real(work.global.sectors) * sector_bytes +
                   real(work.global.engine_read_bytes) + real(work.global.engine_write_bytes)) /
                  gpu.shared_bytes_per_cycle;
  for (std::size_t pipe = 0; pipe < findings::pipe_count; ++pipe)
    if (gpu.pipe_rates[pipe] > 0) cycles.pipes[pipe] = real(work.pipes[pipe]) / gpu.pipe_rates[pipe];
  const auto at = [&cycles](Pipe pipe) -> double& { return cycles.pipes[static_cast<std::size_t>(pipe)]; };
  at(Pipe::issue) = real(launch.warp_instructions) / gpu.pipe_rates[static_cast<std::size_t>(Pipe::issue)];
  at(Pipe::tensor) = tensor_cycles(work, gpu);
  return cycles;
}

Limit limit_of(Pipe pipe) {
  switch (pipe) {
    case Pipe::issue:
      return Limit::issue;
    case Pipe::fma:
      return Limit::fma;
    case Pipe::alu:
      return Limit::alu;
    case Pipe::half:
      return Limit::half;
    case Pipe::fp64:
      return Limit::fp64;
    case Pipe::special:
      return Limit::special;
    case Pipe::memory:
      return Limit::memory;
    case Pipe::tensor:
      return Limit::tensor;
  }
  return Limit::issue;
}

/// The longest limit when `seconds` of the shared-memory limit are gone.
double without(const findings::Bottleneck& estimate, double seconds) {
  double longest = 0;
  for (const findings::LimitTime& limit : estimate.limits)
    longest = std::max(longest, limit.seconds - (limit.limit == Limit::shared ? seconds : 0));
  return longest;
}

void add_residence(findings::Bottleneck& estimate, const findings::LaunchReport& launch, const Gpu& gpu) {
  const std::uint64_t threads = product(launch.block), blocks = product(launch.grid);
  estimate.resident_blocks = resident_blocks(
      gpu.limits, {.threads = threads,
                   .registers_per_thread = launch.work->registers,
                   .shared_bytes = std::uint64_t{launch.static_shared_bytes} + launch.dynamic_shared_bytes});
  estimate.most_warps = gpu.limits.threads / warp_lanes;
  estimate.resident_warps = estimate.resident_blocks * ((threads + warp_lanes - 1) / warp_lanes);
  if (estimate.resident_blocks != 0)
    estimate.waves = real(blocks) / (real(estimate.resident_blocks) * gpu.multiprocessors);
  const double average = real(blocks) / gpu.multiprocessors;
  if (blocks != 0) estimate.balance = average / std::ceil(average);
}

void add_notes(findings::Bottleneck& estimate, const findings::LaunchReport& launch, const Gpu& gpu) {
  std::vector<std::string>& notes = estimate.notes;
  if (estimate.resident_blocks == 0)
    notes.emplace_back("a block needs more than a multiprocessor of this GPU has: the launch would fail");
  if (launch.arch != "sm_" + std::to_string(gpu.architecture))
    notes.push_back("the code that ran is " + launch.arch + "'s; other code would run on this GPU");
  if (std::any_of(launch.instructions->begin(), launch.instructions->end(),
                  [](const auto& row) { return !row.modelled; }))
    notes.emplace_back("instructions whose wavefronts are not modelled are left out");
  if (launch.work->uncounted_products != 0) notes.emplace_back("4-bit and binary matrix products are left out");
  if (launch.sampled_blocks != 0)
    notes.emplace_back(
        "of sampled blocks, DRAM bytes are scaled up to at most the size of the arrays that were touched");
  if (launch.fault) notes.emplace_back("the kernel was stopped: the estimate is of what ran");
}

}  // namespace

findings::Bottleneck estimate(const findings::LaunchReport& launch, const Gpu& gpu) {
  LANEBANK_CHECK(launch.work.has_value(), launch.kernel);
  findings::Bottleneck result;
  result.gpu = gpu.id;
  result.gpu_name = gpu.name;
  result.calibrated = gpu.architecture == calibrated_architecture;
  add_residence(result, launch, gpu);

  const double seconds_of_a_cycle = 1 / (gpu.multiprocessors * result.balance * gpu.clock_hz);
  const Cycles cycles = cycles_of(launch, gpu);
  const findings::GlobalWork& global = launch.work->global;
  const auto add = [&result](Limit limit, double seconds) {
    if (seconds > 0) result.limits.push_back({limit, seconds});
  };
  add(Limit::shared, cycles.shared * seconds_of_a_cycle);
  for (std::size_t pipe = 0; pipe < findings::pipe_count; ++pipe)
    add(limit_of(static_cast<Pipe>(pipe)), cycles.pipes[pipe] * seconds_of_a_cycle);
  add(Limit::l2,
      real(global.l2_read_sectors + global.l2_write_sectors) * sector_bytes / (gpu.l2_bytes_per_cycle * gpu.clock_hz));
  add(Limit::dram, real(global.dram_read_bytes + global.dram_write_bytes) / gpu.dram_bytes_per_second);
  std::stable_sort(result.limits.begin(), result.limits.end(),
                   [](const auto& a, const auto& b) { return a.seconds > b.seconds; });

  if (!result.limits.empty()) {
    result.binds = result.limits.front().limit;
    result.seconds = result.limits.front().seconds;
  }
  const double excess_cycles = real(launch.shared.excess) * wavefront_bytes / gpu.shared_bytes_per_cycle;
  result.clean_seconds = without(result, excess_cycles * seconds_of_a_cycle);
  result.excess_wait_seconds = real(launch.shared.excess) * excess_wait_cycles * seconds_of_a_cycle;
  add_notes(result, launch, gpu);
  return result;
}

Saving saving(const findings::LaunchReport& launch, const Gpu& gpu, std::uint64_t removed) {
  const findings::Bottleneck now = estimate(launch, gpu);
  findings::LaunchReport changed = launch;
  removed = std::min(removed, launch.shared.excess);
  changed.shared.wavefronts -= removed;
  changed.shared.excess -= removed;
  const findings::Bottleneck after = estimate(changed, gpu);
  return {.seconds = now.seconds,
          .after_seconds = after.seconds,
          .at_most_seconds = now.excess_wait_seconds - after.excess_wait_seconds};
}

const Gpu& gpu_for(const findings::LaunchReport& launch, const Gpu* gpu) {
  if (gpu != nullptr) return *gpu;
  unsigned architecture = calibrated_architecture;
  const std::string& text = launch.arch;  // "sm_90"
  std::from_chars(text.data() + std::min<std::size_t>(3, text.size()), text.data() + text.size(), architecture);
  return gpu_of(architecture);
}

void add_bottlenecks(findings::ProgramReport& report, const Gpu* gpu) {
  for (findings::LaunchReport& launch : report.launches) {
    if (launch.work) launch.bottleneck = estimate(launch, gpu_for(launch, gpu));
  }
}

}  // namespace lanebank::advise
