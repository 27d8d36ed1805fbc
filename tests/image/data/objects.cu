// Variables, pointers between them, function pointers, virtual calls, device calls of the runtime, and
// switches: everything that a cubin relocates. remake.sh builds the files beside it.
#include <cassert>
#include <cstdio>

__device__ int counter;
__device__ int table[4] = {1, 2, 3, 4};
__device__ int* into_table = &table[2];
__constant__ float coefficients[8] = {1, 2, 3};
__device__ float* into_constant = &coefficients[1];
__constant__ int* constant_pointer = &table[3];
__device__ const char* words[2] = {"hello", "world"};
__managed__ int managed_value = 7;
struct __attribute__((packed)) Packed {
  char tag;
  int* pointer;
};
__device__ Packed packed = {1, &table[1]};

struct Base {
  int k;
  __device__ explicit Base(int k) : k(k) {}
  __device__ virtual int value(int x) = 0;
};
struct Product : Base {
  __device__ explicit Product(int k) : Base(k) {}
  __device__ int value(int x) override { return x * k + 1; }
};
struct Difference : Base {
  __device__ explicit Difference(int k) : Base(k) {}
  __device__ int value(int x) override { return x - k + 2; }
};

using Function = int (*)(int);
__device__ __noinline__ int triple(int x) { return x * 3; }
__device__ __noinline__ int lookup(int x) { return x + table[x & 3]; }
__device__ Function functions[2] = {triple, lookup};

__global__ void pointers(int* out, int n) {
  counter += n;
  out[0] = *into_table + *constant_pointer + managed_value + *packed.pointer;
  out[1] = int(coefficients[n] + *into_constant);
  out[2] = words[n & 1][n];
}

__global__ void calls(int* out, int n) { out[n] = functions[n & 1](n); }

__global__ void virtual_calls(int* out, int n) {
  Base* object = n & 1 ? static_cast<Base*>(new Product(n)) : new Difference(n);
  out[n] = object->value(n);
  delete object;
}

__global__ void prints(int* out, int n) {
  printf("%d\n", n);
  assert(out[n] != 3);
}

__global__ void switches(int* out, int n) {
  int r = 0;
  switch (n) {
    case 0: r = out[1] * 3; break;
    case 1: r = out[2] + 9; break;
    case 2: r = out[5] - 7; break;
    case 3: r = out[8] ^ 3; break;
    case 4: r = out[9] / 3; break;
    case 5: r = out[4] << n; break;
    case 6: r = out[2] % 7; break;
    case 7: r = out[1] * out[2]; break;
    case 8: r = out[4] * 17; out[3] = 1; break;
  }
  out[n] = r;
}

struct Large {
  int values[2000];
};
__global__ void __launch_bounds__(64) large_parameter(const Large large, char c, double d, int* out) {
  out[0] = large.values[out[1]] + c + int(d);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__global__ void __cluster_dims__(2, 1, 1) clustered(int* out) { out[0] = 1; }
#endif
