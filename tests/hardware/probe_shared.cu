// What Nsight Compute's source page says of shared-memory instructions: one instruction per address pattern.
//   probe_shared KIND PATTERNS.bin
// PATTERNS.bin: `count` records of 1 + 32 + 32 u32: lane mask, shared byte addresses, global byte offsets.
// Each kernel holds `count` copies of one instruction, in the order of the records. make_patterns.py writes
// the patterns, measure.sh runs all kinds under ncu, join.py makes the table.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

constexpr int count = 96;
constexpr int shared_bytes = 16384;

enum Kind { ld4, ld8, ld16, st4, st8, st16, gld4, gld8, gld16, gst4, gst16, gatom_add, atom_add_u64, atom_cas_u64, atom_exch_u64, atom_add_f32, atom_add_f64,
            atom_inc, atom_exch_b128, atom_cas_b128, ca4, ca8, ca16, cg16, kinds };
const char* names[kinds] = {"ld4", "ld8", "ld16", "st4", "st8", "st16", "gld4", "gld8", "gld16", "gst4", "gst16", "gatom_add", "atom_add_u64", "atom_cas_u64", "atom_exch_u64",
                            "atom_add_f32", "atom_add_f64", "atom_inc", "atom_exch_b128", "atom_cas_b128", "ca4", "ca8", "ca16", "cg16"};

