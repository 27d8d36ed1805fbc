// Exchanges and compare-and-swaps of 16 bytes (atom.b128): in global and shared memory and through generic addresses, by lanes
// that meet and lanes that do not. What depends on the order of lanes is shown for one warp; of several blocks only sums are.
#include <cstdio>
#include <cstdint>

namespace {

struct alignas(16) Quad {
  unsigned long long low, high;
};

#define EXCHANGE(name, space, type, constraint)                                                              \
  __device__ Quad name(type at, Quad value) {                                                                \
    Quad old;                                                                                                \
    asm volatile("{\n.reg .b128 v, o;\nmov.b128 v, {%3, %4};\natom" space ".exch.b128 o, [%2], v;\n"         \
                 "mov.b128 {%0, %1}, o;\n}"                                                                  \
                 : "=l"(old.low), "=l"(old.high)                                                             \
                 : constraint(at), "l"(value.low), "l"(value.high)                                           \
                 : "memory");                                                                                \
    return old;                                                                                              \
  }
#define SWAP(name, space, type, constraint)                                                                  \
  __device__ Quad name(type at, Quad wanted, Quad value) {                                                   \
    Quad old;                                                                                                \
    asm volatile("{\n.reg .b128 c, v, o;\nmov.b128 c, {%3, %4};\nmov.b128 v, {%5, %6};\natom" space          \
                 ".cas.b128 o, [%2], c, v;\nmov.b128 {%0, %1}, o;\n}"                                        \
                 : "=l"(old.low), "=l"(old.high)                                                             \
                 : constraint(at), "l"(wanted.low), "l"(wanted.high), "l"(value.low), "l"(value.high)        \
                 : "memory");                                                                                \
    return old;                                                                                              \
  }
EXCHANGE(exchange_global, ".global", Quad*, "l")
EXCHANGE(exchange_shared, ".shared", unsigned, "r")
EXCHANGE(exchange_generic, "", Quad*, "l")
SWAP(swap_global, ".global", Quad*, "l")
SWAP(swap_shared, ".shared", unsigned, "r")
SWAP(swap_generic, "", Quad*, "l")

constexpr int lanes = 32;
__device__ Quad memory[lanes];

__device__ unsigned window(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

/// Six operations, one lane after another at `places` places; what each lane got, then what is left in memory.
__global__ void one_warp(unsigned mask, int places, Quad* out) {
  __shared__ Quad shared[lanes];
  const int l = threadIdx.x, at = l % places;
  const Quad mine = {100ull + l, ~0ull - l};
  for (int kind = 0; kind < 6; ++kind) {
    const Quad start = {static_cast<unsigned long long>(l / 2), 7};
    memory[l] = shared[l] = start;
    __syncwarp();
    const Quad wanted = {static_cast<unsigned long long>(at / 2), l % 3 == 2 ? 8ull : 7ull};
    Quad got = {0, 0};
    if ((mask >> l & 1) != 0) {
      if (kind == 0) got = exchange_global(&memory[at], mine);
      if (kind == 1) got = exchange_shared(window(&shared[at]), mine);
      if (kind == 2) got = exchange_generic(l % 2 != 0 ? &memory[at] : &shared[at], mine);
      if (kind == 3) got = swap_global(&memory[at], wanted, mine);
      if (kind == 4) got = swap_shared(window(&shared[at]), wanted, mine);
      if (kind == 5) got = swap_generic(l % 2 != 0 ? &memory[at] : &shared[at], wanted, mine);
    }
    __syncwarp();
    out[(3 * kind + 0) * lanes + l] = got;
    out[(3 * kind + 1) * lanes + l] = memory[l];
    out[(3 * kind + 2) * lanes + l] = shared[l];
    __syncwarp();
  }
}

/// Every thread adds to both halves of one counter, by compare-and-swap.
__global__ void count(Quad* counter) {
  Quad seen = *counter;
  for (;;) {
    const Quad old = swap_global(counter, seen, {seen.low + 1, seen.high + 3});
    if (old.low == seen.low && old.high == seen.high) break;
    seen = old;
  }
}

void show(const char* what, const Quad* rows) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (int l = 0; l < lanes; ++l)
    for (const unsigned long long half : {rows[l].low, rows[l].high}) hash = (hash ^ half) * 0x100000001b3;
  std::printf("  %s %016llx: %llx %llx, %llx %llx, %llx %llx\n", what, static_cast<unsigned long long>(hash), rows[0].low, rows[0].high,
              rows[1].low, rows[1].high, rows[31].low, rows[31].high);
}

}  // namespace

int main() {
  static Quad h[18 * lanes];
  Quad* out = nullptr;
  cudaMalloc(&out, sizeof h);
  const char* kinds[6] = {"exch global", "exch shared", "exch generic", "cas global", "cas shared", "cas generic"};
  for (const unsigned mask : {~0u, 0x0000ffffu, 0xfffffffeu, 0x88888888u, 0x00010000u})
    for (const int places : {32, 16, 8, 3, 1}) {
      one_warp<<<1, lanes>>>(mask, places, out);
      std::printf("lanes %08x, places %d: %s\n", mask, places, cudaGetErrorString(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost)));
      for (int kind = 0; kind < 6; ++kind) {
        std::printf(" %s\n", kinds[kind]);
        show("got   ", h + (3 * kind + 0) * lanes);
        show("global", h + (3 * kind + 1) * lanes);
        show("shared", h + (3 * kind + 2) * lanes);
      }
    }
  cudaMemset(out, 0, sizeof *out);
  count<<<5, 96>>>(out);
  Quad counted;
  cudaMemcpy(&counted, out, sizeof counted, cudaMemcpyDeviceToHost);
  std::printf("counted %llu %llu\n", counted.low, counted.high);
  cudaFree(out);
  return 0;
}
