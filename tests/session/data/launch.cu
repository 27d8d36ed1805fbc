// Kernels that tests launch without a host program. `remake.sh` beside it builds launch_sm90.cubin.
template <int Pad>
__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][32 + Pad];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
template __global__ void transpose<0>(const float*, float*, int);
template __global__ void transpose<1>(const float*, float*, int);

namespace vectors {
__global__ void scale(float* data, float by) { data[threadIdx.x] *= by; }
__global__ void scale(double* data, double by) { data[threadIdx.x] *= by; }
}  // namespace vectors

__global__ void without_barrier(int* out) {
  __shared__ int slots[64];
  slots[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = slots[63 - threadIdx.x];
}

extern __shared__ int dynamic[];
struct Triple {
  int first;
  double second;
  int third;
};
__global__ void __launch_bounds__(64) add(const int* in, int* out, Triple triple, const int* more) {
  dynamic[threadIdx.x] = in[threadIdx.x] + (more ? more[threadIdx.x] : 0);
  out[threadIdx.x] = dynamic[threadIdx.x] + triple.first + int(triple.second) + triple.third;
}

__global__ void traps(int* out) {
  if (out[0] == 0) __trap();
}
