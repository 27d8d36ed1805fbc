// Branches, convergence, calls, barriers and the instructions that only order memory.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

#include "machine/externals.hpp"
#include "machine/lanes/fault.hpp"
#include "machine/lanes/lane.hpp"
#include "machine/scheduler.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

// -------------------------------------------------------------------------------------------- branches

LANEBANK_INLINE const Operation* take(Warp& w, const Operation* op) {
  if (op->target <= op && --w.slice <= 0) [[unlikely]]
    return slice_over(w, op);
  return op->target;
}

/// Sends the lanes of `mask` to the target, the others to the next operation.
LANEBANK_INLINE const Operation* branch_lanes(Warp& w, const Operation* op, std::uint32_t mask) {
  if (mask == w.active) return take(w, op);
  if (mask == 0) return op + 1;
  w.splits.push_back({op + 1, w.active & ~mask, Split::Wait::none, 0});
  w.active = mask;
  return take(w, op);
}

const Operation* branch(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  return branch_lanes(w, op, mask & predicate_in(w, op, 0));
}

/// BRA.U: the whole split goes when the condition holds for all of its lanes; else none goes, and the code behind asks again.
const Operation* branch_all(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  const std::uint32_t going = mask & predicate_in(w, op, 0);
  return branch_lanes(w, op, going == w.active ? going : 0);
}

/// BRA.U with a uniform predicate.
const Operation* branch_uniform(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  return branch_lanes(w, op, mask & predicate_in(w, op, 0) & predicate_in(w, op, 1));
}

/// BRA.U.ANY: the whole split goes when the condition holds for any lane.
const Operation* branch_any(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op) & predicate_in(w, op, 0);
  return branch_lanes(w, op, mask != 0 ? w.active : 0);
}

/// BRA.DIV: goes when the lanes named by the uniform register (without one: all) are not all here;
/// BRA.CONV: when they are.
template <bool when_divergent>
const Operation* branch_divergent(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op) & predicate_in(w, op, 0);
  const std::uint32_t named = op->detail[0] != 0 ? w.uniform[op->uniform] : all_lanes;
  const bool divergent = (named & w.live & ~w.active) != 0;
  return branch_lanes(w, op, divergent == when_divergent ? mask : 0);
}

const Operation* exit_(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op) & predicate_in(w, op, 0);
  if (mask == 0) return op + 1;
  return exit_lanes(w, mask, op + 1);
}

/// Lanes go where their 64-bit addresses say; one split per distinct address.
const Operation* go_to(Warp& w, const Operation* op, std::uint32_t mask, const std::uint64_t* addresses) {
  if (mask != w.active) w.splits.push_back({op + 1, w.active & ~mask, Split::Wait::none, 0});
  while (mask != 0) {
    const unsigned lane = first_lane(mask);
    std::uint32_t together = 0;
    for (unsigned i = lane; i < 32; ++i)
      if ((mask >> i & 1u) != 0 && addresses[i] == addresses[lane]) together |= 1u << i;
    mask &= ~together;
    w.active = together;
    const Operation* target;
    if ((addresses[lane] >> 32) == (external_window >> 32)) {
      target = call_external(w, op, static_cast<unsigned>(addresses[lane] - external_window));
    } else {
      target = w.launch->program->at(addresses[lane]);
      if (target == nullptr)
        return raise_fault(w, op, Fault::Kind::invalid_pc, lane, addresses[lane],
                           "a branch or call to an address that holds no code");
    }
    if (target == nullptr) return nullptr;
    if (mask == 0) return target;
    w.splits.push_back({target, together, Split::Wait::none, 0});
  }
  return resume(w);
}

LANEBANK_INLINE std::uint64_t pair(const std::uint32_t* row, unsigned lane) {
  return row[lane] | std::uint64_t{row[lane + 32]} << 32;
}

/// BRX, RET: base + register pair. The base is where `target` stands, or 0 for the absolute forms.
const Operation* branch_register(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op) & predicate_in(w, op, 0);
  if (mask == 0) return op + 1;
  const std::uint32_t* row = w.row(op->a);
  const std::uint64_t base = op->immediate[0] | std::uint64_t{op->immediate[1]} << 32;
  alignas(64) std::uint64_t addresses[32];
  for (unsigned i = 0; i < 32; ++i) addresses[i] = base + pair(row, i);
  if (op->detail[0] != 0)  // the register holds a 32-bit offset
    for (unsigned i = 0; i < 32; ++i)
      addresses[i] = base + static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(row[i])));
  return go_to(w, op, mask, addresses);
}

