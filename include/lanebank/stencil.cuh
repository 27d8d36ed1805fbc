// lanebank::stencil_2d, lanebank::stencil_3d: star stencils of radius 1 to 4 on floats (5, 9, 13, 17 points; 7, 13,
// 19, 25).
//
//   out[y][x] = center * in[y][x] + sum over d = 1 .. R of  axis[0][d-1] * (in[y][x-d] + in[y][x+d])
//                                                         + axis[1][d-1] * (in[y-d][x] + in[y+d][x])       (z: axis[2])
//
//   lanebank::StarWeights<2, 1> heat{0.6f, {{0.1f}, {0.1f}}};
//   lanebank::stencil_2d(source, pitch, target, pitch, width, height, heat, stream);
//
// What is outside counts as zero. Every term is added by one fused multiply-add, in the order d; -x, +x, -y, +y, -z,
// +z: results repeat bit for bit. Source and target are different arrays.
// Units: pitches in elements (floats), multiples of 4; arrays multiples of 16 bytes and height * pitch elements long.
// Widths are free. Runs in the order of the stream; nothing is allocated.
#pragma once

#include "lanebank/kernels/status.cuh"
#include "lanebank/kernels/stencil_2d_boxes.cuh"
#include "lanebank/kernels/stencil_2d_pieces.cuh"
#include "lanebank/kernels/stencil_3d_boxes.cuh"
#include "lanebank/kernels/stencil_3d_pieces.cuh"

namespace lanebank {

using kernels::StarWeights;

namespace kernels {

/// What stencil_2d and stencil_3d take when no shape is named: the fastest of bench/results/h200/stencil_sweep.csv.
template <unsigned Radius>
struct StencilChoice;
template <>
struct StencilChoice<1> {
  using Plane = Stencil2dPieces<4, 2, 2, 6>;
  using Space = Stencil3dBoxes<8, 2, 4, 3, 8>;
};
template <>
struct StencilChoice<2> {
  using Plane = Stencil2dPieces<2, 4, 4, 4>;
  using Space = Stencil3dBoxes<16, 2, 1, 4, 16, BoxSync::block, 4>;
};
template <>
struct StencilChoice<4> {
  using Plane = Stencil2dBoxes<4, 8, 4>;
  using Space = Stencil3dBoxes<16, 2, 1, 3, 128, BoxSync::warps, 4>;
};
template <>
struct StencilChoice<3> : StencilChoice<4> {};

}  // namespace kernels

namespace detail {

inline constexpr std::size_t stencil_greatest = 0x40000000;  ///< of an extent

/// The checks that both stencils share; `rows` of a pitch each.
inline kernels::Status check_stencil(const float* source, std::size_t source_pitch, const float* target,
                                     std::size_t target_pitch, std::size_t width, std::size_t rows) {
  using kernels::Status;
  std::size_t source_bytes = 0, target_bytes = 0;
  if (source == nullptr || target == nullptr) return Status::null_pointer;
  if (width == 0 || rows == 0 || width > stencil_greatest) return Status::bad_size;
  if (source_pitch < width || target_pitch < width) return Status::bad_pitch;
  if (!kernels::detail::multiply(source_pitch, rows, source_bytes) || source_bytes >> 61 != 0 ||
      !kernels::detail::multiply(target_pitch, rows, target_bytes) || target_bytes >> 61 != 0)
    return Status::bad_size;
  if (source_pitch % 4 != 0 || target_pitch % 4 != 0 || !kernels::detail::aligned_to(source, 16) ||
      !kernels::detail::aligned_to(target, 16))
    return Status::misaligned;
  if (kernels::detail::overlap(source, source_bytes * 4, target, target_bytes * 4)) return Status::overlapping;
  return Status::success;
}

/// Planes of a block: the chunk that ends soonest when `resident` blocks run at once and each reads 2 R planes more.
inline std::size_t stencil_chunk(std::size_t tiles, std::size_t depth, std::size_t radius, std::size_t resident) {
  std::size_t best = depth, least = static_cast<std::size_t>(-1);
  for (std::size_t chunks = 1; chunks <= 64 && chunks <= depth; ++chunks) {
    const std::size_t chunk = (depth + chunks - 1) / chunks;
    const std::size_t time = (tiles * chunks + resident - 1) / resident * (chunk + 2 * radius);
    if (time < least) {
      least = time;
      best = chunk;
    }
  }
  return best;
}

/// The map of the volume, and the kernel's leave to use that much shared memory.
template <class Boxes, class Kernel>
bool prepare_boxes(Kernel* kernel, CUtensorMap& map, const kernels::Volume& volume) {
  return Boxes::encode(map, volume) &&
         cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Boxes::bytes) == cudaSuccess;
}

}  // namespace detail

