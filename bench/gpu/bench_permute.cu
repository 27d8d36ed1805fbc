// lanebank::permute on a GPU, beside copies of the same bytes: 50 permutations of ranks 3 to 6 from a fixed seed.
//
//   nvcc -std=c++17 -O3 -lineinfo -arch=sm_90 -I include -I bench/gpu bench/gpu/bench_permute.cu -o bench_permute
//   ./bench_permute > permute.csv       about 15 s
//   ./bench_permute --quick             the first ten
//   ./bench_permute --list              the permutations
//   ./bench_permute --small             about 2 MB each, checked, no times: for lanebank run
//
// About 256 MB each. The innermost axes of source and target have 32 to 160 elements: any number in every second permutation,
// multiples of 16 in the others. The outer axes share the rest. Elements have 4, 2, 8, 4 and 1 bytes in turn. A permutation that
// leaves everything where it was is drawn again.
#include <cstring>
#include <random>

#include "lanebank/permute.cuh"
#include "move_bench.cuh"

namespace {

using lanebank::Permute;

constexpr unsigned seed = 50, pattern_count = 50;
std::uint64_t target_bytes = std::uint64_t{256} << 20;

std::uint64_t inner_extent(std::mt19937& random, bool whole) {
  const std::uint64_t extent = 32 + random() % 129;
  return whole ? extent / 16 * 16 : extent;
}

Permute draw(std::mt19937& random, unsigned number) {
  static const unsigned sizes[] = {4, 2, 8, 4, 1};
  Permute p;
  p.element_bytes = sizes[number % 5];
  p.rank = 3 + number % 4;
  const bool whole = number / 4 % 2 == 1;
  do {
    for (unsigned n = 0; n < p.rank; ++n) p.axes[n] = n;
    for (unsigned n = p.rank - 1; n > 0; --n) std::swap(p.axes[n], p.axes[random() % (n + 1)]);
  } while (lanebank::kernels::merge_axes([&] {
             for (unsigned n = 0; n < p.rank; ++n) p.extents[n] = 2;
             return p;
           }())
               .rank < 2);
  // The inner ones, then the others: all but one small, the last one what is left.
  std::uint64_t count = target_bytes / p.element_bytes;
  for (unsigned n = 0; n < p.rank; ++n) p.extents[n] = 0;
  p.extents[p.rank - 1] = inner_extent(random, whole);
  if (p.extents[p.axes[p.rank - 1]] == 0) p.extents[p.axes[p.rank - 1]] = inner_extent(random, whole);
  for (unsigned n = 0; n < p.rank; ++n)
    if (p.extents[n] != 0) count /= p.extents[n];
  unsigned open = 0;
  for (unsigned n = 0; n < p.rank; ++n) open += p.extents[n] == 0;
  for (unsigned n = 0; n < p.rank; ++n) {
    if (p.extents[n] != 0) continue;
    const std::uint64_t extent = open == 1 ? count : 3 + random() % 22;
    p.extents[n] = extent == 0 ? 1 : extent;
    count /= p.extents[n];
    --open;
  }
  return p;
}

std::string name_of(const Permute& p, unsigned number) {
  std::string text = std::to_string(number) + ": " + std::to_string(p.element_bytes) + " B [";
  for (unsigned n = 0; n < p.rank; ++n) text += (n > 0 ? " " : "") + std::to_string(p.extents[n]);
  text += "] by ";
  for (unsigned n = 0; n < p.rank; ++n) text += std::to_string(p.axes[n]);
  return text;
}

std::size_t bytes_of(const Permute& p) {
  std::size_t bytes = p.element_bytes;
  for (unsigned n = 0; n < p.rank; ++n) bytes *= p.extents[n];
  return bytes;
}

/// Strides by the axes as they are, not merged: the check shares nothing with what it checks.
move_bench::Loops loops_of(const Permute& p) {
  move_bench::Loops loops;
  std::uint64_t source = p.element_bytes, target = p.element_bytes;
  for (unsigned n = p.rank; n-- > 0;) {
    loops.extent[n] = p.extents[n];
    loops.source_stride[n] = source;
    source *= p.extents[n];
    loops.target_stride[p.axes[n]] = target;
    target *= p.extents[p.axes[n]];
  }
  return loops;
}

void run(const Permute& p, cudaStream_t stream) {
  const lanebank::MoveStatus status = lanebank::permute(p, stream);
  if (status == lanebank::MoveStatus::ok) return;
  std::fprintf(stderr, "lanebank::permute: %s\n", lanebank::name(status));
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "--small") target_bytes = 2 << 20;
  std::mt19937 random(seed);
  std::vector<Permute> patterns;
  for (unsigned n = 0; n < pattern_count; ++n) patterns.push_back(draw(random, n));
  if (mode == "--list") {
    for (unsigned n = 0; n < pattern_count; ++n)
      std::printf("%s, %.1f MB\n", name_of(patterns[n], n).c_str(), bytes_of(patterns[n]) / 1e6);
    return 0;
  }
  move_bench::print_card();
  std::fprintf(stderr, "seed %u\n", seed);
  gpu_bench::Bench bench;
  std::size_t most_bytes = 0;
  for (const Permute& p : patterns) most_bytes = std::max(most_bytes, bytes_of(p));
  move_bench::Memory memory(most_bytes + 256);
  move_bench::Table table("permute");
  for (unsigned n = 0; n < (mode == "--quick" ? 10 : pattern_count); ++n) {
    Permute p = patterns[n];
    p.source = memory.source(), p.target = memory.target();
    const std::string name = name_of(p, n);
    memory.clear(bytes_of(p));
    run(p, nullptr);
    memory.require_right(name.c_str(), loops_of(p), p.element_bytes);
    if (mode == "--small") {
      std::printf("%s: right, %zu bytes\n", name.c_str(), bytes_of(p));
      continue;
    }
    std::vector<gpu_bench::Contender> contenders = move_bench::copies(memory, bytes_of(p));
    contenders.push_back({"lanebank", 2.0 * bytes_of(p), [p](cudaStream_t s) { run(p, s); }});
    bench.measure(contenders);
    table.add("all", name, contenders);
    table.group(std::to_string(p.element_bytes) + " B", contenders);
  }
  table.print_groups();
  move_bench::print_card();
}