/// BRXU: base + uniform pair.
const Operation* branch_uniform_register(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op) & predicate_in(w, op, 0);
  if (mask == 0) return op + 1;
  const std::uint64_t address = (op->immediate[0] | std::uint64_t{op->immediate[1]} << 32) +
                                (w.uniform[op->uniform] | std::uint64_t{w.uniform[op->uniform + 1]} << 32);
  alignas(64) std::uint64_t addresses[32];
  for (std::uint64_t& a : addresses) a = address;
  return go_to(w, op, mask, addresses);
}

/// CALL.ABS and JMP to an address in the instruction or in a uniform pair.
const Operation* branch_absolute(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op) & predicate_in(w, op, 0);
  if (mask == 0) return op + 1;
  std::uint64_t address = op->immediate[0] | std::uint64_t{op->immediate[1]} << 32;
  if (op->detail[0] != 0) address += w.uniform[op->uniform] | std::uint64_t{w.uniform[op->uniform + 1]} << 32;
  alignas(64) std::uint64_t addresses[32];
  for (std::uint64_t& a : addresses) a = address;
  return go_to(w, op, mask, addresses);
}

/// LEPC: the address of an instruction, in the code window.
const Operation* load_pc(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  alignas(64) std::uint32_t low[32], high[32];
  for (unsigned i = 0; i < 32; ++i) low[i] = op->immediate[0], high[i] = op->immediate[1];
  blend(mask, low, w.row(op->d));
  blend(mask, high, w.row(op->d) + 32);
  return op + 1;
}

// ----------------------------------------------------------------------------------------- convergence

const Operation* bssy(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op) & predicate_in(w, op, 0);
  std::uint32_t* b = w.convergence[op->detail[0]];
  LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) b[i] = (mask >> i) & 1u ? mask : b[i];
  return op + 1;
}

const Operation* bsync(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op) & predicate_in(w, op, 0);
  if (mask == 0) return op + 1;
  if (mask != w.active) {
    w.splits.push_back({op + 1, w.active & ~mask, Split::Wait::none, 0});
    w.active = mask;
  }
  return converge(w, op + 1, op->detail[0]);
}

const Operation* break_(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op) & predicate_in(w, op, 0);
  if (mask == 0) return op + 1;
  std::uint32_t* b = w.convergence[op->detail[0]];
  const std::uint32_t group = b[first_lane(mask)];
  LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) b[i] = ((group | mask) >> i) & 1u ? b[i] & ~mask : b[i];
  if (!w.splits.empty()) release_converged(w);
  return op + 1;
}

/// BMOV: a convergence barrier to or from a register. A barrier belongs to the warp: the first lane's value is set in
/// all lanes of the running split.
const Operation* bmov_to_register(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  std::uint32_t* b = w.convergence[op->detail[0]];
  blend(mask, b, w.row(op->d));
  if (op->detail[1] != 0)  // .CLEAR
    for (unsigned i = 0; i < 32; ++i) b[i] = (mask >> i) & 1u ? 0 : b[i];
  return op + 1;
}

LANEBANK_INLINE const Operation* set_convergence(Warp& w, const Operation* op, std::uint32_t value) {
  std::uint32_t* b = w.convergence[op->detail[0]];
  LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) b[i] = (w.active >> i) & 1u ? value : b[i];
  return op + 1;
}

const Operation* bmov_from_register(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  return mask == 0 ? op + 1 : set_convergence(w, op, w.row(op->b)[first_lane(mask)]);
}

/// BMOV of a literal (detail[1] 0) or a uniform register.
const Operation* bmov_from_scalar(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  return mask == 0 ? op + 1 : set_convergence(w, op, op->detail[1] != 0 ? w.uniform[op->uniform] : op->immediate[0]);
}

/// BMOV of the masks of exited or active lanes to a register.
const Operation* bmov_mask(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  alignas(64) std::uint32_t row[32];
  for (std::uint32_t& value : row) value = op->detail[0] != 0 ? w.active : ~w.live;
  blend(mask, row, w.row(op->d));
  return op + 1;
}

