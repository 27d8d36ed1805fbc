// The emulated device: memory, loaded modules, launches.
//
//   Device device({.architecture = 90});
//   auto module = device.load(std::move(cubin));
//   auto outcome = device.launch({.module = *module, .function = 0, .grid = {32, 32, 1}, ...}, observers);
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "image/cubin.hpp"
#include "machine/events.hpp"
#include "machine/memory.hpp"
#include "machine/textures.hpp"
#include "machine/warp.hpp"

namespace lanebank::machine {

struct Program;
class WorkerPool;

/// A cubin with its addresses filled in.
struct Module {
  image::Cubin cubin;
  image::Linked linked;
  std::vector<std::uint64_t> variable_addresses;   ///< by index of cubin.variables; constant-space ones too:
                                                   ///< a writable host copy of bank 3, read when a launch begins
  std::uint64_t constant3_address = 0;             ///< that copy, `linked.constant3.size()` bytes
  std::vector<std::uint64_t> sections;             ///< allocations that the module owns
  std::vector<std::shared_ptr<Program>> programs;  ///< decoded kernels, by function; filled at first launch
  Module();
  ~Module();
};

struct LaunchRequest {
  Module* module = nullptr;
  std::uint32_t function = 0;  ///< index into module->cubin.functions
  std::uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, cluster[3] = {1, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;  ///< image of the parameter block, from its base
  bool clustered = false;             ///< a cluster size was asked for, if only of one block
  bool cooperative = false;
  std::uint8_t shared_fill = 0;      ///< every byte of shared memory when a block begins; on a device it is undefined
  bool silent = false;               ///< what the kernel prints is lost
  std::uint64_t sample_blocks = 0;   ///< run only so many, spread over the grid; 0: all. Cooperative kernels run all
  std::uint32_t stack_bytes = 1024;  ///< per thread at least, where a stack is used: cudaLimitStackSize
};

struct LaunchOutcome {
  LaunchInfo info;
  std::vector<Count> counts;  ///< by index of info.instructions
  std::uint64_t warp_instructions = 0;
  std::uint64_t blocks = 0, blocks_run = 0;  ///< of the grid; those of them that were to run
  double seconds = 0;
  std::optional<Fault> fault;  ///< the first one; counts then hold what ran
};

/// Called about ten times a second during a launch with finished and total blocks.
using Progress = std::function<void(std::uint64_t done_blocks, std::uint64_t all_blocks)>;

struct DeviceOptions {
  unsigned jobs = 0;  ///< worker threads, 0: one per core; 1 is bit-reproducible
  std::uint64_t memory_bytes = std::uint64_t{141} << 30;
  bool compile_runs = true;  ///< straight stretches become machine code where the processor can
};

/// What the device may ask of its host; called from worker threads, one call at a time.
struct HostServices {
  std::function<void(std::string_view)> print;  ///< device printf and assert text
};

class Device {
 public:
  explicit Device(const DeviceOptions& options = {}, HostServices services = {});
  ~Device();

  Memory& memory() { return memory_; }
  Textures& textures() { return textures_; }

  /// Places variables in memory, applies relocations. `external` gives addresses of symbols that other
  /// modules define. The module lives as long as the device or until unload.
  Result<Module*> load(image::Cubin cubin,
                       const std::function<std::optional<std::uint64_t>(std::string_view)>& external = {});
  void unload(Module* module);

  /// Runs a kernel to its end. Failing: the launch cannot begin (unsupported instruction anywhere in
  /// reach is a Fault only when executed). One launch at a time; further calls wait.
  Result<LaunchOutcome> launch(const LaunchRequest& request, std::span<Observer* const> observers,
                               const Progress& progress = {});

  const HostServices& services() const { return services_; }
  std::uint64_t heap_bytes = 8u << 20;  ///< cudaLimitMallocHeapSize

 private:
  DeviceOptions options_;
  HostServices services_;
  Memory memory_;
  Textures textures_;
  std::mutex launch_mutex_;
  std::uint64_t launches_ = 0;
  std::unique_ptr<WorkerPool> pool_;
  std::vector<std::unique_ptr<Module>> modules_;
};

}  // namespace lanebank::machine
