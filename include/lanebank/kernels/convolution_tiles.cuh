// Direct convolution of many channels with small filters: 16 x 16 pixels and 32 output channels to a block.
//
//   out[n][o][y][x] = sum over c, i, j of weights[o][c][i][j] * in[n][c][y + i - K/2][x + j - K/2]        zeros outside
//
// A thread sums 4 pixels, one below the other, of 8 output channels. Input channels come in groups of 8: their pixels
// with the halo and their weights are put in shared memory, summed up, and the next group follows.
//
// Which 32 pixels a warp reads together decides about banks. Its lanes' rows are 4 apart; a row takes `pitch` words:
//
//   WindowWide     lanes 16 x 2:  4 * 18 mod 32 = 8, two runs of 16 banks overlap by 8: 2-way conflicts
//   WindowSquare   lanes 8 x 4:   four runs of 8 banks at 0, 8, 16, 24: none, if pitch mod 4 = 2 (K = 3: 18, K = 5: 22)
//
// Weights are stored transposed, output channels side by side, since a thread wants 8 of them at once (two loads of
// 16 bytes, the same for the whole warp). Row tap * 8 + c holds those of input channel c. The lanes that store them
// hold 8 input channels of 4 output channels: 8-way conflicts in rows one after the other, none when the 16-byte unit
// is XORed with the row. The forms differ in both.
//
// Called by whole blocks of 256 threads.
#pragma once

#include <cstdint>

#include "lanebank/layout.hpp"
#include "lanebank/pattern.hpp"
#include "lanebank/proofs.hpp"
#include "lanebank/tile.hpp"

namespace lanebank::kernels {

/// The sizes of a block's work for filters of K x K.
template <unsigned K>
struct ConvolutionTile {
  static_assert(K == 3 || K == 5, "filters of 3 x 3 or 5 x 5");
  static constexpr unsigned threads = 256, pixels = 16, outputs = 32, inputs = 8;
  static constexpr unsigned thread_pixels = 4, thread_outputs = 8;
  static constexpr unsigned side = pixels + K - 1, pitch = (side + 1) / 4 * 4 + 2, taps = K * K;
  static_assert(pitch >= side && pitch % 4 == 2);
  using Pixels = RowMajor<float, inputs * side, pitch>;

