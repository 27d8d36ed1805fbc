// Integer arithmetic of the GPU: pure functions on 32-bit words, one per operation. These are the
// specification; lanes/ runs them over the lanes of a warp and the tests hold them against independent
// formulas. `carry` values are 0 or 1. Everything is inlined by force: lanes/ is compiled per SIMD level.
#pragma once

#include <cstdint>

#define LANEBANK_NUMERIC [[gnu::always_inline]] constexpr

namespace lanebank::machine::numerics {

using Word = std::uint32_t;

LANEBANK_NUMERIC std::int32_t as_signed(Word x) { return static_cast<std::int32_t>(x); }
LANEBANK_NUMERIC Word minimum(Word x, Word y) { return x < y ? x : y; }
LANEBANK_NUMERIC Word maximum(Word x, Word y) { return x > y ? x : y; }
LANEBANK_NUMERIC Word signed_minimum(Word x, Word y) { return as_signed(x) < as_signed(y) ? x : y; }
LANEBANK_NUMERIC Word signed_maximum(Word x, Word y) { return as_signed(x) > as_signed(y) ? x : y; }
/// x >> n with copies of the sign, n <= 31.
LANEBANK_NUMERIC Word arithmetic_right(Word x, Word n) { return static_cast<Word>(as_signed(x) >> n); }

// --- sums -------------------------------------------------------------------------------------------

/// The 32-bit sum and how often 2^32 went over; a carry-out predicate is `carries >= 1`, a second one `>= 2`.
template <class Value>
struct SumOf {
  Value value;
  Word carries;
};
using Sum = SumOf<Word>;

/// IADD3: a + b + c + plus, where a negated operand comes as its complement with 1 added to `plus`.
template <class Value>
LANEBANK_NUMERIC SumOf<Value> add3(Value a, Value b, Value c, Value plus) {
  const Value first = a + b, second = first + c, third = second + plus;
  return {third, Word{first < a} + Word{second < c} + Word{third < plus}};
}

// --- products ---------------------------------------------------------------------------------------

LANEBANK_NUMERIC std::uint64_t product(Word a, Word b) { return std::uint64_t{a} * b; }
LANEBANK_NUMERIC std::uint64_t signed_product(Word a, Word b) {
  return static_cast<std::uint64_t>(std::int64_t{as_signed(a)} * as_signed(b));
}

/// The product of two polynomials over GF(2), whose coefficients are the bits: one half of its 128.
LANEBANK_NUMERIC std::uint64_t carryless_product(std::uint64_t a, std::uint64_t b, bool high) {
  std::uint64_t low_half = 0, high_half = 0;
  for (unsigned i = 0; i < 64; ++i) {
    const std::uint64_t term = a & (std::uint64_t{0} - ((b >> i) & 1));
    low_half ^= term << i;
    high_half ^= (term >> 1) >> (63 - i);
  }
  return high ? high_half : low_half;
}

/// IDP.4A: c + the dot product of four bytes each.
LANEBANK_NUMERIC Word dot_4a(Word a, Word b, Word c, bool a_signed, bool b_signed) {
  for (unsigned i = 0; i < 4; ++i) {
    const Word x = a >> 8 * i & 0xff, y = b >> 8 * i & 0xff;
    const Word p = a_signed && x >= 0x80 ? x - 0x100 : x, q = b_signed && y >= 0x80 ? y - 0x100 : y;
    c += p * q;
  }
  return c;
}

/// IDP.2A: c + the dot product of the halves of a with the low (or high) two bytes of b.
LANEBANK_NUMERIC Word dot_2a(Word a, Word b, Word c, bool a_signed, bool b_signed, bool high) {
  const Word bytes = high ? b >> 16 : b;
  for (unsigned i = 0; i < 2; ++i) {
    const Word x = a >> 16 * i & 0xffff, y = bytes >> 8 * i & 0xff;
    const Word p = a_signed && x >= 0x8000 ? x - 0x10000 : x, q = b_signed && y >= 0x80 ? y - 0x100 : y;
    c += p * q;
  }
  return c;
}

// --- shifts -----------------------------------------------------------------------------------------

/// x << n and x >> n for any n: 0 (or copies of the sign) from 32 on.
LANEBANK_NUMERIC Word left(Word x, Word n) { return n < 32 ? x << (n & 31) : 0; }
LANEBANK_NUMERIC Word right(Word x, Word n) { return n < 32 ? x >> (n & 31) : 0; }
LANEBANK_NUMERIC Word signed_right(Word x, Word n) { return arithmetic_right(x, n < 31 ? n : 31); }

/// SHF takes its amount modulo the width (.W) or limits it to the width: 64 for the 64-bit types, else 32.
LANEBANK_NUMERIC Word shift_amount(Word n, Word width, bool wrap) { return wrap ? n & (width - 1) : minimum(n, width); }

/// High word of high:low << n, n <= 64.
LANEBANK_NUMERIC Word funnel_left(Word low, Word high, Word n) {
  return n < 32 ? high << (n & 31) | low >> 1 >> (~n & 31) : left(low, n - 32);
}
/// Low word of high:low >> n, n <= 64; zeros come in from above.
LANEBANK_NUMERIC Word funnel_right(Word low, Word high, Word n) {
  return n < 32 ? low >> (n & 31) | high << 1 << (~n & 31) : right(high, n - 32);
}
/// The same with copies of the sign of `high`.
LANEBANK_NUMERIC Word signed_funnel_right(Word low, Word high, Word n) {
  return n < 32 ? low >> (n & 31) | high << 1 << (~n & 31) : signed_right(high, n - 32);
}

/// LEA.HI: high word of high:low << n, n <= 31.
LANEBANK_NUMERIC Word lea_high(Word low, Word high, Word n) { return high << n | low >> 1 >> (~n & 31); }

// --- bits -------------------------------------------------------------------------------------------

/// LOP3: bit by bit, the table's bit number 4a + 2b + c.
LANEBANK_NUMERIC Word lop3(Word a, Word b, Word c, Word table) {
  Word result = 0;
  for (unsigned i = 0; i < 8; ++i) {
    const Word pick = (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    if (table >> i & 1) result |= pick;
  }
  return result;
}

enum class Permute : std::uint8_t { index, forward4, backward4, replicate8, edge_left, edge_right, replicate16 };

/// The selector of PRMT for a mode: four nibbles, as mode `index` takes them.
LANEBANK_NUMERIC Word permute_selector(Word selector, Permute mode) {
  const Word n = selector & 3;
  switch (mode) {
    case Permute::index:
      return selector & 0xffff;
    case Permute::forward4:
      return 0x3210 + 0x1111 * n;
    case Permute::backward4:
      return (0x5670 + 0x1111 * n) & 0x7777;
    case Permute::replicate8:
      return 0x1111 * n;
    case Permute::edge_left:
      return n == 0 ? 0x3210 : n == 1 ? 0x3211 : n == 2 ? 0x3222 : 0x3333;
    case Permute::edge_right:
      return n == 0 ? 0x0000 : n == 1 ? 0x1110 : n == 2 ? 0x2210 : 0x3210;
    case Permute::replicate16:
      return n & 1 ? 0x3232 : 0x1010;
  }
  return 0;
}

/// PRMT: byte i of the result is byte (nibble i of the selector) & 7 of c:a, or eight copies of its sign
/// where the nibble's top bit is set.
LANEBANK_NUMERIC Word permute(Word a, Word c, Word selector) {
  Word result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const Word nibble = selector >> 4 * i & 0xf;
    const Word byte = (nibble & 4 ? c : a) >> 8 * (nibble & 3) & 0xff;
    const Word value = nibble & 8 ? (0 - (byte >> 7)) & 0xff : byte;
    result |= value << 8 * i;
  }
  return result;
}

/// SGXT: the low n bits of x, extended by their sign or by zeros; n limited to 32 or taken modulo 32.
LANEBANK_NUMERIC Word extend(Word x, Word n, bool is_signed, bool wrap) {
  const Word bits = wrap ? n & 31 : minimum(n, 32);
  if (bits == 0) return 0;
  const Word up = x << (32 - bits);
  return is_signed ? arithmetic_right(up, 32 - bits) : up >> (32 - bits);
}

/// BMSK: `width` ones from bit `first` up.
LANEBANK_NUMERIC Word bit_mask(Word first, Word width, bool wrap) {
  return wrap ? ((Word{1} << (width & 31)) - 1) << (first & 31)
              : left(width < 32 ? (Word{1} << (width & 31)) - 1 : ~Word{0}, first);
}

LANEBANK_NUMERIC Word population(Word x) { return static_cast<Word>(__builtin_popcount(x)); }

LANEBANK_NUMERIC Word reverse(Word x) {
  x = (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
  x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
  x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
  return x << 24 | (x & 0xff00) << 8 | (x >> 8 & 0xff00) | x >> 24;
}

/// FLO: number of the highest one (for signed words: of the highest bit unlike the sign), or 31 minus that;
/// all ones when there is none.
LANEBANK_NUMERIC Word find_leading(Word x, bool is_signed, bool as_shift) {
  if (is_signed && as_signed(x) < 0) x = ~x;
  if (x == 0) return ~Word{0};
  const Word number = 31 - static_cast<Word>(__builtin_clz(x));
  return as_shift ? 31 - number : number;
}

LANEBANK_NUMERIC Word absolute(Word x) { return as_signed(x) < 0 ? 0 - x : x; }

/// VABSDIFF: |a - b| + c.
LANEBANK_NUMERIC Word absolute_difference(Word a, Word b, Word c, bool is_signed) {
  const bool less = is_signed ? as_signed(a) < as_signed(b) : a < b;
  return (less ? b - a : a - b) + c;
}

// --- pairs of halves and fours of bytes ---------------------------------------------------------------

LANEBANK_NUMERIC Word add_halves(Word a, Word b) {
  const Word high = 0x80008000;
  return ((a & ~high) + (b & ~high)) ^ ((a ^ b) & high);
}
LANEBANK_NUMERIC Word negate_halves(Word x) { return add_halves(~x, 0x00010001); }

/// Minimum and maximum of the unsigned halves.
LANEBANK_NUMERIC Word minimum_halves(Word a, Word b) {
  return minimum(a & 0xffff, b & 0xffff) | minimum(a >> 16, b >> 16) << 16;
}
LANEBANK_NUMERIC Word maximum_halves(Word a, Word b) {
  return maximum(a & 0xffff, b & 0xffff) | maximum(a >> 16, b >> 16) << 16;
}

/// VABSDIFF4: the absolute differences of four bytes each.
LANEBANK_NUMERIC Word absolute_difference_bytes(Word a, Word b, bool is_signed) {
  Word result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const Word flip = is_signed ? 0x80 : 0;
    const Word x = (a >> 8 * i & 0xff) ^ flip, y = (b >> 8 * i & 0xff) ^ flip;
    result |= (x < y ? y - x : x - y) << 8 * i;
  }
  return result;
}

// --- thread indices -----------------------------------------------------------------------------------

/// n / d for n < 1024 and 1 <= d <= 1024, with the factor of d.
LANEBANK_NUMERIC Word index_factor(Word d) { return (Word{1} << 21) / d + 1; }
LANEBANK_NUMERIC Word divide_index(Word n, Word factor) { return n * factor >> 21; }

// --- lanes --------------------------------------------------------------------------------------------

enum class Shuffle : std::uint8_t { index, up, down, butterfly };

struct ShuffleSource {
  Word lane;
  Word outside;  ///< all ones: not in the segment, and `lane` is the reader itself; else 0
};

/// SHFL: the lane that `lane` reads. `clamp` holds the limit in bits 0:5 and the segment mask in bits 8:13.
LANEBANK_NUMERIC ShuffleSource shuffle_source(Word lane, Word amount, Word clamp, Shuffle mode) {
  const Word b = amount & 31, limit = clamp & 31, segment = clamp >> 8 & 31;
  const Word first = lane & segment, last = first | (limit & ~segment);
  const Word from = mode == Shuffle::index  ? first | (b & ~segment)
                    : mode == Shuffle::up   ? lane - b
                    : mode == Shuffle::down ? lane + b
                                            : lane ^ b;
  const bool inside = mode == Shuffle::up ? as_signed(from) >= as_signed(last) : as_signed(from) <= as_signed(last);
  return {inside ? from : lane, inside ? 0 : ~Word{0}};
}

}  // namespace lanebank::machine::numerics
