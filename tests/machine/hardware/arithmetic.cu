// Results of the GPU's arithmetic, instruction by instruction, written to a file: run it on a GPU and under
// `lanebank run`, and compare the two files with compare_arithmetic.py. Operands are edge values of each format
// combined with each other, then random bits; both runs use the same.
//
//   nvcc -std=c++17 -arch=sm_90a -o arithmetic arithmetic.cu && ./arithmetic gpu.bin [later]
//
// With `later`, only what the lists of that name hold. // The file is a sequence of records: name (32 bytes, zero padded), count (32-bit), count words of 32 bits.
// tests/machine/recorded_test.cpp replays all of it; record_hashes.py makes the table of results it needs.
#include <cstdio>
#include <cstring>

#include "arithmetic_operations.cuh"

#define CHECK(call)                                                                                    \
  do {                                                                                                 \
    const cudaError_t error = (call);                                                                  \
    if (error != cudaSuccess) return std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)), 1; \
  } while (0)

// ------------------------------------------------------------------------------- the file

static std::FILE* out;
static void record(const char* name, const void* words, u32 number) {
  char padded[32] = {};
  std::strncpy(padded, name, sizeof padded - 1);
  std::fwrite(padded, 1, sizeof padded, out);
  std::fwrite(&number, 4, 1, out);
  std::fwrite(words, 4, number, out);
}

// ------------------------------------------------------------------------------- lane operations

template <class F, class In, class Out>
__global__ void apply(const In* a, const In* b, const In* c, Out* d) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  d[i] = F::f(a[i], b[i], c[i]);
}

template <class In>
struct Lists {
  In *a, *b, *c;
  u64* d;
  Lists(const std::vector<u64>& edges, unsigned bits, u64 seed) {
    std::vector<u64> x, y, z;
    operands(edges, bits, seed, x, y, z);
    for (auto [list, pointer] : {std::pair{&x, &a}, {&y, &b}, {&z, &c}}) {
      std::vector<In> narrow(list->begin(), list->end());
      cudaMalloc(pointer, count * sizeof(In));
      cudaMemcpy(*pointer, narrow.data(), count * sizeof(In), cudaMemcpyHostToDevice);
    }
    cudaMalloc(&d, count * 8);
  }
};

template <class F, class In, class Out>
int run(const char* name, const Lists<In>& lists) {
  apply<F, In, Out><<<count / 128, 128>>>(lists.a, lists.b, lists.c, reinterpret_cast<Out*>(lists.d));
  CHECK(cudaDeviceSynchronize());
  std::vector<u32> words(count * sizeof(Out) / 4);
  CHECK(cudaMemcpy(words.data(), lists.d, count * sizeof(Out), cudaMemcpyDeviceToHost));
  record(name, words.data(), static_cast<u32>(words.size()));
  return 0;
}

