// What the machine publishes while it runs. Observers include this header and nothing else of the
// machine; the machine never names its observers.
//
// One Observer is given to a launch. For each worker thread it makes a Recorder, which is called from
// that thread only, so that recorders need no locks; `Observer::finish` is called once, after all of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace lanebank::machine {

inline constexpr unsigned warp_lanes = 32;

/// What kind of shared-memory instruction an access belongs to; decides its access rule.
enum class SharedKind : std::uint8_t {
  load,            ///< LDS, and the shared lanes of a generic load
  store,           ///< STS
  matrix_load,     ///< LDSM: addresses of lanes 0..8n-1 are rows
  matrix_store,    ///< STSM
  atomic,          ///< ATOMS of one pass over the lanes (add, min, max, inc, dec, and, or, xor, exch)
  atomic_cas,      ///< ATOMS.CAS
  atomic_merged,   ///< ATOMS.POPC.INC: equal addresses are merged
  atomic_spin,     ///< ATOMS.CAST.SPIN
  async_copy_ca,   ///< LDGSTS through L1: `addresses` are shared, `global_addresses` the sources
  async_copy_cg,   ///< LDGSTS.BYPASS
  bulk_copy,       ///< UTMALDG, UBLKCP
  matrix_operand,  ///< HGMMA operands read from shared memory; `bytes` of the whole warpgroup
};

/// Bytes [first, end) from the block's first shared byte; empty where both are equal.
struct ByteRange {
  std::uint32_t first = 0, end = 0;
};

/// One executed shared-memory instruction of one warp.
struct SharedAccess {
  std::uint32_t instruction = 0;  ///< index into LaunchInfo::instructions
  SharedKind kind = SharedKind::load;
  std::uint8_t lane_bytes = 4;    ///< bytes per lane (matrix rows: 16)
  std::uint8_t matrices = 0;      ///< LDSM, STSM: 1, 2 or 4
  bool generic = false;           ///< reached through a generic address
  std::uint32_t mask = 0;         ///< lanes that access; may be 0
  std::uint32_t other_lanes = 0;  ///< lanes that reach other blocks of the cluster; they count nothing here
  std::uint32_t bytes = 0;        ///< matrix_operand, bulk_copy: bytes in all
  ByteRange operands[2];          ///< matrix_operand: within these lie the operands A and B
  const std::uint32_t* addresses =
      nullptr;  ///< 32 from the block's first shared byte (arrays start at 0); matrix_operand: bytes / 16, of 16 bytes each
  const std::uint64_t* global_addresses = nullptr;  ///< async copies: 32 source addresses, of those lanes that read
  std::uint32_t reading_lanes = 0xffffffffu;        ///< async copies: the other lanes of the mask write zeros
  bool zero_fills = false;                ///< async copies: of the form that may read fewer bytes than it writes
  const std::uint64_t* blocks = nullptr;  ///< with other_lanes: 32 linear block indices
  const std::uint32_t* values = nullptr;  ///< plain stores: register r of lane i at 32 r + i
  const std::uint8_t* memory = nullptr;   ///< plain stores: the block's shared memory, before the store
};

/// Where a warp stands: for messages and per-block observers.
struct WarpPlace {
  std::uint64_t block = 0;  ///< linear index in the grid
  std::uint32_t warp = 0;   ///< in the block
};

enum class GlobalKind : std::uint8_t { load, store, atomic };

struct GlobalAccess {
  std::uint32_t instruction = 0;
  GlobalKind kind = GlobalKind::load;
  std::uint8_t lane_bytes = 4;
  std::uint32_t mask = 0;
  const std::uint64_t* addresses = nullptr;
};

