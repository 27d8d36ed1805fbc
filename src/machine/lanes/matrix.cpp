// Matrix loads, stores and transposition (LDSM, STSM, MOVM) and the warp-wide products HMMA, IMMA, BMMA, DMMA.
//
// Fragments. A register holds p neighbouring elements (p = 32 / element bits). With lane l, register i,
// element j:
//   A: row l/4 + 8 (i & 1), k = p (l % 4) + j + 4 p (i >> 1)        (shapes with 8 rows: one register)
//   B: k = p (l % 4) + j + 4 p i, column l/4
//   C, D: row l/4 + 8 (i >> 1), column 2 (l % 4) + (i & 1)          (half accumulators: two columns a register)
#include "machine/lanes/access.hpp"
#include "machine/lanes/fault.hpp"
#include "machine/lanes/lane.hpp"
#include "machine/lanes/sparse_lane.hpp"
#include "machine/lanes/tensor_lane.hpp"
#include "machine/launch_state.hpp"
#include "machine/numerics/binary64.hpp"
#include "machine/numerics/tensor.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

namespace nm = ::lanebank::machine::numerics;

// ------------------------------------------------------------------------------- LDSM, STSM, MOVM

/// The rows of a matrix load or store: offsets from the block's first shared byte. Lanes that are off stand
/// where the first active one stands.
struct MatrixRows {
  alignas(64) std::uint32_t at[32];

  MatrixRows(Warp& w, const Operation* op, std::uint32_t mask) {
    const std::uint32_t base = static_cast<std::uint32_t>(op->offset) + w.uniform[op->uniform] - w.shared_window;
    const std::uint32_t* a = w.row(op->a);
    LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) at[i] = a[i] + base;
    const std::uint32_t first = at[first_lane(mask)];
    LANEBANK_LANES for (unsigned i = 0; i < 32; ++i) at[i] = (mask >> i) & 1u ? at[i] : first;
  }
  /// Checks the rows of lanes 0..count-1; raises the fault of the first bad one.
  bool check(Warp& w, const Operation* op, unsigned count) {
    if (inside(w, count)) return true;
    if (w.launch->facts->shared_window_base != 0 && !w.block->cluster.empty()) {
      for (std::uint32_t& offset : at) offset &= 0xffffff;  // the block's own memory, named with its rank
      if (inside(w, count)) return true;
    }
    for (unsigned i = 0; i < count; ++i) {
      const std::uint32_t window = at[i] + w.shared_window;
      if (at[i] % 16 != 0) return misaligned_fault(w, op, i, window, 16), false;
      if (at[i] > w.shared_bytes || w.shared_bytes - at[i] < 16) return shared_fault(w, op, i, window, 16), false;
    }
    return true;
  }

 private:
  bool inside(const Warp& w, unsigned count) const {
    std::uint32_t bad = 0;
    for (unsigned i = 0; i < count; ++i)
      bad |= (at[i] % 16) | (at[i] > w.shared_bytes || w.shared_bytes - at[i] < 16 ? 1u : 0u);
    return bad == 0;
  }
};

void publish_rows(const Warp& w, const Operation* op, SharedKind kind, unsigned matrices, std::uint32_t mask,
                  const std::uint32_t* addresses) {
  publish_shared(w, {.instruction = op->instruction,
                     .kind = kind,
                     .lane_bytes = 16,
                     .matrices = static_cast<std::uint8_t>(matrices),
                     .mask = mask,
                     .addresses = addresses});
}

/// Register of an 8x8 matrix of 16-bit elements from its rows, transposed: element (2 (l%4) + h, l/4) of the rows.
LANEBANK_INLINE void transpose_rows(const std::uint8_t* const (&rows)[8], std::uint32_t* d) {
  turn_halves(rows, reinterpret_cast<std::uint8_t*>(d), 16);
}
/// The same from the register that holds them.
LANEBANK_INLINE void transpose_register(const std::uint32_t* source, std::uint32_t* d) {
  const std::uint8_t* rows[8];
  for (unsigned r = 0; r < 8; ++r) rows[r] = reinterpret_cast<const std::uint8_t*>(source + 4 * r);
  transpose_rows(rows, d);
}

