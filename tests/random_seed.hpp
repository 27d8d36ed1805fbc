// The seed of the random tests, printed when first asked for. LANEBANK_TEST_SEED=N gives another; =random a new one at
// each run, to search for what no run has found.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>

namespace lanebank {

inline std::uint64_t test_seed() {
  static const std::uint64_t value = [] {
    const char* given = std::getenv("LANEBANK_TEST_SEED");
    const std::uint64_t seed = given == nullptr                      ? 20261201
                               : std::string_view(given) == "random" ? std::random_device{}()
                                                                     : std::strtoull(given, nullptr, 0);
    std::printf("LANEBANK_TEST_SEED=%llu repeats the random tests\n", static_cast<unsigned long long>(seed));
    std::fflush(stdout);
    return seed;
  }();
  return value;
}

}  // namespace lanebank
