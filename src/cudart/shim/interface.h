/* What shim and engine say to each other. Plain C: the shim has no C++ runtime.
 *
 * The shim owns the names: every libcudart function is a jump through a slot (entries.c). Until the
 * first call that needs it the engine is not loaded; then `lanebank_engine_start` fills the slots.
 * Registrations arrive before main() and are only recorded (registrations.c); the engine reads the log
 * when it needs to know.
 */
#ifndef LANEBANK_CUDART_SHIM_INTERFACE_H
#define LANEBANK_CUDART_SHIM_INTERFACE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Shim and engine of one build always agree; a mixture of builds is refused. Grows with each change. */
#define LANEBANK_INTERFACE_VERSION 4u

enum lanebank_registration_kind {
  lanebank_registers_fatbin,   /* host: the fatbin wrapper */
  lanebank_registers_kernel,   /* host: the stub that <<<>>> names; name: its symbol in the cubin */
  lanebank_registers_variable, /* host: the shadow variable of a __device__ or __constant__ one */
  lanebank_registers_managed,  /* host: the pointer through which host code reaches a __managed__ variable */
  lanebank_unregisters_fatbin, /* the memory of the fatbin, and of names that came with it, is about to go */
};

struct lanebank_registration {
  enum lanebank_registration_kind kind;
  void** fatbin; /* handle that __cudaRegisterFatBinary gave out */
  const void* host;
  const char* name;
  size_t bytes;
  int constant;
};

struct lanebank_shim {
  unsigned interface_version;
  unsigned calls; /* rows of runtime_calls.def */
  /* The CUDA version of the runtime that the program was built with: 12 or 13. */
  int (*runtime_major)(void);
  /* Copies at most `room` records from number `first` on; returns how many. */
  size_t (*registrations)(size_t first, struct lanebank_registration* records, size_t room);
};

struct lanebank_observed; /* lanebank/observe.h */

struct lanebank_engine {
  unsigned interface_version;
  unsigned calls;
  void* const* table;    /* by row: the function behind the name; null for rows of the shim's own */
  unsigned driver_calls; /* rows of driver_calls.def */
  void* const* driver_table;
  void (*fatbin_unregistered)(void); /* returns when nothing reads that fatbin any more */
  int (*observe)(struct lanebank_observed* observed);
};

typedef const struct lanebank_engine* lanebank_engine_start_function(const struct lanebank_shim* shim);
__attribute__((visibility("default"))) lanebank_engine_start_function lanebank_engine_start;

/* Exported by the shim for the libcuda.so.1 beside it (stubs/cuda.c): the function of a row of
 * driver_calls.def, or null when that library is of another build. */
typedef void* lanebank_driver_function_type(unsigned rows, unsigned row);

#ifdef __cplusplus
}
#endif

#endif
