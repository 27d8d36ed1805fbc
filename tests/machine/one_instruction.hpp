// Runs single instructions on a warp full of edge values and random bits, at every SIMD level of the build,
// and compares the whole state afterwards with what a formula says for each lane.
//
//   check({0x..., 0x..., 90, "IADD3 R7, R7, R8, RZ", [](Lane& l) { l.set_r(7, l.r(7) + l.r(8)); }});
//
// The text is what the disassembler prints for the encoding; it is compared first.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "lanebank_simd_levels.hpp"
#include "machine/launch_state.hpp"
#include "machine/lowering.hpp"
#include "machine/warp.hpp"
#include "sass/instruction.hpp"

namespace lanebank::machine {

#define LANEBANK_LEVEL(name, level)                   \
  namespace name {                                    \
  void (*lower_function(std::size_t row))(Lowering&); \
  }
LANEBANK_SIMD_LEVELS(LANEBANK_LEVEL)
#undef LANEBANK_LEVEL

namespace test {

using Word = std::uint32_t;

struct Level {
  const char* name;
  int needs;
  void (*(*lower_function)(std::size_t row))(Lowering&);
};

inline bool processor_has(int level) {
  if (level >= 4)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return level < 3 || (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"));
}

inline std::vector<Level> levels() {
  std::vector<Level> all = {
#define LANEBANK_LEVEL(name, level) {#name, level, &name::lower_function},
      LANEBANK_SIMD_LEVELS(LANEBANK_LEVEL)
#undef LANEBANK_LEVEL
  };
  std::erase_if(all, [](const Level& level) { return !processor_has(level.needs); });
  return all;
}

constexpr unsigned register_count = 64, rz = 255, urz = 63;

/// Registers, predicates and uniform registers of a warp, as numbers count them.
struct State {
  std::array<std::array<Word, 32>, register_count> r{};
  std::array<Word, predicate_count> p{};
  std::array<Word, uniform_count> u{};
  friend bool operator==(const State&, const State&) = default;
};

/// The bytes of a constant bank: any function will do.
inline Word constant_word(unsigned bank, unsigned offset) { return (bank + 1) * 0x9e3779b9u ^ offset * 0x85ebca6bu; }

/// What an instruction sees and sets in one lane. Uniform instructions are asked once, in lane 0.
class Lane {
 public:
  Lane(const State& before, State& after, unsigned lane, Word mask)
      : lane(lane), mask(mask), before_(before), after_(after) {}

  Word r(unsigned n) const { return r(n, lane); }
  Word r(unsigned n, unsigned of_lane) const { return n == rz ? 0 : before_.r[n][of_lane]; }
  std::uint64_t pair(unsigned n) const { return n == rz ? 0 : r(n) | std::uint64_t{r(n + 1)} << 32; }
  bool p(unsigned n) const { return n == 7 || (before_.p[n] >> lane & 1); }
  bool p(unsigned n, unsigned of_lane) const { return n == 7 || (before_.p[n] >> of_lane & 1); }
  Word ur(unsigned n) const { return n == urz ? 0 : before_.u[n]; }
  std::uint64_t ur_pair(unsigned n) const { return n == urz ? 0 : ur(n) | std::uint64_t{ur(n + 1)} << 32; }
  bool up(unsigned n) const { return n == 7 || before_.p[8 + n] != 0; }
  static Word c(unsigned bank, unsigned offset) { return constant_word(bank, offset); }

  void set_r(unsigned n, Word value) { after_.r[n][lane] = value; }
  void set_pair(unsigned n, std::uint64_t value) {
    set_r(n, static_cast<Word>(value));
    set_r(n + 1, static_cast<Word>(value >> 32));
  }
  void set_p(unsigned n, bool value) { set_bit(after_.p[n], value); }
  void set_ur(unsigned n, Word value) { after_.u[n] = value; }
  void set_ur_pair(unsigned n, std::uint64_t value) {
    set_ur(n, static_cast<Word>(value));
    set_ur(n + 1, static_cast<Word>(value >> 32));
  }
  void set_up(unsigned n, bool value) { after_.p[8 + n] = value ? all_lanes : 0; }

  const unsigned lane;
  const Word mask;  ///< lanes that execute

 private:
  void set_bit(Word& word, bool value) { word = (word & ~(1u << lane)) | (Word{value} << lane); }
  const State& before_;
  State& after_;
};

struct Case {
  std::uint64_t low, high;
  unsigned architecture;
  const char* text;
  std::function<void(Lane&)> formula;
  bool once = false;  ///< a uniform instruction, or one whose results are one per warp
};

/// One lowered instruction at one SIMD level, and the warp it runs on.
class OneInstruction {
 public:
  OneInstruction(const Level& level, const sass::Word& word, unsigned architecture) {
    const sass::Instruction instruction = sass::decode(word, 0, architecture);
    EXPECT_NE(instruction.row, sass::no_row);
    lowering_.word = word;
    lowering_.facts = architecture_facts(architecture);
    lowering_.register_count = register_count;
    lowering_.constant_uses = &constants_;
    const unsigned guard = unsigned(word.bits(12, 15));
    lowering_.op.guard = static_cast<std::uint8_t>(sass::has_uniform_guard(instruction.row) ? 8 + guard : guard);
    lowering_.op.guard_flip = word.bit(15) ? all_lanes : 0;
    if (instruction.row != sass::no_row) level.lower_function(static_cast<std::size_t>(instruction.row))(lowering_);
    for (const ConstantUse& use : constants_)
      lowering_.op.immediate[use.word] = constant_word(use.bank, use.offset_bytes);
    std::memset(rows_, 0, sizeof rows_);
    warp_.rows = rows_;
    warp_.counts = &count_;
    warp_.worker = &worker_;
    warp_.block = &block_;
    warp_.launch = &launch_;
    launch_.facts = lowering_.facts;
  }

  const char* unsupported() const { return lowering_.unsupported; }
  LaunchState& launch() { return launch_; }
  Block& block() { return block_; }
  Warp& warp() { return warp_; }
  const Count& count() const { return count_; }

  State run(const State& before, Word active) {
    for (unsigned n = 0; n < register_count; ++n) std::memcpy(warp_.row(n), before.r[n].data(), 128);
    std::copy(before.p.begin(), before.p.end(), warp_.predicates);
    std::copy(before.u.begin(), before.u.end(), warp_.uniform);
    warp_.active = warp_.live = active;
    operation_[0] = lowering_.op;
    EXPECT_EQ(lowering_.op.execute(warp_, operation_), operation_ + 1);
    State after;
    for (unsigned n = 0; n < register_count; ++n) std::memcpy(after.r[n].data(), warp_.row(n), 128);
    std::copy_n(warp_.predicates, predicate_count, after.p.begin());
    std::copy_n(warp_.uniform, uniform_count, after.u.begin());
    for (unsigned i = 0; i < zero_rows * 32; ++i) EXPECT_EQ(warp_.row(register_count)[i], 0u) << "RZ was written";
    after.p[sink_predicate] = before.p[sink_predicate];
    return after;
  }

  /// What the operation gives for the warp as it is.
  const Operation* execute_once() {
    operation_[0] = lowering_.op;
    return lowering_.op.execute(warp_, operation_);
  }

  Word guard_mask(const State& s) const { return s.p[lowering_.op.guard] ^ lowering_.op.guard_flip; }

 private:
  std::vector<ConstantUse> constants_;
  Lowering lowering_;
  alignas(64) Operation operation_[2];
  alignas(64) Word rows_[32 * (register_count + zero_rows + sink_rows)];
  Count count_;
  Worker worker_;
  Block block_;
  LaunchState launch_;
  Warp warp_;
};

inline State random_state(std::mt19937& random) {
  static constexpr Word edges[] = {0,          1,          2,          3,          7,          31,         32,
                                   33,         63,         64,         65,         0x7f,       0x80,       0xff,
                                   0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffffff, 0x80000000, 0x80000001,
                                   0xfffffffe, 0xffffffff, 0xffff0000, 0x80008000, 0x7fff7fff};
  State s;
  const auto word = [&]() -> Word {
    switch (random() % 4) {
      case 0:
        return edges[random() % std::size(edges)];
      case 1:
        return random() % 70;
      default:
        return random();
    }
  };
  for (auto& row : s.r) {
    const bool uniform_row = random() % 8 == 0;
    const Word same = word();
    for (Word& x : row) x = uniform_row ? same : word();
  }
  for (unsigned n = 0; n < 7; ++n) s.p[n] = random() % 4 == 0 ? 0 : random() % 4 == 0 ? all_lanes : random();
  for (unsigned n = 8; n < 15; ++n) s.p[n] = random() & 1 ? all_lanes : 0;
  s.p[7] = s.p[15] = all_lanes;
  for (unsigned n = 0; n < urz; ++n) s.u[n] = word();
  return s;
}

/// Runs the case at every level and compares.
inline void check(const Case& c, unsigned rounds = 200) {
  SCOPED_TRACE(c.text);
  const sass::Word word{c.low, c.high};
  ASSERT_EQ(sass::disassemble(sass::decode(word, 0, c.architecture), c.architecture), c.text);
  for (const Level& level : levels()) {
    SCOPED_TRACE(level.name);
    auto one = std::make_unique<OneInstruction>(level, word, c.architecture);
    ASSERT_EQ(one->unsupported(), nullptr) << one->unsupported();
    std::mt19937 random(12345);
    for (unsigned round = 0; round < rounds; ++round) {
      const State before = random_state(random);
      const Word active = round % 3 == 0 ? all_lanes : round % 3 == 1 ? Word(random()) : 1u << random() % 32;
      const Word mask = active & one->guard_mask(before);
      State expected = before;
      for (unsigned lane = 0; lane < 32; ++lane) {
        if (!(mask >> lane & 1)) continue;
        Lane at(before, expected, lane, mask);
        c.formula(at);
        if (c.once) break;
      }
      const Count counted = one->count();
      const State after = one->run(before, active);
      ASSERT_EQ(one->count().executed, counted.executed + 1);
      ASSERT_EQ(one->count().threads, counted.threads + unsigned(std::popcount(mask)));
      if (after == expected) continue;
      for (unsigned n = 0; n < register_count; ++n)
        for (unsigned i = 0; i < 32; ++i)
          ASSERT_EQ(after.r[n][i], expected.r[n][i])
              << std::hex << "R" << std::dec << n << " of lane " << i << ", round " << round;
      for (unsigned n = 0; n < predicate_count; ++n)
        ASSERT_EQ(after.p[n], expected.p[n]) << (n < 8 ? "P" : "UP") << n % 8 << ", round " << round;
      for (unsigned n = 0; n < uniform_count; ++n)
        ASSERT_EQ(after.u[n], expected.u[n]) << "UR" << n << ", round " << round;
    }
  }
}

inline void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) check(c);
}

/// That lowering refuses an encoding, with a reason.
inline void check_unsupported(std::uint64_t low, std::uint64_t high, unsigned architecture, const char* text) {
  const sass::Word word{low, high};
  EXPECT_EQ(sass::disassemble(sass::decode(word, 0, architecture), architecture), text);
  for (const Level& level : levels()) {
    const auto one = std::make_unique<OneInstruction>(level, word, architecture);
    EXPECT_NE(one->unsupported(), nullptr) << text;
  }
}

}  // namespace test
}  // namespace lanebank::machine
