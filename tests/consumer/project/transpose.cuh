template <int Pad>
__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][32 + Pad];
  const int x = blockIdx.x * 32, y = blockIdx.y * 32;
  tile[threadIdx.y][threadIdx.x] = in[(y + threadIdx.y) * n + x + threadIdx.x];
  __syncthreads();
  out[(x + threadIdx.y) * n + y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
