// The frame of the probe (see instruction_probe.hpp): kernels with enough registers, shared and local memory, parameters
// and room for code. What they do here is of no account: their code is replaced.
struct Words {
  unsigned words[56];
};

#define PROBE(n)                                                                                                    \
  extern "C" __global__ void __launch_bounds__(32) probe##n(const volatile unsigned* in, volatile unsigned* out,    \
                                                            volatile unsigned* scratch, Words words) {              \
    __shared__ volatile unsigned shared[256];                                                                       \
    volatile unsigned local[64];                                                                                    \
    unsigned held[100];                                                                                             \
    _Pragma("unroll") for (int i = 0; i < 100; ++i) held[i] = in[i];                                                \
    _Pragma("unroll") for (int i = 0; i < 100; ++i) out[i] = held[i];                                               \
    local[in[0] % 64] = words.words[in[1] % 56];                                                                    \
    shared[in[2] % 256] = local[in[3] % 64];                                                                        \
    __syncthreads();                                                                                                \
    scratch[threadIdx.x] = shared[threadIdx.x];                                                                     \
  }
PROBE(0) PROBE(1) PROBE(2) PROBE(3) PROBE(4) PROBE(5) PROBE(6) PROBE(7)
PROBE(8) PROBE(9) PROBE(10) PROBE(11) PROBE(12) PROBE(13) PROBE(14) PROBE(15)
