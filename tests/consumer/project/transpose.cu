#include <cstdio>
#include <cstring>
#include <vector>

#include "transpose.cuh"

__global__ void trap() { __trap(); }

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "padded";
  constexpr int n = 64;
  std::vector<float> values(n * n), result(n * n);
  for (int i = 0; i < n * n; ++i) values[i] = static_cast<float>(i);
  float *in, *out;
  cudaMalloc(&in, sizeof(float) * n * n);
  cudaMalloc(&out, sizeof(float) * n * n);
  cudaMemcpy(in, values.data(), sizeof(float) * n * n, cudaMemcpyHostToDevice);
  const dim3 grid(n / 32, n / 32), block(32, 32);
  if (std::strcmp(what, "trap") == 0) {
    trap<<<1, 1>>>();
    cudaDeviceSynchronize();
    return 0;
  }
  if (std::strcmp(what, "padded") == 0)
    transpose<1><<<grid, block>>>(in, out, n);
  else
    transpose<0><<<grid, block>>>(in, out, n);
  cudaMemcpy(result.data(), out, sizeof(float) * n * n, cudaMemcpyDeviceToHost);
  if (std::strcmp(what, "wrong") == 0) result[1] += 1;
  for (int i = 0; i < n * n; ++i)
    if (result[i] != values[i % n * n + i / n]) return std::puts("wrong"), 3;
  return 0;
}
