#include "checks/memory_checker.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/check.hpp"
#include "checks/block_order.hpp"
#include "checks/cluster_lifetime.hpp"
#include "checks/hazard_table.hpp"
#include "checks/shadow.hpp"
#include "checks/stored_values.hpp"

namespace lanebank::checks {

namespace {

using machine::SharedAccess;
using machine::SharedKind;
using machine::SyncEvent;
using machine::WarpPlace;

enum class Touch : std::uint8_t { read, write, atomic, strong_read, strong_write };

/// Touches that do not race with each other.
constexpr bool is_atomic(Touch touch) { return touch != Touch::read && touch != Touch::write; }

struct BlockState {
  BlockOrder order;
  Cells cells;
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
      : options_(options),
        shared_bytes_(launch.static_shared_bytes + launch.dynamic_shared_bytes),
        touched_(options.unused ? shared_bytes_ : 0),
        warps_((launch.block[0] * launch.block[1] * launch.block[2] + 31) / 32),
        ordinary_mbarriers_(launch.architecture < 90) {
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
    state->order.reset(warps_);
    state->cells.reset(cell_count());
    for (const ByteRange& range : options_.padding) mark_padding(state->cells, range);
    mark_padding(state->cells, {shared_bytes_, shared_bytes_ + widest_access_bytes});
    std::memset(state->arrived_by, 0, sizeof state->arrived_by);
    last_ = state.get();
    last_block_ = block;
    blocks_[block] = std::move(state);
  }

  void block_ends(std::uint64_t block) override {
    const auto found = blocks_.find(block);
    if (found == blocks_.end()) return;
    if (const auto access = lifetime_.block_ends(block)) report_lifetime(HazardKind::block_ended, *access);
    touched_.add(found->second->cells, cell_shift_);
    spare_.push_back(std::move(found->second));
    blocks_.erase(found);
    last_ = nullptr;
  }

  void shared_access(const WarpPlace& place, const SharedAccess& access) override {
    if (access.other_lanes != 0 && access.blocks != nullptr) other_blocks(place, access);
    if (access.mask == 0 || access.addresses == nullptr) return;
    if (access.kind == SharedKind::bulk_copy) return;
    BlockState& block = state_of(place.block);
    if (access.kind == SharedKind::matrix_operand) return matrix_operands(block, place, access);
    if (!ordinary_mbarriers_) return data_access(block, place, access);
    SharedAccess data = access;
    data.mask = without_mbarriers(block.order, place.warp, access);
    if (data.mask != 0) data_access(block, place, data);
  }

  /// The first arrival shows that ordinary accesses of before were of an mbarrier: no races.
  void find_mbarrier(const BlockOrder& order, const SyncEvent& event) {
    if (ordinary_mbarriers_ && !order.has_mbarrier(event.number)) hazards_.forget_races(event.number, event.number + 8);
  }

  /// Lanes that do not touch an mbarrier. Before sm_90 code reads and changes its words with ordinary instructions: a load
  /// looks whether a phase is over, atomics change counts, a store makes a new one.
  static std::uint32_t without_mbarriers(BlockOrder& order, unsigned warp, const SharedAccess& access) {
    constexpr std::uint32_t mbarrier_bytes = 8;
    std::uint32_t others = access.mask;
    for (std::uint32_t left = access.lane_bytes <= mbarrier_bytes ? access.mask : 0; left != 0; left &= left - 1) {
      const unsigned lane = static_cast<unsigned>(std::countr_zero(left));
      const std::uint32_t byte = access.addresses[lane] & ~(mbarrier_bytes - 1);
      if (!order.has_mbarrier(byte)) continue;
      const Touch touch = checks::touch_of(access.kind);
      if (touch == Touch::write)
        order.mbarrier_init(byte);
      else
        others &= ~(1u << lane);
      if (touch == Touch::read) order.mbarrier_wait(warp, byte, 1u << lane);
    }
    return others;
  }

