// Results of an H200, replayed: every operation of hardware/arithmetic.cu on the same operands (all pairs of edge
// values, then random words), compared by hash with what was recorded (data/arithmetic_h200.def). Where one differs,
// hardware/compare_arithmetic.py on a recording shows the words.
#include <cfenv>
#include <map>
#include <set>
#include <string>

#include "hardware/arithmetic_lists.hpp"
#include "hardware/arithmetic_operands.hpp"
#include "kernel_runner.hpp"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace lanebank::machine {
namespace {

using namespace arithmetic;

struct Recorded {
  std::size_t words;
  u64 hash;
};
const std::map<std::string, Recorded>& recorded() {
  static const std::map<std::string, Recorded> table = {
#define LANEBANK_RECORDED(name, words, hash) {#name, {words, hash}},
#include "data/arithmetic_h200.def"
#undef LANEBANK_RECORDED
  };
  return table;
}

class RecordedResults : public testing::Test {
 protected:
  RecordedResults() : runner("arithmetic_sm90a.cubin", 2) {}

  /// 64-bit FNV-1a over words of 32 bits.
  static u64 hash(const u32* words, std::size_t number) {
    u64 value = 0xcbf29ce484222325u;
    for (std::size_t i = 0; i < number; ++i) value = (value ^ words[i]) * 0x100000001b3u;
    return value;
  }
  void compare(const std::string& name, const void* words, std::size_t bytes) {
    const auto found = recorded().find(name);
    ASSERT_NE(found, recorded().end()) << name;
    ASSERT_EQ(found->second.words, bytes / 4) << name;
    EXPECT_EQ(hash(static_cast<const u32*>(words), bytes / 4), found->second.hash) << name;
    compared.insert(name);
  }
  template <class T>
  T* device_copy(const std::vector<T>& values) {
    T* copy = runner.array<T>(values.size());
    std::memcpy(copy, values.data(), values.size() * sizeof(T));
    return copy;
  }
  template <class In>
  struct Lists {
    In* operand[3];
  };
  template <class In>
  Lists<In> lists(const std::vector<u64>& edges, unsigned bits, u64 seed) {
    std::vector<u64> values[3];
    operands(edges, bits, seed, values[0], values[1], values[2]);
    Lists<In> made{};
    for (unsigned q = 0; q < 3; ++q) made.operand[q] = device_copy(std::vector<In>(values[q].begin(), values[q].end()));
    return made;
  }
  /// All operations of one kernel.
  template <class In, class Out>
  void lanes(const char* kernel, const Lists<In>& in, const std::vector<std::string>& names) {
    Out* results = runner.array<Out>(count);
    for (u32 which = 0; which < names.size(); ++which) {
      const LaunchOutcome outcome =
          runner.run(kernel, count / 128, 128, which, in.operand[0], in.operand[1], in.operand[2], results);
      ASSERT_FALSE(outcome.fault) << names[which] << ": " << outcome.fault->message;
      compare(names[which], results, count * sizeof(Out));
    }
  }

  void compare_all();

  KernelRunner runner;
  std::set<std::string> compared;
};

#define LANE_NAME(arity, name, ptx) #name,

void RecordedResults::compare_all() {
  const auto singles = lists<u32>(edges32, 32, 1);
  const auto doubles = lists<u64>(edges64, 64, 2);
  const auto pairs = lists<u32>(edge_pairs(), 32, 3);
  const auto halves = lists<u16>(edges16, 16, 4);
  lanes<u32, u32>("single_lanes", singles, {SINGLE_LISTS(LANE_NAME)});
  lanes<u32, u32>("pair_lanes", pairs, {PAIR_LISTS(LANE_NAME)});
  lanes<u32, u64>("long_lanes", singles, {LONG_LISTS(LANE_NAME)});
  lanes<u64, u64>("double_lanes", doubles, {DOUBLE_LISTS(LANE_NAME)});
  lanes<u64, u32>("double_word_lanes", doubles, {DOUBLE_WORD_LISTS(LANE_NAME)});
  lanes<u16, u32>("half_lanes", halves, {HALF_LISTS(LANE_NAME)});

  const auto product = [&](const std::string& name, Kind factors, Kind sums, u64 seed) {
    Random random{seed};
    u32 *in[3], *out = runner.array<u32>(products * 256);
    for (unsigned q = 0; q < 3; ++q) in[q] = device_copy(product_operand(random, q < 2 ? factors : sums));
    const LaunchOutcome outcome = runner.run("product_" + name, products, 32, in[0], in[1], in[2], out);
    ASSERT_FALSE(outcome.fault) << name << ": " << outcome.fault->message;
    compare(name, out, products * 1024);
  };
#define WARP_PRODUCT(name, factors, sums, seed) product(#name, Kind::factors, Kind::sums, seed);
  WARP_PRODUCTS(WARP_PRODUCT)
  LATER_PRODUCTS(WARP_PRODUCT)

  std::vector<GroupCase> groups = group_cases();
  for (GroupCase& group : sparse_group_cases()) groups.push_back(std::move(group));
  for (const GroupCase& group : groups) {
    u32* out = runner.array<u32>(512);
    const LaunchOutcome outcome =
        runner.run(group.kernel + "_kernel", 1, 128, device_copy(group.fill), group.a, group.b, out);
    ASSERT_FALSE(outcome.fault) << group.name << ": " << outcome.fault->message;
    compare(group.name, out, 2048);
  }
  EXPECT_EQ(compared.size(), recorded().size());
}

TEST_F(RecordedResults, OfAllOperationsAreThoseOfTheHardware) { compare_all(); }

TEST_F(RecordedResults, DoNotDependOnTheHostsFloatingPointState) {
  // As a host program built with -ffast-math runs, and worse. The second worker's thread begins in it.
  fenv_t before;
  ASSERT_EQ(fegetenv(&before), 0);
  fesetround(FE_UPWARD);
#if defined(__SSE__)
  _mm_setcsr(_mm_getcsr() | 0x8040);  // subnormal results and operands are zero
#endif
  compare_all();
  EXPECT_EQ(fegetround(), FE_UPWARD) << "a launch leaves the caller's state";
  fesetenv(&before);
}

}  // namespace
}  // namespace lanebank::machine
