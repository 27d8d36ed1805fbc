// Faults that stop a kernel; one a run, chosen by the first argument. Lines with "finds" are expected findings when the program
// is built with -DFAULT.
#include <cstdio>
#include <cstdlib>

#ifdef FAULT
constexpr int factor = 1, skew = 1;
#else
constexpr int factor = sizeof(float), skew = 0;
#endif

__global__ void sized_in_elements(float* out) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = 1;  // finds shared-size dynamic-shared-memory-too-small
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

__global__ void misaligned(float4* out) {
  __shared__ alignas(16) float row[260];
  for (int n = static_cast<int>(threadIdx.x); n < 260; n += 64) row[n] = 1;
  __syncthreads();
  out[threadIdx.x] = *reinterpret_cast<const float4*>(&row[4 * threadIdx.x + skew]);  // finds misaligned
}

__global__ void past_the_end(float* out, int first) {
  __shared__ float row[64];
  row[first + static_cast<int>(threadIdx.x)] = 1;  // finds out-of-bounds
  __syncthreads();
  out[threadIdx.x] = row[63 - threadIdx.x];
}

__global__ void half_waits(float* out) {
  __shared__ float row[64];
  row[threadIdx.x] = 1;
#ifdef FAULT
  if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;" ::: "memory");  // finds barrier-divergence
#endif
  __syncthreads();
  out[threadIdx.x] = row[63 - threadIdx.x];
}

int main(int, char** arguments) {
  float* out;
  cudaMalloc(&out, 65536);
  switch (std::atoi(arguments[1])) {
    case 0:
      sized_in_elements<<<1, 64, 64 * factor>>>(out);
      break;
    case 1:
      misaligned<<<1, 64>>>(reinterpret_cast<float4*>(out));
      break;
    case 2:
      past_the_end<<<1, 64>>>(out, 1024 * skew);
      break;
    case 3:
      half_waits<<<1, 64>>>(out);
      break;
  }
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
