// Bulk reductions from shared memory to shared memory (cp.reduce.async.bulk): every operation and type.
#include <cstdint>
#include <vector>

#include "hash.hpp"
#include "say.hpp"

namespace {

constexpr unsigned words = 64;

struct Operands {
  unsigned target[words], source[words];
};

template <class Reduce>
__global__ void reduce(Operands operands, unsigned* out) {
  __shared__ __align__(16) unsigned target[words + 8], source[words];
  __shared__ uint64_t barrier;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(target)), from = static_cast<unsigned>(__cvta_generic_to_shared(source)),
                 wait = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  for (unsigned i = threadIdx.x; i < words; i += 32) target[i] = operands.target[i], source[i] = operands.source[i];
  if (threadIdx.x < 8) target[words + threadIdx.x] = 77;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(wait));
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(wait), "r"(4 * words));
    Reduce::issue(to, from, 4 * words, wait);
  }
  unsigned complete = 0;
  for (unsigned n = 0; n < 100000 && complete == 0; ++n)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(complete) : "r"(wait) : "memory");
  for (unsigned i = threadIdx.x; i < words + 8; i += 32) out[i] = target[i] + (complete ? 0 : 1000);
}

#define REDUCE(name, text)                                                                                                              \
  struct name {                                                                                                                         \
    static __device__ void issue(unsigned to, unsigned from, unsigned bytes, unsigned wait) {                                           \
      asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." text " [%0], [%1], %2, [%3];" ::"r"(to), \
                   "r"(from), "r"(bytes), "r"(wait)                                                                                     \
                   : "memory");                                                                                                         \
    }                                                                                                                                   \
  };
#define EACH(X)                                                                                                                       \
  X(add_u32, "add.u32") X(add_s32, "add.s32") X(add_u64, "add.u64") X(min_u32, "min.u32") X(min_s32, "min.s32") X(max_u32, "max.u32") \
  X(max_s32, "max.s32") X(inc_u32, "inc.u32") X(dec_u32, "dec.u32") X(and_b32, "and.b32") X(or_b32, "or.b32") X(xor_b32, "xor.b32")
EACH(REDUCE)

template <class Reduce>
void run(const char* name, const Operands& operands, unsigned* out) {
  reduce<Reduce><<<1, 32>>>(operands, out);
  const cudaError_t error = cudaDeviceSynchronize();
  unsigned found[words + 8];
  cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost);
  std::printf("%s: %s %016llx %08x %08x %08x %08x\n", name, cudaGetErrorName(error), static_cast<unsigned long long>(hash_of(found, sizeof found)),
              found[0], found[1], found[9], found[40]);
}

}  // namespace

int main() {
  Operands operands;
  uint64_t state = 5;
  const unsigned edges[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 5, 6};
  for (unsigned i = 0; i < words; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    operands.target[i] = i < 49 ? edges[i / 7] : static_cast<unsigned>(state >> 32);
    operands.source[i] = i < 49 ? edges[i % 7] : static_cast<unsigned>(state >> 16);
  }
  unsigned* out;
  cudaMalloc(&out, 4 * (words + 8));
#define RUN(name, text) run<name>(text, operands, out);
  EACH(RUN)
}
