// Operands of arithmetic.cu and of the test that replays its results: the same numbers wherever they are made.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace arithmetic {

using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct Random {
  u64 state;
  u64 operator()() {
    u64 z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
};
inline std::vector<u64> with_signs(std::vector<u64> v, u64 sign) {
  const std::size_t n = v.size();
  for (std::size_t i = 0; i < n; ++i) v.push_back(v[i] | sign);
  return v;
}
inline const std::vector<u64> edges32 =
    with_signs({0,          1,          0x007fffff, 0x00800000, 0x00800001, 0x00ffffff, 0x01000000, 0x34000000,
                0x33ffffff, 0x3effffff, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fffffff, 0x40000000,
                0x40490fdb, 0x4b000001, 0x4b7fffff, 0x4effffff, 0x4f000000, 0x4f800000, 0x5f000000, 0x5f800000,
                0x7e7fffff, 0x7e800000, 0x7f000000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fa12345, 0x7fc00000,
                0x7fe54321, 0x1f800000, 0x20000000, 0x5e800000, 0x00000fff},
               0x80000000u);
inline const std::vector<u64> edges64 = with_signs({0,
                                                    1,
                                                    0x000fffffffffffffu,
                                                    0x0010000000000000u,
                                                    0x3ca0000000000000u,
                                                    0x3fdfffffffffffffu,
                                                    0x3fe0000000000000u,
                                                    0x3ff0000000000000u,
                                                    0x3ff0000000000001u,
                                                    0x4000000000000000u,
                                                    0x41dfffffffc00000u,
                                                    0x41e0000000000000u,
                                                    0x41efffffffe00000u,
                                                    0x41f0000000000000u,
                                                    0x43dfffffffffffffu,
                                                    0x43e0000000000000u,
                                                    0x43f0000000000000u,
                                                    0x7fefffffffffffffu,
                                                    0x7ff0000000000000u,
                                                    0x7ff0000000000001u,
                                                    0x7ff4567812345678u,
                                                    0x7ff8000000000000u,
                                                    0x7ffedcba98765432u,
                                                    0x36a0000000000000u,
                                                    0x380fffffffffffffu,
                                                    0x3810000000000000u,
                                                    0x47efffffe0000000u,
                                                    0x47effffff0000000u},
                                                   0x8000000000000000u);
inline const std::vector<u64> edges16 = with_signs(
    {0,      1,      0x3ff, 0x400, 0x401,  0x3bff, 0x3c00, 0x3c01, 0x4000, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7fff,
     0x3800, 0x3555, 0x7f,  0x80,  0x3f80, 0x3f81, 0x7f80, 0x7f7f, 0x7f81, 0x7fc0, 0x0c00, 0x1400, 0x6400},
    0x8000u);

constexpr unsigned count = 16384;

/// Three lists of operands: all pairs of edges, then random words.
inline void operands(const std::vector<u64>& edges, unsigned bits, u64 seed, std::vector<u64>& a, std::vector<u64>& b,
                     std::vector<u64>& c) {
  Random random{seed};
  const u64 mask = bits == 64 ? ~u64{0} : (u64{1} << bits) - 1;
  a.resize(count), b.resize(count), c.resize(count);
  for (unsigned i = 0; i < count; ++i) {
    const std::size_t n = edges.size();
    a[i] = i < n * n ? edges[i / n] : random() & mask;
    b[i] = i < n * n ? edges[i % n] : random() & mask;
    c[i] = i % 3 == 0 ? random() & mask : edges[random() % n];
    if (i >= n * n && i % 4 == 0) {  // numbers of like size
      const u64 low = (u64{1} << (bits == 64 ? 54 : bits == 32 ? 26 : 12)) - 1;
      const u64 base = bits == 64 ? 0x3fc0000000000000u : bits == 32 ? 0x3e000000u : 0x3000u;
      a[i] = base + (random() & low), b[i] = base + (random() & low),
      c[i] = (base + (random() & low)) ^ (random() & 1) << (bits - 1);
    }
  }
}

/// Pairs of 16-bit edges.
inline std::vector<u64> edge_pairs() {
  std::vector<u64> pairs;
  for (const u64 x : edges16)
    for (std::size_t i = 0; i < edges16.size(); i += 7) pairs.push_back(x << 16 | edges16[(i + x) % edges16.size()]);
  return pairs;
}

// ------------------------------------------------------------------------------- products

constexpr unsigned products = 96;  ///< warps, each with operands of its own

/// What the operands look like. Three sorts by warp: like sizes; very different sizes; any bits.
enum class Kind { half, brain, tensor, word };
inline u32 operand(Random& random, Kind kind, unsigned sort) {
  const u64 r = random();
  const u32 bits = static_cast<u32>(r);
  const unsigned spread = sort == 0 ? 4 : 16;
  const auto e = [&](unsigned shift, unsigned middle) {
    return (middle + static_cast<u32>(r >> shift) % spread - spread / 2);
  };
  if (sort == 2 || kind == Kind::word) return bits;
  if (kind == Kind::half) return (bits & 0x83ff83ff) | e(32, 15) << 10 | e(40, 15) << 26;
  if (kind == Kind::brain) return (bits & 0x807f807f) | e(32, 127) << 7 | e(40, 127) << 23;
  return (bits & 0x807fffff) | e(32, 127) << 23;
}

/// Operand q (a, b, c) of a product: 8 registers of 32 lanes for each warp.
inline std::vector<u32> product_operand(Random& random, Kind kind) {
  std::vector<u32> words(products * 256);
  for (unsigned i = 0; i < products * 256; ++i) words[i] = operand(random, kind, i / 256 % 3);
  return words;
}

constexpr unsigned shared_words = 12 * 1024;

/// One warpgroup product: the kernel, what fills shared memory, the descriptors of A and B as offsets from its start.
struct GroupCase {
  std::string name, kernel;
  std::vector<u32> fill;
  u64 a, b;
};

/// Offsets from the start of shared memory, in bytes.
inline u64 descriptor(u32 start, u32 leading, u32 stride, u64 swizzle) {
  return start >> 4 | u64{leading >> 4} << 16 | u64{stride >> 4} << 32 | swizzle << 62;
}

inline std::vector<GroupCase> group_cases() {
  std::vector<GroupCase> cases;
  Random random{99};
  // Small integers: every sum is exact, so that only the layout matters.
  std::vector<u32> small(shared_words), numbers[3];
  const auto half_integer = [&] {
    static constexpr u32 halves[8] = {0x0000, 0x3c00, 0x4000, 0x4200, 0x4400, 0xbc00, 0xc000, 0xc200};
    return halves[random() % 8];
  };
  for (u32& word : small) {
    const u32 first = half_integer(), second = half_integer();
    word = first | second << 16;
  }
  for (unsigned kind = 0; kind < 3; ++kind) {
    numbers[kind].resize(shared_words);
    for (unsigned i = 0; i < shared_words; ++i)
      numbers[kind][i] = operand(random, kind == 0 ? Kind::half : kind == 1 ? Kind::brain : Kind::tensor, 1);
  }
  std::vector<u32> eight(shared_words);
  for (u32& word : eight) word = static_cast<u32>(random()) & 0xbfbfbfbf;
  for (u64 swizzle = 0; swizzle < 4; ++swizzle) {
    const u32 w = swizzle == 0 ? 1 : 16u >> swizzle;
    // K-major: 8 rows of 16 w bytes; MN-major: 64 rows are 8 / w pieces. Odd distances show exchanged offsets.
    const u64 ka = descriptor(0, swizzle ? 16 : 0x1800, 128 * w + (swizzle ? 0 : 128), swizzle),
              kb = descriptor(0x6000, swizzle ? 16 : 0x80, 128 * w, swizzle);
    const u64 ma = swizzle ? descriptor(0, 128 * w * 2, w == 8 ? 1024 : 128 * w * 2 * (8 / w), swizzle)
                           : descriptor(0, 0x1800, 0x180, 0);
    const u64 mb = swizzle ? descriptor(0x6000, 2048, 2048, swizzle) : descriptor(0x6000, 0x280, 0x180, 0);
    const std::string number = "_" + std::to_string(swizzle);
    cases.push_back({"group_k_k" + number, "group_f16", small, ka, kb});
    cases.push_back({"group_mn_k" + number, "group_f16_a", small, ma, kb});
    cases.push_back({"group_k_mn" + number, "group_f16_b", small, ka, mb});
    cases.push_back({"group_mn_mn" + number, "group_f16_ab", small, ma, mb});
    // A start inside a swizzle pattern, as loops over k use it.
    if (w >= 4) cases.push_back({"group_k_step" + number, "group_f16", small, ka + 2, kb + 2});
    cases.push_back({"group_s8" + number, "group_s8", eight, ka, kb});
  }
  const u64 a = descriptor(0, 16, 1024, 1), b = descriptor(0x6000, 16, 1024, 1);
  for (const char* kernel : {"group_f16", "group_bf16", "group_tf32", "group_half", "group_e4m3", "group_e5m2"}) {
    const std::string name = kernel;
    const std::vector<u32>& fill = name == "group_f16" || name == "group_half" ? numbers[0]
                                   : name == "group_bf16"                      ? numbers[1]
                                   : name == "group_tf32"                      ? numbers[2]
                                                                               : eight;
    cases.push_back({name, name, fill, a, b});
  }
  return cases;
}

/// Products with a sparse A: B has twice as many elements along k, 64 bytes.
inline std::vector<GroupCase> sparse_group_cases() {
  std::vector<GroupCase> cases;
  Random random{101};
  std::vector<u32> small(shared_words), eight(shared_words), numbers[3];
  const auto half_integer = [&] {
    static constexpr u32 halves[8] = {0x0000, 0x3c00, 0x4000, 0x4200, 0x4400, 0xbc00, 0xc000, 0xc200};
    return halves[random() % 8];
  };
  for (u32& word : small) {
    const u32 first = half_integer(), second = half_integer();
    word = first | second << 16;
  }
  for (u32& word : eight) word = static_cast<u32>(random()) & 0xbfbfbfbf;
  for (unsigned kind = 0; kind < 3; ++kind) {
    numbers[kind].resize(shared_words);
    for (u32& word : numbers[kind])
      word = operand(random, kind == 0 ? Kind::half : kind == 1 ? Kind::brain : Kind::tensor, 1);
  }
  for (u64 swizzle = 0; swizzle < 4; ++swizzle) {
    const u32 w = swizzle == 0 ? 1 : 16u >> swizzle;
    // Odd distances, also where a swizzle should ignore them.
    const u64 ka = descriptor(0, swizzle ? 0x1400 : 0x1800, 128 * w + (swizzle ? 0 : 128), swizzle),
              kb = descriptor(0x6000, swizzle ? 0x1400 : 0x180, 128 * w, swizzle);
    const u64 ma = swizzle ? descriptor(0, 128 * w * 2, w == 8 ? 1024 : 128 * w * 2 * (8 / w), swizzle)
                           : descriptor(0, 0x1800, 0x180, 0);
    const u64 mb = swizzle ? descriptor(0x6000, 2048, 0x1400, swizzle) : descriptor(0x6000, 0x280, 0x180, 0);
    const std::string number = "_" + std::to_string(swizzle);
    cases.push_back({"group_sp_k_k" + number, "group_sp_f16", small, ka, kb});
    cases.push_back({"group_sp_mn_k" + number, "group_sp_f16_a", small, ma, kb});
    cases.push_back({"group_sp_k_mn" + number, "group_sp_f16_b", small, ka, mb});
    cases.push_back({"group_sp_mn_mn" + number, "group_sp_f16_ab", small, ma, mb});
    if (w >= 4) cases.push_back({"group_sp_k_step" + number, "group_sp_f16", small, ka + 2, kb + (w == 8 ? 4 : 0)});
    cases.push_back({"group_sp_s8" + number, "group_sp_s8", eight, ka, kb});
    cases.push_back({"group_sp_r_s8" + number, "group_sp_r_s8", eight, ka, kb});
  }
  const u64 a = descriptor(0, 16, 1024, 1), b = descriptor(0x6000, 16, 1024, 1);
  for (const char* kernel : {"group_sp_f16", "group_sp_bf16", "group_sp_tf32", "group_sp_tf32_1", "group_sp_half",
                             "group_sp_e4m3", "group_sp_e5m2", "group_sp_r_f16", "group_sp_r_e4m3"}) {
    const std::string name = kernel;
    const bool bytes = name.find("e4m3") != name.npos || name.find("e5m2") != name.npos;
    const unsigned kind = name.find("bf16") != name.npos ? 1 : name.find("tf32") != name.npos ? 2 : 0;
    cases.push_back({name, name, bytes ? eight : numbers[kind], a, b});
  }
  return cases;
}

}  // namespace arithmetic
