#include "checks/memory_checker.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/check.hpp"
#include "checks/block_order.hpp"

namespace lanebank::checks {

namespace {

using machine::SharedAccess;
using machine::SharedKind;
using machine::SyncEvent;
using machine::WarpPlace;

/// Who accessed a cell, when, by which instruction: interval in bits 32..63, instruction 10..31, warp 5..9, lane 0..4.
using Stamp = std::uint64_t;
constexpr Stamp nobody = 0;  // intervals count from 1
constexpr std::uint32_t instruction_limit = 1u << 22;

constexpr Stamp stamp(std::uint32_t time, std::uint32_t instruction, unsigned warp, unsigned lane) {
  return std::uint64_t{time} << 32 | std::uint64_t{instruction} << 10 | warp << 5 | lane;
}
constexpr std::uint32_t time_of(Stamp s) { return static_cast<std::uint32_t>(s >> 32); }
constexpr std::uint32_t instruction_of(Stamp s) { return static_cast<std::uint32_t>(s >> 10) & (instruction_limit - 1); }
constexpr unsigned warp_of(Stamp s) { return static_cast<unsigned>(s >> 5) & 31; }
constexpr unsigned lane_of(Stamp s) { return static_cast<unsigned>(s) & 31; }

/// What is known of a few bytes of shared memory.
struct Cell {
  Stamp write = nobody;
  Stamp read = nobody;            ///< the last one since the write
  Stamp read_before = nobody;     ///< the last one since the write by another warp than that
  std::uint32_t execution = 0;    ///< of the write: number of the warp's access
  std::uint32_t copy : 30 = 0;    ///< the group of copies that wrote it
  std::uint32_t atomic : 1 = 0;   ///< the write was an atomic
  std::uint32_t several : 1 = 0;  ///< several lanes of the warp made the last read's interval's reads
};
static_assert(sizeof(Cell) == 32);

enum class Touch : std::uint8_t { read, write, atomic };

struct BlockState {
  BlockOrder order;
  std::vector<Cell> cells;
  std::uint32_t arrived_by[warps_per_block][16] = {};  ///< instruction + 1 of a warp's first arrival in this phase
};

Touch touch_of(SharedKind kind) {
  switch (kind) {
    case SharedKind::load:
    case SharedKind::matrix_load:
      return Touch::read;
    case SharedKind::atomic:
    case SharedKind::atomic_cas:
    case SharedKind::atomic_merged:
    case SharedKind::atomic_spin:
      return Touch::atomic;
    default:
      return Touch::write;
  }
}

class MemoryRecorder final : public machine::Recorder {
 public:
  MemoryRecorder(const MemoryCheckOptions& options, const machine::LaunchInfo& launch)
      : options_(options), shared_bytes_(launch.static_shared_bytes + launch.dynamic_shared_bytes) {
    LANEBANK_CHECK(launch.instructions.size() < instruction_limit, "a kernel of too many instructions");
  }

  void block_begins(std::uint64_t block) override {
    std::unique_ptr<BlockState> state;
    if (spare_.empty()) {
      state = std::make_unique<BlockState>();
    } else {
      state = std::move(spare_.back());
      spare_.pop_back();
    }
    state->order.reset();
    state->cells.assign(cell_count(), Cell{});
    std::memset(state->arrived_by, 0, sizeof state->arrived_by);
    last_ = blocks_[block] = state.get();
    last_block_ = block;
    running_[block] = std::move(state);
  }

  void block_ends(std::uint64_t block) override {
    const auto found = running_.find(block);
    if (found == running_.end()) return;
    spare_.push_back(std::move(found->second));
    running_.erase(found);
    blocks_.erase(block);
    last_ = nullptr;
  }

  void shared_access(const WarpPlace& place, const SharedAccess& access) override {
    if (access.mask == 0 || access.addresses == nullptr) return;
    if (access.kind == SharedKind::bulk_copy || access.kind == SharedKind::matrix_operand) return;
    if (access.blocks != nullptr) {
      other_blocks(access);
      return;
    }
    BlockState& block = state_of(place.block);
    make_fine_enough(access.lane_bytes);
    if (options_.bounds && access.instruction < options_.arrays.size()) check_array(place, access);
    ++execution_;
    const bool is_copy = access.kind == SharedKind::async_copy_ca || access.kind == SharedKind::async_copy_cg;
    Visit visit{block, place, access, static_cast<unsigned>(place.warp), block.order.now(place.warp),
                is_copy ? block.order.open_group(place.warp) : 0};
    switch (touch_of(access.kind)) {
      case Touch::read:
        each_lane<Touch::read>(visit);
        break;
      case Touch::write:
        each_lane<Touch::write>(visit);
        break;
      case Touch::atomic:
        each_lane<Touch::atomic>(visit);
        for (std::uint32_t left = access.mask; left != 0; left &= left - 1)
          block.order.atomic(place.warp, access.addresses[std::countr_zero(left)]);
        break;
    }
  }

