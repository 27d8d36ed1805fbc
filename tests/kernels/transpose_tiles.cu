// transpose_tiles on small matrices; every element against its place in the source. Whole tiles, or with the argument
// `edges` matrices that end inside tiles, pitches and batches. Under `lanebank run` whole tiles also end with 120 if any
// access has excess wavefronts; at edges warps with few active lanes have some (a wavefront per group of lanes).
#include "lanebank/kernels/transpose_tiles.cuh"

#include <cstdio>
#include <vector>

using lanebank::kernels::TransposeSpan;
using lanebank::kernels::TransposeTile;

template <unsigned Bytes>
int check(unsigned rows, unsigned columns, unsigned batches, unsigned extra_bytes) {
  using T = TransposeTile<Bytes>;
  TransposeSpan span;
  span.rows = rows;
  span.columns = columns;
  span.source_pitch = columns * Bytes + extra_bytes;
  span.target_pitch = rows * Bytes + extra_bytes;
  span.source_batch = span.source_pitch * rows;
  span.target_batch = span.target_pitch * columns;
  std::vector<unsigned char> source(span.source_batch * batches), target(span.target_batch * batches, 0xee);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<unsigned char>(i * 2654435761u >> 13);
  unsigned char *from = nullptr, *to = nullptr;
  cudaMalloc(&from, source.size());
  cudaMalloc(&to, target.size());
  cudaMemcpy(from, source.data(), source.size(), cudaMemcpyHostToDevice);
  cudaMemcpy(to, target.data(), target.size(), cudaMemcpyHostToDevice);
  span.source = from;
  span.target = to;
  span.tiles_down = (rows + T::rows - 1) / T::rows;
  const unsigned tiles_across = (columns + T::columns - 1) / T::columns;
  lanebank::kernels::transpose_tiles<Bytes><<<dim3(tiles_across * span.tiles_down, batches), T::threads>>>(span);
  const cudaError_t error = cudaMemcpy(target.data(), to, target.size(), cudaMemcpyDeviceToHost);
  cudaFree(from);
  cudaFree(to);
  std::size_t wrong = error != cudaSuccess;
  for (unsigned batch = 0; batch < batches; ++batch)
    for (unsigned column = 0; column < columns; ++column)
      for (std::size_t byte = 0; byte < span.target_pitch; ++byte) {
        const std::size_t row = byte / Bytes;
        const unsigned char found = target[batch * span.target_batch + column * span.target_pitch + byte];
        const unsigned char wanted =
            row < rows ? source[batch * span.source_batch + row * span.source_pitch + column * Bytes + byte % Bytes] : 0xee;
        wrong += found != wanted;
      }
  std::printf("%2u bytes, %u x %u, %u batches: %s\n", Bytes, rows, columns, batches, wrong == 0 ? "right" : "WRONG");
  return wrong != 0;
}

template <unsigned Bytes>
int check_all(bool edges) {
  using T = TransposeTile<Bytes>;
  constexpr unsigned step = T::vector_elements;
  if (!edges) return check<Bytes>(T::rows, T::columns, 1, 0) + check<Bytes>(2 * T::rows, 3 * T::columns, 2, 0);
  return check<Bytes>(step, step, 3, 0) + check<Bytes>(T::rows + step, T::columns - step, 2, 16) +
         check<Bytes>(3 * step, 2 * T::columns + 3 * step, 1, 32);
}

int main(int argc, char**) {
  const bool edges = argc > 1;
  return check_all<1>(edges) + check_all<2>(edges) + check_all<4>(edges) + check_all<8>(edges) + check_all<16>(edges) != 0;
}
