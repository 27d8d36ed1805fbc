// lanebank::gemm: C = A * B^T or A * B on tensor cores, float sums, no bank conflicts in shared memory.
//
//   A   M x K   half or bfloat16          n_by_k:  C = A * B^T, B is N x K
//   B           the same                  k_by_n:  C = A * B,   B is K x N
//   C   M x N   half, bfloat16 or float   all row-major, pitches in elements
//
// Any M, N, K (below 2^31), pitches and element-aligned addresses. Stream-ordered, no workspace, no allocation. The sums are
// those of the tensor cores: float, in an order of their own, rounded once to C's type.
//
//   lanebank::GemmMatrices<__nv_bfloat16, __nv_bfloat16> x;
//   x.a = a; x.b = b; x.c = c; x.m = m; x.n = n; x.k = k;
//   x.a_pitch = k; x.b_pitch = k; x.c_pitch = n;
//   const lanebank::GemmError error = lanebank::gemm(x, stream);          // <lanebank::MatrixB::k_by_n> for A * B
//
// Kernels, chosen by device, alignment and shape, or by the caller:
//
//   wgmma_pairs   sm_90a (compile with -arch=sm_90a); rows of A and B at multiples of 16 bytes; pairs of blocks share B
//   wgmma         the same, every block for itself: for up to 128 rows      kernels/gemm_wgmma.cuh
//   multistage    sm_80 and later, anything                                kernels/gemm_multistage.cuh
//
// C must not overlap A or B, be it only between its rows. On an error nothing is launched; errors of earlier work on the stream
// are not looked for. With wgmma, the driver must be one for CUDA 12.
// What it does not do: alpha and beta, batches, A transposed, other types.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lanebank/kernels/gemm_multistage.cuh"
#include "lanebank/kernels/gemm_tensor_map.cuh"
#include "lanebank/kernels/gemm_wgmma.cuh"

