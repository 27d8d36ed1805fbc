// A launch for tests: events go to the recorders of a conflict observer in turn.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "checks/conflicts.hpp"

namespace lanebank::checks {

class Launch {
 public:
  explicit Launch(std::vector<SharedArray> arrays = {}, ConflictLimits limits = {}, unsigned workers = 1,
                  unsigned architecture = 90)
      : observer_(std::move(arrays), limits) {
    info_.architecture = architecture;
    info_.instructions.resize(8);
    for (unsigned i = 0; i < workers; ++i) recorders_.push_back(observer_.recorder(info_));
  }

  /// Lane i of the event accesses `address(i)`.
  void access(machine::SharedAccess event, const std::function<std::uint32_t(unsigned)>& address) {
    std::uint32_t addresses[lanes_per_warp];
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane) addresses[lane] = address(lane);
    event.addresses = addresses;
    send(event);
  }
  void send(const machine::SharedAccess& event) { recorders_[next_++ % recorders_.size()]->shared_access({}, event); }

  const ConflictReport& finish() {
    observer_.finish(info_, std::move(recorders_));
    return observer_.report();
  }

 private:
  ConflictObserver observer_;
  machine::LaunchInfo info_;
  std::vector<std::unique_ptr<machine::Recorder>> recorders_;
  std::size_t next_ = 0;
};

inline machine::SharedAccess event_of(machine::SharedKind kind, unsigned lane_bytes = 4,
                                      std::uint32_t mask = 0xffffffffu, std::uint32_t instruction = 0) {
  machine::SharedAccess event;
  event.instruction = instruction;
  event.kind = kind;
  event.lane_bytes = static_cast<std::uint8_t>(lane_bytes);
  event.mask = mask;
  event.matrices = kind == machine::SharedKind::matrix_load || kind == machine::SharedKind::matrix_store ? 4 : 0;
  return event;
}

}  // namespace lanebank::checks
