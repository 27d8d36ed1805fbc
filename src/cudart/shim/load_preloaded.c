/* The engine of a preloaded shim: liblanebank_engine.so, found beside it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shim.h"

const struct lanebank_engine* lanebank_load_engine(const struct lanebank_shim* shim) {
  static const char name[] = "liblanebank_engine.so";
  char path[4096];
  Dl_info self;
  const char* slash = NULL;
  if (dladdr((void*)lanebank_load_engine, &self) != 0 && self.dli_fname != NULL) slash = strrchr(self.dli_fname, '/');
  int length = slash == NULL
                   ? snprintf(path, sizeof path, "./%s", name)
                   : snprintf(path, sizeof path, "%.*s/%s", (int)(slash - self.dli_fname), self.dli_fname, name);
  void* library = length < (int)sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  lanebank_engine_start_function* start = NULL;
  if (library != NULL) *(void**)&start = dlsym(library, "lanebank_engine_start");
  if (start == NULL) {
    const char* reason = dlerror();
    fprintf(stderr,
            "lanebank: cannot load its engine: %s\n  install liblanebank_engine.so beside the preloaded library\n",
            reason == NULL ? path : reason);
    _exit(125);
  }
  return start(shim);
}
