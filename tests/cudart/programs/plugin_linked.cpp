// Linked to the plugin; has no CUDA itself.
#include <cstdio>

extern "C" int plugin_at_start();
extern "C" int plugin_triple(int);

int main() { std::printf("at start %d, later %d\n", plugin_at_start(), plugin_triple(5)); }
