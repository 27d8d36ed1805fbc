// The first steps of the matrix product on small matrices of whole numbers, which are exact in every order of sums: each
// element of C bit for bit against a CPU reference. Arguments: `wmma`, the step with the conflict; `edges`, sizes that end
// inside tiles and rows without alignment; none, whole tiles of the steps without conflicts.
#include "lanebank/kernels/gemm_steps.cuh"

#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

using namespace lanebank;
using namespace lanebank::kernels;
using Half = __half;

static const unsigned seed = 271828;
static int failures = 0;

/// Does tile_place go through rows x columns tiles once each?
constexpr bool visits_all(std::uint32_t rows, std::uint32_t columns, std::uint32_t group) {
  bool visited[256] = {};
  for (std::uint32_t i = 0; i < rows * columns; ++i) {
    const TilePlace place = tile_place(i, rows, columns, group);
    if (place.row >= rows || place.column >= columns || visited[place.row * columns + place.column]) return false;
    visited[place.row * columns + place.column] = true;
  }
  return true;
}
static_assert(visits_all(1, 1, 8) && visits_all(16, 16, 4) && visits_all(13, 7, 3) && visits_all(5, 9, 16));
static_assert(tile_place(3, 5, 4, 2).row == 1 && tile_place(3, 5, 4, 2).column == 1);
static_assert(tile_place(8, 5, 4, 2).row == 2 && tile_place(18, 5, 4, 2).column == 2);

template <class Out>
void check(const char* name, void (*kernel)(GemmMatrices<Half, Out>, std::uint32_t), unsigned m, unsigned n, unsigned k,
           unsigned extra) {
  std::mt19937 random(seed + m + n + k);
  const auto fill = [&](std::vector<Half>& matrix) {
    for (Half& x : matrix) x = __float2half(static_cast<float>(static_cast<int>(random() % 7) - 3));
  };
  std::vector<Half> a(std::size_t{m} * (k + extra)), b(std::size_t{n} * (k + extra));
  std::vector<Out> c(std::size_t{m} * (n + extra));
  fill(a), fill(b);
  std::memset(c.data(), 0xee, c.size() * sizeof(Out));
  GemmMatrices<Half, Out> x;
  Half *to_a = nullptr, *to_b = nullptr;
  cudaMalloc(&to_a, a.size() * 2);
  cudaMalloc(&to_b, b.size() * 2);
  cudaMalloc(&x.c, c.size() * sizeof(Out));
  cudaMemcpy(to_a, a.data(), a.size() * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(to_b, b.data(), b.size() * 2, cudaMemcpyHostToDevice);
  cudaMemcpy(x.c, c.data(), c.size() * sizeof(Out), cudaMemcpyHostToDevice);
  x.a = to_a, x.b = to_b, x.m = m, x.n = n, x.k = k;
  x.a_pitch = x.b_pitch = k + extra, x.c_pitch = n + extra;
  kernel<<<((m + 127) / 128) * ((n + 127) / 128), 128>>>(x, 2);
  std::size_t wrong = cudaMemcpy(c.data(), x.c, c.size() * sizeof(Out), cudaMemcpyDeviceToHost) != cudaSuccess;
  for (unsigned i = 0; i < m; ++i)
    for (unsigned j = 0; j < n + extra; ++j) {
      float sum = 0;
      if (j < n)
        for (unsigned p = 0; p < k; ++p)
          sum += __half2float(a[std::size_t{i} * (k + extra) + p]) * __half2float(b[std::size_t{j} * (k + extra) + p]);
      Out wanted;
      std::memset(&wanted, 0xee, sizeof wanted);
      if constexpr (sizeof(Out) == 4) {
        if (j < n) wanted = sum;
      } else {
        if (j < n) wanted = __float2half(sum);
      }
      wrong += std::memcmp(&wanted, &c[std::size_t{i} * (n + extra) + j], sizeof wanted) != 0;
    }
  std::printf("%-9s %u x %u x %u, pitch + %u, %s: %s\n", name, m, n, k, extra, sizeof(Out) == 4 ? "float" : "half",
              wrong == 0 ? "right" : "WRONG");
  failures += wrong != 0;
  cudaFree(to_a), cudaFree(to_b), cudaFree(x.c);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "whole";
  std::printf("seed %u\n", seed);
  if (std::strcmp(what, "wmma") == 0) {
    check<Half>("wmma", gemm_wmma<Half, Half>, 128, 256, 128, 0);
  } else if (std::strcmp(what, "edges") == 0) {
    check<Half>("wmma", gemm_wmma<Half, Half>, 131, 33, 67, 1);
    check<Half>("padded", gemm_steps_padded<Half, Half>, 131, 33, 67, 1);
    check<float>("swizzled", gemm_steps_swizzled<Half, float>, 64, 130, 72, 8);
  } else {
    check<Half>("padded", gemm_steps_padded<Half, Half>, 128, 256, 128, 0);
    check<float>("swizzled", gemm_steps_swizzled<Half, float>, 256, 128, 128, 0);
  }
  return failures != 0;
}