  void data_access(BlockState& block, const WarpPlace& place, const SharedAccess& access) {
    make_fine_enough(access.lane_bytes);
    if (options_.bounds && access.instruction < options_.arrays.size()) check_array(place, access);
    const bool is_copy = access.kind == SharedKind::async_copy_ca || access.kind == SharedKind::async_copy_cg;
    const Visit visit = visit_of(block, place, access, is_copy ? block.order.open_group(place.warp) : 0);
    switch (touch_of(access)) {
      case Touch::read:
        each_lane<Touch::read>(visit);
        break;
      case Touch::write:
        each_lane<Touch::write>(visit);
        break;
      case Touch::atomic:
        each_lane<Touch::atomic>(visit);
        each_address(access, [&](std::uint32_t byte) {
          if (is_strong(access)) block.order.strong_load(place.warp, byte, access.lane_bytes);
          block.order.atomic(place.warp, byte, access.lane_bytes);
        });
        break;
      case Touch::strong_read:
        each_lane<Touch::strong_read>(visit);
        each_address(access, [&](std::uint32_t byte) { block.order.strong_load(place.warp, byte, access.lane_bytes); });
        break;
      case Touch::strong_write:
        each_lane<Touch::strong_write>(visit);
        each_address(access,
                     [&](std::uint32_t byte) { block.order.strong_store(place.warp, byte, access.lane_bytes); });
        break;
    }
  }

  /// What wgmma reads must be written, copies awaited, and in order with its first warp. It is not noted as read: what a
  /// warpgroup has read it gives back through any one of its threads, whoever waited for the products.
  void matrix_operands(BlockState& block, const WarpPlace& place, const SharedAccess& access) {
    const Visit visit = visit_of(block, place, access, 0);
    for (std::uint32_t unit = 0; unit < access.bytes / operand_unit_bytes; ++unit) {
      const std::size_t first = access.addresses[unit] >> cell_shift_,
                        cells = std::size_t{operand_unit_bytes} >> cell_shift_;
      if (first + cells > block.cells.size()) return;  // the machine reports it
      for (std::size_t n = first; n < first + cells; ++n) {
        const Stamp write = visit.cells.write[n];
        if (write == nobody)
          never_written(visit, 0, n);
        else if ((write & copy_flag) != 0 ||
                 (warp_of(write) != visit.warp && time_of(write) > visit.known[warp_of(write)])) [[unlikely]]
          unordered_operand(visit, n);
      }
    }
  }

  bool is_strong(const SharedAccess& access) const {
    return access.generic && access.instruction < options_.strong.size() && options_.strong[access.instruction];
  }

  Touch touch_of(const SharedAccess& access) const {
    const Touch touch = checks::touch_of(access.kind);
    if (touch == Touch::atomic || !is_strong(access)) return touch;
    return touch == Touch::read ? Touch::strong_read : Touch::strong_write;
  }

  template <class Visitor>
  static void each_address(const SharedAccess& access, const Visitor& visitor) {
    for (std::uint32_t left = access.mask; left != 0; left &= left - 1)
      visitor(access.addresses[std::countr_zero(left)]);
  }

