// Small transposes in registers: what makes words of 4 bytes out of elements of any size.
//
// A group is as many neighbouring rows as it takes for a column of it to be whole words: 4 rows for elements of 1 and 3
// bytes, 2 for 2 and 6, 1 for multiples of 4. A thread holds `RowWords` words of each row of a group, and turns them into the
// words of its columns:
//
//   elements of 1 byte, one word of 4 rows          of 3 bytes, three words of 4 rows
//   a0 a1 a2 a3           a0 b0 c0 d0               aaa AAA aaa AAA      aaab bbcc cddd  (column 0)
//   b0 b1 b2 b3    -->    a1 b1 c1 d1               bbb BBB bbb BBB  --> AAAB BBCC CDDD  (column 1)
//   c0 c1 c2 c3           a2 b2 c2 d2               ccc CCC ccc CCC      ...
//   d0 d1 d2 d3           a3 b3 c3 d3               ddd DDD ddd DDD
//
// The first byte of a row is the lowest byte of its first word. Each output word costs at most one byte permute from
// values that are there already. Device code, any thread; nothing synchronises.
#pragma once

#include <cstdint>

namespace lanebank::kernels {

/// How elements of `Bytes` bytes become words; the page above.
template <unsigned Bytes>
struct Packing {
  static_assert(Bytes == 1 || Bytes == 2 || Bytes == 3 || Bytes == 4 || Bytes == 6 || Bytes == 8 || Bytes == 12 ||
                    Bytes == 16,
                "elements of 1, 2, 3, 4, 6, 8, 12 or 16 bytes");
  static constexpr unsigned granule_bytes = Bytes % 4 == 0 ? 4 : Bytes % 2 == 0 ? 2 : 1;
  static constexpr unsigned group_rows = 4 / granule_bytes;
  static constexpr unsigned column_words = group_rows * Bytes / 4;  ///< of a column of a group
};

namespace detail {

__device__ __forceinline__ void turn_bytes(const std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d,
                                           std::uint32_t* columns) {
  const std::uint32_t ab = __byte_perm(a, b, 0x5140), ab2 = __byte_perm(a, b, 0x7362);
  const std::uint32_t cd = __byte_perm(c, d, 0x5140), cd2 = __byte_perm(c, d, 0x7362);
  columns[0] = __byte_perm(ab, cd, 0x5410);
  columns[1] = __byte_perm(ab, cd, 0x7632);
  columns[2] = __byte_perm(ab2, cd2, 0x5410);
  columns[3] = __byte_perm(ab2, cd2, 0x7632);
}

/// Element `index` of four of 3 bytes; its upper byte is anything.
__device__ __forceinline__ std::uint32_t three_bytes(const std::uint32_t (&row)[3], unsigned index) {
  return index == 0   ? row[0]
         : index == 1 ? __funnelshift_r(row[0], row[1], 24)
         : index == 2 ? __funnelshift_r(row[1], row[2], 16)
                      : row[2] >> 8;
}

}  // namespace detail

/// out[j][x] = word j of column x of the group.
template <unsigned Bytes, unsigned RowWords>
__device__ __forceinline__ void pack_group(const std::uint32_t (&rows)[Packing<Bytes>::group_rows][RowWords],
                                           std::uint32_t (&out)[Packing<Bytes>::column_words][RowWords * 4 / Bytes]) {
  using P = Packing<Bytes>;
  if constexpr (Bytes == 1) {
#pragma unroll
    for (unsigned j = 0; j < RowWords; ++j)
      detail::turn_bytes(rows[0][j], rows[1][j], rows[2][j], rows[3][j], &out[0][4 * j]);
  } else if constexpr (Bytes == 2) {
#pragma unroll
    for (unsigned j = 0; j < RowWords; ++j) {
      out[0][2 * j] = __byte_perm(rows[0][j], rows[1][j], 0x5410);
      out[0][2 * j + 1] = __byte_perm(rows[0][j], rows[1][j], 0x7632);
    }
  } else if constexpr (Bytes == 3) {
    static_assert(RowWords == 3);
#pragma unroll
    for (unsigned x = 0; x < 4; ++x) {
      const std::uint32_t a = detail::three_bytes(rows[0], x), b = detail::three_bytes(rows[1], x);
      const std::uint32_t c = detail::three_bytes(rows[2], x), d = detail::three_bytes(rows[3], x);
      out[0][x] = __byte_perm(a, b, 0x4210);
      out[1][x] = __byte_perm(b, c, 0x5421);
      out[2][x] = __byte_perm(c, d, 0x6542);
    }
  } else if constexpr (Bytes == 6) {
    static_assert(RowWords == 3);
    const auto &a = rows[0], &b = rows[1];
    out[0][0] = a[0];
    out[1][0] = __byte_perm(a[1], b[0], 0x5410);
    out[2][0] = __funnelshift_r(b[0], b[1], 16);
    out[0][1] = __funnelshift_r(a[1], a[2], 16);
    out[1][1] = __byte_perm(a[2], b[1], 0x7632);
    out[2][1] = b[2];
  } else {
#pragma unroll
    for (unsigned x = 0; x < RowWords / P::column_words; ++x)
#pragma unroll
      for (unsigned j = 0; j < P::column_words; ++j) out[j][x] = rows[0][x * P::column_words + j];
  }
}

}  // namespace lanebank::kernels
