// Two kernels with conflicts for fix_build_test.py. One is a template with two instances; the other takes the address of a row
// and adds to it, which no type can see: rows that stay whole bear it, a swizzle does not.
#include <cstdio>
template <int B, int P>
__global__ void turn(const float* in, float* out) {
  __shared__ float t[B][B + P];
  const int x = threadIdx.x, y = threadIdx.y;
  t[y][x] = in[y * B + x];
  __syncthreads();
  out[y * B + x] = t[x][y];
}
__global__ void walk(const float* in, float* out) {
  __shared__ float w[1024];
  for (int i = 0; i < 32; ++i) w[i * 32 + threadIdx.x] = in[i * 32 + threadIdx.x];
  __syncthreads();
  const float* row = &w[threadIdx.x * 32];
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum = sum * 0.5f + row[k];
  out[threadIdx.x] = sum;
}
int main() {
  static float in[1024], out[1024];
  float *a, *b;
  for (int i = 0; i < 1024; ++i) in[i] = static_cast<float>(i * 7 % 1000);
  cudaMalloc(&a, sizeof in);
  cudaMalloc(&b, sizeof out);
  cudaMemcpy(a, in, sizeof in, cudaMemcpyHostToDevice);
  const auto show = [&](int count) {
    cudaMemcpy(out, b, sizeof out, cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < count; ++i) sum = sum * 0.9 + out[i];
    std::printf("%.6f\n", sum);
  };
  turn<32, 0><<<1, dim3(32, 32)>>>(a, b);
  show(1024);
  turn<32, 1><<<1, dim3(32, 32)>>>(a, b);
  show(1024);
  walk<<<1, 32>>>(a, b);
  show(32);
}
