// lanebank::permute against a loop over all elements, byte for byte: permutations of ranks 0 to 6, every element size, bases
// that are aligned and not, launches that are split, and requests that must be refused. Arguments:
//   (none)      whole tiles: under `lanebank run` this also fails on any excess wavefront
//   edges       permutations of all kinds, from a fixed seed
//   arguments   refused requests and how axes are merged; launches nothing
#include "lanebank/permute.cuh"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

namespace {

using lanebank::MoveStatus;
using lanebank::Permute;

constexpr unsigned seed = 6174;

Permute request(unsigned element_bytes, std::initializer_list<unsigned> extents, std::initializer_list<unsigned> axes) {
  Permute p;
  p.element_bytes = element_bytes;
  p.rank = static_cast<unsigned>(extents.size());
  std::copy(extents.begin(), extents.end(), p.extents.begin());
  std::copy(axes.begin(), axes.end(), p.axes.begin());
  return p;
}

std::size_t count_of(const Permute& p) {
  std::size_t count = 1;
  for (unsigned n = 0; n < p.rank; ++n) count *= p.extents[n];
  return count;
}

/// Element number of the source that lies at element `at` of the target.
std::size_t source_of(const Permute& p, std::size_t at) {
  std::size_t index[6] = {}, result = 0;
  for (unsigned n = p.rank; n-- > 0;) {
    index[p.axes[n]] = at % p.extents[p.axes[n]];
    at /= p.extents[p.axes[n]];
  }
  for (unsigned n = 0; n < p.rank; ++n) result = result * p.extents[n] + index[n];
  return result;
}

template <class Call>
int check(Permute p, unsigned source_offset, unsigned target_offset, bool pattern, const Call& call) {
  const std::size_t bytes = count_of(p) * p.element_bytes;
  std::vector<unsigned char> source(bytes + source_offset), target(bytes + target_offset + 64, 0xee), wanted = target;
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < source.size(); ++i)
    source[i] = static_cast<unsigned char>(pattern ? i / p.element_bytes >> 8 * (i % p.element_bytes % 4) : random());
  for (std::size_t at = 0; at < count_of(p); ++at)
    std::memcpy(&wanted[target_offset + at * p.element_bytes],
                &source[source_offset + source_of(p, at) * p.element_bytes], p.element_bytes);
  unsigned char *from = nullptr, *to = nullptr;
  cudaMalloc(&from, source.size());
  cudaMalloc(&to, target.size());
  cudaMemcpy(from, source.data(), source.size(), cudaMemcpyHostToDevice);
  cudaMemcpy(to, target.data(), target.size(), cudaMemcpyHostToDevice);
  p.source = from + source_offset;
  p.target = to + target_offset;
  std::size_t wrong = call(p) != MoveStatus::ok;
  wrong += cudaMemcpy(target.data(), to, target.size(), cudaMemcpyDeviceToHost) != cudaSuccess;
  cudaFree(from);
  cudaFree(to);
  for (std::size_t i = 0; i < target.size(); ++i) wrong += target[i] != wanted[i];
  std::printf("%2u bytes, extents", p.element_bytes);
  for (unsigned n = 0; n < p.rank; ++n) std::printf(" %u", static_cast<unsigned>(p.extents[n]));
  std::printf(", axes");
  for (unsigned n = 0; n < p.rank; ++n) std::printf(" %u", p.axes[n]);
  std::printf(", offsets %u %u: %s\n", source_offset, target_offset, wrong == 0 ? "right" : "WRONG");
  return wrong != 0;
}

int check(const Permute& p, unsigned source_offset = 0, unsigned target_offset = 0) {
  return check(p, source_offset, target_offset, source_offset == 0,
               [](const Permute& q) { return lanebank::permute(q); });
}

/// One transpose, or one for each index of the first axis, by transpose_gather; `alone`: nothing is said of what lies behind.
template <unsigned Bytes, unsigned Unit>
MoveStatus gathered(const Permute& p, bool alone = false) {
  using namespace lanebank::kernels;
  TransposeSpan span = span_of(merge_axes(p), p.source, p.target);
  if (alone) span.source_end = nullptr;
  return launch_gather<GatherTile<Bytes, Unit>, false>(span, nullptr) == cudaSuccess ? MoveStatus::ok
                                                                                     : MoveStatus::launch_failed;
}

