// Loads, stores and atomics of every width, cache hint, scope and address space.
#include <cuda/atomic>
#include <cuda_runtime.h>

#define HINTS(T, n)                                                                                                  \
  extern "C" __global__ void hints_##n(const T* a, T* b) {                                                           \
    int i = threadIdx.x;                                                                                             \
    T x[8] = {__ldg(a + i), __ldcg(a + i + 32), __ldca(a + i + 64), __ldcs(a + i + 96), __ldlu(a + i + 128), __ldcv(a + i + 160), a[i + 192], b[i]}; \
    __stwb(b + i, x[0]); __stcg(b + i + 32, x[1]); __stcs(b + i + 64, x[2]); __stwt(b + i + 96, x[3]);               \
    b[i + 128] = x[4]; b[i + 160] = x[5]; b[i + 192] = x[6]; b[i + 224] = x[7];                                      \
  }
HINTS(signed char, s8) HINTS(unsigned char, u8) HINTS(short, s16) HINTS(unsigned short, u16) HINTS(int, s32) HINTS(int2, v2) HINTS(int4, v4) HINTS(double, f64) HINTS(double2, v2f64)

#define SPACES(T, n)                                                                             \
  extern "C" __global__ void spaces_##n(T* out, volatile T* v, int i, int j, T** where) {        \
    __shared__ T shared[256];                                                                    \
    T local[40];                                                                                 \
    for (int k = 0; k < 40; ++k) local[k] = out[k];                                              \
    local[i] = out[threadIdx.x];                                                                 \
    shared[threadIdx.x] = local[j];                                                              \
    shared[threadIdx.x * 2 + 5] = out[9];                                                        \
    __syncthreads();                                                                             \
    T* p = i > 3 ? shared + i : i > 1 ? local + j : out + j;                                     \
    *p = shared[j];                                                                              \
    where[threadIdx.x] = p;                                                                      \
    out[threadIdx.x] = *where[j] + shared[j + threadIdx.x];                                      \
    v[threadIdx.x] = v[threadIdx.x + 1];                                                         \
    out[j] = local[i + 3];                                                                       \
  }
SPACES(signed char, s8) SPACES(unsigned short, u16) SPACES(int, s32) SPACES(double, f64)

#define ATOMICS(T, n, space)                                                              \
  {                                                                                       \
    T* p = space;                                                                         \
    T x = (T)threadIdx.x;                                                                 \
    r += atomicAdd(p + 1, x); r += atomicExch(p + 2, x); r += atomicCAS(p + 3, x, r);     \
    r += atomicMin(p + 4, x); r += atomicMax(p + 5, x); r += atomicAnd(p + 6, x);         \
    r += atomicOr(p + 7, x); r += atomicXor(p + 8, x);                                    \
    atomicAdd(p + 9, x); atomicMin(p + 10, x); atomicMax(p + 11, x); atomicAnd(p + 12, x); \
    atomicOr(p + 13, x); atomicXor(p + 14, x); atomicAdd(p + 15, (T)1); r += atomicAdd(p + 16, (T)1); \
  }
#define ATOMIC_KERNELS(T, n)                                                                          \
  extern "C" __global__ void atomics_##n(T* out, T** any) {                                           \
    __shared__ T shared[64];                                                                          \
    T r = 0;                                                                                          \
    shared[threadIdx.x] = out[threadIdx.x];                                                           \
    __syncthreads();                                                                                  \
    ATOMICS(T, n, out) ATOMICS(T, n, shared) ATOMICS(T, n, (T*)any[threadIdx.x])                      \
    out[threadIdx.x] = r + shared[threadIdx.x];                                                       \
  }
