/* A libcuda.so.1 for programs linked with -lcuda: it lets them start under `lanebank run` on a machine
 * without a driver. Each function jumps through a slot that first asks the preloaded shim for the engine's
 * function of that row, as entries.c does for the runtime. Without the shim a call says CUDA_ERROR_NO_DEVICE.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

#include "../shim/interface.h"

enum row {
#define DRIVER(name, since) row_##name,
#define AS(name, since, call, fault) row_##name,
#define SAME(name, since, as) row_##name,
#define NO_DRIVER(name) row_##name,
#include "../driver_calls.def"
#undef DRIVER
#undef AS
#undef SAME
#undef NO_DRIVER
  rows
};

__asm__(
    ".pushsection .text\n"
    ".type bind,@function\n"
    "bind:\n"
    "  push %rbp\n  mov %rsp, %rbp\n"
    "  push %rdi\n  push %rsi\n  push %rdx\n  push %rcx\n  push %r8\n  push %r9\n"
    "  sub $64, %rsp\n  and $-16, %rsp\n"
    "  movups %xmm0, (%rsp)\n  movups %xmm1, 16(%rsp)\n  movups %xmm2, 32(%rsp)\n  movups %xmm3, 48(%rsp)\n"
    "  mov 8(%rbp), %rdi\n"
    "  call stub_bind_row\n"
    "  mov %rax, %r11\n"
    "  movups (%rsp), %xmm0\n  movups 16(%rsp), %xmm1\n  movups 32(%rsp), %xmm2\n  movups 48(%rsp), %xmm3\n"
    "  lea -48(%rbp), %rsp\n"
    "  pop %r9\n  pop %r8\n  pop %rcx\n  pop %rdx\n  pop %rsi\n  pop %rdi\n  pop %rbp\n"
    "  add $8, %rsp\n"
    "  jmp *%r11\n"
    ".size bind, . - bind\n"
    ".popsection\n"
    ".pushsection .data.slots,\"aw\"\n.p2align 3\n.type slots,@object\nslots:\n.popsection\n"
    ".set row, 0\n");

#define FUNCTION(name)                                                                                                 \
  __asm__(                                                                                                             \
      ".pushsection .text\n.p2align 4\n"                                                                               \
      ".globl " #name "\n.type " #name ",@function\n" #name ":\n  jmp *slots+8*row(%rip)\n.size " #name ", . - " #name \
      "\n"                                                                                                             \
      ".Lunbound_" #name                                                                                               \
      ":\n  push $row\n  jmp bind\n.popsection\n"                                                                      \
      ".pushsection .data.slots\n  .quad .Lunbound_" #name                                                             \
      "\n.popsection\n"                                                                                                \
      ".set row, row + 1\n");
#define DRIVER(name, since) FUNCTION(name)
#define AS(name, since, call, fault) FUNCTION(name)
#define SAME(name, since, as) FUNCTION(name)
#define NO_DRIVER(name) FUNCTION(name)
#include "../driver_calls.def"

static int no_device(void) { return 100; }

static void* bind_row(unsigned long number) __asm__("stub_bind_row");
__attribute__((used)) static void* bind_row(unsigned long number) {
  lanebank_driver_function_type* ask = NULL;
  *(void**)&ask = dlsym(RTLD_DEFAULT, "lanebank_driver_function");
  void* function = ask == NULL ? NULL : ask(rows, (unsigned)number);
  return function == NULL ? (void*)no_device : function;
}
