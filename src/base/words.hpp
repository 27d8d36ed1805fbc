// How numbers and names are spelled for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lanebank {

/// 1048576 as "1,048,576".
std::string grouped(std::uint64_t number);

/// "1 launch", "20 launches": `one` and `many` name the thing.
std::string counted(std::uint64_t number, const char* one, const char* many);

/// "12.3 us", three digits.
std::string time_text(double seconds);

/// "25 %" of 0.25; "< 0.1 %" of something that small.
std::string share_text(double share);

/// "tr<(int)0, (int)32>" of "void ns::tr<(int)0, (int)32>(const float *, int)": no return type, scopes or parameters.
std::string kernel_title(std::string_view kernel);

/// "tr" of it: the function's own name.
std::string kernel_base_name(std::string_view kernel);

}  // namespace lanebank
