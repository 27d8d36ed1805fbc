// Warpgroup products (HGMMA, QGMMA, IGMMA, BGMMA): D (64 x n) = A (64 x k) B (k x n) + C, with B and often A in
// shared memory. k elements are always 32 bytes; of a sparse A, 32 bytes of each row are there and B has 64. Warp w of
// the group owns rows 16 w .. 16 w + 15 and needs
// nothing of the other three, so each warp computes its part when it executes the instruction.
//
// A matrix descriptor (64 bits, lengths in units of 16 bytes):
//   0:14 start address   16:30 leading offset L   32:46 stride offset S   49:52 base offset   62:64 swizzle
//   swizzle 0: none, 1: 128 bytes, 2: 64 bytes, 3: 32 bytes; its width W is 1, 8, 4, 2 units
//
// Where element (m, k) lies, from the start address (T elements fill 16 bytes; m counts rows of A, columns of B):
//   K-major, no swizzle    16 (m%8) + S (m/8) + (k%T) e + L (k/T)                 e = bytes of an element
//   K-major, swizzled      16 W (m%8) + S (m/8) + (k%(T W)) e + L (k/(T W)): L counts where 64 bytes of k are wider than W
//   MN-major, no swizzle   (m%T) e + S (m/T) + 16 (k%8) + L (k/8)
//   MN-major, swizzled     (m%(T W)) e + L (m/(T W)) + 16 W (k%8) + S (k/8)
// Swizzled, bits 4.. of the address are then XORed with bits 7.., as many as log2 W.
// Source: PTX ISA, asynchronous warpgroup-level matrix shared memory layout.
#include "machine/lanes/access.hpp"
#include "machine/lanes/fault.hpp"
#include "machine/lanes/lane.hpp"
#include "machine/lanes/sparse_lane.hpp"
#include "machine/lanes/tensor_lane.hpp"
#include "machine/launch_state.hpp"
#include "machine/numerics/tensor.hpp"
#include "machine/scheduler.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

namespace nm = ::lanebank::machine::numerics;

inline constexpr unsigned row_bytes = 32;  ///< of a row of A; of B, unless A is sparse
inline constexpr unsigned largest_n = 256;
inline constexpr unsigned group_rows = 64;  ///< of A, of all four warps

/// Operation::modifiers.
enum GroupModifier : std::uint32_t {
  a_in_registers = 1,
  transpose_a = 2,
  transpose_b = 4,
  negate_product = 8,
  single_sum = 16,      ///< accumulators are single precision, else half
  no_accumulator = 32,  ///< C is RZ
  discard_result = 64,  ///< D is RZ
  a_is_signed = 128,
  b_is_signed = 256,
  saturating = 512,
  sparse_a = 1024,
};

struct Descriptor {
  std::uint32_t start, leading, stride;
  unsigned width;  ///< of the swizzle, in 16 bytes
  unsigned base_offset;

  explicit Descriptor(std::uint64_t bits)
      : start(static_cast<std::uint32_t>(bits & 0x3fff) * 16),
        leading(static_cast<std::uint32_t>((bits >> 16) & 0x3fff) * 16),
        stride(static_cast<std::uint32_t>((bits >> 32) & 0x3fff) * 16),
        base_offset(static_cast<unsigned>((bits >> 49) & 7)) {
    static constexpr unsigned widths[4] = {1, 8, 4, 2};
    width = widths[bits >> 62];
  }
  /// Address of the 16 bytes that hold row m, unit u of 16 bytes along k.
  std::uint32_t k_major(unsigned m, unsigned u) const {
    return width == 1
               ? swizzled(start + 16 * (m % 8) + stride * (m / 8) + leading * u)
               : swizzled(start + 16 * width * (m % 8) + stride * (m / 8) + 16 * (u % width) + leading * (u / width));
  }
  /// Address of the 16 bytes that hold rows 8 u .. 8 u + 7 (of 16 bits) at k.
  std::uint32_t mn_major(unsigned u, unsigned k) const {
    return width == 1
               ? swizzled(start + stride * u + 16 * (k % 8) + leading * (k / 8))
               : swizzled(start + 16 * (u % width) + leading * (u / width) + 16 * width * (k % 8) + stride * (k / 8));
  }

