// Accesses that leave their array and stay inside of the block's shared memory. Lines with "finds" are expected findings when
// the program is built with -DFAULT.
#include <cstdio>

#ifdef FAULT
constexpr int beyond = 1;
#else
constexpr int beyond = 0;
#endif

__global__ void into_the_next(float* out, int count) {
  __shared__ float left[64], right[64];
  const int t = static_cast<int>(threadIdx.x);
  left[t] = 1;
  right[t] = 2;
  __syncthreads();
  float sum = 0;
  for (int n = 0; n < count; ++n) sum += left[(t + n) % 64 + beyond * (t / 63)];  // finds out-of-bounds outside-of-array
  out[t] = sum + right[63 - t];
}

__global__ void before_the_first(float* out) {
  __shared__ float left[64], right[64];
  const int t = static_cast<int>(threadIdx.x);
  left[t] = 1;
  right[t - beyond] = 2;  // finds out-of-bounds outside-of-array
  __syncthreads();
  out[t] = left[63 - t] + right[t / 2];
}

__global__ void dynamic(float* out) {
  __shared__ float fixed[32];
  extern __shared__ float rest[];
  const int t = static_cast<int>(threadIdx.x);
  if (t < 32) fixed[t + 8 * beyond] = 3;  // finds out-of-bounds outside-of-array
  rest[t] = 4;
  __syncthreads();
  out[t] = fixed[t / 2] + rest[63 - t];
}

// Right: two buffers in turn, by pointers.
__global__ void swapped(float* out, int rounds) {
  __shared__ float a[64], b[64];
  float *from = a, *to = b;
  const int t = static_cast<int>(threadIdx.x);
  a[t] = 1;
  for (int n = 0; n < rounds; ++n) {
    __syncthreads();
    to[t] = from[63 - t] + 1;
    float* const last = from;
    from = to;
    to = last;
  }
  __syncthreads();
  out[t] = from[63 - t];
}

// Right: what ptxas reads and writes as whole vectors.
__global__ void sum_of_vectors(float* out) {
  __shared__ float3 vectors[16], sum;
  const int t = static_cast<int>(threadIdx.x);
  if (t < 16) vectors[t] = make_float3(out[t], out[t + 16], out[t + 32]);
  __syncthreads();
  if (t == 0) {
    sum = vectors[0];
    for (int n = 1; n < 16; ++n) {
      sum.x += vectors[n].x;
      sum.y += vectors[n].y;
      sum.z += vectors[n].z;
    }
  }
  __syncthreads();
  out[t] = vectors[t % 16].x - sum.x * sum.y * sum.z;
}

int main() {
  float* out;
  cudaMalloc(&out, 1024);
  into_the_next<<<2, 64>>>(out, 3);
  before_the_first<<<2, 64>>>(out);
  dynamic<<<2, 64, 256>>>(out);
  swapped<<<2, 64>>>(out, 5);
  sum_of_vectors<<<2, 64>>>(out);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
