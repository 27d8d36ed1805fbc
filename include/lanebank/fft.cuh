// lanebank::fft: batched one-dimensional Fourier transforms of complex floats, N = 16, 32, ... 4096, one launch.
//
//   forward   out[k] = sum over n of in[n] exp(-2 pi i n k / N)         inverse: +, not divided by N
//
//   lanebank::fft<1024>(source, target, batch, lanebank::FftDirection::forward, stream);
//   lanebank::fft(1024, source, target, batch, ...);                    the same with N known at run time
//
// Transforms lie one after the other (batch x N float2, 8-byte aligned). In place allowed; overlapping otherwise not.
// Accuracy: against a transform in double precision the root-mean-square error is below 3e-7 of the root mean square
// of the result (measured on random data: tests/kernels/fft.cu).
// Runs in the order of the stream; nothing is allocated, no tables are kept.
#pragma once

#include "lanebank/kernels/fft_block.cuh"
#include "lanebank/kernels/status.cuh"

namespace lanebank {

enum class FftDirection { forward, inverse };

/// Transforms of N numbers; the page above. Form: kernels::FftSwizzled or FftPlain. Blocks: per multiprocessor.
/// Staged: see kernels/fft_block.cuh.
template <unsigned N, class Form = kernels::FftSwizzled, unsigned Blocks = kernels::FftPlan<N>::blocks,
          bool Staged = kernels::FftPlan<N>::staged>
Status fft(const float2* source, float2* target, std::size_t batch, FftDirection direction = FftDirection::forward,
           cudaStream_t stream = nullptr) {
  using Plan = kernels::FftPlan<N>;
  std::size_t bytes = 0;
  if (batch == 0) return Status::success;
  if (source == nullptr || target == nullptr) return Status::null_pointer;
  const std::size_t blocks = (batch - 1) / Plan::per_block + 1;
  if (!kernels::detail::multiply(batch, N * sizeof(float2), bytes) || blocks > 0x7fffffff) return Status::bad_size;
  if (!kernels::detail::aligned_to(source, 8) || !kernels::detail::aligned_to(target, 8)) return Status::misaligned;
  if (source != target && kernels::detail::overlap(source, bytes, target, bytes)) return Status::overlapping;
  const auto grid = static_cast<unsigned>(blocks);
  if (direction == FftDirection::forward)
    kernels::fft_blocks<Form, N, false, Blocks, Staged>
        <<<grid, Plan::block_threads, 0, stream>>>(source, target, batch);
  else
    kernels::fft_blocks<Form, N, true, Blocks, Staged><<<grid, Plan::block_threads, 0, stream>>>(source, target, batch);
  return kernels::detail::launched();
}

/// The same for N known at run time; bad_size for an N that is no power of two from 16 to 4096.
inline Status fft(unsigned n, const float2* source, float2* target, std::size_t batch,
                  FftDirection direction = FftDirection::forward, cudaStream_t stream = nullptr) {
  switch (n) {
    case 16:
      return fft<16>(source, target, batch, direction, stream);
    case 32:
      return fft<32>(source, target, batch, direction, stream);
    case 64:
      return fft<64>(source, target, batch, direction, stream);
    case 128:
      return fft<128>(source, target, batch, direction, stream);
    case 256:
      return fft<256>(source, target, batch, direction, stream);
    case 512:
      return fft<512>(source, target, batch, direction, stream);
    case 1024:
      return fft<1024>(source, target, batch, direction, stream);
    case 2048:
      return fft<2048>(source, target, batch, direction, stream);
    case 4096:
      return fft<4096>(source, target, batch, direction, stream);
  }
  return Status::bad_size;
}

}  // namespace lanebank
