// Code for the uniform datapath of runs: one word for the whole warp, in general registers.
#if defined(__x86_64__)
#include "machine/fuse/run_compiler.hpp"

namespace lanebank::machine::fuse {

using namespace Xbyak;

namespace {

constexpr unsigned uniform_zero = 63;
enum : std::uint8_t { all_uniform, b_literal, c_literal };  // Operation::detail[1], as lanes/uniform.cpp has it

}  // namespace

void RunCompiler::load_uniform(const Reg32& to, unsigned slot) {
  const unsigned number = slot == 0 ? op_->a : slot == 1 ? op_->b : op_->c;
  const bool literal = (slot == 1 && op_->detail[1] == b_literal) || (slot == 2 && op_->detail[1] == c_literal);
  if (literal)
    mov(to, op_->immediate[0]);
  else
    mov(to, dword[rdi + uniform_offset(number)]);
}

void RunCompiler::add_uniform(unsigned slot, bool negated) {
  load_uniform(ecx, slot);
  if (negated)
    sub(eax, ecx);
  else
    add(eax, ecx);
}

void RunCompiler::store_uniform(const Reg32& value) {
  if (op_->d != uniform_zero) mov(dword[rdi + uniform_offset(op_->d)], value);
}

void RunCompiler::emit_uniform_constant() {
  for (unsigned which = 0; which <= form_->detail; ++which) {
    const unsigned number = op_->d + which;
    if (op_->d == uniform_zero || number == uniform_zero) continue;
    mov(eax, ptr[rsi + immediate_offset(which)]);
    mov(dword[rdi + uniform_offset(number)], eax);
  }
}

void RunCompiler::emit_uniform() {
  const unsigned modifiers = op_->modifiers;
  switch (form_->kind) {
    case FusedKind::uniform_sum:
      // Negation is the complement and one more, for each negated operand.
      load_uniform(eax, 0);
      if (modifiers & 1) neg(eax);
      add_uniform(1, modifiers & 2);
      add_uniform(2, modifiers & 4);
      break;
    case FusedKind::uniform_scaled:
      load_uniform(eax, 0);
      shl(eax, static_cast<int>(modifiers >> 8 & 31));
      if (modifiers & 1) neg(eax);
      add_uniform(1, modifiers & 2);
      break;
    case FusedKind::uniform_product:
      load_uniform(eax, 0);
      load_uniform(ecx, 1);
      imul(eax, ecx);
      add_uniform(2, modifiers & 1);
      break;
    case FusedKind::uniform_logic:
      load_uniform(eax, 0);
      load_uniform(ecx, 1);
      if (form_->detail == 0xc0) and_(eax, ecx);
      if (form_->detail == 0xfc) or_(eax, ecx);
      if (form_->detail == 0x3c) xor_(eax, ecx);
      break;
    case FusedKind::uniform_shift: {
      const int by = static_cast<int>(op_->immediate[0]);
      load_uniform(eax, modifiers & 4 ? 2 : 0);
      if ((modifiers & 4) == 0)
        shl(eax, by);
      else if (modifiers & 2)
        sar(eax, by);
      else
        shr(eax, by);
      break;
    }
    default:
      load_uniform(eax, 1);
  }
  store_uniform(eax);
}

void RunCompiler::emit_special_uniform() {
  mov(eax, block_word());
  store_uniform(eax);
}

}  // namespace lanebank::machine::fuse
#endif
