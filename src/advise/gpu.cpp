#include "advise/gpu.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace lanebank::advise {
namespace {

using findings::Pipe;
using findings::TensorKind;

struct Multiprocessor {
  unsigned architecture;
  double fma, alu, half, fp64, special, shared;
  std::uint64_t threads, blocks, kib, reserved, unit;
};

constexpr Multiprocessor multiprocessors[] = {
#define LANEBANK_MULTIPROCESSOR(sm, fma, alu, half, fp64, special, shared, threads, blocks, kib, reserved, unit) \
  {sm, fma, alu, half, fp64, special, shared, threads, blocks, kib, reserved, unit},
#include "advise/gpus.def"
};

struct Card {
  std::string_view id, name;
  unsigned architecture, multiprocessors;
  double mhz, mma, wgmma, tf32, int8, fp8, fp64, l2, dram;
  bool standard;
  std::string_view source;
};

constexpr Card cards[] = {
#define LANEBANK_GPU(id, name, sm, multiprocessors, mhz, mma, wgmma, tf32, int8, fp8, fp64, l2, dram, standard, \
                     source)                                                                                    \
  {id, name, sm, multiprocessors, mhz, mma, wgmma, tf32, int8, fp8, fp64, l2, dram, standard == 1, source},
#include "advise/gpus.def"
};

void set_rates(Gpu& gpu, const Multiprocessor& part) {
  const auto rate = [&gpu](Pipe pipe) -> double& { return gpu.pipe_rates[static_cast<std::size_t>(pipe)]; };
  rate(Pipe::issue) = 4;
  rate(Pipe::fma) = part.fma;
  rate(Pipe::alu) = part.alu;
  rate(Pipe::half) = part.half;
  rate(Pipe::fp64) = part.fp64;
  rate(Pipe::special) = part.special;
  rate(Pipe::memory) = 1;
}

void set_tensor_rates(Gpu& gpu, const Card& card) {
  const double share = card.wgmma > 0 ? card.mma / card.wgmma : 1;
  const auto set = [&](TensorKind kind, double rate) {
    gpu.mma_rates[static_cast<std::size_t>(kind)] = rate * share;
    if (card.wgmma > 0) gpu.warpgroup_mma_rates[static_cast<std::size_t>(kind)] = rate;
  };
  set(TensorKind::half, card.wgmma > 0 ? card.wgmma : card.mma);
  set(TensorKind::tf32, card.tf32);
  set(TensorKind::int8, card.int8);
  set(TensorKind::fp8, card.fp8);
  gpu.mma_rates[static_cast<std::size_t>(TensorKind::fp64)] = card.fp64;  // wgmma has none
}

Gpu make(const Card& card) {
  const auto* part = std::find_if(std::begin(multiprocessors), std::end(multiprocessors),
                                  [&](const Multiprocessor& row) { return row.architecture == card.architecture; });
  Gpu gpu{.id = card.id,
          .name = card.name,
          .source = card.source,
          .architecture = card.architecture,
          .multiprocessors = card.multiprocessors,
          .clock_hz = card.mhz * 1e6,
          .shared_bytes_per_cycle = part->shared,
          .l2_bytes_per_cycle = card.l2,
          .dram_bytes_per_second = card.dram * 1e9,
          .standard = card.standard};
  gpu.limits.threads = part->threads;
  gpu.limits.blocks = part->blocks;
  gpu.limits.shared_bytes = part->kib * 1024;
  gpu.limits.reserved_shared_bytes = part->reserved;
  gpu.limits.shared_unit_bytes = part->unit;
  set_rates(gpu, *part);
  set_tensor_rates(gpu, card);
  return gpu;
}

const std::vector<Gpu>& table() {
  static const std::vector<Gpu> gpus = [] {
    std::vector<Gpu> made;
    for (const Card& card : cards) made.push_back(make(card));
    return made;
  }();
  return gpus;
}

}  // namespace

std::span<const Gpu> all_gpus() { return table(); }

Result<const Gpu*> gpu_named(std::string_view id) {
  std::string lower(id), names;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const Gpu& gpu : table()) {
    if (gpu.id == lower) return &gpu;
    names += (names.empty() ? "" : ", ") + std::string(gpu.id);
  }
  return fail("gpu.unknown", "--gpu", "'" + std::string(id) + "' is no GPU of the table", "There are: " + names + ".");
}

const Gpu& gpu_of(unsigned architecture) {
  const Gpu* best = &table().front();  // the oldest
  for (const Gpu& gpu : table())
    if (gpu.standard && gpu.architecture <= architecture && gpu.architecture > best->architecture) best = &gpu;
  return *best;
}

}  // namespace lanebank::advise