static int lane_operations(bool only_later) {
  const Lists<u32> singles(edges32, 32, 1);
  const Lists<u64> doubles(edges64, 64, 2);
  const Lists<u32> halves2(edge_pairs(), 32, 3);
  const Lists<u16> halves(edges16, 16, 4);
#define RUN(arity, name, ptx, In, Out, lists) \
  if (run<operations::name, In, Out>(#name, lists)) return 1;
#define RUN_SINGLE(arity, name, ptx) RUN(arity, name, ptx, u32, u32, singles)
#define RUN_TO_LONG(arity, name, ptx) RUN(arity, name, ptx, u32, u64, singles)
#define RUN_PAIR(arity, name, ptx) RUN(arity, name, ptx, u32, u32, halves2)
#define RUN_DOUBLE(arity, name, ptx) RUN(arity, name, ptx, u64, u64, doubles)
#define RUN_TO_WORD(arity, name, ptx) RUN(arity, name, ptx, u64, u32, doubles)
#define RUN_HALF(arity, name, ptx) RUN(arity, name, ptx, u16, u32, halves)
  LATER_PAIRS(RUN_PAIR)
  LATER_WORDS(RUN_SINGLE)
  if (only_later) return 0;
  SINGLE_OPERATIONS(RUN_SINGLE)
  UNIT_FUNCTIONS(RUN_SINGLE)
  SINGLE_TO_INTEGER(RUN_SINGLE)
  PACK_OPERATIONS(RUN_SINGLE)
  SINGLE_TO_LONG(RUN_TO_LONG)
  PAIR_OPERATIONS(RUN_PAIR)
  DOUBLE_OPERATIONS(RUN_DOUBLE)
  DOUBLE_TO_WORD(RUN_TO_WORD)
  DOUBLE_COMPARISONS(RUN_TO_WORD)
  HALF_TO_WORD(RUN_HALF)
  EIGHT_BITS(RUN_HALF)
  HALF_ROUNDING(RUN_HALF)
  WORD_TO_HALF(RUN_SINGLE)
  return 0;
}
// ------------------------------------------------------------------------------- warp-wide products

template <class F>
__global__ void multiply(const u32* a, const u32* b, const u32* c, u32* d) {
  multiply_body<F>(a, b, c, d);
}

template <class F>
int product(const char* name, Kind factors, Kind sums, u64 seed) {
  Random random{seed};
  std::vector<u32> host[3];
  u32* device[4];
  for (unsigned q = 0; q < 4; ++q) {
    CHECK(cudaMalloc(&device[q], products * 1024));
    if (q == 3) break;
    host[q] = product_operand(random, q < 2 ? factors : sums);
    CHECK(cudaMemcpy(device[q], host[q].data(), products * 1024, cudaMemcpyHostToDevice));
  }
  multiply<F><<<products, 32>>>(device[0], device[1], device[2], device[3]);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host[0].data(), device[3], products * 1024, cudaMemcpyDeviceToHost));
  record(name, host[0].data(), products * 256);
  for (u32* pointer : device) cudaFree(pointer);
  return 0;
}

static int warp_products() {
#define PRODUCT(name, factors, sums, seed) \
  if (product<name>(#name, Kind::factors, Kind::sums, seed)) return 1;
  WARP_PRODUCTS(PRODUCT)
  return 0;
}

// ------------------------------------------------------------------------------- warpgroup products

template <class F>
__global__ void group_multiply(const u32* fill, u64 a, u64 b, u32* d) {
  group_body<F>(fill, a, b, d);
}

template <class F>
__global__ void sparse_group_multiply(const u32* fill, u64 a, u64 b, u32* d) {
  sparse_group_body<F>(fill, a, b, d);
}

static int group_product(const GroupCase& group, void (*kernel)(const u32*, u64, u64, u32*)) {
  u32 *words, *d;
  CHECK(cudaMalloc(&words, shared_words * 4));
  CHECK(cudaMalloc(&d, 2048));
  CHECK(cudaMemcpy(words, group.fill.data(), shared_words * 4, cudaMemcpyHostToDevice));
  kernel<<<1, 128>>>(words, group.a, group.b, d);
  CHECK(cudaDeviceSynchronize());
  std::vector<u32> host(512);
  CHECK(cudaMemcpy(host.data(), d, 2048, cudaMemcpyDeviceToHost));
  record(group.name.c_str(), host.data(), 512);
  cudaFree(words), cudaFree(d);
  return 0;
}

static int group_products() {
  for (const GroupCase& group : group_cases()) {
#define GROUP_PRODUCT(name) \
  if (group.kernel == #name && group_product(group, &group_multiply<name>)) return 1;
    GROUP_PRODUCTS(GROUP_PRODUCT)
  }
  return 0;
}

static int later_products() {
  LATER_PRODUCTS(PRODUCT)
  for (const GroupCase& group : sparse_group_cases()) {
#define SPARSE_GROUP_PRODUCT(name) \
  if (group.kernel == #name && group_product(group, &sparse_group_multiply<name>)) return 1;
    SPARSE_GROUP_PRODUCTS(SPARSE_GROUP_PRODUCT)
  }
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) return std::fprintf(stderr, "usage: arithmetic FILE [later]\n"), 1;
  out = std::fopen(argv[1], "wb");
  if (out == nullptr) return std::perror(argv[1]), 1;
  if (lane_operations(argc == 3) || later_products()) return 1;
  if (argc == 2 && (warp_products() || group_products())) return 1;
  return std::fclose(out);
}