int check_whole() {
  int wrong = check(request(4, {2, 64, 3, 64}, {2, 3, 0, 1})) + check(request(4, {32, 2, 32, 3, 32}, {3, 4, 1, 2, 0}));
  wrong += check(request(4, {2, 3, 4, 5, 32}, {3, 1, 2, 0, 4})) + check(request(2, {3, 64, 2, 64}, {3, 0, 2, 1}));
  // Scattered, an odd number of words from lane to lane, a warp for each row.
  wrong += check(request(4, {3, 33, 32}, {0, 2, 1}), 4, 8);
  // Rows at odd addresses, a warp for each.
  wrong += check(request(1, {3, 5, 124}, {1, 0, 2}), 1, 3) + check(request(2, {3, 5, 62}, {1, 0, 2}), 2, 6);
  // Gathered from rows of 128 bytes, by copies of 4, 8 and 16 bytes.
  wrong += check(request(4, {20, 6, 32}, {2, 1, 0}), 8) + check(request(4, {20, 6, 32}, {2, 1, 0}), 4, 4);
  wrong += check(request(8, {10, 6, 16}, {2, 1, 0}), 8, 8) + check(request(8, {7, 6, 16}, {2, 1, 0}));
  wrong += check(request(2, {13, 6, 64}, {2, 1, 0}), 8, 2) + check(request(1, {37, 3, 128}, {2, 1, 0}));
  wrong += check(request(4, {80, 64}, {1, 0}), 8, 4, true, [](const Permute& p) { return gathered<4, 8>(p); });
  return wrong + check(request(1, {128, 3, 128}, {2, 1, 0}));
}

int check_random(std::mt19937& random, unsigned count) {
  int wrong = 0;
  const unsigned sizes[] = {1, 2, 3, 4, 6, 8, 12, 16};
  for (unsigned i = 0; i < count; ++i) {
    Permute p;
    p.element_bytes = sizes[i % 8];
    p.rank = 2 + i / 8 % 5;
    std::size_t left = 6000;
    for (unsigned n = 0; n < p.rank; ++n) {
      p.axes[n] = n;
      p.extents[n] = 1 + random() % std::min<std::size_t>(left, n + 1 == p.rank ? 70 : 9);
      left = left / p.extents[n] + 1;
    }
    std::shuffle(p.axes.begin(), p.axes.begin() + p.rank, random);
    const unsigned granule = p.element_bytes & (~p.element_bytes + 1);
    wrong += check(p, random() % 4 * granule, random() % 8 * granule);
  }
  return wrong;
}

