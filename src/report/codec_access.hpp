// The worst access of a row and its cure to JSON values and back: a part of codec.hpp.
#pragma once

#include "report/codec.hpp"

namespace lanebank::report::codec {

Json write(const std::vector<findings::SourcePlace>& places);
Json write(const findings::WorstAccess& worst);
Json write(const findings::Suggestion& suggestion);

std::vector<findings::SourcePlace> read_places(const Node& node);
findings::WorstAccess read_worst(const Node& node);
findings::Suggestion read_suggestion(const Node& node);

}  // namespace lanebank::report::codec
