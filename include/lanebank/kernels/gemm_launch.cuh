// From a checked product to a launch: what lanebank::gemm is made of, for callers that pick a kernel's shape themselves.
//
//   check_gemm<B>(matrices)                         is the product well formed?
//   ring_fits(matrices, device)                     can the copy engine read A and B? Then, on sm_90:
//   launch_wgmma<Shape>(...), launch_mma_ring<Shape>(...)    gemm_wgmma.cuh, gemm_mma_ring.cuh
//   launch_multistage<Shape, Whole>(...)            gemm_multistage.cuh
//
// `group`: the order of tiles, tile_place of gemm_common.cuh. Host code; stream-ordered, no allocation.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lanebank/kernels/gemm_mma_ring.cuh"
#include "lanebank/kernels/gemm_multistage.cuh"
#include "lanebank/kernels/gemm_tensor_map.cuh"
#include "lanebank/kernels/gemm_wgmma.cuh"
#include "lanebank/status.hpp"

namespace lanebank {

namespace kernels {

/// A matrix as memory: checked, then compared with others.
struct MatrixSpan {
  std::uintptr_t begin = 0, end = 0;  ///< bytes; equal for a matrix without elements
};

template <class T>
Status matrix_span(const T* matrix, std::uint64_t rows, std::uint64_t columns, std::uint64_t pitch, MatrixSpan& span) {
  constexpr std::uint64_t limit = std::uint64_t{1} << 31;
  if (rows >= limit || columns >= limit) return Status::bad_size;
  if (rows == 0 || columns == 0) return Status::success;
  if (matrix == nullptr) return Status::null_pointer;
  span.begin = reinterpret_cast<std::uintptr_t>(matrix);
  if (span.begin % sizeof(T) != 0) return Status::misaligned;
  if (pitch < columns) return Status::bad_pitch;
  constexpr std::uint64_t most_elements = (~std::uint64_t{0} >> 1) / sizeof(T);
  if (rows > 1 && pitch > (most_elements - columns) / (rows - 1)) return Status::bad_size;
  const std::uint64_t bytes = ((rows - 1) * pitch + columns) * sizeof(T);
  if (bytes > ~std::uint64_t{0} - span.begin) return Status::bad_size;
  span.end = span.begin + bytes;
  return Status::success;
}

template <MatrixB B, class In, class Out>
Status check_gemm(const GemmMatrices<In, Out>& x) {
  MatrixSpan a, b, c;
  const bool transposed = B == MatrixB::k_by_n;
  Status error = matrix_span(x.a, x.m, x.k, x.a_pitch, a);
  if (error == Status::success) error = matrix_span(x.b, transposed ? x.k : x.n, transposed ? x.n : x.k, x.b_pitch, b);
  if (error == Status::success) error = matrix_span(x.c, x.m, x.n, x.c_pitch, c);
  if (error != Status::success) return error;
  const auto meet = [](const MatrixSpan& p, const MatrixSpan& q) { return p.begin < q.end && q.begin < p.end; };
  return meet(c, a) || meet(c, b) ? Status::overlapping : Status::success;
}

struct GemmDevice {
  int major = 0, multiprocessors = 0;
  bool known = false;
  int shared_bytes = 0;  ///< that a block can have
};
inline GemmDevice gemm_device() {
  GemmDevice result;
  int device = 0;
  result.known =
      cudaGetDevice(&device) == cudaSuccess &&
      cudaDeviceGetAttribute(&result.major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
      cudaDeviceGetAttribute(&result.multiprocessors, cudaDevAttrMultiProcessorCount, device) == cudaSuccess &&
      cudaDeviceGetAttribute(&result.shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) == cudaSuccess;
  return result;
}

inline std::uint32_t tiles_of(std::uint64_t extent, std::uint32_t tile) {
  return static_cast<std::uint32_t>((extent + tile - 1) / tile);
}

/// Launches a kernel with so much dynamic shared memory. The answer is of this launch alone, not of earlier work.
template <class... Parameters, class... Arguments>
Status launch_kernel(void (*kernel)(Parameters...), std::uint32_t blocks, std::uint32_t threads,
                     std::uint32_t shared_bytes, cudaStream_t stream, Arguments&&... arguments) {
  if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)) !=
      cudaSuccess)
    return Status::launch_failed;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  const cudaError_t error = cudaLaunchKernelEx(&config, kernel, arguments...);
  return error == cudaSuccess ? Status::success : Status::launch_failed;
}

