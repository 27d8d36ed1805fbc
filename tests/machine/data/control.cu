// Kernels for tests/machine: control flow, synchronisation between threads, warps and blocks, calls.
// Each writes results that are known without running it. Remake the cubins with remake.sh.
#include <cstdio>
#include <cassert>

extern "C" {

// Divergent nest: every lane takes its own number of turns.
__global__ void turns(int* out) {
  int n = 0;
  for (int i = 0; i < (int)threadIdx.x % 7; ++i)
    for (int j = 0; j <= i; ++j) n += (threadIdx.x & 1) ? j : 1;
  out[blockIdx.x * blockDim.x + threadIdx.x] = n;
}

// A jump table.
__global__ void choices(int* out) {
  int t = threadIdx.x, r;
  switch (t % 9) {
    case 0: r = t * 3; break;
    case 1: r = t + out[t]; break;
    case 2: r = t ^ 21; break;
    case 3: r = t << 2; break;
    case 4: r = t * t; break;
    case 5: r = -t; break;
    case 6: r = t / 3; break;
    case 7: r = 100 - t; break;
    default: r = 7;
  }
  out[t] = r;
}

__noinline__ __device__ int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
__global__ void recursion(int* out) { out[threadIdx.x] = factorial(threadIdx.x % 10); }

__device__ int plus_one(int x) { return x + 1; }
__device__ int twice(int x) { return x * 2; }
__device__ int square(int x) { return x * x; }
typedef int (*Function)(int);
__device__ Function functions[3] = {plus_one, twice, square};
__global__ void pointers(int* out) { out[threadIdx.x] = functions[threadIdx.x % 3](threadIdx.x); }

__global__ void counts(int* out) {  // barrier reductions
  int t = threadIdx.x;
  int c = __syncthreads_count(t % 3 == 0), a = __syncthreads_and(t < 1000), o = __syncthreads_or(t == 5);
  int none = __syncthreads_or(t == 5000), part = __syncthreads_and(t != 5);
  if (t == 0) out[0] = c, out[1] = a != 0, out[2] = o != 0, out[3] = none != 0, out[4] = part != 0;
}

__global__ void named(int* out) {  // producer and consumer warps with named barriers
  __shared__ int box[32];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0;
  for (int round = 0; round < 4; ++round) {
    if (warp == 0) {
      box[lane] = round * 100 + lane;
      asm volatile("bar.arrive 1, 64;" ::: "memory");
      asm volatile("bar.sync 2, 64;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      sum += box[31 - lane];
      asm volatile("bar.arrive 2, 64;" ::: "memory");
    }
  }
  if (warp == 1) out[lane] = sum;
}

__global__ void exited(int* out) {  // warps that left do not hold up a barrier
  if (threadIdx.x >= 40 && threadIdx.x < 96) return;
  __syncthreads();
  out[threadIdx.x] = 1;
}

__global__ void lock(int* mutex, int* counter) {  // a spin lock taken by every thread, lane after lane
  for (int lane = 0; lane < 32; ++lane) {
    if (threadIdx.x % 32 == lane) {
      while (atomicCAS(mutex, 0, 1) != 0) {}
      int v = *(volatile int*)counter;
      *(volatile int*)counter = v + 1;
      __threadfence();
      atomicExch(mutex, 0);
    }
    __syncwarp();
  }
}

__global__ void divergent_lock(int* mutex, int* counter) {  // a lock within a warp: needs independent lanes
  bool done = false;
  while (!done) {
    if (atomicCAS(mutex, 0, 1) == 0) {
      *(volatile int*)counter = *(volatile int*)counter + 1;
      __threadfence();
      atomicExch(mutex, 0);
      done = true;
    }
  }
}

__global__ void handover(int* out) {  // lanes wait for another lane of their own warp
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x != 31) {
    while (flag == 0) {}
    out[threadIdx.x] = flag;
  } else {
    flag = 42;
    out[31] = 1;
  }
}

__global__ void chain(volatile int* flags, int* out) {  // look-back: block b waits for block b-1
  if (threadIdx.x == 0) {
    int b = blockIdx.x;
    if (b > 0) while (flags[b - 1] == 0) {}
    out[b] = b == 0 ? 1 : out[b - 1] + b;
    __threadfence();
    flags[b] = 1;
  }
}

__global__ void grid_barrier(int* arrived, int* out) {  // all blocks meet, twice
  for (int round = 1; round <= 2; ++round) {
    __syncthreads();
    if (threadIdx.x == 0) {
      atomicAdd(arrived, 1);
      while (*(volatile int*)arrived < (int)gridDim.x * round) {}
    }
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = *(volatile int*)arrived >= (int)gridDim.x * round ? round : -1;
  }
}

__global__ void shuffles(int* out) {
  int t = threadIdx.x, v = t * t;
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  int up = __shfl_up_sync(0xffffffffu, t, 3), down = __shfl_down_sync(0xffffffffu, t, 5, 8), from = __shfl_sync(0xffffffffu, t, 7, 16);
  unsigned vote = __ballot_sync(0xffffffffu, t % 3 == 1);
  out[t] = v + up * 100000 + down;
  out[32 + t] = from;
  out[64 + t] = (int)vote;
  out[96 + t] = __popc(__match_any_sync(0xffffffffu, t / 5));
#if __CUDA_ARCH__ >= 800
  out[128 + t] = __reduce_add_sync(0xffffffffu, t);
#else
  out[128 + t] = 496;
#endif
}

__global__ void halves(int* out) {  // sync masks of half a warp, in different branches
  int t = threadIdx.x, v;
  if (t < 16) v = __shfl_sync(0x0000ffffu, t, (t + 1) % 16);
  else v = __shfl_sync(0xffff0000u, t, 16 + (t + 3) % 16);
  out[t] = v;
}

__global__ void say(int n) { if (threadIdx.x < 2) printf("thread %d of %s: %5.2f %lld %c %%\n", threadIdx.x, "block", n * 1.5, 1ll << 40, 'x'); }
__global__ void insist(int n) { assert(threadIdx.x != 3 || n < 5); }
__global__ void heap(int* out) {
  int* p = (int*)malloc(64);
  p[threadIdx.x % 16] = threadIdx.x;
  out[threadIdx.x] = p[threadIdx.x % 16];
  free(p);
}
__global__ void beyond(int* out, int n) { out[n + threadIdx.x] = 1; }
__global__ void crooked(char* out) { *(int*)(out + 2) = 1; }
__global__ void shared_beyond(int* out, int n) {
  __shared__ int a[32];
  a[threadIdx.x + n] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = a[31 - threadIdx.x];
}
__global__ void stuck(int* out) {  // half the block waits at a barrier that the rest never reaches
  if (threadIdx.x < 32) asm volatile("bar.sync 3, 64;");
  else asm volatile("bar.sync 4, 64;");
  out[0] = 1;
}
__global__ void trapped() { if (threadIdx.x == 9) asm volatile("trap;"); }
__constant__ int table[64];
__device__ int total = 17;
__global__ void variables(int* out) { out[threadIdx.x] = table[(threadIdx.x * 7) % 64] + total; }
__global__ void local_array(int* out, int n) {
  int a[32];
  for (int i = 0; i < 32; ++i) a[i] = i * n;
  int s = 0;
  for (int i = 0; i < 32; ++i) s += a[(i * threadIdx.x + 3) % 32];
  int* p = a + threadIdx.x;
  *p = 5;
  out[threadIdx.x] = s + a[(threadIdx.x * n) % 32];
}
}
