// A shared array as it is declared, in short or in CUDA's words.
//
//   32x33xf32                            rows x columns x type
//   As=128x32xhalf@4096                  a name, and where it begins (bytes; 1024e: elements)
//   '__shared__ float tile[32][33]'      constants of --define may stand in the sizes
//   'extern __shared__ char smem[]'      dynamic shared memory: no size is known
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "show/element_type.hpp"
#include "show/threads.hpp"

namespace lanebank::show {

struct Array {
  std::string name;  ///< empty: stands for whatever an expression names
  const ElementType* type = nullptr;
  std::vector<std::uint32_t> sizes;  ///< rows first; empty or a 0 in front: not known
  std::uint32_t base_bytes = 0;
  bool given = false;  ///< declared by the user, not guessed

  unsigned element_bytes() const { return type->bytes; }
  /// 0: not known.
  std::uint64_t bytes() const;
  /// "32x33 f32".
  std::string text() const;
};

/// Shared memory that a block can have at most, on any architecture known here.
inline constexpr std::uint32_t shared_limit_bytes = 227 * 1024;

Result<Array> parse_array(const std::string& text, const Scope& scope);

/// "256", "256B", "64e" or "64elements", in bytes.
Result<std::uint32_t> parse_offset(const std::string& text, unsigned element_bytes);

}  // namespace lanebank::show
