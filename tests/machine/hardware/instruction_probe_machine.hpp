// Runs the cases of the probe on the emulated device.
#pragma once

#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "hardware/instruction_probe.hpp"
#include "image/cubin.hpp"
#include "machine/device.hpp"

namespace lanebank::probe {

struct Ran {
  std::string fault;  ///< empty: the kernel came to its end
  std::vector<u32> records, scratch;
};

/// Runs every case, in order, and hands each result on. `cubin`: the file instruction_probe_sm90a.cubin.
inline void run_on_machine(std::span<const Case> cases, const std::vector<std::byte>& cubin, bool compile_runs,
                           const std::function<void(const Case&, const Ran&)>& result) {
  using namespace machine;
  constexpr std::size_t record_bytes = std::size_t{rounds} * 32 * record_words * 4;
  constexpr std::size_t all_scratch_bytes = std::size_t{rounds} * scratch_bytes;
  Device device({.jobs = 1, .memory_bytes = 1u << 28, .compile_runs = compile_runs});
  const u64 in = device.memory().allocate(record_bytes, MemoryKind::device);
  const u64 out = device.memory().allocate(record_bytes, MemoryKind::device);
  const u64 scratch = device.memory().allocate(all_scratch_bytes, MemoryKind::device);
  const std::vector<u32> words = constants();
  for (std::size_t first = 0; first < cases.size(); first += kernels_per_cubin) {
    const auto group = cases.subspan(first, std::min<std::size_t>(kernels_per_cubin, cases.size() - first));
    std::vector<std::byte> bytes = cubin;
    Ran ran;
    if (!fill_cubin(bytes, group.data(), group.size())) ran.fault = "the cubin has no room for the code";
    auto image = image::read_cubin(bytes);
    auto module = device.load(std::move(*image));
    for (std::size_t n = 0; n < group.size(); ++n) {
      const Buffers buffers = inputs(group[n]);
      std::memcpy(reinterpret_cast<void*>(in), buffers.records.data(), record_bytes);
      std::memset(reinterpret_cast<void*>(out), 0, record_bytes);
      std::memcpy(reinterpret_cast<void*>(scratch), buffers.scratch.data(), all_scratch_bytes);
      LaunchRequest request;
      request.module = *module;
      const image::Function* function = (*module)->cubin.find("probe" + std::to_string(n));
      request.function = static_cast<u32>(function - (*module)->cubin.functions.data());
      request.grid[0] = rounds;
      request.block[0] = 32;
      request.parameters.resize(function->parameter_bytes);
      const u64 pointers[] = {in, out, scratch};
      std::memcpy(request.parameters.data(), pointers, sizeof pointers);
      std::memcpy(request.parameters.data() + sizeof pointers, words.data(), words.size() * 4);
      const auto outcome = device.launch(request, {});
      ran.fault = !outcome ? to_string(outcome.error()) : outcome->fault ? outcome->fault->message : "";
      ran.records.assign(reinterpret_cast<u32*>(out), reinterpret_cast<u32*>(out) + record_bytes / 4);
      ran.scratch.assign(reinterpret_cast<u32*>(scratch), reinterpret_cast<u32*>(scratch) + all_scratch_bytes / 4);
      result(group[n], ran);
    }
    device.unload(*module);
  }
}

inline std::vector<std::byte> read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> text((std::istreambuf_iterator<char>(file)), {});
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

}  // namespace lanebank::probe
