// Tile sizes, threads and kernels of the transposes against each other, on one matrix of about 512 MB per element size. No library
// is needed:
//
//   nvcc -std=c++17 -O3 -lineinfo -arch=sm_90 -I include -I bench/gpu bench/gpu/sweep_transpose.cu -o sweep_transpose
//   ./sweep_transpose > sweep.csv         about 12 s; every variant is checked first
//   ./sweep_transpose tiles               only transpose_tiles; or: any, square, small
//   ./sweep_transpose check               every variant once on small matrices, no times: for lanebank run
//
// A name gives the template's parameters: tiles WORD_ROWSxCOLUMNS/THREADS/BLOCKS, any ROWSxCOLUMNS/THREADS/BLOCKS/AHEAD,
// square WORD_ROWSxCOLUMNS/THREADS/BLOCKS/GROUP (in place); and the strip of tiles that blocks count along first (transpose_span.cuh), where it is not 1.
#include <algorithm>
#include <cstring>

#include "lanebank/transpose.cuh"
#include "move_bench.cuh"

namespace {

using namespace lanebank::kernels;
using gpu_bench::Contender;

struct Matrix {
  unsigned bytes;
  std::uint32_t rows, columns;
  std::size_t payload() const { return std::size_t{rows} * columns * bytes; }
  std::string name() const {
    return std::to_string(bytes) + " B " + std::to_string(rows) + "x" + std::to_string(columns);
  }
};

class Sweep {
 public:
  explicit Sweep(const std::string& mode)
      : only_(mode == "check" ? "" : mode),
        check_(mode == "check"),
        memory_((check_ ? std::size_t{17} : std::size_t{560}) << 20),
        table_("transpose sweep") {}

  void begin(const char* kind, const Matrix& matrix) {
    kind_ = kind, matrix_ = matrix;
    if (check_) matrix_.rows = matrix.rows % 512 + 512, matrix_.columns = matrix.columns % 512 + 512;
    contenders_ = move_bench::copies(memory_, matrix_.payload());
  }
  bool wanted() const { return only_.empty() || only_ == kind_; }
  TransposeSpan span() const {
    TransposeSpan span;
    span.source = memory_.source(), span.target = memory_.target();
    span.rows = matrix_.rows, span.columns = matrix_.columns;
    span.source_pitch = std::uint64_t{matrix_.columns} * matrix_.bytes;
    span.target_pitch = std::uint64_t{matrix_.rows} * matrix_.bytes;
    return span;
  }
  void add(const std::string& name, const std::function<void(cudaStream_t)>& run, bool in_place = false) {
    if (!wanted()) return;
    memory_.clear(matrix_.payload());
    if (in_place)
      GPU_CHECK(cudaMemcpy(memory_.target(), memory_.source(), matrix_.payload(), cudaMemcpyDeviceToDevice));
    run(nullptr);
    move_bench::Loops loops;
    loops.extent[4] = matrix_.rows, loops.extent[5] = matrix_.columns;
    loops.source_stride[4] = span().source_pitch, loops.target_stride[4] = matrix_.bytes;
    loops.source_stride[5] = matrix_.bytes, loops.target_stride[5] = span().target_pitch;
    memory_.require_right(name.c_str(), loops, matrix_.bytes);
    contenders_.push_back({name, 2.0 * matrix_.payload(), run});
  }
  void end() {
    if (!wanted() || check_) return;
    bench_.measure(contenders_, 20);
    table_.add(kind_, matrix_.name(), contenders_, "");
  }

