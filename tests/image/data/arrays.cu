// Shared arrays of many kinds, and inlined calls for the line table. remake.sh builds the files beside it.
struct Particle {
  float x, y, z;
  char kind;
};

extern __shared__ double dynamic_tile[];
__shared__ int of_module[5];

template <int N>
__device__ __forceinline__ float through_shared(const float* in) {
  __shared__ float inlined_tile[N];
  inlined_tile[threadIdx.x % N] = in[threadIdx.x];
  __syncthreads();
  return inlined_tile[(threadIdx.x * 7) % N];
}

__device__ __noinline__ float called(const float* in) {
  __shared__ double called_tile[6];
  called_tile[threadIdx.x % 6] = in[threadIdx.x];
  __syncthreads();
  return float(called_tile[threadIdx.x % 5]);
}

__global__ void one_tile(const float* in, float* out) {
  __shared__ float tile[32][33];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void __launch_bounds__(128) many(const float* in, float* out, int n) {
  __shared__ char letters[5];
  __shared__ __align__(64) float rows[3];
  __shared__ Particle particles[7];
  __shared__ short halves[11];
  letters[n % 5] = char(n);
  rows[n % 3] = in[n];
  particles[n % 7].y = in[n + 1];
  halves[n % 11] = short(n);
  __syncthreads();
  out[n] = letters[n % 4] + rows[n % 2] + particles[n % 6].y + halves[n % 10];
}

__global__ void inlined(const float* in, float* out) {
  out[threadIdx.x] = through_shared<33>(in) + through_shared<17>(in + 1);
}

__global__ void through_call(const float* in, float* out, int n) {
  __shared__ int own[3];
  own[n % 3] = n;
  of_module[n % 5] = n + 1;
  out[n] = called(in);
  __syncthreads();
  out[n + 1] = own[n % 2] + of_module[n % 4] + through_shared<33>(in);
}

__global__ void dynamic(const float* in, float* out, int n) {
  __shared__ char before[13];
  before[n % 13] = char(n);
  dynamic_tile[threadIdx.x] = in[n];
  __syncthreads();
  out[n] = float(dynamic_tile[n]) + before[n % 12];
}

__global__ void none(float* out) { out[threadIdx.x] = 1.0f; }
