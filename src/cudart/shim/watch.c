/* Looks at every object of the process before its constructors run: first those that the program starts
 * with, then those that dlopen brings.
 *
 * The shim is linked with -z initfirst, so `begin` runs before all other constructors, libc's included:
 * it and all it calls use system calls and plain string functions only. For later objects it redirects the
 * function at _r_debug.r_brk, the dynamic linker's hook for debuggers: the linker calls it whenever it
 * has mapped or unmapped objects, before their constructors run.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shim.h"

struct seen {
  uintptr_t bias;
  const void* dynamic; /* with the bias: which object it is */
  struct lanebank_trampolines trampolines;
  int alive;
};

static struct seen* seen;
static size_t seen_count, seen_room;

static struct seen* find_seen(const struct link_map* map) {
  for (size_t i = 0; i < seen_count; ++i)
    if (seen[i].bias == map->l_addr && seen[i].dynamic == map->l_ld) return &seen[i];
  return NULL;
}

static struct seen* add_seen(const struct link_map* map) {
  if (seen_count == seen_room) {
    size_t room = seen_room == 0 ? 64 : 2 * seen_room;
    struct seen* grown = mmap(NULL, room * sizeof *seen, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (grown == MAP_FAILED) _exit(125);
    if (seen_room != 0) {
      memcpy(grown, seen, seen_count * sizeof *seen);
      munmap(seen, seen_room * sizeof *seen);
    }
    seen = grown;
    seen_room = room;
  }
  seen[seen_count] = (struct seen){.bias = map->l_addr, .dynamic = map->l_ld, .alive = 1};
  return &seen[seen_count++];
}

/* NVIDIA's own libraries hide their runtime on purpose; without a driver their calls fail by themselves. */
static int is_vendor_library(const char* path) {
  static const char* const names[] = {"libcublas",   "libcudnn",     "libcufft",  "libcurand",  "libcusolver",
                                      "libcusparse", "libnvJitLink", "libnvrtc",  "libnccl",    "libnpp",
                                      "libcupti",    "libnvblas",    "libnvjpeg", "libcuda.so", "libcufile"};
  const char* base = strrchr(path, '/');
  base = base == NULL ? path : base + 1;
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (strncmp(base, names[i], strlen(names[i])) == 0) return 1;
  return 0;
}

static void look_at(const struct link_map* map) {
  if (map->l_ld == _DYNAMIC) return; /* the shim itself */
  const int is_program = map->l_name == NULL || map->l_name[0] == '\0';
  const char* path = is_program ? "/proc/self/exe" : map->l_name;
  struct seen* entry = add_seen(map);
  switch (lanebank_redirect(path, map->l_addr, &entry->trampolines)) {
    case lanebank_no_cuda:
    case lanebank_redirected:
    case lanebank_imports:
      return;
    case lanebank_stripped:
      if (is_vendor_library(path)) return;
      lanebank_refuse("program.stripped", is_program ? NULL : path,
                      "contains device code and a CUDA runtime of its own, but its symbols were stripped, so its CUDA "
                      "calls cannot be redirected",
                      "link it with `nvcc -cudart shared`, or do not strip it (`strip --strip-debug` is harmless)");
    case lanebank_refused:
      lanebank_refuse("program.protected", is_program ? NULL : path,
                      errno == ENOMEM
                          ? "leaves no memory near its code, where jumps to lanebank's CUDA runtime would stand"
                          : "may not be changed in memory, which is how its CUDA calls are redirected",
                      "link it with `nvcc -cudart shared`");
  }
}

static void look_at_all(void) {
  for (size_t i = 0; i < seen_count; ++i) seen[i].alive = 0;
  for (const struct link_map* map = _r_debug.r_map; map != NULL; map = map->l_next) {
    struct seen* known = find_seen(map);
    if (known != NULL)
      known->alive = 1;
    else
      look_at(map);
  }
  size_t kept = 0;
  for (size_t i = 0; i < seen_count; ++i) {
    if (seen[i].alive)
      seen[kept++] = seen[i];
    else if (seen[i].trampolines.start != NULL)
      munmap(seen[i].trampolines.start, seen[i].trampolines.bytes);
  }
  seen_count = kept;
}

static void objects_changed(void) {
  if (_r_debug.r_state == RT_CONSISTENT) look_at_all();
}

__attribute__((constructor)) static void begin(int count, char** arguments, char** variables) {
  (void)count, (void)arguments;
  lanebank_remember_environment(variables);
  look_at_all();
  struct lanebank_trampolines unused;
  if (_r_debug.r_brk == 0 || _r_debug.r_brk % 16 != 0 ||
      !lanebank_redirect_function(_r_debug.r_brk, (void*)objects_changed, &unused)) {
    static const char message[] =
        "lanebank: the dynamic linker cannot be watched; CUDA code in libraries opened by dlopen stays unseen\n";
    if (write(2, message, sizeof message - 1) < 0) return;
  }
}
