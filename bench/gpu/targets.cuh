// The targets of a bench: of each, the least figure of its cases and the goal, as the last lines of CSV.
//
//   target,<what>,<figure>,<goal>
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace gpu_bench {

class Targets {
 public:
  void add(const std::string& what, double figure, double goal) {
    for (Target& one : targets_)
      if (one.what == what) {
        one.figure = std::min(one.figure, figure);
        return;
      }
    targets_.push_back({what, figure, goal});
  }
  void print() const {
    for (const Target& one : targets_) std::printf("target,\"%s\",%.3f,%.2f\n", one.what.c_str(), one.figure, one.goal);
    std::fflush(stdout);
  }

 private:
  struct Target {
    std::string what;
    double figure, goal;
  };
  std::vector<Target> targets_;
};

/// The targets of this program.
inline Targets& targets() {
  static Targets all;
  return all;
}

}  // namespace gpu_bench
