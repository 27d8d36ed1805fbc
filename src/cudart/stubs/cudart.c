/* A libcudart.so.13 (with STUB_OF_12: libcudart.so.12) for machines without the CUDA toolkit: it lets a program that is linked to the shared
 * runtime start under `lanebank run`. Calls never come here: the preloaded shim has the same names and comes
 * first, and what asks this library by dlsym is redirected (redirect.c). Without the shim each call answers
 * cudaErrorInsufficientDriver, as the real library does on a machine without a driver.
 */
#define FUNCTION(name)                                      \
  __asm__(                                                  \
      ".pushsection .text\n.p2align 4\n"                    \
      ".globl " #name "\n.type " #name ",@function\n" #name \
      ":\n  mov $35, %eax\n  ret\n"                         \
      ".size " #name ", . - " #name "\n.popsection\n");
#ifndef STUB_OF_12
#define ONLY_12(row)
#endif
#define SHIM(name) FUNCTION(name)
#define CALL(name, fault) FUNCTION(name)
#define SAME(name, as) FUNCTION(name)
#define MISSING(name, reason) FUNCTION(name)
#include "../runtime_calls.def"
