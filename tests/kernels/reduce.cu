// lanebank::reduce against a loop on the CPU: integers exactly; floats that are small integers exactly, and random
// ones to the rounding error of the sum and equal bit for bit in two runs. With the argument `conflicts`: the tree
// that shows them.
#include "lanebank/reduce.cuh"

#include <cmath>

#include "kernel_test.cuh"

using namespace lanebank;
using kernel_test::Device;
using kernel_test::Random;

namespace {

constexpr std::uint64_t seed = 20261130;
using Shape = kernels::ReduceShape<256, 4, 2>;

template <class Op, class Tree, class T>
int check(const char* name, const std::vector<T>& values, std::size_t skipped = 0) {
  const Op op;
  T wanted = Op::template identity<T>();
  for (const T value : values) wanted = op(wanted, value);
  const Device<T> source(values, skipped);
  const std::size_t bytes = reduce_workspace_bytes<T, Shape>();
  const Device<unsigned char> workspace(bytes);
  bool right = true;
  for (int run = 0; run < 2; ++run) {  // a workspace serves again without being cleared
    const Device<T> result(std::vector<T>(1, T{77}));
    right &=
        reduce<Op, Tree, Shape>(source.get(), values.size(), result.get(), workspace.get(), bytes) == Status::success;
    const T found = result.values()[0];
    right &= std::memcmp(&found, &wanted, sizeof(T)) == 0;
  }
  return kernel_test::report(name, values.size(), right);
}

template <class T>
std::vector<T> integers(std::size_t count, int limit) {
  Random random(seed + count);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(random.within(limit));
  return values;
}

template <class Tree>
int check_rounding(std::size_t count) {
  Random random(seed);
  std::vector<float> values(count);
  double exact = 0, magnitude = 0;
  for (float& value : values) {
    value = random.unit();
    exact += value;
    magnitude += std::fabs(value);
  }
  const Device<float> source(values), result(1);
  const std::size_t bytes = reduce_workspace_bytes<float, Shape>();
  const Device<unsigned char> workspace(bytes);
  float found[2];
  for (float& one : found) {
    reduce<Sum, Tree, Shape>(source.get(), count, result.get(), workspace.get(), bytes);
    one = result.values()[0];
  }
  // Depth of the tree below 64, 2^-24 each.
  const bool right = std::memcmp(&found[0], &found[1], 4) == 0 && std::fabs(found[0] - exact) <= 64 * 6e-8 * magnitude;
  return kernel_test::report("sum of random floats", count, right);
}

int check_arguments() {
  const Device<float> source(64), result(1);
  const std::size_t bytes = reduce_workspace_bytes<float, Shape>();
  const Device<unsigned char> workspace(bytes + 16);
  const auto call = [&](const float* from, std::size_t count, float* to, void* space, std::size_t space_bytes) {
    return reduce<Sum, kernels::TreeShuffle<256>, Shape>(from, count, to, space, space_bytes);
  };
  auto* odd = reinterpret_cast<float*>(reinterpret_cast<unsigned char*>(source.get()) + 1);
  bool right =
      call(nullptr, 4, result.get(), workspace.get(), bytes) == Status::null_pointer &&
      call(source.get(), 4, nullptr, workspace.get(), bytes) == Status::null_pointer &&
      call(source.get(), 4, result.get(), nullptr, bytes) == Status::null_pointer &&
      call(source.get(), ~std::size_t{0} / 2, result.get(), workspace.get(), bytes) == Status::bad_size &&
      call(odd, 4, result.get(), workspace.get(), bytes) == Status::misaligned &&
      call(source.get(), 4, result.get(), workspace.get() + 4, bytes) == Status::misaligned &&
      call(source.get(), 4, result.get(), workspace.get(), bytes - 1) == Status::workspace_too_small &&
      call(reinterpret_cast<float*>(workspace.get()), 4, result.get(), workspace.get(), bytes) == Status::overlapping &&
      call(source.get(), 4, reinterpret_cast<float*>(workspace.get()), workspace.get(), bytes) == Status::overlapping;
  for (const unsigned char byte : workspace.values()) right &= byte == 0;  // nothing was launched
  return kernel_test::report("bad arguments", 9, right);
}

}  // namespace

int main(int argc, char**) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  if (argc > 1)
    return check<Sum, kernels::TreeInterleaved<256>>("interleaved tree, sum of int", integers<int>(100003, 1000)) +
               check<Max, kernels::TreeInterleaved<256>>("interleaved tree, max of float",
                                                         integers<float>(5000, 900)) !=
           0;
  using Shuffle = kernels::TreeShuffle<256>;
  int wrong = check_arguments() + check_rounding<Shuffle>(70001);
  for (const std::size_t count : {0, 1, 3, 255, 4096, 300001})
    wrong += check<Sum, Shuffle>("sum of int", integers<int>(count, 2000000000));
  wrong += check<Sum, Shuffle>("sum of float", integers<float>(100003, 100));
  wrong += check<Sum, Shuffle>("sum of float, unaligned", integers<float>(10003, 100), 1);
  wrong += check<Min, Shuffle>("min of int", integers<int>(70001, 2000000000));
  wrong += check<Max, Shuffle>("max of float", integers<float>(70001, 1000000));
  wrong += check<Sum, kernels::TreeSequential<256>>("sequential tree, sum of int", integers<int>(100003, 1000));
  return wrong != 0;
}
