// Integer and float arithmetic in registers: no memory but one store per thread. `rounds` rounds of 8 independent chains.
extern "C" __global__ void alu(unsigned* out, unsigned rounds) {
  unsigned x[4];
  float f[4];
  for (int i = 0; i < 4; ++i) {
    x[i] = threadIdx.x + 32 * i + 1;
    f[i] = 1.0f + i;
  }
  for (unsigned r = 0; r < rounds; ++r) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      x[i] = x[i] * 1664525u + 1013904223u;
      x[i] ^= x[i] >> 7;
      f[i] = f[i] * 0.5f + 1.0f;
    }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] =
      x[0] ^ x[1] ^ x[2] ^ x[3] ^ static_cast<unsigned>(f[0] + f[1] + f[2] + f[3]);
}
