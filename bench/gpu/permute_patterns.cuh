// Permutations of ranks 3 to 6 from a seed: those that bench_permute.cu measures.
//
// The innermost axes of source and target have 32 to 160 elements: any number in every second group of four permutations,
// multiples of 16 in the others. The outer axes share the rest. Elements have 4, 2, 8, 4 and 1 bytes in turn. A permutation that
// leaves everything where it was is drawn again.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "lanebank/permute.cuh"
#include "move_bench.cuh"

namespace permute_patterns {

using lanebank::Permute;

inline constexpr unsigned seed = 50, pattern_count = 50;

inline std::uint64_t inner_extent(std::mt19937& random, bool whole) {
  const std::uint64_t extent = 32 + random() % 129;
  return whole ? extent / 16 * 16 : extent;
}

inline Permute draw(std::mt19937& random, unsigned number, std::uint64_t target_bytes) {
  static const unsigned sizes[] = {4, 2, 8, 4, 1};
  Permute p;
  p.element_bytes = sizes[number % 5];
  p.rank = 3 + number % 4;
  const bool whole = number / 4 % 2 == 1;
  do {
    for (unsigned n = 0; n < p.rank; ++n) p.axes[n] = n;
    for (unsigned n = p.rank - 1; n > 0; --n) std::swap(p.axes[n], p.axes[random() % (n + 1)]);
  } while (lanebank::kernels::merge_axes([&] {
             for (unsigned n = 0; n < p.rank; ++n) p.extents[n] = 2;
             return p;
           }())
               .rank < 2);
  // The inner ones, then the others: all but one small, the last one what is left.
  std::uint64_t count = target_bytes / p.element_bytes;
  for (unsigned n = 0; n < p.rank; ++n) p.extents[n] = 0;
  p.extents[p.rank - 1] = inner_extent(random, whole);
  if (p.extents[p.axes[p.rank - 1]] == 0) p.extents[p.axes[p.rank - 1]] = inner_extent(random, whole);
  for (unsigned n = 0; n < p.rank; ++n)
    if (p.extents[n] != 0) count /= p.extents[n];
  unsigned open = 0;
  for (unsigned n = 0; n < p.rank; ++n) open += p.extents[n] == 0;
  for (unsigned n = 0; n < p.rank; ++n) {
    if (p.extents[n] != 0) continue;
    const std::uint64_t extent = open == 1 ? count : 3 + random() % 22;
    p.extents[n] = extent == 0 ? 1 : extent;
    count /= p.extents[n];
    --open;
  }
  return p;
}

inline std::string name_of(const Permute& p, unsigned number) {
  std::string text = std::to_string(number) + ": " + std::to_string(p.element_bytes) + " B [";
  for (unsigned n = 0; n < p.rank; ++n) text += (n > 0 ? " " : "") + std::to_string(p.extents[n]);
  text += "] by ";
  for (unsigned n = 0; n < p.rank; ++n) text += std::to_string(p.axes[n]);
  return text;
}

inline std::size_t bytes_of(const Permute& p) {
  std::size_t bytes = p.element_bytes;
  for (unsigned n = 0; n < p.rank; ++n) bytes *= p.extents[n];
  return bytes;
}

/// Strides by the axes as they are, not merged: the check shares nothing with what it checks.
inline move_bench::Loops loops_of(const Permute& p) {
  move_bench::Loops loops;
  std::uint64_t source = p.element_bytes, target = p.element_bytes;
  for (unsigned n = p.rank; n-- > 0;) {
    loops.extent[n] = p.extents[n];
    loops.source_stride[n] = source;
    source *= p.extents[n];
    loops.target_stride[p.axes[n]] = target;
    target *= p.extents[p.axes[n]];
  }
  return loops;
}

/// The first `count` of a seed, of about `target_bytes` each.
inline std::vector<Permute> patterns(unsigned from_seed, std::uint64_t target_bytes, unsigned count = pattern_count) {
  std::mt19937 random(from_seed);
  std::vector<Permute> list;
  for (unsigned n = 0; n < count; ++n) list.push_back(draw(random, n, target_bytes));
  return list;
}

}  // namespace permute_patterns
