// How numbers are spelled for people.
#pragma once

#include <cstdint>
#include <string>

namespace lanebank {

/// 1048576 as "1,048,576".
std::string grouped(std::uint64_t number);

/// "1 launch", "20 launches": `one` and `many` name the thing.
std::string counted(std::uint64_t number, const char* one, const char* many);

}  // namespace lanebank
