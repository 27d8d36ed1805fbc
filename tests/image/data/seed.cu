// A little of everything, small: where the fuzzers begin.
extern __shared__ int dynamic_tile[];
__device__ int table[2] = {1, 2};
__device__ int* into_table = &table[1];
__device__ __forceinline__ int inlined(int x) {
  __shared__ int tile[8];
  tile[x & 7] = x;
  return tile[x & 3];
}
__global__ void kernel(int* out, int n) { out[n] = inlined(n) + *into_table + dynamic_tile[n]; }
__global__ void second(int* out) { *out = inlined(*out); }