template <unsigned matrices, bool transposed>
const Operation* load_matrices(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) {
    publish_rows(w, op, SharedKind::matrix_load, matrices, 0, nullptr);
    return op + 1;
  }
  MatrixRows rows(w, op, mask);
  if (!rows.check(w, op, 8 * matrices)) return nullptr;
  publish_rows(w, op, SharedKind::matrix_load, matrices, mask, rows.at);
  alignas(64) std::uint32_t result[matrices][32];
  for (unsigned q = 0; q < matrices; ++q) {
    if constexpr (transposed) {
      const std::uint8_t* from[8];
      for (unsigned r = 0; r < 8; ++r) from[r] = w.shared + rows.at[8 * q + r];
      transpose_rows(from, result[q]);
    } else {
      for (unsigned r = 0; r < 8; ++r) std::memcpy(&result[q][4 * r], w.shared + rows.at[8 * q + r], 16);
    }
  }
  for (unsigned q = 0; q < matrices; ++q) blend(mask, result[q], w.row(op->d + q));
  return op + 1;
}

template <unsigned matrices, bool transposed>
const Operation* store_matrices(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) {
    publish_rows(w, op, SharedKind::matrix_store, matrices, 0, nullptr);
    return op + 1;
  }
  MatrixRows rows(w, op, mask);
  if (!rows.check(w, op, 8 * matrices)) return nullptr;
  publish_rows(w, op, SharedKind::matrix_store, matrices, mask, rows.at);
  ++w.stores;
  for (unsigned q = 0; q < matrices; ++q) {
    const std::uint32_t* source = w.row(op->b + q);
    std::uint32_t turned[32];
    if constexpr (transposed) {  // which is its own inverse: rows of the source fragment become columns
      transpose_register(source, turned);
      source = turned;
    }
    for (unsigned r = 0; r < 8; ++r) std::memcpy(w.shared + rows.at[8 * q + r], &source[4 * r], 16);
  }
  return op + 1;
}

const Operation* transpose_fragment(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  alignas(64) std::uint32_t result[32];
  transpose_register(w.row(op->a), result);
  blend(mask, result, w.row(op->d));
  return op + 1;
}

/// Address, number of matrices (72:74) and transposition (78); `uniform_field`: place of the uniform register.
void lower_rows(Lowering& l, unsigned uniform_field) {
  l.op.a = l.a();
  l.op.offset = static_cast<std::int32_t>(l.word.signed_bits(40, 64));
  if (l.bit(91)) l.op.uniform = static_cast<std::uint8_t>(l.bits(uniform_field, uniform_field + 6));
  if (l.bits(72, 74) == 3) l.unsupported = "a number of matrices that is not known";
  if (l.bits(75, 78) != 0 || l.bit(79)) l.unsupported = "a matrix layout other than 8x8 of 16 bits";
}

// ------------------------------------------------------------------------------- products

/// Operation::modifiers of HMMA.
enum MatrixModifier : std::uint32_t { negate_a = 1, single_sum = 2 };

/// The registers of B as columns of bytes along k: four lanes hold 16 neighbouring bytes.
template <unsigned bytes>
LANEBANK_INLINE void gather_columns(Warp& w, unsigned first, unsigned registers, std::uint8_t (*columns)[bytes]) {
  for (unsigned i = 0; i < registers; ++i)
    for (unsigned n = 0; n < 8; ++n) std::memcpy(&columns[n][16 * i], &w.row(first + i)[4 * n], 16);
}

/// detail[1]: architecture.
template <nm::Element format, unsigned depth>
const Operation* multiply_floats(Warp& w, const Operation* op) {
  constexpr unsigned b_registers = depth * nm::element_bits(format) / 128;
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  const bool single = op->modifiers & single_sum;
  std::uint8_t columns[8][32];
  gather_columns(w, op->b, b_registers, columns);
  nm::TileC c;
  load_sums(w, op->c, single, c);
  Multiplier<format, format, depth> product;
  turn_registers(w, op->a, product.a);
  product.begin(op->modifiers & negate_a, nm::sum_rule(op->detail[1], format));
  product.add(columns, !single, c);
  store_sums(w, op->d, single, mask, c);
  return op + 1;
}

/// Formats of A and of B in detail[0] of products whose formats are known when they run.
constexpr std::uint8_t pack_formats(nm::Element a, nm::Element b) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(a) | static_cast<unsigned>(b) << 4);
}

