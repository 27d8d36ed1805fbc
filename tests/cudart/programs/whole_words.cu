// One block writes words of 8 bytes whose halves are equal, another reads them meanwhile: halves that differ were not
// written, or not read, as one.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

constexpr unsigned rounds = 100000;

/// `words` holds 32 words; lane i of `lanes` has word i ^ flip.
__global__ void write_and_read(volatile std::uint64_t* words, unsigned flip, std::uint32_t lanes, unsigned* torn) {
  if ((lanes >> threadIdx.x & 1) == 0) return;
  volatile std::uint64_t* word = words + (threadIdx.x ^ flip);
  unsigned differ = 0;
  if (blockIdx.x == 0) {
    for (std::uint64_t k = 0; k < rounds; ++k) *word = k << 32 | k;
  } else {
    for (unsigned k = 0; k < rounds; ++k) {
      const std::uint64_t seen = *word;
      differ += static_cast<std::uint32_t>(seen) != seen >> 32;
    }
  }
  atomicAdd(torn, differ);
}

int main() {
  std::uint64_t* words = nullptr;
  unsigned* torn = nullptr;
  cudaMalloc(&words, 32 * sizeof *words);
  cudaMemset(words, 0, 32 * sizeof *words);
  cudaMalloc(&torn, sizeof *torn);
  cudaMemset(torn, 0, sizeof *torn);
  for (unsigned flip : {0u, 31u})
    for (std::uint32_t lanes : {0xffffffffu, 0x0f0f0f0fu, 1u}) write_and_read<<<2, 32>>>(words, flip, lanes, torn);
  unsigned count = ~0u;
  const cudaError_t error = cudaMemcpy(&count, torn, sizeof count, cudaMemcpyDeviceToHost);
  std::printf("%s, %u torn\n", cudaGetErrorString(error), count);
  return count != 0;
}
