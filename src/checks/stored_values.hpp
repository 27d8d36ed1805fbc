// What a store writes to a cell of shared memory, and what it meets there.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>

#include "machine/events.hpp"

namespace lanebank::checks {

/// `bytes` is 0 where the values are not known.
struct StoredValues {
  unsigned bytes = 0;
  std::uint64_t current = 0, incoming = 0;
};

/// The values of the cell of `cell_bytes` at `byte` where lane `lane` of a plain store writes it. The current one is
/// that of shared memory or, given `other`, what that lane of the same store writes there.
inline StoredValues stored_values(const machine::SharedAccess& access, unsigned lane, std::optional<unsigned> other,
                                  std::uint32_t byte, std::uint32_t cell_bytes) {
  if (access.values == nullptr || access.memory == nullptr) return {};
  const std::uint32_t address = access.addresses[lane];
  if (other && access.addresses[*other] != address) return {};
  const std::uint32_t bytes = cell_bytes < access.lane_bytes ? cell_bytes : access.lane_bytes;
  const std::uint32_t at = byte > address ? byte - address : 0;
  std::uint8_t stored[16];
  if (at + bytes > sizeof stored) return {};
  const auto part_of = [&](unsigned of) {
    for (unsigned r = 0; 4 * r < access.lane_bytes; ++r) std::memcpy(stored + 4 * r, &access.values[32 * r + of], 4);
    std::uint64_t part = 0;
    std::memcpy(&part, stored + at, bytes);
    return part;
  };
  StoredValues values{bytes, 0, part_of(lane)};
  if (other)
    values.current = part_of(*other);
  else
    std::memcpy(&values.current, access.memory + byte, bytes);
  return values;
}

}  // namespace lanebank::checks
