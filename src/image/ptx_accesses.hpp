// Which shared array each load and store of PTX text means: the array whose name its address is computed from. Machine code
// has lost that; with -lineinfo each instruction leads back to a line of the PTX text.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace lanebank::image {

struct PtxAccess {
  std::uint32_t line = 0;   ///< of the text, counted from 1
  std::string_view symbol;  ///< of the array
  std::uint32_t bytes = 0;  ///< of a load or store, all elements of a vector; 0: of another size
};

/// The accesses whose array is beyond doubt, by line; those whose address may come from several arrays, from memory, or from a
/// caller are left out. Views into `text`. Any text is accepted.
std::vector<PtxAccess> shared_accesses(std::string_view text);

}  // namespace lanebank::image
