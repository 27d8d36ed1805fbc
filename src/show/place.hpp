// A place in shared memory, as an expression of CUDA code names it: an element, a pointer or a part of an array.
//
//   tile[r][c]      ((float4*)smem)[i]      &tile[r][c]      (float*)(smem + 1024) + tid      reinterpret_cast<half2&>(h[i])
//
// place = array + constant + sum of index x scale, in bytes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "show/array.hpp"

namespace lanebank::show {

/// index x scale bytes.
struct Term {
  Arithmetic index;
  std::uint32_t scale_bytes = 0;
  std::uint32_t limit = 0;  ///< the index must be below; 0: no limit known
};

/// The declared arrays, and those that were guessed from expressions (f32; 32x32 where two indices stand).
class Arrays {
 public:
  Arrays() = default;
  explicit Arrays(std::vector<Array> given) : arrays_(std::move(given)), given_(arrays_.size()) {}
  const std::vector<Array>& all() const { return arrays_; }
  Array& at(std::size_t index) { return arrays_[index]; }
  /// nullopt: arrays are declared, but none of this name.
  std::optional<std::size_t> find(const std::string& name, std::size_t index_count);

 private:
  std::vector<Array> arrays_;
  std::size_t given_ = 0;
};

/// What a part of the text stands for: a pointer, an element, or an array of elements that is not indexed to the end.
struct Place {
  std::size_t array = 0;
  const ElementType* type = nullptr;
  std::vector<Term> terms;
  std::int64_t constant_bytes = 0;
  std::vector<std::uint32_t> sizes;  ///< dimensions left
  bool pointer = false;
};

/// The place that text[begin, end) names. One index on an array of two or more dimensions, where the text begins with the
/// array, counts elements. Errors: "show.*" or "expression.*", with a caret below the whole text.
Result<Place> parse_place(const std::string& text, std::size_t begin, std::size_t end, const Scope& scope,
                          Arrays& arrays);

}  // namespace lanebank::show
