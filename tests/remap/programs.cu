// Kernels in two forms: the array as it is, and each index rewritten by hand through a map of its byte offset. What
// `lanebank run --remap` says of the first form must be what the second one costs.
//
// Form A is an instance with Plain, form B one with another map; compare_remap.py names the layout of each.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

struct Plain {
  __host__ __device__ static constexpr int bytes(int size) { return size; }
  __device__ static int to(int byte) { return byte; }
};
template <int bits, int base, int shift>
struct Swizzle {
  __host__ __device__ static constexpr int bytes(int size) { return size; }
  __device__ static int to(int byte) { return byte ^ ((byte >> shift) & (((1 << bits) - 1) << base)); }
};
template <int row_bytes, int pad_bytes>
struct Padded {
  __host__ __device__ static constexpr int bytes(int size) { return size / row_bytes * (row_bytes + pad_bytes); }
  __device__ static int to(int byte) { return byte + byte / row_bytes * pad_bytes; }
};
template <class First, class Second>
struct Both {  // two terms, both from the original offset
  __host__ __device__ static constexpr int bytes(int size) { return size; }
  __device__ static int to(int byte) { return First::to(byte) ^ Second::to(byte) ^ byte; }
};
template <int row_bytes, int element_bytes>
struct Diagonal {
  __host__ __device__ static constexpr int bytes(int size) { return size; }
  __device__ static int to(int byte) {
    const int row = byte / row_bytes, column = byte % row_bytes / element_bytes;
    return row * row_bytes + (column + row) % (row_bytes / element_bytes) * element_bytes + byte % element_bytes;
  }
};

template <class Map, class T>
__device__ __forceinline__ T& at(void* array, int index) {
  return *reinterpret_cast<T*>(static_cast<char*>(array) + Map::to(index * static_cast<int>(sizeof(T))));
}
template <class Map>
__device__ __forceinline__ uint32_t address(void* array, int byte) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(static_cast<char*>(array) + Map::to(byte)));
}

// Columns of doubles, several warps, two blocks.
template <class Map>
__global__ void doubles(const double* in, double* out) {
  __shared__ double wide[Map::bytes(32 * 32 * 8) / 8];
#pragma unroll 1
  for (int r = threadIdx.y; r < 32; r += 4) at<Map, double>(wide, r * 32 + threadIdx.x) = in[blockIdx.x * 1024 + r * 32 + threadIdx.x];
  __syncthreads();
#pragma unroll 1
  for (int c = threadIdx.y; c < 32; c += 4) out[blockIdx.x * 1024 + c * 32 + threadIdx.x] = at<Map, double>(wide, threadIdx.x * 32 + c);
}

// Vectors of 16 bytes down a column, rows of 24 floats: no power of two.
template <class Map>
__global__ void quads(const float* in, float4* out) {
  __shared__ __align__(16) float quad[Map::bytes(32 * 24 * 4) / 4];
#pragma unroll 1
  for (int i = threadIdx.x; i < 32 * 24; i += 32) at<Map, float>(quad, i) = in[i];
  __syncwarp();
#pragma unroll 1
  for (int c = 0; c < 6; ++c) out[c * 32 + threadIdx.x] = at<Map, float4>(quad, threadIdx.x * 6 + c);
}

// Half words: lanes share words; some lanes are off.
template <class Map>
__global__ void halves(const uint16_t* in, uint16_t* out) {
  __shared__ uint16_t half[Map::bytes(64 * 32 * 2) / 2];
#pragma unroll 1
  for (int i = threadIdx.x; i < 64 * 32; i += 64) at<Map, uint16_t>(half, i) = in[i];
  __syncthreads();
#pragma unroll 1
  for (int c = 0; c < 32; ++c)
    if ((threadIdx.x + c) % 3 != 0) out[c * 64 + threadIdx.x] = at<Map, uint16_t>(half, threadIdx.x * 32 + c);
}

// Single bytes at bases of every residue.
template <class Map>
__global__ void octets(const uint8_t* in, uint8_t* out) {
  __shared__ __align__(4) uint8_t octet[Map::bytes(64 * 64)];
#pragma unroll 1
  for (int i = threadIdx.x; i < 64 * 64; i += 32) at<Map, uint8_t>(octet, i) = in[i];
  __syncwarp();
#pragma unroll 1
  for (int c = 0; c < 61; ++c) out[c * 32 + threadIdx.x] = at<Map, uint8_t>(octet, (threadIdx.x * 2 + c % 2) * 64 + c);
}

