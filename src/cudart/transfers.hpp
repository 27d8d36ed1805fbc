// Copies and fills: what the runtime accepts, by the kinds of memory at both ends.
#pragma once

#include <cstddef>
#include <optional>

#include "cudart/abi.hpp"
#include "cudart/work.hpp"
#include "machine/memory.hpp"

namespace lanebank::cudart {

/// Where `bytes` bytes from `address` on lie.
enum class Place {
  host,    ///< ordinary memory of the program; nothing is known of its bounds
  device,  ///< inside one allocation that device code can reach (device, managed, pinned, variables)
  beyond,  ///< begins in device memory but does not lie in one allocation
};
Place place_of(const machine::Memory& memory, const void* address, std::size_t bytes);

/// Bytes between the first and the last byte of a box, both counted; 0 for an empty box, nullopt when that
/// is no number of 64 bits.
std::optional<std::size_t> extent_of(std::size_t width_bytes, std::size_t height, std::size_t depth,
                                     std::size_t pitch_bytes, std::size_t slice_bytes);

/// Checks a copy as the runtime does; an empty box is fine whatever the addresses.
abi::Error check(const machine::Memory& memory, const CopyWork& copy, abi::MemcpyKind kind);
abi::Error check(const machine::Memory& memory, const SetWork& set);

void perform(const CopyWork& copy);
void perform(const SetWork& set);

namespace calls {
/// Checks a copy and gives it to a stream.
abi::Error submit_copy(const CopyWork& copy, abi::MemcpyKind kind, abi::Stream stream);
}  // namespace calls

/// The box of a cudaMemcpy3D call, whose extent counts elements where an array is an end; fails on rows wider than a pitch and
/// on what leaves an array.
abi::Error box(const abi::Memcpy3DParms* parms, CopyWork& copy);

/// A copy of one row.
CopyWork linear(void* to, const void* from, std::size_t bytes);

}  // namespace lanebank::cudart
