// The hazards of one recorder: one entry a cause, with a count and the first example in the order of blocks.
#pragma once

#include "checks/memory_findings.hpp"
#include "machine/events.hpp"

namespace lanebank::checks {

class HazardTable {
 public:
  /// Counts what shows `cause`. Gives the entry with its place filled in, if this is the example to keep; else nullptr.
  Hazard* add(const Hazard& cause, const machine::WarpPlace& place, LanePlace earlier, LanePlace later,
              std::uint32_t byte) {
    Hazard& hazard = entry(cause);
    if (hazard.count++ != 0 && hazard.block <= place.block) return nullptr;
    hazard.block = place.block;
    hazard.earlier_place = earlier;
    hazard.later_place = later;
    hazard.byte = byte;
    return &hazard;
  }
  /// Takes back the races whose example lies in bytes `first` .. `end` - 1.
  void forget_races(std::uint32_t first, std::uint32_t end) {
    std::erase_if(found_, [&](const auto& item) {
      const Hazard& hazard = item.second;
      return hazard.kind <= HazardKind::same_value_writes && hazard.byte >= first && hazard.byte < end;
    });
    last_ = nullptr;
  }
  Hazards take() { return std::move(found_); }

 private:
  Hazard& entry(const Hazard& cause) {
    if (last_ == nullptr || last_->cause() != cause.cause())
      last_ = &found_.try_emplace(cause.cause(), cause).first->second;
    return *last_;
  }

  Hazards found_;
  Hazard* last_ = nullptr;
};

}  // namespace lanebank::checks
