// The text of an instruction, driven by the pictures of the instruction table.
#include "sass/table.hpp"

namespace lanebank::sass {

std::string disassemble(const Instruction& instruction, unsigned) { return std::string(mnemonic(instruction.row)); }

}  // namespace lanebank::sass
