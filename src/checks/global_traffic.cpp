#include "checks/global_traffic.hpp"

#include <algorithm>
#include <bit>

namespace lanebank::checks {
namespace {

constexpr std::uint64_t nowhere = ~std::uint64_t{0};
constexpr std::uint32_t no_block = ~std::uint32_t{0};

class TrafficRecorder final : public machine::Recorder {
 public:
  void global_access(const machine::WarpPlace& place, const machine::GlobalAccess& access) override {
    gather(access.addresses, access.mask, access.lane_bytes);
    const bool reads = access.kind == machine::GlobalKind::load;
    request(place.block, reads);
  }

  /// Asynchronous copies, whose sources are global.
  void shared_access(const machine::WarpPlace& place, const machine::SharedAccess& access) override {
    const std::uint32_t reading = access.mask & access.reading_lanes;
    if (access.global_addresses == nullptr || reading == 0) return;
    gather(access.global_addresses, reading, access.lane_bytes);
    request(place.block, true);
  }

  void global_range(const machine::WarpPlace& place, const machine::GlobalRange& range) override {
    if (range.bytes == 0) return;
    (range.writes ? traffic_.engine_write_bytes : traffic_.engine_read_bytes) += range.bytes;
    const std::uint64_t first = range.address / sector_bytes, last = (range.address + range.bytes - 1) / sector_bytes;
    (range.writes ? traffic_.l2_write_sectors : traffic_.l2_read_sectors) += last - first + 1;
    for (std::uint64_t sector = first; sector <= last; ++sector) touch(sector, place.block, !range.writes);
  }

  GlobalTraffic finish() {
    for (auto& [number, page] : pages_) traffic_.pages[number] = page.touched;
    return std::move(traffic_);
  }

 private:
  struct Page {
    TouchedPage touched;
    std::array<std::uint32_t, page_sectors> reader;  ///< the block that read the sector last; its low bits
    Page() { reader.fill(no_block); }
  };

  /// The different sectors of a request, into sectors_.
  void gather(const std::uint64_t* addresses, std::uint32_t mask, unsigned lane_bytes) {
    count_ = 0;
    std::uint64_t previous = nowhere;
    bool ascending = true;
    for (; mask != 0; mask &= mask - 1) {
      const std::uint64_t address = addresses[std::countr_zero(mask)];
      const std::uint64_t first = address / sector_bytes, last = (address + lane_bytes - 1) / sector_bytes;
      for (std::uint64_t sector = first; sector <= last; ++sector) {
        if (sector == previous) continue;
        ascending = ascending && (count_ == 0 || sector > previous);
        sectors_[count_++] = previous = sector;
      }
    }
    if (ascending) return;
    std::sort(sectors_.begin(), sectors_.begin() + count_);
    count_ = static_cast<unsigned>(std::unique(sectors_.begin(), sectors_.begin() + count_) - sectors_.begin());
  }

  void request(std::uint64_t block, bool reads) {
    ++traffic_.requests;
    traffic_.sectors += count_;
    if (!reads) traffic_.l2_write_sectors += count_;
    for (unsigned i = 0; i < count_; ++i)
      if (touch(sectors_[i], block, reads) && reads) ++traffic_.l2_read_sectors;
  }

  /// Whether it is the block's first read of the sector since another block read it.
  bool touch(std::uint64_t sector, std::uint64_t block, bool reads) {
    const std::uint64_t number = sector / page_sectors;
    const auto place = static_cast<std::size_t>(sector % page_sectors);
    if (number != last_number_) {
      last_ = &pages_[number];
      last_number_ = number;
    }
    (reads ? last_->touched.read : last_->touched.written).set(place);
    if (!reads) return false;
    const auto reader = static_cast<std::uint32_t>(block);
    const bool is_new = last_->reader[place] != reader;
    last_->reader[place] = reader;
    return is_new;
  }

  // Lanes that straddle sectors by up to 16 bytes take two each.
  std::array<std::uint64_t, 64> sectors_;
  unsigned count_ = 0;
  std::unordered_map<std::uint64_t, Page> pages_;
  std::uint64_t last_number_ = nowhere;
  Page* last_ = nullptr;
  GlobalTraffic traffic_;
};

}  // namespace

std::unique_ptr<machine::Recorder> GlobalTrafficObserver::recorder(const machine::LaunchInfo&) {
  return std::make_unique<TrafficRecorder>();
}

void GlobalTrafficObserver::finish(const machine::LaunchInfo&,
                                   std::vector<std::unique_ptr<machine::Recorder>> recorders) {
  for (const auto& recorder : recorders) {
    const GlobalTraffic part = static_cast<TrafficRecorder&>(*recorder).finish();
    traffic_.requests += part.requests;
    traffic_.sectors += part.sectors;
    traffic_.l2_read_sectors += part.l2_read_sectors;
    traffic_.l2_write_sectors += part.l2_write_sectors;
    traffic_.engine_read_bytes += part.engine_read_bytes;
    traffic_.engine_write_bytes += part.engine_write_bytes;
    for (const auto& [number, page] : part.pages) {
      TouchedPage& all = traffic_.pages[number];
      all.read |= page.read;
      all.written |= page.written;
    }
  }
}

}  // namespace lanebank::checks
