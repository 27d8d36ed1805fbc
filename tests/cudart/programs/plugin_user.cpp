// Opens the plugin again and again; has no CUDA itself.
#include <dlfcn.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (int round = 0; round < 3; ++round) {
    void* plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (plugin == nullptr) {
      std::printf("%s\n", dlerror());
      return 1;
    }
    const auto at_start = reinterpret_cast<int (*)()>(dlsym(plugin, "plugin_at_start"));
    const auto triple = reinterpret_cast<int (*)(int)>(dlsym(plugin, "plugin_triple"));
    std::printf("at start %d, later %d\n", at_start(), triple(5));
    dlclose(plugin);
  }
}
