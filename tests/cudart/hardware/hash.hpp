// A hash of values that a transcript keeps instead of the values.
#pragma once

#include <cstddef>
#include <cstdint>

namespace {

/// FNV-1a, 64 bits.
std::uint64_t hash_of(const void* data, std::size_t bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::size_t i = 0; i < bytes; ++i) hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3u;
  return hash;
}

}  // namespace
