// The state of a warp, a block and a worker while a kernel runs. Plain data: the operations in lanes/
// change it, the scheduler (scheduler.hpp) moves warps along.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/events.hpp"
#include "machine/operation.hpp"

namespace lanebank::machine {

inline constexpr std::uint32_t all_lanes = ~std::uint32_t{0};
inline constexpr unsigned zero_rows = 4;  ///< behind the registers: RZ as a source of up to 128 bits
inline constexpr unsigned sink_rows = 4;  ///< behind those: RZ as a destination
inline constexpr unsigned predicate_count = 17, sink_predicate = 16;
inline constexpr unsigned uniform_count = 64 + 4;  ///< UR0..62, URZ = 63, then zeros for pairs and groups

struct Count {
  std::uint64_t executed = 0, threads = 0;
};

struct Block;
struct Worker;
struct LaunchState;

/// Lanes of a warp that go on together.
struct Split {
  enum class Wait : std::uint8_t {
    none,       ///< can run
    bsync,      ///< at BSYNC `number`
    warp_sync,  ///< at a WARPSYNC with mask `number`
    barrier,    ///< at block barrier `number`
    mbarrier,  ///< until the phase of the mbarrier at window address `number` changes (0: the cluster's barrier); retried at pc
    spin,  ///< gave way; runs again in the next round
  };
  const Operation* pc = nullptr;
  std::uint32_t mask = 0;
  Wait wait = Wait::none;
  std::uint32_t number = 0;
};

/// The splits of a warp that are not running, oldest first. Their lanes differ, so there are 32 at most.
class SplitList {
 public:
  [[gnu::always_inline]] bool empty() const { return count_ == 0; }
  [[gnu::always_inline]] std::size_t size() const { return count_; }
  [[gnu::always_inline]] Split& operator[](std::size_t n) { return splits_[n]; }
  [[gnu::always_inline]] const Split& operator[](std::size_t n) const { return splits_[n]; }
  [[gnu::always_inline]] Split* begin() { return splits_; }
  [[gnu::always_inline]] Split* end() { return splits_ + count_; }
  [[gnu::always_inline]] const Split* begin() const { return splits_; }
  [[gnu::always_inline]] const Split* end() const { return splits_ + count_; }
  [[gnu::always_inline]] void clear() { count_ = 0; }
  [[gnu::always_inline]] void push_back(const Split& split) {
    if (count_ == 32) __builtin_trap();
    splits_[count_++] = split;
  }
  [[gnu::always_inline]] void push_front(const Split& split) {
    if (count_ == 32) __builtin_trap();
    for (std::size_t n = count_++; n > 0; --n) splits_[n] = splits_[n - 1];
    splits_[0] = split;
  }
  [[gnu::always_inline]] void erase(std::size_t n) {
    for (--count_; n < count_; ++n) splits_[n] = splits_[n + 1];
  }

 private:
  std::size_t count_ = 0;
  Split splits_[32];
};

/// Watches a loop that ran long: if the whole state of the warp comes back unchanged to the same branch
/// and nothing was stored meanwhile, the loop can only end by what others do: it spins.
struct SpinProbe {
  const Operation* branch = nullptr;  ///< nullptr: not watching
  std::uint32_t mask = 0;
  std::uint64_t stores = 0;
  unsigned tries = 0;
  std::vector<std::uint32_t> state;
};

/// Why the running split handed control back.
enum class Stop : std::uint8_t { none, waits, exited, slice, fault };

/// Ordered by use: a warp that only loads, computes, stores and meets the others at barriers touches the first lines alone.
struct alignas(64) Warp {
  // These three begin as zeros in every block.
  std::uint32_t predicates[predicate_count] = {};
  std::uint32_t uniform[uniform_count] = {};
  std::uint32_t barrier_arrived[16] = {};  ///< lanes that stand at block barrier n
  std::uint32_t* rows = nullptr;           ///< register n of lane l is rows[32 n + l]
  Count* counts = nullptr;                 ///< per instruction, of this worker
  std::uint64_t* run_counts = nullptr;     ///< per compiled run, of this worker
  std::uint32_t active = 0;                ///< lanes of the running split
  std::uint32_t live = 0;                  ///< lanes that have not exited
  std::int32_t slice = 0;                  ///< backward branches left before others get a turn
  Stop stop = Stop::none;
  std::uint16_t register_count = 0;
  std::uint8_t* shared = nullptr;  ///< first byte of the block's shared memory (arrays, then dynamic)
  std::uint32_t shared_bytes = 0;
  std::uint32_t shared_window = 0;  ///< window address of that byte: 0x400 on sm_90, 0 before
  Worker* worker = nullptr;
  const LaunchState* launch = nullptr;
  Block* block = nullptr;
  WarpPlace place;
  std::uint64_t stores = 0;       ///< grows with every write to memory: progress of a spinning loop
  SplitList splits;               ///< the splits that are not running
  std::uint8_t* local = nullptr;  ///< word w of lane l at 128 w + 4 l
  std::uint32_t local_bytes = 0;  ///< per lane
  std::uint32_t thread_base = 0;  ///< linear thread index of lane 0
  struct Return {
    const Operation* pc;
    std::uint32_t mask;
  };
  std::vector<Return> collective;    ///< where the lanes of a running WARPSYNC.COLLECTIVE piece go on
  std::uint32_t reduction = 0;       ///< result of the last BAR.RED
  std::uint64_t cluster_ticket = 0;  ///< phase of the cluster barrier at which the warp arrived
  SpinProbe probe;
  alignas(64) std::uint32_t return_address[2][32] = {};  ///< Rpc, low and high words
  alignas(64) std::uint32_t convergence[16][32] = {};    ///< Bn as each lane sees it: the lanes it waits for

  std::uint32_t* row(unsigned n) { return rows + 32u * n; }
  bool done() const { return live == 0; }
};

/// What went wrong in a kernel.
struct Fault {
  enum class Kind {
    illegal_address,
    misaligned_address,
    illegal_instruction,  ///< operands that the device refuses
    shared_out_of_bounds,
    local_out_of_bounds,
    trap,
    assertion,
    unsupported,  ///< an instruction that lanebank does not execute
    deadlock,     ///< no thread can go on
    invalid_pc,
    stack_overflow,
  };
  Kind kind = Kind::trap;
  std::uint32_t instruction = 0;
  std::uint64_t block = 0;
  std::uint32_t thread = 0;  ///< linear index in the block, of the first faulting lane
  std::uint64_t address = 0;
  std::string message;  ///< complete sentence without position
};

}  // namespace lanebank::machine
