// Runs single lane operations at every SIMD level of the build that this processor has: an instruction word
// is lowered and executed on a warp whose registers, predicates and shared memory the test fills.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "lanebank_simd_levels.hpp"
#include "machine/launch_state.hpp"
#include "machine/lower_table.hpp"
#include "machine/lowering.hpp"

// clang-format off
#define LANEBANK_TEST_OPERATIONS(X) \
  X(FADD) X(FMUL) X(FFMA) X(FSETP) X(FSET) X(FSEL) X(FMNMX) X(FCHK) X(DADD) X(DMUL) X(DFMA) X(DSETP) \
  X(HADD2) X(HMUL2) X(HFMA2) X(HSETP2) X(HSET2) X(HMNMX2) X(I2FP) X(I2F) X(F2I) X(F2IP) X(F2F) X(FRND) X(F2FP) X(I2I) \
  X(I2IP) X(MUFU) X(LDSM) X(STSM) X(MOVM) X(HMMA) X(HMMA_884) X(QMMA) X(IMMA) X(BMMA) X(DMMA) X(HGMMA) X(QGMMA) X(IGMMA) X(BGMMA) \
  X(WARPGROUP) X(BRA)
// clang-format on

#define LANEBANK_TEST_LEVEL(level, needs)         \
  namespace lanebank::machine::level {            \
  LANEBANK_TEST_OPERATIONS(LANEBANK_TEST_DECLARE) \
  }
#define LANEBANK_TEST_DECLARE(name) void lower_##name(Lowering&);
LANEBANK_SIMD_LEVELS(LANEBANK_TEST_LEVEL)
#undef LANEBANK_TEST_DECLARE
#undef LANEBANK_TEST_LEVEL

namespace lanebank::machine::testing {

enum class Name {
#define LANEBANK_TEST_NAME(name) name,
  LANEBANK_TEST_OPERATIONS(LANEBANK_TEST_NAME)
#undef LANEBANK_TEST_NAME
};

struct Level {
  const char* name;
  int needs;
  Lower lower[64];
};

/// The levels of this build that this processor can run.
inline const std::vector<Level>& levels() {
  static const std::vector<Level> all = [] {
    std::vector<Level> found;
#define LANEBANK_TEST_POINTER(name) &lower_##name,
#define LANEBANK_TEST_LEVEL(level, needs)                                                \
  {                                                                                      \
    using namespace level;                                                               \
    found.push_back({#level, needs, {LANEBANK_TEST_OPERATIONS(LANEBANK_TEST_POINTER)}}); \
  }
    LANEBANK_SIMD_LEVELS(LANEBANK_TEST_LEVEL)
#undef LANEBANK_TEST_LEVEL
#undef LANEBANK_TEST_POINTER
    std::erase_if(found, [](const Level& level) {
      return (level.needs == 3 && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))) ||
             (level.needs == 4 && !(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                                    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                                    __builtin_cpu_supports("avx512cd")));
    });
    return found;
  }();
  return all;
}

/// An instruction word under construction.
struct Bits {
  sass::Word word;
  Bits(unsigned opcode9, unsigned form) {
    set(0, 9, opcode9);
    set(9, 12, form);
    set(12, 15, 7);
  }
  Bits& set(unsigned first, unsigned end, std::uint64_t value) {
    for (unsigned bit = first; bit < end; ++bit, value >>= 1) {
      std::uint64_t& half = bit < 64 ? word.low : word.high;
      const std::uint64_t one = std::uint64_t{1} << (bit % 64);
      half = (value & 1) != 0 ? half | one : half & ~one;
    }
    return *this;
  }
  Bits& set(unsigned bit, bool value = true) { return set(bit, bit + 1, value); }
  Bits& d(unsigned r) { return set(16, 24, r); }
  Bits& a(unsigned r) { return set(24, 32, r); }
  Bits& b(unsigned r) { return set(32, 40, r); }
  Bits& c(unsigned r) { return set(64, 72, r); }
  Bits& literal(std::uint32_t value) { return set(32, 64, value); }
  Bits& uniform(unsigned r) { return set(32, 38, r).set(91); }
};

class LaneMachine {
 public:
  static constexpr unsigned registers = 250;
  static constexpr std::uint32_t shared_size = 64 * 1024;

  explicit LaneMachine(unsigned architecture = 90)
      : rows_((registers + zero_rows + sink_rows) * 32 + 16),
        shared_(shared_size),
        launch_(std::make_unique<LaunchState>()) {
    launch_->facts = architecture_facts(architecture);
    launch_->program = &program_;
    w.rows = rows_.data() + (64 - reinterpret_cast<std::uintptr_t>(rows_.data()) % 64) % 64 / 4;
    w.counts = &count_;
    w.active = w.live = all_lanes;
    w.predicates[7] = w.predicates[15] = all_lanes;
    w.shared = shared_.data();
    w.shared_bytes = shared_size;
    w.shared_window = launch_->facts->shared_window_base;
    w.block = &block_;
    w.worker = &worker_;
    w.launch = launch_.get();
  }

  /// Lowers; gives the reason when the word is unsupported.
  const char* lower(const Level& level, Name name, const Bits& bits) {
    Lowering l;
    l.word = bits.word;
    l.facts = launch_->facts;
    l.register_count = registers;
    l.constant_uses = &constants;
    l.op.guard = static_cast<std::uint8_t>(bits.word.bits(12, 15));
    l.op.guard_flip = bits.word.bit(15) ? ~std::uint32_t{0} : 0;
    constants.clear();
    level.lower[static_cast<unsigned>(name)](l);
    op_[0] = l.op;
    return l.unsupported;
  }
  /// Executes what was lowered; true when it went on to the next operation.
  bool execute() { return op_[0].execute(w, &op_[0]) == &op_[1]; }
  Operation& operation() { return op_[0]; }

