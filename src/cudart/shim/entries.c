/* The names of libcudart. Each is one indirect jump through its slot:
 *
 *   cudaMalloc:  jmp *lanebank_slots[row]
 *
 * A slot first holds a stub that pushes the row and enters lanebank_bind, which loads the engine, fills
 * all slots and goes on to the function with the arguments untouched. Rows of the shim's own hold
 * their function from the start.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shim.h"

#if !defined(__x86_64__) || !defined(__ELF__)
#error "the shim is written for x86-64 ELF systems"
#endif

/* Arguments in integer and vector registers survive the binding. */
__asm__(
    ".pushsection .text\n"
    ".type lanebank_bind,@function\n"
    "lanebank_bind:\n"
    "  .cfi_startproc\n"
    "  .cfi_def_cfa_offset 16\n"
    "  push %rbp\n"
    "  .cfi_def_cfa_offset 24\n"
    "  .cfi_offset %rbp, -24\n"
    "  mov %rsp, %rbp\n"
    "  .cfi_def_cfa_register %rbp\n"
    "  push %rdi\n  push %rsi\n  push %rdx\n  push %rcx\n  push %r8\n  push %r9\n  push %rax\n"
    "  sub $136, %rsp\n"
    "  and $-16, %rsp\n"
    "  movups %xmm0, (%rsp)\n  movups %xmm1, 16(%rsp)\n  movups %xmm2, 32(%rsp)\n  movups %xmm3, 48(%rsp)\n"
    "  movups %xmm4, 64(%rsp)\n  movups %xmm5, 80(%rsp)\n  movups %xmm6, 96(%rsp)\n  movups %xmm7, 112(%rsp)\n"
    "  mov 8(%rbp), %rdi\n"
    "  call lanebank_bind_row\n"
    "  mov %rax, %r11\n"
    "  movups (%rsp), %xmm0\n  movups 16(%rsp), %xmm1\n  movups 32(%rsp), %xmm2\n  movups 48(%rsp), %xmm3\n"
    "  movups 64(%rsp), %xmm4\n  movups 80(%rsp), %xmm5\n  movups 96(%rsp), %xmm6\n  movups 112(%rsp), %xmm7\n"
    "  lea -56(%rbp), %rsp\n"
    "  pop %rax\n  pop %r9\n  pop %r8\n  pop %rcx\n  pop %rdx\n  pop %rsi\n  pop %rdi\n"
    "  pop %rbp\n"
    "  .cfi_def_cfa %rsp, 16\n"
    "  add $8, %rsp\n"
    "  .cfi_def_cfa_offset 8\n"
    "  jmp *%r11\n"
    "  .cfi_endproc\n"
    ".size lanebank_bind, . - lanebank_bind\n"
    ".popsection\n");

/* The three tables and the code they point at, row by row. */
#define TABLE(section, symbol)                 \
  __asm__(".pushsection " section              \
          ",\"aw\"\n"                          \
          ".p2align 3\n"                       \
          ".globl " symbol "\n.hidden " symbol \
          "\n"                                 \
          ".type " symbol ",@object\n" symbol  \
          ":\n"                                \
          ".popsection\n")
TABLE(".data.rel.ro.lanebank_entries", "lanebank_entries");
TABLE(".data.lanebank_slots", "lanebank_slots");
__asm__(".set lanebank_row, 0\n");

#define ENTRY(name, first_target)                                          \
  __asm__(                                                                 \
      ".pushsection .text\n"                                               \
      ".globl " #name "\n.type " #name                                     \
      ",@function\n"                                                       \
      ".p2align 4\n" #name ":\n.Lentry_" #name                             \
      ":\n"                                                                \
      "  jmp *lanebank_slots+8*lanebank_row(%rip)\n"                       \
      ".size " #name ", . - " #name                                        \
      "\n"                                                                 \
      ".Lunbound_" #name                                                   \
      ":\n"                                                                \
      "  push $lanebank_row\n"                                             \
      "  jmp lanebank_bind\n"                                              \
      ".popsection\n"                                                      \
      ".pushsection .data.rel.ro.lanebank_entries\n  .quad .Lentry_" #name \
      "\n.popsection\n"                                                    \
      ".pushsection .data.lanebank_slots\n  .quad " first_target           \
      "\n.popsection\n"                                                    \
      ".set lanebank_row, lanebank_row + 1\n");

#define SHIM(name) ENTRY(name, "lanebank_shim_" #name)
#define CALL(name, fault) ENTRY(name, ".Lunbound_" #name)
#define SAME(name, as) ENTRY(name, ".Lunbound_" #name)
#define MISSING(name, reason) ENTRY(name, ".Lunbound_" #name)
#include "../runtime_calls.def"
#undef SHIM
#undef CALL
#undef SAME
#undef MISSING

const char* const lanebank_names[lanebank_rows] = {
#define SHIM(name) #name,
#define CALL(name, fault) #name,
#define SAME(name, as) #name,
#define MISSING(name, reason) #name,
#include "../runtime_calls.def"
#undef SHIM
#undef CALL
#undef SAME
#undef MISSING
};

int lanebank_find_row(const char* name) {
  int low = 0, high = lanebank_rows;
  while (low < high) {
    int middle = (low + high) / 2;
    int order = strcmp(name, lanebank_names[middle]);
    if (order == 0) return middle;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return -1;
}

static const struct lanebank_shim shim = {LANEBANK_INTERFACE_VERSION, lanebank_rows, lanebank_runtime_major,
                                          lanebank_registrations};
static _Atomic(const struct lanebank_engine*) engine;
static pthread_once_t bound = PTHREAD_ONCE_INIT;

const struct lanebank_engine* lanebank_loaded_engine(void) { return atomic_load(&engine); }

static void bind_all(void) {
  const struct lanebank_engine* loaded = lanebank_load_engine(&shim);
  if (loaded == NULL || loaded->interface_version != LANEBANK_INTERFACE_VERSION || loaded->calls != lanebank_rows) {
    static const char message[] = "lanebank: shim and engine are of different builds; install both from one\n";
    if (write(2, message, sizeof message - 1) < 0) _exit(125);
    _exit(125);
  }
  for (int row = 0; row < lanebank_rows; ++row)
    if (loaded->table[row] != NULL) __atomic_store_n(&lanebank_slots[row], loaded->table[row], __ATOMIC_RELEASE);
  atomic_store(&engine, loaded);
}

/* Called by lanebank_bind only. */
__attribute__((used)) static void* bind_row(unsigned long row) __asm__("lanebank_bind_row");
static void* bind_row(unsigned long row) {
  pthread_once(&bound, bind_all);
  return lanebank_slots[row];
}

/* For stubs/cuda.c. */
__attribute__((visibility("default"))) lanebank_driver_function_type lanebank_driver_function;
void* lanebank_driver_function(unsigned rows, unsigned row) {
  pthread_once(&bound, bind_all);
  const struct lanebank_engine* loaded = lanebank_loaded_engine();
  return rows == loaded->driver_calls && row < rows ? loaded->driver_table[row] : NULL;
}

/* Of lanebank/observe.h, for tests that link the runtime; preloaded, for the same tests under `lanebank run`. */
__attribute__((visibility("default"))) int lanebank_observe(struct lanebank_observed* observed);
int lanebank_observe(struct lanebank_observed* observed) {
  pthread_once(&bound, bind_all);
  return lanebank_loaded_engine()->observe(observed);
}