int check_edges() {
  std::mt19937 random(seed);
  int wrong = check_random(random, 40);
  // Nothing to do, copies, elements that grow, rows of every alignment.
  wrong += check(request(4, {}, {})) + check(request(4, {1, 1}, {1, 0})) + check(request(2, {7, 1, 5}, {1, 0, 2}));
  wrong += check(request(1, {20, 30, 3}, {1, 0, 2})) + check(request(4, {20, 7, 4}, {1, 0, 2}));
  wrong += check(request(1, {5, 7, 33}, {1, 0, 2}), 1, 3) + check(request(1, {5, 7, 48}, {1, 0, 2}));
  wrong += check(request(1, {41, 13, 37}, {1, 0, 2}), 1, 2) + check(request(2, {9, 60, 61}, {1, 0, 2}), 2);
  wrong += check(request(2, {5, 7, 33}, {1, 0, 2}), 2, 6) + check(request(4, {5, 7, 33}, {1, 0, 2}), 4, 12);
  wrong += check(request(1, {5, 7, 17}, {1, 0, 2})) + check(request(8, {3, 5, 3}, {1, 0, 2}));
  // Small matrices one behind another: several of a block, several blocks, one of a block.
  wrong += check(request(1, {5, 53, 126}, {0, 2, 1}), 3, 5) + check(request(1, {9, 21, 3}, {0, 2, 1}), 1, 0);
  wrong += check(request(2, {3, 57, 71}, {0, 2, 1}), 6, 10) + check(request(4, {2, 75, 61}, {0, 2, 1}), 4, 8);
  const auto stacked = [](const Permute& p) {
    const auto span = lanebank::kernels::span_of(lanebank::kernels::merge_axes(p), p.source, p.target);
    return lanebank::kernels::launch_stack<2>(span, nullptr, 3) == cudaSuccess ? MoveStatus::ok
                                                                               : MoveStatus::launch_failed;
  };
  wrong += check(request(2, {5, 48, 46}, {0, 2, 1}), 2, 6, false, stacked);
  wrong += check(request(1, {3, 4, 2, 95, 91}, {1, 2, 0, 4, 3}), 5, 2);  // in another order
  // Small matrices scattered in shared memory: groups of them, the last one smaller; columns of one over several blocks; rows of
  // the source anywhere; words that end behind the source.
  wrong += check(request(2, {4, 91, 3, 47}, {2, 0, 3, 1}), 2, 6) + check(request(2, {2, 91, 300}, {0, 2, 1}), 6, 2);
  wrong += check(request(1, {11, 53, 45}, {0, 2, 1}), 3, 9) + check(request(1, {2, 250, 190}, {0, 2, 1}), 1, 15);
  wrong += check(request(4, {3, 2, 81, 58}, {1, 0, 3, 2}), 4, 12) + check(request(4, {41, 23, 33}, {2, 1, 0}), 8, 4);
  wrong += check(request(4, {3, 61, 7, 5, 95}, {0, 4, 2, 3, 1}), 0, 0) + check(request(4, {9, 500, 35}, {2, 1, 0}), 4, 0);
  wrong += check(request(1, {53, 5000}, {1, 0}), 1, 3) + check(request(4, {23, 1030}, {1, 0}), 4, 8);
  // Batches with gaps: every second matrix of the source, twice.
  const auto gaps = [](const Permute& p) {
    lanebank::Transpose t;
    t.element_bytes = p.element_bytes, t.rows = p.extents[2], t.columns = p.extents[3], t.batches = p.extents[0];
    const std::uint64_t matrix = t.rows * t.columns * t.element_bytes;
    t.source_batch_bytes = p.extents[1] * matrix;
    t.source = p.source, t.target = p.target;
    const MoveStatus first = lanebank::transpose(t);
    t.source = static_cast<const unsigned char*>(p.source) + matrix;
    t.target = static_cast<unsigned char*>(p.target) + t.batches * matrix;
    return first != MoveStatus::ok ? first : lanebank::transpose(t);
  };
  wrong += check(request(1, {5, 2, 64, 128}, {1, 0, 3, 2}), 1, 3, false, gaps);
  // Rows of the target made of two axes: several tiles, cut and not.
  wrong += check(request(4, {31, 9, 37}, {2, 1, 0})) + check(request(4, {2, 12, 5, 67}, {0, 3, 2, 1}), 4, 12);
  wrong += check(request(1, {60, 11, 45}, {2, 1, 0}), 3, 7) + check(request(2, {3, 20, 17, 71}, {1, 3, 2, 0}), 2, 10);
  wrong += check(request(2, {32, 2, 9, 50}, {1, 3, 2, 0})) + check(request(8, {11, 13, 19}, {2, 1, 0}), 8, 24);
  wrong += check(request(1, {45, 5, 48}, {2, 1, 0})) + check(request(1, {45, 5, 52}, {2, 1, 0}), 4, 2);
  wrong += check(request(1, {30, 7, 200}, {2, 1, 0}), 1, 2) + check(request(2, {13, 9, 44}, {2, 1, 0}), 8, 2);
  wrong += check(request(8, {150, 3, 90}, {2, 1, 0}), 8) + check(request(4, {7, 90, 31}, {2, 1, 0}), 12);
  // Gathered: several tiles, cut and not; units that end behind the source; matrices whose neighbours are not known.
  wrong += check(request(4, {301, 203}, {1, 0}), 4, 12, true, [](const Permute& p) { return gathered<4, 4>(p, true); });
  wrong += check(request(4, {3, 90, 310}, {0, 2, 1}), 8, 4, true, [](const Permute& p) { return gathered<4, 8>(p); });
  wrong += check(request(2, {333, 154}, {1, 0}), 4, 6, true, [](const Permute& p) { return gathered<2, 4>(p, true); });
  wrong += check(request(2, {3, 131, 142}, {0, 2, 1}), 4, 2, true, [](const Permute& p) { return gathered<2, 4>(p); });
  // Matrices that lie side by side in the source, not first in the target.
  wrong += check(request(1, {3, 2, 1100, 4, 25}, {4, 3, 1, 0, 2}), 1, 1);
  // Copied rows split over launches.
  const auto split = [](const Permute& p) {
    const std::uint64_t bytes = count_of(p) * p.element_bytes;
    const lanebank::kernels::MergedAxes m = lanebank::kernels::merge_axes(p);
    const auto whole = lanebank::kernels::row_span_of(p.source, p.target, bytes);
    return lanebank::kernels::copy_axes(m, lanebank::kernels::strides_of(m), 0, whole, 1000, nullptr) == cudaSuccess
               ? MoveStatus::ok
               : MoveStatus::launch_failed;
  };
  wrong += check(request(4, {4, 3, 5, 33}, {2, 1, 0, 3}), 0, 0, false, split);
  return wrong + check(request(1, {2, 3, 1200}, {1, 0, 2}), 0, 0, false, split);
}

