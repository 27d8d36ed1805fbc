// Every access of a launch to shared memory, exactly: which lanes of which instruction pointed where, and how often. Wavefronts
// under a layout depend on where an access begins too, so a log can be recounted under any layout of an array without
// another run (src/advise/).
//
// Accesses of one instruction to one array whose lanes differ by one uniform shift are one LoggedAccess; `bases` says where
// it began and how often, over all blocks, warps and iterations that ran:
//
//   tile[threadIdx.x][k] of a 32x32 float tile, k = 0..31, one warp:
//     lanes 0xffffffff, relative 0 128 256 ... 3968, bases 0:1 4:1 8:1 ... 124:1
//
// Units: bytes from the block's first shared byte, where static arrays begin. Counts are of what ran (not scaled with
// --blocks sample:K). Memory is bounded; what found no room is counted in LoggedArray::unrecorded, and then nothing can be
// claimed for that array.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "lanebank/bank_model.hpp"

namespace lanebank::findings {

/// A shared array of the kernel.
struct LoggedArray {
  std::string name;  ///< as in the source: "tile"
  std::uint32_t offset_bytes = 0;
  std::uint32_t size_bytes = 0;  ///< of a dynamic array all dynamic bytes of the launch
  std::uint32_t element_bytes =
      0;  ///< of the declaration, or where it says bytes only of the narrowest access; 0: unknown
  std::uint32_t alignment_bytes = 1;  ///< that the declaration asks for
  bool dynamic = false;               ///< extern __shared__
  bool bulk_copies = false;           ///< bulk or tensor copies (TMA) read or write it
  bool matrix_operands = false;       ///< wgmma reads it
  bool barriers = false;              ///< holds mbarriers
  std::uint64_t unrecorded = 0;       ///< accesses that began in it and are not in the log

  friend bool operator==(const LoggedArray&, const LoggedArray&) = default;
};

/// How often an access began at an address: that of its first active lane.
struct BaseCount {
  std::uint32_t base_bytes = 0;
  std::uint64_t count = 0;
  friend bool operator==(const BaseCount&, const BaseCount&) = default;
};

/// Accesses of one instruction to one array with the same lanes, up to a uniform shift. Lane i pointed at a base +
/// relative_bytes[i].
struct LoggedAccess {
  std::uint32_t row = 0;    ///< of LaunchReport::instructions
  std::int32_t array = -1;  ///< of AccessLog::arrays, where the first active lane points; -1: none that is known
  AccessKind kind = AccessKind::load;
  std::uint32_t lane_bytes = 4;  ///< matrix rows: 16
  std::uint32_t matrices = 0;    ///< matrix_load, matrix_store: 1, 2 or 4
  std::uint32_t lanes = 0;       ///< active ones; of matrices only those that give rows. Never 0
  std::array<std::int32_t, lanes_per_warp> relative_bytes{};  ///< 0 for inactive lanes
  SourceOrder source = SourceOrder::unknown;                  ///< of asynchronous copies
  std::array<std::uint32_t, lanes_per_warp> source_bytes{};   ///< SourceOrder::given: as Access::sources
  std::vector<BaseCount> bases;                               ///< by address, no count is 0

  friend bool operator==(const LoggedAccess&, const LoggedAccess&) = default;
};

/// What a multiprocessor has for blocks of the launch.
struct BlockRoom {
  std::uint32_t block_bytes = 0;  ///< of shared memory that a block may have at most; 0: unknown, as all else then
  std::uint32_t multiprocessor_bytes = 0;  ///< of shared memory of all resident blocks
  std::uint32_t reserved_bytes = 0;        ///< that the system adds to each block
  std::uint32_t unit_bytes = 1;            ///< a block's shared memory is rounded up to a multiple
  std::uint32_t other_blocks = 0;          ///< resident blocks that threads and registers allow

  friend bool operator==(const BlockRoom&, const BlockRoom&) = default;
};

/// Static shared memory of a kernel at most, on every architecture.
inline constexpr std::uint32_t static_shared_limit_bytes = 48 * 1024;

struct AccessLog {
  std::uint32_t architecture = 90;  ///< compute capability x 10
  std::uint32_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
  bool arrays_known = false;           ///< else `arrays` is empty: neither symbols nor PTX name them
  std::vector<LoggedArray> arrays;     ///< by offset, dynamic ones last
  std::vector<LoggedAccess> accesses;  ///< by row, then by array
  BlockRoom room;

  friend bool operator==(const AccessLog&, const AccessLog&) = default;
};

}  // namespace lanebank::findings
