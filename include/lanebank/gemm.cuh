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
//   const lanebank::Status error = lanebank::gemm(x, stream);          // <lanebank::MatrixB::k_by_n> for A * B
//
// Kernels, chosen by device, alignment and shape, or by the caller:
//
//   wgmma_pairs   sm_90a (compile with -arch=sm_90a); pairs of blocks share B      kernels/gemm_wgmma.cuh
//   wgmma         the same, every block for itself: for up to 128 rows
//   mma_ring      sm_90: mma.sync, tiles by the copy engine                        kernels/gemm_mma_ring.cuh
//   multistage    sm_80 and later, any alignment: mma.sync, tiles by cp.async      kernels/gemm_multistage.cuh
//
// All but the last need rows of A and B at multiples of 16 bytes, and K > 0.
//
// C must not overlap A or B, be it only between its rows. On an error nothing is launched; errors of earlier work
// are not looked for. With wgmma, the driver must be one for CUDA 12.
// What it does not do: alpha and beta, batches, A transposed, other types.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "lanebank/kernels/gemm_launch.cuh"

namespace lanebank {

enum class GemmKernel : std::uint8_t { automatic, multistage, mma_ring, wgmma, wgmma_pairs };

/// The page above. Any thread of the host; the current device is that of the stream and the matrices.
template <MatrixB B = MatrixB::n_by_k, class In, class Out>
Status gemm(const GemmMatrices<In, Out>& x, cudaStream_t stream = nullptr, GemmKernel kernel = GemmKernel::automatic) {
  static_assert(kernels::is_gemm_input<In>, "A and B are half or bfloat16");
  static_assert(kernels::is_gemm_input<Out> || std::is_same_v<Out, float>, "C is half, bfloat16 or float");
  const Status error = kernels::check_gemm<B>(x);
  if (error != Status::success || x.m == 0 || x.n == 0) return error;
  const kernels::GemmDevice device = kernels::gemm_device();
  if (!device.known || device.major < 8) return Status::unsupported_device;

  using Pairs = kernels::WgmmaShape<B>;
  using Single = kernels::WgmmaShape<B, 256, 4, 1>;
  using Ring = kernels::MmaRingShape<B, 256, 3, 6, 2, 8, 4>;
  const bool fits = kernels::ring_fits(x, device);
  if (kernel == GemmKernel::automatic && fits)
    kernel = !kernels::wgmma_compiled<Pairs, In, Out>(device) ? GemmKernel::mma_ring
             : x.m > Pairs::block_m                           ? GemmKernel::wgmma_pairs
                                                              : GemmKernel::wgmma;
  if (kernel == GemmKernel::wgmma_pairs || kernel == GemmKernel::wgmma) {
    if (!fits || !kernels::wgmma_compiled<Pairs, In, Out>(device)) return Status::unsupported_kernel;
    return kernel == GemmKernel::wgmma ? kernels::launch_wgmma<Single>(x, 16, device, stream)
                                       : kernels::launch_wgmma<Pairs>(x, 8, device, stream);
  }
  if (kernel == GemmKernel::mma_ring)
    return fits ? kernels::launch_mma_ring<Ring>(x, 16, device, stream) : Status::unsupported_kernel;
  using Large = kernels::MultistageShape<B>;
  using Small = kernels::MultistageShape<B, 128, 128, 3>;
  // Where rows do not begin at multiples of 16 bytes, words of two elements are loaded, and fewer registers are left for sums.
  if (!kernels::eights_aligned(x.a, x.a_pitch) || !kernels::eights_aligned(x.b, x.b_pitch))
    return kernels::launch_multistage<Small, false>(x, 16, stream);
  return static_cast<std::uint32_t>(device.shared_bytes) >= Large::shared_bytes
             ? kernels::launch_multistage<Large, true>(x, 16, stream)
             : kernels::launch_multistage<Small, true>(x, 16, stream);
}

}  // namespace lanebank