/// HMMA.SP and QMMA; `depth`: elements of a row of A that are there. immediate[0], [1]: row of the metadata, selector.
template <unsigned depth, bool sparse>
const Operation* multiply_any_floats(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  const auto format_a = static_cast<nm::Element>(op->detail[0] & 15),
             format_b = static_cast<nm::Element>(op->detail[0] >> 4);
  const unsigned row_bytes = depth * nm::element_bits(format_a) / 8;
  const bool single = op->modifiers & single_sum;
  std::uint8_t rows[16][4 * depth], columns[8][8 * depth];
  gather_rows(w, op->a, row_bytes / 8, rows);
  gather_columns(w, op->b, row_bytes / (sparse ? 8 : 16), columns);
  nm::TileC c;
  load_sums(w, op->c, single, c);
  nm::TileA<depth> a;
  nm::TileB<sparse ? 2 * depth : depth> b;
  nm::fill_any_a(format_a, rows, op->modifiers & negate_a, a);
  nm::fill_any_b(format_b, columns, b);
  const nm::SumRule rule = nm::sum_rule(op->detail[1], format_a);
  if constexpr (sparse) {
    std::uint64_t metadata[16];
    load_metadata(w, op->immediate[0], nm::element_bits(format_a) == 8, row_bytes, op->immediate[1], metadata);
    nm::multiply_sparse(a, b, metadata, format_a == nm::Element::tensor32, c, rule, !single);
  } else {
    nm::multiply_tiles(a, b, c, rule, !single);
  }
  store_sums(w, op->d, single, mask, c);
  return op + 1;
}

/// Of integer products; `bits`: of an element (8, 4; 1: bits are counted).
enum IntegerModifier : std::uint32_t { a_signed = 1, b_signed = 2, saturating = 4, bits_and = 8 };

LANEBANK_INLINE std::int32_t integer_element(std::uint32_t word, unsigned index, unsigned bits, bool is_signed) {
  const std::uint32_t raw = word << (32 - bits * (index + 1));
  return is_signed ? static_cast<std::int32_t>(raw) >> (32 - bits) : static_cast<std::int32_t>(raw >> (32 - bits));
}

/// What the products of one word of A in every row and one word of B in every column add to the sums.
/// Products of up to 64 bytes fit a word.
template <unsigned bits>
LANEBANK_INLINE void add_words(const std::uint32_t (&a)[16], const std::uint32_t (&b)[8], std::uint32_t modifiers,
                               std::int32_t (&sum)[16][8]) {
  if constexpr (bits == 1) {
    for (unsigned r = 0; r < 16; ++r)
      for (unsigned n = 0; n < 8; ++n) sum[r][n] += std::popcount(modifiers & bits_and ? a[r] & b[n] : a[r] ^ b[n]);
  } else {
    for (unsigned j = 0; j < 32 / bits; ++j) {
      std::int32_t x[16], y[8];
      for (unsigned r = 0; r < 16; ++r) x[r] = integer_element(a[r], j, bits, modifiers & a_signed);
      for (unsigned n = 0; n < 8; ++n) y[n] = integer_element(b[n], j, bits, modifiers & b_signed);
      for (unsigned r = 0; r < 16; ++r)
        for (unsigned n = 0; n < 8; ++n) sum[r][n] += x[r] * y[n];
    }
  }
}

/// Adds the accumulators of 8 `row_groups` rows to the sums and writes them for the lanes in `mask`.
inline void store_integers(Warp& w, const Operation* op, unsigned row_groups, std::uint32_t mask,
                           const std::int32_t (&sum)[16][8]) {
  alignas(64) std::uint32_t result[4][32];
  for (unsigned i = 0; i < 2 * row_groups; ++i) {
    const std::uint32_t* c = w.row(op->c + i);
    for (unsigned l = 0; l < 32; ++l) {
      const std::int64_t total =
          std::int64_t{static_cast<std::int32_t>(c[l])} + sum[l / 4 + 8 * (i >> 1)][2 * (l % 4) + (i & 1)];
      const std::int64_t clamped = total > INT32_MAX ? INT32_MAX : total < INT32_MIN ? INT32_MIN : total;
      result[i][l] = static_cast<std::uint32_t>(op->modifiers & saturating ? clamped : total);
    }
  }
  for (unsigned i = 0; i < 2 * row_groups; ++i) blend(mask, result[i], w.row(op->d + i));
}

/// detail[1]: registers of A, which give the shape.
template <unsigned bits>
const Operation* multiply_integers(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  const unsigned a_registers = op->detail[1], row_groups = a_registers == 1 ? 1 : 2,
                 k_groups = a_registers == 4 ? 2 : 1;
  alignas(64) std::int32_t sum[16][8] = {};
  for (unsigned g = 0; g < k_groups; ++g)
    for (unsigned q = 0; q < 4; ++q) {
      std::uint32_t a[16] = {}, b[8];
      for (unsigned r = 0; r < 8 * row_groups; ++r) a[r] = w.row(op->a + r / 8 + 2 * g)[4 * (r % 8) + q];
      for (unsigned n = 0; n < 8; ++n) b[n] = w.row(op->b + g)[4 * n + q];
      add_words<bits>(a, b, op->modifiers, sum);
    }
  store_integers(w, op, row_groups, mask, sum);
  return op + 1;
}