/// What brings order between threads, done by the lanes of `mask` of a warp.
struct SyncEvent {
  enum class Kind : std::uint8_t {
    block_barrier,  ///< BAR: arrives at barrier `number`; `waits`: stays there until barrier_released
    warp_sync,  ///< WARPSYNC, NOP, shuffles, votes: with the lanes that `number` names; lanes that have ended count as named
    missing_lanes,  ///< a WARPSYNC waited for the lanes of `number`, which wait for its own elsewhere; those went on without it
    fence,          ///< MEMBAR; `number`: 1 beyond the block
    copies_committed,  ///< LDGDEPBAR: closes a group of asynchronous copies
    copies_awaited,    ///< DEPBAR of the copies' scoreboard: at most `number` groups are still open
    copies_arrive,  ///< ARRIVES.LDGSTSBAR: an arrival at the mbarrier at byte `number` once the warp's copies are done
    mbarrier_init,  ///< SYNCS.EXCH: writes the mbarrier at byte `number`
    mbarrier_arrive,  ///< SYNCS.ARRIVE: at the mbarrier at byte `number`
    mbarrier_wait,    ///< SYNCS.PHASECHK: a phase of the mbarrier at byte `number` is over
    cluster_arrive,   ///< UCGABAR_ARV
    cluster_wait,     ///< UCGABAR_WAIT, once all have arrived
  };
  std::uint32_t instruction = 0;
  Kind kind = Kind::block_barrier;
  std::uint32_t mask = 0;
  std::uint32_t number = 0;  ///< bytes count from the block's first shared byte
  bool waits = false;
  bool remote = false;  ///< the mbarrier lies in another block of the cluster
};

/// A bulk or tensor copy (UBLKCP, UTMALDG, UTMASTG, STAS) that reads or writes shared memory of `block`; reported once for
/// each block it writes to, and before its bytes count as arrived on the mbarrier.
struct BulkCopy {
  std::uint32_t instruction = 0;
  bool writes = false;  ///< shared memory is the target
  std::uint64_t block = 0;
  std::uint32_t first_byte = 0, bytes = 0;  ///< a range from the first shared byte of that block
  bool has_barrier = false;
  std::uint32_t barrier_byte = 0;  ///< of the mbarrier that the bytes arrive on, in the same block
};

/// A run of global memory that a bulk or tensor copy or reduction (UBLKCP, UTMALDG, ...) reads or writes.
struct GlobalRange {
  std::uint32_t instruction = 0;
  bool writes = false;  ///< global memory is the target
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
};

/// Called from one worker thread. Whatever is not overridden does nothing.
class Recorder {
 public:
  virtual ~Recorder();
  virtual void shared_access(const WarpPlace& place, const SharedAccess& access);
  virtual void global_access(const WarpPlace& place, const GlobalAccess& access);
  virtual void global_range(const WarpPlace& place, const GlobalRange& range);
  virtual void sync(const WarpPlace& place, const SyncEvent& event);
  virtual void bulk_copy(const WarpPlace& place, const BulkCopy& copy);
  virtual void barrier_released(std::uint64_t block, std::uint32_t barrier);
  virtual void block_begins(std::uint64_t block);
  virtual void block_ends(std::uint64_t block);
};

/// Which events an observer wants; the others cost nothing.
/// `global_accesses` brings global_access and global_range; `syncs` brings sync, bulk_copy and barrier_released.
enum EventMask : unsigned { shared_accesses = 1, global_accesses = 2, syncs = 4, blocks = 8 };

/// One instruction of the launched program, as observers may need it.
struct InstructionInfo {
  std::uint32_t function = 0;       ///< 0: the kernel itself
  std::uint32_t address_bytes = 0;  ///< from the start of that function
};

struct LaunchInfo {
  unsigned architecture = 90;
  std::uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  std::uint32_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
  std::vector<InstructionInfo> instructions;
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual unsigned events() const = 0;  ///< of EventMask
  virtual std::unique_ptr<Recorder> recorder(const LaunchInfo& launch) = 0;
  /// After the last block: all recorders that `recorder` made, in no particular order.
  virtual void finish(const LaunchInfo& launch, std::vector<std::unique_ptr<Recorder>> recorders) = 0;
};

}  // namespace lanebank::machine