  void sync(const WarpPlace& place, const SyncEvent& event) override {
    BlockState& block = state_of(place.block);
    BlockOrder& order = block.order;
    const unsigned warp = place.warp;
    lifetime_.sync(place, event);
    switch (event.kind) {
      case SyncEvent::Kind::block_barrier:
        check_barrier(block, place, event);
        order.barrier_arrive(warp, event.number, event.waits);
        break;
      case SyncEvent::Kind::warp_sync:
        if (options_.masks && (event.mask & ~event.number) != 0)
          report_mask(place, event, HazardKind::mask_without_caller, event.mask & ~event.number);
        order.warp_sync(warp, event.number, machine_lanes);
        break;
      case SyncEvent::Kind::missing_lanes:
        if (options_.masks) report_mask(place, event, HazardKind::missing_lanes, event.mask);
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
        find_mbarrier(order, event);
        if (!event.remote) order.groups_arrive(warp, event.number);
        break;
      case SyncEvent::Kind::mbarrier_init:
        if (!event.remote) order.mbarrier_init(event.number);
        break;
      case SyncEvent::Kind::mbarrier_arrive:
        find_mbarrier(order, event);
        if (!event.remote) order.mbarrier_arrive(warp, event.number, event.mask);
        break;
      case SyncEvent::Kind::mbarrier_wait:
        if (!event.remote) order.mbarrier_wait(warp, event.number, event.mask);
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
    if (!own) {
      reach(copy.block, {copy.instruction, place, 0, copy.first_byte});
      mark_written(block, copy.first_byte, copy.bytes);
      return;
    }
    // As one lane that accesses the whole range.
    const SharedAccess access{
        .instruction = copy.instruction, .kind = copy.writes ? SharedKind::store : SharedKind::load, .mask = 1};
    const Visit visit =
        visit_of(block, place, access, copy.writes && copy.has_barrier ? block.order.bulk_group(copy.barrier_byte) : 0);
    if (copy.writes)
      each_cell<Touch::write>(visit, 0, copy.first_byte, copy.bytes);
    else
      each_cell<Touch::read>(visit, 0, copy.first_byte, copy.bytes);
  }

  Hazards take() { return hazards_.take(); }
  const TouchedBytes& touched() const { return touched_; }

 private:
  /// ptxas reads more than the program asks for where it knows that the rest does no harm: not a read of what nobody wrote.
  void mark_padding(Cells& cells, const ByteRange& range) const {
    const std::size_t first = ((std::size_t{range.first_byte} - 1) >> cell_shift_) + 1,
                      end = std::min(std::size_t{range.end_byte} >> cell_shift_, cells.size());
    for (std::size_t n = range.first_byte == 0 ? 0 : first; n < end; ++n) cells.write[n] = written_before;
  }

  static constexpr std::uint32_t widest_access_bytes = 16;
  static constexpr std::uint32_t machine_lanes = ~std::uint32_t{0};
  static constexpr std::uint32_t operand_unit_bytes = 16;

  /// One execution of an instruction.
  struct Visit {
    BlockState& block;
    const WarpPlace& place;
    const SharedAccess& access;
    unsigned warp;
    std::uint32_t now;           ///< interval
    const std::uint32_t* known;  ///< by warp: the last interval that is over
    std::uint32_t synced;        ///< the last interval that is over between the warp's lanes
    Stamp stamp;                 ///< of lane 0
    std::uint32_t copy;          ///< group that an asynchronous copy joins
    Stamp flags;                 ///< of a write's stamp
    struct {
      Stamp *write, *read, *read_before;
    } cells;
  };

  Visit visit_of(BlockState& block, const WarpPlace& place, const SharedAccess& access, std::uint32_t copy) const {
    const unsigned warp = place.warp;
    const BlockOrder& order = block.order;
    return {block,
            place,
            access,
            warp,
            order.now(warp),
            order.known(warp).data(),
            order.synced(warp) - 1,
            stamp(std::min(order.now(warp), last_time), access.instruction, warp, 0),
            copy,
            (copy != 0 ? copy_flag : 0) | (is_atomic(touch_of(access)) ? atomic_flag : 0),
            {block.cells.write.data(), block.cells.read.data(), block.cells.read_before.data()}};
  }

  std::size_t cell_count() const { return (std::size_t{shared_bytes_} >> cell_shift_) + 5; }

  BlockState& state_of(std::uint64_t block) {
    if (last_ != nullptr && last_block_ == block) return *last_;
    const auto found = blocks_.find(block);
    LANEBANK_CHECK(found != blocks_.end(), "an access of a block that does not run: " + std::to_string(block));
    last_ = found->second.get();
    last_block_ = block;
    return *last_;
  }

  /// Splits all cells where an access is narrower than they are.
  void make_fine_enough(unsigned bytes) {
    if (bytes >= 1u << cell_shift_) return;
    const unsigned shift = static_cast<unsigned>(std::countr_zero(bytes)), parts = 1u << (cell_shift_ - shift);
    cell_shift_ = shift;
    for (auto& [number, block] : blocks_) block->cells.split(parts);
  }

  template <Touch what>
  void each_lane(const Visit& visit) {
    const unsigned bytes = visit.access.lane_bytes;
    const std::uint32_t* addresses = visit.access.addresses;
    const unsigned rows = 8u * visit.access.matrices;  // of ldmatrix: the lanes that name rows
    const std::uint32_t naming = rows == 0 || rows >= 32 ? ~0u : (1u << rows) - 1;
    for (std::uint32_t left = visit.access.mask & naming; left != 0; left &= left - 1) {
      const unsigned lane = static_cast<unsigned>(std::countr_zero(left));
      if (bytes == 1u << cell_shift_)
        touch<what>(visit, lane, addresses[lane] >> cell_shift_);
      else
        each_cell<what>(visit, lane, addresses[lane], bytes);
    }
  }

  template <Touch what>
  void each_cell(const Visit& visit, unsigned lane, std::uint32_t byte, std::uint32_t bytes) {
    const std::size_t first = byte >> cell_shift_, end = (std::size_t{byte} + bytes - 1) >> cell_shift_;
    if (end >= visit.block.cells.size()) return;  // the machine reports it
    for (std::size_t n = first; n <= end; ++n) touch<what>(visit, lane, n);
  }

  template <Touch what>
  [[gnu::always_inline]] void touch(const Visit& visit, unsigned lane, std::size_t n) {
    const Stamp mine = visit.stamp | lane, write = visit.cells.write[n];
    // Against the last write. What a write by another warp and a write by this one need is much alike, but not the same.
    if (write == nobody) {
      if (what != Touch::write && what != Touch::strong_write) [[unlikely]]
        never_written(visit, lane, n);
    } else {
      const unsigned writer = warp_of(write);
      const std::uint32_t over =
          writer == visit.warp ? (lane_of(write) == lane ? ~0u : visit.synced) : visit.known[writer];
      if (time_of(write) > over || (write & copy_flag) != 0) [[unlikely]]
        unordered_write<what>(visit, lane, n);
    }
    // A strong read keeps no weak write from coming after it: that would have to name every reader of a polled word.
    if constexpr (what == Touch::strong_read) return;
    const Stamp read = visit.cells.read[n];
    if constexpr (what == Touch::read) {
      if (read == nobody) {
        visit.cells.read_before[n] = nobody;
        visit.cells.read[n] = mine;
      } else if (warp_of(read) != visit.warp) {
        visit.cells.read_before[n] = read;
        visit.cells.read[n] = mine;
      } else {
        // Reads by other lanes that are in order with what this warp does now are of no interest any more.
        const bool several = time_of(read) > visit.synced && (lane_of(read) != lane || (read & several_flag) != 0);
        visit.cells.read[n] = mine | (several ? several_flag : 0);
      }
    } else {
      if (read != nobody) {
        check_read(visit, lane, read, n);
        if (visit.cells.read_before[n] != nobody) check_read(visit, lane, visit.cells.read_before[n], n);
        visit.cells.read[n] = nobody;
      }
      visit.cells.write[n] = mine | visit.flags;
      if (visit.copy != 0) visit.block.cells.copy[n] = visit.copy;
    }
  }

  std::uint32_t byte_of(std::size_t cell) const { return static_cast<std::uint32_t>(cell << cell_shift_); }

  [[gnu::noinline]] void never_written(const Visit& visit, unsigned lane, std::size_t n) {
    if (options_.uninitialised) report(HazardKind::uninitialised, visit, lane, nobody, n);
  }

  /// A write to a cell that was read and not written since.
  void check_read(const Visit& visit, unsigned lane, Stamp read, std::size_t n) {
    const unsigned reader = warp_of(read);
    if (reader != visit.warp) {
      if (time_of(read) > visit.known[reader]) report(HazardKind::write_after_read, visit, lane, read, n);
      return;
    }
    if (lane_of(read) == lane && (read & several_flag) == 0) return;
    const unsigned other = lane_of(read) != lane ? lane_of(read) : lane ^ 1;  // some other lane
    if (!visit.block.order.ordered_in_warp(visit.warp, time_of(read), other, lane))
      report(HazardKind::write_after_read, visit, lane, stamp(time_of(read), instruction_of(read), reader, other), n);
  }

  /// An access to a cell whose last write may not be before it.
  template <Touch what>
  [[gnu::noinline]] void unordered_write(const Visit& visit, unsigned lane, std::size_t n) {
    const BlockOrder& order = visit.block.order;
    const Stamp write = visit.block.cells.write[n];
    if ((write & copy_flag) != 0) {
      // A copy writes when it likes, until somebody waits for it; from then on it is as a write by who waited.
      const std::uint32_t copy = visit.block.cells.copy[n];
      std::uint32_t waited = 0;
      if (order.is_complete(copy, visit.warp, waited)) {
        const bool other_lane = warp_of(write) == visit.warp && lane_of(write) != lane;
        if (other_lane && !order.ordered_in_warp(visit.warp, waited, lane_of(write), lane))
          report(what == Touch::read || what == Touch::strong_read ? HazardKind::read_after_write
                                                                   : HazardKind::write_after_write,
                 visit, lane, write, n);
        return;
      }
      if (visit.copy == copy && lane_of(write) == lane) return;  // one lane's copies of a group
      report(HazardKind::copy_not_awaited, visit, lane, write, n, false, !order.is_awaited(copy));
      return;
    }
    if (warp_of(write) == visit.warp && order.ordered_in_warp(visit.warp, time_of(write), lane_of(write), lane)) return;
    if (is_atomic(what) && (write & atomic_flag) != 0) return;
    if (what == Touch::read || what == Touch::strong_read) {
      report(HazardKind::read_after_write, visit, lane, write, n);
      return;
    }
    const bool at_once = is_same_execution(visit, write, n);
    const bool same = what == Touch::write && (write & atomic_flag) == 0 && same_value(visit, lane, write, n, at_once);
    report(same ? HazardKind::same_value_writes : HazardKind::write_after_write, visit, lane, write, n, at_once);
  }

  /// An operand of wgmma whose last write may not be before it. The lanes of a warp come to it together.
  [[gnu::noinline]] void unordered_operand(const Visit& visit, std::size_t n) {
    const BlockOrder& order = visit.block.order;
    const Stamp write = visit.block.cells.write[n];
    if ((write & copy_flag) == 0) return report(HazardKind::read_after_write, visit, 0, write, n);
    const std::uint32_t copy = visit.block.cells.copy[n];
    std::uint32_t waited = 0;
    if (!order.is_complete(copy, visit.warp, waited))
      report(HazardKind::copy_not_awaited, visit, 0, write, n, false, !order.is_awaited(copy));
  }

  /// Whether the write is another lane's of the same execution: a lane before this one that reaches the cell.
  bool is_same_execution(const Visit& visit, Stamp write, std::size_t n) const {
    const SharedAccess& access = visit.access;
    if (warp_of(write) != visit.warp || instruction_of(write) != access.instruction || access.addresses == nullptr)
      return false;
    const unsigned other = lane_of(write);
    const std::size_t first = access.addresses[other] >> cell_shift_,
                      end = (std::size_t{access.addresses[other]} + access.lane_bytes - 1) >> cell_shift_;
    return (access.mask >> other & 1) != 0 && time_of(write) == visit.now && n >= first && n <= end;
  }

  StoredValues values_of(const Visit& visit, unsigned lane, Stamp earlier, std::size_t n, bool at_once) const {
    return stored_values(visit.access, lane, at_once ? std::optional(lane_of(earlier)) : std::nullopt, byte_of(n),
                         1u << cell_shift_);
  }

  /// Whether a store writes what is there, or what another lane of it writes there.
  bool same_value(const Visit& visit, unsigned lane, Stamp write, std::size_t n, bool at_once) const {
    const StoredValues values = values_of(visit, lane, write, n, at_once);
    return values.bytes != 0 && values.current == values.incoming;
  }

  void check_array(const WarpPlace& place, const SharedAccess& access) {
    const InstructionArray& meant = options_.arrays[access.instruction];
    if (meant.array < 0) return;
    for (std::uint32_t left = access.mask; left != 0; left &= left - 1) {
      const unsigned lane = static_cast<unsigned>(std::countr_zero(left));
      const std::uint32_t byte = access.addresses[lane], end = byte + access.lane_bytes;
      if (byte >= meant.first_byte && end <= meant.end_byte) continue;
      // ptxas joins accesses of neighbouring arrays: the part that means this one is somewhere in the whole.
      const bool is_joined = meant.access_bytes != 0 && access.lane_bytes > meant.access_bytes;
      if (is_joined && end > meant.first_byte && byte < meant.end_byte) continue;
      if (Hazard* hazard = hazards_.add({.kind = HazardKind::outside_of_array, .later = access.instruction}, place, {},
                                        {place.warp, lane}, byte))
        hazard->array = meant.array;
    }
  }

  void check_barrier(BlockState& block, const WarpPlace& place, const SyncEvent& event) {
    std::uint32_t& first = block.arrived_by[place.warp][event.number];
    if (first == 0) {
      first = event.instruction + 1;
      return;
    }
    if (!options_.barriers || first == event.instruction + 1) return;
    hazards_.add(
        {.kind = HazardKind::divergent_barrier, .in_warp = true, .earlier = first - 1, .later = event.instruction},
        place, {}, {place.warp, static_cast<std::uint32_t>(std::countr_zero(event.mask))}, event.number);
  }

  /// `lanes`: those that the mask is wrong for.
  void report_mask(const WarpPlace& place, const SyncEvent& event, HazardKind kind, std::uint32_t lanes) {
    if (Hazard* hazard = hazards_.add({.kind = kind, .in_warp = true, .later = event.instruction}, place, {},
                                      {place.warp, static_cast<std::uint32_t>(std::countr_zero(lanes))}, 0))
      hazard->mask = event.number;
  }

  /// Accesses to other blocks of the cluster: what they write there is taken as written in order.
  void other_blocks(const WarpPlace& place, const SharedAccess& access) {
    for (std::uint32_t left = access.other_lanes; left != 0; left &= left - 1) {
      const unsigned lane = static_cast<unsigned>(std::countr_zero(left));
      reach(access.blocks[lane], {access.instruction, place, lane, access.addresses[lane]});
      if (checks::touch_of(access.kind) == Touch::read) continue;
      const auto target = blocks_.find(access.blocks[lane]);
      if (target != blocks_.end()) mark_written(*target->second, access.addresses[lane], access.lane_bytes);
    }
  }

  void reach(std::uint64_t target, const ClusterLifetime::Access& access) {
    if (!blocks_.contains(target))
      report_lifetime(HazardKind::block_ended, access);
    else if (!lifetime_.reach(target, access))
      report_lifetime(HazardKind::block_not_begun, access);
  }

  void report_lifetime(HazardKind kind, const ClusterLifetime::Access& access) {
    if (!options_.race) return;
    hazards_.add({.kind = kind, .later = access.instruction}, access.place, {}, {access.place.warp, access.lane},
                 access.byte);
  }

  void mark_written(BlockState& block, std::uint32_t byte, std::uint32_t bytes) {
    make_fine_enough(std::min(bytes, 1u << cell_shift_));
    const std::size_t first = byte >> cell_shift_, end = (std::size_t{byte} + bytes - 1) >> cell_shift_;
    for (std::size_t n = first; n <= end && n < block.cells.size(); ++n) {
      block.cells.write[n] = written_before;
      block.cells.read[n] = nobody;
    }
  }

  void report(HazardKind kind, const Visit& visit, unsigned lane, Stamp earlier, std::size_t n, bool at_once = false,
              bool pending = false) {
    if (kind != HazardKind::uninitialised && !options_.race) return;
    const bool in_warp = earlier != nobody && warp_of(earlier) == visit.warp;
    const Hazard cause{.kind = kind,
                       .in_warp = in_warp,
                       .at_once = at_once,
                       .pending = pending,
                       .earlier = earlier == nobody ? 0 : instruction_of(earlier),
                       .later = visit.access.instruction};
    Hazard* hazard =
        hazards_.add(cause, visit.place, {warp_of(earlier), lane_of(earlier)}, {visit.warp, lane}, byte_of(n));
    if (hazard == nullptr) return;
    const StoredValues values = values_of(visit, lane, earlier, n, at_once);
    hazard->value_bytes = values.bytes;
    hazard->current_value = values.current;
    hazard->incoming_value = values.incoming;
  }

  const MemoryCheckOptions& options_;
  std::uint32_t shared_bytes_;
  TouchedBytes touched_;
  unsigned warps_;
  bool ordinary_mbarriers_;  ///< mbarriers are words that ordinary instructions read and change
  unsigned cell_shift_ = 2;
  std::unordered_map<std::uint64_t, std::unique_ptr<BlockState>> blocks_;  ///< that run
  std::vector<std::unique_ptr<BlockState>> spare_;
  BlockState* last_ = nullptr;
  std::uint64_t last_block_ = 0;
  ClusterLifetime lifetime_;
  HazardTable hazards_;
};

}  // namespace

MemoryChecker::MemoryChecker(MemoryCheckOptions options) : options_(std::move(options)) {}

std::unique_ptr<machine::Recorder> MemoryChecker::recorder(const machine::LaunchInfo& launch) {
  return std::make_unique<MemoryRecorder>(options_, launch);
}

void MemoryChecker::finish(const machine::LaunchInfo& launch,
                           std::vector<std::unique_ptr<machine::Recorder>> recorders) {
  Hazards all;
  TouchedBytes touched(options_.unused ? launch.static_shared_bytes + launch.dynamic_shared_bytes : 0);
  for (const auto& recorder : recorders) {
    auto* memory = dynamic_cast<MemoryRecorder*>(recorder.get());
    LANEBANK_CHECK(memory != nullptr, "a recorder of another observer");
    touched.add(memory->touched());
    for (auto& [cause, hazard] : memory->take()) {
      auto [place, is_new] = all.try_emplace(cause, hazard);
      if (is_new) continue;
      const std::uint64_t count = place->second.count + hazard.count;
      if (hazard.block < place->second.block) place->second = hazard;
      place->second.count = count;
    }
  }
  untouched_ = touched.untouched();
  hazards_.clear();
  for (auto& [cause, hazard] : all) hazards_.push_back(hazard);
}

}  // namespace lanebank::checks
