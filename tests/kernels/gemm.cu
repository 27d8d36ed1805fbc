// lanebank::gemm on small matrices: every element of C, and what lies between its rows, against a CPU reference. Small whole
// numbers are exact in every order of sums: C must be equal bit for bit. Random normal numbers: |C - reference| at most
// 2^-8 |reference| + 2^-20 sqrt(K) x sum |a b| for 16-bit results (2^-8: one rounding to bfloat16), without the first
// term for floats. Arguments: none, whole tiles; `edges`, sizes that end inside tiles, and arguments that are refused; `pairs`,
// the kernel with clusters, on a device (the emulated one has no multicast).
#include "lanebank/gemm.cuh"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

using lanebank::Status;
using lanebank::GemmKernel;
using lanebank::GemmMatrices;
using lanebank::MatrixB;
using Half = __half;
using Bfloat = __nv_bfloat16;

static const unsigned seed = 20240229;
static int failures = 0;

struct Case {
  unsigned m, n, k, extra = 0, shift = 0;  ///< extra elements in the pitches; first element of the allocations
  bool normal = false;
  int multiprocessors = 0;  ///< blocks that share the tiles of kernels with a ring; 0: as lanebank::gemm has it
};

template <class T>
T from_float(float value) {
  if constexpr (std::is_same_v<T, Half>) return __float2half(value);
  if constexpr (std::is_same_v<T, Bfloat>) return __float2bfloat16(value);
  return value;
}
template <class T>
float to_float(T value) {
  if constexpr (std::is_same_v<T, Half>) return __half2float(value);
  if constexpr (std::is_same_v<T, Bfloat>) return __bfloat162float(value);
  return value;
}

template <class T>
struct Matrix {
  std::vector<T> host;
  std::vector<float> values;
  T* device = nullptr;
  unsigned rows, columns, pitch, shift;

  Matrix(unsigned r, unsigned c, const Case& x) : rows(r), columns(c), pitch(c + x.extra), shift(x.shift) {
    host.resize(std::size_t{rows} * pitch + shift);
    cudaMalloc(&device, host.size() * sizeof(T) + 16);
    std::memset(host.data(), 0xee, host.size() * sizeof(T));
  }
  ~Matrix() { cudaFree(device); }
  T* at(unsigned row, unsigned column) { return &host[shift + std::size_t{row} * pitch + column]; }
  void up() { cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice); }
  cudaError_t down() { return cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost); }
  void fill(std::mt19937& random, bool normal) {
    std::normal_distribution<float> gauss;
    values.resize(std::size_t{rows} * columns);
    for (unsigned r = 0; r < rows; ++r)
      for (unsigned c = 0; c < columns; ++c) {
        *at(r, c) = from_float<T>(normal ? gauss(random) : static_cast<float>(static_cast<int>(random() % 7) - 3));
        values[std::size_t{r} * columns + c] = to_float(*at(r, c));
      }
    up();
  }
};

template <MatrixB B, class In, class Out>
std::size_t count_wrong(Matrix<In>& a, Matrix<In>& b, Matrix<Out>& c, const Case& x) {
  std::size_t wrong = 0;
  std::vector<float> sum(x.n), size(x.n);
  for (unsigned i = 0; i < x.m; ++i) {
    sum.assign(x.n, 0), size.assign(x.n, 0);
    for (unsigned p = 0; p < x.k; ++p)
      for (unsigned j = 0; j < x.n; ++j) {
        const std::size_t place = B == MatrixB::n_by_k ? std::size_t{j} * x.k + p : std::size_t{p} * x.n + j;
        const float product = a.values[std::size_t{i} * x.k + p] * b.values[place];
        sum[j] += product, size[j] += std::fabs(product);
      }
    for (unsigned j = 0; j < c.pitch; ++j) {
      if (j >= x.n) {
        const unsigned char* bytes = reinterpret_cast<const unsigned char*>(c.at(i, j));
        for (std::size_t byte = 0; byte < sizeof(Out); ++byte) wrong += bytes[byte] != 0xee;
        continue;
      }
      const float found = to_float(*c.at(i, j));
      const float rounding = sizeof(Out) == 2 ? std::ldexp(std::fabs(sum[j]), -8) : 0.f;
      const float allowed = rounding + std::ldexp(std::sqrt(static_cast<float>(x.k)) * size[j], -20);
      wrong += x.normal ? !(std::fabs(found - sum[j]) <= allowed) : found != to_float(from_float<Out>(sum[j]));
    }
  }
  return wrong;
}

