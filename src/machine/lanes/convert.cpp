// Conversions between number formats: I2FP, I2F, F2I, F2IP, F2F, FRND, F2FP, I2I, I2IP.
#include "machine/lanes/float_lane.hpp"
#include "machine/numerics/conversion.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

namespace nm = ::lanebank::machine::numerics;
using nm::Number;

/// Fields that the general conversions read: Operation::modifiers above the sign bits of operand b.
struct Fields {
  Sign sign;
  std::uint32_t select_shift;  ///< of the half or byte that is converted
  Rounding mode;
  bool flush, integer_signed, nan_to_zero;
  Number from, to;  ///< floating-point formats
  unsigned integer_bits;

  explicit Fields(const Operation& op)
      : sign(op, 1),
        select_shift((op.modifiers >> 8) & 31),
        mode(static_cast<Rounding>((op.modifiers >> 16) & 3)),
        flush((op.modifiers >> 18) & 1),
        integer_signed((op.modifiers >> 19) & 1),
        nan_to_zero((op.modifiers >> 20) & 1),
        from(static_cast<Number>(op.detail[0])),
        to(static_cast<Number>(op.detail[1])),
        integer_bits(8u << ((op.modifiers >> 21) & 3)) {}
};
/// All ones for .FTZ.
LANEBANK_INLINE std::uint32_t flush_mask(const Operation& op) { return std::uint32_t{0} - ((op.modifiers >> 18) & 1); }
constexpr unsigned shift_at = 8, mode_at = 16, flush_at = 18, signed_at = 19, nan_at = 20, size_at = 21;

/// d = f(slot b), with 32- or 64-bit source and result. F: a function object of (std::uint64_t) or (std::uint32_t).
template <class F, bool wide_source, bool wide_result, From B>
const Operation* convert(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  const F f(*op);
  alignas(64) std::uint32_t low[32], high[32];
  const auto run = [&](const auto& source) {
    LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) {
      const auto result = f(source[i]);
      low[i] = static_cast<std::uint32_t>(result);
      if constexpr (wide_result) high[i] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(result) >> 32);
    }
  };
  if constexpr (wide_source)
    run(Operand64<B>(w, op, op->b));
  else
    run(Operand32<B>(w, op, op->b));
  blend(mask, low, w.row(op->d));
  if constexpr (wide_result) blend(mask, high, w.row(op->d + 1));
  return op + 1;
}

template <class F, bool wide_source, bool wide_result>
Execute select_convert(From b) {
  if (b == From::immediate) return &convert<F, wide_source, wide_result, From::immediate>;
  if (b == From::uniform) return &convert<F, wide_source, wide_result, From::uniform>;
  return &convert<F, wide_source, wide_result, From::row>;
}
template <class F>
Execute select_convert(From b, bool wide_source, bool wide_result) {
  if (wide_source) return wide_result ? select_convert<F, true, true>(b) : select_convert<F, true, false>(b);
  return wide_result ? select_convert<F, false, true>(b) : select_convert<F, false, false>(b);
}

// ------------------------------------------------------------------------------- integers to numbers

/// 32-bit integer to single precision.
template <Rounding mode, bool is_signed>
struct WordToSingle {
  explicit WordToSingle(const Operation&) {}
  LANEBANK_INLINE std::uint32_t operator()(std::uint32_t x) const {
    if constexpr (mode == Rounding::nearest)
      return nm::bits_as<std::uint32_t>(is_signed ? static_cast<float>(static_cast<std::int32_t>(x))
                                                  : static_cast<float>(x));
    const double exact = is_signed ? static_cast<double>(static_cast<std::int32_t>(x)) : static_cast<double>(x);
    return nm::bits_as<std::uint32_t>(nm::narrow<mode>(exact));
  }
};

