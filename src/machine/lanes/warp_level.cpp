// Between the lanes of a warp: SHFL, VOTE, MATCH, REDUX, ELECT, and what carries values between lanes,
// predicates and the uniform registers.
#include "machine/lanes/alu.hpp"
#include "machine/lanes/uniform.hpp"
#include "machine/launch_state.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

using nm::Word;

// ------------------------------------------------------------------------------------------------ SHFL

/// row[i] = source[lane[i]], lane[i] below 32.
LANEBANK_INLINE void permute_lanes(const Word* source, const Word* lane, Word* row) {
#if defined(LANEBANK_AVX512)
  const __m512i low = _mm512_loadu_si512(source), high = _mm512_loadu_si512(source + 16);
  _mm512_storeu_si512(row, _mm512_permutex2var_epi32(low, _mm512_loadu_si512(lane), high));
  _mm512_storeu_si512(row + 16, _mm512_permutex2var_epi32(low, _mm512_loadu_si512(lane + 16), high));
#else
  for (unsigned i = 0; i < 32; ++i) row[i] = source[lane[i]];
#endif
}

/// `begin` of an operation that brings its lanes together, for observers.
LANEBANK_INLINE std::uint32_t begin_together(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (!w.worker->sync_listeners.empty()) [[unlikely]]
    publish_sync(w, {op->instruction, SyncEvent::Kind::warp_sync, mask, mask | ~w.live});
  return mask;
}

/// Slot b: the lane or distance, slot c: limit and segment mask (numerics::shuffle_source). A lane that does not
/// take part gives 0 (measured with lanes that a guard leaves out).
template <nm::Shuffle mode, From B, From C>
const Operation* shuffle(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin_together(w, op);
  if (mask == 0) return op + 1;
  const Operand32<B> amount(w, op, op->b);
  // Both may be literals: the lane is then in the first word, the limit in the second.
  const std::uint32_t* clamp_row = C == From::row ? w.row(op->c) : nullptr;
  const Word clamp = op->immediate[1];
  alignas(64) Word lane[32], outside[32], result[32];
  LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) {
    const nm::ShuffleSource source = nm::shuffle_source(i, amount[i], C == From::row ? clamp_row[i] : clamp, mode);
    lane[i] = source.lane;
    outside[i] = source.outside;
  }
  if (mask == all_lanes) {
    permute_lanes(w.row(op->a), lane, result);
  } else {
    alignas(64) Word present[32];
    const Word* a = w.row(op->a);
    LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) present[i] = (mask >> i) & 1u ? a[i] : 0;
    permute_lanes(present, lane, result);
  }
  blend(mask, result, w.row(op->d));
  set_wanted_predicate(w, op, 0, mask, ~lane_mask(outside));
  return op + 1;
}

template <nm::Shuffle mode>
Execute select_shuffle(bool literal_amount, bool literal_clamp) {
  if (literal_amount)
    return literal_clamp ? &shuffle<mode, From::immediate, From::immediate>
                         : &shuffle<mode, From::immediate, From::row>;
  return literal_clamp ? &shuffle<mode, From::row, From::immediate> : &shuffle<mode, From::row, From::row>;
}

// ------------------------------------------------------------------------------------------------ VOTE

enum class Vote : std::uint8_t { all, any, equal };

/// Predicate of a vote over the lanes in `mask`.
LANEBANK_INLINE bool vote_result(Vote vote, std::uint32_t mask, std::uint32_t holds) {
  const bool all = (holds & mask) == mask, any = (holds & mask) != 0;
  return vote == Vote::all ? all : vote == Vote::any ? any : all || !any;
}

const Operation* vote(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin_together(w, op);
  if (mask == 0) return op + 1;
  const std::uint32_t holds = predicate_in(w, op, 0) & mask;
  std::uint32_t* d = w.row(op->d);
  for (unsigned v = 0; v < vector_count; ++v) store_lanes(mask, d, v, splat(holds));
  set_wanted_predicate(w, op, 0, mask, vote_result(static_cast<Vote>(op->detail[0]), mask, holds) ? all_lanes : 0);
  return op + 1;
}

