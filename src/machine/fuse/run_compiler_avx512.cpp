#if defined(__x86_64__)
#include "machine/fuse/run_compiler_avx512.hpp"

namespace lanebank::machine::fuse {

using namespace Xbyak;

void RunCompilerAvx512::emit_body(const CompiledRun& run) {
  mov(r8, ptr[rdi + offsetof(Warp, rows)]);
  vpternlogd(zmm31, zmm31, zmm31, 0xff);
  vpsrld(zmm30, zmm31, 1);
  for (std::uint32_t i = 0; i < run.count; ++i) {
    begin_operation(run, i);
    load_guard();
    emit();
  }
  write_all();
}

Address RunCompilerAvx512::row_at(int number, int half) {
  return ptr[r8 + row_bytes * static_cast<std::size_t>(number) + static_cast<std::size_t>(64 * half)];
}

void RunCompilerAvx512::load(int slot) {
  for (int h = 0; h < 2; ++h) vmovdqa32(Pair{slot}.half(h), row_at(slot_at(slot).key, h));
}

void RunCompilerAvx512::store(int slot) {
  for (int h = 0; h < 2; ++h) vmovdqa32(row_at(slot_at(slot).key, h), Pair{slot}.half(h));
}

// ------------------------------------------------------------------------------------ operands and results

Source RunCompilerAvx512::source(From from, unsigned row_number, unsigned which) {
  Source result;
  if (from == From::row) {
    result.is_row = true;
    result.pair = row(row_number + which);
  } else if (from == From::immediate) {
    result.offset = immediate_offset(which);
  } else {
    result.in_warp = true;
    result.offset = uniform_offset(op_->uniform + which);
  }
  return result;
}

const Operand& RunCompilerAvx512::operand(const Source& source, int half) {
  if (source.is_row) return zmm_ = source.pair.half(half);
  return address_ = source.in_warp ? ptr_b[rdi + source.offset] : ptr_b[rsi + source.offset];
}

void RunCompilerAvx512::copy(Pair to, const Source& from) {
  for (int h = 0; h < 2; ++h) {
    if (from.is_row)
      vmovdqa32(to.half(h), from.pair.half(h));
    else
      vpbroadcastd(to.half(h), from.in_warp ? ptr[rdi + from.offset] : ptr[rsi + from.offset]);
  }
}

Pair RunCompilerAvx512::vectors(const Source& source, bool own) {
  if (source.is_row && !own) return source.pair;
  const Pair pair = take();
  copy(pair, source);
  return pair;
}

void RunCompilerAvx512::finish(unsigned row_number, Pair value) {
  if (is_sink(row_number)) return give(value);
  if (!guarded_) return hold(value.number, static_cast<int>(row_number));
  const Pair old = row(row_number);
  for (int h = 0; h < 2; ++h) vmovdqa32(old.half(h) | Opmask(1 + h), value.half(h));
  slot_at(old.number).dirty = true;
  give(value);
}

// -------------------------------------------------------------------------------------------- predicates

void RunCompilerAvx512::load_guard() {
  guarded_ = !is_always(*op_);
  if (!guarded_) return;
  mov(r9d, predicate(op_->guard));
  if (op_->guard_flip != 0) not_(r9d);
  popcnt(ecx, r9d);
  mov(rax, ptr[rdi + offsetof(Warp, counts)]);
  add(qword[rax + threads_offset(*op_)], rcx);
  kmovd(k1, r9d);
  kshiftrd(k2, k1, 16);
}

void RunCompilerAvx512::load_predicate(unsigned number, std::uint32_t flip, int low, bool inverted) {
  mov(eax, predicate(number));
  if ((flip != 0) != inverted) not_(eax);
  kmovd(Opmask(low), eax);
  kshiftrd(Opmask(low + 1), Opmask(low), 16);
}

void RunCompilerAvx512::join_masks(int low, int high) {
  kunpckwd(Opmask(low), Opmask(high), Opmask(low));
  kmovd(eax, Opmask(low));
}

void RunCompilerAvx512::set_predicate(unsigned number) {
  if (number == sink_predicate) return;
  if (!guarded_) {
    mov(predicate(number), eax);
    return;
  }
  mov(ecx, predicate(number));  // (ecx & ~guard) | (eax & guard)
  mov(edx, eax);
  xor_(edx, ecx);
  and_(edx, r9d);
  xor_(edx, ecx);
  mov(predicate(number), edx);
}

void RunCompilerAvx512::combine_and_set(unsigned combination, bool second) {
  mov(r10d, eax);
  mov(r11d, predicate(op_->predicate_in[0]));
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

void RunCompilerAvx512::ones_to(Pair target, int low) {
  for (int h = 0; h < 2; ++h) vpsubd(target.half(h) | Opmask(low + h), target.half(h), zmm31);
}

}  // namespace lanebank::machine::fuse
#endif