/// 32-bit integer to double precision, exact.
template <bool is_signed>
struct WordToDouble {
  explicit WordToDouble(const Operation&) {}
  LANEBANK_INLINE std::uint64_t operator()(std::uint32_t x) const {
    return nm::bits_as<std::uint64_t>(is_signed ? static_cast<double>(static_cast<std::int32_t>(x))
                                                : static_cast<double>(x));
  }
};

struct AnyInteger {
  Fields fields;
  explicit AnyInteger(const Operation& op) : fields(op) {}
  std::uint64_t operator()(std::uint64_t x) const {
    x >>= fields.select_shift;
    const unsigned unused = 64 - fields.integer_bits;
    x <<= unused;
    x = fields.integer_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(x) >> unused) : x >> unused;
    return nm::from_integer(x, fields.integer_signed, fields.to, fields.mode);
  }
};

template <template <Rounding, bool> class F>
Execute select_word_conversion(Rounding mode, bool is_signed, From b) {
  const auto pick = [&]<Rounding fixed>() {
    return is_signed ? select_convert<F<fixed, true>, false, false>(b)
                     : select_convert<F<fixed, false>, false, false>(b);
  };
  switch (mode) {
    case Rounding::nearest:
      return pick.template operator()<Rounding::nearest>();
    case Rounding::down:
      return pick.template operator()<Rounding::down>();
    case Rounding::up:
      return pick.template operator()<Rounding::up>();
    default:
      return pick.template operator()<Rounding::zero>();
  }
}

// ------------------------------------------------------------------------------- numbers to integers

/// Single precision to 32 bits.
template <Rounding mode, bool is_signed>
struct SingleToWord {
  Sign sign;
  std::uint32_t nan_value, flush;
  explicit SingleToWord(const Operation& op)
      : sign(op, 1), nan_value((op.modifiers >> nan_at) & 1 ? 0 : 0x80000000u), flush(flush_mask(op)) {}
  LANEBANK_INLINE std::uint32_t operator()(std::uint32_t x) const {
    x = sign(x);
    x ^= (x ^ nm::flush32(x)) & flush;
    return nm::single_to_word<mode, is_signed>(nm::bits_as<float>(x), nan_value);
  }
};

/// The number that a conversion reads: selected half, sign modifiers and flush applied. In conversions to and from
/// double precision a NaN keeps its sign (measured).
LANEBANK_INLINE double read_number(const Fields& fields, std::uint64_t x) {
  x >>= fields.select_shift;
  if (fields.flush && fields.from == Number::single) x = nm::flush32(static_cast<std::uint32_t>(x));
  const std::uint64_t bits = nm::bits_as<std::uint64_t>(nm::to_double(x, fields.from));
  const std::uint64_t keep = std::uint64_t{fields.sign.keep} << 32 | 0xffffffffu,
                      flip = std::uint64_t{fields.sign.flip} << 32;
  const bool wide = fields.from == Number::twice || fields.to == Number::twice;
  if (wide && nm::is_nan64(bits)) return nm::bits_as<double>(bits);
  return nm::bits_as<double>((bits & keep) ^ flip);
}

struct AnyToInteger {
  Fields fields;
  explicit AnyToInteger(const Operation& op) : fields(op) {}
  std::uint64_t operator()(std::uint64_t x) const {
    const std::uint64_t nan_value = fields.nan_to_zero ? 0 : std::uint64_t{1} << (fields.integer_bits - 1);
    return nm::to_integer(read_number(fields, x), fields.mode, fields.integer_bits, fields.integer_signed, nan_value);
  }
};

// ------------------------------------------------------------------------------- numbers to numbers

/// FRND in single precision.
template <Rounding mode>
struct RoundSingle {
  Sign sign;
  std::uint32_t flush;
  explicit RoundSingle(const Operation& op) : sign(op, 1), flush(flush_mask(op)) {}
  LANEBANK_INLINE std::uint32_t operator()(std::uint32_t x) const {
    x = sign(x);
    x ^= (x ^ nm::flush32(x)) & flush;
    return nm::result32<false, false>(nm::integral<mode>(nm::bits_as<float>(x)));
  }
};

