// MUFU against an H200: sweeps over all words (hardware/mufu_ranges.hpp), compared by hash with what was recorded
// (data/mufu_h200.def), at every SIMD level. The dense sweeps of that file take longer: hardware/mufu_dump.cu under
// `lanebank run` prints their hashes.
#include <map>

#include "hardware/mufu_ranges.hpp"
#include "lane_harness.hpp"

namespace lanebank::machine::testing {
namespace {

constexpr unsigned D = 10, B = 12;

struct Sweep {
  const char* name;
  unsigned function, format;
  std::uint32_t first, step, count;
};
constexpr Sweep sweeps[] = {
#define SWEEP(name, function, format, first, step, count) {#name, function, format, first, step, count},
    MUFU_SPREAD(SWEEP)};

std::uint64_t recorded(const std::string& name) {
  static const std::map<std::string, std::uint64_t> table = {
#define LANEBANK_MUFU_RECORDED(name, hash) {#name, hash},
#include "data/mufu_h200.def"
  };
  return table.at(name);
}

/// 64-bit FNV-1a over the result words.
std::uint64_t replay(const Level& level, const Sweep& sweep) {
  LaneMachine m;
  const Bits bits = Bits(0x108, 1).d(D).b(B).set(72, 74, sweep.format).set(74, 78, sweep.function);
  EXPECT_EQ(m.lower(level, Name::MUFU, bits), nullptr) << sweep.name;
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::uint32_t i = 0; i < sweep.count; i += 32) {
    for (std::uint32_t lane = 0; lane < 32; ++lane) m.row(B)[lane] = sweep.first + (i + lane) * sweep.step;
    m.execute();
    for (std::uint32_t lane = 0; lane < 32; ++lane) hash = (hash ^ m.row(D)[lane]) * 0x100000001b3u;
  }
  return hash;
}

TEST(MufuRecorded, EveryFunctionIsThatOfTheHardwareAtEveryLevel) {
  for (const Level& level : levels())
    for (const Sweep& sweep : sweeps)
      EXPECT_EQ(replay(level, sweep), recorded(sweep.name)) << level.name << " " << sweep.name;
}

}  // namespace
}  // namespace lanebank::machine::testing
