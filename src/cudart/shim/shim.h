/* The parts of the shim to each other. */
#ifndef LANEBANK_CUDART_SHIM_H
#define LANEBANK_CUDART_SHIM_H

#include <stddef.h>
#include <stdint.h>

#include "interface.h"

#define LANEBANK_HIDDEN __attribute__((visibility("hidden")))

enum lanebank_row {
#define SHIM(name) lanebank_row_##name,
#define CALL(name, fault) lanebank_row_##name,
#define SAME(name, as) lanebank_row_##name,
#define MISSING(name, reason) lanebank_row_##name,
#include "../runtime_calls.def"
#undef SHIM
#undef CALL
#undef SAME
#undef MISSING
  lanebank_rows
};

/* entries.c: by row, the name, the entry point, and where the entry point jumps to. */
extern const char* const lanebank_names[lanebank_rows] LANEBANK_HIDDEN;
extern void* const lanebank_entries[lanebank_rows] LANEBANK_HIDDEN;
extern void* lanebank_slots[lanebank_rows] LANEBANK_HIDDEN;
/* The row of a name, or -1. */
LANEBANK_HIDDEN int lanebank_find_row(const char* name);

/* load_preloaded.c or load_linked.c: the engine; ends the process with 125 when there is none. */
LANEBANK_HIDDEN const struct lanebank_engine* lanebank_load_engine(const struct lanebank_shim* shim);

/* registrations.c */
LANEBANK_HIDDEN size_t lanebank_registrations(size_t first, struct lanebank_registration* records, size_t room);

/* redirect.c, or load_linked.c: 12 once a runtime of CUDA 12 was seen, else 13. */
LANEBANK_HIDDEN int lanebank_runtime_major(void);

/* entries.c: the engine if it is loaded, else null. */
LANEBANK_HIDDEN const struct lanebank_engine* lanebank_loaded_engine(void);

/* redirect.c: what became of a loaded object. */
enum lanebank_outcome {
  lanebank_no_cuda,    /* has no CUDA runtime and needs none */
  lanebank_redirected, /* its own CUDA runtime now jumps to the entry points */
  lanebank_imports,    /* takes the CUDA runtime from a shared library: nothing to do */
  lanebank_stripped,   /* has device code and a CUDA runtime of its own without symbols */
  lanebank_refused     /* the system did not let us write the jumps; errno says why */
};

struct lanebank_trampolines {
  void* start;
  size_t bytes;
};

/* Redirects the libcudart functions that the object at `path`, loaded with `bias`, carries. */
LANEBANK_HIDDEN enum lanebank_outcome lanebank_redirect(const char* path, uintptr_t bias,
                                                        struct lanebank_trampolines* trampolines);
/* What the bytes of an object's file say, without a process; `targets`: how many functions would be redirected. */
LANEBANK_HIDDEN enum lanebank_outcome lanebank_classify(const void* bytes, size_t size, size_t* targets);
/* Writes a jump to `target` over the function at `address`, of which 5 bytes may be overwritten. */
LANEBANK_HIDDEN int lanebank_redirect_function(uintptr_t address, void* target,
                                               struct lanebank_trampolines* trampolines);

/* refuse.c: tells `lanebank run` or stderr why the program cannot be analysed, and ends the process with 122.
 * A null path is the program itself. */
LANEBANK_HIDDEN _Noreturn void lanebank_refuse(const char* id, const char* path, const char* what, const char* remedy);
LANEBANK_HIDDEN void lanebank_write_problem(int descriptor, const char* id, const char* where, const char* what,
                                            const char* remedy);
/* The environment that the process was started with: libc's own is not ready before its constructors. */
LANEBANK_HIDDEN void lanebank_remember_environment(char* const* variables);

#endif