/// FRND in any format.
struct RoundAny {
  Fields fields;
  explicit RoundAny(const Operation& op) : fields(op) {}
  std::uint64_t operator()(std::uint64_t x) const {
    const double number = read_number(fields, x);
    const std::uint64_t bits = nm::bits_as<std::uint64_t>(number);
    if (fields.to == Number::twice && number != number) return bits | nm::f64_quiet;
    const double whole = nm::integral(number, fields.mode);
    return nm::round_number(nm::unpack<nm::Binary64>(nm::bits_as<std::uint64_t>(whole)), fields.to, Rounding::nearest);
  }
};

struct SingleToDouble {
  Sign sign;
  std::uint32_t flush;
  explicit SingleToDouble(const Operation& op) : sign(op, 1), flush(flush_mask(op)) {}
  LANEBANK_INLINE std::uint64_t operator()(std::uint32_t x) const {
    x = nm::select(nm::is_nan32(x), x, sign(x));
    x ^= (x ^ nm::flush32(x)) & flush;
    return nm::bits_as<std::uint64_t>(static_cast<double>(nm::bits_as<float>(x)));
  }
};

template <Rounding mode>
struct DoubleToSingle {
  Sign sign;
  std::uint32_t flush;
  explicit DoubleToSingle(const Operation& op) : sign(op, 1), flush(flush_mask(op)) {}
  LANEBANK_INLINE std::uint32_t operator()(std::uint64_t x) const {
    const std::uint64_t bits = (x & (std::uint64_t{sign.keep} << 32 | 0xffffffffu)) ^ std::uint64_t{sign.flip} << 32;
    const std::uint32_t result = nm::bits_as<std::uint32_t>(nm::narrow<mode>(nm::bits_as<double>(bits)));
    // Unlike sums and products, rounded first to the subnormal's places, then flushed.
    const std::uint32_t flushed = result ^ ((result ^ nm::flush32(result)) & flush);
    return nm::select(nm::is_nan64(bits), nm::narrow_nan(x), flushed);
  }
};

/// Any format to any other. The result of a 16-bit format has zeros above. .FTZ flushes in every format but double.
struct AnyToAny {
  Fields fields;
  explicit AnyToAny(const Operation& op) : fields(op) {}
  static std::uint64_t flushed(std::uint64_t x, Number format) {
    const auto word = static_cast<std::uint32_t>(x);
    return format == Number::half     ? nm::flush16<nm::Half>(word)
           : format == Number::brain  ? nm::flush16<nm::Brain>(word)
           : format == Number::single ? nm::flush32(word)
                                      : x;
  }
  std::uint64_t operator()(std::uint64_t x) const {
    if (fields.flush && (fields.from == Number::half || fields.from == Number::brain))
      x = flushed(x >> fields.select_shift & 0xffff, fields.from) << fields.select_shift;
    const std::uint64_t bits = nm::bits_as<std::uint64_t>(read_number(fields, x));
    if (fields.to == Number::twice) return nm::is_nan64(bits) ? bits | nm::f64_quiet : bits;
    if (fields.from == Number::twice && nm::is_nan64(bits)) return nm::narrow_nan16(bits, fields.to);
    const std::uint64_t result = nm::round_number(nm::unpack<nm::Binary64>(bits), fields.to, fields.mode);
    return fields.flush ? flushed(result, fields.to) : result;
  }
};

// ------------------------------------------------------------------------------- packed results

