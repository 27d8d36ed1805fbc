// Lanes and numbers in words.
#pragma once

#include <cstdint>
#include <string>

namespace lanebank::picture {

/// "lane 3", "lanes 0 and 16", "lanes 0..31", "lanes 0, 8, 16, 24", "lanes 1, 2, 7, 9, 12, 13 and 5 more".
std::string lanes_text(std::uint32_t lanes);

/// "1 wavefront", "2 wavefronts".
std::string counted(std::uint64_t number, const std::string& noun);

}  // namespace lanebank::picture