static const char* kernel_name(GemmKernel kernel) {
  const char* names[] = {"automatic", "multistage", "mma_ring", "wgmma", "pairs"};
  return names[static_cast<int>(kernel)];
}

template <MatrixB B, class In, class Out>
Status run(const GemmMatrices<In, Out>& x, GemmKernel kernel, int multiprocessors) {
  using namespace lanebank::kernels;
  if (multiprocessors == 0) return lanebank::gemm<B>(x, nullptr, kernel);
  const GemmDevice device{9, multiprocessors, true};
  using Ring = MmaRingShape<B, 256, 3, 6, 2, 14, 4>;  // 512 rows: two tiles of 192 rows and one of 128
  if (kernel == GemmKernel::mma_ring) return launch_mma_ring<Ring>(x, 1, device, nullptr);
  if (kernel == GemmKernel::wgmma) return launch_wgmma<WgmmaShape<B, 256, 3, 1, 4>>(x, 1, device, nullptr);
  return launch_wgmma<WgmmaShape<B>>(x, 1, device, nullptr);
}

template <MatrixB B, class In, class Out>
void check(const char* types, GemmKernel kernel, const Case& x) {
  std::mt19937 random(seed + x.m * 31 + x.n * 17 + x.k);
  Matrix<In> a(x.m, x.k, x), b(B == MatrixB::n_by_k ? x.n : x.k, B == MatrixB::n_by_k ? x.k : x.n, x);
  Matrix<Out> c(x.m, x.n, x);
  a.fill(random, x.normal);
  b.fill(random, x.normal);
  c.up();
  GemmMatrices<In, Out> matrices;
  matrices.a = a.device + x.shift, matrices.b = b.device + x.shift, matrices.c = c.device + x.shift;
  matrices.m = x.m, matrices.n = x.n, matrices.k = x.k;
  matrices.a_pitch = a.pitch, matrices.b_pitch = b.pitch, matrices.c_pitch = c.pitch;
  const Status error = run<B>(matrices, kernel, x.multiprocessors);
  const bool ran = error == Status::success && c.down() == cudaSuccess;
  const std::size_t wrong = ran ? count_wrong<B>(a, b, c, x) : 1;
  std::printf("%-10s %s, %s, %u x %u x %u, pitch + %u, from %u, %s: %s\n", kernel_name(kernel), types,
              B == MatrixB::n_by_k ? "A B^T" : "A B", x.m, x.n, x.k, x.extra, x.shift,
              x.normal                ? "normal"
              : x.multiprocessors > 0 ? "few blocks"
                                      : "whole numbers",
              wrong == 0 ? "right"
              : ran      ? "WRONG"
                         : status_name(error));
  failures += wrong != 0;
}

static void check_whole(GemmKernel kernel) {
  check<MatrixB::n_by_k, Bfloat, Bfloat>("bfloat16", kernel, {256, 256, 320});
  check<MatrixB::k_by_n, Half, float>("half to float", kernel, {256, 256, 128});
  check<MatrixB::n_by_k, Bfloat, Bfloat>("bfloat16", kernel, {256, 256, 128, 0, 0, true});
  if (kernel == GemmKernel::multistage) return;
  // Several tiles of C for a block, the ring's phase carried from one to the next.
  check<MatrixB::n_by_k, Bfloat, Bfloat>("bfloat16", kernel, {512, 512, 192, 0, 0, false, 2});
  check<MatrixB::k_by_n, Half, float>("half to float", kernel, {512, 512, 64, 0, 0, false, 2});
}

