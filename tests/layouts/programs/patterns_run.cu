// Patterns on layouts, run: one warp makes every access of a pattern through the library's tiles; the host checks that
// each value went where the layout says, and prints what the proofs predict. run_patterns.py holds the prediction against
// what `lanebank run` counts in the machine code.
//
//   prints   predicted KERNEL KIND WAVEFRONTS IDEAL   per launch, in order, and "ok" or what is wrong
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "lanebank/layout.hpp"
#include "lanebank/proofs.hpp"
#include "lanebank/tile.hpp"

namespace {

using namespace lanebank;
using Half = unsigned short;

struct Place {
  unsigned row, column, active;
};

template <class Word>
__device__ void dump(const unsigned char* shared, Word* image, unsigned bytes) {
  __syncthreads();
  for (unsigned i = threadIdx.x; i < bytes / sizeof(Word); i += 32) image[i] = reinterpret_cast<const Word*>(shared)[i];
}

template <class Word>
__device__ void fill(unsigned char* shared, const Word* image, unsigned bytes) {
  for (unsigned i = threadIdx.x; i < bytes / sizeof(Word); i += 32) reinterpret_cast<Word*>(shared)[i] = image[i];
  __syncthreads();
}

template <class L, class V>
__global__ void store_all(const Place* places, unsigned accesses, const V* values, typename L::value_type* image) {
  __shared__ SharedTile<L> tile;
  for (unsigned k = 0; k < accesses; ++k) {
    const Place place = places[k * 32 + threadIdx.x];
    if (place.active) tile.template vector<V>(place.row, place.column) = values[k * 32 + threadIdx.x];
  }
  dump(tile.storage, image, L::bytes);
}

template <class L, class V>
__global__ void load_all(const Place* places, unsigned accesses, V* values, const typename L::value_type* image) {
  extern __shared__ __align__(1024) unsigned char memory[];
  const Tile<L> tile(aligned_base<1024>(memory));
  fill(memory, image, L::bytes);
  for (unsigned k = 0; k < accesses; ++k) {
    const Place place = places[k * 32 + threadIdx.x];
    if (place.active) values[k * 32 + threadIdx.x] = tile.template vector<V>(place.row, place.column);
  }
}

/// places: the top left element of what access k covers.
template <class L, unsigned Matrices, MatrixOrder Order>
__global__ void ldmatrix_all(const Place* places, unsigned accesses, unsigned* values, const typename L::value_type* image) {
  extern __shared__ __align__(1024) unsigned char memory[];
  const Tile<L> tile(aligned_base<1024>(memory));
  fill(memory, image, L::bytes);
  for (unsigned k = 0; k < accesses; ++k) {
    const unsigned address = tile.template matrix_address<Matrices, Order>(places[k].row, places[k].column, threadIdx.x);
    unsigned r[4] = {};
    if constexpr (Matrices == 4)
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address) : "memory");
    else
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(address) : "memory");
    for (unsigned m = 0; m < Matrices; ++m) values[(k * 32 + threadIdx.x) * 4 + m] = r[m];
  }
}

template <class L, unsigned Matrices, MatrixOrder Order>
__global__ void stmatrix_all(const Place* places, unsigned accesses, const unsigned* values, typename L::value_type* image) {
  __shared__ SharedTile<L> tile;
  for (unsigned k = 0; k < accesses; ++k) {
    const unsigned address = tile.template matrix_address<Matrices, Order>(places[k].row, places[k].column, threadIdx.x);
    const unsigned* r = values + (k * 32 + threadIdx.x) * 4;
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(address), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
  }
  dump(tile.storage, image, L::bytes);
}

template <class L>
__global__ void copy_all(const Place* places, unsigned accesses, const uint4* values, typename L::value_type* image) {
  __shared__ SharedTile<L> tile;
  for (unsigned k = 0; k < accesses; ++k) {
    const Place place = places[k * 32 + threadIdx.x];
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(tile.template copy_address<16>(place.row, place.column)), "l"(values + k * 32 + threadIdx.x) : "memory");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  dump(tile.storage, image, L::bytes);
}

bool all_right = true;

void expect(bool right, const char* what) {
  if (!right) std::printf("wrong: %s\n", what), all_right = false;
}

