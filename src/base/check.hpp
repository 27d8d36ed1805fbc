// Our own bugs: a check that is always on and says condition and values.
#pragma once

#include <stdexcept>
#include <string>

namespace lanebank {

/// A broken invariant of lanebank itself. Callers at the outer edge (the command line, the C ABI) turn
/// it into exit code 125.
struct InternalError : std::logic_error {
  using std::logic_error::logic_error;
};

[[noreturn]] inline void internal_error(const char* file, int line, const char* condition, const std::string& values) {
  throw InternalError(std::string(file) + ":" + std::to_string(line) + ": " + condition + (values.empty() ? "" : ": ") +
                      values);
}

}  // namespace lanebank

#define LANEBANK_CHECK(condition, values) \
  ((condition) ? void(0) : ::lanebank::internal_error(__FILE_NAME__, __LINE__, #condition, values))