  void sync(const WarpPlace& place, const SyncEvent& event) override {
    BlockState& block = state_of(place.block);
    BlockOrder& order = block.order;
    const unsigned warp = place.warp;
    switch (event.kind) {
      case SyncEvent::Kind::block_barrier:
        check_barrier(block, place, event);
        order.barrier_arrive(warp, event.number, event.waits);
        break;
      case SyncEvent::Kind::warp_sync:
        if (options_.masks && (event.mask & ~event.number) != 0) report_mask(place, event);
        order.warp_sync(warp, event.number, machine_lanes);
        break;
      case SyncEvent::Kind::fence:
        order.fence(warp);
        break;
      case SyncEvent::Kind::copies_committed:
        order.commit_group(warp);
        break;
      case SyncEvent::Kind::copies_awaited:
        order.await_groups(warp, event.number);
        break;
      case SyncEvent::Kind::copies_arrive:
        if (!event.remote) order.groups_arrive(warp, event.number);
        break;
      case SyncEvent::Kind::mbarrier_init:
        if (!event.remote) order.mbarrier_init(event.number);
        break;
      case SyncEvent::Kind::mbarrier_arrive:
        if (!event.remote) order.mbarrier_arrive(warp, event.number);
        break;
      case SyncEvent::Kind::mbarrier_wait:
        if (!event.remote) order.mbarrier_wait(warp, event.number);
        break;
      case SyncEvent::Kind::cluster_arrive:
        order.cluster_arrive(warp);
        break;
      case SyncEvent::Kind::cluster_wait:
        order.cluster_wait(warp);
        break;
    }
  }

  void barrier_released(std::uint64_t block, std::uint32_t barrier) override {
    BlockState& state = state_of(block);
    state.order.barrier_released(barrier);
    for (auto& arrived : state.arrived_by) arrived[barrier] = 0;
  }

  void bulk_copy(const WarpPlace& place, const machine::BulkCopy& copy) override {
    if (copy.bytes == 0) return;
    const bool own = copy.block == place.block;
    const auto target = blocks_.find(copy.block);
    if (target == blocks_.end()) return;
    BlockState& block = *target->second;
    ++execution_;
    if (!own) {
      mark_written(block, copy.first_byte, copy.bytes, copy.instruction);
      return;
    }
    // As one lane that accesses the whole range.
    SharedAccess access{.instruction = copy.instruction, .mask = 1};
    Visit visit{block, place, access, static_cast<unsigned>(place.warp), block.order.now(place.warp),
                copy.writes && copy.has_barrier ? block.order.bulk_group(copy.barrier_byte) : 0};
    if (copy.writes)
      each_cell<Touch::write>(visit, 0, copy.first_byte, copy.bytes);
    else
      each_cell<Touch::read>(visit, 0, copy.first_byte, copy.bytes);
  }

  std::map<std::tuple<HazardKind, bool, bool, bool, std::uint32_t, std::uint32_t>, Hazard> take() {
    return std::move(found_);
  }

 private:
  static constexpr std::uint32_t machine_lanes = ~std::uint32_t{0};

  /// One execution of an instruction.
  struct Visit {
    BlockState& block;
    const WarpPlace& place;
    const SharedAccess& access;
    unsigned warp;
    std::uint32_t now;
    std::uint32_t copy;
  };

  std::size_t cell_count() const { return (std::size_t{shared_bytes_} >> cell_shift_) + 5; }

  BlockState& state_of(std::uint64_t block) {
    if (last_ != nullptr && last_block_ == block) return *last_;
    const auto found = blocks_.find(block);
    LANEBANK_CHECK(found != blocks_.end(), "an access of a block that does not run: " + std::to_string(block));
    last_ = found->second;
    last_block_ = block;
    return *last_;
  }