 private:
  std::uint32_t swizzled(std::uint32_t address) const { return address ^ ((address >> 7) & (width - 1)) << 4; }
};

/// The 64 bits of the descriptor in a pair of uniform registers.
std::uint64_t descriptor_at(const Warp& w, unsigned number) {
  return w.uniform[number] | std::uint64_t{w.uniform[number + 1]} << 32;
}

/// Reads `count` rows from row `first` on into rows of `bytes` along k; false with a fault raised.
template <unsigned bytes>
bool read_operand(Warp& w, const Operation* op, std::uint64_t bits, bool transposed, unsigned first, unsigned count,
                  std::uint8_t (*rows)[bytes]) {
  const Descriptor descriptor(bits);
  if (descriptor.base_offset != 0) {
    raise_unsupported(w, op, "a matrix descriptor with a base offset");
    return false;
  }
  const auto place = [&](std::uint32_t address) -> const std::uint8_t* {
    const std::uint32_t offset = address - w.launch->facts->shared_window_base;
    if (offset <= w.shared_bytes && w.shared_bytes - offset >= 16) return w.shared + offset;
    shared_fault(w, op, first_lane(w.active), address, 16);
    return nullptr;
  };
  if (!transposed) {
    for (unsigned m = 0; m < count; ++m)
      for (unsigned u = 0; u < bytes / 16; ++u) {
        const std::uint8_t* from = place(descriptor.k_major(first + m, u));
        if (from == nullptr) return false;
        std::memcpy(&rows[m][16 * u], from, 16);
      }
    return true;
  }
  for (unsigned k = 0; k < bytes / 2; k += 8)
    for (unsigned m = 0; m < count; m += 8) {
      const std::uint8_t* from[8];
      for (unsigned i = 0; i < 8; ++i) {
        from[i] = place(descriptor.mn_major((first + m) / 8, k + i));
        if (from[i] == nullptr) return false;
      }
      turn_halves(from, &rows[m][2 * k], bytes);
    }
  return true;
}

/// The rows of A that this warp owns and all columns of B, along k.
template <unsigned b_bytes>
struct Operands {
  std::uint8_t a[16][row_bytes];
  std::uint8_t b[largest_n][b_bytes];
};

/// detail[0]: n / 8. Publishes what the warpgroup reads; false with a fault raised.
template <unsigned b_bytes>
bool read_operands(Warp& w, const Operation* op, Operands<b_bytes>& operands) {
  const unsigned n = 8u * op->detail[0];
  const bool registers = op->modifiers & a_in_registers;
  if (registers) {
    gather_rows(w, op->a, 4, operands.a);
  } else {
    if (!read_operand(w, op, descriptor_at(w, op->uniform), op->modifiers & transpose_a, 16 * (w.place.warp % 4), 16,
                      operands.a))
      return false;
  }
  if (!read_operand(w, op, descriptor_at(w, op->uniform + (registers ? 0u : 2u)), op->modifiers & transpose_b, 0, n,
                    operands.b))
    return false;
  return true;
}

/// Where the units of 16 bytes that a warpgroup reads lie, from the block's first shared byte.
struct OperandUnits {
  std::uint32_t count = 0;
  std::uint32_t offsets[(group_rows * row_bytes + largest_n * 2 * row_bytes) / 16];

