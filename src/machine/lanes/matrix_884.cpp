// HMMA.884 of sm_75 (mma.m8n8k4): four products of 8 x 4 by 4 x 8, one for each pair of quads, in two or four steps.
//
// Lanes 4 p .. 4 p + 3 and 4 p + 16 .. 4 p + 19 hold product p. With m the row of A or the column of B, and h = m / 4:
//   A .ROW, B .COL   lane 4 p + m % 4 + 16 h holds element k as its half k
//   A .COL, B .ROW   lane 4 p + k + 16 h holds it as its half m % 4
//   halves of C, D   lane 4 p + r % 4 + 16 (r / 4) holds row r; step s columns 4 s .. 4 s + 3
//   singles          lane 4 p + t + 16 h, element i: row (t & 1) + (i & 2) + 4 h, column (i & 4) + (t & 2) + (i & 1); step s the
//                    elements 2 s, 2 s + 1; halves of C are then those of columns 4 (s / 2) ..
// Source: PTX ISA, matrix fragments for mma.m8n8k4.
#include "machine/lanes/fault.hpp"
#include "machine/lanes/lane.hpp"
#include "machine/lanes/tensor_lane.hpp"
#include "machine/numerics/tensor.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

namespace nm = ::lanebank::machine::numerics;

/// Operation::modifiers; detail[0]: step.
enum StepModifier : std::uint32_t {
  a_by_columns = 1,
  b_by_columns = 2,
  single_result = 4,
  single_accumulator = 8,
  negate_a = 16,
  negate_b = 32
};

std::uint16_t half_at(Warp& w, unsigned first, unsigned lane, unsigned n) {
  return static_cast<std::uint16_t>(w.row(first + n / 2)[lane] >> (16 * (n % 2)));
}

/// Element k of row (of A) or column (of B) m, of product p.
std::uint16_t factor(Warp& w, unsigned first, unsigned p, unsigned m, unsigned k, bool along_k) {
  const unsigned lane = 4 * p + 16 * (m / 4);
  return along_k ? half_at(w, first, lane + m % 4, k) : half_at(w, first, lane + k, m % 4);
}

/// An element of C or D that a step handles: its register of the step's two, or its half.
struct Place {
  unsigned row, column, lane, number;
};
/// Calls `body` for the elements of product p.
template <class Body>
void each_element(unsigned p, unsigned step, bool single, Body body) {
  for (unsigned h = 0; h < 2; ++h)
    for (unsigned t = 0; t < 4; ++t)
      for (unsigned n = 0; n < (single ? 2u : 4u); ++n) {
        const unsigned i = 2 * step + n, lane = 4 * p + t + 16 * h;
        body(single ? Place{(t & 1) + (i & 2) + 4 * h, (i & 4) + (t & 2) + (i & 1), lane, n}
                    : Place{t + 4 * h, 4 * step + n, lane, n});
      }
}

const Operation* multiply_step(Warp& w, const Operation* op) {
  const std::uint32_t mask = begin(w, op);
  if (mask == 0) return op + 1;
  const std::uint32_t how = op->modifiers;
  const unsigned step = op->detail[0];
  const bool single = how & single_result;
  alignas(64) std::uint32_t result[2][32] = {};
  for (unsigned p = 0; p < 4; ++p) {
    std::uint16_t a[16][4] = {}, b[8][4];
    float sums[8][8] = {};
    for (unsigned m = 0; m < 8; ++m)
      for (unsigned k = 0; k < 4; ++k) {
        a[m][k] = factor(w, op->a, p, m, k, (how & a_by_columns) == 0);
        b[m][k] = factor(w, op->b, p, m, k, (how & b_by_columns) != 0) ^ (how & negate_b ? 0x8000 : 0);
      }
    each_element(p, step, single, [&](const Place& at) {
      if (how & single_accumulator) {
        sums[at.row][at.column] = nm::bits_as<float>(w.row(op->c + at.number)[at.lane]);
      } else {  // of four columns from 4 (column / 4) on
        const unsigned lane = 4 * p + at.row % 4 + 16 * (at.row / 4);
        sums[at.row][at.column] = nm::Half::widen(half_at(w, op->c, lane, at.column % 4));
      }
    });
    nm::TileA<4> tile_a;
    nm::TileB<4> tile_b;
    nm::fill_a<nm::Element::half>(reinterpret_cast<const std::uint8_t(&)[16][8]>(a), how & negate_a, tile_a);
    nm::fill_b<nm::Element::half>(reinterpret_cast<const std::uint8_t(&)[8][8]>(b), tile_b);
    const nm::SumRule rule = nm::sum_rule(75, nm::Element::half);
    for (unsigned r = 0; r < 8; ++r) {
      if (single)
        nm::add_products<4, false>(tile_a.significand[r], tile_a.exponent[r], tile_b, sums[r], rule, true);
      else
        nm::add_products<4, true>(tile_a.significand[r], tile_a.exponent[r], tile_b, sums[r], rule, true);
    }
    each_element(p, step, single, [&](const Place& at) {
      const float sum = sums[at.row][at.column];
      if (single)
        result[at.number][at.lane] = nm::single_bits(sum);
      else
        result[at.number / 2][at.lane] |= nm::half_bits(sum) << (16 * (at.number % 2));
    });
  }
  for (unsigned i = 0; i < 2; ++i) blend(mask, result[i], w.row(op->d + i));
  return op + 1;
}

}  // namespace

void lower_HMMA_884(Lowering& l) {
  l.op.d = l.d(2);
  l.op.a = l.a(2);
  l.op.b = l.source(unsigned(l.bits(32, 40)), 2);
  l.op.c = l.source(unsigned(l.bits(64, 72)), 2);
  l.op.detail[0] = static_cast<std::uint8_t>(l.bits(79, 81));
  l.op.modifiers = (l.bit(73) ? std::uint32_t{a_by_columns} : 0) | (l.bit(74) ? std::uint32_t{b_by_columns} : 0) |
                   (l.bit(76) ? std::uint32_t{single_result} : 0) | (l.bit(78) ? std::uint32_t{single_accumulator} : 0) |
                   (l.bit(72) ? std::uint32_t{negate_a} : 0) | (l.bit(63) ? std::uint32_t{negate_b} : 0);
  l.op.execute = &multiply_step;
  if (l.bit(77)) l.unsupported = "HMMA.SATFINITE";
  if (!l.bit(76) && (l.bit(78) || l.op.detail[0] > 1)) l.unsupported = "a step of HMMA.884 in this form";
}

}  // namespace lanebank::machine::LANEBANK_SIMD
