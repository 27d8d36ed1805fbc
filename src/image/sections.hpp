// What each section of a cubin is, and where its bytes go in the Cubin.
#pragma once

#include <cstdint>
#include <vector>

#include "base/diagnostic.hpp"
#include "image/elf.hpp"

namespace lanebank::image {

enum class SectionRole {
  other,
  code,                ///< .text.K
  constant0,           ///< .nv.constant0.K: parameters
  constant2,           ///< .nv.constant2.K: compiler's constants
  constant3,           ///< .nv.constant3: __constant__ variables
  constant4,           ///< .nv.constant4: addresses
  global_initialised,  ///< .nv.global.init
  global_zeroed,       ///< .nv.global
  shared,              ///< .nv.shared.K
  attributes,          ///< .nv.info.K
  cubin_attributes,    ///< .nv.info
  compatibility,       ///< .nv.compat
  ptx_text,            ///< .nv_debug_ptx_txt, one per translation unit
  debug_line,
  debug_text,  ///< .debug_str
  ptx_line,    ///< .nv_debug_line_sass: lines of the embedded PTX
};

struct ClassifiedSection {
  SectionRole role = SectionRole::other;
  std::uint32_t function = 0;           ///< index into Cubin::functions, for roles of one function
  std::uint64_t code_offset_bytes = 0;  ///< code: where it starts in Cubin::code
};

/// One entry per section of `elf`. Functions are numbered in the order of their .text sections.
Result<std::vector<ClassifiedSection>> classify_sections(const Elf& elf);

}  // namespace lanebank::image