  /// The place of weight n of a group, 8 input channels of 4 output channels to a warp's 32: row = tap * inputs +
  /// input channel.
  LANEBANK_HOST_DEVICE static constexpr Coordinate weight_place(unsigned n) {
    return {n % 8 + n / 256 * 8, n / 8 % 32};
  }
  static constexpr Coordinate stored(unsigned access, unsigned lane) { return weight_place(access * 32 + lane); }
  using WeightStores = patterns::custom<&stored, inputs * taps * outputs / 32, patterns::store>;
  static constexpr Coordinate same(unsigned access, unsigned) { return {access / 8, access % 8 * 4}; }
  using WeightLoads = patterns::custom<&same, inputs * taps * 8, patterns::load, 16>;
};

/// A pixel of the block's 16 x 16: the topmost of a thread's four.
struct Pixel {
  unsigned x, y;
};

/// Warps as 16 x 2 lanes, weights in plain rows: shows the conflicts.
struct WindowWide {
  LANEBANK_HOST_DEVICE static constexpr Pixel pixel(unsigned thread) { return {thread % 16, thread / 16 % 4 * 4}; }
  template <unsigned K>
  using Weights = RowMajor<float, ConvolutionTile<K>::inputs * ConvolutionTile<K>::taps, ConvolutionTile<K>::outputs>;
};

/// Warps as 8 x 4 lanes, weights swizzled: conflict-free.
struct WindowSquare {
  LANEBANK_HOST_DEVICE static constexpr Pixel pixel(unsigned thread) {
    return {thread % 8 + thread / 32 % 2 * 8, thread / 8 % 4 * 4};
  }
  template <unsigned K>
  using Weights = Xor<float, ConvolutionTile<K>::inputs * ConvolutionTile<K>::taps, ConvolutionTile<K>::outputs, 4>;
};

namespace detail {

/// All reads of pixels by the two warps of an output group: access = warp, row and column of the filter's reach.
template <class Form, unsigned K>
struct PixelReads {
  using Tile = ConvolutionTile<K>;
  static constexpr unsigned reach = Tile::thread_pixels + K - 1;
  static constexpr Coordinate read(unsigned access, unsigned lane) {
    const Pixel pixel = Form::pixel(access / (reach * K) * 32 + lane);
    return {pixel.y + access / K % reach, pixel.x + access % K};
  }
  using Pattern = patterns::custom<&read, 2 * reach * K>;
};

template <unsigned K>
constexpr bool convolution_is_clean() {
  using Tile = ConvolutionTile<K>;
  using Weights = WindowSquare::Weights<K>;
  return conflict_free<typename Tile::Pixels, typename PixelReads<WindowSquare, K>::Pattern> &&
         conflict_free<Weights, typename Tile::WeightStores, typename Tile::WeightLoads>;
}
static_assert(convolution_is_clean<3>() && convolution_is_clean<5>());
static_assert(pattern_cost<ConvolutionTile<3>::Pixels, PixelReads<WindowWide, 3>::Pattern>.wavefronts ==
                      2 * 2 * 6 * 3 &&
                  pattern_cost<WindowWide::Weights<3>, ConvolutionTile<3>::WeightStores>.wavefronts == 8 * 72,
              "2-way conflicts for pixels, 8-way for weights");

}  // namespace detail

/// Dense arrays: source [batch][inputs][height][width], weights [outputs][inputs][K][K],
/// target [batch][outputs][height][width].
struct Convolution {
  const float* source = nullptr;
  const float* weights = nullptr;
  float* target = nullptr;
  std::uint32_t inputs = 0, outputs = 0, height = 0, width = 0, tiles_across = 0;
};

namespace detail {

/// Puts the pixels of input channels [first, first + 8) in shared memory, whole rows of `pitch`; zeros outside. A
/// thread takes one place in all eight.
template <unsigned K, class Pixels>
__device__ __forceinline__ void load_pixels(const Pixels& pixels, const float* __restrict__ image,
                                            const Convolution& all, std::uint32_t first, std::int32_t left,
                                            std::int32_t top) {
  using Tile = ConvolutionTile<K>;
  const std::uint64_t plane = std::uint64_t{all.height} * all.width;
  for (unsigned n = threadIdx.x; n < Tile::side * Tile::pitch; n += Tile::threads) {
    const unsigned row = n / Tile::pitch, column = n % Tile::pitch;
    const auto x = static_cast<std::uint32_t>(left + static_cast<std::int32_t>(column));
    const auto y = static_cast<std::uint32_t>(top + static_cast<std::int32_t>(row));
    const bool inside = x < all.width && y < all.height;
    const float* from = image + first * plane + std::uint64_t{y} * all.width + x;
    float values[Tile::inputs];
#pragma unroll
    for (unsigned c = 0; c < Tile::inputs; ++c) values[c] = inside && first + c < all.inputs ? from[c * plane] : 0.0f;
#pragma unroll
    for (unsigned c = 0; c < Tile::inputs; ++c) pixels(c * Tile::side + row, column) = values[c];
  }
}

/// Puts their weights for output channels [output, output + 32) there, transposed. A thread takes all taps of a filter.
template <unsigned K, class Weights>
__device__ __forceinline__ void load_weights(const Weights& shared, const Convolution& all, std::uint32_t first,
                                             std::uint32_t output) {
  using Tile = ConvolutionTile<K>;
  static_assert(Tile::threads == Tile::inputs * Tile::outputs, "a filter of the group to each thread");
  const Coordinate place = Tile::weight_place(threadIdx.x);
  const std::uint32_t input = first + place.row, own = output + place.column;
  const bool inside = input < all.inputs && own < all.outputs;
  const float* from = all.weights + (std::uint64_t{own} * all.inputs + input) * Tile::taps;
#pragma unroll
  for (unsigned tap = 0; tap < Tile::taps; ++tap)
    shared(place.row + tap * Tile::inputs, place.column) = inside ? from[tap] : 0.0f;
}

}  // namespace detail

/// gridDim: tiles, output channels / 32, batch.
template <class Form, unsigned K>
__global__ void __launch_bounds__(ConvolutionTile<K>::threads, 3) convolution_tiles(Convolution all) {
  using Tile = ConvolutionTile<K>;
  constexpr unsigned reach = Tile::thread_pixels + K - 1;
  __shared__ SharedTile<typename Tile::Pixels> pixels;
  __shared__ SharedTile<typename Form::template Weights<K>> weights;
  const std::uint32_t left = blockIdx.x % all.tiles_across * Tile::pixels,
                      top = blockIdx.x / all.tiles_across * Tile::pixels;
  const std::uint32_t output = blockIdx.y * Tile::outputs, own = threadIdx.x / 64 * Tile::thread_outputs;
  const std::uint64_t plane = std::uint64_t{all.height} * all.width;
  const float* image = all.source + blockIdx.z * plane * all.inputs;
  const Pixel pixel = Form::pixel(threadIdx.x);
  float sums[Tile::thread_outputs][Tile::thread_pixels] = {};
  for (std::uint32_t first = 0; first < all.inputs; first += Tile::inputs) {
    __syncthreads();
    detail::load_pixels<K>(pixels, image, all, first,
                           static_cast<std::int32_t>(left) - static_cast<std::int32_t>(K / 2),
                           static_cast<std::int32_t>(top) - static_cast<std::int32_t>(K / 2));
    detail::load_weights<K>(weights, all, first, output);
    __syncthreads();
    const unsigned channels = all.inputs - first < Tile::inputs ? all.inputs - first : Tile::inputs;
#pragma unroll 1
    for (unsigned c = 0; c < channels; ++c) {
      float window[reach][K];
#pragma unroll
      for (unsigned i = 0; i < reach; ++i)
#pragma unroll
        for (unsigned j = 0; j < K; ++j) window[i][j] = pixels(c * Tile::side + pixel.y + i, pixel.x + j);
#pragma unroll
      for (unsigned tap = 0; tap < Tile::taps; ++tap) {
        const float4 low = weights.template vector<float4>(tap * Tile::inputs + c, own);
        const float4 high = weights.template vector<float4>(tap * Tile::inputs + c, own + 4);
        const float w[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
        for (unsigned o = 0; o < Tile::thread_outputs; ++o)
#pragma unroll
          for (unsigned p = 0; p < Tile::thread_pixels; ++p)
            sums[o][p] = fmaf(w[o], window[p + tap / K][tap % K], sums[o][p]);
      }
    }
  }
  float* target = all.target + (std::uint64_t{blockIdx.z} * all.outputs + output + own) * plane;
#pragma unroll
  for (unsigned o = 0; o < Tile::thread_outputs; ++o)
#pragma unroll
    for (unsigned p = 0; p < Tile::thread_pixels; ++p) {
      const std::uint32_t x = left + pixel.x, y = top + pixel.y + p;
      if (output + own + o < all.outputs && x < all.width && y < all.height)
        target[o * plane + std::uint64_t{y} * all.width + x] = sums[o][p];
    }
}

}  // namespace lanebank::kernels
