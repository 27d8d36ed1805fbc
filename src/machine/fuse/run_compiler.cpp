#if defined(__x86_64__)
#include "machine/fuse/run_compiler.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace lanebank::machine::fuse {

using namespace Xbyak;

namespace {

constexpr std::size_t row_bytes = 128;
constexpr int on_its_way = -2;

bool is_never(const Operation& op) { return (op.guard == 7 || op.guard == 15) && op.guard_flip != 0; }

}  // namespace

RunCompiler::RunCompiler(std::span<const Operation> operations, std::span<const Fused> fused, std::uint16_t zero_row)
    : CodeGenerator(16384, AutoGrow), operations_(operations), fused_(fused), zero_row_(zero_row) {}

bool RunCompiler::compiles(const Operation& op, const Fused& fused) const {
  if (is_never(op)) return false;
  const bool first = op.predicate_out[0] != sink_predicate, second = op.predicate_out[1] != sink_predicate;
  switch (fused.kind) {
    case FusedKind::none:
      return false;
    case FusedKind::sum_carry: {
      // One carry in at most, and one carry out; a negated operand without .X adds one.
      const bool in1 = fused.detail != 0 && !(op.predicate_in[1] == 7 && op.predicate_in_flip[1] != 0) &&
                       !(op.predicate_in[1] == 15 && op.predicate_in_flip[1] != 0);
      return !second && !in1 && !(fused.detail != 0 && first) && op.detail[0] <= 1;
    }
    case FusedKind::scaled_sum:
      return fused.c == From::row || fused.detail != 0;
    case FusedKind::shift:
      return fused.c == From::row;
    case FusedKind::uniform_constant:
      return is_always(op) && op.detail[1] == 0;  // whole words
    case FusedKind::uniform_sum:
    case FusedKind::uniform_scaled:
    case FusedKind::uniform_product:
    case FusedKind::uniform_logic:
    case FusedKind::uniform_shift:
    case FusedKind::uniform_move:
      return is_always(op);
    case FusedKind::special_uniform:
      return is_always(op) && fused.detail >= static_cast<unsigned>(FusedSpecial::block_x);
    default:
      return true;
  }
}

// ------------------------------------------------------------------------------------------------- rows

Address RunCompiler::row_at(unsigned number, int half) {
  return ptr[r8 + row_bytes * number + static_cast<std::size_t>(64 * half)];
}

void RunCompiler::write_back(Slot& slot, int number) {
  if (slot.row >= 0 && slot.dirty)
    for (int h = 0; h < 2; ++h) vmovdqa32(row_at(static_cast<unsigned>(slot.row), h), Pair{number}.half(h));
  slot = {};
}

void RunCompiler::write_all() {
  for (int i = 0; i < pair_count; ++i) write_back(slots_[static_cast<std::size_t>(i)], i);
}

Pair RunCompiler::take() {
  int best = -1;
  for (int i = 0; i < pair_count; ++i) {
    const Slot& slot = slots_[static_cast<std::size_t>(i)];
    if (slot.row == on_its_way || (slot.row >= 0 && slot.used == clock_)) continue;
    if (best < 0 || (slot.row == -1 && slots_[static_cast<std::size_t>(best)].row != -1) ||
        ((slot.row == -1) == (slots_[static_cast<std::size_t>(best)].row == -1) &&
         slot.used < slots_[static_cast<std::size_t>(best)].used))
      best = i;
  }
  LANEBANK_CHECK(best >= 0, "no vector register is free");
  write_back(slots_[static_cast<std::size_t>(best)], best);
  slots_[static_cast<std::size_t>(best)].row = on_its_way;
  return {best};
}

void RunCompiler::give(Pair pair) { slots_[static_cast<std::size_t>(pair.number)] = {}; }

Pair RunCompiler::row(unsigned number) {
  for (int i = 0; i < pair_count; ++i) {
    Slot& slot = slots_[static_cast<std::size_t>(i)];
    if (slot.row != static_cast<int>(number)) continue;
    slot.used = clock_;
    return {i};
  }
  const Pair pair = take();
  for (int h = 0; h < 2; ++h) vmovdqa32(pair.half(h), row_at(number, h));
  slots_[static_cast<std::size_t>(pair.number)] = {static_cast<int>(number), false, clock_};
  return pair;
}

// ------------------------------------------------------------------------------------ operands and results

Source RunCompiler::source(From from, unsigned row_number, unsigned which) {
  Source result;
  if (from == From::row) {
    result.is_row = true;
    result.pair = row(row_number + which);
  } else if (from == From::immediate) {
    result.offset = here_ + offsetof(Operation, immediate) + 4 * std::size_t{which};
  } else {
    result.in_warp = true;
    result.offset = offsetof(Warp, uniform) + 4 * (std::size_t{op_->uniform} + which);
  }
  return result;
}

const Operand& RunCompiler::operand(const Source& source, int half) {
  if (source.is_row) return zmm_ = source.pair.half(half);
  return address_ = source.in_warp ? ptr_b[rdi + source.offset] : ptr_b[rsi + source.offset];
}

void RunCompiler::copy(Pair to, const Source& from) {
  for (int h = 0; h < 2; ++h) {
    if (from.is_row)
      vmovdqa32(to.half(h), from.pair.half(h));
    else
      vpbroadcastd(to.half(h), from.in_warp ? ptr[rdi + from.offset] : ptr[rsi + from.offset]);
  }
}