  /// Splits all cells where an access is narrower than they are.
  void make_fine_enough(unsigned bytes) {
    if (bytes >= 1u << cell_shift_) return;
    const unsigned shift = static_cast<unsigned>(std::countr_zero(bytes)), parts = 1u << (cell_shift_ - shift);
    cell_shift_ = shift;
    for (auto& [number, block] : blocks_) {
      std::vector<Cell> finer;
      finer.reserve(block->cells.size() * parts);
      for (const Cell& cell : block->cells) finer.insert(finer.end(), parts, cell);
      block->cells = std::move(finer);
    }
  }

  template <Touch what>
  void each_lane(const Visit& visit) {
    const unsigned bytes = visit.access.lane_bytes;
    const unsigned rows = 8u * visit.access.matrices;  // of ldmatrix: the lanes that name rows
    const std::uint32_t naming = rows == 0 || rows >= 32 ? ~0u : (1u << rows) - 1;
    for (std::uint32_t left = visit.access.mask & naming; left != 0; left &= left - 1) {
      const unsigned lane = static_cast<unsigned>(std::countr_zero(left));
      each_cell<what>(visit, lane, visit.access.addresses[lane], bytes);
    }
  }

  template <Touch what>
  void each_cell(const Visit& visit, unsigned lane, std::uint32_t byte, std::uint32_t bytes) {
    const std::size_t first = byte >> cell_shift_, end = (std::size_t{byte} + bytes - 1) >> cell_shift_;
    if (end >= visit.block.cells.size()) return;  // the machine reports it
    for (std::size_t n = first; n <= end; ++n)
      touch<what>(visit, lane, visit.block.cells[n], static_cast<std::uint32_t>(n << cell_shift_));
  }

  template <Touch what>
  [[gnu::always_inline]] void touch(const Visit& visit, unsigned lane, Cell& cell, std::uint32_t byte) {
    const BlockOrder& order = visit.block.order;
    const Stamp mine = stamp(visit.now, visit.access.instruction, visit.warp, lane);
    // Against the last write.
    if (cell.write == nobody) {
      if (what != Touch::write && options_.uninitialised) [[unlikely]]
        report(HazardKind::uninitialised, visit, lane, nobody, byte);
    } else if (warp_of(cell.write) != visit.warp) {
      if (time_of(cell.write) > order.known(visit.warp, warp_of(cell.write)) || cell.copy != 0) [[unlikely]]
        unordered_write<what>(visit, lane, cell, byte);
    } else if (lane_of(cell.write) != lane || cell.copy != 0) {
      if (cell.copy != 0 || !order.ordered_in_warp(visit.warp, time_of(cell.write), lane_of(cell.write), lane)) [[unlikely]]
        unordered_write<what>(visit, lane, cell, byte);
    }
    if constexpr (what == Touch::read) {
      if (warp_of(cell.read) != visit.warp || cell.read == nobody) {
        cell.read_before = cell.read;
        cell.several = 0;
      } else if (lane_of(cell.read) != lane) {
        cell.several = 1;
      }
      cell.read = mine;
    } else {
      if (cell.read != nobody) {
        check_read(visit, lane, cell.read, cell.several != 0, byte);
        if (cell.read_before != nobody) check_read(visit, lane, cell.read_before, false, byte);
        cell.read = cell.read_before = nobody;
        cell.several = 0;
      }
      cell.write = mine;
      cell.execution = execution_;
      cell.copy = visit.copy & ((1u << 30) - 1);
      cell.atomic = what == Touch::atomic;
    }
  }

  /// A write to a cell that was read and not written since. `several`: by other lanes than that of the stamp too.
  void check_read(const Visit& visit, unsigned lane, Stamp read, bool several, std::uint32_t byte) {
    const unsigned reader = warp_of(read);
    if (reader != visit.warp) {
      if (time_of(read) > visit.block.order.known(visit.warp, reader))
        report(HazardKind::write_after_read, visit, lane, read, byte);
      return;
    }
    if (lane_of(read) == lane && !several) return;
    const unsigned other = lane_of(read) != lane ? lane_of(read) : lane ^ 1;  // some other lane
    if (!visit.block.order.ordered_in_warp(visit.warp, time_of(read), other, lane))
      report(HazardKind::write_after_read, visit, lane, stamp(time_of(read), instruction_of(read), reader, other), byte);
  }