ATOMIC_KERNELS(int, s32) ATOMIC_KERNELS(unsigned, u32) ATOMIC_KERNELS(unsigned long long, u64)
extern "C" __global__ void atomics_s64(long long* p) {
  __shared__ long long s[4];
  long long x = p[threadIdx.x];
  s[threadIdx.x & 3] = x;
  __syncthreads();
  x += atomicMin(p, x) + atomicMax(p + 1, x) + atomicMin(s, x) + atomicMax(s + 1, x);
  atomicMin(p + 2, x); atomicMax(p + 3, x);
  p[threadIdx.x] = x;
}
extern "C" __global__ void atomics_other(unsigned* u, float* f, double* d, unsigned short* h, float4* v, unsigned** g) {
  __shared__ unsigned su[64];
  __shared__ float sf[64];
  __shared__ double sd[64];
  su[threadIdx.x] = u[threadIdx.x]; sf[threadIdx.x] = f[threadIdx.x]; sd[threadIdx.x] = d[threadIdx.x];
  __syncthreads();
  unsigned r = atomicInc(u, 7) + atomicDec(u + 1, 9) + atomicInc(su + 1, 5) + atomicDec(su + 2, 5) + atomicInc(g[3], 5) + atomicSub(u + 3, 2);
  atomicInc(u + 5, 7); atomicDec(u + 6, 7); atomicInc(su + 7, 8);
  float x = atomicAdd(f, 1.5f) + atomicAdd(sf + 1, 2.5f) + atomicExch(f + 3, 1.f);
  double y = atomicAdd(d, 1.5) + atomicAdd(sd + 1, 2.5);
  atomicAdd(f + 9, x); atomicAdd(d + 9, y); atomicAdd(sf + 9, x); atomicAdd(sd + 9, y); atomicAdd((float*)g[4], x); atomicAdd((double*)g[5], y);
  r += atomicCAS(h, (unsigned short)r, (unsigned short)7);
  atomicAdd_block(u + 20, r); atomicAdd_system(u + 21, r); r += atomicAdd_system(u + 22, r) + atomicCAS_system(u + 23, r, 3u) + atomicCAS_block(u + 24, r, 3u);
  r += atomicExch_block(su + 4, r) + atomicMax_system((int*)u + 25, (int)r);
  u[threadIdx.x] = r + su[threadIdx.x]; f[threadIdx.x] = x + sf[threadIdx.x]; d[threadIdx.x] = y + sd[threadIdx.x];
}
template <cuda::thread_scope Scope, typename T>
__device__ T ordered(T* p, T x) {
  cuda::atomic_ref<T, Scope> a(*p), b(p[1]), c(p[2]);
  T r = a.load(cuda::memory_order_relaxed) + a.load(cuda::memory_order_acquire) + a.load(cuda::memory_order_seq_cst);
  b.store(r, cuda::memory_order_relaxed); b.store(r, cuda::memory_order_release); b.store(r, cuda::memory_order_seq_cst);
  r += c.fetch_add(x, cuda::memory_order_relaxed) + c.fetch_add(x, cuda::memory_order_acquire) + c.fetch_add(x, cuda::memory_order_release);
  r += c.fetch_add(x, cuda::memory_order_acq_rel) + c.fetch_add(x, cuda::memory_order_seq_cst) + c.exchange(x, cuda::memory_order_acq_rel);
  c.compare_exchange_strong(r, x, cuda::memory_order_acq_rel, cuda::memory_order_relaxed);
  cuda::atomic_thread_fence(cuda::memory_order_acq_rel, Scope);
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, Scope);
  return r;
}
template <typename T>
__device__ T scopes(T* p, T x) {
  return ordered<cuda::thread_scope_block>(p, x) + ordered<cuda::thread_scope_device>(p + 8, x) + ordered<cuda::thread_scope_system>(p + 16, x) + ordered<cuda::thread_scope_thread>(p + 24, x);
}
extern "C" __global__ void ordered_atomics(unsigned* u, unsigned long long* w, float* f, unsigned** g) {
  __shared__ unsigned s[32];
  u[threadIdx.x] = scopes(u, 3u) + scopes(s, 5u) + scopes(g[3], 4u);
  w[threadIdx.x] = scopes(w, 5ull);
  f[threadIdx.x] = scopes(f, 5.f);
  __threadfence(); __threadfence_block(); __threadfence_system();
}
extern "C" __global__ void questions(void* p, unsigned long long* out) {
  out[0] = __isGlobal(p) + __isShared(p) * 2 + __isConstant(p) * 4 + __isLocal(p) * 8;
  out[1] = __cvta_generic_to_shared(p) + __cvta_generic_to_global(p) + __cvta_generic_to_local(p);
}
#define PREFETCH(name, text) asm volatile(text ::"l"(p) : "memory");
extern "C" __global__ void prefetches(float* p, float* out) {
  PREFETCH(a, "prefetch.global.L1 [%0];") PREFETCH(b, "prefetch.global.L2 [%0];") PREFETCH(c, "prefetchu.L1 [%0];")
  PREFETCH(d, "prefetch.L2 [%0+128];")
#if __CUDA_ARCH__ >= 800
  PREFETCH(e, "prefetch.global.L2::evict_last [%0];") PREFETCH(f, "prefetch.global.L2::evict_normal [%0];")
  PREFETCH(g, "applypriority.global.L2::evict_normal [%0], 128;") PREFETCH(h, "discard.global.L2 [%0], 128;")
#endif
  float x, y, z, w;
  asm volatile("ld.global.L1::evict_last.f32 %0, [%1];" : "=f"(x) : "l"(p));
  asm volatile("ld.global.L1::no_allocate.f32 %0, [%1];" : "=f"(y) : "l"(p));
  asm volatile("ld.global.L1::evict_first.L2::128B.f32 %0, [%1];" : "=f"(z) : "l"(p));
  asm volatile("ld.volatile.global.f32 %0, [%1];" : "=f"(w) : "l"(p));
  out[threadIdx.x] = x + y + z + w;
  asm volatile("ld.global.L2::64B.f32 %0, [%1];" : "=f"(x) : "l"(p + 4));
  asm volatile("st.global.L1::evict_last.f32 [%0], %1;" ::"l"(p), "f"(x));
  asm volatile("st.global.L1::no_allocate.f32 [%0], %1;" ::"l"(p), "f"(x));
  asm volatile("st.global.L1::evict_first.f32 [%0], %1;" ::"l"(p), "f"(x));
#if __CUDA_ARCH__ >= 800
  asm volatile("ld.global.nc.L1::evict_unchanged.L2::256B.f32 %0, [%1];" : "=f"(w) : "l"(p));
  out[threadIdx.x + 16] = w;
  unsigned long long policy;
  asm volatile("createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %0, 0.5;" : "=l"(policy));
  asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(x) : "l"(p + 8), "l"(policy));
  asm volatile("st.global.L2::cache_hint.f32 [%0], %1, %2;" ::"l"(p + 9), "f"(x), "l"(policy));
  asm volatile("red.global.add.L2::cache_hint.f32 [%0], %1, %2;" ::"l"(p + 9), "f"(x), "l"(policy));
  asm volatile("createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %0, [%1], 0x1000, 0x2000;" : "=l"(policy) : "l"(p));
  asm volatile("ld.global.L2::cache_hint.v4.f32 {%0,%1,%2,%3}, [%4], %5;" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(p + 8), "l"(policy));
  out[threadIdx.x + 32] = x + y + z + w;
#endif
#if __CUDA_ARCH__ >= 900
  asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(p), "f"(x), "f"(y), "f"(z), "f"(w));
  asm volatile("atom.global.add.v2.f32 {%0, %1}, [%2], {%3, %4};" : "=f"(x), "=f"(y) : "l"(p), "f"(z), "f"(w));
  out[threadIdx.x + 64] = x + y;
#endif
}
