#include "machine/lower_table.hpp"

#include "lanebank_simd_levels.hpp"

namespace lanebank::machine {

#define LANEBANK_LEVEL(name, level)      \
  namespace name {                       \
  Lower lower_function(std::size_t row); \
  }
LANEBANK_SIMD_LEVELS(LANEBANK_LEVEL)
#undef LANEBANK_LEVEL

namespace {

struct Level {
  const char* name;
  int needs;
  Lower (*function)(std::size_t row);
};

constexpr Level levels[] = {
#define LANEBANK_LEVEL(name, level) {#name, level, &name::lower_function},
    LANEBANK_SIMD_LEVELS(LANEBANK_LEVEL)
#undef LANEBANK_LEVEL
};

bool processor_has([[maybe_unused]] int level) {
#if defined(__x86_64__)
  switch (level) {
    case 4:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2");
    case 3:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    case 2:
      return __builtin_cpu_supports("sse4.2");
    default:
      return true;
  }
#else
  return true;
#endif
}

const Level& best_level() {
  static const Level& best = []() -> const Level& {
    const Level* found = &levels[0];
    for (const Level& level : levels)
      if (processor_has(level.needs)) found = &level;
    return *found;
  }();
  return best;
}

}  // namespace

Lower lower_function(std::size_t row) { return best_level().function(row); }

const char* simd_level() { return best_level().name + 5; }  // without "simd_"

}  // namespace lanebank::machine