/// IMMA.SP. detail[1]: registers of A; immediate[0], [1]: row of the metadata, selector.
template <unsigned bits>
const Operation* multiply_sparse_integers(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  const unsigned registers = op->detail[1], row_bytes = 8 * registers;
  std::uint8_t rows[16][32], columns[8][64];
  gather_rows(w, op->a, registers, rows);
  gather_columns(w, op->b, registers, columns);
  std::uint64_t metadata[16];
  load_metadata(w, op->immediate[0], true, row_bytes, op->immediate[1], metadata);
  alignas(64) std::int32_t sum[16][8] = {};
  add_sparse_integers<bits>(rows, columns, metadata, row_bytes, op->modifiers & a_signed, op->modifiers & b_signed, sum);
  store_integers(w, op, 2, mask, sum);
  return op + 1;
}

/// DMMA: fused multiply-adds in order of k. detail[0], detail[1]: register pairs of A and of B.
template <nm::Rounding rounding>
const Operation* multiply_doubles(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  const unsigned a_pairs = op->detail[0], b_pairs = op->detail[1];
  const unsigned row_groups = a_pairs == 1 ? 1 : 2;
  const auto pair = [&](unsigned row, unsigned lane) {
    return w.row(row)[lane] | std::uint64_t{w.row(row + 1)[lane]} << 32;
  };
  alignas(64) std::uint32_t result[8][32];
  for (unsigned i = 0; i < 2 * row_groups; ++i) {
    for (unsigned l = 0; l < 32; ++l) {
      const unsigned row = l / 4, column = 2 * (l % 4) + (i & 1);
      std::uint64_t sum = pair(op->c + 2 * i, l);
      for (unsigned g = 0; g < b_pairs; ++g)
        for (unsigned q = 0; q < 4; ++q) {
          const std::uint64_t x = pair(op->a + 2 * ((i >> 1) + row_groups * g), 4 * row + q),
                              y = pair(op->b + 2 * g, 4 * column + q);
          sum = nm::nan_rule64(nm::multiply_add64<rounding>(x, y, sum), x, y, sum);
        }
      result[2 * i][l] = static_cast<std::uint32_t>(sum);
      result[2 * i + 1][l] = static_cast<std::uint32_t>(sum >> 32);
    }
  }
  for (unsigned i = 0; i < 4 * row_groups; ++i) blend(mask, result[i], w.row(op->d + i));
  return op + 1;
}

/// d, a, b, c of a matrix product, registers of each.
void lower_fragments(Lowering& l, unsigned d, unsigned a, unsigned b, unsigned c) {
  l.op.d = l.d(d);
  l.op.a = l.a(a);
  l.op.b = l.source(unsigned(l.bits(32, 40)), b);
  l.op.c = l.source(unsigned(l.bits(64, 72)), c);
  if (l.bits(9, 12) != 1) l.unsupported = "an operand form that this operation does not have";
  if (l.facts->architecture >= 90 && l.bits(87, 91) != 0) l.unsupported = "a matrix product with a predicate";
}

/// The metadata of a sparse A, bits 40:48, and which lanes hold them, 48:50.
void lower_metadata(Lowering& l) {
  l.op.immediate[0] = l.source(unsigned(l.bits(40, 48)));
  l.op.immediate[1] = static_cast<std::uint32_t>(l.bits(48, 50));
}

}  // namespace

void lower_LDSM(Lowering& l) {
  lower_rows(l, 32);
  const auto log2 = static_cast<unsigned>(l.bits(72, 74)) % 3;
  l.op.d = l.d(1u << log2);
  static constexpr Execute plain[3] = {&load_matrices<1, false>, &load_matrices<2, false>, &load_matrices<4, false>};
  static constexpr Execute transposed[3] = {&load_matrices<1, true>, &load_matrices<2, true>, &load_matrices<4, true>};
  l.op.execute = l.bit(78) ? transposed[log2] : plain[log2];
}

