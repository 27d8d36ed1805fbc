// Reads of shared memory that nobody wrote. Lines with "finds" are expected findings when the program is built with -DFAULT.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

#ifdef FAULT
constexpr int filled = 200;
#else
constexpr int filled = 256;
#endif

__global__ void part_filled(float* out) {
  __shared__ float tile[256];
  if (threadIdx.x < filled) tile[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[255 - threadIdx.x];  // finds uninitialised uninitialised-read
}

// What an earlier block left is not this block's.
__global__ void vectors(float4* out) {
  __shared__ alignas(16) float row[1024];
  for (int n = static_cast<int>(threadIdx.x); n < 4 * filled; n += 256) row[n] = 2;
  __syncthreads();
  out[threadIdx.x] = reinterpret_cast<const float4*>(row)[255 - threadIdx.x];  // finds uninitialised uninitialised-read
}

__global__ void counter(unsigned* out) {
  __shared__ unsigned count;
#ifndef FAULT
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
#endif
  atomicAdd(&count, 1u);  // finds uninitialised uninitialised-read
  __syncthreads();
  *out = count;
}

__global__ void bytes(unsigned* out) {
  __shared__ unsigned char text[256];
#ifdef FAULT
  if (threadIdx.x % 4 != 3) text[threadIdx.x] = 1;
#else
  text[threadIdx.x] = 1;
#endif
  __syncthreads();
  if (threadIdx.x < 64) out[threadIdx.x] = reinterpret_cast<const unsigned*>(text)[63 - threadIdx.x];  // finds uninitialised uninitialised-read
}

// Right: ptxas reads the three words as four, past the end of the block's memory.
__global__ void three_words(float* out) {
  __shared__ float words[3];
  if (threadIdx.x == 0) {
    words[0] = out[0];
    words[1] = out[1];
    words[2] = out[2];
  }
  __syncthreads();
  out[threadIdx.x] = words[0] * words[1] + words[2];
}

// The box has rows of eight for a tensor with rows of four: what lies between them in shared memory is not copied.
__global__ void padded_box(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) float box[8][8];
  if (threadIdx.x < filled / 8) box[threadIdx.x / 4][threadIdx.x % 4] = 3;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const auto from = static_cast<std::uint32_t>(__cvta_generic_to_shared(box));
  if (threadIdx.x == 0)
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {0, 0}], [%1];\n cp.async.bulk.commit_group;\n"
                 " cp.async.bulk.wait_group 0;" ::"l"(&map), "r"(from) : "memory");  // finds uninitialised uninitialised-read
}

int main() {
  float* out;
  cudaMalloc(&out, 65536);
  CUtensorMap map;
  decltype(&cuTensorMapEncodeTiled) encode = nullptr;
  cudaDriverEntryPointQueryResult found;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", reinterpret_cast<void**>(&encode), 12000, cudaEnableDefault, &found);
  const cuuint64_t extents[2] = {4, 8}, strides[1] = {16};
  const cuuint32_t box[2] = {8, 8}, steps[2] = {1, 1};
  encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, out, extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
         CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  padded_box<<<1, 32>>>(map);
  part_filled<<<2, 256>>>(out);
  vectors<<<2, 256>>>(reinterpret_cast<float4*>(out));
  counter<<<2, 256>>>(reinterpret_cast<unsigned*>(out));
  bytes<<<2, 256>>>(reinterpret_cast<unsigned*>(out));
  three_words<<<2, 64>>>(reinterpret_cast<float*>(out));
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
