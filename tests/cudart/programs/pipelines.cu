// cuda::barrier and cuda::pipeline with asynchronous copies, one block: all threads copy and use; stages; half of the threads copy, half use.
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void with_barrier(const int* in, int* out, int n) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int tile[256];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < n; ++k) {
    cuda::memcpy_async(&tile[threadIdx.x], &in[k * 256 + threadIdx.x], sizeof(int), bar);
    bar.arrive_and_wait();
    sum += tile[255 - threadIdx.x];
    bar.arrive_and_wait();
  }
  auto token = bar.arrive();
  bar.wait(std::move(token));
  if (threadIdx.x < 32) bar.arrive_and_drop(); else bar.arrive_and_wait();
  out[threadIdx.x] = sum;
}
template <int stages>
__global__ void with_pipeline(const int* in, int* out, int n) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  __shared__ int tile[stages][256];
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int k = 0, f = 0; k < n; ++k) {
    for (; f < n && f < k + stages; ++f) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, tile[f % stages], in + f * 256, sizeof(int) * 256, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += tile[k % stages][255 - threadIdx.x] * (k + 1);
    pipe.consumer_release();
  }
  out[256 + threadIdx.x] = sum;
}
/// Half of the threads copies, the other half uses.
__global__ void parted(const int* in, int* out, int n) {
  constexpr int stages = 2;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  __shared__ int tile[stages][128];
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state, block.thread_rank() < 128 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  if (block.thread_rank() < 128) {
    for (int k = 0; k < n; ++k) {
      pipe.producer_acquire();
      cuda::memcpy_async(&tile[k % stages][threadIdx.x], &in[k * 128 + threadIdx.x], sizeof(int), pipe);
      pipe.producer_commit();
    }
  } else {
    int sum = 0;
    for (int k = 0; k < n; ++k) {
      pipe.consumer_wait();
      sum += tile[k % stages][255 - threadIdx.x] * (k + 1);
      pipe.consumer_release();
    }
    out[512 + threadIdx.x - 128] = sum;
  }
}
int main() {
  constexpr int n = 8;
  int *in, *out;
  cudaMallocManaged(&in, n * 256 * 4);
  cudaMallocManaged(&out, 1024 * 4);
  for (int i = 0; i < n * 256; ++i) in[i] = i * 7 % 1000;
  with_barrier<<<1, 256>>>(in, out, n);
  with_pipeline<3><<<1, 256>>>(in, out, n);
  parted<<<1, 256>>>(in, out, n);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  int wrong = 0;
  for (int t = 0; t < 256; ++t) {
    int sum = 0, weighted = 0, half = 0;
    for (int k = 0; k < n; ++k) {
      sum += in[k * 256 + 255 - t];
      weighted += in[k * 256 + 255 - t] * (k + 1);
      if (t < 128) half += in[k * 128 + 127 - t] * (k + 1);
    }
    wrong += (out[t] != sum) + (out[256 + t] != weighted) + (t < 128 && out[512 + t] != half);
  }
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
