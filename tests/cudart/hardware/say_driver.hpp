// The transcript macros of say.hpp for calls of the driver interface.
#pragma once

#include <cuda.h>

#include "say.hpp"

inline void print_call(const char* text, CUresult result) {
  const char* name = "no name";
  cuGetErrorName(result, &name);
  std::printf("  %-70s %s\n", text, name);
  std::fflush(stdout);
}
