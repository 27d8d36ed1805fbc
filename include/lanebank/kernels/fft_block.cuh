// Fast Fourier transforms of N = 16 .. 4096 complex floats, each within a block: radices 2, 4, 8 and 16 in registers,
// exchanges through shared memory, one read and one write of global memory.
//
//   N        16   32   64   128   256   512      1024     2048     4096
//   radices  4 4  4 8  8 8  8 16  16 16 2 16 16  4 16 16  8 16 16  16 16 16      threads: N / elements of a thread
//
// Stockham's order: before every pass, register i of thread t holds number t + T i (T threads). A pass of radix R,
// after passes of product S, does butterflies j = t + T m over registers m, m + E/R, ..; its result r goes to number
//
//   (j / S) S R + j mod S + r S        which the threads exchange through shared memory, all but after the last pass.
//
// After the first pass the lanes that write are R numbers apart: R-way conflicts. Bits of the number: lane bit i lands
// in bit W(i), which is i + log2 R from i = log2 S on. FftSwizzled XORs bit W(i) into bit i, i < 4 (16 lanes of 8 bytes
// are served together): what the lanes differ in reaches the banks. Reads, t + T i, stay free of conflicts: proved
// below, for every N. FftPlain has no swizzle. For N = 64 and 256 the exchange transposes a tile of 8 x 8 and 16 x 16,
// and the swizzle of a transform is the tile's: column ^ row, Xor<float2, 8, 8> and Xor<float2, 16, 16>.
//
// Transforms whose threads are in one warp exchange under __syncwarp, others under __syncthreads. Where a transform
// has few threads, its loads t + T i are short runs; `staged` warps read and write 256 bytes in a row and sort them
// through the same layout.
#pragma once

#include <cstdint>

#include "lanebank/kernels/fft_butterflies.cuh"
#include "lanebank/layout.hpp"
#include "lanebank/pattern.hpp"
#include "lanebank/proofs.hpp"
#include "lanebank/tile.hpp"

namespace lanebank::kernels {

namespace detail {
constexpr unsigned fft_log2(unsigned x) { return x <= 1 ? 0 : 1 + fft_log2(x / 2); }
}  // namespace detail

/// How N numbers are transformed.
template <unsigned N>
struct FftPlan {
  static_assert(N >= 16 && N <= 4096 && (N & (N - 1)) == 0, "a power of two from 16 to 4096");
  static constexpr unsigned log2 = detail::fft_log2(N);
  static constexpr unsigned passes = N <= 256 ? 2 : 3;
  static constexpr unsigned elements = N == 16 ? 4 : N == 32 || N == 64 ? 8 : 16;  ///< of a thread
  static constexpr unsigned threads = N / elements;                                ///< of a transform
  static constexpr unsigned block_threads = 256, per_block = block_threads / threads;
  static constexpr unsigned first_radix = N == 512                           ? 2
                                          : N == 16 || N == 32 || N == 1024  ? 4
                                          : N == 64 || N == 128 || N == 2048 ? 8
                                                                             : 16;
  LANEBANK_HOST_DEVICE static constexpr unsigned radix(unsigned pass) { return pass == 0 ? first_radix : elements; }
  /// The product of the radices before a pass.
  LANEBANK_HOST_DEVICE static constexpr unsigned done(unsigned pass) {
    return pass == 0 ? 1 : done(pass - 1) * radix(pass - 1);
  }
  static_assert(done(passes) == N, "the radices' product is N");
  static constexpr bool staged = N <= 128;
  static constexpr unsigned blocks = N == 4096                   ? 3
                                     : N == 64 || N == 512       ? 5
                                     : N == 32 || elements == 16 ? 4
                                                                 : 8;  ///< per multiprocessor

  /// Where a thread's result r of its butterfly m goes at the exchange after `pass`, without the thread's and the
  /// transform's part.
  LANEBANK_HOST_DEVICE static constexpr unsigned constant_part(unsigned pass, unsigned m, unsigned r) {
    return m * threads * radix(pass) + r * done(pass);
  }
  /// The thread's and the transform's part; no bit in common with the constant part.
  LANEBANK_HOST_DEVICE static constexpr unsigned thread_part(unsigned pass, unsigned thread) {
    const unsigned t = thread % threads, s = done(pass);
    return thread / threads * N + t / s * s * radix(pass) + t % s;
  }
  LANEBANK_HOST_DEVICE static constexpr unsigned read_part(unsigned thread) {
    return thread / threads * N + thread % threads;
  }