void lower_STSM(Lowering& l) {
  lower_rows(l, 64);
  const auto log2 = static_cast<unsigned>(l.bits(72, 74)) % 3;
  l.op.b = l.source(unsigned(l.bits(32, 40)), 1u << log2);
  static constexpr Execute plain[3] = {&store_matrices<1, false>, &store_matrices<2, false>, &store_matrices<4, false>};
  static constexpr Execute transposed[3] = {&store_matrices<1, true>, &store_matrices<2, true>,
                                            &store_matrices<4, true>};
  l.op.execute = l.bit(78) ? transposed[log2] : plain[log2];
}

void lower_MOVM(Lowering& l) {
  l.op.d = l.d();
  l.op.a = l.a();
  if (l.bits(75, 80) != 0) l.unsupported = "a matrix layout other than 8x8 of 16 bits";
  l.op.execute = &transpose_fragment;
}

void lower_HMMA(Lowering& l) {
  const auto type = static_cast<unsigned>(l.bits(82, 84));  // 0 F16, 1 BF16, 2 TF32
  const bool single = l.bit(76);
  const unsigned shape = unsigned{l.bit(75)} | unsigned{l.bit(78)} << 1;  // 0 1688, 1 16816, 2 1684; sparse: 3 16832
  const bool sparse = l.facts->architecture >= 80 && l.bit(73);
  if (l.facts->architecture == 75 && l.bit(77)) l.unsupported = "HMMA.SATFINITE";
  if (type == 3 || (type != 0 && !single)) l.unsupported = "a number format that is not known";
  if (l.facts->architecture == 75 && type != 0) l.unsupported = "a number format that is not known";
  const bool tensor32 = type == 2;
  l.op.detail[1] = static_cast<std::uint8_t>(l.facts->architecture);
  l.op.modifiers = (l.bit(72) ? std::uint32_t{negate_a} : 0) | (single ? std::uint32_t{single_sum} : 0);
  using nm::Element;
  if (sparse) {
    const bool large = tensor32 ? shape == 1 : shape == 3;
    if (!large && shape != (tensor32 ? 0u : 1u)) l.unsupported = "a matrix shape that is not known";
    lower_fragments(l, single ? 4 : 2, large ? 4 : 2, large ? 4 : 2, single ? 4 : 2);
    lower_metadata(l);
    const Element format = static_cast<Element>(type % 3);
    l.op.detail[0] = pack_formats(format, format);
    l.op.execute = tensor32 ? (large ? &multiply_any_floats<8, true> : &multiply_any_floats<4, true>)
                            : (large ? &multiply_any_floats<16, true> : &multiply_any_floats<8, true>);
    return;
  }
  const unsigned registers = shape == 1 ? 4 : shape == 0 ? (tensor32 ? 4 : 2) : 2;
  lower_fragments(l, single ? 4 : 2, registers, registers / 2, single ? 4 : 2);
  static constexpr Execute by_type_and_shape[3][3] = {
      {&multiply_floats<Element::half, 8>, &multiply_floats<Element::half, 16>, nullptr},
      {&multiply_floats<Element::brain, 8>, &multiply_floats<Element::brain, 16>, nullptr},
      {&multiply_floats<Element::tensor32, 8>, nullptr, &multiply_floats<Element::tensor32, 4>},
  };
  if (type < 3 && shape < 3) l.op.execute = by_type_and_shape[type][shape];
  if (l.op.execute == nullptr) l.unsupported = "a matrix shape that is not known";
}

/// Products of 8-bit floating-point numbers, of sm_89.
void lower_QMMA(Lowering& l) {
  const auto shape = static_cast<unsigned>(l.bits(75, 77));  // 0 16816, 1 16832, 2 16864
  const bool sparse = l.bit(80), single = l.bit(77), large = shape == (sparse ? 2u : 1u);
  if (!large && shape != (sparse ? 1u : 0u)) l.unsupported = "a matrix shape that is not known";
  if (l.bit(73) || !l.bit(74)) l.unsupported = "a matrix layout other than row times column";
  const unsigned registers = large ? 4 : 2;
  lower_fragments(l, single ? 4 : 2, registers, sparse ? registers : registers / 2, single ? 4 : 2);
  if (sparse) lower_metadata(l);
  using nm::Element;
  l.op.detail[0] = pack_formats(l.bit(78) ? Element::e5m2 : Element::e4m3, l.bit(79) ? Element::e5m2 : Element::e4m3);
  l.op.detail[1] = static_cast<std::uint8_t>(l.facts->architecture);
  l.op.modifiers = single ? std::uint32_t{single_sum} : 0;
  l.op.execute = sparse ? (large ? &multiply_any_floats<32, true> : &multiply_any_floats<16, true>)
                        : (large ? &multiply_any_floats<32, false> : &multiply_any_floats<16, false>);
}

