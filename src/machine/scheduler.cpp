#include "machine/scheduler.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "base/check.hpp"
#include "base/words.hpp"
#include "machine/lanes/fault.hpp"
#include "machine/mbarrier.hpp"

namespace lanebank::machine {

namespace {

using Wait = Split::Wait;

bool can_run(const Split& split) {
  return split.wait == Wait::none || split.wait == Wait::spin || split.wait == Wait::mbarrier;
}

unsigned first_lane_of(std::uint32_t mask) { return static_cast<unsigned>(std::countr_zero(mask)); }

/// The state that decides how a loop goes on.
void copy_state(const Warp& w, std::vector<std::uint32_t>& state) {
  const std::size_t registers = std::size_t{32} * w.register_count;
  state.resize(registers + predicate_count + uniform_count);
  std::memcpy(state.data(), w.rows, registers * 4);
  std::memcpy(state.data() + registers, w.predicates, sizeof w.predicates);
  std::memcpy(state.data() + registers + predicate_count, w.uniform, sizeof w.uniform);
}

bool same_state(const Warp& w, const std::vector<std::uint32_t>& state) {
  const std::size_t registers = std::size_t{32} * w.register_count;
  return std::memcmp(state.data(), w.rows, registers * 4) == 0 &&
         std::memcmp(state.data() + registers, w.predicates, 4 * sink_predicate) == 0 &&
         std::memcmp(state.data() + registers + predicate_count, w.uniform, sizeof w.uniform) == 0;
}

/// Joins the waiting splits for which `belongs` holds: those of one pc become one split.
template <class Belongs>
void join_waiting(Warp& w, Belongs belongs) {
  for (std::size_t i = 0; i < w.splits.size(); ++i) {
    if (!belongs(w.splits[i])) continue;
    Split& joined = w.splits[i];
    joined.wait = Wait::none;
    for (std::size_t j = w.splits.size() - 1; j > i; --j) {
      if (w.splits[j].pc != joined.pc || !belongs(w.splits[j])) continue;
      joined.mask |= w.splits[j].mask;
      w.splits.erase(j);
    }
  }
}

/// One warp's turn: from where it stands until it waits, exits or its slice is over.
struct Turn {
  Warp& warp;
  const Operation* op = nullptr;  ///< nullptr: nothing to run
  bool takes_part = false;
  bool retries = false;                ///< what gave way in the last pass is tried again
  std::size_t retried = 0, steps = 0;  ///< splits that are tried again, operations executed

