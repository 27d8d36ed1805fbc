#include "picture/palette.hpp"

#include <array>

namespace lanebank::picture {
namespace {

constexpr std::array<BankColour, 32> bank_colours = {{
#define LANEBANK_BANK_COLOUR(bank, light, dark) {light, dark},
#include "picture/palette.def"
}};

/// Levels of the cube: 0, 95, 135, 175, 215, 255.
unsigned cube_level(unsigned value) {
  if (value < 48) return 0;
  if (value < 115) return 1;
  return (value - 35) / 40;
}

}  // namespace

BankColour colour_of(unsigned bank) { return bank_colours[bank % bank_colours.size()]; }

unsigned cube_colour(std::uint32_t rgb) {
  return 16 + 36 * cube_level(rgb >> 16 & 255) + 6 * cube_level(rgb >> 8 & 255) + cube_level(rgb & 255);
}

}  // namespace lanebank::picture
