// The accesses of a launch, counted again as if one of its arrays lay otherwise: what an edit of the program would cost,
// without the edit. The bank model counts every address that was logged, so the figures are exact; what cannot be
// counted is refused with the reason, and nothing is claimed.
//
//   const auto map = ByteMap::of(solve::Layout::padded({32, 32, 4}, 4));
//   const auto recount = advise::recount(*launch.accesses, tile, *map);   // tile: index into AccessLog::arrays
//   recount->after.wavefronts, recount->rows[0].after.wavefronts ...
//
// What it does not see: instructions that the edit adds or that the compiler then arranges otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "advise/byte_map.hpp"
#include "base/diagnostic.hpp"
#include "findings/access_log.hpp"

namespace lanebank::advise {

/// Of accesses that ran, not scaled.
struct Figures {
  std::uint64_t wavefronts = 0, ideal = 0;
  unsigned worst_degree = 0;

  std::uint64_t excess() const { return wavefronts - ideal; }
  bool operator==(const Figures&) const = default;
};

/// An instruction's accesses that begin in the array (or in one that moves with it, see `recount`).
struct RowRecount {
  std::uint32_t row = 0;  ///< of LaunchReport::instructions
  std::uint64_t executions = 0;
  Figures before, after;
};

struct Recount {
  std::uint32_t bytes = 0;       ///< that the array, or all that change, then take
  std::vector<RowRecount> rows;  ///< by row
  Figures before, after;         ///< sums
};

/// Why a layout cannot be counted, or cannot be.
struct Refusal {
  Diagnostic diagnostic;             ///< `where` names the array
  std::optional<std::uint32_t> row;  ///< the instruction to blame, of LaunchReport::instructions
};

/// Loops of ATOMS.CAST.SPIN, in which one lane of each bank succeeds a turn: a layout changes how often they run.
enum class Spins : std::uint8_t {
  refused,     ///< so nothing is claimed
  as_recorded  ///< counted with the turns that ran: too many where the layout spreads the lanes
};

/// Why nothing can be said of the array under any layout but its own, if so. "remap.unrecorded": accesses that are not in the
/// log; "remap.crosses": an access with lanes in two arrays; "remap.barriers": mbarriers lie in it; "remap.unmodelled": an
/// access that follows no known rule; "remap.spins": a loop of ATOMS.CAST.SPIN, whose turns depend on the banks.
std::optional<Refusal> untouchable(const findings::AccessLog& log, std::size_t array, Spins spins = Spins::refused);

/// Static and dynamic shared memory of a block.
struct BlockBytes {
  std::uint32_t static_bytes = 0, dynamic_bytes = 0;
};

/// When the array takes `bytes`: arrays lie one behind the other, each at its alignment.
BlockBytes block_bytes_with(const findings::AccessLog& log, std::size_t array, std::uint32_t bytes);

/// Counts under `map`, which is of the array's size. The rows of other arrays are among the result's where those arrays move
/// and the place of an array matters (cp.async.cg, accesses narrower than a word). Errors: those of `untouchable`; "remap.torn",
/// "remap.misaligned": an access of several bytes (a row of 16 bytes of ldmatrix and stmatrix) would not lie together, or not at
/// a multiple of its size; "remap.too-large": more shared memory than a block may have; "remap.hardware": TMA or wgmma reach
/// the array, and the layout is none of their modes.
tl::expected<Recount, Refusal> recount(const findings::AccessLog& log, std::size_t array, const ByteMap& map,
                                       Spins spins = Spins::refused);

/// One array and its layout.
struct Change {
  std::size_t array = 0;
  const ByteMap* map = nullptr;
};

/// The same of several arrays at once, each given once.
tl::expected<Recount, Refusal> recount(const findings::AccessLog& log, std::span<const Change> changes,
                                       Spins spins = Spins::refused);

/// A logged access where it began at `base_bytes`, for the bank model.
Access access_at(const findings::LoggedAccess& logged, std::uint32_t base_bytes);

}  // namespace lanebank::advise
