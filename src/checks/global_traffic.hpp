// Counts what a launch reads and writes of global memory, in sectors of 32 bytes: those of each request, those that a block
// has not read before (what a perfect L1 asks of L2), and those that nobody of the launch has touched before (what a cold
// L2 asks of DRAM).
//
//   GlobalTrafficObserver observer;
//   ... the machine runs the launch with it ...
//   observer.traffic()
//
// Exact, and the same for every number of workers, but for l2_read_sectors where a worker runs several blocks at once (clusters,
// blocks that wait for each other). Local memory, textures and what instructions themselves take are not counted.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "machine/events.hpp"

namespace lanebank::checks {

inline constexpr unsigned sector_bytes = 32, page_bytes = 4096, page_sectors = page_bytes / sector_bytes;

/// Different sectors of one page of global memory.
struct TouchedPage {
  std::bitset<page_sectors> read, written;
};

struct GlobalTraffic {
  std::uint64_t requests = 0, sectors = 0;
  std::uint64_t l2_read_sectors = 0, l2_write_sectors = 0;
  std::uint64_t engine_read_bytes = 0, engine_write_bytes = 0;
  std::unordered_map<std::uint64_t, TouchedPage> pages;  ///< by address / page_bytes
};

class GlobalTrafficObserver final : public machine::Observer {
 public:
  unsigned events() const override { return machine::global_accesses | machine::shared_accesses; }
  std::unique_ptr<machine::Recorder> recorder(const machine::LaunchInfo& launch) override;
  void finish(const machine::LaunchInfo& launch, std::vector<std::unique_ptr<machine::Recorder>> recorders) override;

  /// After `finish`.
  const GlobalTraffic& traffic() const { return traffic_; }

 private:
  GlobalTraffic traffic_;
};

}  // namespace lanebank::checks