template <class T>
struct OnDevice {
  explicit OnDevice(const std::vector<T>& host) : size(host.size()) {
    cudaMalloc(&data, size * sizeof(T));
    cudaMemcpy(data, host.data(), size * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~OnDevice() { cudaFree(data); }
  std::vector<T> host() const {
    std::vector<T> copy(size);
    expect(cudaDeviceSynchronize() == cudaSuccess, cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(copy.data(), data, size * sizeof(T), cudaMemcpyDeviceToHost);
    return copy;
  }
  T* data = nullptr;
  std::size_t size;
};

template <class L, class P>
std::vector<Place> places_of() {
  std::vector<Place> places;
  for (unsigned k = 0; k < accesses<L, P>; ++k)
    for (unsigned lane = 0; lane < 32; ++lane) {
      const Coordinate at = P::template at<L>(k, lane);
      places.push_back({at.row, at.column, at.active});
    }
  return places;
}

template <class L, class P>
std::vector<Place> corners_of() {
  std::vector<Place> places;
  for (unsigned k = 0; k < accesses<L, P>; ++k) {
    const Coordinate at = P::template at<L>(k, 0);
    places.push_back({at.row, at.column, 1});
  }
  return places;
}

/// Element (r, c) holds r * columns + c, counted in the element's type.
template <class L>
typename L::value_type value_at(unsigned r, unsigned c) {
  return static_cast<typename L::value_type>(r * L::columns + c);
}

template <class L>
std::vector<typename L::value_type> image_of() {
  std::vector<typename L::value_type> image(L::bytes / L::element_bytes);
  for (unsigned r = 0; r < L::rows; ++r)
    for (unsigned c = 0; c < L::columns; ++c) image[L::offset(r, c) / L::element_bytes] = value_at<L>(r, c);
  return image;
}

/// The values of every access as its lanes hold them.
template <class L, class V>
std::vector<V> lane_values(const std::vector<Place>& places) {
  std::vector<V> values(places.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    for (unsigned n = 0; n < sizeof(V) / L::element_bytes && places[i].active; ++n) {
      const typename L::value_type value = value_at<L>(places[i].row, places[i].column + n);
      std::memcpy(reinterpret_cast<char*>(&values[i]) + n * sizeof value, &value, sizeof value);
    }
  return values;
}

template <class L, class P>
void predict(const char* kernel, const char* kind) {
  std::printf("predicted %s %s %u %u\n", kernel, kind, wavefronts<L, P>, ideal_wavefronts<L, P>);
}

template <class L>
void expect_image(const std::vector<typename L::value_type>& image, const char* what) {
  bool right = true;
  for (unsigned r = 0; r < L::rows; ++r)
    for (unsigned c = 0; c < L::columns; ++c)
      right = right && image[L::offset(r, c) / L::element_bytes] == value_at<L>(r, c);
  expect(right, what);
}

template <class L, class V, class P>
void run_store() {
  const std::vector<Place> places = places_of<L, P>();
  OnDevice<Place> on(places);
  OnDevice<V> values(lane_values<L, V>(places));
  OnDevice<typename L::value_type> image(std::vector<typename L::value_type>(L::bytes / L::element_bytes));
  predict<L, P>("store_all", "store");
  store_all<L, V><<<1, 32>>>(on.data, accesses<L, P>, values.data, image.data);
  expect_image<L>(image.host(), "store_all");
}

template <class L, class V, class P>
void run_load() {
  const std::vector<Place> places = places_of<L, P>();
  OnDevice<Place> on(places);
  OnDevice<V> values(std::vector<V>(places.size()));
  OnDevice<typename L::value_type> image(image_of<L>());
  predict<L, P>("load_all", "load");
  load_all<L, V><<<1, 32, L::bytes>>>(on.data, accesses<L, P>, values.data, image.data);
  const std::vector<V> got = values.host(), should = lane_values<L, V>(places);
  expect(std::memcmp(got.data(), should.data(), got.size() * sizeof(V)) == 0, "load_all");
}

/// Register m of lane l holds elements (l / 4, 2 (l mod 4)) and the next of matrix m; the matrix lies where its first row does.
template <class L, unsigned Matrices, MatrixOrder Order>
std::vector<unsigned> fragments(const std::vector<Place>& corners) {
  std::vector<unsigned> values(corners.size() * 32 * 4);
  for (std::size_t k = 0; k < corners.size(); ++k)
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned m = 0; m < Matrices; ++m) {
        const Coordinate matrix = matrix_row<Matrices, Order>(8 * m, 8);
        const unsigned row = corners[k].row + matrix.row + lane / 4, column = corners[k].column + matrix.column + lane % 4 * 2;
        values[(k * 32 + lane) * 4 + m] = value_at<L>(row, column) | unsigned{value_at<L>(row, column + 1)} << 16;
      }
  return values;
}

template <class L, unsigned Matrices = 4, MatrixOrder Order = MatrixOrder::down_then_right>
void run_ldmatrix() {
  using P = patterns::ldmatrix<Matrices, Order>;
  const std::vector<Place> corners = corners_of<L, P>();
  OnDevice<Place> on(corners);
  OnDevice<unsigned> values(std::vector<unsigned>(corners.size() * 32 * 4));
  OnDevice<Half> image(image_of<L>());
  predict<L, P>("ldmatrix_all", "matrix_load");
  ldmatrix_all<L, Matrices, Order><<<1, 32, L::bytes>>>(on.data, accesses<L, P>, values.data, image.data);
  expect(values.host() == fragments<L, Matrices, Order>(corners), "ldmatrix_all");
}

template <class L, MatrixOrder Order = MatrixOrder::down_then_right>
void run_stmatrix() {
  using P = patterns::stmatrix<4, Order>;
  const std::vector<Place> corners = corners_of<L, P>();
  OnDevice<Place> on(corners);
  OnDevice<unsigned> values(fragments<L, 4, Order>(corners));
  OnDevice<Half> image(std::vector<Half>(L::bytes / 2));
  predict<L, P>("stmatrix_all", "matrix_store");
  stmatrix_all<L, 4, Order><<<1, 32>>>(on.data, accesses<L, P>, values.data, image.data);
  expect_image<L>(image.host(), "stmatrix_all");
}

template <class L>
void run_copy() {
  using P = patterns::cp_async_cg<>;
  const std::vector<Place> places = places_of<L, P>();
  OnDevice<Place> on(places);
  OnDevice<uint4> values(lane_values<L, uint4>(places));
  OnDevice<Half> image(std::vector<Half>(L::bytes / 2));
  predict<L, P>("copy_all", "async_copy");
  copy_all<L><<<1, 32>>>(on.data, accesses<L, P>, values.data, image.data);
  expect_image<L>(image.host(), "copy_all");
}

}  // namespace

int main() {
  using namespace patterns;
  using TwoTerms = Swizzled<RowMajor<float, 64, 32>, SwizzleXor<Swizzle<1, 4, 5>, Swizzle<2, 5, 2>>>;
  using Pitch96 = AnyPitch<Half, 64, 96, 16>;
  using Hardware = HardwareTile<Half, 64, 64, 128>;
  run_store<RowMajor<float, 32, 32>, float, row<store>>();
  run_store<RowMajor<float, 32, 32>, float, column<store>>();
  run_load<RowMajor<float, 16, 16>, float, column<>>();
  run_load<Padded<float, 16, 16, 1>, float, column<>>();
  run_store<Xor<float, 32, 32>, float, column<store>>();
  run_load<Xor<float, 32, 32>, float, column<>>();
  run_load<Diagonal<float, 32, 24>, float, column<>>();
  run_load<AnyPitch<float, 32, 20>, float, column<>>();
  run_store<TwoTerms, float2, accumulator_m16n8<>>();
  run_load<TwoTerms, float4, vector_row<4>>();
  run_store<RowMajor<float, 64, 32>, float2, accumulator_m16n8<>>();
  run_load<RowMajor<float, 32, 32>, float4, vector_column<4>>();
  run_store<Pitch96, uint4, vector_row<8, store>>();
  run_load<Swizzled<RowMajor<Half, 16, 16>, SwizzleSbm<Half, 2, 2, 2>>, Half, column<>>();
  run_ldmatrix<Pitch96>();
  run_ldmatrix<RowMajor<Half, 64, 96>>();
  run_ldmatrix<Hardware, 4, MatrixOrder::right_then_down>();
  run_ldmatrix<Hardware, 2, MatrixOrder::right>();
  run_ldmatrix<Hardware, 2>();
  run_ldmatrix<Hardware, 4, MatrixOrder::down>();
  run_ldmatrix<HardwareTile<Half, 16, 128, 32>, 4, MatrixOrder::right>();
  run_stmatrix<Pitch96>();
  run_stmatrix<RowMajor<Half, 32, 32>, MatrixOrder::right_then_down>();
  run_copy<Hardware>();
  run_copy<Padded<Half, 64, 64, 8>>();
  run_copy<Xor<Half, 64, 64, 8>>();
  std::printf(all_right ? "ok\n" : "failed\n");
  return all_right ? 0 : 1;
}
