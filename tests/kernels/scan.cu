// lanebank::scan against a loop on the CPU: integers, and floats that are small integers, bit for bit. With the
// argument `conflicts`: the exchange that shows them.
#include "lanebank/scan.cuh"

#include "kernel_test.cuh"

using namespace lanebank;
using kernel_test::Device;
using kernel_test::Random;
using kernels::ExchangeNone;
using kernels::ExchangePlain;
using kernels::ExchangeSwizzled;

namespace {

constexpr std::uint64_t seed = 20261130;

template <unsigned Packs, kernels::Order Order>
using Shape = kernels::ScanShape<128, Packs, 8, Order>;
constexpr kernels::Order tickets = kernels::Order::tickets;

template <bool Inclusive, class Op, class T>
std::vector<T> reference(const std::vector<T>& values) {
  const Op op;
  std::vector<T> result(values.size());
  T sum = Op::template identity<T>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T after = op(sum, values[i]);
    result[i] = Inclusive ? after : sum;
    sum = after;
  }
  return result;
}

template <bool Inclusive, class Op, template <class, unsigned> class Form, unsigned Packs,
          kernels::Order Order = tickets, class Tiles = Shape<Packs, Order>, class T>
int check(const char* name, std::vector<T> values, bool in_place = false, std::size_t skipped = 0) {
  const Device<T> target(values.size(), skipped);
  const std::size_t bytes = scan_workspace_bytes<T, Tiles>(values.size());
  const Device<unsigned char> workspace(bytes);
  bool right = true;
  for (int run = 0; run < 3; ++run) {  // a workspace serves again without being cleared, for other data
    if (!values.empty()) values[0] += static_cast<T>(run);
    const std::vector<T> wanted = reference<Inclusive, Op>(values);
    const Device<T> source(values, skipped);
    T* to = in_place ? source.get() : target.get();
    right &=
        scan<Inclusive, Op, Form, Tiles>(source.get(), to, values.size(), workspace.get(), bytes) == Status::success;
    right &= kernel_test::differences(in_place ? source.values() : target.values(), wanted) == 0;
    // The ticket word is ready for the next call: its number, and no ticket taken.
    std::uint64_t ticket = 0;
    std::memcpy(&ticket, workspace.values().data(), sizeof ticket);
    right &= ticket == std::uint64_t{static_cast<unsigned>(run) + 1} << 32;
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

int check_arguments() {
  const Device<int> source(64), target(64);
  const std::size_t bytes = scan_workspace_bytes<int>(32);
  const Device<unsigned char> workspace(bytes + 16);
  const auto call = [&](const int* from, int* to, std::size_t count, void* space, std::size_t space_bytes) {
    return inclusive_scan(from, to, count, space, space_bytes);
  };
  auto* odd = reinterpret_cast<int*>(reinterpret_cast<unsigned char*>(source.get()) + 2);
  bool right =
      call(nullptr, target.get(), 32, workspace.get(), bytes) == Status::null_pointer &&
      call(source.get(), nullptr, 32, workspace.get(), bytes) == Status::null_pointer &&
      call(source.get(), target.get(), 32, nullptr, bytes) == Status::null_pointer &&
      call(source.get(), target.get(), ~std::size_t{0}, workspace.get(), bytes) == Status::bad_size &&
      call(odd, target.get(), 16, workspace.get(), bytes) == Status::misaligned &&
      call(source.get(), target.get(), 32, workspace.get() + 8, bytes) == Status::misaligned &&
      call(source.get(), target.get(), 32, workspace.get(), bytes - 1) == Status::workspace_too_small &&
      call(source.get(), source.get() + 4, 32, workspace.get(), bytes) == Status::overlapping &&
      call(source.get(), reinterpret_cast<int*>(workspace.get()), 4, workspace.get(), bytes) == Status::overlapping;
  for (const unsigned char byte : workspace.values()) right &= byte == 0;  // nothing was launched
  right &= call(nullptr, nullptr, 0, workspace.get(), bytes) == Status::success;
  return kernel_test::report("bad arguments", 9, right);
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  if (argc > 1)
    return check<true, Sum, ExchangePlain, 4>("plain exchange, inclusive", integers<int>(50001, 2000000000)) +
               check<false, Sum, ExchangePlain, 4>("plain exchange, exclusive", integers<int>(4096, 1000)) !=
           0;
  int wrong = check_arguments();
  for (const std::size_t count : {1, 31, 2047, 2048, 2049, 200003}) {
    wrong += check<true, Sum, ExchangeNone, 4>("inclusive", integers<int>(count, 2000000000));
    wrong += check<false, Sum, ExchangeNone, 4>("exclusive", integers<int>(count, 2000000000));
  }
  wrong += check<true, Sum, ExchangeSwizzled, 4>("swizzled exchange, inclusive", integers<int>(50001, 2000000000));
  wrong += check<false, Sum, ExchangeSwizzled, 3>("swizzled exchange, exclusive, 3 packs", integers<int>(50001, 1000));
  wrong += check<true, Sum, ExchangeNone, 4>("in place", integers<int>(30000, 1000), true);
  wrong += check<false, Sum, ExchangeNone, 4>("unaligned, in place", integers<int>(10001, 1000), true, 1);
  wrong += check<true, Sum, ExchangeNone, 4, kernels::Order::blocks>("tiles by block", integers<int>(30000, 1000));
  wrong += check<true, Sum, ExchangeNone, 4>("float", integers<float>(30000, 100));
  wrong += check<true, Max, ExchangeNone, 4>("greatest so far, float", integers<float>(30000, 1000000));
  return wrong != 0;
}