/// target = stencil of source, planes of height x width; the page above.
template <class Form = kernels::NeighboursShuffle, class ShapeOrVoid = void, unsigned Radius>
Status stencil_2d(const float* source, std::size_t source_pitch, float* target, std::size_t target_pitch,
                  std::size_t width, std::size_t height, const StarWeights<2, Radius>& weights,
                  cudaStream_t stream = nullptr) {
  using Shape =
      std::conditional_t<std::is_void_v<ShapeOrVoid>, typename kernels::StencilChoice<Radius>::Plane, ShapeOrVoid>;
  const Status status = detail::check_stencil(source, source_pitch, target, target_pitch, width, height);
  if (status != Status::success) return status;
  const std::size_t strips = (width + kernels::stencil_columns - 1) / kernels::stencil_columns;
  const std::size_t down = (height + Shape::rows - 1) / Shape::rows;
  if (height > detail::stencil_greatest || down > 65535) return Status::bad_size;
  const kernels::Plane plane{
      source, target, source_pitch, target_pitch, static_cast<std::int32_t>(width), static_cast<std::int32_t>(height)};
  const dim3 block(32, Shape::warps);
  dim3 grid(static_cast<unsigned>((strips + Shape::warps - 1) / Shape::warps), static_cast<unsigned>(down));
  if constexpr (Shape::way != kernels::StencilWay::marching)
    grid.x = static_cast<unsigned>((strips + Shape::across - 1) / Shape::across);
  if constexpr (Shape::way == kernels::StencilWay::boxes) {
    using Boxes = kernels::detail::StencilBoxes<Shape::rows, 1, Radius, 0>;
    const auto kernel = kernels::stencil_2d_boxes<Form, Shape, Radius>;
    kernels::Volume volume{source, target, source_pitch, source_pitch * height, target_pitch, target_pitch * height};
    volume.width = plane.width;
    volume.height = plane.height;
    volume.depth = 1;
    CUtensorMap map;
    if (!detail::prepare_boxes<Boxes>(kernel, map, volume)) return Status::launch_failed;
    kernel<<<grid, block, Boxes::bytes, stream>>>(map, plane, weights);
  } else if constexpr (Shape::way == kernels::StencilWay::pieces) {
    kernels::stencil_2d_pieces<Form, Shape, Radius><<<grid, block, 0, stream>>>(plane, weights);
  } else {
    kernels::stencil_2d<Form, Shape, Radius><<<grid, block, 0, stream>>>(plane, weights);
  }
  return kernels::detail::launched();
}

/// target = stencil of source, dense planes of height rows, depth of them; the page above.
template <class Form = kernels::NeighboursShuffle, class ShapeOrVoid = void, unsigned Radius>
Status stencil_3d(const float* source, std::size_t source_pitch, float* target, std::size_t target_pitch,
                  std::size_t width, std::size_t height, std::size_t depth, const StarWeights<3, Radius>& weights,
                  cudaStream_t stream = nullptr) {
  using Shape =
      std::conditional_t<std::is_void_v<ShapeOrVoid>, typename kernels::StencilChoice<Radius>::Space, ShapeOrVoid>;
  std::size_t rows = 0;
  if (height > detail::stencil_greatest || depth > detail::stencil_greatest ||
      !kernels::detail::multiply(height, depth, rows))
    return Status::bad_size;
  const Status status = detail::check_stencil(source, source_pitch, target, target_pitch, width, rows);
  if (status != Status::success) return status;
  const std::size_t across = (width + kernels::stencil_columns - 1) / kernels::stencil_columns;
  const std::size_t down = (height + Shape::tile_rows - 1) / Shape::tile_rows;
  const std::size_t resident = std::size_t{kernels::detail::multiprocessors()} * Shape::blocks;
  if (down > 65535) return Status::bad_size;
  if (resident == 0) return Status::launch_failed;
  std::size_t chunk;
  if constexpr (Shape::way == kernels::StencilWay::pieces)
    chunk = Shape::tile_planes;
  else
    chunk = Shape::chunk != 0 ? Shape::chunk : detail::stencil_chunk(across * down, depth, Radius, resident);
  if (Shape::way != kernels::StencilWay::pieces && (depth + chunk - 1) / chunk > 65535) chunk = (depth + 65534) / 65535;
  if ((depth + chunk - 1) / chunk > 65535) return Status::bad_size;
  kernels::Volume volume{source, target, source_pitch, source_pitch * height, target_pitch, target_pitch * height};
  volume.width = static_cast<std::int32_t>(width);
  volume.height = static_cast<std::int32_t>(height);
  volume.depth = static_cast<std::int32_t>(depth);
  volume.chunk = static_cast<std::int32_t>(chunk);
  const dim3 grid(static_cast<unsigned>(across), static_cast<unsigned>(down),
                  static_cast<unsigned>((depth + chunk - 1) / chunk));
  const dim3 block(32, Shape::warps);
  if constexpr (Shape::way == kernels::StencilWay::boxes) {
    using Boxes = kernels::detail::StencilBoxes<Shape::tile_rows, Shape::template slots<Radius>, Radius, Shape::margin>;
    const auto kernel = kernels::stencil_3d_boxes<Form, Shape, Radius>;
    CUtensorMap map;
    if (!detail::prepare_boxes<Boxes>(kernel, map, volume)) return Status::launch_failed;
    kernel<<<grid, block, Boxes::bytes, stream>>>(map, volume, weights);
  } else if constexpr (Shape::way == kernels::StencilWay::pieces) {
    kernels::stencil_3d_pieces<Form, Shape, Radius><<<grid, block, 0, stream>>>(volume, weights);
  } else {
    kernels::stencil_3d<Form, Shape, Radius><<<grid, block, 0, stream>>>(volume, weights);
  }
  return kernels::detail::launched();
}

}  // namespace lanebank
