// CUB, Thrust-style device code and cuRAND: bodies of real programs.
#include <cub/cub.cuh>
#include <cuComplex.h>
#include <curand_kernel.h>

template <typename T, int Threads, int Items>
__global__ void block_algorithms(const T* in, T* out, int n) {
  using Load = cub::BlockLoad<T, Threads, Items, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Store = cub::BlockStore<T, Threads, Items, cub::BLOCK_STORE_TRANSPOSE>;
  using Sort = cub::BlockRadixSort<T, Threads, Items>;
  using Scan = cub::BlockScan<T, Threads, cub::BLOCK_SCAN_WARP_SCANS>;
  using Reduce = cub::BlockReduce<T, Threads>;
  __shared__ union { typename Load::TempStorage load; typename Store::TempStorage store; typename Sort::TempStorage sort; typename Scan::TempStorage scan; typename Reduce::TempStorage reduce; } s;
  T x[Items];
  Load(s.load).Load(in, x, n); __syncthreads();
  Sort(s.sort).Sort(x); __syncthreads();
  Scan(s.scan).InclusiveSum(x, x); __syncthreads();
  T total = Reduce(s.reduce).Sum(x); __syncthreads();
  x[0] += total;
  Store(s.store).Store(out, x, n);
}
template __global__ void block_algorithms<int, 128, 4>(const int*, int*, int);
template __global__ void block_algorithms<float, 96, 3>(const float*, float*, int);
template __global__ void block_algorithms<double, 64, 2>(const double*, double*, int);
template __global__ void block_algorithms<unsigned char, 128, 8>(const unsigned char*, unsigned char*, int);

void device_algorithms(void* t, size_t n, int* a, int* b, float* f, double* d, unsigned long long* u, unsigned char* c) {
  cub::DeviceReduce::Sum(t, n, f, f + 1, 100); cub::DeviceReduce::Max(t, n, d, d + 1, 100); cub::DeviceReduce::ArgMin(t, n, a, (cub::KeyValuePair<int, int>*)b, 100);
  cub::DeviceScan::ExclusiveSum(t, n, a, b, 100); cub::DeviceScan::InclusiveSum(t, n, d, d + 9, 100); cub::DeviceSelect::Unique(t, n, a, b, b + 1, 100);
  cub::DeviceRadixSort::SortPairs(t, n, u, u + 1, a, b, 100); cub::DeviceRadixSort::SortKeys(t, n, f, f + 5, 100); cub::DeviceHistogram::HistogramEven(t, n, c, b, 257, 0, 256, 100);
  cub::DeviceRunLengthEncode::Encode(t, n, a, b, b + 1, b + 2, 100); cub::DeviceMergeSort::SortKeys(t, n, d, 100, [] __device__(double x, double y) { return x < y; });
  cub::DeviceSegmentedReduce::Sum(t, n, f, f + 1, 100, a, a + 1);
}
template <typename State>
__global__ void random(State* state, float* f, double* d, unsigned* u) {
  State s;
  curand_init(1234ull, threadIdx.x, 7, &s);
  f[threadIdx.x] = curand_uniform(&s) + curand_normal(&s) + curand_log_normal(&s, 1.f, 2.f);
  d[threadIdx.x] = curand_uniform_double(&s) + curand_normal_double(&s);
  u[threadIdx.x] = curand(&s) + curand_poisson(&s, 3.5);
  state[threadIdx.x] = s;
}
template __global__ void random<curandStateXORWOW_t>(curandStateXORWOW_t*, float*, double*, unsigned*);
template __global__ void random<curandStatePhilox4_32_10_t>(curandStatePhilox4_32_10_t*, float*, double*, unsigned*);
template __global__ void random<curandStateMRG32k3a_t>(curandStateMRG32k3a_t*, float*, double*, unsigned*);
extern "C" __global__ void complex_numbers(cuDoubleComplex* a, cuFloatComplex* b) {
  a[threadIdx.x] = cuCdiv(cuCmul(a[threadIdx.x], a[threadIdx.x + 1]), a[2]); b[threadIdx.x].x = cuCabsf(cuCdivf(b[threadIdx.x], b[3]));
}