Pair RunCompiler::vectors(const Source& source, bool own) {
  if (source.is_row && !own) return source.pair;
  const Pair pair = take();
  copy(pair, source);
  return pair;
}

void RunCompiler::finish(unsigned row_number, Pair value) {
  if (is_sink(row_number)) return give(value);
  int held = -1;
  for (int i = 0; i < pair_count; ++i)
    if (slots_[static_cast<std::size_t>(i)].row == static_cast<int>(row_number)) held = i;
  if (!guarded_) {
    if (held >= 0) slots_[static_cast<std::size_t>(held)] = {};
    slots_[static_cast<std::size_t>(value.number)] = {static_cast<int>(row_number), true, clock_};
    return;
  }
  const Pair old = row(row_number);
  for (int h = 0; h < 2; ++h) vmovdqa32(old.half(h) | Opmask(1 + h), value.half(h));
  slots_[static_cast<std::size_t>(old.number)].dirty = true;
  give(value);
}

// -------------------------------------------------------------------------------------------- predicates

Address RunCompiler::predicate_at(unsigned number) {
  return dword[rdi + offsetof(Warp, predicates) + 4 * std::size_t{number}];
}

void RunCompiler::load_guard() {
  guarded_ = !is_always(*op_);
  if (!guarded_) return;
  mov(r9d, predicate_at(op_->guard));
  if (op_->guard_flip != 0) not_(r9d);
  popcnt(ecx, r9d);
  mov(rax, ptr[rdi + offsetof(Warp, counts)]);
  add(qword[rax + sizeof(Count) * op_->instruction + offsetof(Count, threads)], rcx);
  kmovd(k1, r9d);
  kshiftrd(k2, k1, 16);
}

void RunCompiler::load_predicate(unsigned number, std::uint32_t flip, int low, bool inverted) {
  mov(eax, predicate_at(number));
  if ((flip != 0) != inverted) not_(eax);
  kmovd(Opmask(low), eax);
  kshiftrd(Opmask(low + 1), Opmask(low), 16);
}

void RunCompiler::join_masks(int low, int high) {
  kunpckwd(Opmask(low), Opmask(high), Opmask(low));
  kmovd(eax, Opmask(low));
}

void RunCompiler::set_predicate(unsigned number) {
  if (number == sink_predicate) return;
  if (!guarded_) {
    mov(predicate_at(number), eax);
    return;
  }
  mov(ecx, predicate_at(number));  // (ecx & ~guard) | (eax & guard)
  mov(edx, eax);
  xor_(edx, ecx);
  and_(edx, r9d);
  xor_(edx, ecx);
  mov(predicate_at(number), edx);
}

void RunCompiler::combine_and_set(unsigned combination, bool second) {
  mov(r10d, eax);
  mov(r11d, predicate_at(op_->predicate_in[0]));
  if (op_->predicate_in_flip[0] != 0) not_(r11d);
  const auto combined = [&] {
    if (combination == 0) and_(eax, r11d);
    if (combination == 1) or_(eax, r11d);
    if (combination == 2) xor_(eax, r11d);
  };
  combined();
  set_predicate(op_->predicate_out[0]);
  if (!second || op_->predicate_out[1] == sink_predicate) return;
  mov(eax, r10d);
  not_(eax);
  combined();
  set_predicate(op_->predicate_out[1]);
}

void RunCompiler::ones_to(Pair target, int low) {
  for (int h = 0; h < 2; ++h) vpsubd(target.half(h) | Opmask(low + h), target.half(h), zmm31);
}

// --------------------------------------------------------------------------------------------------- runs

void RunCompiler::compile(const CompiledRun& run) {
  const std::size_t number = runs.size();
  runs.push_back(run);
  entries_.push_back(getSize());
  slots_ = {};
  Label others;
  cmp(dword[rdi + offsetof(Warp, active)], -1);
  jne(others, T_NEAR);
  mov(rax, ptr[rdi + offsetof(Warp, run_counts)]);
  inc(qword[rax + 8 * number]);
  mov(r8, ptr[rdi + offsetof(Warp, rows)]);
  vpternlogd(zmm31, zmm31, zmm31, 0xff);
  vpsrld(zmm30, zmm31, 1);
  for (std::uint32_t i = 0; i < run.count; ++i) {
    op_ = &operations_[run.first + i];
    form_ = &fused_[run.first + i];
    here_ = sizeof(Operation) * i;
    ++clock_;
    load_guard();
    emit();
  }
  write_all();
  lea(rax, ptr[rsi + sizeof(Operation) * run.count]);
  vzeroupper();
  ret();
  L(others);
  mov(rax, reinterpret_cast<std::size_t>(operations_[run.first].execute));
  jmp(rax);
}

void RunCompiler::install(std::span<Operation> operations) {
  ready(PROTECT_RE);
  for (std::size_t i = 0; i < runs.size(); ++i)
    operations[runs[i].first].execute =
        reinterpret_cast<Execute>(reinterpret_cast<std::size_t>(getCode() + entries_[i]));
}

}  // namespace lanebank::machine::fuse
#endif