  /// The bit of the number that lane bit i lands in when lanes write after `pass`.
  static constexpr int written_bit(unsigned pass, unsigned i) {
    return static_cast<int>(detail::fft_log2(thread_part(pass, 1u << i)));
  }
};

/// No swizzle: shows the conflict.
struct FftPlain {
  template <unsigned N, unsigned Pass>
  using Layout = RowMajor<float2, 1, N * FftPlan<N>::per_block>;
};

/// Bit W(i) XORed into bit i: conflict-free.
struct FftSwizzled {
  template <unsigned N, unsigned Pass, int I>
  using Term = Swizzle<(FftPlan<N>::written_bit(Pass, I) > I), 3 + I,
                       (FftPlan<N>::written_bit(Pass, I) > I ? FftPlan<N>::written_bit(Pass, I) - I : 1)>;
  template <unsigned N, unsigned Pass>
  using Layout = Swizzled<RowMajor<float2, 1, N * FftPlan<N>::per_block>,
                          SwizzleXor<Term<N, Pass, 0>, Term<N, Pass, 1>, Term<N, Pass, 2>, Term<N, Pass, 3>>>;
};

namespace detail {

/// The exchange after a pass: its accesses for the proofs, and its addresses.
template <class Form, unsigned N, unsigned Pass>
struct FftExchange {
  using Plan = FftPlan<N>;
  using Layout = typename Form::template Layout<N, Pass>;
  static constexpr unsigned e = Plan::elements, butterflies = e / Plan::radix(Pass);
  static constexpr unsigned proved_warps = 2;
  static_assert(Plan::done(Pass) <= Plan::threads, "a thread's butterflies differ above its low bits");

  static constexpr Coordinate stored(unsigned access, unsigned lane) {
    const unsigned i = access % e, thread = access / e * 32 + lane;
    return {0, Plan::thread_part(Pass, thread) + Plan::constant_part(Pass, i % butterflies, i / butterflies)};
  }
  static constexpr Coordinate loaded(unsigned access, unsigned lane) {
    return {0, Plan::read_part(access / e * 32 + lane) + access % e * Plan::threads};
  }
  using Stores = patterns::custom<&stored, e * proved_warps, patterns::store, 8>;
  using Loads = patterns::custom<&loaded, e * proved_warps, patterns::load, 8>;
  using StagedStores = patterns::custom<&loaded, e * proved_warps, patterns::store, 8>;