  /// Of an operand of `rows` rows with `bytes` along k; returns within which they lie.
  ByteRange add(const Warp& w, std::uint64_t bits, bool transposed, unsigned rows, unsigned bytes) {
    const Descriptor descriptor(bits);
    std::uint32_t first = ~0u, last = 0;
    for (unsigned m = 0; m < rows; m += transposed ? 8 : 1)
      for (unsigned k = 0; k < (transposed ? bytes / 2 : bytes / 16); ++k) {
        const std::uint32_t address = transposed ? descriptor.mn_major(m / 8, k) : descriptor.k_major(m, k);
        const std::uint32_t offset = address - w.launch->facts->shared_window_base;
        offsets[count++] = offset;
        first = offset < first ? offset : first;
        last = offset > last ? offset : last;
      }
    return {first, last + 16};
  }
};

void publish_operands(const Warp& w, const Operation* op, std::uint32_t mask) {
  if (w.place.warp % 4 != 0 || w.worker->shared_listeners.empty()) return;
  const bool registers = op->modifiers & a_in_registers;
  const unsigned n = 8u * op->detail[0], b_bytes = op->modifiers & sparse_a ? 2 * row_bytes : row_bytes;
  SharedAccess access{.instruction = op->instruction,
                      .kind = SharedKind::matrix_operand,
                      .lane_bytes = 16,
                      .mask = mask,
                      .bytes = mask == 0 ? 0 : n * b_bytes + (registers ? 0u : group_rows * row_bytes)};
  OperandUnits units;
  if (mask != 0) {
    if (!registers)
      access.operands[0] =
          units.add(w, descriptor_at(w, op->uniform), op->modifiers & transpose_a, group_rows, row_bytes);
    const unsigned b = op->uniform + (registers ? 0u : 2u);
    access.operands[1] = units.add(w, descriptor_at(w, b), op->modifiers & transpose_b, n, b_bytes);
    access.addresses = units.offsets;
  }
  publish_shared(w, access);
}

LANEBANK_INLINE bool accumulates(const Warp& w, const Operation* op) {
  return !(op->modifiers & no_accumulator) && predicate_in(w, op, 0) != 0;
}

/// HGMMA, QGMMA.
template <nm::Element format_a, nm::Element format_b>
const Operation* multiply_floats(Warp& w, const Operation* op) {
  constexpr unsigned depth = 8 * row_bytes / nm::element_bits(format_a);
  const std::uint32_t mask = begin(w, op);
  publish_operands(w, op, mask);
  if (mask == 0) return op + 1;
  Operands<row_bytes> operands;
  if (!read_operands(w, op, operands)) return nullptr;
  Multiplier<format_a, format_b, depth> product;
  turn_rows(operands.a, product.a);
  product.begin(op->modifiers & negate_product, nm::sum_rule(90, format_a));
  const bool single = op->modifiers & single_sum, with_c = accumulates(w, op);
  for (unsigned g = 0; g < op->detail[0]; ++g) {
    nm::TileC c = {};
    if (with_c) load_sums(w, op->c + (single ? 4 : 2) * g, single, c);
    product.add(&operands.b[8 * g], !single, c);
    if (!(op->modifiers & discard_result)) store_sums(w, op->d + (single ? 4 : 2) * g, single, mask, c);
  }
  return op + 1;
}

/// HGMMA.SP, QGMMA.SP: `depth` elements of a row of A are there. b: row of the metadata; detail[1]: formats of A and of B
/// (low and high four bits); immediate[0]: selector of the metadata's lanes.
template <unsigned depth>
const Operation* multiply_sparse_floats(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  publish_operands(w, op, mask);
  if (mask == 0) return op + 1;
  Operands<2 * row_bytes> operands;
  if (!read_operands(w, op, operands)) return nullptr;
  const auto format_a = static_cast<nm::Element>(op->detail[1] & 15),
             format_b = static_cast<nm::Element>(op->detail[1] >> 4);
  std::uint64_t metadata[16];
  load_metadata(w, op->b, nm::element_bits(format_a) == 8, row_bytes, op->immediate[0], metadata);
  nm::TileA<depth> a;
  nm::fill_any_a(format_a, operands.a, op->modifiers & negate_product, a);
  const bool single = op->modifiers & single_sum, with_c = accumulates(w, op);
  for (unsigned g = 0; g < op->detail[0]; ++g) {
    nm::TileC c = {};
    if (with_c) load_sums(w, op->c + (single ? 4 : 2) * g, single, c);
    nm::TileB<2 * depth> b;
    nm::fill_any_b(format_b, &operands.b[8 * g], b);
    nm::multiply_sparse(a, b, metadata, format_a == nm::Element::tensor32, c, nm::sum_rule(90, format_a), !single);
    if (!(op->modifiers & discard_result)) store_sums(w, op->d + (single ? 4 : 2) * g, single, mask, c);
  }
  return op + 1;
}

