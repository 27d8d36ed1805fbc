// What the running blocks of a launch share, and what a worker thread and a block hold.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "machine/device.hpp"
#include "machine/fuse/runs.hpp"
#include "machine/lowering.hpp"
#include "machine/warp.hpp"

namespace lanebank::machine {

inline constexpr unsigned multiprocessor_count = 132;  ///< blocks are said to run on them in turn
/// High words of generic addresses that mean shared and local memory; no device or host pointer has them.
inline constexpr std::uint32_t shared_window_high = 0x01000000;  ///< SR_SWINHI
inline constexpr std::uint32_t local_window_high = 0x01000001;
/// Addresses of code are never data addresses; they fit into the 49 bits that a call instruction holds.
inline constexpr std::uint64_t code_window = std::uint64_t{2} << 32;      ///< device functions
inline constexpr std::uint64_t external_window = std::uint64_t{3} << 32;  ///< vprintf, malloc, ...

/// A kernel decoded for one SIMD level, with every function it can reach.
struct Program {
  std::vector<Operation> operations;  ///< the kernel's first, then other functions of the module
  std::vector<InstructionInfo> instructions;
  std::vector<sass::Word> words;
  std::vector<ConstantUse> constant_uses;
  std::vector<const char*> unsupported;  ///< per operation, nullptr: supported
  std::vector<Fused> fused;              ///< per operation
  std::unique_ptr<Runs> runs;            ///< compiled stretches, if any
  struct Piece {
    std::uint32_t function;  ///< index in Cubin::functions
    std::uint32_t first;     ///< operation index
    std::uint32_t count;
    std::uint64_t code_address;  ///< of its first byte, in the code window
  };
  std::vector<Piece> pieces;
  std::uint16_t registers = 0;
  bool uses_local = false;
  bool compares_and_swaps = false;  ///< holds a compare-and-swap: its loops' trips depend on how warps interleave
  /// The operation at a code address; nullptr when no function holds it.
  const Operation* at(std::uint64_t code_address) const;
};

struct LaunchState {
  struct Bank {
    const std::byte* data = nullptr;
    std::uint32_t bytes = 0;
  };
  Bank banks[8];
  const ArchitectureFacts* facts = nullptr;
  const Program* program = nullptr;
  Device* device = nullptr;
  Module* module = nullptr;
  std::shared_ptr<const Textures::Table> textures;  ///< the objects when the launch began
  std::uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, cluster[3] = {1, 1, 1};
  std::uint32_t threads_per_block = 1, warps_per_block = 1;
  std::vector<std::uint32_t> thread_indices[3];  ///< threadIdx by linear thread of a block, whole warps
  const std::uint32_t* thread_rows[3] = {};      ///< their data, for compiled runs
  std::uint32_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
  std::uint32_t shared_bytes = 0;  ///< both, dynamic part aligned
  std::uint32_t local_bytes = 0;   ///< per thread
  std::uint64_t blocks = 1;
  std::uint64_t grid_id = 0;
  bool clustered = false, cooperative = false;
  std::uint8_t shared_fill = 0;      ///< every byte of shared memory when a block begins
  bool silent = false;               ///< nothing is printed
  std::atomic<bool> stopped{false};  ///< a fault was raised: everybody ends
  /// A block ran long without a barrier or an exit: blocks seem to wait for others in loops, and get short turns.
  std::atomic<bool> short_turns{false};
  std::mutex fault_mutex;
  std::optional<Fault> fault;

  /// Fills thread_indices and thread_rows from `block` and `warps_per_block`.
  void number_threads();
};

struct Worker {
  std::vector<Recorder*> shared_listeners, global_listeners, sync_listeners, block_listeners;
  std::vector<Count> counts;
  std::vector<std::uint64_t> run_counts;
  unsigned number = 0;
  std::uint64_t clock = 0;  ///< what clock registers show: it grows with every read, so that runs repeat
  // Bounds of the allocation that an instruction's global access hit last.
  struct Hit {
    std::uint64_t first = 1, end = 0;
  };
  std::array<Hit, 64> hits;                     ///< by instruction
  std::array<std::uint64_t, 64> last_access{};  ///< lane 0's address of an instruction's last global load or store
};

/// A block barrier (BAR). Warps are counted, each when all its live lanes have arrived.
struct BarrierState {
  std::uint32_t arrived_warps = 0;
  std::uint32_t expected_warps = 0;  ///< 0: all live warps
  enum class Reduction : std::uint8_t { none, popc, all, any } reduction = Reduction::none;
  std::uint32_t popc = 0, all = ~std::uint32_t{0}, any = 0;  ///< of BAR.RED, being gathered
};

struct Block {
  std::uint64_t linear = 0;
  std::uint32_t index[3] = {0, 0, 0};
  std::uint32_t cluster_rank = 0;
  std::vector<Warp> warps;
  std::uint8_t* shared = nullptr;
  BarrierState barriers[16];
  std::uint32_t barriers_met = 0;  ///< bit n: a warp came to barrier n
  std::uint32_t live_warps = 0;
  std::vector<Block*> cluster;        ///< by rank; empty without clusters
  std::uint32_t cluster_arrived = 0;  ///< warps at the cluster barrier; kept by the block of rank 0
  std::uint64_t cluster_phase = 0;
  std::uint64_t free_passes = 0;  ///< passes over the warps in which one of them came on
  std::uint64_t progress = 0;     ///< grows when a warp exits, a barrier or mbarrier completes
  std::vector<std::uint32_t> row_storage;
  std::size_t row_count = 0;  ///< rows of each warp there
  std::vector<std::uint8_t> shared_storage, local_storage;
};

/// Tells the observers of a shared-memory access; nothing to do when nobody listens.
inline void publish_shared(const Warp& w, const SharedAccess& access) {
  for (Recorder* recorder : w.worker->shared_listeners) recorder->shared_access(w.place, access);
}

inline void publish_global(const Warp& w, const GlobalAccess& access) {
  for (Recorder* recorder : w.worker->global_listeners) recorder->global_access(w.place, access);
}

inline void publish_range(const Warp& w, const GlobalRange& range) {
  for (Recorder* recorder : w.worker->global_listeners) recorder->global_range(w.place, range);
}

inline void publish_sync(const Warp& w, const SyncEvent& event) {
  for (Recorder* recorder : w.worker->sync_listeners) recorder->sync(w.place, event);
}

/// The range of shared memory that a bulk copy by this warp reads or writes; a window address may name another block of the
/// cluster. `barrier_window`: of the mbarrier that the bytes arrive on, 0 without one.
void publish_bulk_copy(const Warp& w, const Operation* op, bool writes, std::uint32_t window, std::uint32_t bytes,
                       std::uint32_t barrier_window);

/// The byte of its block's shared memory that a window address names, and whether that block is another of the cluster.
struct WindowPlace {
  std::uint32_t byte = 0;
  const Block* block = nullptr;
};
WindowPlace window_place(const Warp& w, std::uint32_t window_address);

}  // namespace lanebank::machine