  /// Layout::offset(0, variable + constant), where they have no bit in common: the layout is linear over XOR, and
  /// moves only the four bits above an element's. So a constant costs one XOR at most, and what lies above goes into
  /// the instruction.
  static constexpr std::uint32_t moved_bits = 15 * 8;
  LANEBANK_HOST_DEVICE static constexpr std::uint32_t offset(std::uint32_t variable_offset, std::uint32_t constant) {
    const std::uint32_t part = Layout::offset(0, constant);
    return (variable_offset ^ (part & moved_bits)) + (part & ~moved_bits);
  }
  static constexpr bool offsets_agree() {
    for (unsigned access = 0; access < e * proved_warps; ++access)
      for (unsigned lane = 0; lane < 32; ++lane) {
        const unsigned i = access % e, thread = access / e * 32 + lane;
        const std::uint32_t stores = offset(Layout::offset(0, Plan::thread_part(Pass, thread)),
                                            Plan::constant_part(Pass, i % butterflies, i / butterflies));
        const std::uint32_t loads = offset(Layout::offset(0, Plan::read_part(thread)), i * Plan::threads);
        if (stores != Layout::offset(0, stored(access, lane).column)) return false;
        if (loads != Layout::offset(0, loaded(access, lane).column)) return false;
      }
    return true;
  }
  static_assert(offsets_agree(), "variable and constant parts add up to the layout's offset");
};

template <unsigned N>
constexpr bool fft_is_clean() {
  using First = FftExchange<FftSwizzled, N, 0>;
  bool clean = conflict_free<typename First::Layout, typename First::Stores, typename First::Loads>;
  if constexpr (FftPlan<N>::threads <= 32)
    clean = clean && conflict_free<typename First::Layout, patterns::row<>, patterns::row<patterns::store>,
                                   typename First::StagedStores>;
  if constexpr (FftPlan<N>::passes == 3) {
    using Second = FftExchange<FftSwizzled, N, 1>;
    clean = clean && conflict_free<typename Second::Layout, typename Second::Stores, typename Second::Loads>;
  }
  return clean;
}

/// Is a transform's exchange the XOR of column and row in a tile of Side x Side?
template <unsigned Side>
constexpr bool fft_is_tile() {
  using Tile = Xor<float2, Side, Side>;
  for (unsigned n = 0; n < Side * Side; ++n)
    if (FftSwizzled::Layout<Side * Side, 0>::offset(0, n) != Tile::offset(n / Side, n % Side)) return false;
  return true;
}
static_assert(fft_is_tile<8>() && fft_is_tile<16>());

template <unsigned N>
__device__ __forceinline__ void fft_barrier() {
  if constexpr (FftPlan<N>::threads <= 32)
    __syncwarp();
  else
    __syncthreads();
}

/// Pass `Pass` and those behind it, on registers v[i] = number t + T i. Ends with the result in the same order.
template <class Form, unsigned N, unsigned Pass>
__device__ __forceinline__ void fft_passes(float2 (&v)[FftPlan<N>::elements], unsigned char* memory) {
  using Plan = FftPlan<N>;
  constexpr unsigned e = Plan::elements, radix = Plan::radix(Pass), butterflies = e / radix, done = Plan::done(Pass);
  const unsigned t = threadIdx.x % Plan::threads;
#pragma unroll
  for (unsigned m = 0; m < butterflies; ++m) {
    float2 w[radix];
#pragma unroll
    for (unsigned r = 0; r < radix; ++r) w[r] = v[m + r * butterflies];
    if constexpr (Pass > 0) twiddle(w, (t + m * Plan::threads) % done, done * radix);
    fft_registers(w);
#pragma unroll
    for (unsigned r = 0; r < radix; ++r) v[m + r * butterflies] = w[r];
  }
  if constexpr (Pass + 1 < Plan::passes) {
    using Exchange = FftExchange<Form, N, Pass>;
    if constexpr (Pass > 0) fft_barrier<N>();  // the exchange before has been read
    const std::uint32_t to = Exchange::Layout::offset(0, Plan::thread_part(Pass, threadIdx.x));
#pragma unroll
    for (unsigned i = 0; i < e; ++i)
      *reinterpret_cast<float2*>(
          memory + Exchange::offset(to, Plan::constant_part(Pass, i % butterflies, i / butterflies))) = v[i];
    fft_barrier<N>();
    const std::uint32_t from = Exchange::Layout::offset(0, Plan::read_part(threadIdx.x));
#pragma unroll
    for (unsigned i = 0; i < e; ++i)
      v[i] = *reinterpret_cast<const float2*>(memory + Exchange::offset(from, i * Plan::threads));
    fft_passes<Form, N, Pass + 1>(v, memory);
  }
}

/// Registers v[i] = number t + T i of the thread's transform, from or to the numbers of the block at `first`; `left`:
/// how many there are. Staged: the warp's numbers 32 k + lane through shared memory, which is free before and after.
template <class Form, unsigned N, bool Staged>
struct FftNumbers {
  using Plan = FftPlan<N>;
  using Exchange = FftExchange<Form, N, 0>;
  static constexpr unsigned e = Plan::elements;
  static_assert(!Staged || Plan::threads <= 32, "staged within a warp");
  unsigned char* memory;
  unsigned left;

