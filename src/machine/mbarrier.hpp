// The 64-bit word of an mbarrier, with the layout that compiled code initialises:
//
//   bit 63     parity of the current phase
//   43..62     2^20 - arrivals still pending
//   21..42     bytes still expected, two's complement
//    1..20     2^20 - arrivals of a phase
//   0          unused here
#pragma once

#include <cstdint>

namespace lanebank::machine::mbarrier {

inline constexpr std::uint64_t count_mask = (1u << 20) - 1;

constexpr unsigned phase(std::uint64_t word) { return static_cast<unsigned>(word >> 63); }
constexpr std::uint32_t pending(std::uint64_t word) {
  return static_cast<std::uint32_t>((0x100000 - (word >> 43 & count_mask)) & count_mask);
}
constexpr std::uint32_t expected(std::uint64_t word) {
  return static_cast<std::uint32_t>((0x100000 - (word >> 1 & count_mask)) & count_mask);
}
/// Bytes that are still expected: kept negated in 21 bits.
constexpr std::int64_t bytes(std::uint64_t word) { return -(static_cast<std::int64_t>(word << 22) >> 43); }

constexpr std::uint64_t make(unsigned parity, std::uint32_t pending_count, std::int64_t expected_bytes,
                             std::uint32_t expected_count) {
  return std::uint64_t{parity & 1} << 63 | ((0x100000 - std::uint64_t{pending_count}) & count_mask) << 43 |
         (static_cast<std::uint64_t>(-expected_bytes) & ((1u << 21) - 1)) << 21 |
         ((0x100000 - std::uint64_t{expected_count}) & count_mask) << 1;
}

/// The word after `arrivals` arrivals that also expect `more_bytes` (negative: bytes that have come).
/// `drops`: the arrivals are taken off later phases too.
constexpr std::uint64_t arrive(std::uint64_t word, std::uint32_t arrivals, std::int64_t more_bytes, bool drops) {
  unsigned parity = phase(word);
  std::uint32_t left = pending(word), each = expected(word);
  const std::int64_t open_bytes = bytes(word) + more_bytes;
  left = (left - arrivals) & count_mask;
  if (drops) each = (each - arrivals) & count_mask;
  if (left == 0 && open_bytes == 0) {
    parity ^= 1;
    left = each;
  }
  return make(parity, left, open_bytes, each);
}

/// The word after an arrival, with the layout of sm_80 to sm_89, whose code changes it with ordinary atomics but for this.
/// Low word: 2^30 - arrivals of a phase. High word: bit 31 the parity of the current phase, 0..30 2^31 - arrivals still
/// pending; the carry of the last one turns the parity.
constexpr std::uint64_t arrive_80(std::uint64_t word) {
  const auto low = static_cast<std::uint32_t>(word);
  std::uint32_t high = static_cast<std::uint32_t>(word >> 32) + 1;
  if ((high & 0x7fffffff) == 0) high |= (low + 0x40000000) & 0x7fffffff;
  return std::uint64_t{high} << 32 | low;
}
static_assert(arrive_80(0xffffffff'3ffffffeu) == 0x7ffffffe'3ffffffeu, "the last of two arrivals begins the next phase");

static_assert(pending(std::uint64_t{(0x100000u - 5u) << 11} << 32 | (0x100000u - 5u) << 1) == 5,
              "as SYNCS.EXCH writes it");

}  // namespace lanebank::machine::mbarrier
