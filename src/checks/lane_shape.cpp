#include "checks/lane_shape.hpp"

#include <array>
#include <bit>

namespace lanebank::checks {
namespace {

bool active(std::uint32_t lanes, unsigned lane) { return (lanes >> lane & 1) != 0; }

/// All active lanes on one line through the lane number.
std::optional<LaneStep> single_step(const Access& access, std::uint32_t lanes) {
  const unsigned first = std::countr_zero(lanes), last = 31 - std::countl_zero(lanes);
  if (first == last) return LaneStep{1, 0};
  const std::int64_t base = access.addresses[first];
  const std::int64_t span = access.addresses[last] - base;
  if (span % (last - first) != 0) return std::nullopt;
  const std::int64_t stride = span / (last - first);
  for (unsigned lane = first; lane <= last; ++lane)
    if (active(lanes, lane) && access.addresses[lane] - base != stride * (lane - first)) return std::nullopt;
  return LaneStep{static_cast<unsigned>(std::popcount(lanes)), stride};
}

}  // namespace

std::optional<std::vector<LaneStep>> lane_steps(const Access& access, std::uint32_t lanes) {
  if (lanes == 0) return std::nullopt;
  if (const auto single = single_step(access, lanes)) return std::vector<LaneStep>{*single};
  const unsigned first = std::countr_zero(lanes);
  std::uint32_t varying = 0;
  for (unsigned lane = first; lane < lanes_per_warp; ++lane)
    if (active(lanes, lane)) varying |= lane ^ first;
  std::array<std::int64_t, 5> strides{};
  for (unsigned k = 0; k < 5; ++k) {
    if ((varying >> k & 1) == 0) continue;
    bool found = false;
    for (unsigned lane = 0; lane < lanes_per_warp && !found; ++lane) {
      const unsigned partner = lane | 1u << k;
      if (partner == lane || !active(lanes, lane) || !active(lanes, partner)) continue;
      strides[k] = std::int64_t{access.addresses[partner]} - access.addresses[lane];
      found = true;
    }
    if (!found) return std::nullopt;
  }
  for (unsigned lane = first; lane < lanes_per_warp; ++lane) {
    if (!active(lanes, lane)) continue;
    std::int64_t expected = access.addresses[first];
    for (unsigned k = 0; k < 5; ++k)
      expected += strides[k] * (static_cast<int>(lane >> k & 1) - static_cast<int>(first >> k & 1));
    if (expected != access.addresses[lane]) return std::nullopt;
  }
  std::vector<LaneStep> steps;
  std::int64_t next = 0;
  for (unsigned k = 0; k < 5; ++k) {
    if ((varying >> k & 1) == 0) continue;
    if (!steps.empty() && strides[k] == next) {
      steps.back().count *= 2;
    } else {
      steps.push_back({2, strides[k]});
    }
    next = 2 * strides[k];
  }
  return steps;
}

std::string lane_list(std::uint32_t lanes) {
  std::vector<unsigned> list;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
    if (active(lanes, lane)) list.push_back(lane);
  if (list.empty()) return "no lane";
  if (list.size() == 1) return "lane " + std::to_string(list.front());
  if (list.size() > 2 && list.back() - list.front() + 1 == list.size())
    return "lanes " + std::to_string(list.front()) + ".." + std::to_string(list.back());
  const std::size_t shown = list.size() <= 8 ? list.size() : 6;
  std::string text = "lanes ";
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + std::to_string(list[i]);
  if (shown < list.size()) text += " and " + std::to_string(list.size() - shown) + " more";
  return text;
}

}  // namespace lanebank::checks
