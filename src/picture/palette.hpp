// The colour of a bank.
#pragma once

#include <cstdint>

namespace lanebank::picture {

struct BankColour {
  std::uint32_t light = 0;  ///< 0xRRGGBB, for dark text
  std::uint32_t dark = 0;   ///< 0xRRGGBB, for light text
};

BankColour colour_of(unsigned bank);

/// The nearest colour of the 6x6x6 cube of terminals with 256 colours.
unsigned cube_colour(std::uint32_t rgb);

}  // namespace lanebank::picture
