// lanebank::transpose on a GPU, beside copies of the same bytes and cuBLAS geam.
//
//   nvcc -std=c++17 -O3 -lineinfo -arch=sm_90 -I include -I bench/gpu bench/gpu/bench_transpose.cu -lcublas -o bench_transpose
//   ./bench_transpose > transpose.csv        about 30 s
//   ./bench_transpose --quick                10 s: a case of each kind
//   ./bench_transpose --check                every case once, checked, no times
//   ./bench_transpose --small                the same with at most 600 rows and columns: for lanebank run
//
// With -DWITHOUT_CUBLAS it builds without the library, and has no rows for it.
//
// Groups: aligned (256 MB and more), odd sizes and pitches (from a fixed seed), small, batched, in place. Kernels and tile sizes
// against each other: sweep_transpose.cu.
#ifndef WITHOUT_CUBLAS
#include <cublas_v2.h>
#endif

#include <cstring>
#include <random>

#include "lanebank/transpose.cuh"
#include "move_bench.cuh"

namespace {

using gpu_bench::Contender;
using lanebank::MoveStatus;
using lanebank::Transpose;

constexpr unsigned seed = 7;
constexpr std::size_t memory_bytes = std::size_t{1100} << 20;

struct Case {
  std::string group;
  unsigned bytes;
  std::uint64_t rows, columns, batches = 1;
  std::uint64_t source_pad = 0, target_pad = 0;  ///< bytes behind each row
  std::uint64_t source_offset = 0, target_offset = 0;
  bool in_place = false;

  std::uint64_t source_pitch() const { return columns * bytes + source_pad; }
  std::uint64_t target_pitch() const { return rows * bytes + target_pad; }
  std::size_t payload() const { return rows * columns * batches * bytes; }
  std::string name() const {
    std::string text = group + " " + std::to_string(bytes) + " B " + std::to_string(rows) + "x" + std::to_string(columns);
    if (batches > 1) text += " x" + std::to_string(batches);
    if (source_pad + target_pad + source_offset + target_offset > 0) text += " pitched";
    return text;
  }
};

Transpose request(const Case& c, const move_bench::Memory& memory) {
  Transpose move;
  move.target = memory.target() + c.target_offset;
  move.source = c.in_place ? move.target : memory.source() + c.source_offset;
  move.rows = c.rows, move.columns = c.columns, move.batches = c.batches, move.element_bytes = c.bytes;
  move.source_pitch_bytes = c.source_pitch(), move.target_pitch_bytes = c.target_pitch();
  return move;
}

void require_ok(MoveStatus status) {
  if (status == MoveStatus::ok) return;
  std::fprintf(stderr, "lanebank::transpose: %s\n", lanebank::name(status));
  std::exit(1);
}

void check(const Case& c, move_bench::Memory& memory) {
  const std::size_t used = c.target_offset + c.target_pitch() * c.columns * c.batches;
  if (used > memory.bytes() || c.source_offset + c.source_pitch() * c.rows * c.batches > memory.bytes()) {
    std::fprintf(stderr, "%s: too large\n", c.name().c_str());
    std::exit(1);
  }
  if (c.in_place)
    memory.copy_to_target(used);
  else
    memory.clear(used);
  require_ok(lanebank::transpose(request(c, memory)));
  move_bench::Loops loops;
  loops.extent[3] = c.batches, loops.extent[4] = c.rows, loops.extent[5] = c.columns;
  loops.source_stride[3] = c.source_pitch() * c.rows, loops.target_stride[3] = c.target_pitch() * c.columns;
  loops.source_stride[4] = c.source_pitch(), loops.target_stride[4] = c.bytes;
  loops.source_stride[5] = c.bytes, loops.target_stride[5] = c.target_pitch();
  memory.require_right(c.name().c_str(), loops, c.bytes, c.in_place ? c.target_offset : c.source_offset, c.target_offset);
}

#ifdef WITHOUT_CUBLAS
struct Geam {
  void add(const Case&, const move_bench::Memory&, std::vector<Contender>&) const {}
};
#else
/// cuBLAS geam for the sizes it has: 4, 8, 16 bytes as float, double, double complex.
class Geam {
 public:
  Geam() {
    if (cublasCreate(&handle_) != CUBLAS_STATUS_SUCCESS) std::exit((std::fprintf(stderr, "no cuBLAS\n"), 1));
  }
  ~Geam() { cublasDestroy(handle_); }
  Geam(const Geam&) = delete;
  Geam& operator=(const Geam&) = delete;

  void add(const Case& c, const move_bench::Memory& memory, std::vector<Contender>& contenders) const {
    if (c.in_place || c.batches > 1) return;
    const unsigned char* const from = memory.source() + c.source_offset;
    unsigned char* const to = memory.target() + c.target_offset;
    if (c.bytes == 4) add<float>(c, from, to, cublasSgeam, 1.0f, 0.0f, contenders);
    if (c.bytes == 8) add<double>(c, from, to, cublasDgeam, 1.0, 0.0, contenders);
    if (c.bytes == 16)
      add<cuDoubleComplex>(c, from, to, cublasZgeam, cuDoubleComplex{1, 0}, cuDoubleComplex{0, 0}, contenders);
  }

