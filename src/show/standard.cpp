#include "show/standard.hpp"

#include <fmt/format.h>

#include <functional>

namespace lanebank::show {
namespace {

constexpr unsigned vector_bytes = 16, matrix_rows = 8;

using PlaceOf = std::function<std::uint32_t(std::uint32_t)>;  ///< flat byte of the n-th access

Accesses walk(const solve::Tile& tile, const char* instruction, std::string name, unsigned lane_bytes,
              std::uint32_t count, const PlaceOf& place) {
  Accesses accesses;
  accesses.name = accesses.text = std::move(name);
  accesses.instruction = solve::instruction_named(instruction);
  accesses.lane_bytes = lane_bytes;
  for (std::uint32_t first = 0; first < count; first += lanes_per_warp) {
    WarpPlaces places;
    places.warp = first / lanes_per_warp;
    for (unsigned lane = 0; lane < lanes_per_warp && first + lane < count; ++lane) {
      places.active |= std::uint32_t{1} << lane;
      places.offsets[lane] = place(first + lane);
    }
    accesses.instances.push_back(places);
  }
  return accesses;
}

}  // namespace

std::vector<Accesses> standard_accesses(const solve::Tile& tile) {
  std::vector<Accesses> all;
  const std::uint32_t element = tile.element_bytes, row_bytes = tile.row_bytes(), rows = tile.rows;
  const auto byte = [&](std::uint32_t row, std::uint32_t column) { return row * row_bytes + column * element; };
  all.push_back(walk(tile, "ld", "rows", element, rows * tile.columns, [&](std::uint32_t i) { return i * element; }));
  all.push_back(walk(tile, "ld", "columns", element, rows * tile.columns,
                     [&](std::uint32_t i) { return byte(i % rows, i / rows); }));
  if (row_bytes % vector_bytes != 0 || vector_bytes % element != 0) return all;
  const std::uint32_t vector = vector_bytes / element, vectors = tile.columns / vector;
  all.push_back(walk(tile, "ld", "16-byte rows", vector_bytes, rows * vectors,
                     [&](std::uint32_t i) { return i * vector_bytes; }));
  all.push_back(walk(tile, "ld", "16-byte columns", vector_bytes, rows * vectors,
                     [&](std::uint32_t i) { return byte(i % rows, i / rows * vector); }));
  if (element > 2 && element != 4) return all;
  if (rows % (2 * matrix_rows) == 0 && vectors % 2 == 0) {
    const std::uint32_t across = vectors / 2;
    all.push_back(walk(tile, "ldmatrix_x4", "ldmatrix.x4", vector_bytes, rows * vectors, [&](std::uint32_t i) {
      const std::uint32_t block = i / lanes_per_warp, lane = i % lanes_per_warp;
      return byte(block / across * 16 + lane % 16, (block % across * 2 + lane / 16) * vector);
    }));
  }
  return all;
}

}  // namespace lanebank::show
