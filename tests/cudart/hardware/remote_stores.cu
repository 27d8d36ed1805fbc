// Asynchronous stores and reductions: to the shared memory of another block (st.async, red.async), and from shared memory to a
// tensor in global memory (cp.async.bulk.tensor, cp.reduce.async.bulk.tensor) with every swizzle and element type that has one.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <vector>

#include "cluster.hpp"
#include "hash.hpp"
#include "say.hpp"

namespace {

// ------------------------------------------------------------------------------- to another block of the cluster

constexpr unsigned blocks = 4, words = 512;

enum Remote : int { store_4, store_8, store_8_pair, store_16, add_u32, add_s32, add_u64, min_u32, max_u32, min_s32, max_s32,
                    inc_u32, dec_u32, and_b32, or_b32, xor_b32, remotes };
const char* const remote_names[] = {"st.async 4 bytes", "st.async 8 bytes", "st.async 2 words", "st.async 4 words",
                                    "red.async add.u32", "red.async add.s32", "red.async add.u64", "red.async min.u32",
                                    "red.async max.u32", "red.async min.s32", "red.async max.s32", "red.async inc.u32",
                                    "red.async dec.u32", "red.async and.b32", "red.async or.b32", "red.async xor.b32"};

#define REDUCE(operation, constraint)                                                                                    \
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." operation " [%0], %1, [%2];" :: \
                   "r"(there), constraint(value), "r"(barrier_there) : "memory")

/// Every thread of every block sends to the next block: stores to places of their own, reductions to one place for two threads.
__global__ void __cluster_dims__(blocks, 1, 1) send(int form, unsigned bytes, std::uint32_t* seen) {
  __shared__ alignas(128) std::uint32_t place[words];
  __shared__ alignas(8) std::uint64_t barrier_word;
  const auto cluster = cooperative_groups::this_cluster();
  const unsigned rank = cluster.block_rank(), next = (rank + 1) % blocks, thread = threadIdx.x;
  const std::uint32_t barrier = shared_address(&barrier_word);
  for (unsigned n = thread; n < words; n += blockDim.x) place[n] = 0x40000000u + 0x9e3779b9u * (n + rank);
  if (thread == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes * blockDim.x) : "memory");
  }
  cluster.sync();
  const std::uint32_t barrier_there = in_other_block(barrier, next), first = in_other_block(shared_address(place), next);
  const std::uint32_t a = 0x01000193u * (thread + 64 * rank + 1), b = ~a, c = a ^ 0x55555555u, d = a + 7;
  if (form < add_u32) {
    const std::uint32_t there = first + thread * bytes;
    const std::uint64_t wide = std::uint64_t{b} << 32 | a;
    if (form == store_4)
      asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(there), "r"(a),
                   "r"(barrier_there) : "memory");
    if (form == store_8)
      asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [%0], %1, [%2];" ::"r"(there), "l"(wide),
                   "r"(barrier_there) : "memory");
    if (form == store_8_pair)
      asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];" ::"r"(there), "r"(a),
                   "r"(b), "r"(barrier_there) : "memory");
    if (form == store_16)
      asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(there),
                   "r"(a), "r"(b), "r"(c), "r"(d), "r"(barrier_there) : "memory");
  } else {
    const std::uint32_t there = first + thread / 2 * bytes;
    if (form == add_u64) {
      const std::uint64_t value = std::uint64_t{b} << 32 | a;
      REDUCE("add.u64", "l");
    } else {
      const std::uint32_t value = form == inc_u32 || form == dec_u32 ? 0xf0000000u + thread / 2 : a;
      if (form == add_u32) REDUCE("add.u32", "r");
      if (form == add_s32) REDUCE("add.s32", "r");
      if (form == min_u32) REDUCE("min.u32", "r");
      if (form == max_u32) REDUCE("max.u32", "r");
      if (form == min_s32) REDUCE("min.s32", "r");
      if (form == max_s32) REDUCE("max.s32", "r");
      if (form == inc_u32) REDUCE("inc.u32", "r");
      if (form == dec_u32) REDUCE("dec.u32", "r");
      if (form == and_b32) REDUCE("and.b32", "r");
      if (form == or_b32) REDUCE("or.b32", "r");
      if (form == xor_b32) REDUCE("xor.b32", "r");
    }
  }
  wait(barrier);
  cluster.sync();
  for (unsigned n = thread; n < words; n += blockDim.x) seen[words * rank + n] = place[n];
}