/// F2FP to halves or bfloat16: the converted a above the converted b.
template <class Format16, bool plain>
struct PackPair {
  Sign a, b;
  bool relu;
  bool finite;
  Rounding mode;
  explicit PackPair(const Operation& op)
      : a(op, 0),
        b(op, 1),
        relu((op.modifiers >> nan_at) & 1),
        finite((op.modifiers >> signed_at) & 1),
        mode(static_cast<Rounding>((op.modifiers >> mode_at) & 3)) {}
  LANEBANK_INLINE std::uint32_t one(std::uint32_t x) const {
    if constexpr (plain) return Format16::narrow(nm::bits_as<float>(x));
    constexpr bool is_half = Format16::infinity == nm::Half::infinity;
    using Target = std::conditional_t<is_half, nm::Binary16, nm::Brain16>;
    std::uint32_t result =
        nm::is_nan32(x) ? Format16::nan
                        : static_cast<std::uint32_t>(nm::convert_unpacked<Target, nm::Binary32>(x, mode, finite));
    return relu ? nm::relu16<Format16>(result) : result;
  }
  LANEBANK_INLINE std::uint32_t operator()(std::uint32_t x, std::uint32_t y, std::uint32_t) const {
    return one(a(x)) << 16 | one(b(y));
  }
};

/// F2FP.TF32.PACK_B: b rounded to TF32, in the upper 19 bits.
struct RoundToTensor32 {
  Sign b;
  bool relu;
  Rounding mode;
  explicit RoundToTensor32(const Operation& op)
      : b(op, 1), relu((op.modifiers >> nan_at) & 1), mode(static_cast<Rounding>((op.modifiers >> mode_at) & 3)) {}
  LANEBANK_INLINE std::uint32_t operator()(std::uint32_t, std::uint32_t y, std::uint32_t) const {
    const std::uint32_t x = b(y);
    if (nm::is_nan32(x)) return 0x7fffe000;
    if (relu && (x >> 31) != 0) return 0;
    return static_cast<std::uint32_t>(nm::convert_unpacked<nm::Tensor32, nm::Binary32>(x, mode, false)) << 13;
  }
};

/// F2FP.MERGE_C: the converted b below a half of c. detail[0]: bfloat16; detail[1]: the upper half.
struct MergePair {
  PackPair<nm::Half, false> half;
  PackPair<nm::Brain, false> brain;
  bool is_brain;
  unsigned part;
  explicit MergePair(const Operation& op)
      : half(op), brain(op), is_brain(op.detail[0] != 0), part(op.detail[1] != 0 ? 16 : 0) {}
  std::uint32_t operator()(std::uint32_t, std::uint32_t y, std::uint32_t z) const {
    return (is_brain ? brain.one(brain.b(y)) : half.one(half.b(y))) | (z >> part) << 16;
  }
};

/// The 8-bit formats, e5m2 or e4m3.
std::uint32_t pack_eight_bits(bool e5m2, const nm::Unpacked& number, bool relu) {
  if (relu && number.sign && number.kind != nm::Class::nan) return 0;
  if (number.kind == nm::Class::nan) return 0x7f;
  return static_cast<std::uint32_t>(e5m2 ? nm::round_to<nm::E5M2>(number, Rounding::nearest, true)
                                         : nm::round_to<nm::E4M3>(number, Rounding::nearest, true));
}

/// F2FP to pairs of 8-bit numbers in the low half, the low half of c above them. detail[0]: e5m2;
/// detail[1]: the source is a pair of halves in b, not two single-precision numbers.
struct PackEightBits {
  Sign a, b;
  bool e5m2, from_halves, relu;
  explicit PackEightBits(const Operation& op)
      : a(op, 0), b(op, 1), e5m2(op.detail[0]), from_halves(op.detail[1]), relu((op.modifiers >> nan_at) & 1) {}
  std::uint32_t operator()(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    const nm::Unpacked high = from_halves ? nm::unpack<nm::Binary16>(y >> 16) : nm::unpack<nm::Binary32>(a(x));
    const nm::Unpacked low = from_halves ? nm::unpack<nm::Binary16>(y & 0xffff) : nm::unpack<nm::Binary32>(b(y));
    return z << 16 | pack_eight_bits(e5m2, high, relu) << 8 | pack_eight_bits(e5m2, low, relu);
  }
};