namespace lanebank {

enum class GemmError : std::uint8_t {
  none,
  null_pointer,        ///< a matrix with elements has no address
  misaligned_pointer,  ///< an address is not a multiple of the element's size
  pitch_below_width,   ///< rows would overlap
  size_overflow,       ///< a size is 2^31 or more, or a matrix' bytes do not fit into 63 bits
  overlap,             ///< C shares bytes with A or B
  unsupported_device,  ///< below sm_80
  unsupported_kernel,  ///< the kernel asked for cannot run this product here
  launch_failed,       ///< the runtime refused the launch; cudaGetLastError says why
};

inline const char* gemm_error_name(GemmError error) {
  switch (error) {
    case GemmError::none: return "none";
    case GemmError::null_pointer: return "null_pointer";
    case GemmError::misaligned_pointer: return "misaligned_pointer";
    case GemmError::pitch_below_width: return "pitch_below_width";
    case GemmError::size_overflow: return "size_overflow";
    case GemmError::overlap: return "overlap";
    case GemmError::unsupported_device: return "unsupported_device";
    case GemmError::unsupported_kernel: return "unsupported_kernel";
    case GemmError::launch_failed: return "launch_failed";
  }
  return "unknown";
}

enum class GemmKernel : std::uint8_t { automatic, multistage, wgmma, wgmma_pairs };

namespace kernels {

/// A matrix as memory: checked, then compared with others.
struct MatrixSpan {
  std::uintptr_t begin = 0, end = 0;  ///< bytes; equal for a matrix without elements
};

template <class T>
GemmError matrix_span(const T* matrix, std::uint64_t rows, std::uint64_t columns, std::uint64_t pitch,
                      MatrixSpan& span) {
  constexpr std::uint64_t limit = std::uint64_t{1} << 31;
  if (rows >= limit || columns >= limit) return GemmError::size_overflow;
  if (rows == 0 || columns == 0) return GemmError::none;
  if (matrix == nullptr) return GemmError::null_pointer;
  span.begin = reinterpret_cast<std::uintptr_t>(matrix);
  if (span.begin % sizeof(T) != 0) return GemmError::misaligned_pointer;
  if (pitch < columns) return GemmError::pitch_below_width;
  constexpr std::uint64_t most_elements = (~std::uint64_t{0} >> 1) / sizeof(T);
  if (rows > 1 && pitch > (most_elements - columns) / (rows - 1)) return GemmError::size_overflow;
  const std::uint64_t bytes = ((rows - 1) * pitch + columns) * sizeof(T);
  if (bytes > ~std::uint64_t{0} - span.begin) return GemmError::size_overflow;
  span.end = span.begin + bytes;
  return GemmError::none;
}

template <MatrixB B, class In, class Out>
GemmError check_gemm(const GemmMatrices<In, Out>& x) {
  MatrixSpan a, b, c;
  const bool transposed = B == MatrixB::k_by_n;
  GemmError error = matrix_span(x.a, x.m, x.k, x.a_pitch, a);
  if (error == GemmError::none) error = matrix_span(x.b, transposed ? x.k : x.n, transposed ? x.n : x.k, x.b_pitch, b);
  if (error == GemmError::none) error = matrix_span(x.c, x.m, x.n, x.c_pitch, c);
  if (error != GemmError::none) return error;
  const auto meet = [](const MatrixSpan& p, const MatrixSpan& q) { return p.begin < q.end && q.begin < p.end; };
  return meet(c, a) || meet(c, b) ? GemmError::overlap : GemmError::none;
}

struct GemmDevice {
  int major = 0, multiprocessors = 0;
  bool known = false;
};
inline GemmDevice gemm_device() {
  GemmDevice result;
  int device = 0;
  result.known =
      cudaGetDevice(&device) == cudaSuccess &&
      cudaDeviceGetAttribute(&result.major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
      cudaDeviceGetAttribute(&result.multiprocessors, cudaDevAttrMultiProcessorCount, device) == cudaSuccess;
  return result;
}

inline std::uint32_t tiles_of(std::uint64_t extent, std::uint32_t tile) {
  return static_cast<std::uint32_t>((extent + tile - 1) / tile);
}

/// Launches gemm_multistage on checked matrices. `group`: tile_place.
template <class Shape, bool Whole, class In, class Out>
GemmError launch_multistage(const GemmMatrices<In, Out>& x, std::uint32_t group, cudaStream_t stream) {
  const auto kernel = gemm_multistage<In, Out, Shape, Whole>;
  const std::uint64_t tiles = std::uint64_t{tiles_of(x.m, Shape::block_m)} * tiles_of(x.n, Shape::block_n);
  if (tiles >= std::uint64_t{1} << 31) return GemmError::size_overflow;
  if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Shape::shared_bytes) != cudaSuccess)
    return GemmError::launch_failed;
  kernel<<<static_cast<unsigned>(tiles), Shape::threads, Shape::shared_bytes, stream>>>(x, group);
  return cudaPeekAtLastError() == cudaSuccess ? GemmError::none : GemmError::launch_failed;
}

/// Can gemm_wgmma compute this product? Also: was it compiled for sm_90a?
template <class Shape, class In, class Out>
bool wgmma_fits(const GemmMatrices<In, Out>& x, const GemmDevice& device) {
  if (device.major != 9 || x.k == 0) return false;
  if (!tensor_map_fits(x.a, x.a_pitch) || !tensor_map_fits(x.b, x.b_pitch)) return false;
  cudaFuncAttributes attributes{};
  return cudaFuncGetAttributes(&attributes, gemm_wgmma<In, Out, Shape>) == cudaSuccess &&
         attributes.sharedSizeBytes > 0;
}

/// As many blocks as there are tiles for in equal shares: the fewest that need no more rounds than all multiprocessors do.
inline std::uint32_t equal_shares(std::uint32_t places, std::uint32_t most) {
  if (most == 0) most = 1;
  const std::uint32_t rounds = (places + most - 1) / most;
  return (places + rounds - 1) / rounds;
}

/// Launches gemm_wgmma on checked matrices that it fits.
template <class Shape, class In, class Out>
GemmError launch_wgmma(const GemmMatrices<In, Out>& x, std::uint32_t group, const GemmDevice& device,
                       cudaStream_t stream) {
  const auto kernel = gemm_wgmma<In, Out, Shape>;
  WgmmaLaunch<Out> launch;
  launch.c = x.c;
  launch.c_pitch = x.c_pitch;
  launch.m = static_cast<std::uint32_t>(x.m);
  launch.n = static_cast<std::uint32_t>(x.n);
  launch.k = static_cast<std::uint32_t>(x.k);
  launch.rows = tiles_of(x.m, Shape::block_m * Shape::cluster);
  launch.columns = tiles_of(x.n, Shape::block_n);
  launch.group = group;
  const std::uint64_t places = std::uint64_t{launch.rows} * launch.columns;
  if (places >= std::uint64_t{1} << 31) return GemmError::size_overflow;
  CUtensorMap map_a{}, map_b{}, map_c{};
  constexpr bool transposed = Shape::transposed;
  if (!encode_tensor_map(map_a, x.a, x.m, x.k, x.a_pitch, Shape::block_m) ||
      !encode_tensor_map(map_b, x.b, transposed ? x.k : x.n, transposed ? x.n : x.k, x.b_pitch, Shape::box_rows_b))
    return GemmError::unsupported_kernel;
  if constexpr (sizeof(Out) == 2)
    launch.by_tensor =
        tensor_map_fits(x.c, x.c_pitch) && encode_tensor_map(map_c, x.c, x.m, x.n, x.c_pitch, Shape::Panel::rows);
  if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Shape::shared_bytes) != cudaSuccess)
    return GemmError::launch_failed;
  const std::uint32_t clusters = equal_shares(static_cast<std::uint32_t>(places),
                                              static_cast<std::uint32_t>(device.multiprocessors) / Shape::cluster);
  kernel<<<clusters * Shape::cluster, Shape::threads, Shape::shared_bytes, stream>>>(map_a, map_b, map_c, launch);
  return cudaPeekAtLastError() == cudaSuccess ? GemmError::none : GemmError::launch_failed;
}

}  // namespace kernels

