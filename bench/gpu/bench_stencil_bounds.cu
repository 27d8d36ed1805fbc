// What a stencil in a volume could reach: the same reads and writes without its sums, beside a copy of the volume.
//
//   nvcc -std=c++17 -O3 -arch=sm_90a -I include bench/gpu/bench_stencil_bounds.cu -o bench_stencil_bounds
//   ./bench_stencil_bounds           CSV rows as kernel_bench.cuh has them
//   ./bench_stencil_bounds once      one launch of each, for ncu
//
// Contenders: planes copied in tiles of 128 columns while marching along z; the same through boxes of the copy engine, with
// and without rows above and below and columns on either side; pieces of rows and planes, all loads first. Nothing is
// checked: what they write is a copy, or nonsense that keeps the loads alive.
#include "kernel_bench.cuh"
#include "lanebank/stencil.cuh"

using namespace lanebank::kernels;
using kernel_bench::Contender;

namespace {

constexpr std::int32_t width = 1024, height = 512, depth = 512;
constexpr std::uint64_t row = width, plane = std::uint64_t{row} * height;
constexpr double moved = 2.0 * sizeof(float) * width * height * depth;

/// Warp: a row of the tile; `Ahead` planes under way.
template <unsigned Warps, unsigned Ahead>
__global__ void march(const float* in, float* out, std::int32_t chunk) {
  const std::int32_t first = static_cast<std::int32_t>(blockIdx.z) * chunk, end = min(first + chunk, depth);
  const std::uint64_t at = static_cast<std::uint64_t>(first) * plane + (blockIdx.y * Warps + threadIdx.y) * row +
                           blockIdx.x * stencil_columns + threadIdx.x * 4;
  const float* from = in + at;
  float* to = out + at;
  float4 held[Ahead];
#pragma unroll
  for (unsigned k = 0; k < Ahead; ++k) held[k] = *reinterpret_cast<const float4*>(from + k * plane);
  for (std::int32_t z = first; z < end; z += static_cast<std::int32_t>(Ahead)) {
#pragma unroll
    for (unsigned k = 0; k < Ahead; ++k, from += plane, to += plane) {
      *reinterpret_cast<float4*>(to) = held[k];
      if (z + static_cast<std::int32_t>(k + Ahead) < end)
        held[k] = *reinterpret_cast<const float4*>(from + Ahead * plane);
    }
  }
}

/// As stencil_3d_boxes marches, with a barrier a plane.
template <class Shape, unsigned R>
__global__ void __launch_bounds__(32 * Shape::warps, Shape::blocks)
    boxes(const __grid_constant__ CUtensorMap map, float* out, std::int32_t chunk) {
  constexpr unsigned rows = Shape::rows, slots = Shape::template slots<R>;
  using Boxes = lanebank::kernels::detail::StencilBoxes<Shape::tile_rows, slots, R, Shape::margin>;
  extern __shared__ __align__(128) unsigned char memory[];
  __shared__ __align__(8) std::uint64_t filled[slots];
  const auto tile = [&](unsigned slot) -> const typename Boxes::Tile& {
    return *reinterpret_cast<const typename Boxes::Tile*>(memory + slot * Boxes::pitch_bytes);
  };
  const std::int32_t x = static_cast<std::int32_t>(blockIdx.x * stencil_columns),
                     y = static_cast<std::int32_t>(blockIdx.y * Shape::tile_rows),
                     first = static_cast<std::int32_t>(blockIdx.z) * chunk, end = min(first + chunk, depth);
  const std::int32_t reach = static_cast<std::int32_t>(R), steps = end - first + 2 * reach;
  const auto barrier = shared_address(filled);
  const auto ask = [&](std::int32_t n, unsigned slot) {
    if (n < steps) Boxes::ask(map, tile(slot), barrier + 8 * slot, x, y, first - reach + n);
  };
  const bool asks = threadIdx.x == 0 && threadIdx.y == 0;
  if (asks) {
    for (unsigned slot = 0; slot < slots; ++slot) mbarrier_init(barrier + 8 * slot, 1);
    mbarrier_fence_init();
    for (unsigned slot = 0; slot < slots; ++slot) ask(static_cast<std::int32_t>(slot), slot);
  }
  __syncthreads();
  unsigned slot = 0, parity = 0;
  for (std::int32_t n = 0; n < steps; ++n) {
    mbarrier_wait(barrier + 8 * slot, parity);
    if (n >= reach && n < steps - reach)
      for (unsigned r = 0; r < rows; ++r) {
        const unsigned in_tile = threadIdx.y * rows + r;
        *reinterpret_cast<float4*>(out + static_cast<std::uint64_t>(first - reach + n) * plane +
                                   (static_cast<std::uint64_t>(y) + in_tile) * row + blockIdx.x * stencil_columns +
                                   threadIdx.x * 4) = Boxes::own(tile(slot), R + in_tile);
      }
    __syncthreads();
    if (asks) ask(n + static_cast<std::int32_t>(slots), slot);
    parity ^= slot + 1 == slots;
    slot = slot + 1 == slots ? 0 : slot + 1;
  }
}

/// Warp: Rows rows of Planes planes and R more of each on either side, but for the columns.
template <unsigned Down, unsigned Rows, unsigned Planes, unsigned R, unsigned Blocks>
__global__ void __launch_bounds__(32 * Down, Blocks) pieces(const float* in, float* out) {
  const std::uint64_t x = blockIdx.x * stencil_columns + threadIdx.x * 4;
  const std::int32_t y = static_cast<std::int32_t>((blockIdx.y * Down + threadIdx.y) * Rows),
                     z = static_cast<std::int32_t>(blockIdx.z * Planes);
  const auto inside = [](std::int32_t i, unsigned more, std::int32_t extent) {
    return static_cast<std::uint64_t>(min(max(i + static_cast<std::int32_t>(more) - static_cast<std::int32_t>(R), 0), extent - 1));
  };
  float4 held[Planes + 2 * R][Rows + 2 * R];
#pragma unroll
  for (unsigned k = 0; k < Planes + 2 * R; ++k)
#pragma unroll
    for (unsigned i = 0; i < Rows + 2 * R; ++i)
      if ((k + 1 > R && k < Planes + R) || (i + 1 > R && i < Rows + R))  // a cross
        held[k][i] = *reinterpret_cast<const float4*>(in + inside(z, k, depth) * plane + inside(y, i, height) * row + x);
#pragma unroll
  for (unsigned k = R; k < Planes + R; ++k)
#pragma unroll
    for (unsigned i = R; i < Rows + R; ++i) {
      float4 sum = held[k][i];
#pragma unroll
      for (unsigned d = 1; d <= R; ++d) {
        sum.x += held[k - d][i].x + held[k + d][i].x;
        sum.y += held[k][i - d].y + held[k][i + d].y;
      }
      *reinterpret_cast<float4*>(out + (static_cast<std::uint64_t>(z) + k - R) * plane +
                                 (static_cast<std::uint64_t>(y) + i - R) * row + x) = sum;
    }
}

std::string text(unsigned number, const char* unit) { return std::to_string(number) + " " + unit; }

struct Bounds {
  const float* in;
  float* out;
  std::vector<Contender> all;

