// Global accesses of whole warps whose lanes lie at equal steps: most of them. Where the first and the last lane are is then
// all that is needed; no lane's address is computed or looked at.
#pragma once

#include <algorithm>

#include "machine/lanes/access.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

struct EvenLanes {
  std::uint64_t first = 0;  ///< lane 0's address
  std::int64_t step = 0;    ///< bytes from a lane to the next

  LANEBANK_INLINE std::uint64_t at(unsigned lane) const {
    return first + static_cast<std::uint64_t>(step * static_cast<std::int64_t>(lane));
  }
};

/// Whether lane i of the row is lane 0 plus i times lane 1's distance, modulo 2^32.
LANEBANK_INLINE bool even_row(const std::uint32_t* row) {
  using Words8 [[gnu::vector_size(32)]] = std::uint32_t;
  const std::uint32_t step = row[1] - row[0];
  Words8 v[4];
  std::memcpy(v, row, sizeof v);
  const Words8 lanes = {0, 1, 2, 3, 4, 5, 6, 7};
  Words8 differs = v[0] ^ (lanes * step + row[0]);
  for (unsigned i = 1; i < 4; ++i) differs |= (v[i] - v[i - 1]) ^ (Words8{} + 8 * step);
  using Longs4 [[gnu::vector_size(32)]] = std::uint64_t;
  const auto longs = __builtin_bit_cast(Longs4, differs);
  return (longs[0] | longs[1] | longs[2] | longs[3]) == 0;
}

/// Whether all 32 lanes hold the same word.
LANEBANK_INLINE bool same_row(const std::uint32_t* row) {
  std::uint32_t differs = 0;
  for (unsigned i = 0; i < 32; ++i) differs |= row[i] ^ row[0];
  return differs == 0;
}

/// The lanes of a global access of `bytes` each, if they lie at equal steps, are aligned and lie in the allocation that the
/// instruction hit last; false says nothing. For whole warps that nobody observes.
template <unsigned bytes>
LANEBANK_INLINE bool even_lanes(Warp& w, const Operation* op, EvenLanes& lanes) {
  const std::uint32_t* low = w.row(op->a);
  const std::int64_t step = static_cast<std::int32_t>(low[1] - low[0]);
  // The high words are all the same only where no lane's low word wraps.
  if (static_cast<std::uint64_t>(low[0] + 31 * step) >> 32 != 0 || !even_row(low)) return false;
  lanes = {low[0] + static_cast<std::uint64_t>(static_cast<std::int64_t>(op->offset)), step};
  if (op->detail[0] & adds_uniform)
    lanes.first += w.uniform[op->uniform] | std::uint64_t{w.uniform[op->uniform + 1]} << 32;
  if (op->detail[0] & address_is_64) {
    if (!same_row(low + 32)) return false;
    lanes.first += std::uint64_t{low[32]} << 32;
  }
  const Worker::Hit& hit = w.worker->hits[op->instruction & 63];
  const std::uint64_t last = lanes.at(31);
  return ((lanes.first | static_cast<std::uint64_t>(step)) & (bytes - 1)) == 0 && hit.end >= bytes &&
         std::min(lanes.first, last) >= hit.first && std::max(lanes.first, last) <= hit.end - bytes;
}

template <unsigned type>
LANEBANK_INLINE void load_even(const EvenLanes& lanes, std::uint32_t* d) {
  constexpr unsigned bytes = type_bytes<type>;
  const auto* from = reinterpret_cast<const std::uint8_t*>(lanes.first);
  if (lanes.step == bytes) {
    if constexpr (type == b32)
      copy_row(d, from);
    else
      load_lanes<type>([&](unsigned i) { return from + bytes * i; }, d);
  } else {
    load_lanes<type>([&](unsigned i) { return reinterpret_cast<const std::uint8_t*>(lanes.at(i)); }, d);
  }
}

template <unsigned type>
LANEBANK_INLINE void store_even(const EvenLanes& lanes, const std::uint32_t* s) {
  constexpr unsigned bytes = type_bytes<type>;
  auto* to = reinterpret_cast<std::uint8_t*>(lanes.first);
  if (lanes.step == bytes) {
    if constexpr (type == b32)
      copy_row(to, s);
    else
      store_lanes<type>([&](unsigned i) { return to + bytes * i; }, s);
  } else {
    store_lanes<type>([&](unsigned i) { return reinterpret_cast<std::uint8_t*>(lanes.at(i)); }, s);
  }
}

}  // namespace
}  // namespace lanebank::machine::LANEBANK_SIMD
