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

/// A part of the transcript in a process and a context of its own.
template <class Body>
void in_a_context(const char* title, Body body) {
  in_a_process(title, [&] {
    CUcontext context = nullptr;
    cuInit(0);
    cuCtxCreate(&context, nullptr, 0, 0);
    body();
  });
}