static void check_edges(GemmKernel kernel) {
  check<MatrixB::n_by_k, Bfloat, Bfloat>("bfloat16", kernel, {136, 264, 72, 8});
  check<MatrixB::n_by_k, Bfloat, Bfloat>("bfloat16", kernel, {389, 300, 40});
  check<MatrixB::k_by_n, Half, float>("half to float", kernel, {130, 328, 104, 0, 8});
  check<MatrixB::k_by_n, Half, float>("half to float", kernel, {1, 8, 8, 0, 0, true});
}

static void check_unaligned() {
  check<MatrixB::n_by_k, Bfloat, Bfloat>("bfloat16", GemmKernel::automatic, {65, 130, 67, 0, 1});
  check<MatrixB::k_by_n, Half, float>("half to float", GemmKernel::automatic, {129, 77, 33, 2, 3});
  check<MatrixB::n_by_k, Bfloat, Bfloat>("bfloat16", GemmKernel::automatic, {1, 1, 1, 0, 0, true});
  check<MatrixB::n_by_k, Bfloat, Bfloat>("bfloat16", GemmKernel::automatic, {33, 17, 0});
}

static void expect(Status wanted, const GemmMatrices<Bfloat, Bfloat>& x, const char* what) {
  const Status found = lanebank::gemm(x);
  std::printf("%s: %s\n", what, status_name(found));
  failures += found != wanted;
}

static void check_errors() {
  Bfloat* memory = nullptr;
  cudaMalloc(&memory, 3 * 64 * 64 * 2);
  cudaMemset(memory, 0xee, 3 * 64 * 64 * 2);
  GemmMatrices<Bfloat, Bfloat> x, y;
  x.a = memory, x.b = memory + 64 * 64, x.c = memory + 2 * 64 * 64;
  x.m = x.n = x.k = x.a_pitch = x.b_pitch = x.c_pitch = 64;
  y = x, y.a = nullptr, expect(Status::null_pointer, y, "no A");
  y = x, y.c = nullptr, expect(Status::null_pointer, y, "no C");
  y = x, y.b_pitch = 63, expect(Status::bad_pitch, y, "short pitch of B");
  y = x, y.c_pitch = 0, expect(Status::bad_pitch, y, "no pitch of C");
  y = x, y.c = memory + 64, expect(Status::overlapping, y, "C inside A");
  y = x, y.c = memory + 2 * 64 * 64 - 1, expect(Status::overlapping, y, "C on the last element of B");
  y = x, y.m = std::uint64_t{1} << 31, expect(Status::bad_size, y, "2^31 rows");
  y = x, y.a_pitch = ~std::uint64_t{0} / 2, expect(Status::bad_size, y, "pitch of 2^63");
  y = x, y.a = reinterpret_cast<Bfloat*>(reinterpret_cast<char*>(memory) + 1);
  expect(Status::misaligned, y, "A at an odd address");
  y = x, y.m = 0, y.a = nullptr, y.c = nullptr, expect(Status::success, y, "no rows");
  std::vector<unsigned char> bytes(3 * 64 * 64 * 2);
  cudaMemcpy(bytes.data(), memory, bytes.size(), cudaMemcpyDeviceToHost);
  std::size_t touched = 0;
  for (const unsigned char byte : bytes) touched += byte != 0xee;
  std::printf("nothing launched: %s\n", touched == 0 ? "right" : "WRONG");
  failures += touched != 0;
  cudaFree(memory);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "whole";
  std::printf("seed %u\n", seed);
  if (std::strcmp(what, "edges") == 0) {
    check_errors();
    for (const GemmKernel kernel : {GemmKernel::multistage, GemmKernel::mma_ring, GemmKernel::wgmma})
      check_edges(kernel);
    check_unaligned();
  } else if (std::strcmp(what, "pairs") == 0) {
    check_whole(GemmKernel::wgmma_pairs);
    check_edges(GemmKernel::wgmma_pairs);
  } else {
    for (const GemmKernel kernel : {GemmKernel::multistage, GemmKernel::mma_ring, GemmKernel::wgmma})
      check_whole(kernel);
  }
  return failures != 0;
}