int expect(const char* what, bool right) {
  std::printf("%s: %s\n", what, right ? "right" : "WRONG");
  return !right;
}

int expect_status(const char* what, const Permute& p, MoveStatus wanted) {
  const MoveStatus found = lanebank::permute(p);
  std::printf("%s: %s%s\n", what, lanebank::name(found), found == wanted ? "" : " WRONG");
  return found != wanted;
}

int check_arguments() {
  alignas(256) static unsigned char memory[8192];  // never touched: all of these are refused or empty
  Permute good = request(4, {8, 16}, {1, 0});
  good.source = memory, good.target = memory + 4096;
  const auto changed = [&](auto change) {
    Permute p = good;
    change(p);
    return p;
  };
  int wrong = expect_status("no source", changed([](Permute& p) { p.source = nullptr; }), MoveStatus::null_pointer);
  wrong += expect_status("5 bytes", changed([](Permute& p) { p.element_bytes = 5; }), MoveStatus::element_size);
  wrong += expect_status("7 axes", changed([](Permute& p) { p.rank = 7; }), MoveStatus::axes);
  wrong += expect_status("an axis twice", changed([](Permute& p) { p.axes[1] = 1; }), MoveStatus::axes);
  wrong += expect_status("an axis too many", changed([](Permute& p) { p.axes[1] = 2; }), MoveStatus::axes);
  wrong += expect_status("empty", changed([](Permute& p) { p.extents[0] = 0, p.source = nullptr; }), MoveStatus::ok);
  wrong += expect_status("overlap", changed([](Permute& p) { p.target = memory + 508; }), MoveStatus::overlap);
  wrong += expect_status("odd base", changed([](Permute& p) { p.source = memory + 2; }), MoveStatus::misaligned);
  wrong += expect_status("overflow", changed([](Permute& p) { p.extents[0] = std::uint64_t{1} << 62; }),
                         MoveStatus::overflow);

  const auto merges = [](const Permute& p, std::vector<std::uint64_t> extents, std::vector<std::uint32_t> axes) {
    const lanebank::kernels::MergedAxes m = lanebank::kernels::merge_axes(p);
    return m.rank == extents.size() && std::equal(extents.begin(), extents.end(), m.extents.begin()) &&
           std::equal(axes.begin(), axes.end(), m.axes.begin());
  };
  wrong += expect("identity is one axis", merges(request(4, {2, 3, 4}, {0, 1, 2}), {24}, {0}));
  wrong += expect("neighbours merge", merges(request(4, {2, 3, 4, 5}, {2, 3, 0, 1}), {6, 20}, {1, 0}));
  wrong += expect("extents of 1 go", merges(request(4, {2, 1, 3, 1}, {2, 3, 1, 0}), {2, 3}, {1, 0}));
  wrong += expect("neighbours over a 1", merges(request(4, {7, 2, 1, 3}, {2, 1, 3, 0}), {7, 6}, {1, 0}));
  return wrong + expect("nothing merges", merges(request(4, {2, 3, 4}, {2, 1, 0}), {2, 3, 4}, {2, 1, 0}));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  std::printf("seed %u\n", seed);
  const int wrong = mode == "arguments" ? check_arguments() : mode == "edges" ? check_edges() : check_whole();
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