const Operation* vote_uniform(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  const std::uint32_t holds = predicate_in(w, op, 0) & mask;
  set_uniform(w, op->d, holds);
  w.predicates[op->predicate_out[0]] = vote_result(static_cast<Vote>(op->detail[0]), mask, holds) ? all_lanes : 0;
  return op + 1;
}

void vote_fields(Lowering& l) {
  l.predicate_source(0, 87);
  l.op.detail[0] = static_cast<std::uint8_t>(l.bits(72, 74));
  require(l, l.op.detail[0] <= unsigned(Vote::equal), "a mode of VOTE that is not known");
}

// ----------------------------------------------------------------------------------------------- MATCH

/// The lanes whose value (one or two words) is that of `lane`.
template <bool pair>
LANEBANK_INLINE std::uint32_t equal_lanes(const Word* row, unsigned lane) {
  std::uint32_t same = 0;
  for (unsigned v = 0; v < vector_count; ++v)
    same |= at_vector(compare_words<Compare::equal>(load(row, v), splat(row[lane])), v);
  if constexpr (pair) same &= equal_lanes<false>(row + 32, lane);
  return same;
}

template <bool pair>
const Operation* match_any(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin_together(w, op);
  const Word* a = w.row(op->a);
  alignas(64) Word result[32] = {};
  for (std::uint32_t left = mask; left != 0;) {
    const std::uint32_t same = equal_lanes<pair>(a, first_lane(left)) & mask;
    for (unsigned v = 0; v < vector_count; ++v) store_where(same, result, v, splat(same));
    left &= ~same;
  }
  blend(mask, result, w.row(op->d));
  return op + 1;
}

template <bool pair>
const Operation* match_all(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin_together(w, op);
  if (mask == 0) return op + 1;
  const bool all = (equal_lanes<pair>(w.row(op->a), first_lane(mask)) & mask) == mask;
  Word* d = w.row(op->d);
  for (unsigned v = 0; v < vector_count; ++v) store_where(mask, d, v, splat(all ? mask : 0));
  set_predicate(w, op, 0, mask, all ? all_lanes : 0);
  return op + 1;
}

// ----------------------------------------------------------------------------------------------- REDUX

enum class Reduce : std::uint8_t { conjunction, disjunction, exclusive, sum, minimum, maximum };

template <class F>
LANEBANK_INLINE Word reduce(const Word* row, std::uint32_t mask, F f) {
  Word result = row[first_lane(mask)];
  for (mask &= mask - 1; mask != 0; mask &= mask - 1) result = f(result, row[first_lane(mask)]);
  return result;
}

template <Reduce kind, bool is_signed>
const Operation* reduce_lanes(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin_together(w, op);
  if (mask == 0) return op + 1;
  const auto f = [](Word x, Word y) -> Word {
    if constexpr (kind == Reduce::conjunction) return x & y;
    if constexpr (kind == Reduce::disjunction) return x | y;
    if constexpr (kind == Reduce::exclusive) return x ^ y;
    if constexpr (kind == Reduce::sum) return x + y;
    if constexpr (kind == Reduce::minimum) return is_signed ? nm::signed_minimum(x, y) : nm::minimum(x, y);
    if constexpr (kind == Reduce::maximum) return is_signed ? nm::signed_maximum(x, y) : nm::maximum(x, y);
  };
  set_uniform(w, op->d, reduce(w.row(op->a), mask, f));
  return op + 1;
}

// ------------------------------------------------------------------------- lanes and uniform registers

/// ELECT: the first of the active lanes that the predicate source names, or (detail[0]) a uniform register.
const Operation* elect(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  const std::uint32_t candidates = mask & (op->detail[0] != 0 ? w.uniform[op->uniform] : predicate_in(w, op, 0));
  const std::uint32_t elected = candidates & (0 - candidates);
  set_predicate(w, op, 0, mask, elected);
  set_uniform(w, op->d, elected != 0 ? first_lane(elected) : ~Word{0});
  return op + 1;
}

