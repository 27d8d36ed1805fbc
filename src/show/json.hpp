// An answer as JSON, schema lanebank.show/1 (docs/show.md).
#pragma once

#include <string>

#include "show/show.hpp"

namespace lanebank::show {

std::string write_json(const Answer& answer);

}  // namespace lanebank::show
