#include "base/diagnostic.hpp"

namespace lanebank {

std::string to_string(const Diagnostic& diagnostic) {
  std::string text;
  if (!diagnostic.where.empty()) text += diagnostic.where + ": ";
  text += diagnostic.what;
  if (!diagnostic.remedy.empty()) text += "\n  " + diagnostic.remedy;
  return text;
}

}  // namespace lanebank
