#include "picture/words.hpp"

#include <bit>
#include <vector>

#include "base/words.hpp"
#include "lanebank/bank_model.hpp"

namespace lanebank::picture {

std::string lanes_text(std::uint32_t lanes) {
  std::vector<unsigned> list;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
    if ((lanes >> lane & 1) != 0) list.push_back(lane);
  if (list.empty()) return "no lane";
  if (list.size() == 1) return "lane " + std::to_string(list.front());
  if (list.size() == 2) return "lanes " + std::to_string(list.front()) + " and " + std::to_string(list.back());
  if (list.size() > 2 && list.back() - list.front() + 1 == list.size())
    return "lanes " + std::to_string(list.front()) + ".." + std::to_string(list.back());
  const std::size_t shown = list.size() <= 8 ? list.size() : 6;
  std::string text = "lanes ";
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + std::to_string(list[i]);
  if (shown < list.size()) text += " and " + std::to_string(list.size() - shown) + " more";
  return text;
}

std::string counted(std::uint64_t number, const std::string& noun) {
  return lanebank::counted(number, noun.c_str(), (noun + "s").c_str());
}

}  // namespace lanebank::picture