template <int kind>
__global__ void probe(const uint32_t* patterns, const char* source, uint32_t* out) {
  extern __shared__ __align__(1024) char shared[];
  const uint32_t lane = threadIdx.x, base = (uint32_t)__cvta_generic_to_shared(shared);
  for (int i = lane; i < shared_bytes / 4; i += 32) ((uint32_t*)shared)[i] = i;
  __syncthreads();
  uint32_t sum = 0;
#pragma unroll
  for (int p = 0; p < count; ++p) {
    const uint32_t on = patterns[p * 65] >> lane & 1, at = patterns[p * 65 + 1 + lane], a = base + at;
    const char* g = source + patterns[p * 65 + 33 + lane];
    char* generic = shared + at;
    uint32_t x = 0, y = 0, z = 0, w = 0;
    unsigned long long l = 0;
#define P "{.reg .pred q; setp.ne.u32 q, %0, 0; "
    if constexpr (kind == ld4) asm volatile("{.reg .pred q; setp.ne.u32 q, %1, 0; @q ld.shared.u32 %0, [%2];}" : "+r"(x) : "r"(on), "r"(a));
    if constexpr (kind == ld8) asm volatile("{.reg .pred q; setp.ne.u32 q, %2, 0; @q ld.shared.v2.u32 {%0, %1}, [%3];}" : "+r"(x), "+r"(y) : "r"(on), "r"(a));
    if constexpr (kind == ld16) asm volatile("{.reg .pred q; setp.ne.u32 q, %4, 0; @q ld.shared.v4.u32 {%0, %1, %2, %3}, [%5];}" : "+r"(x), "+r"(y), "+r"(z), "+r"(w) : "r"(on), "r"(a));
    if constexpr (kind == st4) asm volatile(P "@q st.shared.u32 [%1], %2;}" ::"r"(on), "r"(a), "r"(lane));
    if constexpr (kind == st8) asm volatile(P "@q st.shared.v2.u32 [%1], {%2, %2};}" ::"r"(on), "r"(a), "r"(lane));
    if constexpr (kind == st16) asm volatile(P "@q st.shared.v4.u32 [%1], {%2, %2, %2, %2};}" ::"r"(on), "r"(a), "r"(lane));
    if constexpr (kind == gld4) asm volatile("{.reg .pred q; setp.ne.u32 q, %1, 0; @q ld.u32 %0, [%2];}" : "+r"(x) : "r"(on), "l"(generic) : "memory");
    if constexpr (kind == gld8) asm volatile("{.reg .pred q; setp.ne.u32 q, %2, 0; @q ld.v2.u32 {%0, %1}, [%3];}" : "+r"(x), "+r"(y) : "r"(on), "l"(generic) : "memory");
    if constexpr (kind == gld16) asm volatile("{.reg .pred q; setp.ne.u32 q, %4, 0; @q ld.v4.u32 {%0, %1, %2, %3}, [%5];}" : "+r"(x), "+r"(y), "+r"(z), "+r"(w) : "r"(on), "l"(generic) : "memory");
    if constexpr (kind == gst4) asm volatile(P "@q st.u32 [%1], %2;}" ::"r"(on), "l"(generic), "r"(lane) : "memory");
    if constexpr (kind == gst16) asm volatile(P "@q st.v4.u32 [%1], {%2, %2, %2, %2};}" ::"r"(on), "l"(generic), "r"(lane) : "memory");
    if constexpr (kind == gatom_add) asm volatile("{.reg .pred q; setp.ne.u32 q, %1, 0; @q atom.add.u32 %0, [%2], %3;}" : "+r"(x) : "r"(on), "l"(generic), "r"(lane + 2) : "memory");
    if constexpr (kind == atom_add_u64) asm volatile("{.reg .pred q; setp.ne.u32 q, %1, 0; @q atom.shared.add.u64 %0, [%2], %3;}" : "+l"(l) : "r"(on), "r"(a), "l"((unsigned long long)lane + 3) : "memory");
    if constexpr (kind == atom_cas_u64) asm volatile("{.reg .pred q; setp.ne.u32 q, %1, 0; @q atom.shared.cas.b64 %0, [%2], 5, %3;}" : "+l"(l) : "r"(on), "r"(a), "l"((unsigned long long)lane + 3) : "memory");
    if constexpr (kind == atom_exch_u64) asm volatile("{.reg .pred q; setp.ne.u32 q, %1, 0; @q atom.shared.exch.b64 %0, [%2], %3;}" : "+l"(l) : "r"(on), "r"(a), "l"((unsigned long long)lane + 3) : "memory");
    if constexpr (kind == atom_inc) asm volatile("{.reg .pred q; setp.ne.u32 q, %1, 0; @q atom.shared.inc.u32 %0, [%2], %3;}" : "+r"(x) : "r"(on), "r"(a), "r"(lane + 2) : "memory");
    if constexpr (kind == atom_exch_b128) asm volatile("{.reg .pred q; .reg .b128 v, o; setp.ne.u32 q, %1, 0; mov.b128 v, {%3, %3}; mov.b128 o, {%3, %3}; @q atom.shared.exch.b128 o, [%2], v; mov.b128 {%0, _}, o;}" : "+l"(l) : "r"(on), "r"(a), "l"((unsigned long long)lane + 3) : "memory");
    if constexpr (kind == atom_cas_b128) asm volatile("{.reg .pred q; .reg .b128 v, o; setp.ne.u32 q, %1, 0; mov.b128 v, {%3, %3}; mov.b128 o, {%3, %3}; @q atom.shared.cas.b128 o, [%2], v, v; mov.b128 {%0, _}, o;}" : "+l"(l) : "r"(on), "r"(a), "l"((unsigned long long)lane + 3) : "memory");
    if constexpr (kind == atom_add_f32) if (on) atomicAdd((float*)generic, 1.0f);
    if constexpr (kind == atom_add_f64) if (on) atomicAdd((double*)generic, 1.0);
    if constexpr (kind == ca4) asm volatile(P "@q cp.async.ca.shared.global [%1], [%2], 4;}" ::"r"(on), "r"(a), "l"(g) : "memory");
    if constexpr (kind == ca8) asm volatile(P "@q cp.async.ca.shared.global [%1], [%2], 8;}" ::"r"(on), "r"(a), "l"(g) : "memory");
    if constexpr (kind == ca16) asm volatile(P "@q cp.async.ca.shared.global [%1], [%2], 16;}" ::"r"(on), "r"(a), "l"(g) : "memory");
    if constexpr (kind == cg16) asm volatile(P "@q cp.async.cg.shared.global [%1], [%2], 16;}" ::"r"(on), "r"(a), "l"(g) : "memory");
    sum += x + y + z + w + (uint32_t)l;
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[lane] = sum + ((uint32_t*)shared)[lane];
}

template <int kind>
void run(int wanted, const uint32_t* patterns, const char* source, uint32_t* out) {
  if constexpr (kind < kinds) {
    if (kind == wanted) probe<kind><<<1, 32, shared_bytes>>>(patterns, source, out);
    run<kind + 1>(wanted, patterns, source, out);
  }
}

// What a false predicate of an asynchronous copy does: nothing, or zeros.
__global__ void predicate_off(const char* source, uint32_t* out, int n) {
  __shared__ __align__(16) uint32_t s[128];
  for (int i = threadIdx.x; i < 128; i += 32) s[i] = 0x77777777;
  __syncthreads();
  const uint32_t a = (uint32_t)__cvta_generic_to_shared(s) + 16 * threadIdx.x;
  asm volatile("{.reg .pred p; setp.gt.s32 p, %2, 5; cp.async.cg.shared.global [%0], [%1], 16, p;}" ::"r"(a), "l"(source), "r"(n + (int)threadIdx.x));
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x * 4 % 128];
}
__global__ void partial_size(const char* source, uint32_t* out) {
  __shared__ __align__(16) uint32_t s[128];
  for (int i = threadIdx.x; i < 128; i += 32) s[i] = 0x77777777;
  __syncthreads();
  const uint32_t a = (uint32_t)__cvta_generic_to_shared(s) + 16 * threadIdx.x;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(a), "l"(source), "r"((int)threadIdx.x % 17));
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  for (int k = 0; k < 4; ++k) out[threadIdx.x * 4 + k] = s[threadIdx.x * 4 + k];
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  char* source;
  uint32_t *out, *patterns;
  cudaMalloc(&source, 1 << 20);
  cudaMemset(source, 0x11, 1 << 20);
  cudaMalloc(&out, 4096);
  if (!strcmp(argv[1], "predicates")) {
    uint32_t h[128];
    predicate_off<<<1, 32>>>(source, out, 0);
    cudaMemcpy(h, out, 128, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 12; ++i) printf("ignore-src %d lane %d: %08x\n", i > 5, i, h[i]);
    partial_size<<<1, 32>>>(source, out);
    cudaMemcpy(h, out, 512, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 20; ++i) printf("src-size %d: %08x %08x %08x %08x\n", i % 17, h[4 * i], h[4 * i + 1], h[4 * i + 2], h[4 * i + 3]);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
  }
  std::vector<uint32_t> h(count * 65);
  FILE* f = fopen(argv[2], "rb");
  if (!f || fread(h.data(), 4, h.size(), f) != h.size()) return 3;
  fclose(f);
  cudaMalloc(&patterns, h.size() * 4);
  cudaMemcpy(patterns, h.data(), h.size() * 4, cudaMemcpyHostToDevice);
  for (int k = 0; k < kinds; ++k)
    if (!strcmp(names[k], argv[1])) run<0>(k, patterns, source, out);
  printf("%s %s\n", argv[1], cudaGetErrorString(cudaDeviceSynchronize()));
}