const Operation* warpsync(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op) & predicate_in(w, op, 0);
  if (mask == 0) return op + 1;
  if (mask != w.active) {
    w.splits.push_back({op + 1, w.active & ~mask, Split::Wait::none, 0});
    w.active = mask;
  }
  std::uint32_t wanted = op->immediate[0];
  if (op->detail[0] != 0) {
    // The mask is in a register: lanes that name different masks wait for different companies.
    const std::uint32_t* row = w.row(op->a);
    wanted = row[first_lane(w.active)];
    std::uint32_t together = 0;
    for (unsigned i = 0; i < 32; ++i)
      if ((w.active >> i & 1u) != 0 && row[i] == wanted) together |= 1u << i;
    if (together != w.active) {
      w.splits.push_back({op, w.active & ~together, Split::Wait::none, 0});
      // That part comes here again, but the instruction was issued once.
      --w.counts[op->instruction].executed;
      w.counts[op->instruction].threads -= static_cast<unsigned>(std::popcount(w.active & ~together));
      w.active = together;
    }
  }
  publish_sync(w, {op->instruction, SyncEvent::Kind::warp_sync, w.active, wanted | ~w.live});
  return warp_sync(w, op, wanted, op->target);
}

const Operation* endcollective(Warp& w, const Operation* op) {
  begin(w, op);
  return end_collective(w);
}

const Operation* yield(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0 || w.splits.empty()) return op + 1;
  w.splits.push_front({op + 1, w.active, Split::Wait::none, 0});
  return resume(w);
}

/// The clock goes on by the longest time that a lane asks for (immediate[0], or the register b where detail[0] is set), so that
/// waits for a time end.
const Operation* nanosleep(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  std::uint32_t longest = op->immediate[0];
  for (std::uint32_t left = op->detail[0] != 0 ? mask : 0; left != 0; left &= left - 1)
    longest = std::max(longest, w.row(op->b)[std::countr_zero(left)]);
  w.worker->clock += longest;
  return give_way(w, op + 1);
}

/// RPCMOV: one half of the return-address register of each lane.
const Operation* move_to_rpc(Warp& w, const Operation* op) {
  blend(begin(w, op), w.row(op->b), w.return_address[op->detail[0]]);
  return op + 1;
}
const Operation* move_from_rpc(Warp& w, const Operation* op) {
  blend(begin(w, op), w.return_address[op->detail[0]], w.row(op->d));
  return op + 1;
}

// -------------------------------------------------------------------------------------------- barriers

const Operation* bar(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  if (mask != w.active) {
    w.splits.push_back({op + 1, w.active & ~mask, Split::Wait::none, 0});
    w.active = mask;
  }
  std::uint32_t number = op->immediate[0], threads = op->immediate[1];
  const unsigned lane = first_lane(mask);
  const std::uint32_t value = w.row(op->b)[lane];
  if (op->detail[0] & 1) number = value & (op->detail[0] & 2 ? 0xf : ~0u);
  if (op->detail[0] & 2) threads = op->detail[0] & 1 ? value >> 16 : value;
  if (number > 15) return raise_fault(w, op, Fault::Kind::trap, lane, number, "a block barrier number above 15");
  const bool arrive = (op->detail[0] & 4) != 0;
  publish_sync(w, {op->instruction, SyncEvent::Kind::block_barrier, mask, number, !arrive});
  return block_barrier(w, op + 1, number, threads, !arrive, static_cast<BarrierState::Reduction>(op->detail[1]),
                       predicate_in(w, op, 0));
}

const Operation* b2r_result(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  alignas(64) std::uint32_t row[32];
  for (std::uint32_t& value : row) value = w.reduction;
  blend(mask, row, w.row(op->d));
  set_predicate(w, op, 0, mask, w.reduction != 0 ? all_lanes : 0);
  return op + 1;
}

// ---------------------------------------------------------------------------------------------- others

/// What the compiler leaves of __syncwarp() where it knows that the lanes are together: nvcc 13 writes a NOP for each, for
/// sm_75 to sm_90, and none elsewhere but behind the code. The mask is lost: those that execute it count as named.
const Operation* nop(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask != 0) publish_sync(w, {op->instruction, SyncEvent::Kind::warp_sync, mask, mask | ~w.live});
  return op + 1;
}

/// Everything whose effect the machine has anyway: cache control, dependent-launch hints.
const Operation* nothing(Warp& w, const Operation* op) {
  begin(w, op);
  return op + 1;
}