/// F2FP from a pair of 8-bit numbers (the low half of b, or with detail[1] the high one) to halves.
struct UnpackEightBits {
  bool e5m2, high_half, relu;
  explicit UnpackEightBits(const Operation& op)
      : e5m2(op.detail[0]), high_half(op.detail[1]), relu((op.modifiers >> nan_at) & 1) {}
  std::uint32_t one(std::uint32_t x) const {
    const nm::Unpacked number = e5m2 ? nm::unpack<nm::E5M2>(x) : nm::unpack<nm::E4M3>(x);
    const std::uint32_t result =
        number.kind == nm::Class::nan
            ? nm::Half::nan
            : static_cast<std::uint32_t>(nm::round_to<nm::Binary16>(number, Rounding::nearest));
    return relu ? nm::relu16<nm::Half>(result) : result;
  }
  std::uint32_t operator()(std::uint32_t, std::uint32_t y, std::uint32_t) const {
    const std::uint32_t pair = high_half ? y >> 16 : y & 0xffff;
    return one(pair >> 8) << 16 | one(pair & 0xff);
  }
};

/// Clamps a signed 32-bit integer. Kinds: 0 U8, 1 S8, 2 U16, 3 S16.
struct Clamp {
  std::int32_t low, high;
  explicit Clamp(unsigned kind) {
    static constexpr std::int32_t lows[8] = {0, -128, 0, -32768, 0, -2, 0, -8},
                                  highs[8] = {255, 127, 65535, 32767, 3, 1, 15, 7};
    low = lows[kind], high = highs[kind];
  }
  LANEBANK_INLINE std::uint32_t operator()(std::uint32_t x) const {
    const auto s = static_cast<std::int32_t>(x);
    return static_cast<std::uint32_t>(s < low ? low : s > high ? high : s);
  }
};
struct ClampOne {
  Clamp clamp;
  explicit ClampOne(const Operation& op) : clamp(op.detail[0] & 3) {}
  LANEBANK_INLINE std::uint32_t operator()(std::uint32_t x) const { return clamp(x); }
};
/// I2IP: a above b, in halves, or in 8, 4 or 2 bits with what there is room for of c above both (of bytes a half of it).
/// detail[0]: Clamp's kind; detail[1]: 0 the low bits are taken, 1 .SAT, 2 .SATRELU (and what is negative becomes 0).
struct PackIntegers {
  Clamp clamp;
  bool clamps;
  unsigned bits;
  std::uint32_t part;
  explicit PackIntegers(const Operation& op)
      : clamp(op.detail[0] & 7), clamps(op.detail[1] != 0), part((op.modifiers >> shift_at) & 31) {
    static constexpr std::uint8_t widths[4] = {8, 16, 2, 4};
    bits = widths[op.detail[0] >> 1 & 3];
    if (op.detail[1] == 2) clamp.low = 0;
  }
  LANEBANK_INLINE std::uint32_t operator()(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    if (clamps) x = clamp(x), y = clamp(y);
    const std::uint32_t mask = (1u << bits) - 1, above = bits == 16 ? 0 : (z >> part) << (2 * bits);
    return above | (x & mask) << bits | (y & mask);
  }
};

/// F2IP: a above b, each rounded to a byte that saturates, and a half of c above both. NaN gives 0x80, or 0
/// with .NTZ or .RELU. detail[0]: signed, detail[1]: .RELU.
template <Rounding mode>
struct PackBytes {
  Clamp clamp;
  std::uint32_t nan_byte, part;
  explicit PackBytes(const Operation& op)
      : clamp(op.detail[0] & 1),
        nan_byte((op.modifiers >> nan_at) & 1 || op.detail[1] != 0 ? 0 : 0x80),
        part((op.modifiers >> shift_at) & 31) {
    if (op.detail[1] != 0) clamp.low = 0;
  }
  LANEBANK_INLINE std::uint32_t one(std::uint32_t x) const {
    const std::uint32_t byte = clamp(nm::single_to_word<mode, true>(nm::bits_as<float>(x), 0)) & 0xff;
    return nm::select(nm::is_nan32(x), nan_byte, byte);
  }
  LANEBANK_INLINE std::uint32_t operator()(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    return (z >> part) << 16 | one(x) << 8 | one(y);
  }
};