void send_all() {
  std::vector<std::uint32_t> seen(blocks * words);
  std::uint32_t* out = nullptr;
  SAY(cudaMalloc(&out, seen.size() * 4));
  for (int form = 0; form < remotes; ++form) {
    const unsigned bytes = form == store_16 ? 16 : form == store_8 || form == store_8_pair || form == add_u64 ? 8 : 4;
    send<<<blocks, 64>>>(form, bytes, out);
    const cudaError_t error = cudaDeviceSynchronize();
    cudaMemcpy(seen.data(), out, seen.size() * 4, cudaMemcpyDeviceToHost);
    std::printf("%-18s %s %016llx %08x %08x\n", remote_names[form], cudaGetErrorName(error),
                static_cast<unsigned long long>(hash_of(seen.data(), seen.size() * 4)), seen[0], seen[words + 5]);
  }
}

// ------------------------------------------------------------------------------- to a tensor in global memory

enum Operation : int { store, add, min_of, max_of, inc, dec, and_of, or_of, xor_of, operations };
const char* const operation_names[] = {"store", "add", "min", "max", "inc", "dec", "and", "or", "xor"};

#define TENSOR(words)                                                                                              \
  asm volatile(words " [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(column), "r"(row), "r"(shared_address(box)) : "memory")

__global__ void to_tensor(int operation, int column, int row, const std::uint32_t* source, unsigned count,
                          const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(1024) std::uint32_t box[1024];
  for (unsigned n = threadIdx.x; n < count; n += blockDim.x) box[n] = source[n];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (operation == store) TENSOR("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group");
  if (operation == add) TENSOR("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group");
  if (operation == min_of) TENSOR("cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.bulk_group");
  if (operation == max_of) TENSOR("cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.bulk_group");
  if (operation == inc) TENSOR("cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc.bulk_group");
  if (operation == dec) TENSOR("cp.reduce.async.bulk.tensor.2d.global.shared::cta.dec.bulk_group");
  if (operation == and_of) TENSOR("cp.reduce.async.bulk.tensor.2d.global.shared::cta.and.bulk_group");
  if (operation == or_of) TENSOR("cp.reduce.async.bulk.tensor.2d.global.shared::cta.or.bulk_group");
  if (operation == xor_of) TENSOR("cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor.bulk_group");
  asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
}

__global__ void from_tensor(int column, int row, std::uint32_t* seen, unsigned count, const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(1024) std::uint32_t box[1024];
  __shared__ alignas(8) std::uint64_t barrier_word;
  const std::uint32_t barrier = shared_address(&barrier_word);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n fence.proxy.async;" ::"r"(barrier) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(count * 4) : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
            shared_address(box)),
        "l"(&map), "r"(column), "r"(row), "r"(barrier)
        : "memory");
  }
  __syncthreads();
  wait(barrier);
  for (unsigned n = threadIdx.x; n < count; n += blockDim.x) seen[n] = box[n];
}

struct Element {
  const char* name;
  CUtensorMapDataType type;
  unsigned bytes;
  std::vector<int> operations;
};

/// Words that make sense as elements of the type.
std::uint32_t word_of(const Element& element, unsigned n) {
  const std::uint32_t mixed = 0x9e3779b9u * (n + 1);
  const float small = static_cast<float>(static_cast<int>(mixed >> 20) - 2048) / 16, other = small / 2 + 1;
  std::uint32_t word = mixed;
  if (element.type == CU_TENSOR_MAP_DATA_TYPE_FLOAT32) std::memcpy(&word, &small, 4);
  if (element.type == CU_TENSOR_MAP_DATA_TYPE_FLOAT16) {
    const __half2 both(__float2half(small), __float2half(other));
    std::memcpy(&word, &both, 4);
  }
  if (element.type == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16) {
    const __nv_bfloat162 both(__float2bfloat16(small), __float2bfloat16(other));
    std::memcpy(&word, &both, 4);
  }
  return word;
}

constexpr unsigned row_words = 64, rows = 24, all = row_words * rows, height = 8;  // of tensors, and of boxes the height

