// Splits, warps and blocks: who runs next. The control operations in lanes/ call these; nothing here
// depends on the SIMD level.
//
// A warp starts as one split. A branch that only some lanes take leaves two; BSYNC and WARPSYNC join
// them again, nothing else does. The running split is (Warp::active, the pc in flight); the others wait in
// Warp::splits.
#pragma once

#include <cstdint>

#include "machine/launch_state.hpp"
#include "machine/warp.hpp"

namespace lanebank::machine {

/// Backward branches of a warp before it is looked at for spinning and others get a turn.
inline constexpr std::int32_t slice_branches = 2048;
/// The same where blocks get short turns, and turns of all its warps after which a block without a barrier or an exit gives way
/// to others.
inline constexpr std::int32_t short_slice_branches = 64;
inline constexpr unsigned idle_passes_of_a_turn = 256, idle_passes_of_a_short_turn = 4;

/// The next split of this warp that can run, made the running one; nullptr (and Warp::stop) if none can.
const Operation* resume(Warp& w);

/// Parks the running split and resumes another.
const Operation* park(Warp& w, const Operation* pc, Split::Wait wait, std::uint32_t number);

/// Called by a taken backward branch when the slice is used up; gives the operation to go on with.
const Operation* slice_over(Warp& w, const Operation* branch);

/// Gives way to other splits and warps, as YIELD and NANOSLEEP ask.
const Operation* give_way(Warp& w, const Operation* pc);

/// BSYNC by the running split (`mask` = all its lanes).
const Operation* converge(Warp& w, const Operation* next, unsigned barrier);

/// WARPSYNC: waits for the lanes of `wanted`; with `end`, a COLLECTIVE piece follows.
const Operation* warp_sync(Warp& w, const Operation* op, std::uint32_t wanted, const Operation* end);
const Operation* end_collective(Warp& w);

/// Lanes in `mask` exit; the others of the split go on at `next`.
const Operation* exit_lanes(Warp& w, std::uint32_t mask, const Operation* next);

/// After lanes left a convergence barrier or exited: releases what no longer waits for anybody.
void release_converged(Warp& w);

/// BAR by the running split. `expected_threads` 0: the whole block. `waits` false: BAR.ARV.
const Operation* block_barrier(Warp& w, const Operation* next, unsigned barrier, std::uint32_t expected_threads,
                               bool waits, BarrierState::Reduction reduction, std::uint32_t lanes_true);

/// Prepares a block to run: warps, registers, shared and local memory.
void start_block(Block& block, std::uint64_t linear, LaunchState& launch, Worker& worker);

enum class BlockStatus { finished, stalled, stopped };
/// Runs until the block ends, can only wait for others (stalled), or the launch is stopped.
BlockStatus run_block(Block& block, LaunchState& launch, Worker& worker);

/// Whether all that the warps of a stalled block wait for can come only from its own cluster: barriers and mbarriers.
bool waits_within_cluster(const Block& block);

/// Raises the deadlock of a block whose cluster stands still.
void raise_endless_wait(Block& block, LaunchState& launch);

}  // namespace lanebank::machine