/// Fences and the groups of asynchronous copies: a worker does all in order, and workers see each other's stores in order,
/// but for a load after a store; observers learn of them.
/// immediate[0]: SyncEvent::number.
template <SyncEvent::Kind kind>
const Operation* orders(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  if constexpr (kind == SyncEvent::Kind::fence) std::atomic_thread_fence(std::memory_order_seq_cst);
  publish_sync(w, {op->instruction, kind, mask, op->immediate[0]});
  return op + 1;
}

const Operation* gives_registers(Warp& w, const Operation* op) {
  if (begin(w, op) != 0) w.predicates[op->predicate_out[0]] = all_lanes;
  return op + 1;
}

const Operation* trap(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  return raise_fault(w, op, Fault::Kind::trap, first_lane(mask), 0, "the kernel executed a trap");
}

std::int64_t relative_offset(const Lowering& l) {
  const std::int64_t high = l.word.signed_bits(34, 82);
  return l.facts->long_branch_offsets ? ((high << 8) | static_cast<std::int64_t>(l.bits(16, 24))) * 4 : high * 4;
}

std::int64_t relative_target(const Lowering& l) {
  return static_cast<std::int64_t>(l.address) + 16 + relative_offset(l);
}

std::uint64_t absolute_target(const Lowering& l) {
  const std::uint64_t high = l.bits(34, 82);
  return l.facts->long_branch_offsets ? ((high << 8) | l.bits(16, 24)) * 4 : high * 4;
}

void set_base(Lowering& l, std::uint64_t address) {
  l.op.immediate[0] = static_cast<std::uint32_t>(address);
  l.op.immediate[1] = static_cast<std::uint32_t>(address >> 32);
}

/// JMP and CALL.ABS: to an address, or to an offset from a uniform pair.
void lower_absolute(Lowering& l) {
  l.predicate_source(0, 87);
  if (l.bit(91)) {
    if (l.bit(30)) l.unsupported = "a jump by the complement of a uniform register";
    l.op.uniform = static_cast<std::uint8_t>(l.bits(24, 30));
    l.op.detail[0] = 1;
    set_base(l, static_cast<std::uint64_t>(relative_offset(l)));
  } else {
    set_base(l, absolute_target(l));
  }
  l.op.execute = &branch_absolute;
}

}  // namespace

void lower_BRA(Lowering& l) {
  l.predicate_source(0, 87);
  l.target = relative_target(l);
  if (l.bits(0, 12) == 0x547) {
    l.predicate_source(1, 24, true);
    if (l.bit(84)) l.unsupported = "BRA.U.ANY on a uniform predicate";
    if (l.bits(32, 34) != 1) l.unsupported = "a branch on a uniform predicate in this form";
    l.op.execute = &branch_uniform;
    return;
  }
  const unsigned mode = unsigned(l.bits(32, 34));  // 1 .U, 2 .DIV, 3 .CONV
  if (mode == 1) {
    l.op.execute = l.bit(84) ? &branch_any : &branch_all;
  } else if (mode >= 2) {
    l.op.uniform = static_cast<std::uint8_t>(l.bits(24, 30));
    l.op.detail[0] = l.bit(91) ? 1 : 0;
    l.op.execute = mode == 2 ? &branch_divergent<true> : &branch_divergent<false>;
  } else {
    l.op.execute = &branch;
  }
}

void lower_BRX(Lowering& l) {
  l.predicate_source(0, 87);
  set_base(l, l.code_address + static_cast<std::uint64_t>(relative_target(l)));
  if (l.bits(0, 12) == 0x958) {
    l.op.uniform = static_cast<std::uint8_t>(l.bits(24, 30));
    l.op.execute = &branch_uniform_register;
    return;
  }
  l.op.a = l.a(2);
  l.op.execute = &branch_register;
}

void lower_RET(Lowering& l) {
  l.predicate_source(0, 87);
  if (l.bit(91)) {
    l.unsupported = "a return through a uniform register";
    return;
  }
  l.op.a = l.a(2);
  if (!l.bit(85)) set_base(l, l.code_address + static_cast<std::uint64_t>(relative_target(l)));
  l.op.execute = &branch_register;
}

