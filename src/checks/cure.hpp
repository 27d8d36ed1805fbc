// Cures that are sure: a layout of the array's rows, recounted for every recorded access of the array.
#pragma once

#include <vector>

#include "checks/conflicts.hpp"

namespace lanebank::checks {

/// Fills `cure` of the instructions with excess, where XOR of the column by the row or padding of the rows
/// brings the instruction's wavefronts down without making another instruction on the array worse, e.g.
/// "column ^ row (0 bytes), or rows of 33 floats (+128 bytes): 32,768 wavefronts".
/// Nothing is proposed for an array whose accesses are not all recorded and modelled, nor when the launch has
/// bulk copies or wgmma, whose layouts the hardware prescribes.
void find_cures(ConflictReport& report, const std::vector<SharedArray>& arrays);

}  // namespace lanebank::checks
