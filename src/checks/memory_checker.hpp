// The memory checks: an observer of a launch that looks at every access to shared memory and tells which are not ordered
// with another (race), which read what nobody wrote (uninitialised), and which leave their array (out of bounds).
//
//   MemoryChecker checker(options);
//   ... the machine runs the launch with it ...
//   for (const Hazard& hazard : checker.hazards()) ...
//
// A race is found whether or not it shows in this run: two accesses of different lanes to one byte, one of them a write, are
// in order only if something that the program did puts them in order (block_order.hpp). Kept per cell of shared memory: the last
// write, the last read, and the last read by another warp than that. A cell is four bytes, and as small as the
// narrowest access where a kernel has narrower ones.
//
// Lanes of one warp: an access is before another only if a barrier or WARPSYNC between them says so. __syncwarp() often leaves no
// instruction in machine code; whether one stood between two instructions is for the caller to find out, who has the code.
//
// Accesses to the shared memory of other blocks of a cluster count as writes in order; whether those blocks live then is looked
// at (cluster_lifetime.hpp).
//
// Not seen: operands that wgmma
// reads, and whether a bulk copy to global memory has read before shared memory is written again.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "checks/memory_findings.hpp"
#include "checks/touched_bytes.hpp"
#include "machine/events.hpp"

namespace lanebank::checks {

/// What an instruction may reach: the array that it means.
struct InstructionArray {
  std::int32_t array = -1;  ///< -1: not known, not checked
  std::uint32_t first_byte = 0, end_byte = 0;
  std::uint32_t access_bytes = 0;  ///< of one access of the source; 0: not known. The machine's may join several.
};

struct MemoryCheckOptions {
  bool influence =
      false;  ///< of uninitialised reads only those count that change what the kernel does (session/influence.hpp)
  bool swizzles = true;  ///< swizzle_mismatch.hpp; nothing of the observer's
  bool unused = false;   ///< bytes that no block accesses
  bool race = true, uninitialised = true, bounds = true, barriers = true, masks = true;
  std::vector<InstructionArray> arrays;  ///< by instruction; may be empty
  std::vector<ByteRange> padding;        ///< of shared memory: what no array has
  std::vector<bool> strong;  ///< by instruction: a generic access that C++ calls atomic (.STRONG); may be empty

  bool any() const { return race || uninitialised || bounds || barriers || masks || unused; }
};

class MemoryChecker final : public machine::Observer {
 public:
  explicit MemoryChecker(MemoryCheckOptions options);

  unsigned events() const override { return machine::shared_accesses | machine::syncs | machine::blocks; }
  std::unique_ptr<machine::Recorder> recorder(const machine::LaunchInfo& launch) override;
  void finish(const machine::LaunchInfo& launch, std::vector<std::unique_ptr<machine::Recorder>> recorders) override;

  /// After `finish`: by instructions and kind.
  const std::vector<Hazard>& hazards() const { return hazards_; }
  /// After `finish`, with MemoryCheckOptions::unused: what no block accessed, ascending; padding between arrays left out.
  const std::vector<ByteRange>& untouched() const { return untouched_; }

 private:
  MemoryCheckOptions options_;
  std::vector<Hazard> hazards_;
  std::vector<ByteRange> untouched_;
};

}  // namespace lanebank::checks