void lower_CALL(Lowering& l) {
  l.predicate_source(0, 87);
  switch (l.bits(0, 12)) {
    case 0x944:
      l.target = relative_target(l);
      l.op.execute = &branch;
      break;
    case 0x943:
      lower_absolute(l);
      break;
    case 0x343:  // absolute, by register pair
    case 0x344:  // relative to this piece of code, by register pair
      l.op.a = l.a(2);
      if (l.bits(0, 12) == 0x344) set_base(l, l.code_address + static_cast<std::uint64_t>(relative_target(l)));
      l.op.execute = &branch_register;
      break;
    default:
      l.unsupported = "a call of this form";
  }
}

void lower_JMP(Lowering& l) {
  lower_absolute(l);
  // A uniform register is no address here (measured): it names lanes, as for BRA.
  if (l.bit(91) || l.bits(32, 34) >= 2) l.unsupported = "a jump that depends on which lanes are here";
}

/// JMX, JMXU: to a register pair plus an offset.
void lower_JMX(Lowering& l) {
  l.predicate_source(0, 87);
  set_base(l, static_cast<std::uint64_t>(relative_offset(l)));
  if (l.bits(0, 12) == 0x959) {
    l.op.uniform = static_cast<std::uint8_t>(l.bits(24, 30));
    l.op.execute = &branch_uniform_register;
    return;
  }
  l.op.a = l.a(2);
  l.op.execute = &branch_register;
}

void lower_LEPC(Lowering& l) {
  l.op.d = l.d(2);
  std::uint64_t address = l.code_address + l.address;
  // 94e has an operand, a byte offset from the next instruction: the address of that label.
  if (l.bits(0, 12) == 0x94e) address += 16 + static_cast<std::uint64_t>(l.word.signed_bits(24, 64));
  set_base(l, address);
  l.op.execute = &load_pc;
}

void lower_EXIT(Lowering& l) {
  l.predicate_source(0, 87);
  l.op.execute = &exit_;
}

void lower_BSSY(Lowering& l) {
  l.predicate_source(0, 87);
  l.op.detail[0] = static_cast<std::uint8_t>(l.bits(16, 20));
  l.op.execute = &bssy;
}

void lower_BSYNC(Lowering& l) {
  l.predicate_source(0, 87);
  l.op.detail[0] = static_cast<std::uint8_t>(l.bits(16, 20));
  l.op.execute = &bsync;
}

void lower_BREAK(Lowering& l) {
  l.predicate_source(0, 87);
  l.op.detail[0] = static_cast<std::uint8_t>(l.bits(16, 20));
  l.op.execute = &break_;
}

void lower_BMOV(Lowering& l) {
  if (l.bits(28, 30) != 0) {
    const auto which = unsigned(l.bits(24, 30));
    if (l.bits(0, 12) == 0x355 && (which == 24 || which == 26) && !l.bit(84)) {  // MEXITED, MACTIVE
      l.op.d = l.d();
      l.op.detail[0] = which == 26 ? 1 : 0;
      l.op.execute = &bmov_mask;
      return;
    }
    l.unsupported = "a move of the warp's own masks";
    return;
  }
  l.op.detail[0] = static_cast<std::uint8_t>(l.bits(24, 28));
  if (l.bits(0, 12) == 0x355) {
    l.op.d = l.d();
    l.op.detail[1] = l.bit(84) ? 1 : 0;
    l.op.execute = &bmov_to_register;
  } else if (l.bits(0, 12) == 0x356) {
    l.op.b = l.source(unsigned(l.bits(32, 40)));
    l.op.execute = &bmov_from_register;
  } else {
    l.op.immediate[0] = std::uint32_t(l.bits(32, 64));
    l.op.uniform = static_cast<std::uint8_t>(l.bits(32, 38));
    l.op.detail[1] = l.bits(0, 12) == 0xd56 ? 1 : 0;
    l.op.execute = &bmov_from_scalar;
  }
}

void lower_WARPSYNC(Lowering& l) {
  l.predicate_source(0, 87);
  l.op.execute = &warpsync;
  const bool collective = l.bit(86);
  if (l.bits(0, 12) == 0x948) {
    l.op.immediate[0] = l.facts->architecture >= 90 ? all_lanes : std::uint32_t(l.bits(32, 64));
  } else {
    l.op.detail[0] = 1;
    l.op.a = l.a();
  }
  if (collective) l.target = relative_target(l);
}

void lower_ENDCOLLECTIVE(Lowering& l) { l.op.execute = &endcollective; }
void lower_YIELD(Lowering& l) { l.op.execute = &yield; }

