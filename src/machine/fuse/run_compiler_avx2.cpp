#if defined(__x86_64__)
#include "machine/fuse/run_compiler_avx2.hpp"

#include <algorithm>

namespace lanebank::machine::fuse {

using namespace Xbyak;

namespace {

constexpr std::size_t pass_bytes = 32;
constexpr std::size_t slot_count = 15, most_kept = 32;
constexpr int largest_slot = 14;
const Ymm scratch(15);

}  // namespace

RunCompilerAvx2::RunCompilerAvx2(std::span<const Operation> operations, std::span<const Fused> fused,
                                 std::uint16_t zero_row)
    : RunCompiler(operations, fused, zero_row, slot_count) {
  L(constants_);
  const auto vector = [this](auto word) {
    for (unsigned lane = 0; lane < 8; ++lane) dd(word(lane));
  };
  vector([](unsigned) { return 0xffffffffu; });
  vector([](unsigned) { return 0u; });
  vector([](unsigned lane) { return 1u << lane; });
  vector([](unsigned) { return 0x80000000u; });
  vector([](unsigned) { return 0x7fffffffu; });
  vector([](unsigned) { return 0xff000000u; });
}

Address RunCompilerAvx2::constant(Constant which) {
  return ptr[rip + constants_ + static_cast<int>(pass_bytes) * static_cast<int>(which)];
}

// --------------------------------------------------------------------------------------------- segments

void RunCompilerAvx2::emit_body(const CompiledRun& run) {
  literals_.clear();
  for (std::uint32_t first = 0; first < run.count;) {
    const std::uint32_t end = plan_segment(run, first);
    emit_uniform_part(run, first, end);
    count_guards(run, first, end);
    emit_passes(run, first, end);
    first = end;
  }
}

std::uint32_t RunCompilerAvx2::plan_segment(const CompiledRun& run, std::uint32_t first) {
  kept_.clear();
  std::bitset<uniform_count + 1> read;  // as they are
  for (std::uint32_t n = first; n < run.count; ++n) {
    const Operation& op = operations_[run.first + n];
    const Fused& form = fused_[run.first + n];
    if (is_uniform(form.kind)) {
      const unsigned words = form.kind == FusedKind::uniform_constant ? 1u + form.detail : 1u;
      if (kept_.size() + words > most_kept) return n;
      for (unsigned number = op.d; number < op.d + words; ++number)
        if (read[number]) {
          kept_.push_back({number, n});
          read[number] = false;
        }
    } else if (form.b == From::uniform || form.c == From::uniform) {
      read[op.uniform] = read[op.uniform + 1u] = true;
    }
  }
  return run.count;
}

void RunCompilerAvx2::emit_uniform_part(const CompiledRun& run, std::uint32_t first, std::uint32_t end) {
  for (std::uint32_t n = first; n < end; ++n) {
    begin_operation(run, n);
    if (!is_uniform(form_->kind)) continue;
    for (std::size_t i = 0; i < kept_.size(); ++i)
      if (kept_[i].before == n) {
        mov(eax, dword[rdi + uniform_offset(kept_[i].number)]);
        mov(kept_word(i), eax);
      }
    emit();
  }
}

int RunCompilerAvx2::uniform_word(unsigned number) const {
  for (std::size_t i = 0; i < kept_.size(); ++i)
    if (kept_[i].number == number && kept_[i].before > operation_number()) return kept_key + static_cast<int>(i);
  return uniform_key + static_cast<int>(number);
}

Address RunCompilerAvx2::kept_word(std::size_t n) { return dword[rsp - 4 * static_cast<int>(n + 1)]; }

void RunCompilerAvx2::count_guards(const CompiledRun& run, std::uint32_t first, std::uint32_t end) {
  // Lanes of a guard that the segment has not set when it asks for it are counted here, those of others in each pass.
  std::bitset<predicate_count> changed;
  std::vector<const Operation*> guarded;
  for (std::uint32_t n = first; n < end; ++n) {
    const Operation& op = operations_[run.first + n];
    if (!is_always(op) && !changed[op.guard]) guarded.push_back(&op);
    for (const std::uint8_t out : op.predicate_out) changed[out] = true;
  }
  if (guarded.empty()) return;
  const auto which = [](const Operation* op) { return std::pair(op->guard, op->guard_flip); };
  std::ranges::stable_sort(guarded, {}, which);
  mov(rax, ptr[rdi + offsetof(Warp, counts)]);
  for (std::size_t i = 0; i < guarded.size(); ++i) {
    if (i == 0 || which(guarded[i]) != which(guarded[i - 1])) {
      mov(ecx, dword[rdi + predicate_offset(guarded[i]->guard)]);
      if (guarded[i]->guard_flip != 0) not_(ecx);
      popcnt(ecx, ecx);
    }
    add(qword[rax + threads_offset(*guarded[i])], rcx);
  }
}

void RunCompilerAvx2::emit_passes(const CompiledRun& run, std::uint32_t first, std::uint32_t end) {
  const auto forms = fused_.subspan(run.first + first, end - first);
  if (std::ranges::all_of(forms, [](const Fused& form) { return is_uniform(form.kind); })) return;
  const std::size_t begin = getSize();
  uses_.clear();
  planning_ = true;
  emit_pass(run, first, end);
  planning_ = false;
  setSize(begin);

  mov(r8, ptr[rdi + offsetof(Warp, rows)]);
  mov(r9, rdi);
  xor_(r10d, r10d);
  align(16);
  Label pass;
  L(pass);
  emit_pass(run, first, end);
  Label repair, repaired, done;
  if (raw_.any()) {
    const Ymm largest(largest_slot);
    vpmaxud(largest, largest, constant(Constant::doubled_infinity));
    vpcmpeqd(largest, largest, constant(Constant::doubled_infinity));
    vmovmskps(eax, largest);
    cmp(eax, 0xff);
    jne(repair, T_NEAR);
    L(repaired);
  }
  inc(r9);
  add(r8, pass_bytes);
  add(r10d, pass_bytes);
  cmp(r10d, row_bytes);
  jb(pass);
  if (raw_.none()) return;
  jmp(done, T_NEAR);
  L(repair);
  for (std::size_t number = 0; number < raw_.size(); ++number)
    if (raw_[number]) {
      vmovdqa(ymm0, ptr[r8 + row_bytes * number]);
      make_canonical(ymm0);
      vmovdqa(ptr[r8 + row_bytes * number], ymm0);
    }
  jmp(repaired, T_NEAR);
  L(done);
}

void RunCompilerAvx2::emit_pass(const CompiledRun& run, std::uint32_t first, std::uint32_t end) {
  set_.reset();
  raw_.reset();
  const auto makes_floats = [](const Fused& form) {
    return form.kind >= FusedKind::float_add && form.kind <= FusedKind::float_multiply_add;
  };
  if (std::ranges::any_of(fused_.subspan(run.first + first, end - first), makes_floats)) {
    slot_at(largest_slot).key = on_its_way;
    vpxor(Ymm(largest_slot), Ymm(largest_slot), Ymm(largest_slot));
  }
  for (std::uint32_t n = first; n < end; ++n) {
    begin_operation(run, n);
    if (is_uniform(form_->kind)) continue;
    load_guard();
    emit();
    if (guarded_) release(guard_);
    for (const std::uint8_t out : op_->predicate_out) set_[out] = true;
  }
  write_all();
}

unsigned RunCompilerAvx2::note_use(int key) {
  if (planning_) uses_[key].push_back(operation_number());
  return next_use(key);
}

unsigned RunCompilerAvx2::next_use(int key) const {
  if (planning_) return 0;
  const auto uses = uses_.find(key);
  if (uses == uses_.end()) return never;
  const auto next = std::ranges::upper_bound(uses->second, operation_number());
  return next == uses->second.end() ? never : *next;
}

// ---------------------------------------------------------------------------------------- rows and words

void RunCompilerAvx2::load(int slot) {
  const Ymm to(slot);
  const int key = slot_at(slot).key;
  if (key >= literal_key) {
    vpbroadcastd(to, ptr[rsi + literals_[static_cast<std::size_t>(key - literal_key)].offset]);
  } else if (key >= immediate_key) {
    const auto which = static_cast<std::size_t>(key - immediate_key);
    vpbroadcastd(to, ptr[rsi + sizeof(Operation) * (which / 2) + offsetof(Operation, immediate) + 4 * (which % 2)]);
  } else if (key >= kept_key) {
    vpbroadcastd(to, kept_word(static_cast<std::size_t>(key - kept_key)));
  } else if (key >= uniform_key) {
    vpbroadcastd(to, ptr[rdi + uniform_offset(static_cast<unsigned>(key - uniform_key))]);
  } else if (key >= predicate_key) {
    vpbroadcastb(to, byte[r9 + predicate_offset(static_cast<unsigned>(key - predicate_key))]);
    vpand(to, to, constant(Constant::lane_bits));
    vpcmpeqd(to, to, constant(Constant::lane_bits));
  } else if (key >= zero_row_) {
    vpxor(to, to, to);
  } else {
    vmovdqa(to, ptr[r8 + row_bytes * static_cast<std::size_t>(key)]);
    slot_at(slot).flag = raw_[static_cast<std::size_t>(key)];
  }
}

void RunCompilerAvx2::store(int slot) {
  const Ymm from(slot);
  const Slot& held = slot_at(slot);
  if (held.key >= predicate_key) {
    vmovmskps(eax, from);
    if (held.flag) not_(eax);
    mov(byte[r9 + predicate_offset(static_cast<unsigned>(held.key - predicate_key))], al);
    return;
  }
  const auto number = static_cast<std::size_t>(held.key);
  raw_[number] = held.flag;
  if (held.flag) {
    vpaddd(scratch, from, from);
    vpmaxud(Ymm(largest_slot), Ymm(largest_slot), scratch);
  }
  vmovdqa(ptr[r8 + row_bytes * number], from);
}

void RunCompilerAvx2::make_canonical(const Ymm& value) {
  vcmpunordps(scratch, value, value);
  vblendvps(value, value, constant(Constant::magnitude), scratch);
}

Ymm RunCompilerAvx2::float_row(unsigned number) { return Ymm(fetch(static_cast<int>(number))); }

Ymm RunCompilerAvx2::row(unsigned number) {
  const int slot = fetch(static_cast<int>(number));
  if (slot_at(slot).flag) make_canonical(Ymm(slot));
  slot_at(slot).flag = false;
  return Ymm(slot);
}

Ymm RunCompilerAvx2::operand(From from, unsigned row_number, unsigned which) {
  if (from == From::row) return row(row_number + which);
  if (from == From::uniform) return Ymm(fetch(uniform_word(op_->uniform + which)));
  if (!form_->literal || which != 0)
    return Ymm(fetch(immediate_key + static_cast<int>(2 * operation_number() + which)));
  auto known = std::ranges::find(literals_, op_->immediate[0], &Literal::value);
  if (known == literals_.end()) known = literals_.insert(known, {op_->immediate[0], immediate_offset(0)});
  return Ymm(fetch(literal_key + static_cast<int>(known - literals_.begin())));
}

Ymm RunCompilerAvx2::float_operand(From from, unsigned row_number) {
  return from == From::row ? float_row(row_number) : operand(from, row_number);
}

bool RunCompilerAvx2::is_read_once(From from, unsigned row_number) {
  const int key = static_cast<int>(row_number);
  if (from != From::row || planning_ || row_number >= zero_row_ || find(key) >= 0) return false;
  return next_use(key) == never;
}

RunCompilerAvx2::Last RunCompilerAvx2::last_operand(From from, unsigned row_number) {
  if (is_read_once(from, row_number) && !raw_[row_number]) return Last(ptr[r8 + row_bytes * row_number]);
  return Last(operand(from, row_number));
}

RunCompilerAvx2::Last RunCompilerAvx2::last_float_operand(From from, unsigned row_number) {
  if (is_read_once(from, row_number)) return Last(ptr[r8 + row_bytes * row_number]);
  return Last(float_operand(from, row_number));
}

Ymm RunCompilerAvx2::to_change(const Ymm& value) {
  Slot& slot = slot_at(value.getIdx());
  const bool overwritten = !guarded_ && !is_sink(op_->d) && slot.key == static_cast<int>(op_->d);
  if (overwritten || (!slot.dirty && slot.next == never)) {
    slot = {};
    slot.key = on_its_way;
    return value;
  }
  const Ymm copy = take();
  vmovaps(copy, value);
  return copy;
}

void RunCompilerAvx2::finish(unsigned row_number, const Ymm& value, bool any_nan) {
  if (is_sink(row_number)) return give(value);
  if (guarded_) {
    if (any_nan) make_canonical(value);
    any_nan = false;
    blend(value, guard_, value, row(row_number));
  }
  hold(value.getIdx(), static_cast<int>(row_number), any_nan);
}

}  // namespace lanebank::machine::fuse
#endif