/// Launches gemm_multistage on checked matrices. `group`: tile_place.
template <class Shape, bool Whole, class In, class Out>
Status launch_multistage(const GemmMatrices<In, Out>& x, std::uint32_t group, cudaStream_t stream) {
  const auto kernel = gemm_multistage<In, Out, Shape, Whole>;
  const std::uint64_t tiles = std::uint64_t{tiles_of(x.m, Shape::block_m)} * tiles_of(x.n, Shape::block_n);
  if (tiles >= std::uint64_t{1} << 31) return Status::bad_size;
  return launch_kernel(kernel, static_cast<unsigned>(tiles), Shape::threads, Shape::shared_bytes, stream, x, group);
}

/// Can the copy engine read A and B, as gemm_wgmma and gemm_mma_ring have it?
template <class In, class Out>
bool ring_fits(const GemmMatrices<In, Out>& x, const GemmDevice& device) {
  return device.major >= 9 && x.k > 0 && tensor_map_fits(x.a, x.a_pitch) && tensor_map_fits(x.b, x.b_pitch);
}

/// Was gemm_wgmma compiled for this device, that is for sm_90a?
template <class Shape, class In, class Out>
bool wgmma_compiled(const GemmDevice& device) {
  cudaFuncAttributes attributes{};
  if (device.major != 9) return false;
  if (cudaFuncGetAttributes(&attributes, gemm_wgmma<In, Out, Shape>) == cudaSuccess)
    return attributes.sharedSizeBytes > 0;
  cudaGetLastError();  // no code for this device is an answer, not an error of the caller's
  return false;
}

/// As many blocks as there are tiles for in equal shares: the fewest that need no more rounds than all multiprocessors do.
inline std::uint32_t equal_shares(std::uint32_t places, std::uint32_t most) {
  if (most == 0) most = 1;
  const std::uint32_t rounds = (places + most - 1) / most;
  return (places + rounds - 1) / rounds;
}

/// The launch of a kernel with a ring, and the maps of A and B. False where the driver refuses a map.
template <class Shape, class In, class Out>
bool prepare_ring(const GemmMatrices<In, Out>& x, std::uint32_t group, RingLaunch<Out>& launch, CUtensorMap& map_a,
                  CUtensorMap& map_b) {
  launch.c = x.c;
  launch.c_pitch = x.c_pitch;
  launch.m = static_cast<std::uint32_t>(x.m);
  launch.n = static_cast<std::uint32_t>(x.n);
  launch.k = static_cast<std::uint32_t>(x.k);
  launch.rows = launch.tall = tiles_of(x.m, Shape::block_m * Shape::cluster);
  launch.columns = tiles_of(x.n, Shape::block_n);
  launch.group = group;
  constexpr bool transposed = Shape::transposed;
  return encode_tensor_map(map_a, x.a, x.m, x.k, x.a_pitch, Shape::box_rows_a) &&
         encode_tensor_map(map_b, x.b, transposed ? x.k : x.n, transposed ? x.n : x.k, x.b_pitch, Shape::box_rows_b);
}

/// Blocks for all clusters that a launch needs at a time; 0: more tiles than can be counted.
template <class Shape, class Out>
std::uint32_t ring_blocks(const RingLaunch<Out>& launch, const GemmDevice& device) {
  const std::uint64_t places = std::uint64_t{launch.rows} * launch.columns;
  if (places >= std::uint64_t{1} << 31) return 0;
  return Shape::cluster * equal_shares(static_cast<std::uint32_t>(places),
                                       static_cast<std::uint32_t>(device.multiprocessors) / Shape::cluster);
}