/// The page above. Any thread of the host; the current device is that of the stream and the matrices.
template <MatrixB B = MatrixB::n_by_k, class In, class Out>
GemmError gemm(const GemmMatrices<In, Out>& x, cudaStream_t stream = nullptr,
               GemmKernel kernel = GemmKernel::automatic) {
  static_assert(kernels::is_gemm_input<In>, "A and B are half or bfloat16");
  static_assert(kernels::is_gemm_input<Out> || std::is_same_v<Out, float>, "C is half, bfloat16 or float");
  const GemmError error = kernels::check_gemm<B>(x);
  if (error != GemmError::none || x.m == 0 || x.n == 0) return error;
  const kernels::GemmDevice device = kernels::gemm_device();
  if (!device.known || device.major < 8) return GemmError::unsupported_device;

  using Pairs = kernels::WgmmaShape<B>;
  using Single = kernels::WgmmaShape<B, 256, 4, 1>;
  if (kernel != GemmKernel::multistage) {
    const bool fits = kernels::wgmma_fits<Pairs>(x, device), asked = kernel != GemmKernel::automatic;
    if (asked && !fits) return GemmError::unsupported_kernel;
    if (fits) {
      const bool pairs = asked ? kernel == GemmKernel::wgmma_pairs : x.m > Pairs::block_m;
      const GemmError launched = pairs ? kernels::launch_wgmma<Pairs>(x, 8, device, stream)
                                       : kernels::launch_wgmma<Single>(x, 16, device, stream);
      if (launched != GemmError::unsupported_kernel || asked) return launched;
    }
  }
  // Where rows do not begin at multiples of 16 bytes, elements are loaded one by one: fewer registers are left.
  if (kernels::eights_aligned(x.a, x.a_pitch) && kernels::eights_aligned(x.b, x.b_pitch))
    return kernels::launch_multistage<kernels::MultistageShape<B>, true>(x, 16, stream);
  return kernels::launch_multistage<kernels::MultistageShape<B, 128, 128, 3>, false>(x, 16, stream);
}

}  // namespace lanebank