// Atomics whose bins depend on data.
template <class Map>
__global__ void histogram(const uint32_t* in, uint32_t* out) {
  __shared__ uint32_t bins[Map::bytes(1024 * 4) / 4];
#pragma unroll 1
  for (int i = threadIdx.x; i < 1024; i += 128) at<Map, uint32_t>(bins, i) = 0;
  __syncthreads();
#pragma unroll 1
  for (int i = threadIdx.x; i < 2048; i += 128) {
    const int bin = in[i] % 32 * 32 + in[i] / 32 % 4;
    atomicAdd(&at<Map, uint32_t>(bins, bin), in[i]);
    atomicMax(&at<Map, uint32_t>(bins, bin + 8), in[i]);
    atomicCAS(&at<Map, uint32_t>(bins, bin + 16), 0u, 7u);
  }
  __syncthreads();
#pragma unroll 1
  for (int i = threadIdx.x; i < 1024; i += 128) out[i] = at<Map, uint32_t>(bins, i);
}

// 64-bit atomics, a column.
template <class Map>
__global__ void wide_atomics(const unsigned long long* in, unsigned long long* out) {
  __shared__ unsigned long long sums[Map::bytes(32 * 32 * 8) / 8];
#pragma unroll 1
  for (int i = threadIdx.x; i < 1024; i += 64) at<Map, unsigned long long>(sums, i) = 0;
  __syncthreads();
#pragma unroll 1
  for (int i = 0; i < 8; ++i) {
    atomicCAS(&at<Map, unsigned long long>(sums, threadIdx.x % 32 * 32 + i * 3 % 32), 0ull, in[i]);
    atomicExch(&at<Map, unsigned long long>(sums, threadIdx.x % 16 * 64 + 25), in[0]);
  }
  __syncthreads();
#pragma unroll 1
  for (int i = threadIdx.x; i < 1024; i += 64) out[i] = at<Map, unsigned long long>(sums, i);
}

template <int size>
__device__ __forceinline__ void copy_ca(uint32_t to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(size) : "memory");
}
__device__ __forceinline__ void copy_cg(uint32_t to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
__device__ __forceinline__ void copies_wait() {
  asm volatile("cp.async.commit_group;\n cp.async.wait_group 0;" ::: "memory");
}

// Asynchronous copies from rows that lie apart in global memory; read down columns of vectors.
template <class Map>
__global__ void copies(const uint8_t* in, uint4* out) {
  __shared__ __align__(128) uint8_t staged[Map::bytes(64 * 128)];
#pragma unroll 1
  for (int i = threadIdx.x; i < 16 * 8; i += 64) {
    copy_cg(address<Map>(staged, i * 16), in + i / 8 * 208 + i % 8 * 16);
    copy_ca<16>(address<Map>(staged, 2048 + i * 16), in + i / 8 * 208 + i % 8 * 16 + 32);
    copy_ca<8>(address<Map>(staged, 4096 + i * 8), in + i / 16 * 208 + i % 16 * 8);
    copy_ca<8>(address<Map>(staged, 5120 + i * 8), in + i / 16 * 208 + i % 16 * 8);
    copy_ca<4>(address<Map>(staged, 6144 + i * 4), in + i % 32 * 208 + i / 32 * 4);
    copy_ca<4>(address<Map>(staged, 6656 + i * 4), in + i * 4);
    copy_cg(address<Map>(staged, 7168 + i % 64 * 16), in + i % 64 / 2 * 48);
  }
  copies_wait();
  __syncthreads();
#pragma unroll 1
  for (int c = 0; c < 8; ++c) out[c * 64 + threadIdx.x] = at<Map, uint4>(staged, threadIdx.x * 8 + c);
}

// ldmatrix and stmatrix of every size.
template <class Map>
__global__ void matrices(const uint32_t* in, uint32_t* out) {
  __shared__ __align__(16) uint32_t matrix[Map::bytes(64 * 64 * 2) / 4];
  const int lane = threadIdx.x;
#pragma unroll 1
  for (int i = lane; i < 2048; i += 32) at<Map, uint32_t>(matrix, i) = in[i];
  __syncwarp();
#pragma unroll 1
  for (int c = 0; c < 8; ++c) {
    const uint32_t row = address<Map>(matrix, lane * 128 + c * 16), other = address<Map>(matrix, (lane % 8 + lane / 16 * 8) * 128 + (c ^ (lane / 8 % 2)) * 16);
    uint32_t r[4], x[2], one;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(row) : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(x[0]), "=r"(x[1]) : "r"(other) : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(one) : "r"(row) : "memory");
    out[c * 32 + lane] = r[0] + r[1] + r[2] + r[3] + x[0] + x[1] + one;
    __syncwarp();
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(address<Map>(matrix, (lane + 32) * 128 + c * 16)), "r"(r[3]), "r"(r[2]), "r"(r[1]), "r"(r[0]) : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};" ::"r"(address<Map>(matrix, (lane % 16 + 32) * 128 + (c ^ 1) * 16)), "r"(x[0]), "r"(x[1]) : "memory");
    __syncwarp();
  }
}