// ------------------------------------------------------------------------------- fields of the word

/// Slot b of a conversion, with its signs; the register field 64:72 means nothing.
From source_operand(Lowering& l, bool wide, bool has_signs) {
  const Lowering::Operands kinds = l.operands(wide ? 2 : 1, 1, wide);
  no_bindless_constant(l);
  if (kinds.swapped) l.unsupported = "an operand form that this operation does not have";
  if (has_signs && !slot_b_is_literal(l)) l.op.modifiers |= signs_of_slot_b(l) << 2;
  return kinds.b;
}

/// A floating-point format field: 1 F16, 2 F32, 3 F64, 4 BF16.
Number number_format(Lowering& l, unsigned first_bit) {
  const auto value = static_cast<unsigned>(l.bits(first_bit, first_bit + 3));
  if (value < 1 || value > 4) {
    l.unsupported = "a number format that is not known";
    return Number::single;
  }
  return static_cast<Number>(value);
}
bool is_short(Number n) { return n == Number::half || n == Number::brain; }

/// Formats of source and result, rounding, flush, selection of the high half of a 16-bit source.
void number_fields(Lowering& l, Number from, Number to) {
  l.op.detail[0] = static_cast<std::uint8_t>(from);
  l.op.detail[1] = static_cast<std::uint8_t>(to);
  l.op.modifiers |= static_cast<std::uint32_t>(l.bits(78, 80)) << mode_at | std::uint32_t{l.bit(80)} << flush_at;
  if (is_short(from) && !slot_b_is_literal(l) && l.bit(60)) l.op.modifiers |= 16u << shift_at;
}

template <template <Rounding> class F, bool wide_source, bool wide_result>
Execute select_mode(Rounding mode, From b) {
  switch (mode) {
    case Rounding::nearest:
      return select_convert<F<Rounding::nearest>, wide_source, wide_result>(b);
    case Rounding::down:
      return select_convert<F<Rounding::down>, wide_source, wide_result>(b);
    case Rounding::up:
      return select_convert<F<Rounding::up>, wide_source, wide_result>(b);
    default:
      return select_convert<F<Rounding::zero>, wide_source, wide_result>(b);
  }
}

}  // namespace

void lower_I2FP(Lowering& l) {
  l.op.d = l.d();
  const From b = source_operand(l, false, false);
  if (l.bits(75, 78) != 2) l.unsupported = "I2FP to a format that is not known";
  if (l.bits(84, 86) != 2) l.unsupported = "I2FP from a format that is not known";
  l.op.execute = select_word_conversion<WordToSingle>(rounding_of(l), l.bit(74), b);
}

void lower_I2F(Lowering& l) {
  const Number to = number_format(l, 75);
  const auto size = static_cast<unsigned>(l.bits(84, 86));  // log2 of the bytes
  const bool is_signed = l.bit(74), wide_source = size == 3, wide_result = to == Number::twice;
  l.op.d = l.d(wide_result ? 2 : 1);
  const From b = source_operand(l, wide_source, false);
  l.op.detail[1] = static_cast<std::uint8_t>(to);
  l.op.modifiers |=
      static_cast<std::uint32_t>(l.bits(78, 80)) << mode_at | std::uint32_t{is_signed} << signed_at | size << size_at;
  if (size < 2 && !slot_b_is_literal(l)) {
    const auto part = static_cast<unsigned>(l.bits(60, 62));
    if (size == 1 && part > 1) l.unsupported = "a half of a word that is not known";
    l.op.modifiers |= (size == 0 ? 8 * part : 16 * (part & 1)) << shift_at;
  }
  if (size == 2 && to == Number::single)
    l.op.execute = select_word_conversion<WordToSingle>(rounding_of(l), is_signed, b);
  else if (size == 2 && wide_result)
    l.op.execute = is_signed ? select_convert<WordToDouble<true>, false, true>(b)
                             : select_convert<WordToDouble<false>, false, true>(b);
  else
    l.op.execute = select_convert<AnyInteger>(b, wide_source, wide_result);
}

