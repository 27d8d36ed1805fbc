/* The engine of a runtime that is linked into the program: part of the same library. */
#include "shim.h"

const struct lanebank_engine* lanebank_load_engine(const struct lanebank_shim* shim) {
  return lanebank_engine_start(shim);
}

/* A program that links to this library was compiled with the headers of CUDA 13. */
int lanebank_runtime_major(void) { return 13; }
