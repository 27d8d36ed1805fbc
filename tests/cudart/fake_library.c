/* A library that looks to the shim as if nvcc had linked it, in five kinds:
 *   FAKE_SYMBOLS   device code and a CUDA runtime of its own, with symbols
 *   FAKE_STRIPPED  the same without symbols
 *   FAKE_DRIVER    device code, and no runtime at all: a program of the driver interface
 *   FAKE_IMPORTER  device code, and the runtime from another library
 *   FAKE_PLAIN     nothing of CUDA
 */
#ifndef FAKE_PLAIN
__attribute__((section(".nv_fatbin"), used)) static const char device_code[8] = "fatbin";
#endif

#if defined(FAKE_SYMBOLS) || defined(FAKE_STRIPPED)
/* A number that the compiler cannot carry to the callers instead of the call. */
static inline int unknown(int number) {
  __asm__ volatile("" : "+r"(number));
  return number;
}
#define HIDDEN __attribute__((visibility("hidden"), noinline, aligned(16)))
HIDDEN int cudaMalloc(void** address, unsigned long bytes) {
  (void)address, (void)bytes;
  return unknown(1001);
}
HIDDEN int cudaFree(void* address) {
  (void)address;
  return unknown(1002);
}
__attribute__((noinline, aligned(16))) static int __cudaGetProcAddress(void) { return unknown(1003); }
HIDDEN int cudaOfMyOwn(void) { return unknown(1004); }
int call_malloc(void) { return cudaMalloc(0, 0); }
int call_free(void) { return cudaFree(0); }
int call_tiny(void) { return __cudaGetProcAddress(); }
int call_own(void) { return cudaOfMyOwn(); }
#elif defined(FAKE_IMPORTER)
extern void** __cudaRegisterFatBinary(void* wrapper) __attribute__((weak));
int call_malloc(void) { return __cudaRegisterFatBinary != 0; }
#else
int call_malloc(void) { return 1005; }
#endif
