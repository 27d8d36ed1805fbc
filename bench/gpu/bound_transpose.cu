// What the places alone cost that a transpose reads and writes: blocks read the segments of rows that a tile has, and write as
// many as its target has, without transposing anything. A transpose in such tiles is hardly faster.
//
//   nvcc -std=c++17 -O3 -lineinfo -arch=sm_90 -I include -I bench/gpu bench/gpu/bound_transpose.cu -o bound_transpose
//   ./bound_transpose > bound.csv        about 3 s
//   ./bound_transpose --small            small matrices, checked, no times: for lanebank run
//
//   segments   out of place: W bytes of each row of the source, V bytes of each row of the target, 16 aligned bytes per access;
//              rows that begin between two multiples of 16 are read from the one before, with "ends" also the one behind
//   exchange   in place: the tiles (i, j) and (j, i) change places
//   update     in place: each vector is read and written again
#include <cstring>

#include "lanebank/kernels/transpose_square.cuh"
#include "move_bench.cuh"

namespace {

using namespace lanebank::kernels;

/// A matrix cut into whole tiles: `rows` source rows of `read` bytes, `columns` target rows of `written` bytes.
struct Cut {
  std::uint64_t source_pitch, target_pitch;
  unsigned read, written, rows, columns;
  Divisor down;
  unsigned across;
};

__device__ const uint4* source_vector(const unsigned char* source, const Cut& cut, unsigned block, unsigned n) {
  unsigned down = block;
  const unsigned across = cut.down.split(down), row = n / (cut.read / 16), x = n % (cut.read / 16);
  const std::uint64_t at = reinterpret_cast<std::uintptr_t>(source) + std::uint64_t{down * cut.rows + row} * cut.source_pitch +
                           across * cut.read + x * 16;
  return reinterpret_cast<const uint4*>(at / 16 * 16);
}
__device__ uint4* target_vector(unsigned char* target, const Cut& cut, unsigned block, unsigned n) {
  unsigned down = block;
  const unsigned across = cut.down.split(down), row = n / (cut.written / 16), x = n % (cut.written / 16);
  const std::uint64_t at = std::uint64_t{across * cut.columns + row} * cut.target_pitch + down * cut.written;
  return reinterpret_cast<uint4*>(target + at / 32 * 32 + x * 16);
}

/// Blocks of `Vectors` vectors per thread; with Ends also the vector behind each segment is read.
template <unsigned Vectors, bool Ends>
__global__ void __launch_bounds__(256) segments(const unsigned char* source, unsigned char* target, const Cut cut) {
  uint4 held[Vectors];
#pragma unroll
  for (unsigned i = 0; i < Vectors; ++i) {
    const unsigned n = threadIdx.x + i * 256;
    const uint4* const from = source_vector(source, cut, blockIdx.x, n);
    held[i] = *from;
    if (Ends && n % (cut.read / 16) == cut.read / 16 - 1) held[i].x ^= from[1].x;
  }
  __syncthreads();
#pragma unroll
  for (unsigned i = 0; i < Vectors; ++i) *target_vector(target, cut, blockIdx.x, threadIdx.x + i * 256) = held[i];
}

__global__ void count_moved(const unsigned char* source, unsigned char* target, const Cut cut, unsigned vectors,
                            unsigned long long* wrong) {
  for (unsigned n = threadIdx.x; n < vectors; n += blockDim.x) {
    const uint4 a = *source_vector(source, cut, blockIdx.x, n), b = *target_vector(target, cut, blockIdx.x, n);
    if (a.x != b.x || a.y != b.y || a.z != b.z || a.w != b.w) atomicAdd(wrong, 1ull);
  }
}

template <unsigned Vectors>
__global__ void __launch_bounds__(512) exchange(const TransposeSpan span, unsigned edge, unsigned edge_bytes) {
  const detail::TilePair pair = detail::pair_of_block<1>(span);
  if ((pair.i + 1) * edge > span.rows) return;
  uint4 a[Vectors], b[Vectors];
  unsigned char* const lower = pair.matrix + std::uint64_t{pair.i * edge} * span.source_pitch + pair.j * edge_bytes;
  unsigned char* const upper = pair.matrix + std::uint64_t{pair.j * edge} * span.source_pitch + pair.i * edge_bytes;
  const auto at = [&](unsigned char* tile, unsigned i) {
    const unsigned n = threadIdx.x + i * 512, vectors = edge_bytes / 16;
    return reinterpret_cast<uint4*>(tile + n / vectors * span.source_pitch + n % vectors * 16);
  };
#pragma unroll
  for (unsigned i = 0; i < Vectors; ++i) a[i] = *at(lower, i), b[i] = *at(upper, i);
  __syncthreads();
#pragma unroll
  for (unsigned i = 0; i < Vectors; ++i) *at(lower, i) = b[i], *at(upper, i) = a[i];
}

__global__ void __launch_bounds__(256) update(uint4* vectors) {
  uint4& one = vectors[std::size_t{blockIdx.x} * 256 + threadIdx.x];
  one = {one.y, one.z, one.w, one.x};
}

class Bounds {
 public:
  explicit Bounds(bool small)
      : small_(small), memory_((small ? std::size_t{8} : std::size_t{1100}) << 20), table_("transpose bounds") {}

