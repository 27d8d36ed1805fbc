// The page docs/instructions.md, made from the instruction table.
#pragma once

#include <string>

namespace lanebank::sass {

std::string instructions_page();

}  // namespace lanebank::sass