  void run(const Level& level, Name name, const Bits& bits) {
    const char* reason = lower(level, name, bits);
    ASSERT_EQ(reason, nullptr) << reason;
    ASSERT_NE(op_[0].execute, nullptr);
    ASSERT_TRUE(execute()) << (launch_->fault ? launch_->fault->message : "no fault");
  }

  std::uint32_t* row(unsigned n) { return w.row(n); }
  std::uint64_t pair(unsigned n, unsigned lane) { return row(n)[lane] | std::uint64_t{row(n + 1)[lane]} << 32; }
  void set_pair(unsigned n, unsigned lane, std::uint64_t value) {
    row(n)[lane] = static_cast<std::uint32_t>(value);
    row(n + 1)[lane] = static_cast<std::uint32_t>(value >> 32);
  }
  LaunchState& launch() { return *launch_; }
  Worker& worker() { return worker_; }
  Block& block() { return block_; }

  Warp w;
  std::vector<ConstantUse> constants;

 private:
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint8_t> shared_;
  std::unique_ptr<LaunchState> launch_;
  Program program_;
  Worker worker_;
  Block block_;
  Count count_;
  Operation op_[2];
};

/// Random words that often hit edges of a format: `edges` or random bits or an edge with a small change.
class EdgeWords {
 public:
  EdgeWords(std::vector<std::uint64_t> edges, unsigned bits, std::uint64_t seed)
      : edges_(std::move(edges)),
        mask_(bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1),
        random_(seed) {}
  std::uint64_t operator()() {
    const std::uint64_t choice = random_();
    switch (choice % 4) {
      case 0:
        return random_() & mask_;
      case 1:
        return edges_[random_() % edges_.size()];
      case 2:
        return (edges_[random_() % edges_.size()] + (random_() % 5) - 2) & mask_;
      default:
        return (last_ = (last_ ^ (std::uint64_t{1} << (random_() % 64)) ^ ((random_() % 3) * 0x10)) & mask_);
    }
  }
  std::uint64_t next() { return random_(); }

 private:
  std::vector<std::uint64_t> edges_;
  std::uint64_t mask_, last_ = 0x3f80000040000000u;
  std::mt19937_64 random_;
};

inline std::vector<std::uint64_t> single_edges() {
  std::vector<std::uint64_t> v = {0,          1,          2,          0x007fffff, 0x00800000, 0x00800001, 0x34000000,
                                  0x33ffffff, 0x3effffff, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000,
                                  0x40000000, 0x40490fdb, 0x4b000000, 0x4b7fffff, 0x4b800000, 0x4effffff, 0x4f000000,
                                  0x4f7fffff, 0x4f800000, 0x5f000000, 0x5f800000, 0x7e7fffff, 0x7e800000, 0x7f000000,
                                  0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fa00000, 0x7fc00000, 0x7fffffff, 0x1f800000,
                                  0x20000000, 0x5e800000};
  const std::size_t n = v.size();
  for (std::size_t i = 0; i < n; ++i) v.push_back(v[i] | 0x80000000u);
  return v;
}
inline std::vector<std::uint64_t> double_edges() {
  std::vector<std::uint64_t> v = {0,
                                  1,
                                  0x000fffffffffffffu,
                                  0x0010000000000000u,
                                  0x0010000000000001u,
                                  0x3ca0000000000000u,
                                  0x3cb0000000000000u,
                                  0x3fdfffffffffffffu,
                                  0x3fe0000000000000u,
                                  0x3ff0000000000000u,
                                  0x3ff0000000000001u,
                                  0x3ff8000000000000u,
                                  0x4000000000000000u,
                                  0x41dfffffffc00000u,
                                  0x41e0000000000000u,
                                  0x41efffffffe00000u,
                                  0x41f0000000000000u,
                                  0x4340000000000000u,
                                  0x43dfffffffffffffu,
                                  0x43e0000000000000u,
                                  0x43f0000000000000u,
                                  0x7fdfffffffffffffu,
                                  0x7fefffffffffffffu,
                                  0x7ff0000000000000u,
                                  0x7ff0000000000001u,
                                  0x7ff8000000000000u,
                                  0x7fffffffffffffffu,
                                  0x36a0000000000000u,
                                  0x380fffffffffffffu,
                                  0x3810000000000000u,
                                  0x47efffffe0000000u,
                                  0x47effffff0000000u};
  const std::size_t n = v.size();
  for (std::size_t i = 0; i < n; ++i) v.push_back(v[i] | 0x8000000000000000u);
  return v;
}
inline std::vector<std::uint64_t> half_edges() {
  std::vector<std::uint64_t> v = {0,      1,      2,      0x3ff,  0x400,  0x401,  0x3bff, 0x3c00, 0x3c01, 0x4000,
                                  0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7fff, 0x3800, 0x3555, 0x7f,   0x80,   0x3f80,
                                  0x3f81, 0x7f80, 0x7f7f, 0x7f81, 0x7fc0, 0x0c00, 0x1400, 0x6400};
  const std::size_t n = v.size();
  for (std::size_t i = 0; i < n; ++i) v.push_back(v[i] | 0x8000u);
  return v;
}

}  // namespace lanebank::machine::testing
