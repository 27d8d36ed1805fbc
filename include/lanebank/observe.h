// What the emulated device did since it was last asked: the C interface of lanebank::cudart, for tests in the program's own process.
//
//   lanebank_observed seen = {LANEBANK_OBSERVED_VERSION};
//   lanebank_observe(&seen);                       forget what was before
//   transpose<<<grid, block>>>(in, out, n);
//   cudaDeviceSynchronize();
//   lanebank_observe(&seen);
//   seen.excess                                    wavefronts of shared memory above the ideal
//
// lanebank/testing.hpp makes GoogleTest assertions of it. A program that links another CUDA runtime does not link with it: it needs
// lanebank::cudart, or `nvcc -cudart none ... -llanebank_cudart`.
#ifndef LANEBANK_OBSERVE_H
#define LANEBANK_OBSERVE_H

#ifdef __cplusplus
extern "C" {
#endif

enum { LANEBANK_OBSERVED_VERSION = 1 };

// Sums over all launches since the last call, of any thread.
typedef struct lanebank_observed {
  unsigned version;   // LANEBANK_OBSERVED_VERSION, set by the caller
  unsigned problems;  // what could not be analysed: calls that are not implemented, traps, assertions ...
  unsigned long long launches;
  unsigned long long executed, wavefronts, ideal, excess;  // shared-memory requests of warps, and wavefronts
  unsigned long long races, errors;  // findings; errors: of any check, races too, and what stopped a kernel
  // For people, lines that end in '\n'; never null, valid until the next call of lanebank_observe.
  const char* conflicts_text;  // kernels with excess: lines, lanes, reasons, cures, and the costliest access drawn
  const char* checks_text;     // findings of the checks
  const char* problems_text;
} lanebank_observed;

// Fills `observed` and begins anew. 0, or -1 where `version` is one that this library does not know.
int lanebank_observe(lanebank_observed* observed);

#ifdef __cplusplus
}
#endif
#endif
