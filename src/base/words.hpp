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

/// "tr<Layout<float, 1>>(T1)" of "void ns::tr<ns::Layout<float, (int)1>>(T1)": no return type, namespaces or casts. Names of
/// kernels that are built of hundreds of types become a third as long.
std::string kernel_without_scopes(std::string_view kernel);

/// A kernel's name for a message: whole where it has at most `most_bytes`, else without scopes and parameters, and cut.
std::string kernel_in_short(std::string_view kernel, std::size_t most_bytes = 160);

/// "tr" of it: the function's own name.
std::string kernel_base_name(std::string_view kernel);

}  // namespace lanebank
