// Products of matrices whose rows begin anywhere, by the copy engine and mma.sync. sm_90.
//
// The engine takes addresses and pitches that are multiples of 16 bytes. The pitch of every eighth row of 16-bit elements is
// one, whatever the matrix' own; and an address rounded down to one is paid for by columns that begin up to 7 further on. So a
// matrix is eight maps: row 8 j + s is row j of class s.
//
//   shared memory   class s of a tile: its rows one below the other, 128 bytes each, and a line left free
//                   line(8 j + s) = s (rows / 8 + 1) + j
//
// Rows 8 j .. 8 j + 7 so lie in lines of all eight phases of the 128-byte swizzle, and ldmatrix has no conflicts (static_assert
// below). Each of the 8 warps asks for its class of every stage. The rest is gemm_mma_ring.cuh's.
#pragma once

#include <cstdint>

#include "lanebank/kernels/gemm_mma_ring.cuh"
#include "lanebank/kernels/gemm_tensor_map.cuh"

namespace lanebank::kernels {

inline constexpr unsigned row_classes = 8;

/// The maps of a matrix, and the column of each where the matrix' first lies.
struct MatrixClasses {
  CUtensorMap maps[row_classes];
  std::uint32_t first[row_classes];
};
struct ClassMaps {
  MatrixClasses a, b;
};

inline bool row_classes_fit(std::uint64_t pitch_elements) { return pitch_elements < std::uint64_t{1} << 35; }

/// The classes of rows x columns elements, with boxes of box_rows rows of a class x 64 columns. False where the driver refuses
/// or cannot be asked.
template <class T>
bool encode_classes(MatrixClasses& classes, const T* matrix, std::uint64_t rows, std::uint64_t columns,
                    std::uint64_t pitch_elements, std::uint32_t box_rows) {
  static_assert(sizeof(T) == 2, "maps of 16-bit elements");
  for (unsigned s = 0; s < row_classes; ++s) {
    const bool some = s < rows;  // else a map without elements: all that is asked for lies outside
    const std::uintptr_t row = reinterpret_cast<std::uintptr_t>(matrix) + (some ? s * pitch_elements * 2 : 0);
    classes.first[s] = some ? static_cast<std::uint32_t>(row % 16 / 2) : 64;
    if (!encode_tensor_map(classes.maps[s], reinterpret_cast<const T*>(row - row % 16),
                           some ? (rows - s + row_classes - 1) / row_classes : 1, some ? columns + classes.first[s] : 1,
                           pitch_elements * row_classes, box_rows))
      return false;
  }
  return true;
}

namespace detail {

/// Rows of `Columns` 16-bit elements by classes, in panels of 64; the page above.
template <unsigned Rows, unsigned Columns>
struct ClassPanels : lanebank::detail::Shape<std::uint16_t, Rows, Columns> {
  static_assert(Rows % 64 == 0 && Columns % 64 == 0, "whole classes and panels");
  static constexpr std::uint32_t lines = Rows / row_classes + 1, panel_bytes = row_classes * lines * 128;
  static constexpr std::uint32_t bytes = Columns / 64 * panel_bytes, contiguous_bytes = lanebank::vector_bytes;

  LANEBANK_HOST_DEVICE static constexpr std::uint32_t offset(std::uint32_t row, std::uint32_t column) {
    const std::uint32_t line = row % row_classes * lines + row / row_classes;
    return column / 64 * panel_bytes + line * 128 + ((column % 64 / 8 ^ line % 8) * 16) + column % 8 * 2;
  }
};

/// offset(row + 64, column) == offset(row, column) + 8 lines, and, for columns below 16 of each 64,
/// offset(row, column + 16 i) == (offset(row, column) ^ 32 i): all fragments of a warp from four addresses.
template <class L>
constexpr bool classes_step_by_xor() {
  for (std::uint32_t row = 0; row < L::rows; ++row)
    for (std::uint32_t column = 0; column < L::columns; column += 8) {
      const std::uint32_t offset = L::offset(row, column), first = column - column % 64 + column % 16;
      if (row + 64 < L::rows && L::offset(row + 64, column) != offset + 8 * 128) return false;
      if (offset != (L::offset(row, first) ^ 32 * (column % 64 / 16))) return false;
    }
  return true;
}

}  // namespace detail

/// Sizes and layouts of a block: those of MmaRingShape<B, 256, Stages> but for the layouts.
template <MatrixB B, unsigned Stages = 3, unsigned Lead = 2, unsigned AskAt = 9>
struct ClassRingShape {
  using Plain = MmaRingShape<B, 256, Stages, 4, Lead, AskAt>;
  static constexpr bool transposed = Plain::transposed, by_classes = true;
  static constexpr unsigned row_tiles = 4, low_tiles = 4, block_m = 128, low_m = 128, block_n = 256, block_k = 64,
                            stages = Stages, cluster = 1, lead = Lead, ask_at = AskAt, warps_across = 4, warps = 8,
                            threads = 256;
  static_assert(warps == row_classes, "a warp asks for a class");
  static constexpr MatrixOrder order_b = Plain::order_b;
  using TileA = detail::ClassPanels<block_m, block_k>;
  using TileB = std::conditional_t<transposed, detail::ClassPanels<block_k, block_n>, detail::ClassPanels<block_n, block_k>>;
  using TileC = typename Plain::TileC;
  static constexpr std::uint32_t stage_bytes = TileA::bytes + TileB::bytes;
  static constexpr std::uint32_t staging = Stages * stage_bytes, shared_bytes = staging + warps * TileC::bytes;
  static_assert(stage_bytes % 1024 == 0 && shared_bytes + 1024 <= 227 * 1024);
  static constexpr std::uint32_t box_rows_b = (transposed ? block_k : block_n) / row_classes;

