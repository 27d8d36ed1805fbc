// The attribute records of .nv.info (whole cubin) and .nv.info.K (one function).
//
//   u8 format, u8 number, then by format   1: nothing (2 bytes of padding)   2: u8 value, padding
//                                          3: u16 value                     4: u16 size, payload
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "image/byte_reader.hpp"

namespace lanebank::image {

/// The attributes that are read, by NVIDIA's names (EIATTR_...). Payloads are little-endian words.
enum class AttributeKind : std::uint8_t {
  max_threads = 0x05,       ///< u32 x, y, z
  param_cbank = 0x0a,       ///< u32 symbol, u16 offset in bank 0, u16 size
  reqntid = 0x10,           ///< u32 x, y, z
  frame_size = 0x11,        ///< u32 symbol, u32 bytes
  min_stack_size = 0x12,    ///< u32 symbol, u32 bytes
  kparam_info = 0x17,       ///< u32 index, u16 ordinal, u16 offset, u32 with the size in bits 18..31
  cbank_param_size = 0x19,  ///< value: bytes
  regcount = 0x2f,          ///< u32 symbol, u32 registers
  cta_per_cluster = 0x3d,   ///< u32 x, y, z
  kparam_info_v2 = 0x45,    ///< u32 index, u16 ordinal, u16 offset, u16 size, u16 other
  num_barriers = 0x4c,      ///< value: count
};

struct Attribute {
  AttributeKind kind{};  ///< may be a number that the enumeration does not name
  std::uint16_t value = 0;
  Bytes payload;  ///< format 4 only

  /// Word `index` of the payload, 0 where the payload ends before it.
  std::uint32_t word(std::size_t index) const { return field<std::uint32_t>(index * 4); }
  template <class T>
  T field(std::uint64_t offset) const {
    return fits(offset, sizeof(T), payload.size()) ? load<T>(payload, offset) : T{};
  }
};

/// All records of a section; a record that runs over its end is an error.
Result<std::vector<Attribute>> read_attributes(Bytes section, std::string_view section_name);

}  // namespace lanebank::image
