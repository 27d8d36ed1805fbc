// What rarer_calls loads at run time.
extern "C" {
__device__ int factor = 3;
__global__ void scale(int* p, int n) { p[threadIdx.x] = factor * p[threadIdx.x] + n; }
}