void lower_F2I(Lowering& l) {
  const Number from = number_format(l, 84);
  const auto size = static_cast<unsigned>(l.bits(75, 77));
  const bool is_signed = l.bit(72), wide_source = from == Number::twice, wide_result = size == 3;
  l.op.d = l.d(wide_result ? 2 : 1);
  const From b = source_operand(l, wide_source, true);
  number_fields(l, from, from);
  l.op.modifiers |= std::uint32_t{is_signed} << signed_at | std::uint32_t{l.bit(77)} << nan_at | size << size_at;
  if (from == Number::single && size == 2)
    l.op.execute = select_word_conversion<SingleToWord>(rounding_of(l), is_signed, b);
  else
    l.op.execute = select_convert<AnyToInteger>(b, wide_source, wide_result);
}

void lower_F2F(Lowering& l) {
  const Number to = number_format(l, 75), from = number_format(l, 84);
  const bool wide_source = from == Number::twice, wide_result = to == Number::twice;
  l.op.d = l.d(wide_result ? 2 : 1);
  const From b = source_operand(l, wide_source, true);
  number_fields(l, from, to);
  if (from == Number::single && wide_result)
    l.op.execute = select_convert<SingleToDouble, false, true>(b);
  else if (wide_source && to == Number::single)
    l.op.execute = select_mode<DoubleToSingle, true, false>(rounding_of(l), b);
  else
    l.op.execute = select_convert<AnyToAny>(b, wide_source, wide_result);
}

void lower_FRND(Lowering& l) {
  const Number to = number_format(l, 75), from = number_format(l, 84);
  if (from != to) l.unsupported = "FRND between two formats";
  const bool wide = from == Number::twice;
  l.op.d = l.d(wide ? 2 : 1);
  const From b = source_operand(l, wide, true);
  number_fields(l, from, from);
  if (from == Number::single)
    l.op.execute = select_mode<RoundSingle, false, false>(rounding_of(l), b);
  else
    l.op.execute = select_convert<RoundAny>(b, wide, wide);
}

void lower_F2FP(Lowering& l) {
  l.op.d = l.d();
  const bool old = l.facts->architecture < 89;
  const unsigned to = unsigned{l.bit(76)} | (old ? 0u : unsigned{l.bit(87)} << 1);  // 0 F16, 1 BF16, 2 E5M2, 3 E4M3
  const unsigned from = old ? 0u : static_cast<unsigned>(l.bits(73, 75));           // 0 F32, 1 F16, 2 E5M2, 3 E4M3
  const bool merges = !old && l.bit(90), unpacks = !old && (merges ? !l.bit(78) : l.bit(89));
  l.op.a = l.a();
  const Lowering::Operands kinds = l.operands();
  no_bindless_constant(l);
  if (kinds.swapped) l.unsupported = "an operand form that this operation does not have";
  if (!slot_b_is_literal(l)) l.op.modifiers |= signs_of_slot_b(l) << 2;
  const auto mode = static_cast<std::uint32_t>(l.bits(79, 81));
  l.op.modifiers |= mode << mode_at | std::uint32_t{l.bit(77)} << signed_at | std::uint32_t{l.bit(75)} << nan_at;
  const bool plain = mode == 0 && !l.bit(75) && !l.bit(77);
  if (!old && l.bit(86)) {
    l.op.execute = select_binary<RoundToTensor32>(kinds.b);
    if (merges || !l.bit(89) || !l.bit(78) || to != 1 || from != 0 || l.bit(77))
      l.unsupported = "a combination of formats that is not known";
  } else if (!merges && !unpacks && to < 2 && from == 0 && l.bit(78)) {  // .MERGE_C: b below a half of c
    l.op.detail[0] = static_cast<std::uint8_t>(to);
    l.op.detail[1] = l.bit(72);
    l.op.execute = select_alu3<MergePair>(kinds);
  } else if (!merges && !unpacks && to < 2 && from == 0) {
    if (plain)
      l.op.execute = to == 1 ? select_binary<PackPair<nm::Brain, true>>(kinds.b)
                             : select_binary<PackPair<nm::Half, true>>(kinds.b);
    else
      l.op.execute = to == 1 ? select_binary<PackPair<nm::Brain, false>>(kinds.b)
                             : select_binary<PackPair<nm::Half, false>>(kinds.b);
  } else if (merges && to >= 2 && (unpacks ? from == 1 : from == 0) && mode == 0 && l.bit(77) &&
             !(unpacks && l.bit(88))) {
    l.op.detail[0] = to == 2;
    l.op.detail[1] = unpacks;
    l.op.execute = select_alu3<PackEightBits>(kinds);
  } else if (!merges && unpacks && to == 0 && from >= 2 && mode == 0 && !l.bit(77)) {
    l.op.detail[0] = from == 2;
    l.op.detail[1] = l.bit(88);
    l.op.execute = select_binary<UnpackEightBits>(kinds.b);
  } else {
    l.unsupported = "a combination of formats that is not known";
  }
}

