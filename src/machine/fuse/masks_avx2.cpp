// Predicates in AVX2 runs: vectors of ones and zeros, or their complements where those are cheaper to have.
#if defined(__x86_64__)
#include "machine/fuse/run_compiler_avx2.hpp"

namespace lanebank::machine::fuse {

using namespace Xbyak;

void RunCompilerAvx2::load_guard() {
  guarded_ = !is_always(*op_);
  if (!guarded_) return;
  guard_ = predicate(op_->guard, op_->guard_flip);
  if (set_[op_->guard]) {
    vmovmskps(ecx, guard_.lanes);
    if (guard_.complemented) xor_(ecx, 0xff);
    popcnt(ecx, ecx);
    mov(rax, ptr[rdi + offsetof(Warp, counts)]);
    add(qword[rax + threads_offset(*op_)], rcx);
  }
  if (op_->predicate_out[0] != op_->guard && op_->predicate_out[1] != op_->guard) return;
  const Ymm copy = take();  // the operation is about to change its own guard
  vmovdqa(copy, guard_.lanes);
  guard_.lanes = copy;
  guard_.owned = true;
}

Mask RunCompilerAvx2::predicate(unsigned number, std::uint32_t flip) {
  Mask result;
  result.complemented = flip != 0;
  result.always = number == 7 || number == 15;
  if (result.always) return result;
  const int slot = fetch(predicate_key + static_cast<int>(number));
  result.lanes = Ymm(slot);
  result.complemented ^= slot_at(slot).flag;
  return result;
}

Mask RunCompilerAvx2::complement(Mask mask) {
  mask.complemented = !mask.complemented;
  return mask;
}

void RunCompilerAvx2::release(const Mask& mask) {
  if (mask.owned) give(mask.lanes);
}

Mask RunCompilerAvx2::both(const Mask& x, const Mask& y) {
  if (x.always || y.always) {
    const Mask& constant = x.always ? x : y;
    Mask result = constant.complemented ? constant : x.always ? y : x;
    result.owned = false;
    return result;
  }
  Mask result{take(), false, x.complemented && y.complemented, true};
  if (result.complemented)
    vpor(result.lanes, x.lanes, y.lanes);
  else if (x.complemented)
    vpandn(result.lanes, x.lanes, y.lanes);
  else if (y.complemented)
    vpandn(result.lanes, y.lanes, x.lanes);
  else
    vpand(result.lanes, x.lanes, y.lanes);
  return result;
}

Mask RunCompilerAvx2::either(const Mask& x, const Mask& y) { return complement(both(complement(x), complement(y))); }

Mask RunCompilerAvx2::differ(const Mask& x, const Mask& y) {
  Mask result;
  if (x.always || y.always) {
    result = x.always ? y : x;
    result.complemented ^= !(x.always ? x : y).complemented;
    result.owned = false;
    return result;
  }
  result = {take(), false, x.complemented != y.complemented, true};
  vpxor(result.lanes, x.lanes, y.lanes);
  return result;
}

void RunCompilerAvx2::blend(const Ymm& to, const Mask& where, const Ymm& yes, const Ymm& no) {
  if (where.complemented)
    vblendvps(to, yes, no, where.lanes);
  else
    vblendvps(to, no, yes, where.lanes);
}

Mask RunCompilerAvx2::choose(const Mask& where, const Mask& yes, const Mask& no) {
  if (where.always) {
    Mask result = where.complemented ? no : yes;
    result.owned = false;
    return result;
  }
  if (yes.always) return yes.complemented ? both(no, complement(where)) : either(no, where);
  if (no.always) return no.complemented ? both(yes, where) : either(yes, complement(where));
  const Mask result{take(), false, yes.complemented, true};
  Ymm other = no.lanes;
  if (no.complemented != yes.complemented) {
    vpxor(result.lanes, no.lanes, constant(Constant::ones));
    other = result.lanes;
  }
  blend(result.lanes, where, yes.lanes, other);
  return result;
}

void RunCompilerAvx2::set_predicate(unsigned number, Mask value) {
  if (number == sink_predicate) return release(value);
  if (guarded_) {
    const Mask chosen = choose(guard_, value, predicate(number, 0));  // owned: neither guard nor predicate is constant
    release(value);
    value = chosen;
  }
  if (!value.owned) {
    const Ymm copy = take();
    if (value.always)
      vpcmpeqd(copy, copy, copy);
    else
      vmovdqa(copy, value.lanes);
    value.lanes = copy;
  }
  hold(value.lanes.getIdx(), predicate_key + static_cast<int>(number), value.complemented);
}

void RunCompilerAvx2::combine_and_set(unsigned combination, Mask value, bool second) {
  const Mask with = predicate(op_->predicate_in[0], op_->predicate_in_flip[0]);
  const auto combined = [&](const Mask& mask) {
    return combination == 0 ? both(mask, with) : combination == 1 ? either(mask, with) : differ(mask, with);
  };
  const bool sets_first = op_->predicate_out[0] != sink_predicate,
             sets_second = second && op_->predicate_out[1] != sink_predicate;
  Mask first, other;
  if (sets_first) first = combined(value);
  if (sets_second) other = combined(complement(value));
  // The last result that is nothing but the value takes its register.
  Mask& last = sets_second ? other : first;
  if ((sets_first || sets_second) && !last.owned && !last.always && last.lanes.getIdx() == value.lanes.getIdx()) {
    last.owned = value.owned;
    value.owned = false;
  }
  if (sets_first) set_predicate(op_->predicate_out[0], first);
  if (sets_second) set_predicate(op_->predicate_out[1], other);
  release(value);
}

void RunCompilerAvx2::ones_to(const Ymm& target, const Mask& where) {
  if (where.always) {
    if (!where.complemented) vpsubd(target, target, constant(Constant::ones));
  } else if (where.complemented) {
    vpaddd(target, target, where.lanes);
    vpsubd(target, target, constant(Constant::ones));
  } else {
    vpsubd(target, target, where.lanes);
  }
}

Mask RunCompilerAvx2::compare(Relation relation, bool is_signed, const Ymm& a, const Ymm& b) {
  Mask result{take(), false, false, true};
  const Ymm& to = result.lanes;
  switch (relation) {
    case Relation::equal:
    case Relation::not_equal:
      vpcmpeqd(to, a, b);
      result.complemented = relation == Relation::not_equal;
      break;
    case Relation::less:
    case Relation::greater_equal:
      if (is_signed) {
        vpcmpgtd(to, b, a);
      } else {
        vpmaxud(to, a, b);
        vpcmpeqd(to, to, a);
      }
      result.complemented = (relation == Relation::less) != is_signed;
      break;
    case Relation::greater:
    case Relation::less_equal:
      if (is_signed) {
        vpcmpgtd(to, a, b);
      } else {
        vpminud(to, a, b);
        vpcmpeqd(to, to, a);
      }
      result.complemented = (relation == Relation::greater) != is_signed;
      break;
  }
  return result;
}

Mask RunCompilerAvx2::equals_zero(const Ymm& value) {
  const Mask result{take(), false, false, true};
  vpcmpeqd(result.lanes, value, constant(Constant::zeros));
  return result;
}

void RunCompilerAvx2::select(const Mask& where, const Ymm& yes, const Ymm& no) {
  const Ymm d = take();
  if (where.always)
    vmovdqa(d, where.complemented ? no : yes);
  else
    blend(d, where, yes, no);
  finish(op_->d, d);
}

}  // namespace lanebank::machine::fuse
#endif