  explicit Turn(Warp& w) : warp(w) {
    if (w.done() || w.splits.empty()) return;
    op = resume(w);
    if (op == nullptr) {
      for (Split& split : w.splits)
        if (split.wait == Wait::spin || split.wait == Wait::mbarrier) {
          split.wait = Wait::none;
          retries = true;
          ++retried;
        }
      if (!retries) return;
      op = resume(w);
    }
    takes_part = true;
    w.stop = Stop::none;
  }
  void step() {
    op = op->execute(warp, op);
    ++steps;
  }
  /// Runs to the end of the turn and tells what it came to.
  void finish(bool& ran_freely, bool& waits_for_others, bool& advanced) {
    if (!takes_part) return;
    while (op != nullptr) step();
    // Who waits at an mbarrier in vain executes the wait alone.
    if (steps > retried || warp.stop == Stop::exited) advanced = true;
    const bool gave_way = std::any_of(warp.splits.begin(), warp.splits.end(),
                                      [](const Split& s) { return s.wait == Wait::spin || s.wait == Wait::mbarrier; });
    if (gave_way) waits_for_others = true;
    if (!retries || !gave_way || warp.stop == Stop::exited) ran_freely = true;
  }
};

/// memset that is a call of the library's: inlined for these sizes it becomes a slow string instruction.
#if defined(__clang__)
[[gnu::noinline]]
#else
[[gnu::noipa]]
#endif
void clear(void* place, std::size_t bytes) {
  std::memset(place, 0, bytes);
}

/// Splits of a warp that can run and stand at one place go on as one. Behind BAR.SYNC compilers count on whole warps:
/// they leave out the BSSY of a branch before it, and an H200 prints what whole warps compute.
void join_released(Warp& w) {
  auto& splits = w.splits;
  for (std::size_t i = 0; i < splits.size(); ++i)
    for (std::size_t k = splits.size(); k-- > i + 1;)
      if (splits[i].wait == Wait::none && splits[k].wait == Wait::none && splits[i].pc == splits[k].pc) {
        splits[i].mask |= splits[k].mask;
        splits.erase(k);
      }
}

/// Counts warps that have wholly arrived and releases the barrier when it is complete.
void settle_barrier(Block& block, unsigned number) {
  BarrierState& barrier = block.barriers[number];
  const std::uint32_t expected = barrier.expected_warps != 0 ? barrier.expected_warps : block.live_warps;
  if (barrier.arrived_warps == 0 || barrier.arrived_warps < expected) return;
  std::uint32_t result = 0;
  switch (barrier.reduction) {
    case BarrierState::Reduction::none:
      break;
    case BarrierState::Reduction::popc:
      result = barrier.popc;
      break;
    case BarrierState::Reduction::all:
      result = barrier.all;
      break;
    case BarrierState::Reduction::any:
      result = barrier.any;
      break;
  }
  const bool reduces = barrier.reduction != BarrierState::Reduction::none;
  for (Warp& warp : block.warps) {
    for (Split& split : warp.splits)
      if (split.wait == Wait::barrier && split.number == number) {
        split.wait = Wait::none;
        if (reduces) warp.reduction = result;
      }
    if (warp.splits.size() > 1) join_released(warp);
  }
  barrier = {};
  ++block.progress;
  Worker& worker = *block.warps.front().worker;
  for (Recorder* listener : worker.sync_listeners) listener->barrier_released(block.linear, number);
}

/// A warp's part of barrier `number` after lanes arrived or left.
void settle_warp(Warp& w, unsigned number) {
  const std::uint32_t arrived = w.barrier_arrived[number];
  if (arrived == 0 || (arrived & w.live) != w.live || w.live == 0) return;
  w.barrier_arrived[number] = 0;
  ++w.block->barriers[number].arrived_warps;
}

}  // namespace

bool waits_within_cluster(const Block& block) {
  for (const Warp& warp : block.warps)
    for (const Split& split : warp.splits)
      if (split.wait == Wait::none || split.wait == Wait::spin) return false;
  return true;
}

void raise_endless_wait(Block& block, LaunchState& launch) {
  Warp* at = nullptr;
  Split waiting;
  for (Warp& warp : block.warps)
    for (std::size_t n = 0; n < warp.splits.size(); ++n)
      if (at == nullptr || (warp.splits[n].wait == Wait::mbarrier && waiting.wait != Wait::mbarrier))
        at = &warp, waiting = warp.splits[n];
  LANEBANK_CHECK(at != nullptr, "no warp of a stalled block waits");
  std::string message = "no thread of the block can go on: those left wait at barriers that the others never reach";
  if (waiting.wait == Wait::mbarrier && waiting.number != 0) {
    const std::uint32_t offset = (waiting.number & 0xffffff) - launch.facts->shared_window_base;
    std::uint64_t word = 0;
    if (offset <= at->shared_bytes && at->shared_bytes - offset >= 8) std::memcpy(&word, at->shared + offset, 8);
    message = "no thread of the block can go on: the mbarrier at byte " + std::to_string(offset) +
              " of shared memory still waits for " + counted(mbarrier::pending(word), "arrival", "arrivals") + " and " +
              std::to_string(mbarrier::bytes(word)) + " bytes, and nobody is left to bring them";
  }
  at->active = waiting.mask;
  raise_fault(*at, waiting.pc, Fault::Kind::deadlock, first_lane_of(waiting.mask), waiting.number, message);
}

const Operation* raise_fault(Warp& w, const Operation* op, Fault::Kind kind, unsigned lane, std::uint64_t address,
                             std::string message) {
  LaunchState& launch = const_cast<LaunchState&>(*w.launch);
  {
    std::lock_guard lock(launch.fault_mutex);
    if (!launch.fault)
      launch.fault = Fault{kind, op->instruction, w.place.block, w.thread_base + lane, address, std::move(message)};
  }
  launch.stopped.store(true, std::memory_order_relaxed);
  w.stop = Stop::fault;
  return nullptr;
}

const Operation* raise_fault(Warp& w, const Operation* op, Fault::Kind kind, unsigned lane, std::uint64_t address,
                             const char* message) {
  return raise_fault(w, op, kind, lane, address, std::string(message));
}

const Operation* raise_unsupported(Warp& w, const Operation* op, const char* reason) {
  const unsigned lane = w.active != 0 ? first_lane_of(w.active) : 0;
  return raise_fault(w, op, Fault::Kind::unsupported, lane, 0, reason);
}

namespace {

/// When nothing of a warp can run: lanes at a BSYNC go on without those that wait at a WARPSYNC, which may be waiting for
/// them. An H200 runs code to its end that needs it: a shuffle of the whole warp in a branch of some of its lanes
/// (HeCBench segsort). False when there are no such lanes.
bool leave_convergence(Warp& w) {
  std::uint32_t at_warp_sync = 0;
  for (const Split& split : w.splits)
    if (split.wait == Wait::warp_sync) at_warp_sync |= split.mask;
  for (std::size_t i = 0; i < w.splits.size() && at_warp_sync != 0; ++i) {
    const Split split = w.splits[i];
    if (split.wait != Wait::bsync) continue;
    const std::uint32_t wanted = w.convergence[split.number][first_lane_of(split.mask)] & w.live;
    auto belongs = [&](const Split& other) {
      return other.wait == Wait::bsync && other.number == split.number && (other.mask & wanted) != 0;
    };
    std::uint32_t arrived = 0;
    for (const Split& other : w.splits)
      if (belongs(other)) arrived |= other.mask;
    if ((wanted & ~arrived & ~at_warp_sync) != 0) continue;
    for (const Split& waiting : w.splits)
      if (waiting.wait == Wait::warp_sync && (waiting.number & arrived) != 0)
        publish_sync(
            w, {(waiting.pc - 1)->instruction, SyncEvent::Kind::missing_lanes, waiting.mask, waiting.number & arrived});
    join_waiting(w, belongs);
    return true;
  }
  return false;
}

}  // namespace

const Operation* resume(Warp& w) {
  do {
    for (std::size_t i = w.splits.size(); i-- > 0;) {
      if (w.splits[i].wait != Wait::none) continue;
      const Split split = w.splits[i];
      w.splits.erase(i);
      w.active = split.mask;
      return split.pc;
    }
  } while (leave_convergence(w));
  w.active = 0;
  w.stop = w.live == 0 ? Stop::exited : Stop::waits;
  return nullptr;
}

const Operation* park(Warp& w, const Operation* pc, Wait wait, std::uint32_t number) {
  w.splits.push_back({pc, w.active, wait, number});
  return resume(w);
}

const Operation* give_way(Warp& w, const Operation* pc) {
  // First in the list: every other split of the warp comes before it.
  w.splits.push_front({pc, w.active, Wait::spin, 0});
  return resume(w);
}

static std::int32_t slice_of(const Warp& w) {
  return w.launch->short_turns.load(std::memory_order_relaxed) ? short_slice_branches : slice_branches;
}

const Operation* slice_over(Warp& w, const Operation* branch) {
  SpinProbe& probe = w.probe;
  const bool others = std::any_of(w.splits.begin(), w.splits.end(), can_run);
  if (probe.branch == nullptr) {
    probe = {branch, w.active, w.stores, 0, std::move(probe.state)};
    copy_state(w, probe.state);
    w.slice = 1;
    return branch->target;
  }
  if (probe.branch == branch && probe.mask == w.active) {
    const bool spins = probe.stores == w.stores && same_state(w, probe.state);
    probe.branch = nullptr;
    w.slice = slice_of(w);
    if (spins) {
      w.slice = 1;  // look again at once when it is retried
      return give_way(w, branch->target);
    }
  } else if (++probe.tries < 32) {
    w.slice = 1;
    return branch->target;
  } else {
    probe.branch = nullptr;
    w.slice = slice_of(w);
  }
  if (others) {
    w.splits.push_front({branch->target, w.active, Wait::none, 0});
    return resume(w);
  }
  w.splits.push_back({branch->target, w.active, Wait::none, 0});
  w.active = 0;
  w.stop = Stop::slice;
  return nullptr;
}

/// A barrier that was met is empty.
static void clear_convergence(Warp& w, unsigned barrier, std::uint32_t lanes) {
  std::uint32_t* b = w.convergence[barrier];
  if (lanes == all_lanes) {
    std::memset(b, 0, sizeof w.convergence[barrier]);
    return;
  }
  for (unsigned i = 0; i < 32; ++i) b[i] &= ((lanes >> i) & 1u) - 1u;
}

const Operation* converge(Warp& w, const Operation* next, unsigned barrier) {
  const std::uint32_t wanted = w.convergence[barrier][first_lane_of(w.active)] & w.live;
  if ((wanted & ~w.active) == 0) {
    clear_convergence(w, barrier, w.active);
    return next;
  }
  std::uint32_t arrived = w.active;
  auto belongs = [&](const Split& split) {
    return split.wait == Wait::bsync && split.number == barrier && (split.mask & wanted) != 0;
  };
  for (const Split& split : w.splits)
    if (belongs(split)) arrived |= split.mask;
  if ((wanted & ~arrived) != 0) return park(w, next, Wait::bsync, barrier);
  w.splits.push_back({next, w.active, Wait::bsync, barrier});
  join_waiting(w, belongs);
  clear_convergence(w, barrier, arrived);
  return resume(w);
}

void release_converged(Warp& w) {
  for (std::size_t i = 0; i < w.splits.size(); ++i) {
    const Split split = w.splits[i];
    if (split.wait != Wait::bsync && split.wait != Wait::warp_sync) continue;
    const bool is_bsync = split.wait == Wait::bsync;
    const std::uint32_t wanted =
        (is_bsync ? w.convergence[split.number][first_lane_of(split.mask)] : split.number) & w.live;
    auto belongs = [&](const Split& other) {
      return other.wait == split.wait && other.number == split.number && (is_bsync ? (other.mask & wanted) != 0 : true);
    };
    std::uint32_t arrived = 0;
    for (const Split& other : w.splits)
      if (belongs(other)) arrived |= other.mask;
    if ((wanted & ~arrived) != 0) continue;
    join_waiting(w, belongs);
    if (is_bsync) clear_convergence(w, split.number, arrived);
  }
}

const Operation* warp_sync(Warp& w, const Operation* op, std::uint32_t wanted, const Operation* end) {
  const std::uint32_t needed = wanted & w.live;
  auto belongs = [&](const Split& split) { return split.wait == Wait::warp_sync && split.number == wanted; };
  if (end == nullptr) {
    if ((needed & ~w.active) == 0) return op + 1;
    std::uint32_t arrived = w.active;
    for (const Split& split : w.splits)
      if (belongs(split)) arrived |= split.mask;
    if ((needed & ~arrived) != 0) return park(w, op + 1, Wait::warp_sync, wanted);
    w.splits.push_back({op + 1, w.active, Wait::warp_sync, wanted});
    join_waiting(w, belongs);
    return resume(w);
  }
  // A collective piece: the lanes come from different places, run it once together, and go back.
  std::uint32_t arrived = w.active;
  for (const Split& split : w.splits)
    if (belongs(split)) arrived |= split.mask;
  w.collective.push_back({end, w.active});
  if ((needed & ~arrived) != 0) return park(w, op + 1, Wait::warp_sync, wanted);
  for (std::size_t i = w.splits.size(); i-- > 0;)
    if (belongs(w.splits[i])) w.splits.erase(i);
  w.active = arrived;
  return op + 1;
}

const Operation* end_collective(Warp& w) {
  std::uint32_t left = w.active;
  for (std::size_t i = 0; i < w.collective.size();) {
    const Warp::Return back = w.collective[i];
    if ((back.mask & w.active) == 0) {
      ++i;
      continue;
    }
    w.splits.push_back({back.pc, back.mask & w.active, Wait::none, 0});
    left &= ~back.mask;
    w.collective.erase(w.collective.begin() + static_cast<std::ptrdiff_t>(i));
  }
  LANEBANK_CHECK(left == 0, "ENDCOLLECTIVE by lanes that entered no collective piece");
  return resume(w);
}

const Operation* exit_lanes(Warp& w, std::uint32_t mask, const Operation* next) {
  w.live &= ~mask;
  w.active &= ~mask;
  Block& block = *w.block;
  if (w.live == 0) {
    --block.live_warps;
    ++block.progress;
    if (block.barriers_met != 0)
      for (std::uint32_t& arrived : w.barrier_arrived) arrived = 0;
  }
  for (std::uint32_t met = block.barriers_met; met != 0; met &= met - 1) {
    const unsigned number = first_lane_of(met);
    if (w.barrier_arrived[number] != 0) settle_warp(w, number);
    if (block.barriers[number].arrived_warps != 0) settle_barrier(block, number);
  }
  if (!w.splits.empty()) release_converged(w);
  if (w.active != 0) return next;
  return resume(w);
}

const Operation* block_barrier(Warp& w, const Operation* next, unsigned number, std::uint32_t expected_threads,
                               bool waits, BarrierState::Reduction reduction, std::uint32_t lanes_true) {
  Block& block = *w.block;
  BarrierState& barrier = block.barriers[number];
  barrier.expected_warps = (expected_threads + 31) / 32;
  block.barriers_met |= 1u << number;
  if (reduction != BarrierState::Reduction::none) {
    barrier.reduction = reduction;
    barrier.popc += static_cast<std::uint32_t>(std::popcount(lanes_true & w.active));
    if ((w.active & ~lanes_true) != 0) barrier.all = 0;
    if ((w.active & lanes_true) != 0) barrier.any = all_lanes;
  }
  w.barrier_arrived[number] |= w.active;
  settle_warp(w, number);
  if (!waits) {
    settle_barrier(block, number);
    return next;
  }
  w.splits.push_back({next, w.active, Wait::barrier, number});
  settle_barrier(block, number);
  return resume(w);
}

void start_block(Block& block, std::uint64_t linear, LaunchState& launch, Worker& worker) {
  const Program& program = *launch.program;
  block.linear = linear;
  block.index[0] = static_cast<std::uint32_t>(linear % launch.grid[0]);
  block.index[1] = static_cast<std::uint32_t>(linear / launch.grid[0] % launch.grid[1]);
  block.index[2] = static_cast<std::uint32_t>(linear / launch.grid[0] / launch.grid[1]);
  block.live_warps = launch.warps_per_block;
  block.progress = 0;
  block.barriers_met = 0;
  for (BarrierState& barrier : block.barriers) barrier = {};

  const std::size_t rows = std::size_t{program.registers} + zero_rows + sink_rows;
  const std::size_t row_words = rows * 32 * launch.warps_per_block + 16;
  if (block.row_storage.size() < row_words) block.row_storage.assign(row_words, 0);
  // The zero rows behind a warp's registers stay zero while the rows lie as they do.
  const bool same_rows = block.row_count == rows && block.warps.size() == launch.warps_per_block;
  block.row_count = rows;
  auto aligned = [](auto* pointer) {
    return reinterpret_cast<decltype(pointer)>((reinterpret_cast<std::uintptr_t>(pointer) + 63) & ~std::uintptr_t{63});
  };
  std::uint32_t* row_base = aligned(block.row_storage.data());
  // A margin behind the last byte, so that a wide read of a lane that is off stays inside.
  if (const std::size_t bytes = std::size_t{launch.shared_bytes} + 64 + 1024; block.shared_storage.size() < bytes)
    block.shared_storage.resize(bytes);
  block.shared = reinterpret_cast<std::uint8_t*>(
      (reinterpret_cast<std::uintptr_t>(block.shared_storage.data()) + 1023) & ~std::uintptr_t{1023});
  const std::size_t cleared = launch.shared_bytes + std::size_t{16};  // a wide load may read past the end
  if (launch.shared_fill == 0)
    clear(block.shared, cleared);
  else
    std::memset(block.shared, launch.shared_fill, cleared);
  const std::size_t local_words = std::size_t{launch.local_bytes} * 32;
  if (local_words != 0 && block.local_storage.size() < local_words * launch.warps_per_block)
    block.local_storage.assign(local_words * launch.warps_per_block, 0);

  if (block.warps.size() != launch.warps_per_block) block.warps = std::vector<Warp>(launch.warps_per_block);
  for (unsigned n = 0; n < launch.warps_per_block; ++n) {
    Warp& w = block.warps[n];
    w.rows = row_base + rows * 32 * n;
    w.register_count = program.registers;
    if (!same_rows) clear(w.row(program.registers), zero_rows * 128);
    w.counts = worker.counts.data();
    w.run_counts = worker.run_counts.data();
    w.thread_base = 32 * n;
    const std::uint32_t lanes = std::min(32u, launch.threads_per_block - 32 * n);
    w.live = w.active = lanes == 32 ? all_lanes : (1u << lanes) - 1;
    w.slice = slice_branches;
    w.stop = Stop::none;
    static_assert(offsetof(Warp, rows) ==
                  8 * ((sizeof w.predicates + sizeof w.uniform + sizeof w.barrier_arrived + 7) / 8));
    clear(w.predicates, offsetof(Warp, rows));
    w.predicates[7] = w.predicates[15] = all_lanes;
    w.shared = block.shared;
    w.shared_bytes = launch.shared_bytes;
    w.shared_window = launch.facts->shared_window_base + (block.cluster_rank << 24);
    w.local = local_words != 0 ? block.local_storage.data() + local_words * n : nullptr;
    w.local_bytes = launch.local_bytes;
    w.block = &block;
    w.worker = &worker;
    w.launch = &launch;
    w.place = {linear, n};
    w.reduction = 0;
    w.probe.branch = nullptr;
    w.splits.clear();
    w.splits.push_back({program.operations.data(), w.live, Wait::none, 0});
    w.active = 0;
    w.collective.clear();
  }
  for (Recorder* listener : worker.block_listeners) listener->block_begins(linear);
}

BlockStatus run_block(Block& block, LaunchState& launch, Worker& worker) {
  // A block that waits for another may meet barriers all the while: after so many passes it gives way, too.
  constexpr unsigned longest_turn = 16384, longest_short_turn = 128;
  unsigned idle_passes = 0, passes = 0;
  std::uint64_t progress = block.progress;
  // Two warps in turn hide each other's latency. Loops that compare and swap would then contend.
  const std::size_t together = launch.program->compares_and_swaps ? 1 : 2;
  for (;;) {
    bool ran_freely = false, waits_for_others = false, advanced = false;
    for (std::size_t n = 0; n < block.warps.size(); n += together) {
      Turn first(block.warps[n]);
      if (together == 2 && n + 1 < block.warps.size()) {
        Turn second(block.warps[n + 1]);
        while (first.op != nullptr && second.op != nullptr) {
          first.step();
          second.step();
        }
        second.finish(ran_freely, waits_for_others, advanced);
      }
      first.finish(ran_freely, waits_for_others, advanced);
      if (launch.stopped.load(std::memory_order_relaxed)) return BlockStatus::stopped;
    }
    if (block.live_warps == 0) {
      for (Recorder* listener : worker.block_listeners) listener->block_ends(block.linear);
      return BlockStatus::finished;
    }
    if (advanced) ++block.free_passes;
    const bool short_turns = launch.short_turns.load(std::memory_order_relaxed);
    if (++passes >= (short_turns ? longest_short_turn : longest_turn)) {
      launch.short_turns.store(true, std::memory_order_relaxed);
      return BlockStatus::stalled;
    }
    if (block.progress != progress) {
      progress = block.progress;
      idle_passes = 0;
      continue;
    }
    if (!ran_freely && waits_for_others) return BlockStatus::stalled;
    if (!ran_freely) {
      const Warp& w =
          *std::find_if(block.warps.begin(), block.warps.end(), [](const Warp& warp) { return !warp.done(); });
      const Operation* at = w.splits.empty() ? launch.program->operations.data() : w.splits[0].pc - 1;
      raise_fault(const_cast<Warp&>(w), at, Fault::Kind::deadlock, first_lane_of(w.live), 0,
                  "no thread of the block can go on: those left wait at barriers that the others never reach");
      return BlockStatus::stopped;
    }
    // Long without a barrier or an exit: perhaps it waits for another block in a way that cannot be proven.
    if (++idle_passes >= (short_turns ? idle_passes_of_a_short_turn : idle_passes_of_a_turn)) {
      launch.short_turns.store(true, std::memory_order_relaxed);
      return BlockStatus::stalled;
    }
  }
}

}  // namespace lanebank::machine