void lower_I2I(Lowering& l) {
  l.op.d = l.d();
  const From b = source_operand(l, false, false);
  l.op.detail[0] = static_cast<std::uint8_t>(l.bits(76, 78));
  l.op.execute = select_convert<ClampOne, false, false>(b);
}

void lower_I2IP(Lowering& l) {
  l.op.d = l.d();
  l.op.a = l.a();
  const Lowering::Operands kinds = l.operands();
  no_bindless_constant(l);
  if (kinds.swapped) l.unsupported = "an operand form that this operation does not have";
  l.op.detail[0] = static_cast<std::uint8_t>(l.bits(76, 79));
  // 74:76: 1 .SAT, 2 .SATRELU of sm_90; before it 0 is .SAT, and sm_75 has nothing else.
  const auto clamps = static_cast<std::uint8_t>(l.bits(74, 76));
  l.op.detail[1] = l.facts->architecture >= 90 ? clamps : clamps == 0 ? 1 : clamps;
  if (l.op.detail[1] == 3) l.unsupported = "a saturation that is not known";
  // 72:74: the part of c, 1 its upper half; 2 and 3, of 4 and of 2 bits, its lower 24 and 28 bits.
  const auto part = static_cast<unsigned>(l.bits(72, 74));
  if (l.bit(73) && part != (l.bits(76, 79) >= 6 ? 2u : 3u)) l.unsupported = "a half of a word that is not known";
  l.op.modifiers |= (part == 1 ? 16u : 0u) << shift_at;
  l.op.execute = select_alu3<PackIntegers>(kinds);
}

void lower_F2IP(Lowering& l) {
  l.op.d = l.d();
  l.op.a = l.a();
  const Lowering::Operands kinds = l.operands();
  no_bindless_constant(l);
  const Rounding mode = rounding_of(l);
  const bool is_signed = l.bit(76), relu = l.bit(75);
  if (l.bit(77)) l.unsupported = "a byte format that is not known";
  if (mode != Rounding::nearest && mode != Rounding::zero) l.unsupported = "a rounding that F2IP does not have";
  if (relu && !is_signed) l.unsupported = "F2IP.U8.RELU, which an H200 does not execute either";
  l.op.modifiers |= std::uint32_t{l.bit(74)} << nan_at | (l.bit(72) ? 16u : 0u) << shift_at;
  l.op.detail[0] = is_signed;
  l.op.detail[1] = relu;
  l.op.execute = mode == Rounding::zero ? select_alu3<PackBytes<Rounding::zero>>(kinds)
                                        : select_alu3<PackBytes<Rounding::nearest>>(kinds);
}

}  // namespace lanebank::machine::LANEBANK_SIMD
