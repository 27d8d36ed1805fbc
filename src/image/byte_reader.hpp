// Bounded reading of little-endian data that may lie about itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace lanebank::image {

using Bytes = std::span<const std::byte>;

/// What to do about a file that lies about itself.
inline constexpr const char* rebuild = "the file is damaged: build it again";
inline constexpr std::uint64_t name_limit_bytes = 1 << 16;

/// True when [offset, offset + size) lies inside `total` bytes; no sum overflows.
constexpr bool fits(std::uint64_t offset, std::uint64_t size, std::uint64_t total) {
  return offset <= total && size <= total - offset;
}

/// The little-endian value at `offset`, which the caller knows to fit.
template <class T>
T load(Bytes bytes, std::uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// The text from `offset` to the next NUL, the end or `limit`; empty when `offset` is outside.
inline std::string_view text_at(Bytes bytes, std::uint64_t offset, std::uint64_t limit = ~std::uint64_t(0)) {
  if (offset >= bytes.size()) return {};
  const char* start = reinterpret_cast<const char*>(bytes.data()) + offset;
  return {start, strnlen(start, std::min<std::uint64_t>(bytes.size() - offset, limit))};
}

/// A cursor over bytes. Reading past the end gives zeros and clears ok() for good, so that a parser
/// checks once where a record ends instead of at each field.
class ByteReader {
 public:
  explicit ByteReader(Bytes bytes, std::uint64_t position = 0) : bytes_(bytes), position_(position) {
    if (position > bytes.size()) stop();
  }

  bool ok() const { return ok_; }
  bool at_end() const { return position_ >= bytes_.size(); }
  std::uint64_t position() const { return position_; }
  std::uint64_t remaining() const { return bytes_.size() - position_; }

  template <class T>
  T read() {
    if (!fits(position_, sizeof(T), bytes_.size())) {
      stop();
      return T{};
    }
    T value = load<T>(bytes_, position_);
    position_ += sizeof(T);
    return value;
  }

  Bytes take(std::uint64_t count) {
    if (!fits(position_, count, bytes_.size())) {
      stop();
      return {};
    }
    Bytes part = bytes_.subspan(position_, count);
    position_ += count;
    return part;
  }

  void skip(std::uint64_t count) { take(count); }

  /// A NUL-terminated text; the end of the data before the NUL is an error.
  std::string_view text() {
    std::string_view value = text_at(bytes_, position_);
    if (position_ + value.size() >= bytes_.size()) {
      stop();
      return {};
    }
    position_ += value.size() + 1;
    return value;
  }

  /// DWARF's variable-length numbers; bits above 64 are an error.
  std::uint64_t uleb128() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; ok_; shift += 7) {
      std::uint8_t byte = read<std::uint8_t>();
      if (shift >= 64 || (shift == 63 && (byte & 0x7e) != 0)) return stop(), 0;
      value |= std::uint64_t(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) break;
    }
    return ok_ ? value : 0;
  }

  std::int64_t sleb128() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; ok_;) {
      std::uint8_t byte = read<std::uint8_t>();
      if (shift >= 64) return stop(), 0;
      value |= std::uint64_t(byte & 0x7f) << shift;
      shift += 7;
      if ((byte & 0x80) == 0) {
        if (shift < 64 && (byte & 0x40) != 0) value |= ~std::uint64_t(0) << shift;
        break;
      }
    }
    return ok_ ? std::int64_t(value) : 0;
  }

 private:
  void stop() {
    ok_ = false;
    position_ = bytes_.size();
  }

  Bytes bytes_;
  std::uint64_t position_ = 0;
  bool ok_ = true;
};

}  // namespace lanebank::image
