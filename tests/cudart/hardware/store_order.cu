// Which lane's value stays where lanes of one store meet: 4, 8, 16, 2 and 1 bytes in global memory, then the same in shared
// memory, then the last words of 8 and 16 bytes. Atomic operations, of which none is lost, show their order.
#include <cstdio>
#include <cstring>

namespace {

constexpr int lanes = 32, kinds = 14;

__device__ unsigned words[2 * lanes];
__device__ uint2 pairs[2 * lanes];
__device__ uint4 quads[2 * lanes];

__global__ void meet(unsigned mask, unsigned* out) {
  __shared__ unsigned shared_word;
  __shared__ uint2 shared_pair;
  __shared__ uint4 shared_quad;
  __shared__ unsigned short shared_half;
  __shared__ unsigned char shared_byte;
  const unsigned l = threadIdx.x;
  volatile auto* half = reinterpret_cast<volatile unsigned short*>(&words[8]);
  volatile auto* byte = reinterpret_cast<volatile unsigned char*>(&words[16]);
  if ((mask >> l & 1) != 0) {
    words[0] = l;
    pairs[0] = make_uint2(l, l);
    quads[0] = make_uint4(l, l, l, l);
    *half = static_cast<unsigned short>(l);
    *byte = static_cast<unsigned char>(l);
    shared_word = l;
    shared_pair = make_uint2(l, l);
    shared_quad = make_uint4(l, l, l, l);
    shared_half = static_cast<unsigned short>(l);
    shared_byte = static_cast<unsigned char>(l);
  }
  __syncwarp();
  const unsigned found[kinds] = {words[0],      pairs[0].x,    quads[0].x,  *half,       *byte,      shared_word,   shared_pair.x,
                                 shared_quad.x, shared_half, shared_byte, pairs[0].y, quads[0].w, shared_pair.y, shared_quad.w};
  if (l == 0)
    for (int n = 0; n < kinds; ++n) out[n] = found[n];
}

/// Lanes l and l ^ 1, or l and l + 16 (of 16 bytes: l + 8, l + 16, l + 24), meet.
__global__ void meet_in_twos(unsigned* out) {
  __shared__ unsigned shared_words[lanes];
  __shared__ uint2 shared_pairs[lanes];
  __shared__ uint4 shared_quads[lanes];
  const unsigned l = threadIdx.x;
  words[l / 2] = l;
  words[lanes + l % 16] = l;
  shared_words[l / 2] = l;
  pairs[l % 16] = make_uint2(l, l);
  quads[l % 8] = make_uint4(l, l, l, l);
  shared_pairs[l % 16] = make_uint2(l, l);
  shared_quads[l % 8] = make_uint4(l, l, l, l);
  __syncwarp();
  if (l < 16) {
    out[l] = words[l];
    out[16 + l] = words[lanes + l];
    out[32 + l] = shared_words[l];
    out[48 + l] = pairs[l].x;
    out[80 + l] = shared_pairs[l].x;
  }
  if (l < 8) {
    out[64 + l] = quads[l].x;
    out[96 + l] = shared_quads[l].x;
  }
}

__global__ void count(unsigned* out) {
  __shared__ unsigned sum;
  const unsigned l = threadIdx.x;
  if (l == 0) sum = 0, words[0] = 0, words[1] = 99;
  __syncwarp();
  out[l] = atomicAdd(&sum, 1 + l);
  out[lanes + l] = atomicAdd(&words[0], 1 + l);
  out[2 * lanes + l] = atomicExch(&words[1], l);
  __syncwarp();
  if (l == 0) sum = 99;
  __syncwarp();
  out[3 * lanes + l] = atomicExch(&sum, l);
  __syncwarp();
  if (l == 0) out[4 * lanes] = words[1], out[4 * lanes + 1] = sum;
}

__global__ void meet_by_generic_addresses(unsigned* out, bool shared) {
  __shared__ unsigned shared_words[4];
  __shared__ uint4 shared_quads[2];
  const unsigned l = threadIdx.x;
  volatile unsigned* word = shared ? shared_words : words;
  volatile auto* two = reinterpret_cast<volatile unsigned long long*>(shared ? shared_quads : quads);
  *word = l;
  *two = l;
  __syncwarp();
  if (l == 0) {
    out[0] = *word;
    out[1] = static_cast<unsigned>(*two);
  }
}

void line(const char* name, const unsigned* values, int count) {
  std::printf("%s:", name);
  for (int i = 0; i < count; ++i) std::printf(" %u", values[i]);
  std::printf("\n");
}

}  // namespace

int main() {
  unsigned* out = nullptr;
  cudaMallocManaged(&out, 4096);
  for (const unsigned mask :
       {0xffffffffu, 0xfffffffeu, 0xaaaaaaaau, 0xffff0000u, 0x00ff00f0u, 0x80000001u, 0x01010100u, 0x7fff7fffu}) {
    meet<<<1, lanes>>>(mask, out);
    cudaDeviceSynchronize();
    char name[32];
    std::snprintf(name, sizeof name, "mask %08x", mask);
    line(name, out, kinds);
  }
  meet_in_twos<<<1, lanes>>>(out);
  cudaDeviceSynchronize();
  line("g32 l/2", out, 16);
  line("g32 l%16", out + 16, 16);
  line("s32 l/2", out + 32, 16);
  line("g64 l%16", out + 48, 16);
  line("g128 l%8", out + 64, 8);
  line("s64 l%16", out + 80, 16);
  line("s128 l%8", out + 96, 8);
  count<<<1, lanes>>>(out);
  cudaDeviceSynchronize();
  line("atomics 0", out, lanes);
  line("atomics 1", out + lanes, lanes);
  line("atomics 2", out + 2 * lanes, lanes);
  line("atomics 3", out + 3 * lanes, lanes);
  std::printf("last %u %u\n", out[4 * lanes], out[4 * lanes + 1]);
  for (const bool shared : {false, true}) {
    meet_by_generic_addresses<<<1, lanes>>>(out, shared);
    cudaDeviceSynchronize();
    std::printf("generic %d: %u %u\n", static_cast<int>(shared), out[0], out[1]);
  }
}
