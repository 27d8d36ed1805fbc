// Faults that stop a kernel; one a run, chosen by the first argument. Lines with "finds" are expected findings when the program
// is built with -DFAULT.
#include <cooperative_groups.h>

#include <cstdint>
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

__device__ unsigned window(const void* shared) { return static_cast<unsigned>(__cvta_generic_to_shared(shared)); }

__global__ void matrix_rows(unsigned* out, int first) {
  __shared__ alignas(16) unsigned short rows[8 * 8];
  rows[threadIdx.x] = rows[32 + threadIdx.x] = 1;
  __syncthreads();
  unsigned matrix;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
               : "=r"(matrix)
               : "r"(window(&rows[first + 8 * (threadIdx.x % 8)])));  // finds out-of-bounds
  out[threadIdx.x] = matrix;
}

__global__ void bulk(float* out, const float* in, unsigned bytes) {
  __shared__ alignas(16) float row[64];
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(window(&barrier)) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(window(&barrier)), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(window(row)),
                 "l"(in), "r"(bytes), "r"(window(&barrier))  // finds out-of-bounds
                 : "memory");
  }
  __syncthreads();
  asm volatile("{ .reg .pred p;\n again: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n @!p bra again; }" ::"r"(window(&barrier)) : "memory");
  out[threadIdx.x] = row[63 - threadIdx.x];
}

__global__ void __cluster_dims__(2) of_neighbour(int* out, int first) {
  __shared__ int mine[32];
  cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  mine[threadIdx.x] = static_cast<int>(threadIdx.x);
  cluster.sync();
  out[threadIdx.x] = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1)[first + static_cast<int>(threadIdx.x)];  // finds out-of-bounds
  cluster.sync();
}

// One arrival too few.
__global__ void never_complete(float* out, unsigned arrivals) {
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(window(&barrier)), "r"(arrivals) : "memory");
  __syncthreads();
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(window(&barrier)) : "memory");  // finds barrier-divergence
  asm volatile("{ .reg .pred p;\n again: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n @!p bra again; }" ::"r"(window(&barrier)) : "memory");
  out[threadIdx.x] = 1;
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
    case 4:
      matrix_rows<<<1, 32>>>(reinterpret_cast<unsigned*>(out), 4096 * skew);
      break;
    case 5:
      bulk<<<1, 64>>>(out, out + 64, skew == 0 ? 256 : 2048);
      break;
    case 6:
      of_neighbour<<<2, 32>>>(reinterpret_cast<int*>(out), 1024 * skew);
      break;
    case 7:
      never_complete<<<1, 64>>>(out, 64 + skew);
      break;
  }
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
