// lanebank::convolution: direct two-dimensional convolution of float images of many channels, filters of
// 3 x 3 or 5 x 5.
//
//   lanebank::convolution<3>(source, weights, target, batch, inputs, outputs, height, width, stream);
//
//   source   [batch][inputs][height][width]
//   weights  [outputs][inputs][K][K]
//   target   [batch][outputs][height][width]
//
// Stride 1; the image is continued by zeros, so that the target has the source's size. Cross-correlation, as networks
// use the word. Every term is added by one fused multiply-add, in the order input channel, row, column of the filter:
// results repeat bit for bit. All arrays are dense, aligned to 4 bytes, and different. Runs in the order of the
// stream; nothing is allocated.
#pragma once

#include "lanebank/kernels/convolution_tiles.cuh"
#include "lanebank/kernels/status.cuh"

namespace lanebank {

/// The page above. Form: kernels::WindowSquare or WindowWide.
template <unsigned K, class Form = kernels::WindowSquare>
Status convolution(const float* source, const float* weights, float* target, std::size_t batch, std::size_t inputs,
                   std::size_t outputs, std::size_t height, std::size_t width, cudaStream_t stream = nullptr) {
  using Tile = kernels::ConvolutionTile<K>;
  constexpr std::size_t greatest = std::size_t{1} << 20;
  if (source == nullptr || weights == nullptr || target == nullptr) return Status::null_pointer;
  if (batch == 0 || inputs == 0 || outputs == 0 || height == 0 || width == 0) return Status::bad_size;
  if (batch > 65535 || inputs > greatest || outputs > greatest || height > greatest || width > greatest)
    return Status::bad_size;
  // Below 2^56 each but for the batch: no product overflows before it is checked.
  const std::size_t plane = height * width;
  std::size_t source_bytes = 0, target_bytes = 0;
  if (!kernels::detail::multiply(plane * batch, inputs * 4, source_bytes) ||
      !kernels::detail::multiply(plane * batch, outputs * 4, target_bytes))
    return Status::bad_size;
  const std::size_t weights_bytes = inputs * outputs * Tile::taps * 4;
  if (!kernels::detail::aligned_to(source, 4) || !kernels::detail::aligned_to(weights, 4) ||
      !kernels::detail::aligned_to(target, 4))
    return Status::misaligned;
  if (kernels::detail::overlap(target, target_bytes, source, source_bytes) ||
      kernels::detail::overlap(target, target_bytes, weights, weights_bytes))
    return Status::overlapping;
  const std::size_t across = (width + Tile::pixels - 1) / Tile::pixels,
                    down = (height + Tile::pixels - 1) / Tile::pixels;
  const std::size_t groups = (outputs + Tile::outputs - 1) / Tile::outputs;
  if (across * down > 0x7fffffff || groups > 65535) return Status::bad_size;
  kernels::Convolution all{source, weights, target};
  all.inputs = static_cast<std::uint32_t>(inputs);
  all.outputs = static_cast<std::uint32_t>(outputs);
  all.height = static_cast<std::uint32_t>(height);
  all.width = static_cast<std::uint32_t>(width);
  all.tiles_across = static_cast<std::uint32_t>(across);
  const dim3 grid(static_cast<unsigned>(across * down), static_cast<unsigned>(groups), static_cast<unsigned>(batch));
  kernels::convolution_tiles<Form, K><<<grid, Tile::threads, 0, stream>>>(all);
  return kernels::detail::launched();
}

}  // namespace lanebank
