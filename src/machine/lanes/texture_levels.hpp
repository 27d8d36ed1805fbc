// Mipmapped arrays: the level of detail of a lane, and reads of one level or of two.
//
//   level of detail  what the instruction says plus the bias of the texture, between its smallest and largest level and those
//                    that there are, cut to a multiple of 1/256 (tests/cudart/hardware/mipmaps.cu)
//   nearest levels   the level floor(level of detail + 1/2)
//   linear           levels i and i + 1 count as the slices of a volume do, with the fraction in 1/256. (Of levels and elements
//                    of a volume, both filtered, an H200 gave another last bit in some sums.)
//
// How an H200 chooses levels by gradients is not known. Its level is log2 of a length between that of the longer gradient and the
// longer half axis of the ellipse of both: 1.173 elements of (1, 1/2) and (1/3, 1/5), 1.033 of 1 and 1/2 along a line.
#pragma once

#include "machine/lanes/texture_fetch.hpp"

namespace lanebank::machine::LANEBANK_SIMD {
namespace {

/// What an instruction says of levels.
enum class LevelBy : std::uint8_t { first, number, gradients };

/// The levels that lanes read: `number` and the next one, which counts `of_next` / 256.
struct Levels {
  alignas(64) std::int32_t number[32];
  alignas(64) std::int32_t of_next[32];
};

/// By the level of detail of every lane.
inline void choose_levels(const TextureObject& object, const float (&asked)[32], Levels& levels) {
  const Sampler& sampler = object.sampler;
  const auto last = static_cast<std::int32_t>(object.levels->size()) - 1;
  const double bias = std::fmin(std::fmax(sampler.level_bias, -16.0), 15.99609375);
  const double smallest = sampler.smallest_level, largest = sampler.largest_level;
  for (unsigned i = 0; i < 32; ++i) {
    const double number = asked[i] == asked[i] ? double{asked[i]} + bias : 0;
    const double clamped = std::fmin(std::fmax(number, smallest), largest);
    const double level = std::fmin(std::fmax(clamped, 0.0), static_cast<double>(last));
    const auto parts = static_cast<std::int32_t>(std::floor(level * 256));
    levels.number[i] = sampler.linear_levels ? parts >> 8 : std::min(last, (parts + 128) >> 8);
    levels.of_next[i] = sampler.linear_levels ? parts & 255 : 0;
  }
}

/// `place(reader, x, elements)` puts coordinates into elements of the reader's level.
template <class Place>
inline void sample_levels(const TextureObject& object, TextureShape shape, const Levels& levels, unsigned components,
                          Place place, Texels& result) {
  const Sampler& sampler = object.sampler;
  const bool adds = sampler.linear || sampler.linear_levels;
  alignas(64) double x[3][32] = {}, sums[4][32] = {};
  alignas(64) std::int32_t share[32];
  Elements elements;
  for (std::size_t k = 0; k < object.levels->size(); ++k) {
    const auto level = static_cast<std::int32_t>(k);
    bool counts = false;
    for (unsigned i = 0; i < 32; ++i) {
      const bool is_this = levels.number[i] == level, is_next = levels.number[i] + 1 == level;
      share[i] = is_this ? 256 - levels.of_next[i] : is_next ? levels.of_next[i] : 0;
      counts |= share[i] != 0;
    }
    if (!counts) continue;
    const Reader reader((*object.levels)[k], sampler, shape);
    place(reader, x, elements);
    if (adds) {
      add_filtered(reader, x, elements, components, share, sampler.linear, sums);
      continue;
    }
    Texels texels;
    sample_nearest(reader, x, elements, components, texels);
    for (unsigned c = 0; c < 4; ++c)
      for (unsigned i = 0; i < 32; ++i)
        result.component[c][i] = share[i] != 0 ? texels.component[c][i] : result.component[c][i];
  }
  if (adds) filter_results(Reader(object, shape), sums, result);
}

}  // namespace
}  // namespace lanebank::machine::LANEBANK_SIMD