  template <unsigned WordRows, unsigned Columns, unsigned Threads, unsigned Blocks, unsigned Bytes>
  void tiles(std::initializer_list<std::uint32_t> strips = {1}) {
    using T = TransposeTile<Bytes, TileSize<WordRows, Columns, Threads, Blocks>>;
    for (const std::uint32_t strip : strips)
      add(name("tiles", {WordRows, Columns, Threads, Blocks}) + in_strips(strip),
          [span = span(), strip](cudaStream_t s) { GPU_CHECK(launch_tiles<T>(span, s, blocks_max, strip)); });
  }
  template <unsigned WordRows, unsigned Columns, unsigned Threads, unsigned Blocks, unsigned Bytes>
  void persistent() {
    using T = TransposeTile<Bytes, TileSize<WordRows, Columns, Threads, Blocks>>;
    int multiprocessors = 0;
    GPU_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    GPU_CHECK(allow_shared(&transpose_tiles_persistent<T>, T::Layout::bytes));
    const TransposeSpan cut = in_tiles<T>(span());
    const auto count = static_cast<unsigned>(cut.blocks());
    const unsigned grid = std::min(count, static_cast<unsigned>(multiprocessors) * Blocks);
    add(name("persistent", {WordRows, Columns, Threads, Blocks}), [=](cudaStream_t s) {
      transpose_tiles_persistent<T><<<grid, T::threads, T::Layout::bytes, s>>>(cut, count);
      GPU_CHECK(cudaGetLastError());
    });
  }
  template <unsigned Bytes, bool Wide, unsigned Rows, unsigned Columns, unsigned Threads, unsigned Blocks,
            unsigned Ahead>
  void any(std::initializer_list<std::uint32_t> strips = {1}) {
    using T = AnyTile<Bytes, Wide, AnySize<Rows, Columns, Threads, Blocks, Ahead>>;
    for (const std::uint32_t strip : strips)
      add(name(Wide ? "wide" : "any", {Rows, Columns, Threads, Blocks, Ahead}) + in_strips(strip),
          [span = span(), strip](cudaStream_t s) { GPU_CHECK(launch_any<T>(span, s, blocks_max, strip)); });
  }
  /// In place: the target holds the source first.
  template <unsigned WordRows, unsigned Columns, unsigned Threads, unsigned Blocks, unsigned Bytes, unsigned Group = 1>
  void square() {
    using T = TransposeTile<Bytes, TileSize<WordRows, Columns, Threads, Blocks>>;
    TransposeSpan in_place = span();
    in_place.source = in_place.target;
    add(
        name("square", {WordRows, Columns, Threads, Blocks, Group}),
        [in_place](cudaStream_t s) { GPU_CHECK((launch_square<T, Group>(in_place, s))); }, true);
  }

 private:
  static std::string in_strips(std::uint32_t strip) { return strip == 1 ? "" : " strip " + std::to_string(strip); }
  static std::string name(const char* kernel, std::initializer_list<unsigned> parameters) {
    std::string text = kernel;
    const char* separators[] = {" ", "x", "/", "/", "/"};
    unsigned n = 0;
    for (const unsigned p : parameters) text += separators[n++] + std::to_string(p);
    return text;
  }