void lower_NANOSLEEP(Lowering& l) {
  const unsigned opcode = unsigned(l.bits(0, 12));
  if (opcode == 0x95d) l.op.immediate[0] = static_cast<std::uint32_t>(l.bits(32, 64));
  if (opcode == 0x35d) {
    l.op.b = l.source(unsigned(l.bits(32, 40)));
    l.op.detail[0] = 1;
  }
  l.op.execute = l.bit(83) ? &nothing : &nanosleep;
}

void lower_BAR(Lowering& l) {
  l.predicate_source(0, 87);
  l.op.immediate[0] = std::uint32_t(l.bits(54, 58));
  l.op.immediate[1] = std::uint32_t(l.bits(42, 54));
  const unsigned opcode = unsigned(l.bits(0, 12));
  // A register gives the number (51d), the thread count (91d), or both: count << 16 | number (31d).
  if (opcode == 0x31d || opcode == 0x51d) l.op.detail[0] |= 1;
  if (opcode == 0x31d || opcode == 0x91d) l.op.detail[0] |= 2;
  l.op.b = l.op.detail[0] != 0 ? l.source(unsigned(l.bits(32, 40))) : l.register_count;
  const unsigned mode = unsigned(l.bits(77, 79));
  if (mode == 1) l.op.detail[0] |= 4;
  if (mode == 2) {
    const unsigned reduction = unsigned(l.bits(74, 76));
    l.op.detail[1] = static_cast<std::uint8_t>(reduction == 0   ? BarrierState::Reduction::popc
                                               : reduction == 1 ? BarrierState::Reduction::all
                                                                : BarrierState::Reduction::any);
    if (reduction == 3) l.unsupported = "a barrier reduction of this kind";
  }
  if (mode == 3) l.unsupported = "BAR.SCAN";
  l.op.execute = &bar;
}

void lower_B2R(Lowering& l) {
  if (!l.bit(78)) {
    l.unsupported = "B2R without .RESULT";
    return;
  }
  l.op.d = l.d();
  l.op.predicate_out[0] = Lowering::predicate_destination(unsigned(l.bits(81, 84)));
  l.op.execute = &b2r_result;
}

void lower_RPCMOV(Lowering& l) {
  l.op.detail[0] = l.bit(31) ? 1 : 0;
  if (l.bits(0, 12) == 0x353) {
    l.op.d = l.d();
    l.op.execute = &move_from_rpc;
  } else {
    l.op.b = l.source(unsigned(l.bits(32, 40)));
    l.op.execute = &move_to_rpc;
  }
}

/// USETMAXREG.TRY_ALLOC: every warp has the registers that it may ask for.
void lower_USETMAXREG(Lowering& l) {
  l.op.predicate_out[0] = Lowering::uniform_predicate_destination(unsigned(l.bits(81, 84)));
  l.op.execute = &gives_registers;
}

void lower_PMTRIG(Lowering& l) { l.op.execute = &nothing; }
void lower_NOP(Lowering& l) { l.op.execute = &nop; }
void lower_BPT(Lowering& l) { l.op.execute = &trap; }
void lower_MEMBAR(Lowering& l) {
  l.op.execute = &orders<SyncEvent::Kind::fence>;
  l.op.immediate[0] = l.bits(76, 79) >= 2;  // GPU, SYS
}
void lower_FENCE(Lowering& l) { l.op.execute = &nothing; }
void lower_ERRBAR(Lowering& l) { l.op.execute = &nothing; }
void lower_CCTL(Lowering& l) { l.op.execute = &nothing; }

void lower_DEPBAR(Lowering& l) {
  // Copies have scoreboard 0. The forms without .LE wait for all that the mask names.
  const bool counts = l.bit(47), of_copies = counts ? l.bits(44, 47) == 0 : l.bit(32);
  l.op.immediate[0] = counts ? std::uint32_t(l.bits(38, 44)) : 0;
  l.op.execute = of_copies ? &orders<SyncEvent::Kind::copies_awaited> : &nothing;
}

void lower_LDGDEPBAR(Lowering& l) { l.op.execute = &orders<SyncEvent::Kind::copies_committed>; }
void lower_ACQBULK(Lowering& l) { l.op.execute = &nothing; }
void lower_PREEXIT(Lowering& l) { l.op.execute = &nothing; }

}  // namespace lanebank::machine::LANEBANK_SIMD