// Generic addresses: shared or global, as the data says.
template <class Map>
__global__ void generic(float* global, const int* which, float* out) {
  __shared__ float local[Map::bytes(32 * 32 * 4) / 4];
#pragma unroll 1
  for (int i = threadIdx.x; i < 1024; i += 32) at<Map, float>(local, i) = global[i];
  __syncwarp();
#pragma unroll 1
  for (int c = 0; c < 32; ++c) {
    float* from = which[(threadIdx.x + c) % 32] != 0 ? &at<Map, float>(local, threadIdx.x * 32 + c) : &global[threadIdx.x * 32 + c];
    asm volatile("" : "+l"(from));
    out[c * 32 + threadIdx.x] = *from;
  }
}

// Two stages of dynamic memory, filled and read in turn.
template <class Map>
__global__ void stages(const float* in, float* out) {
  extern __shared__ float dynamic[];
#pragma unroll 1
  for (int step = 0; step < 6; ++step) {
    const int stage = step % 2 * 512;
#pragma unroll 1
    for (int i = threadIdx.x; i < 512; i += 64) at<Map, float>(dynamic, stage + i) = in[step * 512 + i];
    __syncthreads();
#pragma unroll 1
    for (int c = threadIdx.x / 32; c < 16; c += 2) out[step * 512 + c * 32 + threadIdx.x % 32] = at<Map, float>(dynamic, stage + threadIdx.x % 32 * 16 + c);
  }
}

// A work-efficient scan: strides of every power of two.
template <class Map>
__global__ void scan(const int* in, int* out) {
  __shared__ int partial[Map::bytes(1024 * 4) / 4];
#pragma unroll 1
  for (int i = threadIdx.x; i < 1024; i += 512) at<Map, int>(partial, i) = in[i];
  int step = 1;
#pragma unroll 1
  for (int d = 512; d > 0; d >>= 1, step *= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < d) at<Map, int>(partial, step * (2 * threadIdx.x + 2) - 1) += at<Map, int>(partial, step * (2 * threadIdx.x + 1) - 1);
  }
  __syncthreads();
#pragma unroll 1
  for (int i = threadIdx.x; i < 1024; i += 512) out[i] = at<Map, int>(partial, i);
}

// The padded array comes first: the one behind it moves, and its copies cost by where it lies.
template <class Map>
__global__ void moved(const uint8_t* in, uint32_t* out) {
  __shared__ __align__(16) uint32_t first[Map::bytes(33 * 32 * 4) / 4];
  __shared__ __align__(16) uint8_t second[2048];
#pragma unroll 1
  for (int i = threadIdx.x; i < 33 * 32; i += 32) at<Map, uint32_t>(first, i) = in[i];
#pragma unroll 1
  for (int i = threadIdx.x; i < 128; i += 32) copy_cg(address<Plain>(second, i * 16), in + i / 4 * 80 + i % 4 * 16);
  copies_wait();
  __syncwarp();
#pragma unroll 1
  for (int c = 0; c < 32; ++c) out[c * 32 + threadIdx.x] = at<Map, uint32_t>(first, threadIdx.x * 32 + c) + second[c * 32 + threadIdx.x];
}

// A kernel's results under both maps from the same input, which must be equal.
template <class In, class Out>
int same(const char* name, int in_count, int out_count, void (*plain)(const In*, Out*), void (*rewritten)(const In*, Out*), dim3 grid,
         dim3 block, int dynamic_plain = 0, int dynamic_rewritten = 0) {
  std::vector<In> input(in_count);
  for (int i = 0; i < in_count; ++i) input[i] = static_cast<In>((i * 2654435761u >> 7) % 251);
  std::vector<Out> results[2];
  In* in;
  Out* out;
  cudaMalloc(&in, in_count * sizeof(In));
  cudaMalloc(&out, out_count * sizeof(Out));
  cudaMemcpy(in, input.data(), in_count * sizeof(In), cudaMemcpyHostToDevice);
  for (int form = 0; form < 2; ++form) {
    results[form].resize(out_count);
    cudaMemset(out, 0, out_count * sizeof(Out));
    (form == 0 ? plain : rewritten)<<<grid, block, form == 0 ? dynamic_plain : dynamic_rewritten>>>(in, out);
    cudaMemcpy(results[form].data(), out, out_count * sizeof(Out), cudaMemcpyDeviceToHost);
  }
  const bool good = cudaGetLastError() == cudaSuccess && memcmp(results[0].data(), results[1].data(), out_count * sizeof(Out)) == 0;
  if (!good) printf("FAIL %s: %s\n", name, cudaGetErrorString(cudaGetLastError()));
  return !good;
}

