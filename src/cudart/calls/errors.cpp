// Names and texts of errors, and the last error of the thread.
#include "cudart/calls.hpp"
#include "cudart/process.hpp"

namespace lanebank::cudart::calls {

const char* cudaGetErrorName(Error error) {
  switch (static_cast<int>(error)) {
#define ERROR(name, value, text) \
  case value:                    \
    return #name;
#include "cudart/errors.def"
#undef ERROR
  }
  return "unrecognized error code";
}

const char* cudaGetErrorString(Error error) {
  switch (static_cast<int>(error)) {
#define ERROR(name, value, text) \
  case value:                    \
    return text;
#include "cudart/errors.def"
#undef ERROR
  }
  return "unrecognized error code";
}

// These return an int so that the guard does not take their answer for an error of their own.
int cudaGetLastError() {
  const int error = Process::thread().last_error;
  Process::thread().last_error = cudaSuccess;
  return error;
}

int cudaPeekAtLastError() { return Process::thread().last_error; }

ChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int kind) { return {x, y, z, w, kind}; }

}  // namespace lanebank::cudart::calls