  std::string only_;
  bool check_;
  std::string kind_;
  Matrix matrix_{};
  gpu_bench::Bench bench_;
  move_bench::Memory memory_;
  move_bench::Table table_;
  std::vector<Contender> contenders_;
};

void sweep_tiles(Sweep& sweep) {
  sweep.begin("tiles", {4, 16384, 8192});
  sweep.tiles<64, 64, 512, 4, 4>({1, 2});
  sweep.tiles<64, 64, 256, 5, 4>();
  sweep.tiles<128, 64, 256, 5, 4>();
  sweep.end();
  sweep.begin("tiles", {8, 8192, 8192});
  sweep.tiles<64, 32, 512, 4, 8>();
  sweep.tiles<32, 32, 256, 8, 8>();
  sweep.tiles<16, 32, 128, 16, 8>();
  sweep.any<8, false, 32, 64, 256, 5, 9>();
  sweep.end();
  sweep.begin("tiles", {16, 8192, 4096});
  sweep.tiles<32, 16, 256, 8, 16>();
  sweep.tiles<32, 32, 512, 4, 16>({2});
  sweep.end();
  sweep.begin("tiles", {2, 16384, 16384});
  sweep.tiles<64, 128, 512, 3, 2>();
  sweep.tiles<128, 128, 1024, 1, 2>();
  sweep.tiles<128, 64, 512, 3, 2>();
  sweep.end();
  sweep.begin("tiles", {1, 16384, 32768});
  sweep.tiles<64, 256, 1024, 2, 1>();
  sweep.tiles<64, 128, 256, 5, 1>();
  sweep.any<1, true, 256, 256, 512, 2, 2>();
  sweep.end();
}

void sweep_any(Sweep& sweep) {
  sweep.begin("any", {4, 11587, 11585});
  sweep.any<4, false, 64, 64, 256, 4, 18>({1, 4});
  sweep.any<4, false, 64, 64, 512, 3, 9>();
  sweep.any<4, false, 128, 64, 256, 5, 9>({1, 2});
  sweep.any<4, false, 64, 128, 512, 3, 9>();
  sweep.end();
  sweep.begin("any", {1, 20003, 26003});
  sweep.any<1, false, 256, 128, 256, 4, 2>({1, 4});
  sweep.any<1, false, 256, 256, 512, 2, 2>({1, 2});
  sweep.any<1, false, 512, 128, 512, 2, 2>({4});
  sweep.end();
  sweep.begin("any", {2, 16001, 16003});
  sweep.any<2, false, 128, 128, 256, 5, 3>({1, 4});
  sweep.any<2, false, 128, 128, 256, 6, 2>();
  sweep.any<2, false, 256, 128, 512, 3, 3>();
  sweep.end();
  sweep.begin("any", {3, 13003, 13001});
  sweep.any<3, false, 128, 128, 512, 3, 1>({1, 4});
  sweep.any<3, false, 128, 64, 256, 6, 1>();
  sweep.end();
  sweep.begin("any", {12, 6503, 6501});
  sweep.any<12, false, 64, 32, 448, 3, 5>();
  sweep.any<12, false, 64, 32, 256, 5, 5>();
  sweep.any<12, false, 64, 64, 512, 3, 5>();
  sweep.end();
  sweep.begin("any", {6, 9203, 9201});
  sweep.any<6, false, 64, 64, 384, 3, 3>();
  sweep.any<6, false, 64, 64, 256, 5, 2>();
  sweep.any<6, false, 64, 64, 256, 6, 1>();
  sweep.end();
  sweep.begin("any", {8, 8191, 8193});
  sweep.any<8, false, 32, 64, 256, 5, 9>({1, 2});
  sweep.any<8, false, 64, 64, 512, 3, 9>();
  sweep.any<8, false, 64, 64, 256, 5, 6>();
  sweep.any<8, false, 64, 32, 256, 5, 9>();
  sweep.end();
  // Sources whose rows are whole vectors, targets whose rows are not.
  sweep.begin("any", {4, 11587, 11584});
  sweep.any<4, true, 64, 64, 256, 5, 5>();
  sweep.any<4, true, 128, 64, 256, 5, 3>();
  sweep.end();
  sweep.begin("any", {1, 10000, 40016});
  sweep.any<1, true, 256, 256, 512, 2, 2>();
  sweep.any<1, true, 256, 128, 256, 5, 1>();
  sweep.end();
}

void sweep_square(Sweep& sweep) {
  sweep.begin("square", {4, 11584, 11584});
  sweep.square<64, 64, 512, 3, 4>();
  sweep.square<64, 64, 512, 3, 4, 4>();
  sweep.square<64, 64, 512, 3, 4, 8>();
  sweep.square<64, 64, 256, 4, 4, 4>();
  sweep.square<32, 32, 256, 6, 4>();
  sweep.square<32, 32, 256, 6, 4, 8>();
  sweep.square<32, 32, 128, 10, 4, 8>();
  sweep.end();
  sweep.begin("square", {8, 8192, 8192});
  sweep.square<32, 32, 256, 6, 8>();
  sweep.square<32, 32, 256, 6, 8, 4>();
  sweep.square<32, 32, 512, 3, 8, 8>();
  sweep.square<32, 32, 512, 3, 8>();
  sweep.square<32, 32, 512, 4, 8>();
  sweep.end();
}

void sweep_small(Sweep& sweep) {
  sweep.begin("small", {4, 1024, 1024});
  sweep.tiles<64, 64, 512, 4, 4>();
  sweep.tiles<64, 64, 256, 8, 4>();
  sweep.end();
}

}  // namespace

int main(int argc, char** argv) {
  move_bench::print_card();
  Sweep sweep(argc > 1 ? argv[1] : "");
  sweep_small(sweep);
  sweep_tiles(sweep);
  sweep_any(sweep);
  sweep_square(sweep);
  move_bench::print_card();
}
