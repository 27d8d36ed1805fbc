// What lanebank::transpose and lanebank::permute answer: status.hpp, by the name and the words that they have for it.
#pragma once

#include "lanebank/status.hpp"

namespace lanebank {

using MoveStatus = Status;
constexpr const char* name(MoveStatus status) { return status_name(status); }

}  // namespace lanebank