LANEBANK_INLINE std::int32_t byte_value(std::uint8_t byte, bool is_signed) {
  return is_signed ? static_cast<std::int8_t>(byte) : static_cast<std::int32_t>(byte);
}

/// The columns 8 g .. 8 g + 7 of an integer product: the accumulators' and the sums.
inline void store_integers(Warp& w, const Operation* op, unsigned g, bool with_c, std::uint32_t mask,
                           const std::int32_t (&sum)[16][8]) {
  for (unsigned i = 0; i < 4; ++i) {
    alignas(64) std::uint32_t result[32];
    const std::uint32_t* c = w.row(op->c + (with_c ? 4 * g + i : 0));
    for (unsigned l = 0; l < 32; ++l) {
      const std::int64_t total =
          std::int64_t{with_c ? static_cast<std::int32_t>(c[l]) : 0} + sum[l / 4 + 8 * (i >> 1)][2 * (l % 4) + (i & 1)];
      const std::int64_t clamped = total > INT32_MAX ? INT32_MAX : total < INT32_MIN ? INT32_MIN : total;
      result[l] = static_cast<std::uint32_t>(op->modifiers & saturating ? clamped : total);
    }
    blend(mask, result, w.row(op->d + 4 * g + i));
  }
}

/// IGMMA (bytes), and BGMMA (bits) when `bits`.
template <bool bits>
const Operation* multiply_integers(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  publish_operands(w, op, mask);
  if (mask == 0) return op + 1;
  Operands<row_bytes> operands;
  if (!read_operands(w, op, operands)) return nullptr;
  const bool with_c = accumulates(w, op), signed_a = op->modifiers & a_is_signed,
             signed_b = op->modifiers & b_is_signed;
  if (op->modifiers & discard_result) return op + 1;
  for (unsigned g = 0; g < op->detail[0]; ++g) {
    alignas(64) std::int32_t sum[16][8] = {};
    for (unsigned k = 0; k < row_bytes; ++k) {
      std::int32_t x[16], y[8];
      for (unsigned m = 0; m < 16; ++m) x[m] = byte_value(operands.a[m][k], signed_a);
      for (unsigned n = 0; n < 8; ++n) y[n] = byte_value(operands.b[8 * g + n][k], signed_b);
      for (unsigned m = 0; m < 16; ++m)
        for (unsigned n = 0; n < 8; ++n)
          sum[m][n] += bits ? std::popcount(static_cast<std::uint32_t>(x[m] & y[n])) : x[m] * y[n];
    }
    store_integers(w, op, g, with_c, mask, sum);
  }
  return op + 1;
}

/// IGMMA.SP. b: row of the metadata.
const Operation* multiply_sparse_integers(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  publish_operands(w, op, mask);
  if (mask == 0) return op + 1;
  Operands<2 * row_bytes> operands;
  if (!read_operands(w, op, operands)) return nullptr;
  if (op->modifiers & discard_result) return op + 1;
  std::uint64_t metadata[16];
  load_metadata(w, op->b, true, row_bytes, 0, metadata);
  const bool with_c = accumulates(w, op);
  for (unsigned g = 0; g < op->detail[0]; ++g) {
    alignas(64) std::int32_t sum[16][8] = {};
    add_sparse_integers<8>(operands.a, &operands.b[8 * g], metadata, row_bytes, op->modifiers & a_is_signed,
                           op->modifiers & b_is_signed, sum);
    store_integers(w, op, g, with_c, mask, sum);
  }
  return op + 1;
}

