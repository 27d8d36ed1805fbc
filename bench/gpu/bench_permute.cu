// lanebank::permute on a GPU, beside copies of the same bytes: 50 permutations of ranks 3 to 6 from a fixed seed.
//
//   nvcc -std=c++17 -O3 -lineinfo -arch=sm_90 -I include -I bench/gpu bench/gpu/bench_permute.cu -o bench_permute
//   ./bench_permute > permute.csv       about 15 s
//   ./bench_permute --quick             the first ten
//   ./bench_permute --list              the permutations
//   ./bench_permute --small             about 2 MB each, checked, no times: for lanebank run
//   ./bench_permute --once              all of them, checked, no times: for ncu
//   ./bench_permute --seed 51           others of the same kind: do the rules hold for what they were not chosen by?
//
// About 256 MB each; permute_patterns.cuh says how they are drawn.
#include <cstdlib>

#include "permute_patterns.cuh"

namespace {

using namespace permute_patterns;

void run(const Permute& p, cudaStream_t stream) {
  const lanebank::MoveStatus status = lanebank::permute(p, stream);
  if (status == lanebank::MoveStatus::ok) return;
  std::fprintf(stderr, "lanebank::permute: %s\n", lanebank::name(status));
  std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  const unsigned from_seed = mode == "--seed" && argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : seed;
  const std::vector<Permute> patterns =
      permute_patterns::patterns(from_seed, (mode == "--small" ? std::uint64_t{2} : std::uint64_t{256}) << 20);
  if (mode == "--list") {
    for (unsigned n = 0; n < pattern_count; ++n)
      std::printf("%s, %.1f MB\n", name_of(patterns[n], n).c_str(), bytes_of(patterns[n]) / 1e6);
    return 0;
  }
  move_bench::print_card();
  std::fprintf(stderr, "seed %u\n", from_seed);
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
    if (mode == "--small" || mode == "--once") {
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