  /// An access to a cell whose last write may not be before it.
  template <Touch what>
  [[gnu::noinline]] void unordered_write(const Visit& visit, unsigned lane, Cell& cell, std::uint32_t byte) {
    const BlockOrder& order = visit.block.order;
    if (cell.copy != 0) {
      // A copy writes when it likes, until somebody waits for it; from then on it is as a write by who waited.
      std::uint32_t waited = 0;
      if (order.is_complete(cell.copy, visit.warp, waited)) {
        const bool own = warp_of(cell.write) == visit.warp && lane_of(cell.write) != lane ;
        if (own && !order.ordered_in_warp(visit.warp, waited, lane_of(cell.write), lane))
          report(what == Touch::read ? HazardKind::read_after_write : HazardKind::write_after_write, visit, lane, cell.write,
                 byte);
        return;
      }
      if (visit.copy == cell.copy && lane_of(cell.write) == lane) return;  // one lane's copies of a group
      report(HazardKind::copy_not_awaited, visit, lane, cell.write, byte, false, !order.is_awaited(cell.copy));
      return;
    }
    if (what == Touch::atomic && cell.atomic) return;
    if (what == Touch::read) {
      report(HazardKind::read_after_write, visit, lane, cell.write, byte);
      return;
    }
    const bool at_once = cell.execution == execution_;
    const bool same = what == Touch::write && !cell.atomic && same_value(visit, lane, cell, byte, at_once);
    report(same ? HazardKind::same_value_writes : HazardKind::write_after_write, visit, lane, cell.write, byte, at_once);
  }

  /// Whether a store writes what is there, or what another lane of it writes there.
  bool same_value(const Visit& visit, unsigned lane, const Cell& cell, std::uint32_t byte, bool at_once) const {
    const SharedAccess& access = visit.access;
    if (access.values == nullptr) return false;
    const std::uint32_t address = access.addresses[lane];
    const std::uint32_t bytes = std::min(1u << cell_shift_, unsigned{access.lane_bytes}), at = byte - std::min(byte, address);
    std::uint8_t mine[16], theirs[16];
    auto value_of = [&](unsigned of, std::uint8_t* to) {
      for (unsigned r = 0; 4 * r < access.lane_bytes; ++r) std::memcpy(to + 4 * r, &access.values[32 * r + of], 4);
    };
    value_of(lane, mine);
    if (at + bytes > sizeof mine) return false;
    if (at_once) {
      const unsigned other = lane_of(cell.write);
      if (access.addresses[other] != address) return false;
      value_of(other, theirs);
      return std::memcmp(mine + at, theirs + at, bytes) == 0;
    }
    return access.memory != nullptr && std::memcmp(mine + at, access.memory + byte, bytes) == 0;
  }

  void check_array(const WarpPlace& place, const SharedAccess& access) {
    const InstructionArray& meant = options_.arrays[access.instruction];
    if (meant.array < 0) return;
    for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
      const unsigned lane = static_cast<unsigned>(std::countr_zero(left));
      const std::uint32_t byte = access.addresses[lane];
      if (byte >= meant.first_byte && byte + access.lane_bytes <= meant.end_byte) continue;
      Hazard& hazard = entry(HazardKind::outside_of_array, false, false, false, 0, access.instruction);
      if (hazard.count++ != 0 && hazard.block <= place.block) continue;
      fill(hazard, place, {}, {place.warp, lane}, byte, access.lane_bytes);
      hazard.array = meant.array;
    }
  }

  void check_barrier(BlockState& block, const WarpPlace& place, const SyncEvent& event) {
    std::uint32_t& first = block.arrived_by[place.warp][event.number];
    if (first == 0) {
      first = event.instruction + 1;
      return;
    }
    if (!options_.barriers || first == event.instruction + 1) return;
    Hazard& hazard = entry(HazardKind::divergent_barrier, true, false, false, first - 1, event.instruction);
    if (hazard.count++ != 0 && hazard.block <= place.block) return;
    fill(hazard, place, {}, {place.warp, static_cast<std::uint32_t>(std::countr_zero(event.mask))}, event.number, 0);
  }

  void report_mask(const WarpPlace& place, const SyncEvent& event) {
    Hazard& hazard = entry(HazardKind::mask_without_caller, true, false, false, 0, event.instruction);
    if (hazard.count++ != 0 && hazard.block <= place.block) return;
    fill(hazard, place, {}, {place.warp, static_cast<std::uint32_t>(std::countr_zero(event.mask & ~event.number))}, 0, 0);
    hazard.mask = event.number;
  }

