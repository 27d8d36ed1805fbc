// One line on a terminal while a launch takes long.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "machine/device.hpp"

namespace lanebank::session {

/// Shows nothing during the first second, then "tr  37 % of 4,096 blocks, 12 s left", and wipes it at the end.
class ProgressLine {
 public:
  ProgressLine(int terminal, std::string kernel);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(std::uint64_t done_blocks, std::uint64_t all_blocks);

 private:
  void write(const std::string& text) const;
  int terminal_;
  std::string kernel_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool shown_ = false;
};

}  // namespace lanebank::session
