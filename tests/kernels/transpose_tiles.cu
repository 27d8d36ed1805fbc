// The launches under lanebank::transpose on small matrices: the tiles that large matrices are cut into, the persistent kernel,
// batches of several axes, strips of tiles, and batches that are split over launches. Every element against its place in the source. Whole
// tiles, so under `lanebank run` any excess wavefront fails too; with the argument `edges` matrices that end inside tiles.
#include <cstdio>
#include <vector>

#include "lanebank/kernels/transpose_launch.cuh"

namespace {

using namespace lanebank::kernels;

struct Buffers {
  std::vector<unsigned char> source, target;
  unsigned char *from = nullptr, *to = nullptr;

  explicit Buffers(std::size_t bytes) : source(bytes), target(bytes, 0xee) {
    for (std::size_t i = 0; i < bytes; ++i) source[i] = static_cast<unsigned char>(i * 2654435761u >> 13);
    cudaMalloc(&from, bytes);
    cudaMalloc(&to, bytes);
    cudaMemcpy(from, source.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(to, target.data(), bytes, cudaMemcpyHostToDevice);
  }
  ~Buffers() {
    cudaFree(from);
    cudaFree(to);
  }
};

/// Dense matrices; batch (i, j) of outer x inner lies at j * outer + i in the target.
template <class T, class Launch>
int check(const char* what, unsigned rows, unsigned columns, unsigned outer, unsigned inner, const Launch& launch) {
  const std::size_t matrix_bytes = std::size_t{rows} * columns * T::bytes;
  Buffers buffers(matrix_bytes * outer * inner);
  TransposeSpan span;
  span.source = buffers.from;
  span.target = buffers.to;
  span.rows = rows;
  span.columns = columns;
  span.source_pitch = columns * T::bytes;
  span.target_pitch = rows * T::bytes;
  span.batch_axes = 2;
  span.batch[0] = {Divisor(inner), matrix_bytes, matrix_bytes * outer};
  span.batch[1] = {Divisor(outer), matrix_bytes * inner, matrix_bytes};
  std::size_t wrong = launch(span) != cudaSuccess;
  wrong += cudaMemcpy(buffers.target.data(), buffers.to, buffers.target.size(), cudaMemcpyDeviceToHost) != cudaSuccess;
  for (std::size_t i = 0; i < outer; ++i)
    for (std::size_t j = 0; j < inner; ++j)
      for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t column = 0; column < columns; ++column)
          for (std::size_t byte = 0; byte < T::bytes; ++byte) {
            const std::size_t at = ((j * outer + i) * columns + column) * rows + row;
            const std::size_t wanted = ((i * inner + j) * rows + row) * columns + column;
            wrong += buffers.target[at * T::bytes + byte] != buffers.source[wanted * T::bytes + byte];
          }
  std::printf("%s, %2u bytes, %u x %u, %u x %u batches: %s\n", what, T::bytes, rows, columns, outer, inner,
              wrong == 0 ? "right" : "WRONG");
  return wrong != 0;
}

template <class T>
int check_tiles(bool edges) {
  const auto once = [](const TransposeSpan& span) { return launch_tiles<T>(span, nullptr); };
  const auto in_parts = [](const TransposeSpan& span) { return launch_tiles<T>(span, nullptr, 5); };
  const auto in_strips = [](const TransposeSpan& span) { return launch_tiles<T>(span, nullptr, blocks_max, 2); };
  constexpr unsigned step = T::vector_elements;
  if (edges) return check<T>("in strips", T::rows + step, 3 * T::columns - step, 2, 2, in_strips) +
                    check<T>("in parts", T::rows + step, T::columns - step, 2, 2, in_parts);
  return check<T>("tiles", 2 * T::rows, T::columns, 2, 1, once) + check<T>("in parts", T::rows, T::columns, 2, 3, in_parts);
}

/// All sizes that are chosen from.
template <unsigned Bytes, class... Sizes>
int check_sizes(bool edges, SizeList<Sizes...>) {
  return (check_tiles<TransposeTile<Bytes, Sizes>>(edges) + ...);
}

template <class T>
int check_persistent(bool edges) {
  const auto launch = [](const TransposeSpan& span) {
    const TransposeSpan cut = in_tiles<T>(span);
    const auto tiles = static_cast<unsigned>(cut.blocks());
    transpose_tiles_persistent<T><<<tiles < 3 ? tiles : 3, T::threads, T::Layout::bytes>>>(cut, tiles);
    return cudaGetLastError();
  };
  constexpr unsigned step = T::vector_elements;
  return edges ? check<T>("persistent", 2 * T::rows + step, T::columns + step, 1, 2, launch)
               : check<T>("persistent", 2 * T::rows, 2 * T::columns, 1, 2, launch);
}

}  // namespace

int main(int argc, char**) {
  const bool edges = argc > 1;
  int wrong = check_sizes<1>(edges, TileSizes<1>::List{}) + check_sizes<2>(edges, TileSizes<2>::List{}) +
              check_sizes<4>(edges, TileSizes<4>::List{}) + check_sizes<8>(edges, TileSizes<8>::List{}) +
              check_sizes<16>(edges, TileSizes<16>::List{});
  wrong += check_persistent<TransposeTile<4, TileSize<64, 64, 256, 5>>>(edges);
  return wrong != 0;
}