/// Launches gemm_wgmma on checked matrices, if ring_fits and wgmma_compiled.
template <class Shape, class In, class Out>
Status launch_wgmma(const GemmMatrices<In, Out>& x, std::uint32_t group, const GemmDevice& device,
                    cudaStream_t stream) {
  const auto kernel = gemm_wgmma<In, Out, Shape>;
  RingLaunch<Out> launch;
  CUtensorMap map_a{}, map_b{}, map_c{};
  if (!prepare_ring<Shape>(x, group, launch, map_a, map_b)) return Status::unsupported_kernel;
  const std::uint32_t blocks = ring_blocks<Shape>(launch, device);
  if (blocks == 0) return Status::bad_size;
  if constexpr (sizeof(Out) == 2)
    launch.by_tensor =
        tensor_map_fits(x.c, x.c_pitch) && encode_tensor_map(map_c, x.c, x.m, x.n, x.c_pitch, Shape::Panel::rows);
  return launch_kernel(kernel, blocks, Shape::threads, Shape::shared_bytes, stream, map_a, map_b, map_c, launch);
}

/// Rows of tiles of a product by gemm_mma_ring, and its blocks.
struct RingBands {
  std::uint64_t tall = 0, low = 0;
  std::uint32_t blocks = 0;
};

/// The bands of `m` rows and `columns` tiles that end soonest on so many blocks, which take tile after tile in turn, the tall
/// ones first; and the fewest blocks that are as soon. A warp loads more for an mma of a low tile: its rows count 1.05 times
/// (measured, bench/results/kernels.md).
template <class Shape>
RingBands ring_bands(std::uint64_t m, std::uint64_t columns, std::uint32_t most) {
  const auto last_end = [&](const RingBands& bands, std::uint64_t blocks) {
    const std::uint64_t tall = bands.tall * columns, all = tall + bands.low * columns;
    std::uint64_t latest = 0;
    for (const std::uint64_t block : {std::uint64_t{0}, tall % blocks, all % blocks}) {  // where shares change
      const std::uint64_t own = block < all ? (all - block + blocks - 1) / blocks : 0;
      const std::uint64_t own_tall = block < tall ? (tall - block + blocks - 1) / blocks : 0;
      const std::uint64_t end = own_tall * Shape::row_tiles * 100 + (own - own_tall) * Shape::low_tiles * 105;
      if (end > latest) latest = end;
    }
    return latest;
  };
  const auto rows_of = [](const RingBands& bands) { return bands.tall * Shape::block_m + bands.low * Shape::low_m; };
  if (most == 0) most = 1;
  RingBands best{(m + Shape::block_m - 1) / Shape::block_m, 0, most};
  std::uint64_t least = last_end(best, most);
  for (std::uint64_t low = 1; Shape::low_m < Shape::block_m && low <= 32 && (low - 1) * Shape::low_m < m; ++low) {
    const std::uint64_t rest = low * Shape::low_m < m ? m - low * Shape::low_m : 0;
    const RingBands bands{(rest + Shape::block_m - 1) / Shape::block_m, low, most};
    const std::uint64_t end = last_end(bands, most);
    if (end < least || (end == least && rows_of(bands) < rows_of(best))) least = end, best = bands;
  }
  while (best.blocks > 1 && last_end(best, best.blocks - 1) <= least) --best.blocks;
  return best;
}

/// Launches gemm_mma_ring on checked matrices, if ring_fits.
template <class Shape, class In, class Out>
Status launch_mma_ring(const GemmMatrices<In, Out>& x, std::uint32_t group, const GemmDevice& device,
                       cudaStream_t stream) {
  const auto kernel = gemm_mma_ring<In, Out, Shape>;
  RingLaunch<Out> launch;
  CUtensorMap map_a{}, map_b{};
  if (!prepare_ring<Shape>(x, group, launch, map_a, map_b)) return Status::unsupported_kernel;
  const RingBands bands = ring_bands<Shape>(x.m, launch.columns, static_cast<std::uint32_t>(device.multiprocessors));
  if ((bands.tall + bands.low) * launch.columns >= std::uint64_t{1} << 31) return Status::bad_size;
  launch.tall = static_cast<std::uint32_t>(bands.tall);
  launch.rows = static_cast<std::uint32_t>(bands.tall + bands.low);
  return launch_kernel(kernel, bands.blocks, Shape::threads, Shape::shared_bytes, stream, map_a, map_b, launch);
}

}  // namespace kernels
}  // namespace lanebank