  static_assert(is_bijective<TileA> && is_bijective<TileB>);
  static_assert(detail::classes_step_by_xor<TileA>() && detail::classes_step_by_xor<TileB>());
  static_assert(conflict_free<TileA, patterns::ldmatrix<4>> && conflict_free<TileB, patterns::ldmatrix<4, order_b>>);
};

/// By classes 16 rows further on are two lines further on, whose phase is another: four addresses in place of one.
template <class Shape>
struct FragmentPlace<Shape, true> {
  std::uint32_t a[4], b[4];

  __device__ __forceinline__ FragmentPlace(std::uint32_t row, std::uint32_t column) {
    const Coordinate in_a = matrix_row<4>(threadIdx.x % 32, 8),
                     in_b = matrix_row<4, Shape::order_b>(threadIdx.x % 32, 8);
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      a[i] = Shape::TileA::offset(row + 16 * i + in_a.row, in_a.column);
      b[i] =
          Shape::TileA::bytes + (Shape::transposed ? Shape::TileB::offset(16 * i + in_b.row, column + in_b.column)
                                                   : Shape::TileB::offset(column + 16 * i + in_b.row, in_b.column));
    }
  }
  __device__ __forceinline__ std::uint32_t of_a(std::uint32_t stage, unsigned k, unsigned i) const {
    return ((stage + a[i % 4]) ^ (k * 32)) + i / 4 * (8 * 128);
  }
  __device__ __forceinline__ std::uint32_t of_b(std::uint32_t stage, unsigned k, unsigned i) const {
    return Shape::transposed ? (stage + b[k]) ^ (i * 32) : (stage + b[i]) ^ (k * 32);
  }
};

/// RingProducer by classes: a thread of each warp asks.
template <class Shape>
struct ClassProducer {
  using Maps = ClassMaps;
  static constexpr unsigned askers = row_classes;
  const ClassMaps& maps;
  std::uint32_t ring, full, empty;

  template <class Launch>
  __device__ __forceinline__ void ask(const Launch& launch, std::uint32_t tiles, std::uint32_t count) const {
    const std::uint32_t index = blockIdx.x + count / tiles * gridDim.x, tile = count % tiles;
    if (threadIdx.x % 32 != 0 || index >= launch.rows * launch.columns) return;
    const std::uint32_t s = threadIdx.x / 32, stage = count % Shape::stages, barrier = full + stage * 8;
    const BandTile place = band_tile<Shape>(launch, index);
    const std::uint32_t to_a = ring + stage * Shape::stage_bytes, to_b = to_a + Shape::TileA::bytes;
    constexpr std::uint32_t rows_a = Shape::block_m / row_classes, rows_b = Shape::box_rows_b;
    constexpr std::uint32_t panels = Shape::TileB::columns / 64;
    mbarrier_wait(empty + stage * 8, count / Shape::stages % 2 ^ 1);
    mbarrier_arrive_expect(barrier, (rows_a + panels * rows_b) * 128);
    tensor_load(to_a + s * (Shape::TileA::lines * 128), maps.a.maps[s], tile * 64 + maps.a.first[s],
                place.row / row_classes, barrier);
    const std::uint32_t x = (Shape::transposed ? place.column : tile * 64) + maps.b.first[s],
                        y = (Shape::transposed ? tile * 64 : place.column) / row_classes;
#pragma unroll
    for (std::uint32_t panel = 0; panel < panels; ++panel)
      tensor_load(to_b + panel * Shape::TileB::panel_bytes + s * (Shape::TileB::lines * 128), maps.b.maps[s],
                  x + panel * 64, y, barrier);
  }
};

}  // namespace lanebank::kernels
