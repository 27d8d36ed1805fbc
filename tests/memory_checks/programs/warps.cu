// Order inside a warp, and masks. Lines with "finds" are expected findings when the program is built with -DFAULT.
#include <cstdio>

#ifdef FAULT
#define WARP_SYNC
#else
#define WARP_SYNC __syncwarp()
#endif

// The reduction of old textbooks, which relies on warps in lockstep.
__global__ void warp_reduction(int* out) {
  __shared__ volatile int sums[64];
  sums[threadIdx.x] = 1;
  sums[threadIdx.x + 32] = 1;
  WARP_SYNC;
  for (int step = 32; step > 0; step /= 2) {
    int sum = 0;
    if (threadIdx.x < step) sum = sums[threadIdx.x] + sums[threadIdx.x + step];  // finds race read-after-write
    WARP_SYNC;
    if (threadIdx.x < step) sums[threadIdx.x] = sum;
    WARP_SYNC;
  }
  if (threadIdx.x == 0) *out = sums[0];
}

// Lanes of one store that meet in one place.
__global__ void one_store(int* out) {
  __shared__ int counter;
#ifdef FAULT
  counter = static_cast<int>(threadIdx.x);  // finds race write-after-write
#else
  if (threadIdx.x == 31) counter = static_cast<int>(threadIdx.x);
#endif
  __syncthreads();
  *out = counter;
}

// Right: a note at most, for all write the same.
__global__ void same_value(int* out) {
  __shared__ int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (out != nullptr) flag = 1;
  __syncthreads();
  if (threadIdx.x == 0) *out = flag;
}

// Right: halves of a warp that meet among themselves only.
__global__ void halves(int* out) {
  __shared__ int values[32];
  const int half = threadIdx.x / 16, lane = threadIdx.x % 16;
  for (int round = 0; round <= half; ++round) {
    values[threadIdx.x] = round + lane;
    __syncwarp(half == 0 ? 0xffff : 0xffff0000);
    out[threadIdx.x] = values[16 * half + (lane + 1) % 16];
    __syncwarp(half == 0 ? 0xffff : 0xffff0000);
  }
}

// Masks stay in machine code only where the compiler cannot know that the lanes are together.
__global__ void mask(int* out, const unsigned* lanes, int limit) {
  const int t = static_cast<int>(threadIdx.x);
  int sum = 0;
  for (int n = 0; n < limit; ++n) {
    if (out[n] == -1 - t) break;  // never
    sum += __shfl_xor_sync(lanes[n + t % 3], t, 1);  // finds invalid-sync-mask mask-without-caller
  }
  out[32 + t] = sum;
}

// A mask of the whole warp in a branch of half of it.
__global__ void branch(int* out, const unsigned* whole, int limit) {
  const int t = static_cast<int>(threadIdx.x);
  int sum = 0;
  if (t < limit) sum = __shfl_xor_sync(whole[t % 3], t, 1);  // finds invalid-sync-mask missing-lanes
  out[64 + t] = sum;
}

int main() {
  int* out;
  cudaMalloc(&out, 256 * sizeof(int));
  cudaMemset(out, 0, 256 * sizeof(int));
  warp_reduction<<<2, 32>>>(out);
  one_store<<<2, 32>>>(out);
  same_value<<<2, 128>>>(out);
  halves<<<2, 32>>>(out);
  unsigned* lanes;
  cudaMalloc(&lanes, 256);
#ifdef FAULT
  cudaMemset(lanes, 0x77, 256);
#else
  cudaMemset(lanes, 0xff, 256);
#endif
  mask<<<1, 32>>>(out, lanes, 4);
  unsigned* whole;
  cudaMalloc(&whole, 256);
  cudaMemset(whole, 0xff, 256);
#ifdef FAULT
  branch<<<1, 32>>>(out, whole, 16);
#else
  branch<<<1, 32>>>(out, whole, 32);
#endif
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