  /// Accesses to other blocks of the cluster: what they write there is taken as written in order.
  void other_blocks(const SharedAccess& access) {
    if (touch_of(access.kind) == Touch::read) return;
    for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
      const unsigned lane = static_cast<unsigned>(std::countr_zero(left));
      const auto target = blocks_.find(access.blocks[lane]);
      if (target != blocks_.end())
        mark_written(*target->second, access.addresses[lane], access.lane_bytes, access.instruction);
    }
  }

  void mark_written(BlockState& block, std::uint32_t byte, std::uint32_t bytes, std::uint32_t instruction) {
    make_fine_enough(std::min(bytes, 1u << cell_shift_));
    const std::size_t first = byte >> cell_shift_, end = (std::size_t{byte} + bytes - 1) >> cell_shift_;
    for (std::size_t n = first; n <= end && n < block.cells.size(); ++n) {
      block.cells[n] = {};
      block.cells[n].write = stamp(0, instruction, 0, 0) | 1;  // before every interval
    }
  }

  void report(HazardKind kind, const Visit& visit, unsigned lane, Stamp earlier, std::uint32_t byte, bool at_once = false,
              bool pending = false) {
    if (kind != HazardKind::uninitialised && !options_.race) return;
    const bool in_warp = earlier != nobody && warp_of(earlier) == visit.warp;
    Hazard& hazard = entry(kind, in_warp, at_once, pending, earlier == nobody ? 0 : instruction_of(earlier),
                           visit.access.instruction);
    if (hazard.count++ != 0 && hazard.block <= visit.place.block) return;
    fill(hazard, visit.place, {warp_of(earlier), lane_of(earlier)}, {visit.warp, lane}, byte, visit.access.lane_bytes);
  }

  static void fill(Hazard& hazard, const WarpPlace& place, LanePlace earlier, LanePlace later, std::uint32_t byte,
                   std::uint32_t bytes) {
    hazard.block = place.block;
    hazard.earlier_place = earlier;
    hazard.later_place = later;
    hazard.byte = byte;
    hazard.bytes = bytes;
  }

  Hazard& entry(HazardKind kind, bool in_warp, bool at_once, bool pending, std::uint32_t earlier, std::uint32_t later) {
    const auto cause = std::tuple(kind, in_warp, at_once, pending, earlier, later);
    if (last_found_ != nullptr && last_found_->cause() == cause) return *last_found_;
    Hazard& hazard = found_[cause];
    hazard.kind = kind;
    hazard.in_warp = in_warp;
    hazard.at_once = at_once;
    hazard.pending = pending;
    hazard.earlier = earlier;
    hazard.later = later;
    last_found_ = &hazard;
    return hazard;
  }

  const MemoryCheckOptions& options_;
  std::uint32_t shared_bytes_;
  unsigned cell_shift_ = 2;
  std::uint32_t execution_ = 0;
  std::unordered_map<std::uint64_t, BlockState*> blocks_;  ///< that run
  std::unordered_map<std::uint64_t, std::unique_ptr<BlockState>> running_;
  std::vector<std::unique_ptr<BlockState>> spare_;
  BlockState* last_ = nullptr;
  std::uint64_t last_block_ = 0;
  std::map<std::tuple<HazardKind, bool, bool, bool, std::uint32_t, std::uint32_t>, Hazard> found_;
  Hazard* last_found_ = nullptr;
};

}  // namespace

MemoryChecker::MemoryChecker(MemoryCheckOptions options) : options_(std::move(options)) {}

std::unique_ptr<machine::Recorder> MemoryChecker::recorder(const machine::LaunchInfo& launch) {
  return std::make_unique<MemoryRecorder>(options_, launch);
}

void MemoryChecker::finish(const machine::LaunchInfo&, std::vector<std::unique_ptr<machine::Recorder>> recorders) {
  std::map<std::tuple<HazardKind, bool, bool, bool, std::uint32_t, std::uint32_t>, Hazard> all;
  for (const auto& recorder : recorders) {
    auto* memory = dynamic_cast<MemoryRecorder*>(recorder.get());
    LANEBANK_CHECK(memory != nullptr, "a recorder of another observer");
    for (auto& [cause, hazard] : memory->take()) {
      auto [place, is_new] = all.try_emplace(cause, hazard);
      if (is_new) continue;
      const std::uint64_t count = place->second.count + hazard.count;
      if (hazard.block < place->second.block) place->second = hazard;
      place->second.count = count;
    }
  }
  hazards_.clear();
  for (auto& [cause, hazard] : all) hazards_.push_back(hazard);
}

}  // namespace lanebank::checks