  template <unsigned Warps, unsigned Ahead>
  void add_march(std::int32_t chunk) {
    all.push_back({"marching: " + text(Warps, "warps, ") + text(Ahead, "ahead, chunk ") + std::to_string(chunk), moved,
                   [=](cudaStream_t stream) {
                     const dim3 grid(width / stencil_columns, height / Warps, static_cast<unsigned>(depth / chunk));
                     march<Warps, Ahead><<<grid, dim3(32, Warps), 0, stream>>>(in, out, chunk);
                   }});
  }
  template <class Shape, unsigned R>
  void add_boxes() {
    using Boxes = lanebank::kernels::detail::StencilBoxes<Shape::tile_rows, Shape::template slots<R>, R, Shape::margin>;
    Volume volume{in, out, row, plane, row, plane};
    volume.width = width, volume.height = height, volume.depth = depth;
    CUtensorMap map;
    if (!Boxes::encode(map, volume)) {
      std::fprintf(stderr, "no tensor map\n");
      std::exit(1);
    }
    GPU_CHECK(cudaFuncSetAttribute(boxes<Shape, R>, cudaFuncAttributeMaxDynamicSharedMemorySize, Boxes::bytes));
    all.push_back({"boxes: " + text(Shape::warps, "warps, ") + text(Shape::rows, "rows, ") +
                       text(Shape::blocks, "blocks, ") + text(Shape::ahead, "ahead, chunk ") +
                       std::to_string(Shape::chunk) + ", " + text(R, "rows above and below, ") +
                       text(Shape::margin, "columns on either side"),
                   moved, [=](cudaStream_t stream) {
                     const dim3 grid(width / stencil_columns, height / Shape::tile_rows, depth / Shape::chunk);
                     boxes<Shape, R><<<grid, dim3(32, Shape::warps), Boxes::bytes, stream>>>(map, out, Shape::chunk);
                   }});
  }
  template <unsigned Down, unsigned Rows, unsigned Planes, unsigned R, unsigned Blocks>
  void add_pieces() {
    all.push_back({"pieces: " + text(Down, "down, ") + text(Rows, "rows, ") + text(Planes, "planes, ") +
                       text(Blocks, "blocks, ") + text(R, "more of each"),
                   moved, [=](cudaStream_t stream) {
                     const dim3 grid(width / stencil_columns, height / Down / Rows, depth / Planes);
                     pieces<Down, Rows, Planes, R, Blocks><<<grid, dim3(32, Down), 0, stream>>>(in, out);
                   }});
  }
};

}  // namespace