void lower_IMMA(Lowering& l) {
  const unsigned shape = unsigned{l.bit(75)} | unsigned{l.bit(85)} << 1 | unsigned{l.bit(86)} << 2;
  const bool four = l.bit(83);
  // By bit 83, the three bits of the shape: 8816, 16816, 16832 of bytes; 8832, 16832, 16864 of nibbles. Sparse: 16832, 16864
  // of bytes; 16864, 168128 of nibbles.
  static constexpr std::uint8_t registers_of_a[4][8] = {
      {1, 0, 0, 0, 2, 4, 0, 0}, {0, 0, 1, 0, 0, 2, 4, 0}, {0, 0, 0, 0, 0, 2, 4, 0}, {0, 0, 0, 0, 0, 0, 2, 4}};
  const bool sparse = l.facts->architecture >= 80 && l.bit(72);
  const unsigned a_registers = registers_of_a[(four ? 1 : 0) + (sparse ? 2 : 0)][shape];
  if (a_registers == 0) l.unsupported = "a matrix shape that is not known";
  if (l.bit(73) || !l.bit(74)) l.unsupported = "a matrix layout other than row times column";
  if (l.bit(77) || l.bit(79) || l.bit(83) != l.bit(84)) l.unsupported = "a number format that is not known";
  const unsigned sums = a_registers == 1 ? 2 : 4;
  const unsigned b_registers = sparse ? a_registers : a_registers == 4 ? 2 : 1;
  lower_fragments(l, sums, a_registers ? a_registers : 1, b_registers ? b_registers : 1, sums);
  if (sparse) lower_metadata(l);
  l.op.detail[1] = static_cast<std::uint8_t>(a_registers);
  l.op.modifiers = (l.bit(76) ? std::uint32_t{a_signed} : 0) | (l.bit(78) ? std::uint32_t{b_signed} : 0) |
                   (l.bit(82) ? std::uint32_t{saturating} : 0);
  l.op.execute = sparse ? (four ? &multiply_sparse_integers<4> : &multiply_sparse_integers<8>)
                        : (four ? &multiply_integers<4> : &multiply_integers<8>);
}

void lower_BMMA(Lowering& l) {
  const unsigned shape = unsigned{l.bit(75)} | unsigned{l.bit(76)} << 1;  // 0 88128, 1 168128, 2 168256
  const unsigned a_registers = shape == 0 ? 1 : shape == 1 ? 2 : 4;
  if (shape == 3) l.unsupported = "a matrix shape that is not known";
  if (l.bit(73) || !l.bit(74)) l.unsupported = "a matrix layout other than row times column";
  if (l.bit(77) || l.bit(79) || !l.bit(80)) l.unsupported = "a bit operation that is not known";
  const unsigned sums = a_registers == 1 ? 2 : 4;
  lower_fragments(l, sums, a_registers, a_registers == 4 ? 2 : 1, sums);
  l.op.detail[1] = static_cast<std::uint8_t>(a_registers);
  l.op.modifiers = l.bit(78) ? std::uint32_t{bits_and} : 0;
  l.op.execute = &multiply_integers<1>;
}

void lower_DMMA(Lowering& l) {
  static constexpr unsigned a_pairs[4] = {1, 2, 4, 8}, b_pairs[4] = {1, 1, 2, 4};  // 8x8x4, 16x8x4, 16x8x8, 16x8x16
  const auto shape = static_cast<unsigned>(l.bits(76, 78));
  if (l.bits(62, 64) != 0 || l.bits(72, 76) != 0) l.unsupported = "DMMA with a sign modifier";
  const unsigned sums = shape == 0 ? 4 : 8;
  lower_fragments(l, sums, 2 * a_pairs[shape], 2 * b_pairs[shape], sums);
  l.op.detail[0] = static_cast<std::uint8_t>(a_pairs[shape]);
  l.op.detail[1] = static_cast<std::uint8_t>(b_pairs[shape]);
  static constexpr Execute by_rounding[4] = {
      &multiply_doubles<nm::Rounding::nearest>, &multiply_doubles<nm::Rounding::down>,
      &multiply_doubles<nm::Rounding::up>, &multiply_doubles<nm::Rounding::zero>};
  l.op.execute = by_rounding[l.bits(78, 80)];
}

}  // namespace lanebank::machine::LANEBANK_SIMD