template <class Map>
void run_generic(float* global, const int* which, float* out) {
  generic<Map><<<1, 32>>>(global, which, out);
}

int main() {
  int bad = 0;
  bad += same<double, double>("doubles", 2048, 2048, doubles<Plain>, doubles<Padded<256, 8>>, 2, dim3(32, 4));
  bad += same<double, double>("doubles", 2048, 2048, doubles<Plain>, doubles<Swizzle<4, 3, 5>>, 2, dim3(32, 4));
  bad += same<float, float4>("quads", 768, 192, quads<Plain>, quads<Swizzle<1, 4, 3>>, 1, 32);
  bad += same<uint16_t, uint16_t>("halves", 2048, 2048, halves<Plain>, halves<Padded<64, 4>>, 1, 64);
  bad += same<uint16_t, uint16_t>("halves", 2048, 2048, halves<Plain>, halves<Both<Swizzle<1, 4, 5>, Swizzle<2, 2, 4>>>, 1, 64);
  bad += same<uint8_t, uint8_t>("octets", 4096, 61 * 32, octets<Plain>, octets<Padded<64, 4>>, 1, 32);
  bad += same<uint8_t, uint8_t>("octets", 4096, 61 * 32, octets<Plain>, octets<Diagonal<64, 2>>, 1, 32);
  bad += same<uint32_t, uint32_t>("histogram", 2048, 1024, histogram<Plain>, histogram<Padded<128, 4>>, 1, 128);
  bad += same<unsigned long long, unsigned long long>("wide_atomics", 8, 1024, wide_atomics<Plain>, wide_atomics<Swizzle<4, 3, 5>>, 1, 64);
  bad += same<uint8_t, uint4>("copies", 65536, 512, copies<Plain>, copies<Swizzle<3, 4, 3>>, 1, 64);
  bad += same<uint8_t, uint4>("copies", 65536, 512, copies<Plain>, copies<Padded<128, 16>>, 1, 64);
  bad += same<uint32_t, uint32_t>("matrices", 2048, 256, matrices<Plain>, matrices<Swizzle<3, 4, 3>>, 1, 32);
  bad += same<uint32_t, uint32_t>("matrices", 2048, 256, matrices<Plain>, matrices<Padded<128, 16>>, 1, 32);
  bad += same<float, float>("stages", 3072, 3072, stages<Plain>, stages<Padded<64, 4>>, 1, 64, 4096, 4096 / 64 * 68);
  bad += same<float, float>("stages", 3072, 3072, stages<Plain>, stages<Swizzle<3, 2, 5>>, 1, 64, 4096, 4096);
  bad += same<int, int>("scan", 1024, 1024, scan<Plain>, scan<Padded<128, 4>>, 1, 512);
  bad += same<uint8_t, uint32_t>("moved", 65536, 1024, moved<Plain>, moved<Padded<128, 4>>, 1, 32);

  std::vector<float> numbers(1024);
  std::vector<int> which(32);
  for (int i = 0; i < 1024; ++i) numbers[i] = static_cast<float>(i);
  for (int i = 0; i < 32; ++i) which[i] = i % 4 != 1;
  float *global, *out;
  int* choice;
  cudaMalloc(&global, 4096);
  cudaMalloc(&out, 4096);
  cudaMalloc(&choice, 128);
  cudaMemcpy(global, numbers.data(), 4096, cudaMemcpyHostToDevice);
  cudaMemcpy(choice, which.data(), 128, cudaMemcpyHostToDevice);
  run_generic<Plain>(global, choice, out);
  run_generic<Swizzle<5, 2, 5>>(global, choice, out);
  cudaMemcpy(numbers.data(), out, 4096, cudaMemcpyDeviceToHost);
  for (int c = 0; c < 32; ++c)
    for (int lane = 0; lane < 32; ++lane) bad += numbers[c * 32 + lane] != static_cast<float>(lane * 32 + c);
  printf(bad == 0 ? "OK\n" : "FAIL\n");
  return bad != 0;
}
