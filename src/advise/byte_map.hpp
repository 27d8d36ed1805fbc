// Where a layout puts each byte of an array: what a recount needs of it.
//
//   to(b) = offset, under the layout, of the byte that lies b bytes from the array's start now
//
// The bytes of an array as it is are those of a row-major tile (solve::Tile) of its size.
#pragma once

#include <cstdint>
#include <vector>

#include "base/diagnostic.hpp"
#include "solve/layout.hpp"

namespace lanebank::advise {

class ByteMap {
 public:
  /// Every byte stays where it is.
  static ByteMap identity(std::uint32_t size_bytes);
  /// Of an array of `layout.tile()`. Errors: two bytes meet ("remap.collision").
  static Result<ByteMap> of(const solve::Layout& layout);

  std::uint32_t size_bytes() const { return static_cast<std::uint32_t>(to_.size()); }  ///< before
  /// After: up to the last byte that is used, or the end of the last row.
  std::uint32_t bytes() const { return bytes_; }
  std::uint32_t to(std::uint32_t byte) const { return to_[byte]; }
  /// Bytes from `byte` on that stay side by side, at least 1.
  std::uint32_t together(std::uint32_t byte) const { return together_[byte]; }
  /// No byte moves.
  bool is_identity() const { return together_.empty() || (together_[0] == size_bytes() && to_[0] == 0); }

 private:
  explicit ByteMap(std::vector<std::uint32_t> to, std::uint32_t bytes);

  std::vector<std::uint32_t> to_, together_;
  std::uint32_t bytes_ = 0;
};

}  // namespace lanebank::advise