  /// Whole transforms are inside or not.
  __device__ __forceinline__ bool inside(unsigned i) const {
    return (Staged ? number(i) : threadIdx.x / Plan::threads * N) < left;
  }
  __device__ __forceinline__ unsigned number(unsigned i) const {
    if constexpr (Staged) return threadIdx.x / 32 * 32 * e + i * 32 + threadIdx.x % 32;
    return Plan::read_part(threadIdx.x) + i * Plan::threads;
  }
  /// In shared memory: run i of the warp, or the thread's own number i.
  __device__ __forceinline__ float2& run(unsigned i) const {
    return *reinterpret_cast<float2*>(memory + Exchange::Layout::offset(0, number(i)));
  }
  __device__ __forceinline__ float2& own(unsigned i) const {
    const std::uint32_t base = Exchange::Layout::offset(0, Plan::read_part(threadIdx.x));
    return *reinterpret_cast<float2*>(memory + Exchange::offset(base, i * Plan::threads));
  }
  __device__ __forceinline__ void load(float2 (&v)[e], const float2* first) const {
#pragma unroll
    for (unsigned i = 0; i < e; ++i) v[i] = inside(i) ? first[number(i)] : float2{0, 0};
    if constexpr (Staged) {
#pragma unroll
      for (unsigned i = 0; i < e; ++i) run(i) = v[i];
      __syncwarp();
#pragma unroll
      for (unsigned i = 0; i < e; ++i) v[i] = own(i);
      __syncwarp();
    }
  }
  __device__ __forceinline__ void store(float2 (&v)[e], float2* first) const {
    if constexpr (Staged) {
      __syncwarp();
#pragma unroll
      for (unsigned i = 0; i < e; ++i) own(i) = v[i];
      __syncwarp();
#pragma unroll
      for (unsigned i = 0; i < e; ++i) v[i] = run(i);
    }
#pragma unroll
    for (unsigned i = 0; i < e; ++i)
      if (inside(i)) first[number(i)] = v[i];
  }
};

template <unsigned E>
__device__ __forceinline__ void fft_swap(float2 (&v)[E]) {
#pragma unroll
  for (unsigned i = 0; i < E; ++i) v[i] = {v[i].y, v[i].x};
}

}  // namespace detail

/// Transforms blockIdx.x * per_block on, below `batch`; dense. Source and target may be the same. Inverse:
/// exp(+2 pi i ..), not divided by N; real and imaginary parts are exchanged before and after.
template <class Form, unsigned N, bool Inverse, unsigned Blocks, bool Staged>
__global__ void __launch_bounds__(FftPlan<N>::block_threads, Blocks)
    fft_blocks(const float2* source, float2* target, std::uint64_t batch) {
  using Plan = FftPlan<N>;
  __shared__ __align__(128) unsigned char memory[Form::template Layout<N, 0>::bytes];
  const std::uint64_t first = std::uint64_t{blockIdx.x} * Plan::per_block * N;
  const std::uint64_t left = batch * N - first;
  const detail::FftNumbers<Form, N, Staged> numbers{
      memory, static_cast<unsigned>(left < Plan::per_block * N ? left : Plan::per_block * N)};
  float2 v[Plan::elements];
  numbers.load(v, source + first);
  if constexpr (Inverse) detail::fft_swap(v);
  detail::fft_passes<Form, N, 0>(v, memory);
  if constexpr (Inverse) detail::fft_swap(v);
  numbers.store(v, target + first);
}

static_assert(detail::fft_is_clean<16>() && detail::fft_is_clean<32>() && detail::fft_is_clean<64>() &&
              detail::fft_is_clean<128>() && detail::fft_is_clean<256>() && detail::fft_is_clean<512>() &&
              detail::fft_is_clean<1024>() && detail::fft_is_clean<2048>() && detail::fft_is_clean<4096>());
static_assert(has_wavefronts<FftPlain::Layout<256, 0>, detail::FftExchange<FftPlain, 256, 0>::Stores, 32 * 32> &&
                  has_wavefronts<FftSwizzled::Layout<256, 0>, detail::FftExchange<FftSwizzled, 256, 0>::Stores, 32 * 2>,
              "32 stores of 8 bytes a lane, 16-way conflicts and none");

}  // namespace lanebank::kernels
