#if defined(__x86_64__)
#include "machine/fuse/run_compiler.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "machine/launch_state.hpp"

namespace lanebank::machine::fuse {

using namespace Xbyak;

namespace {

bool is_never(const Operation& op) { return (op.guard == 7 || op.guard == 15) && op.guard_flip != 0; }

}  // namespace

RunCompiler::RunCompiler(std::span<const Operation> operations, std::span<const Fused> fused, std::uint16_t zero_row,
                         std::size_t slots)
    : CodeGenerator(16384, AutoGrow), operations_(operations), fused_(fused), zero_row_(zero_row), slots_(slots) {}

bool RunCompiler::compiles(const Operation& op, const Fused& fused) {
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

// ------------------------------------------------------------------------------------------------ slots

int RunCompiler::find(int key) const {
  const auto found = std::ranges::find(slots_, key, &Slot::key);
  return found == slots_.end() ? -1 : static_cast<int>(found - slots_.begin());
}

void RunCompiler::write_back(int slot) {
  if (slot_at(slot).key >= 0 && slot_at(slot).dirty) store(slot);
  free_slot(slot);
}

void RunCompiler::write_all() {
  for (int i = 0; i < static_cast<int>(slots_.size()); ++i) write_back(i);
}

int RunCompiler::take_slot() {
  const auto is_better = [](const Slot& a, const Slot& b) {
    if ((a.key == nothing) != (b.key == nothing)) return a.key == nothing;
    return a.next != b.next ? a.next > b.next : a.used < b.used;
  };
  int best = -1;
  for (int i = 0; i < static_cast<int>(slots_.size()); ++i) {
    const Slot& slot = slot_at(i);
    if (slot.key == on_its_way || (slot.key >= 0 && slot.used == clock_)) continue;
    if (best < 0 || is_better(slot, slot_at(best))) best = i;
  }
  LANEBANK_CHECK(best >= 0, "no vector register is free");
  write_back(best);
  slot_at(best).key = on_its_way;
  return best;
}

int RunCompiler::fetch(int key) {
  const unsigned next = note_use(key);
  int slot = find(key);
  if (slot >= 0) {
    slot_at(slot).used = clock_;
    slot_at(slot).next = next;
    return slot;
  }
  slot = take_slot();
  slot_at(slot) = {key, false, clock_, next, false};
  load(slot);
  return slot;
}

void RunCompiler::hold(int slot, int key, bool flag) {
  const unsigned next = note_use(key);
  const int before = find(key);
  if (before >= 0) free_slot(before);
  slot_at(slot) = {key, true, clock_, next, flag};
}

// ------------------------------------------------------------------------------------------- operations

bool RunCompiler::is_uniform(FusedKind kind) {
  return (kind >= FusedKind::uniform_constant && kind <= FusedKind::uniform_move) || kind == FusedKind::special_uniform;
}

void RunCompiler::begin_operation(const CompiledRun& run, std::uint32_t n) {
  op_ = &operations_[run.first + n];
  form_ = &fused_[run.first + n];
  here_ = sizeof(Operation) * n;
  ++clock_;
}

void RunCompiler::emit() {
  switch (form_->kind) {
    case FusedKind::none:
      return;
    case FusedKind::sum:
      return emit_sum();
    case FusedKind::sum_carry:
      return emit_sum_carry();
    case FusedKind::multiply_add:
      return emit_multiply_add();
    case FusedKind::multiply_wide:
      return emit_multiply_wide();
    case FusedKind::scaled_sum:
      return emit_scaled_sum();
    case FusedKind::logic:
      return emit_logic();
    case FusedKind::shift:
      return emit_shift();
    case FusedKind::select:
      return emit_select();
    case FusedKind::move:
    case FusedKind::move_pair:
      return emit_move();
    case FusedKind::compare:
      return emit_compare();
    case FusedKind::minimum:
      return emit_minimum();
    case FusedKind::uniform_constant:
      return emit_uniform_constant();
    case FusedKind::uniform_sum:
    case FusedKind::uniform_scaled:
    case FusedKind::uniform_product:
    case FusedKind::uniform_logic:
    case FusedKind::uniform_shift:
    case FusedKind::uniform_move:
      return emit_uniform();
    case FusedKind::special:
      return emit_special();
    case FusedKind::special_uniform:
      return emit_special_uniform();
    case FusedKind::float_add:
    case FusedKind::float_multiply:
    case FusedKind::float_multiply_add:
      return emit_float_arithmetic();
    case FusedKind::float_compare:
      return emit_float_compare();
    case FusedKind::float_select:
      return emit_float_select();
  }
}

RegExp RunCompiler::thread_row() {
  const auto axis = std::size_t{form_->detail} - static_cast<std::size_t>(FusedSpecial::thread_x);
  mov(rax, ptr[rdi + offsetof(Warp, launch)]);
  mov(rax, ptr[rax + offsetof(LaunchState, thread_rows) + 8 * axis]);
  mov(ecx, dword[rdi + offsetof(Warp, thread_base)]);
  return rax + rcx * 4;
}

Address RunCompiler::block_word() {
  const auto which = static_cast<FusedSpecial>(form_->detail);
  mov(rax, ptr[rdi + offsetof(Warp, block)]);
  const std::size_t offset = which == FusedSpecial::cluster_rank
                                 ? offsetof(Block, cluster_rank)
                                 : offsetof(Block, index) + 4 * (static_cast<std::size_t>(which) -
                                                                 static_cast<std::size_t>(FusedSpecial::block_x));
  return dword[rax + offset];
}

// --------------------------------------------------------------------------------------------------- runs

void RunCompiler::compile(const CompiledRun& run) {
  const std::size_t number = runs.size();
  runs.push_back(run);
  entries_.push_back(getSize());
  forget_all();
  Label others;
  cmp(dword[rdi + offsetof(Warp, active)], -1);
  jne(others, T_NEAR);
  mov(rax, ptr[rdi + offsetof(Warp, run_counts)]);
  inc(qword[rax + 8 * number]);
  emit_body(run);
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
