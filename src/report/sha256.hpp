// SHA-256 (FIPS 180-4), for the hash by which a page's security policy lets its one style sheet through.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace lanebank::report {

std::array<std::uint8_t, 32> sha256(std::string_view text);

/// The same in base64, as policies spell it.
std::string sha256_base64(std::string_view text);

}  // namespace lanebank::report