const Operation* no_effect(Warp& w, const Operation* op) {
  begin(w, op);
  return op + 1;
}

const Operation* meet(Warp& w, const Operation* op) {
  if (begin(w, op) == 0) return op + 1;
  ++w.block->progress;
  return give_way(w, op + 1);
}

/// Fields that all warpgroup products share. `sums`: registers of C and of D.
void lower_group(Lowering& l, unsigned n, unsigned sums) {
  const bool registers = l.bits(9, 12) == 6;  // opcodes df0.., A in registers; 9f0..: descriptors of A and B
  if (l.bit(73)) {
    l.op.modifiers |= sparse_a;
    l.op.b = l.source(unsigned(l.bits(40, 48)));
    if (l.bit(74)) l.unsupported = "a sparse product with .REGOFFSET";
  }
  if (n == 0 || n > largest_n) n = 8, l.unsupported = "a matrix shape that is not known";
  l.op.detail[0] = static_cast<std::uint8_t>(n / 8);
  if (registers) {
    l.op.modifiers |= a_in_registers;
    l.op.a = l.a(4);
    // The field names a group of four registers as in the other form: B's descriptor is the upper pair.
    l.op.uniform = static_cast<std::uint8_t>((l.bits(32, 38) + 2) & 63);
  } else {
    l.op.uniform = static_cast<std::uint8_t>(l.bits(24, 30));
  }
  // The rows of zeros and the sink are too few for these operands.
  if (l.bits(64, 72) == 255)
    l.op.modifiers |= no_accumulator;
  else
    l.op.c = l.source(unsigned(l.bits(64, 72)), sums);
  if (l.bits(16, 24) == 255)
    l.op.modifiers |= discard_result;
  else
    l.op.d = l.d(sums);
  // Bits 87:90 name the uniform predicate that keeps C, 0 for UPT; bit 90 negates.
  l.op.predicate_in[0] = Lowering::uniform_predicate(7 - unsigned(l.bits(87, 90)));
  l.op.predicate_in_flip[0] = l.bit(90) ? ~std::uint32_t{0} : 0;
}

std::uint32_t sign_of_product(const Lowering& l) { return l.bit(72) != l.bit(63) ? std::uint32_t{negate_product} : 0; }

/// n of IGMMA: 8, 16, 24, 32, then steps of 16; three codes for each, the first is dense, the second sparse.
unsigned integer_columns(unsigned code, bool sparse) {
  const unsigned step = code / 3;
  if (code % 3 != (sparse ? 1u : 0u) || step > 17) return 0;
  return step < 4 ? 8 * (step + 1) : 16 * (step - 1);
}

}  // namespace

void lower_HGMMA(Lowering& l) {
  const unsigned n = 8 * (static_cast<unsigned>(l.bits(53, 58)) + 1);
  const bool single = l.bit(75);
  const auto type = static_cast<unsigned>(l.bits(76, 78));   // 0 F16, 1 BF16, 2 TF32
  const auto shape = static_cast<unsigned>(l.bits(58, 60));  // k: 0 16, 1 8, 2 32
  const bool registers = l.bits(9, 12) == 6;
  l.op.modifiers = (single ? std::uint32_t{single_sum} : 0) | sign_of_product(l);
  if (l.bit(61) && !registers) l.op.modifiers |= transpose_a;
  if (l.bit(62)) l.op.modifiers |= transpose_b;
  lower_group(l, n, single ? n / 2 : n / 4);
  if (type == 3 || (type != 0 && !single)) l.unsupported = "a number format that is not known";
  const bool sparse = l.bit(73);
  if (shape != (type == 2 ? (sparse ? 0u : 1u) : (sparse ? 2u : 0u)))
    l.unsupported = "a matrix shape that is not known";
  if (type == 2 && (l.op.modifiers & (transpose_a | transpose_b)))
    l.unsupported = "a transposed matrix of 32-bit elements";
  using nm::Element;
  if (sparse) {
    const auto format = static_cast<std::uint8_t>(type % 3);
    l.op.detail[1] = static_cast<std::uint8_t>(format | format << 4);
    l.op.immediate[0] = static_cast<std::uint32_t>(l.bits(48, 50));
    l.op.execute = type == 2 ? &multiply_sparse_floats<8> : &multiply_sparse_floats<16>;
    return;
  }
  l.op.execute = type == 2   ? &multiply_floats<Element::tensor32, Element::tensor32>
                 : type == 1 ? &multiply_floats<Element::brain, Element::brain>
                             : &multiply_floats<Element::half, Element::half>;
}

