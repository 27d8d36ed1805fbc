// The recorded texts of tests/sass/data: words and what the vendor's tools print of them.
#pragma once

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sass/instruction.hpp"

namespace lanebank::sass {

struct Recorded {
  std::vector<unsigned> architectures;
  std::uint32_t address = 0;
  Word word;
  std::string text;
};

/// "75-86,90": the architectures of a line.
inline std::vector<unsigned> architectures_of(const std::string& ranges) {
  static constexpr unsigned all[] = {75, 80, 86, 89, 90};
  std::vector<unsigned> result;
  std::istringstream parts(ranges);
  for (std::string part; std::getline(parts, part, ',');) {
    unsigned first = static_cast<unsigned>(std::stoul(part)), last = first;
    if (std::size_t dash = part.find('-'); dash != std::string::npos)
      last = static_cast<unsigned>(std::stoul(part.substr(dash + 1)));
    for (unsigned architecture : all)
      if (architecture >= first && architecture <= last) result.push_back(architecture);
  }
  return result;
}

/// The lines of a file of tests/sass/data: "architectures address high low text".
inline std::vector<Recorded> recorded(const std::string& file) {
  std::ifstream stream(std::string(LANEBANK_TEST_DATA "/") + file);
  if (!stream) throw std::runtime_error("no recorded texts in " LANEBANK_TEST_DATA "/" + file);
  std::vector<Recorded> result;
  for (std::string line; std::getline(stream, line);) {
    std::istringstream fields(line);
    std::string architectures, address, high, low;
    Recorded entry;
    fields >> architectures >> address >> high >> low;
    std::getline(fields >> std::ws, entry.text);
    entry.architectures = architectures_of(architectures);
    entry.address = static_cast<std::uint32_t>(std::stoul(address, nullptr, 16));
    entry.word = {std::stoull(low, nullptr, 16), std::stoull(high, nullptr, 16)};
    result.push_back(entry);
  }
  return result;
}

}  // namespace lanebank::sass
