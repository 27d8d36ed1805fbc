// Bulk copies of every form by clusters of four blocks: global to shared, shared to global, shared to the shared memory of another
// block, one source to several blocks, and tensor copies to several blocks; with and without cache policies.
#include <cooperative_groups.h>
#include <cuda.h>

#include <cstdint>
#include <vector>

#include "cluster.hpp"
#include "say.hpp"

namespace {

constexpr unsigned blocks = 4, words = 512;  // of 32 bits in each block

__device__ void expect(std::uint32_t barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

enum Form : int { load, load_policy, store, to_neighbour, several, tensor, tensor_several, tensor_policy, forms };
const char* const names[] = {"load",   "load with policy", "store", "to the next block", "load to blocks 1 and 3",
                             "tensor", "tensor to blocks 0, 1 and 2", "tensor with policy to blocks 2 and 3"};

/// `bytes` from word 16 * rank of the source, to word 32 of shared memory; all of which goes to `seen`.
__global__ void __cluster_dims__(blocks, 1, 1)
    copy(int form, unsigned bytes, std::uint32_t* source, std::uint32_t* seen, const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) std::uint32_t place[words];
  __shared__ alignas(8) std::uint64_t barrier_word;
  const auto cluster = cooperative_groups::this_cluster();
  const unsigned rank = cluster.block_rank();
  const std::uint32_t barrier = shared_address(&barrier_word), target = shared_address(place + 32);
  for (unsigned n = threadIdx.x; n < words; n += blockDim.x) place[n] = 0xe0000000 + rank;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;\n fence.proxy.async;" ::: "memory");
  }
  cluster.sync();
  const std::uint32_t* from = source + 16 * rank;
  const unsigned receivers = form == several ? 0b1010 : form == tensor_several ? 0b0111 : form == tensor_policy ? 0b1100 : 0b1111;
  if (threadIdx.x == 0 && form != store && (receivers >> rank & 1) != 0) expect(barrier, bytes);
  cluster.sync();
  if (threadIdx.x == 0) {
    const auto sends = static_cast<std::uint16_t>(receivers);
    const std::uint64_t policy = 0x14f0000000000000;  // keep
    const int column = 16, row = static_cast<int>(rank);
    switch (form) {
      case load:
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(target),
                     "l"(from), "r"(bytes), "r"(barrier)
                     : "memory");
        break;
      case load_policy:
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(
                target),
            "l"(from), "r"(bytes), "r"(barrier), "l"(policy)
            : "memory");
        break;
      case store:
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(source + 1024 + 256 * rank),
                     "r"(target), "r"(bytes)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
        break;
      case to_neighbour:
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         in_other_block(target, (rank + 1) % blocks)),
                     "r"(shared_address(place + 256)), "r"(bytes), "r"(in_other_block(barrier, (rank + 1) % blocks))
                     : "memory");
        break;
      case several:
        if (rank == 2)
          asm volatile(
              "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(
                  target),
              "l"(from), "r"(bytes), "r"(barrier), "h"(sends)
              : "memory");
        break;
      case tensor:
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                target),
            "l"(&map), "r"(column), "r"(row), "r"(barrier)
            : "memory");
        break;
      case tensor_several:
        if (rank == 1)
          asm volatile(
              "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, "
              "%3}], [%4], %5;" ::"r"(target),
              "l"(&map), "r"(column), "r"(row), "r"(barrier), "h"(sends)
              : "memory");
        break;
      case tensor_policy:
        if (rank == 3)
          asm volatile(
              "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint "
              "[%0], [%1, {%2, %3}], [%4], %5, %6;" ::"r"(target),
              "l"(&map), "r"(column), "r"(row), "r"(barrier), "h"(sends), "l"(policy)
              : "memory");
        break;
    }
  }
  if (form != store && (receivers >> rank & 1) != 0) wait(barrier);
  cluster.sync();
  for (unsigned n = threadIdx.x; n < words; n += blockDim.x) seen[words * rank + n] = place[n];
}

/// The runs of words that go up by one: where each begins, its first word and length.
void tell(const std::vector<std::uint32_t>& seen) {
  for (std::size_t n = 0; n < seen.size();) {
    std::size_t end = n + 1;
    const bool rises = end < seen.size() && seen[end] == seen[n] + 1;
    while (end < seen.size() && seen[end] == seen[end - 1] + rises) ++end;
    std::printf("    %4zu: %08x %s %zu\n", n, seen[n], rises ? "rising" : "same", end - n);
    n = end;
  }
}

}  // namespace

int main() {
  std::vector<std::uint32_t> numbers(2048), seen(blocks * words);
  for (unsigned n = 0; n < numbers.size(); ++n) numbers[n] = 0x1000 + n;
  std::uint32_t *source = nullptr, *out = nullptr;
  SAY(cudaMalloc(&source, numbers.size() * 4));
  SAY(cudaMalloc(&out, seen.size() * 4));

  void* function = nullptr;
  cudaDriverEntryPointQueryResult query{};
  SAY(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &query));
  const auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
  alignas(64) CUtensorMap map;
  const cuuint64_t extents[] = {64, 16}, strides[] = {256};
  const cuuint32_t box[] = {32, 4}, steps[] = {1, 1};
  std::printf("map %d\n", encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, source, extents, strides, box, steps,
                                 CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  for (int form = 0; form < forms; ++form)
    for (const unsigned bytes : {16u, 512u}) {
      if (form >= tensor && bytes != 512) continue;
      std::printf("%s, %u bytes\n", names[form], bytes);
      cudaMemcpy(source, numbers.data(), numbers.size() * 4, cudaMemcpyHostToDevice);
      copy<<<blocks, 128>>>(form, bytes, source, out, map);
      SAY(cudaDeviceSynchronize());
      cudaMemcpy(seen.data(), out, seen.size() * 4, cudaMemcpyDeviceToHost);
      tell(seen);
      if (form != store) continue;
      std::vector<std::uint32_t> stored(numbers.size());
      cudaMemcpy(stored.data(), source, stored.size() * 4, cudaMemcpyDeviceToHost);
      tell(stored);
    }
}
