// Shared arrays as PTX text declares them: the only place where their names survive.
//
// This is a scanner, not a PTX compiler: it finds functions, the .shared variables in and around them, and
// which names each function mentions. Everything else is skipped. Any text is accepted.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace lanebank::image {

/// A `.shared` variable: `.shared .align 4 .b8 tile[4096];`
struct PtxArray {
  std::string_view name;
  std::uint64_t size_bytes = 0;  ///< 0 for extern ones
  std::uint32_t alignment_bytes = 1;
  std::uint32_t element_bytes = 1;           ///< of the declared type (.f32: 4, .b8: 1)
  std::uint32_t narrowest_access_bytes = 0;  ///< of the loads and stores seen to use it, 0: none seen
  bool is_extern = false;
};

struct PtxFunction {
  std::string_view name;
  bool is_entry = false;
  bool has_body = false;
  bool has_indirect_call = false;
  std::vector<PtxArray> arrays;             ///< declared inside, in order
  std::vector<std::string_view> mentioned;  ///< names of module-level arrays and functions, sorted
};

/// One `.version` header with all that follows it. A text may hold several modules one after the other.
struct PtxModule {
  std::vector<PtxArray> arrays;                 ///< at module level, in order
  std::vector<PtxFunction> functions;           ///< in order of their first mention, prototypes included
  std::vector<std::string_view> address_taken;  ///< functions named by initialisers of variables, sorted
};

/// Views into `text`.
std::vector<PtxModule> scan_ptx(std::string_view text);

}  // namespace lanebank::image