int main(int argc, char** argv) {
  const kernel_bench::Buffer<float> source(plane * depth), target(plane * depth);
  Bounds bounds{source.get(), target.get(), {}};
  bounds.all.push_back(gpu_bench::copy_contender(target.get(), source.get(), plane * depth * sizeof(float)));
  for (const std::int32_t chunk : {16, 64, 512}) bounds.add_march<16, 4>(chunk);
  constexpr BoxSync together = BoxSync::block;
  bounds.add_boxes<Stencil3dBoxes<8, 2, 3, 4, 16>, 0>();
  bounds.add_boxes<Stencil3dBoxes<8, 2, 3, 4, 16, together, 4>, 0>();
  bounds.add_boxes<Stencil3dBoxes<8, 2, 3, 4, 16>, 1>();
  bounds.add_boxes<Stencil3dBoxes<8, 2, 3, 4, 16, together, 4>, 1>();
  bounds.add_boxes<Stencil3dBoxes<8, 2, 4, 3, 8>, 1>();
  bounds.add_boxes<Stencil3dBoxes<16, 2, 1, 4, 128, together, 4>, 4>();
  bounds.add_pieces<8, 2, 2, 0, 3>();
  bounds.add_pieces<8, 2, 2, 1, 3>();
  bounds.add_pieces<8, 2, 4, 1, 2>();
  if (kernel_bench::has_argument(argc, argv, "once")) {
    for (const Contender& one : bounds.all) one.run(nullptr);
    GPU_CHECK(cudaDeviceSynchronize());
    return 0;
  }
  kernel_bench::print_machine();
  kernel_bench::print_header();
  kernel_bench::Bench bench;
  bench.measure(bounds.all, 10);
  kernel_bench::print_rows("stencil3d", "bounds 1024x512x512", bounds.all, 0);
}
