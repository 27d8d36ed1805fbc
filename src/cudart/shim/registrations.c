/* The registrations of a program, recorded in order: kernels, variables, fatbins, and their end.
 *
 * nvcc's generated constructors call these before main(), once per object that holds device code. They
 * only append to a log, so a program that never calls CUDA never loads the engine.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shim.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct lanebank_registration* records;
static size_t count, room;

static void record(struct lanebank_registration registration) {
  pthread_mutex_lock(&mutex);
  if (count == room) {
    size_t more = room == 0 ? 64 : 2 * room;
    struct lanebank_registration* grown = realloc(records, more * sizeof *records);
    if (grown == NULL) {
      static const char message[] = "lanebank: out of host memory while a program registers its kernels\n";
      if (write(2, message, sizeof message - 1) < 0) _exit(125);
      _exit(125);
    }
    records = grown;
    room = more;
  }
  records[count++] = registration;
  pthread_mutex_unlock(&mutex);
}

size_t lanebank_registrations(size_t first, struct lanebank_registration* out, size_t out_room) {
  pthread_mutex_lock(&mutex);
  size_t n = first < count ? count - first : 0;
  if (n > out_room) n = out_room;
  if (n > 0) memcpy(out, records + first, n * sizeof *out);
  pthread_mutex_unlock(&mutex);
  return n;
}

#define SHIM_FUNCTION LANEBANK_HIDDEN __attribute__((used))

/* The handle is an address of our own and points at the wrapper. */
SHIM_FUNCTION void** lanebank_shim___cudaRegisterFatBinary(void* wrapper) {
  void** handle = malloc(sizeof *handle);
  if (handle == NULL) return NULL;
  *handle = wrapper;
  record((struct lanebank_registration){.kind = lanebank_registers_fatbin, .fatbin = handle, .host = wrapper});
  return handle;
}

SHIM_FUNCTION void lanebank_shim___cudaRegisterFatBinaryEnd(void** fatbin) { (void)fatbin; }

/* The handle stays allocated: stubs of the program may still hold it. */
SHIM_FUNCTION void lanebank_shim___cudaUnregisterFatBinary(void** fatbin) {
  if (fatbin == NULL) return;
  record((struct lanebank_registration){.kind = lanebank_unregisters_fatbin, .fatbin = fatbin});
  const struct lanebank_engine* engine = lanebank_loaded_engine();
  if (engine != NULL) engine->fatbin_unregistered();
}

SHIM_FUNCTION void lanebank_shim___cudaRegisterFunction(void** fatbin, const char* host, char* device, const char* name,
                                                        int thread_limit, void* tid, void* bid, void* block_dim,
                                                        void* grid_dim, int* warp_size) {
  (void)device, (void)thread_limit, (void)tid, (void)bid, (void)block_dim, (void)grid_dim, (void)warp_size;
  record(
      (struct lanebank_registration){.kind = lanebank_registers_kernel, .fatbin = fatbin, .host = host, .name = name});
}

SHIM_FUNCTION void lanebank_shim___cudaRegisterVar(void** fatbin, char* host, char* device, const char* name, int ext,
                                                   size_t bytes, int constant, int global) {
  (void)device, (void)ext, (void)global;
  record((struct lanebank_registration){.kind = lanebank_registers_variable,
                                        .fatbin = fatbin,
                                        .host = host,
                                        .name = name,
                                        .bytes = bytes,
                                        .constant = constant});
}

SHIM_FUNCTION void lanebank_shim___cudaRegisterManagedVar(void** fatbin, void** host, char* device, const char* name,
                                                          int ext, size_t bytes, int constant, int global) {
  (void)device, (void)ext, (void)global;
  record((struct lanebank_registration){.kind = lanebank_registers_managed,
                                        .fatbin = fatbin,
                                        .host = host,
                                        .name = name,
                                        .bytes = bytes,
                                        .constant = constant});
}