/// A map of `rows` rows of `row_words` words of an element type, with boxes of 8 rows of `width` words; the driver's result.
int encode_map(CUtensorMap& map, CUtensorMapDataType type, unsigned element_bytes, void* tensor, unsigned width,
               CUtensorMapSwizzle swizzle) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult query{};
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &query);
  const auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
  const cuuint64_t extents[] = {row_words * 4 / element_bytes, rows}, strides[] = {row_words * 4};
  const cuuint32_t box[] = {width * 4 / element_bytes, height}, steps[] = {1, 1};
  return encode(&map, type, 2, tensor, extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

enum Place : int { inside, right_edge, lower_edge, corner, above, left_of, odd_column, places };
const char* const place_names[] = {"inside", "over the right edge", "over the lower edge", "over the corner", "from row -3", "from column -16", "from column 17"};

/// The operation on a tensor of 24 rows of 64 words, with a box of 8 rows.
void tensor_case(const Element& element, int operation, unsigned swizzle, int place) {
  constexpr CUtensorMapSwizzle swizzles[] = {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_64B,
                                             CU_TENSOR_MAP_SWIZZLE_128B};
  const unsigned width = 8u << (swizzle == 0 ? 2 : swizzle - 1);  // of the box, in words
  std::uint32_t *target = nullptr, *source = nullptr;
  cudaMalloc(&target, all * 4);
  cudaMalloc(&source, 4096);
  alignas(64) CUtensorMap map;
  const int encoded = encode_map(map, element.type, element.bytes, target, width, swizzles[swizzle]);
  const int row = place == lower_edge || place == corner ? 20 : place == above ? -3 : 5;
  const int column_word = place == right_edge || place == corner ? static_cast<int>(row_words) - 4 : place == left_of ? -16 : place == odd_column ? 17 : 16;
  const int column = column_word * 4 / static_cast<int>(element.bytes);
  std::vector<std::uint32_t> before(all), after(all), sent(width * height);
  for (unsigned n = 0; n < all; ++n) before[n] = word_of(element, 7 * n + 3);
  for (unsigned n = 0; n < sent.size(); ++n) sent[n] = word_of(element, 5 * n);
  cudaMemcpy(target, before.data(), all * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(source, sent.data(), sent.size() * 4, cudaMemcpyHostToDevice);
  to_tensor<<<1, 128>>>(operation, column, row, source, width * height, map);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%-4s %-5s swizzle %u %s: map %d, %s", element.name, operation_names[operation], swizzle, place_names[place],
              encoded, cudaGetErrorName(error));
  if (error == cudaSuccess) {
    cudaMemcpy(after.data(), target, all * 4, cudaMemcpyDeviceToHost);
    unsigned changed = 0;
    for (unsigned n = 0; n < all; ++n) changed += after[n] != before[n];
    std::printf(", %3u words changed, %016llx", changed, static_cast<unsigned long long>(hash_of(after.data(), all * 4)));
  }
  std::printf("\n");
  std::fflush(stdout);
  cudaFree(target);
  cudaFree(source);
}

/// A box of 8 rows of 32 words at any place, of u32.
void load_case(CUtensorMapSwizzle swizzle, int column, int row) {
  constexpr unsigned width = 32;
  std::uint32_t *source = nullptr, *target = nullptr;
  cudaMalloc(&source, all * 4);
  cudaMalloc(&target, 4096);
  alignas(64) CUtensorMap map;
  encode_map(map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, source, width, swizzle);
  std::vector<std::uint32_t> numbers(all), seen(width * height);
  for (unsigned n = 0; n < all; ++n) numbers[n] = 0x1000 + n;
  cudaMemcpy(source, numbers.data(), all * 4, cudaMemcpyHostToDevice);
  from_tensor<<<1, 128>>>(column, row, target, width * height, map);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("load swizzle %d from column %3d, row %2d: %s", static_cast<int>(swizzle), column, row, cudaGetErrorName(error));
  if (error == cudaSuccess) {
    cudaMemcpy(seen.data(), target, seen.size() * 4, cudaMemcpyDeviceToHost);
    std::printf(", %016llx", static_cast<unsigned long long>(hash_of(seen.data(), seen.size() * 4)));
  }
  std::printf("\n");
}

/// In a process of its own: a fault ends all that a process can do with the device.
template <class Work>
void apart(Work work) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    work();
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) std::printf("  ended with status %d\n", status);
}

void tensor_all() {
  const std::vector<int> of_words{store, add, min_of, max_of, inc, dec, and_of, or_of, xor_of}, of_signed{add, min_of, max_of};
  const std::vector<Element> elements{
      {"u32", CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, of_words},
      {"s32", CU_TENSOR_MAP_DATA_TYPE_INT32, 4, of_signed},
      {"u64", CU_TENSOR_MAP_DATA_TYPE_UINT64, 8, {store, add, min_of, max_of, and_of, or_of, xor_of}},
      {"s64", CU_TENSOR_MAP_DATA_TYPE_INT64, 8, {min_of, max_of}},
      {"f32", CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, {store, add}},
      {"f16", CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, {store, add, min_of, max_of}},
      {"bf16", CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, {store, add, min_of, max_of}},
  };
  apart([&] {
    for (const Element& element : elements)
      for (const int operation : element.operations)
        for (unsigned swizzle = 0; swizzle < (operation > add ? 1u : 4u); ++swizzle) tensor_case(element, operation, swizzle, inside);
  });
  for (int place = right_edge; place < places; ++place)
    for (const int operation : {store, add}) apart([&] { tensor_case(elements[0], operation, 0, place); });
  for (const CUtensorMapSwizzle swizzle : {CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_128B})
    for (const int column : {0, 1, 2, 4, 60, -1, -4}) apart([&] { load_case(swizzle, column, column == 4 ? -3 : 5); });
}

}  // namespace

int main() {
  apart(send_all);
  tensor_all();
}
