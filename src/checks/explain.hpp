// Why an instruction costs more than its ideal, in one sentence.
#pragma once

#include <string>

#include "checks/conflicts.hpp"

namespace lanebank::checks {

/// On the record with most excess: which lanes meet in which bank, and the structure of the addresses, e.g.
/// "lanes 0..31 read 32 different words of bank 5: a column, rows 128 bytes apart". Empty without excess.
std::string explain(const InstructionConflicts& instruction, unsigned architecture);

}  // namespace lanebank::checks
