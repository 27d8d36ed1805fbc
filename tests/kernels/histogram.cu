// lanebank::histogram against a loop on the CPU, exactly: uniform, one value only, a ramp, skewed. With the argument
// `conflicts`: the form whose conflicts depend on the data.
#include "lanebank/histogram.cuh"

#include "kernel_test.cuh"

using namespace lanebank;
using kernel_test::Device;
using kernel_test::Random;

namespace {

constexpr std::uint64_t seed = 20261130;
using Shape = kernels::HistogramShape<256, 2, 2>;
enum class Data { uniform, one, ramp, skewed };

std::vector<unsigned char> bytes_of(Data data, std::size_t count) {
  Random random(seed + count);
  std::vector<unsigned char> bytes(count);
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned word = random.next();
    bytes[i] = static_cast<unsigned char>(data == Data::uniform ? word
                                          : data == Data::one   ? 77
                                          : data == Data::ramp  ? i
                                                                : word & word >> 8 & word >> 16);
  }
  return bytes;
}

template <class Form, class Count>
int check(const char* name, Data data, std::size_t count, std::size_t skipped = 0) {
  const std::vector<unsigned char> bytes = bytes_of(data, count);
  std::vector<Count> wanted(256);
  for (const unsigned char byte : bytes) ++wanted[byte];
  const Device<unsigned char> source(bytes, skipped), workspace(histogram_workspace_bytes());
  bool right = true;
  for (int run = 0; run < 2; ++run) {  // a workspace serves again without being cleared
    const Device<Count> bins(std::vector<Count>(256, 0xeeeeeeee));
    right &= histogram<Form, Shape>(source.get(), count, bins.get(), workspace.get(), histogram_workspace_bytes()) ==
             Status::success;
    right &= kernel_test::differences(bins.values(), wanted) == 0;
  }
  return kernel_test::report(name, count, right);
}

int check_arguments() {
  const Device<unsigned char> source(64), workspace(histogram_workspace_bytes() + 16);
  const Device<unsigned> bins(256);
  const std::size_t bytes = histogram_workspace_bytes();
  const auto call = [](const unsigned char* from, std::size_t count, unsigned* to, void* space,
                       std::size_t space_bytes) { return histogram(from, count, to, space, space_bytes); };
  auto* odd = reinterpret_cast<unsigned*>(reinterpret_cast<unsigned char*>(bins.get()) + 1);
  bool right = call(nullptr, 4, bins.get(), workspace.get(), bytes) == Status::null_pointer &&
               call(source.get(), 4, nullptr, workspace.get(), bytes) == Status::null_pointer &&
               call(source.get(), 4, bins.get(), nullptr, bytes) == Status::null_pointer &&
               call(source.get(), std::size_t{1} << 32, bins.get(), workspace.get(), bytes) == Status::bad_size &&
               call(source.get(), 4, odd, workspace.get(), bytes) == Status::misaligned &&
               call(source.get(), 4, bins.get(), workspace.get(), bytes - 1) == Status::workspace_too_small &&
               call(reinterpret_cast<unsigned char*>(bins.get()) + 9, 4, bins.get(), workspace.get(), bytes) ==
                   Status::overlapping &&
               call(source.get(), 4, reinterpret_cast<unsigned*>(workspace.get()), workspace.get(), bytes) ==
                   Status::overlapping;
  for (const unsigned char byte : workspace.values()) right &= byte == 0;  // nothing was launched
  return kernel_test::report("bad arguments", 8, right);
}

}  // namespace

int main(int argc, char**) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  if (argc > 1)
    return check<kernels::SharedBins, unsigned>("shared bins, uniform", Data::uniform, 50001) +
               check<kernels::SharedBins, unsigned>("shared bins, one value", Data::one, 50001) !=
           0;
  using Private = kernels::PrivateBins;
  int wrong = check_arguments();
  for (const std::size_t count : {0, 1, 15, 300, 100003})
    wrong += check<Private, unsigned>("uniform", Data::uniform, count);
  wrong += check<Private, unsigned>("one value", Data::one, 100000);
  wrong += check<Private, unsigned>("ramp", Data::ramp, 100000);
  wrong += check<Private, unsigned>("skewed, unaligned", Data::skewed, 70001, 5);
  wrong += check<Private, unsigned long long>("bins of 64 bits", Data::skewed, 5000, 1);
  return wrong != 0;
}
