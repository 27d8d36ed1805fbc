// Integer code that nvcc made for three architectures, against the same formulas on the host.
#include <algorithm>
#include <bit>
#include <random>

#include "kernel_runner.hpp"

namespace lanebank::machine {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using i64 = std::int64_t;
using u64 = std::uint64_t;
using i128 = __int128;
using u128 = unsigned __int128;

constexpr unsigned blocks = 8, threads = 96, n = blocks * threads;

template <class T>
T draw(std::mt19937_64& random) {
  static constexpr u64 edges[] = {0,
                                  1,
                                  2,
                                  3,
                                  7,
                                  31,
                                  32,
                                  33,
                                  63,
                                  64,
                                  255,
                                  0x7fff,
                                  0x8000,
                                  0xffff,
                                  0x7fffffff,
                                  0x80000000,
                                  0xffffffff,
                                  0x100000000,
                                  0x7fffffffffffffff,
                                  0x8000000000000000,
                                  0xffffffffffffffff,
                                  0xfffffffffffffffe};
  switch (random() % 4) {
    case 0:
      return static_cast<T>(edges[random() % std::size(edges)]);
    case 1:
      return static_cast<T>(random() % 100);
    case 2:
      return static_cast<T>(random() >> random() % 64);
    default:
      return static_cast<T>(random());
  }
}

class Integer : public testing::TestWithParam<int> {
 protected:
  Integer() : runner("integer_sm" + std::to_string(GetParam()) + ".cubin") {}

  template <class T>
  T* inputs(unsigned count) {
    T* in = runner.array<T>(count);
    for (unsigned i = 0; i < count; ++i) in[i] = draw<T>(random);
    return in;
  }
  void expect_fine(const LaunchOutcome& outcome) {
    EXPECT_FALSE(outcome.fault) << outcome.fault->message << " at instruction " << outcome.fault->instruction;
  }

