// The seed of this run's random tests: LANEBANK_TEST_SEED, or a new one. It is printed.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace lanebank {

inline std::uint64_t test_seed() {
  static const std::uint64_t value = [] {
    const char* given = std::getenv("LANEBANK_TEST_SEED");
    const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 0) : std::random_device{}();
    std::printf("LANEBANK_TEST_SEED=%llu repeats the random tests\n", static_cast<unsigned long long>(seed));
    return seed;
  }();
  return value;
}

}  // namespace lanebank
