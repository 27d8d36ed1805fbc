// lanebank::transpose against a loop over all elements, byte for byte: every element size, aligned and not, batches, in
// place, and requests that must be refused. Everything around source and target is watched. Arguments:
//   (none)      whole tiles: under `lanebank run` this also fails on any excess wavefront
//   edges       matrices that end inside tiles, at any address
//   arguments   refused requests and names; launches nothing
#include "lanebank/transpose.cuh"

#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace {

using lanebank::MoveStatus;
using lanebank::Transpose;

constexpr unsigned seed = 20250;

struct Case {
  unsigned element_bytes, rows, columns, batches;
  unsigned source_pad, target_pad;      // bytes behind each row
  unsigned source_offset, target_offset;  // bytes of the base from a multiple of 256
  bool in_place;
};

// The source holds random bytes, or with `pattern` each element's low bytes are its number.
std::vector<unsigned char> filled(std::size_t bytes, unsigned element_bytes, bool pattern) {
  std::vector<unsigned char> data(bytes);
  std::mt19937 random(seed);
  for (std::size_t i = 0; i < bytes; ++i)
    data[i] = static_cast<unsigned char>(pattern ? i / element_bytes >> 8 * (i % element_bytes % 4) : random());
  return data;
}

int check(const Case& c, bool pattern) {
  const std::size_t source_pitch = std::size_t{c.columns} * c.element_bytes + c.source_pad;
  const std::size_t target_pitch = std::size_t{c.rows} * c.element_bytes + c.target_pad;
  const std::size_t source_bytes = c.source_offset + source_pitch * c.rows * c.batches;
  const std::size_t target_bytes = c.target_offset + target_pitch * c.columns * c.batches + 64;
  const std::vector<unsigned char> source = filled(source_bytes, c.element_bytes, pattern);
  std::vector<unsigned char> target(target_bytes, 0xee), wanted = target;
  if (c.in_place) {
    std::memcpy(target.data(), source.data(), source_bytes);
    wanted = target;
  }
  for (std::size_t batch = 0; batch < c.batches; ++batch)
    for (std::size_t row = 0; row < c.rows; ++row)
      for (std::size_t column = 0; column < c.columns; ++column)
        std::memcpy(&wanted[c.target_offset + (batch * c.columns + column) * target_pitch + row * c.element_bytes],
                    &source[c.source_offset + (batch * c.rows + row) * source_pitch + column * c.element_bytes],
                    c.element_bytes);
  unsigned char *from = nullptr, *to = nullptr;
  cudaMalloc(&from, source_bytes);
  cudaMalloc(&to, target_bytes);
  cudaMemcpy(from, source.data(), source_bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(to, target.data(), target_bytes, cudaMemcpyHostToDevice);
  Transpose move;
  move.target = to + c.target_offset;
  move.source = c.in_place ? move.target : from + c.source_offset;
  move.rows = c.rows, move.columns = c.columns, move.batches = c.batches, move.element_bytes = c.element_bytes;
  move.source_pitch_bytes = source_pitch, move.target_pitch_bytes = target_pitch;
  const MoveStatus status = lanebank::transpose(move);
  const cudaError_t error = cudaMemcpy(target.data(), to, target_bytes, cudaMemcpyDeviceToHost);
  cudaFree(from);
  cudaFree(to);
  std::size_t wrong = error != cudaSuccess || status != MoveStatus::ok;
  for (std::size_t i = 0; i < target_bytes; ++i) wrong += target[i] != wanted[i];
  std::printf("%2u bytes, %u x %u, %u batches, pads %u %u, offsets %u %u%s, %s: %s\n", c.element_bytes, c.rows, c.columns,
              c.batches, c.source_pad, c.target_pad, c.source_offset, c.target_offset, c.in_place ? ", in place" : "",
              pattern ? "pattern" : "random", wrong == 0 ? "right" : "WRONG");
  return wrong != 0;
}

unsigned granule(unsigned bytes) { return bytes & (~bytes + 1); }

int check_whole(unsigned bytes) {
  // Twice the largest tile of transpose_any at most; multiples of all tiles of transpose_tiles.
  const unsigned rows = bytes == 1 ? 256 : bytes == 2 || bytes == 3 ? 128 : 64;
  const unsigned columns = bytes <= 3 ? 128 : bytes >= 12 ? 32 : 64;
  int wrong = check({bytes, rows, columns, 1, 0, 0, 0, 0, false}, true);
  // Rows that begin anywhere: the same tile, words of the rows shifted.
  const unsigned step = granule(bytes);
  wrong += check({bytes, rows, columns, 1, step, 5 * step, step, 3 * step, false}, false);
  if (bytes == 1 || bytes == 2 || bytes == 4) wrong += check({bytes, rows, columns, 1, 16, step, 0, 7 * step, false}, false);
  const unsigned edge = bytes <= 2 ? 128 : 64;
  wrong += check({bytes, edge, edge, 1, 0, 0, 0, 0, true}, false);
  return wrong + check({bytes, edge, edge, 1, step, step, step, step, true}, false);
}

int check_edges(unsigned bytes) {
  const unsigned step = granule(bytes);
  int wrong = check({bytes, 1, 1, 3, 0, 0, 0, 0, false}, false) + check({bytes, 1, 77, 1, 0, 0, 0, 0, false}, true) +
              check({bytes, 101, 1, 2, step, 0, 0, 0, false}, false);
  wrong += check({bytes, 33, 35, 3, 0, 0, 0, 0, false}, false) + check({bytes, 23, 61, 5, step, 0, step, 0, false}, true);
  wrong += check({bytes, 145, 67, 1, 0, 0, 3 * step, 5 * step, false}, false);
  wrong += check({bytes, 300 / bytes + 3, 131, 1, 3 * step, step, 0, 16, false}, true);
  if (16 % bytes == 0) wrong += check({bytes, 5 * 16 / bytes, 48 / bytes, 2, 16, 32, 16, 0, false}, false);
  wrong += check({bytes, 37, 37, 2, 0, 0, 0, 0, true}, false) + check({bytes, 48, 48, 3, 0, 0, 0, 0, true}, false);
  return wrong + check({bytes, 65, 65, 1, 3 * step, 3 * step, step, step, true}, true);
}

int expect(const char* what, const Transpose& move, MoveStatus wanted) {
  const MoveStatus found = lanebank::transpose(move);
  const bool right = found == wanted;
  std::printf("%s: %s%s\n", what, lanebank::name(found), right ? "" : " WRONG");
  return !right;
}

template <class Change>
int expect_changed(const char* what, MoveStatus wanted, const Change& change) {
  alignas(256) static unsigned char memory[4096];  // never touched: all of these are refused or empty
  Transpose move;
  move.source = memory, move.target = memory + 2048;
  move.rows = 8, move.columns = 16, move.element_bytes = 4;
  change(move);
  return expect(what, move, wanted);
}

int check_arguments() {
  unsigned char* const base = reinterpret_cast<unsigned char*>(std::uintptr_t{1} << 20);
  int wrong = expect_changed("no source", MoveStatus::null_pointer, [](Transpose& t) { t.source = nullptr; });
  wrong += expect_changed("no target", MoveStatus::null_pointer, [](Transpose& t) { t.target = nullptr; });
  wrong += expect_changed("5 bytes", MoveStatus::element_size, [](Transpose& t) { t.element_bytes = 5; });
  wrong += expect_changed("0 bytes", MoveStatus::element_size, [](Transpose& t) { t.element_bytes = 0; });
  wrong += expect_changed("no rows", MoveStatus::ok, [](Transpose& t) { t.rows = 0, t.source = nullptr; });
  wrong += expect_changed("no batches", MoveStatus::ok, [](Transpose& t) { t.batches = 0; });
  wrong += expect_changed("source pitch", MoveStatus::pitch_too_small, [](Transpose& t) { t.source_pitch_bytes = 60; });
  wrong += expect_changed("target pitch", MoveStatus::pitch_too_small, [](Transpose& t) { t.target_pitch_bytes = 28; });
  wrong += expect_changed("odd pitch", MoveStatus::misaligned, [](Transpose& t) { t.target_pitch_bytes = 33; });
  wrong += expect_changed("odd base", MoveStatus::misaligned,
                          [](Transpose& t) { t.source = static_cast<const unsigned char*>(t.source) + 2; });
  wrong += expect_changed("batches that overlap", MoveStatus::pitch_too_small,
                          [](Transpose& t) { t.batches = 2, t.target_batch_bytes = 16 * 32 - 4; });
  wrong += expect_changed("one place, not square", MoveStatus::overlap, [](Transpose& t) { t.target = const_cast<void*>(t.source); });
  wrong += expect_changed("shifted by a row", MoveStatus::overlap,
                          [](Transpose& t) { t.target = const_cast<unsigned char*>(static_cast<const unsigned char*>(t.source)) + 64; });
  wrong += expect_changed("rows overflow", MoveStatus::overflow, [](Transpose& t) { t.rows = std::uint64_t{1} << 63; });
  wrong += expect_changed("too many rows", MoveStatus::overflow, [](Transpose& t) { t.rows = std::uint64_t{1} << 31; });
  wrong += expect_changed("stride overflow", MoveStatus::overflow,
                          [](Transpose& t) { t.batches = 1u << 20, t.source_batch_bytes = std::uint64_t{1} << 50; });
  // Side by side in one larger matrix is no overlap.
  const lanebank::kernels::Extents left{reinterpret_cast<std::uintptr_t>(base), 8, 64, 256, 1, 0};
  lanebank::kernels::Extents right = left;
  right.begin += 64;
  wrong += lanebank::kernels::may_overlap(left, right) || lanebank::kernels::may_overlap(right, left);
  right.begin -= 4;
  wrong += !lanebank::kernels::may_overlap(left, right) || !lanebank::kernels::may_overlap(right, left);
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "arguments") return check_arguments() != 0;
  std::printf("seed %u\n", seed);
  int wrong = 0;
  for (const unsigned bytes : {1, 2, 3, 4, 6, 8, 12, 16}) wrong += mode == "edges" ? check_edges(bytes) : check_whole(bytes);
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
