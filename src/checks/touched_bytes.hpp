// Which bytes of shared memory any block of a launch accessed.
#pragma once

#include <cstdint>
#include <vector>

#include "checks/shadow.hpp"

namespace lanebank::checks {

struct ByteRange {
  std::uint32_t first_byte = 0, end_byte = 0;
};

class TouchedBytes {
 public:
  explicit TouchedBytes(std::uint32_t bytes) : touched_(bytes), left_(bytes) {}

  /// A block's cells of 1 << `shift` bytes, at its end.
  void add(const Cells& cells, unsigned shift) {
    for (std::size_t byte = 0; left_ != 0 && byte < touched_.size(); ++byte)
      if (cells.is_touched(byte >> shift)) touch(byte);
  }
  void add(const TouchedBytes& other) {
    for (std::size_t byte = 0; left_ != 0 && byte < touched_.size(); ++byte)
      if (other.touched_[byte]) touch(byte);
  }
  std::vector<ByteRange> untouched() const {
    std::vector<ByteRange> ranges;
    for (std::size_t byte = 0; byte < touched_.size(); ++byte) {
      if (touched_[byte]) continue;
      const auto at = static_cast<std::uint32_t>(byte);
      if (ranges.empty() || ranges.back().end_byte != at) ranges.push_back({at, at});
      ++ranges.back().end_byte;
    }
    return ranges;
  }

 private:
  void touch(std::size_t byte) {
    left_ -= touched_[byte] ? 0 : 1;
    touched_[byte] = true;
  }

  std::vector<bool> touched_;
  std::size_t left_;
};

}  // namespace lanebank::checks
