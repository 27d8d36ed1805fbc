// The buffers in which a program wants to read what its just-in-time compilation said.
#pragma once

#include <string>
#include <string_view>

#include "cudart/driver_abi.hpp"

namespace lanebank::cudart::driver {

class JitLog {
 public:
  JitLog(unsigned count, const JitOption* options, void** values);
  /// Puts `error` into the error buffer, nothing into the other, and says how long they are.
  void write(std::string_view error) const;

 private:
  struct Buffer {
    char* text = nullptr;
    void** size = nullptr;  ///< holds the room, takes the length
  };
  static void fill(const Buffer& buffer, std::string_view text);
  Buffer info_, error_;
};

}  // namespace lanebank::cudart::driver