void lower_QGMMA(Lowering& l) {
  const unsigned n = 8 * (static_cast<unsigned>(l.bits(53, 58)) + 1);
  const bool single = l.bit(75);
  l.op.modifiers = (single ? std::uint32_t{single_sum} : 0) | sign_of_product(l);
  lower_group(l, n, single ? n / 2 : n / 4);
  if (l.bit(58) != l.bit(73)) l.unsupported = "a matrix shape that is not known";
  if (l.bits(61, 63) != 0) l.unsupported = "a transposed matrix of 8-bit elements";
  using nm::Element;
  if (l.bit(73)) {
    const unsigned a = unsigned(Element::e4m3) + l.bit(76), b = unsigned(Element::e4m3) + l.bit(77);
    l.op.detail[1] = static_cast<std::uint8_t>(a | b << 4);
    l.op.execute = &multiply_sparse_floats<32>;
    return;
  }
  static constexpr Execute by_formats[2][2] = {
      {&multiply_floats<Element::e4m3, Element::e4m3>, &multiply_floats<Element::e4m3, Element::e5m2>},
      {&multiply_floats<Element::e5m2, Element::e4m3>, &multiply_floats<Element::e5m2, Element::e5m2>},
  };
  l.op.execute = by_formats[l.bit(76)][l.bit(77)];
}

void lower_IGMMA(Lowering& l) {
  const unsigned n = integer_columns(static_cast<unsigned>(l.bits(53, 59)), l.bit(73));
  l.op.modifiers = (l.bit(76) ? std::uint32_t{a_is_signed} : 0) | (l.bit(82) ? std::uint32_t{b_is_signed} : 0) |
                   (l.bit(75) ? std::uint32_t{saturating} : 0);
  lower_group(l, n, n / 2);
  if (l.bit(77) || l.bit(83)) l.unsupported = "a number format that is not known";
  if (l.bits(61, 63) != 0) l.unsupported = "a transposed matrix of 8-bit elements";
  l.op.execute = l.bit(73) ? &multiply_sparse_integers : &multiply_integers<false>;
}

void lower_BGMMA(Lowering& l) {
  const auto step = static_cast<unsigned>(l.bits(53, 58));
  const unsigned n = step > 17 ? 0 : step < 4 ? 8 * (step + 1) : 16 * (step - 1);
  lower_group(l, n, n / 2);
  if (l.bit(73)) l.unsupported = "a sparse product of bits";
  if (l.bits(77, 79) != 2 || !l.bit(80)) l.unsupported = "a bit operation that is not known";
  l.op.execute = &multiply_integers<true>;
}

/// ARRIVE, DEPBAR: the hardware begins and ends the products of a warpgroup for all its warps at once. Giving way comes near to
/// that: the others get as far, but for where they stood before. It matters to code that lacks a barrier before its products.
/// Products are complete when they have been executed.
void lower_WARPGROUP(Lowering& l) { l.op.execute = l.bits(79, 81) == 1 ? &no_effect : &meet; }

}  // namespace lanebank::machine::LANEBANK_SIMD