  std::mt19937_64 random{7};
  KernelRunner runner;
};

INSTANTIATE_TEST_SUITE_P(Architectures, Integer, testing::Values(75, 80, 90),
                         [](const auto& info) { return "sm_" + std::to_string(info.param); });

/// Compares out[operation][thread] with one formula after the other.
template <class T>
struct Expected {
  const T* out;
  unsigned thread;
  unsigned k = 0;
  template <class V>
  void operator()(V value) {
    ASSERT_EQ(out[n * k + thread], static_cast<T>(value)) << "operation " << k << " of thread " << thread;
    ++k;
  }
};

int s(u32 x) { return static_cast<int>(x); }
u32 saturated(i64 x) { return u32(std::clamp<i64>(x, INT32_MIN, INT32_MAX)); }

template <class F>
u32 bytewise(u32 x, u32 y, unsigned bits, F f) {
  u32 d = 0;
  const u32 mask = (u32{1} << bits) - 1;
  for (unsigned i = 0; i < 32; i += bits) d |= (u32(f(int(x >> i & mask), int(y >> i & mask))) & mask) << i;
  return d;
}
int half(int x) { return static_cast<std::int16_t>(x); }
u32 permuted(u32 x, u32 y, u32 selector) {
  const u64 both = x | u64{y} << 32;
  u32 d = 0;
  for (unsigned i = 0; i < 4; ++i) d |= u32(both >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
  return d;
}

TEST_P(Integer, WordsComputeAsOnTheHost) {
  const u32* in = inputs<u32>(3 * n);
  u32* out = runner.array<u32>(100 * n);
  expect_fine(runner.run("words", blocks, threads, out, in));
  for (unsigned t = 0; t < n; ++t) {
    const u32 x = in[t], y = in[t + n], z = in[t + 2 * n];
    const int a = s(x), b = s(y), c = s(z);
    const i64 la = a, lb = b;
    Expected<u32> is{out, t};
    is(x * y + z), is(x * y - z), is(y == 0 ? 0 : x / y), is(z == 0 ? 0 : x % z);
    is(b == 0 || (a == INT32_MIN && b == -1) ? 0 : a / b), is(c == 0 || c == -1 ? 0 : a % c);
    is(la * lb >> 32), is(u64{x} * y >> 32), is(u32(la < 0 ? -la : la)), is(std::min(a, b)), is(std::max(a, c)),
        is(std::min(x, y)), is(std::max(x, z));
    is(std::countl_zero(x)), is(std::popcount(x));
    u32 reversed = 0;
    for (unsigned i = 0; i < 32; ++i) reversed |= (x >> i & 1) << (31 - i);
    is(reversed), is(x == 0 ? 0 : std::countr_zero(x) + 1), is(permuted(x, y, z)), is(u32(std::abs(la - lb)) + z),
        is((x > y ? x - y : y - x) + z);
    is(u32((s(x << 8) >> 8) * i64(s(y << 8) >> 8))), is((x & 0xffffff) * (y & 0xffffff)), is(u32((la + lb) >> 1)),
        is(u32((la + lb + 1) >> 1)), is(u32((u64{x} + y) >> 1));
    const u64 funnel = x | u64{y} << 32;
    is(u32(funnel << (z & 31) >> 32)), is(u32(funnel >> (z & 31))), is(u32(funnel << std::min(z, 32u) >> 32)),
        is(u32(funnel >> std::min(z, 32u)));
    is(x << (y & 31)), is(a >> (y & 31)), is(x >> (y & 31)), is((x & y) | z), is((x ^ y) & ~z);
    is(a / 7), is(a % 7), is(x / 7), is(a / 8), is(a % 8), is(x / 1000), is(a / -3);
    u32 signed4 = z, unsigned4 = z, signed2 = z, unsigned2 = z;
    for (unsigned i = 0; i < 4; ++i) {
      signed4 += u32(std::int8_t(x >> 8 * i) * std::int8_t(y >> 8 * i));
      unsigned4 += u32(u8(x >> 8 * i)) * u8(y >> 8 * i);
    }
    for (unsigned i = 0; i < 2; ++i) {
      signed2 += u32(std::int16_t(x >> 16 * i) * std::int8_t(y >> 8 * i));
      unsigned2 += u32(std::uint16_t(x >> 16 * i)) * u8(y >> (16 + 8 * i));
    }
    is(signed4), is(unsigned4), is(signed2), is(unsigned2);
    is(bytewise(x, y, 8, [](int p, int q) { return p + q; })),
        is(bytewise(x, y, 8, [](int p, int q) { return std::abs(p - q); }));
    is(bytewise(x, y, 16, [](int p, int q) { return std::max(half(p), half(q)); })),
        is(bytewise(x, y, 16, [](int p, int q) { return std::min(p, q); }));
    is(bytewise(x, y, 8, [](int p, int q) { return (p + q + 1) / 2; }));
    is(bytewise(x, y, 16, [](int p, int q) { return std::clamp(half(p) - half(q), -32768, 32767); }));
    u32 sum = 0;
    for (unsigned i = 0; i < 4; ++i) sum += u32(std::abs(int(u8(x >> 8 * i)) - int(u8(y >> 8 * i))));
    is(sum);
    is(std::max({a, b, c})), is(std::min({a, b, c})), is(std::max(s(x + y), c)), is(std::min(x + y, z)),
        is(std::max(s(x + y), 0));
    is(a < b ? x : z), is((a < b) + 2 * (x < y) + 4 * (a == c) + 8 * (x >= z && b > c));
  }
}

TEST_P(Integer, LongWordsComputeAsOnTheHost) {
  const u64* in = inputs<u64>(3 * n);
  u64* out = runner.array<u64>(60 * n);
  expect_fine(runner.run("longs", blocks, threads, out, in));
  for (unsigned t = 0; t < n; ++t) {
    const u64 x = in[t], y = in[t + n], z = in[t + 2 * n];
    const i64 a = i64(x), b = i64(y), c = i64(z);
    Expected<u64> is{out, t};
    is(x * y + z), is(x + y), is(x - y), is(y == 0 ? 0 : x / y), is(z == 0 ? 0 : x % z);
    is(b == 0 || b == -1 ? 0 : a / b), is(c == 0 || c == -1 ? 0 : a % c);
    is(u64(i128{a} * b >> 64)), is(u64(u128{x} * y >> 64)), is(a < 0 ? 0 - x : x), is(std::min(a, b)),
        is(std::max(x, y));
    is(std::countl_zero(x)), is(std::popcount(x));
    u64 reversed = 0;
    for (unsigned i = 0; i < 64; ++i) reversed |= (x >> i & 1) << (63 - i);
    is(reversed), is(x == 0 ? 0 : std::countr_zero(x) + 1);
    is(x << (y & 63)), is(a >> (y & 63)), is(x >> (y & 63)), is(a < b ? z : x), is(a / 7), is(x / 10), is((x & y) ^ z),
        is(0 - x);
    is(x << 3), is(a >> 5), is(x >> 40), is(u64(i64{s(u32(x))} * s(u32(y)))), is(u64{u32(x)} * u32(y) + z);
    is((a == b) + 2 * (a <= c) + 4 * (x > z) + 8 * (a > b));
    const u128 w = u128{x} * y + z, v = w - (u128{z} << 64 | x);
    is(u64(w)), is(u64(w >> 64)), is(u64(v)), is(u64(v >> 64)), is(w < v);
    const i128 product = i128{a} * b;
    is(u64(product)), is(u64(product >> 64)), is(x * 3 + t);
  }
}

/// Fields as the PTX manual defines them.
u32 extracted(u32 x, u32 first, u32 count, bool is_signed) {
  first &= 0xff, count &= 0xff;
  u32 d = 0;
  const u32 top = std::min(first + count - 1, 31u);
  const bool sign = is_signed && count != 0 && (x >> top & 1);
  for (u32 i = 0; i < 32; ++i) {
    const bool bit = i < count && first + i <= 31 ? x >> (first + i) & 1 : sign;
    d |= u32{bit} << i;
  }
  return d;
}
u32 extended(u32 x, u32 count, bool is_signed) {
  if (count == 0) return 0;
  if (count >= 32) return x;
  return is_signed ? u32(s(x << (32 - count)) >> (32 - count)) : x & ((1u << count) - 1);
}
u32 mask_of(u32 first, u32 count) {
  u32 d = 0;
  for (u32 i = 0; i < 32; ++i) d |= u32{i >= first && i - first < count} << i;
  return d;
}

TEST_P(Integer, FieldInstructionsFollowThePtxManual) {
  const u32* in = inputs<u32>(3 * n);
  u32* out = runner.array<u32>(40 * n);
  expect_fine(runner.run("fields", blocks, threads, out, in));
  for (unsigned t = 0; t < n; ++t) {
    const u32 x = in[t], y = in[t + n], z = in[t + 2 * n];
    const i64 a = s(x), b = s(y);
    Expected<u32> is{out, t};
    is(extracted(x, y, z, false)), is(extracted(x, y, z, true));
    u32 inserted = y;
    for (u32 i = 0; i < (z >> 8 & 0xff) && (z & 0xff) + i <= 31; ++i) {
      const u32 at = (z & 0xff) + i;
      inserted = (inserted & ~(1u << at)) | (i < 32 ? x >> i & 1 : 0) << at;
    }
    is(inserted);
    const u32 magnitude = a < 0 ? ~x : x, highest = magnitude == 0 ? ~0u : 31u - u32(std::countl_zero(magnitude));
    is(x == 0 ? ~0u : 31 - std::countl_zero(x)), is(highest), is(highest == ~0u ? highest : 31 - highest);
    is(extended(x, y & 31, true)), is(extended(x, y, true)), is(extended(x, z, false));
    is(mask_of(y, z)), is(mask_of(y & 31, z & 31));
    static constexpr u32 modes[6][4] = {{0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
                                        {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
                                        {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
    for (const auto& mode : modes) is(permuted(x, y, mode[z & 3]));
    is(saturated(a + b)), is(saturated(a - b)), is(saturated((a * b >> 32) + s(z)));
    const u64 add1 = u64{x} + y, add2 = u64{z} + u32(add1) + (add1 >> 32);
    is(u32(add2) + x + u32(add2 >> 32));
    const u64 sub1 = u64{x} - y, sub2 = u64{z} - u32(sub1) - (sub1 >> 63);
    is(u32(sub2) - x - u32(sub2 >> 63));
    const u64 mad1 = u64{u32(u64{x} * y)} + z, mad2 = (u64{z} * u32(mad1) >> 32) + x + (mad1 >> 32);
    is(u32(mad2) * x + y + u32(mad2 >> 32));
  }
}

TEST_P(Integer, LanesExchangeVoteMatchAndReduce) {
  const u32* in = inputs<u32>(2 * n);
  u32* out = runner.array<u32>(40 * n);
  expect_fine(runner.run("lanes", blocks, threads, out, in));
  for (unsigned t = 0; t < n; ++t) {
    const unsigned lane = t % 32, first = t - lane;
    const auto x = [&](unsigned i) { return in[first + i]; };
    const auto y = [&](unsigned i) { return in[n + first + i]; };
    const auto holds = [](auto predicate) {
      u32 mask = 0;
      for (unsigned i = 0; i < 32; ++i) mask |= u32{predicate(i)} << i;
      return mask;
    };
    Expected<u32> is{out, t};
    is(x(y(lane) & 31)), is(x(lane < 3 ? lane : lane - 3));
    const unsigned below = lane + (y(lane) & 31);
    is(x(below <= (lane | 15) ? below : lane)), is(x(lane ^ 7)),
        is(x((lane & 7) < (y(lane) & 7) ? lane : lane - (y(lane) & 7)));
    is(holds([&](unsigned i) { return (x(i) & 1) != 0; })), is(holds([&](unsigned i) { return x(i) == 0; }) != 0),
        is(holds([&](unsigned i) { return x(i) == 1; }) == 0);
    is(holds([&](unsigned i) { return y(i) % 5 == y(lane) % 5; }));
    const bool all = holds([&](unsigned i) { return y(i) / 1000 == y(0) / 1000; }) == ~0u;
    is(all ? ~0u : 0), is(all),
        is(holds([&](unsigned i) { return y(i) % 3 == y(lane) % 3 && (x(i) & 1) == (x(lane) & 1); }));
    if (GetParam() >= 80) {
      u32 sum = 0, low = ~0u, conjunction = ~0u, disjunction = 0, exclusive = 0;
      int high = INT32_MIN;
      for (unsigned i = 0; i < 32; ++i) {
        sum += x(i), low = std::min(low, x(i)), high = std::max(high, s(x(i)));
        conjunction &= x(i), disjunction |= x(i), exclusive ^= x(i);
      }
      is(sum), is(high), is(low), is(conjunction), is(disjunction), is(exclusive);
    } else {
      is.k += 6;
    }
    is(x(lane) & 1 ? holds([&](unsigned i) { return (x(i) & 1) != 0; }) : 0);
    is((1u << lane) - 1), is(~0u << lane), is(lane), is(t % threads / 32);
  }
}

TEST_P(Integer, ThreadsKnowTheirPlacesAndConstants) {
  const u32* in = inputs<u32>(n);
  int* out = runner.array<int>(8 * n);
  LaunchRequest request;
  request.module = runner.module;
  const image::Function* function = runner.module->cubin.find("places");
  ASSERT_NE(function, nullptr);
  request.function = static_cast<u32>(function - runner.module->cubin.functions.data());
  request.grid[0] = 8;
  request.block[0] = 4, request.block[1] = 8, request.block[2] = 3;
  const int scale = 5;
  request.parameters.resize(function->parameter_bytes);
  std::memcpy(request.parameters.data() + function->parameters[0].offset_bytes, &out, 8);
  std::memcpy(request.parameters.data() + function->parameters[1].offset_bytes, &in, 8);
  std::memcpy(request.parameters.data() + function->parameters[2].offset_bytes, &scale, 4);
  auto outcome = runner.device.launch(request, {});
  ASSERT_TRUE(outcome);
  expect_fine(*outcome);
  static constexpr int table[64] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 100, 99, 98, 97, 96, 95, 94};
  for (unsigned t = 0; t < n; ++t) {
    const unsigned block = t / 96, thread = t % 96;
    Expected<int> is{out, t};
    is(int(thread % 4 + 100 * (thread / 4 % 8) + 10000 * (thread / 32))), is(table[in[t] % 64]);
    const int place = int(in[t] % 16);
    is(place % 2 == 0 ? -(place + 1) : place + 1), is(table[block] * scale);
    int sum = 0;
    for (int i = 0; i < scale * 8; i += 3) sum += (i / 4) ^ scale;
    is(sum);
  }
}

}  // namespace
}  // namespace lanebank::machine