  /// Tiles of 16 KB: `bytes` per element.
  void segments_of(unsigned bytes, unsigned rows, unsigned columns, unsigned read, unsigned written) {
    if (small_) rows = rows % 256 + 512, columns = columns % 256 + 512;
    Cut cut{std::uint64_t{columns} * bytes, std::uint64_t{rows} * bytes, read, written, written / bytes, read / bytes, {}, 0};
    cut.down = Divisor(rows / cut.rows), cut.across = columns / cut.columns;
    const unsigned blocks = cut.down.divisor * cut.across;
    const std::size_t payload = std::size_t{blocks} * cut.rows * read;
    if (cut.rows * read != 16384) std::exit((std::fprintf(stderr, "a tile is 16 KB\n"), 1));
    const auto moved = [=, from = memory_.source(), to = memory_.target()](cudaStream_t stream) {
      segments<4, false><<<blocks, 256, 0, stream>>>(from, to, cut);
      GPU_CHECK(cudaGetLastError());
    };
    moved(nullptr);
    require_moved(cut, blocks);
    if (small_) return;
    auto contenders = move_bench::copies(memory_, payload);
    contenders.push_back({"segments", 2.0 * payload, moved});
    if (cut.source_pitch % 16 != 0)
      contenders.push_back({"segments ends", 2.0 * payload, [=, from = memory_.source(), to = memory_.target()](cudaStream_t stream) {
        segments<4, true><<<blocks, 256, 0, stream>>>(from, to, cut);
        GPU_CHECK(cudaGetLastError());
      }});
    measure(std::to_string(bytes) + " B " + std::to_string(rows) + "x" + std::to_string(columns) + " read " +
                std::to_string(read) + " write " + std::to_string(written),
            contenders);
  }

  /// Tiles of `edge_bytes` x as many elements, of which 512 threads hold Vectors vectors each.
  template <unsigned Vectors>
  void exchange_of(unsigned bytes, unsigned rows, unsigned edge_bytes) {
    if (small_) return;  // nothing is compared
    const unsigned edge = edge_bytes / bytes;
    if (edge * edge_bytes != Vectors * 512 * 16) std::exit((std::fprintf(stderr, "vectors do not make a tile\n"), 1));
    TransposeSpan span;
    span.target = memory_.target();
    span.rows = span.columns = rows;
    span.source_pitch = span.target_pitch = std::uint64_t{rows} * bytes;
    const unsigned tiles = ((rows + edge - 1) / edge + 1) / 2 * 2;
    span.tiles_down = Divisor(tiles / 2), span.strips = Divisor(tiles + 1);
    const std::size_t payload = std::size_t{rows} * rows * bytes;
    auto contenders = move_bench::copies(memory_, payload);
    contenders.push_back({"exchange", 2.0 * payload, [=](cudaStream_t stream) {
      exchange<Vectors><<<static_cast<unsigned>(span.blocks()), 512, 0, stream>>>(span, edge, edge_bytes);
      GPU_CHECK(cudaGetLastError());
    }});
    contenders.push_back({"update", 2.0 * payload, [=](cudaStream_t stream) {
      update<<<static_cast<unsigned>(payload / 4096), 256, 0, stream>>>(reinterpret_cast<uint4*>(span.target));
      GPU_CHECK(cudaGetLastError());
    }});
    measure("in place " + std::to_string(bytes) + " B " + std::to_string(rows) + " edge " + std::to_string(edge_bytes), contenders);
  }

 private:
  void require_moved(const Cut& cut, unsigned blocks) {
    unsigned long long *wrong = nullptr, found = 0;
    GPU_CHECK(cudaMalloc(&wrong, sizeof found));
    GPU_CHECK(cudaMemset(wrong, 0, sizeof found));
    // Targets that begin between two multiples of 32 overlap; only the others can be compared.
    if (cut.target_pitch % 32 == 0 && cut.source_pitch % 16 == 0)
      count_moved<<<blocks, 256>>>(memory_.source(), memory_.target(), cut, 1024, wrong);
    GPU_CHECK(cudaMemcpy(&found, wrong, sizeof found, cudaMemcpyDeviceToHost));
    GPU_CHECK(cudaFree(wrong));
    if (found != 0) std::exit((std::fprintf(stderr, "%llu vectors are wrong\n", found), 1));
  }
  void measure(const std::string& name, std::vector<gpu_bench::Contender>& contenders) {
    bench_.measure(contenders);
    table_.add(name, name, contenders, "");
  }

  bool small_;
  gpu_bench::Bench bench_;
  move_bench::Memory memory_;
  move_bench::Table table_;
};

}  // namespace

int main(int argc, char** argv) {
  move_bench::print_card();
  Bounds bounds(argc > 1 && std::strcmp(argv[1], "--small") == 0);
  bounds.segments_of(4, 16384, 8192, 256, 256);
  bounds.segments_of(4, 10048, 9984, 256, 256);
  bounds.segments_of(4, 9417, 8353, 256, 256);
  bounds.segments_of(1, 11615, 27083, 128, 128);
  bounds.segments_of(2, 18983, 8285, 128, 256);
  bounds.exchange_of<2>(4, 16384, 256);
  bounds.exchange_of<8>(4, 16384, 512);
  bounds.exchange_of<8>(4, 10016, 512);
  bounds.exchange_of<4>(8, 8192, 512);
  bounds.exchange_of<4>(2, 16384, 256);
}
