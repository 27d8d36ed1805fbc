// Counting bytes into 256 bins, in two forms with one interface.
//
//   SharedBins    one counter per bin and block: how many words of one bank a warp wants depends on the data (of
//                 uniform bytes about 3 of 32 lanes meet)
//   PrivateBins   32 counters per bin, one for each bank: lane l counts in column l, which lies in bank l. One
//                 wavefront for 32 bytes, whatever they are
//
//                 lane    0    1    2  ...  31
//                 bin 0   w0   w1   w2 ... w31          row: 128 bytes = all banks once
//                 bin 1   w32  w33 ...
//
// In the end thread t sums row t; it begins at column t mod 32 and goes round, so that the lanes read a diagonal.
// Warps share the counters, so they are added to by atomics; counters are 32 bits, a block counts less than 2^32 bytes.
#pragma once

#include "lanebank/kernels/reduce_blocks.cuh"

namespace lanebank::kernels {

inline constexpr unsigned byte_bins = 256;

/// One counter per bin: shows the conflict.
struct SharedBins {
  using Layout = RowMajor<unsigned, byte_bins, 1>;
  __device__ static void count(const SharedTile<Layout>& bins, unsigned byte, unsigned) {
    atomicAdd(&bins(byte, 0), 1u);
  }
  __device__ static unsigned total(const SharedTile<Layout>& bins, unsigned bin) { return bins(bin, 0); }
};

/// A counter per bin and bank: conflict-free.
struct PrivateBins {
  static constexpr unsigned copies = 32;
  using Layout = RowMajor<unsigned, byte_bins, copies>;

  __device__ static void count(const SharedTile<Layout>& bins, unsigned byte, unsigned lane) {
    atomicAdd(&bins(byte, lane), 1u);
  }
  LANEBANK_HOST_DEVICE static constexpr Coordinate diagonal(unsigned step, unsigned bin) {
    return {bin, (bin + step) % copies};
  }
  __device__ static unsigned total(const SharedTile<Layout>& bins, unsigned bin) {
    unsigned sum = 0;
#pragma unroll 8
    for (unsigned step = 0; step < copies; ++step) {
      const Coordinate place = diagonal(step, bin);
      sum += bins(place.row, place.column);
    }
    return sum;
  }

  // The proofs: a lane's bank is the lane, whatever the byte; and the diagonal.
  static constexpr bool bank_is_lane() {
    for (unsigned byte = 0; byte < byte_bins; ++byte)
      for (unsigned lane = 0; lane < copies; ++lane)
        if (Layout::offset(byte, lane) / 4 % 32 != lane) return false;
    return true;
  }
  static constexpr Coordinate summed(unsigned access, unsigned lane) {
    return diagonal(access % copies, access / copies * 32 + lane);
  }
  using Loads = patterns::custom<&summed, byte_bins>;
};

static_assert(PrivateBins::bank_is_lane() && conflict_free<PrivateBins::Layout, PrivateBins::Loads>);
static_assert(pattern_cost<PrivateBins::Layout, patterns::column<>>.wavefronts == 32 * byte_bins,
              "thread t from column 0 of row t on would be 32-way");

/// Threads per block, 16-byte loads in flight per thread, blocks per multiprocessor.
template <unsigned Threads = 1024, unsigned Unroll = 2, unsigned BlocksPerMultiprocessor = 2048 / Threads>
struct HistogramShape {
  static_assert(Threads >= byte_bins, "a thread per bin at least");
  static constexpr unsigned threads = Threads, unroll = Unroll, blocks = BlocksPerMultiprocessor;
};

namespace detail {

template <class Form, class Bins>
__device__ __forceinline__ void count_bytes(const Bins& bins, uint4 bytes, unsigned lane) {
  const unsigned words[4] = {bytes.x, bytes.y, bytes.z, bytes.w};
#pragma unroll
  for (unsigned w = 0; w < 4; ++w)
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) Form::count(bins, words[w] >> 8 * k & 0xff, lane);
}

/// Counts this block's share of the bytes.
template <class Form, class Shape, class Bins>
__device__ __forceinline__ void count_share(const Bins& bins, const unsigned char* __restrict__ source,
                                            std::uint64_t count) {
  constexpr unsigned tile = Shape::unroll * Shape::threads;
  const unsigned lane = threadIdx.x % 32;
  const auto misaligned = static_cast<unsigned>(-reinterpret_cast<std::uintptr_t>(source) % 16);
  const std::uint64_t head = misaligned < count ? misaligned : count;
  const auto* vectors = reinterpret_cast<const uint4*>(source + head);
  const std::uint64_t packs = (count - head) / 16, round = std::uint64_t{gridDim.x} * tile;
  const std::uint64_t rest = packs / round * round;
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * tile + threadIdx.x; first < rest; first += round) {
    uint4 bytes[Shape::unroll];
#pragma unroll
    for (unsigned u = 0; u < Shape::unroll; ++u) bytes[u] = vectors[first + u * Shape::threads];
#pragma unroll
    for (unsigned u = 0; u < Shape::unroll; ++u) count_bytes<Form>(bins, bytes[u], lane);
  }
  // Less than a round: a row of vectors to each block in turn.
  for (std::uint64_t i = rest + std::uint64_t{blockIdx.x} * Shape::threads + threadIdx.x; i < packs;
       i += std::uint64_t{gridDim.x} * Shape::threads)
    count_bytes<Form>(bins, vectors[i], lane);
  if (blockIdx.x == 0) {
    if (threadIdx.x < head) Form::count(bins, source[threadIdx.x], lane);
    const std::uint64_t tail = head + packs * 16 + threadIdx.x;
    if (tail < count) Form::count(bins, source[tail], lane);
  }
}

}  // namespace detail

/// result[b] = how many bytes are b. `totals` (256) and `arrived`: 0 before, 0 afterwards.
template <class Form, class Shape, class Count>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    histogram_blocks(const unsigned char* __restrict__ source, std::uint64_t count, Count* result,
                     unsigned long long* totals, unsigned* arrived) {
  using Layout = typename Form::Layout;
  __shared__ SharedTile<Layout> bins;
  __shared__ bool is_last;
  for (unsigned i = threadIdx.x; i < Layout::rows * Layout::columns; i += Shape::threads)
    bins(i / Layout::columns, i % Layout::columns) = 0;
  __syncthreads();
  detail::count_share<Form, Shape>(bins, source, count);
  __syncthreads();
  if (threadIdx.x < byte_bins) {
    const unsigned total = Form::total(bins, threadIdx.x);
    if (total != 0) atomicAdd(totals + threadIdx.x, static_cast<unsigned long long>(total));
    __threadfence();
  }
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (is_last && threadIdx.x < byte_bins)
    result[threadIdx.x] = static_cast<Count>(atomicExch(totals + threadIdx.x, 0ull));
}

}  // namespace lanebank::kernels