/// R2UR: the value of the first active lane; the predicate is true in lanes whose value is another. With .OR it also stays true
/// where it was: compilers take the words of a handle so, and repeat for the lanes whose predicate is true.
const Operation* to_uniform(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  const Word* a = w.row(op->a);
  const unsigned lane = first_lane(mask);
  if (op->predicate_out[0] != sink_predicate) {
    const std::uint32_t before = op->detail[0] != 0 ? w.predicates[op->predicate_out[0]] : 0;
    set_predicate(w, op, 0, mask, before | ~equal_lanes<false>(a, lane));
  }
  set_uniform(w, op->d, a[lane]);
  return op + 1;
}

// ---------------------------------------------------------------------------------- lanes' predicates

/// P2R: byte `detail[0]` of d has the predicates that slot b names, the rest of d comes from a.
template <From B>
const Operation* pack_predicates(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  const unsigned shift = 8u * op->detail[0];
  const Word* a = w.row(op->a);
  const Operand32<B> names(w, op, op->b);
  Word* d = w.row(op->d);
  for (unsigned v = 0; v < vector_count; ++v) {
    Words bits = {};
    for (unsigned p = 0; p < 7; ++p) bits |= ones_where(w.predicates[p], v) << p;
    const Words named = load(names, v) & splat(0xff);
    store_lanes(mask, d, v, (load(a, v) & ~(named << shift)) | ((bits & named) << shift));
  }
  return op + 1;
}

/// R2P: the predicates that slot b names, from byte `detail[0]` of a.
template <From B>
const Operation* unpack_predicates(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  const unsigned shift = 8u * op->detail[0];
  const Word* a = w.row(op->a);
  const Operand32<B> names(w, op, op->b);
  for (unsigned p = 0; p < 7; ++p) {
    std::uint32_t value = 0, named = 0;
    for (unsigned v = 0; v < vector_count; ++v) {
      const Words bit = splat(1u << p);
      named |= at_vector(compare_words<Compare::equal>(load(names, v) & bit, bit), v);
      value |= at_vector(compare_words<Compare::equal>(load(a, v) >> shift & bit, bit), v);
    }
    const std::uint32_t set = mask & named;
    w.predicates[p] = (w.predicates[p] & ~set) | (value & set);
  }
  return op + 1;
}

}  // namespace

void lower_SHFL(Lowering& l) {
  l.op.d = l.d();
  l.op.a = l.a();
  // Bit 11 of the opcode field says that the lane is a literal, bit 10 the limit: 389 589 989 f89.
  const unsigned opcode = unsigned(l.bits(9, 12));
  const bool literal_amount = opcode == 4 || opcode == 7, literal_clamp = opcode == 2 || opcode == 7;
  require(l, opcode == 1 || opcode == 2 || opcode == 4 || opcode == 7, "a form of SHFL that is not known");
  if (literal_amount) {
    l.op.immediate[0] = std::uint32_t(l.bits(53, 58));
  } else {
    l.op.b = l.source(unsigned(l.bits(32, 40)));
  }
  if (literal_clamp) {
    l.op.immediate[1] = std::uint32_t(l.bits(40, 53));
  } else {
    l.op.c = l.source(unsigned(l.bits(64, 72)));
  }
  predicate_destination(l, 0, 81);
  switch (static_cast<nm::Shuffle>(l.bits(58, 60))) {
    case nm::Shuffle::index:
      l.op.execute = select_shuffle<nm::Shuffle::index>(literal_amount, literal_clamp);
      break;
    case nm::Shuffle::up:
      l.op.execute = select_shuffle<nm::Shuffle::up>(literal_amount, literal_clamp);
      break;
    case nm::Shuffle::down:
      l.op.execute = select_shuffle<nm::Shuffle::down>(literal_amount, literal_clamp);
      break;
    case nm::Shuffle::butterfly:
      l.op.execute = select_shuffle<nm::Shuffle::butterfly>(literal_amount, literal_clamp);
      break;
  }
}