 private:
  template <class T, class Call>
  void add(const Case& c, const unsigned char* from, unsigned char* to, Call call, T one, T zero,
           std::vector<Contender>& contenders) const {
    const int m = static_cast<int>(c.rows), n = static_cast<int>(c.columns);
    const int source_pitch = static_cast<int>(c.source_pitch() / c.bytes);
    const int target_pitch = static_cast<int>(c.target_pitch() / c.bytes);
    contenders.push_back({"cuBLAS geam", 2.0 * c.payload(), [=, handle = handle_](cudaStream_t stream) {
      cublasSetStream(handle, stream);
      const auto* a = reinterpret_cast<const T*>(from);
      auto* out = reinterpret_cast<T*>(to);
      const cublasStatus_t status =
          call(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, &one, a, source_pitch, &zero, out, target_pitch, out, target_pitch);
      if (status != CUBLAS_STATUS_SUCCESS) std::exit((std::fprintf(stderr, "cuBLAS: %d\n", static_cast<int>(status)), 1));
    }});
  }

  cublasHandle_t handle_ = nullptr;
};
#endif

std::vector<Case> cases(bool quick) {
  std::vector<Case> list;
  const auto aligned = [&](unsigned bytes, std::uint64_t rows, std::uint64_t columns) { list.push_back({"aligned", bytes, rows, columns}); };
  aligned(4, 16384, 8192), aligned(1, 16384, 32768), aligned(2, 16384, 16384), aligned(8, 8192, 8192), aligned(16, 8192, 4096);
  if (!quick) {
    aligned(4, 8192, 8192), aligned(1, 16384, 16384), aligned(2, 8192, 16384), aligned(8, 4096, 8192), aligned(16, 4096, 4096);
    aligned(4, 16384, 16384), aligned(4, 65536, 1024), aligned(4, 1024, 65536), aligned(4, 10048, 9984), aligned(2, 20032, 10048);
  }
  std::mt19937 random(seed);
  for (const unsigned bytes : {1u, 2u, 3u, 4u, 6u, 8u, 12u}) {
    const unsigned granule = bytes & (~bytes + 1);
    for (unsigned i = 0; i < (quick ? 1u : 4u); ++i) {
      const std::uint64_t rows = 5000 + random() % 15000, area = (std::uint64_t{300} << 20) / bytes;
      Case c{"odd", bytes, rows | 1, (area / rows) | 1};
      if (i % 2 == 1) {
        c.source_pad = random() % 16 * granule, c.target_pad = random() % 16 * granule;
        c.source_offset = random() % 8 * granule, c.target_offset = random() % 8 * granule;
      }
      list.push_back(c);
    }
  }
  for (const unsigned bytes : {3u, 6u, 12u}) list.push_back({"odd", bytes, 8192, (std::uint64_t{384} << 20) / bytes / 8192});
  if (!quick) list.push_back({"odd", 1, 10000, 40016}), list.push_back({"odd", 4, 10000, 10000}), list.push_back({"odd", 2, 10004, 20004});
  list.push_back({"small", 4, 1024, 1024});
  if (!quick) list.push_back({"small", 4, 512, 512}), list.push_back({"small", 4, 2048, 2048}), list.push_back({"small", 2, 1024, 1024});
  for (const std::uint64_t edge : {64, 128, 256, 512, 96, 100, 200}) {
    if (quick && edge != 64 && edge != 512) continue;
    list.push_back({"batched", 4, edge, edge, (std::uint64_t{128} << 20) / (edge * edge)});
    if (!quick && edge != 100) list.push_back({"batched", 2, edge, edge, (std::uint64_t{256} << 20) / (edge * edge)});
  }
  const auto square = [&](unsigned bytes, std::uint64_t edge) {
    Case c{"in place", bytes, edge, edge};
    c.in_place = true;
    list.push_back(c);
  };
  square(4, 16384), square(8, 8192);
  if (!quick) square(4, 8192), square(1, 16384), square(2, 16384), square(16, 8192), square(4, 10016), square(12, 6000), square(4, 10001);
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  const bool only_check = mode == "--check" || mode == "--small";
  move_bench::print_card();
  std::fprintf(stderr, "seed %u\n", seed);
  gpu_bench::Bench bench;
  move_bench::Memory memory(mode == "--small" ? std::size_t{32} << 20 : memory_bytes);
  move_bench::Table table("transpose");
  const Geam geam;
  for (Case c : cases(mode == "--quick")) {
    if (mode == "--small") {
      c.rows = c.rows % 512 + 80, c.columns = c.in_place ? c.rows : c.columns % 512 + 80;
      c.batches = c.batches > 1 ? 3 : 1;
    }
    check(c, memory);
    if (only_check) {
      std::fprintf(stderr, "%s: right\n", c.name().c_str());
      continue;
    }
    std::vector<Contender> contenders = move_bench::copies(memory, c.payload());
    const Transpose move = request(c, memory);
    contenders.push_back({"lanebank", 2.0 * c.payload(), [move](cudaStream_t s) { require_ok(lanebank::transpose(move, s)); }});
    geam.add(c, memory, contenders);
    bench.measure(contenders);
    table.add(c.group + (c.group == "aligned" ? " " + std::to_string(c.bytes) + " B" : ""), c.name(), contenders);
  }
  table.print_groups();
  move_bench::print_card();
}