void lower_VOTE(Lowering& l) {
  l.op.d = l.d();
  vote_fields(l);
  predicate_destination(l, 0, 81);
  l.op.execute = &vote;
}

void lower_VOTEU(Lowering& l) {
  l.op.d = static_cast<std::uint16_t>(l.bits(16, 22));
  vote_fields(l);
  l.op.predicate_out[0] = Lowering::uniform_predicate_destination(unsigned(l.bits(81, 84)));
  l.op.execute = &vote_uniform;
}

void lower_MATCH(Lowering& l) {
  const bool pair = l.bit(73), any = l.bit(79);
  l.op.d = l.d();
  l.op.a = l.a(pair ? 2 : 1);
  predicate_destination(l, 0, 81);
  if (any) {
    l.op.execute = pair ? &match_any<true> : &match_any<false>;
  } else {
    l.op.execute = pair ? &match_all<true> : &match_all<false>;
  }
}

void lower_REDUX(Lowering& l) {
  l.op.d = static_cast<std::uint16_t>(l.bits(16, 22));
  l.op.a = l.a();
  const bool is_signed = l.bit(73);
  switch (static_cast<Reduce>(l.bits(78, 81))) {
    case Reduce::conjunction:
      l.op.execute = &reduce_lanes<Reduce::conjunction, false>;
      break;
    case Reduce::disjunction:
      l.op.execute = &reduce_lanes<Reduce::disjunction, false>;
      break;
    case Reduce::exclusive:
      l.op.execute = &reduce_lanes<Reduce::exclusive, false>;
      break;
    case Reduce::sum:
      l.op.execute = &reduce_lanes<Reduce::sum, false>;
      break;
    case Reduce::minimum:
      l.op.execute = is_signed ? &reduce_lanes<Reduce::minimum, true> : &reduce_lanes<Reduce::minimum, false>;
      break;
    case Reduce::maximum:
      l.op.execute = is_signed ? &reduce_lanes<Reduce::maximum, true> : &reduce_lanes<Reduce::maximum, false>;
      break;
    default:
      l.unsupported = "a reduction of REDUX that is not known";
  }
}

void lower_ELECT(Lowering& l) {
  l.op.d = static_cast<std::uint16_t>(l.bits(16, 22));
  predicate_destination(l, 0, 81);
  l.predicate_source(0, 87);
  l.op.detail[0] = l.bit(91) ? 1 : 0;
  l.op.uniform = static_cast<std::uint8_t>(l.bits(24, 30));
  l.op.execute = &elect;
}

void lower_R2UR(Lowering& l) {
  l.op.d = static_cast<std::uint16_t>(l.bits(16, 22));
  l.op.a = l.a();
  predicate_destination(l, 0, 81);
  l.op.detail[0] = l.bit(84) ? 1 : 0;
  l.op.execute = &to_uniform;
}

void lower_P2R(Lowering& l) {
  const From b = second_operand(l);
  l.op.detail[0] = static_cast<std::uint8_t>(l.bits(76, 78));
  l.op.execute = b == From::immediate ? &pack_predicates<From::immediate>
                 : b == From::uniform ? &pack_predicates<From::uniform>
                                      : &pack_predicates<From::row>;
}

void lower_R2P(Lowering& l) {
  const From b = second_operand(l);
  l.op.detail[0] = static_cast<std::uint8_t>(l.bits(76, 78));
  l.op.execute = b == From::immediate ? &unpack_predicates<From::immediate>
                 : b == From::uniform ? &unpack_predicates<From::uniform>
                                      : &unpack_predicates<From::row>;
}

}  // namespace lanebank::machine::LANEBANK_SIMD
