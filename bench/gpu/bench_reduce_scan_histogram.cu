// Reduction, scan and histogram against CUB, every form of each.
//
//   nvcc -std=c++17 -O3 -arch=sm_90a -I include bench/gpu/bench_reduce_scan_histogram.cu -o bench_reduce_scan_histogram
//   ./bench_reduce_scan_histogram [--quick] [sweep]           sweep: block shapes of the fast forms instead
//
// Bytes: what is read (reduction, histogram), or read and written (scan), each once. of_peer: CUB's time / the
// contender's.
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "kernel_bench.cuh"
#include "lanebank/histogram.cuh"
#include "lanebank/reduce.cuh"
#include "lanebank/scan.cuh"

using namespace lanebank;
using namespace lanebank::kernels;
using kernel_bench::Buffer;
using kernel_bench::Contender;
using kernel_bench::demand;

namespace {

unsigned samples = 30;

/// Small whole numbers, so that sums of floats are exact.
template <class T>
struct Small {
  __device__ T operator()(std::uint32_t x) const { return static_cast<T>(static_cast<int>(x % 3) - 1); }
};

template <class Op>
struct CubOp;
template <>
struct CubOp<Sum> {
  static constexpr const char* name = "sum";
  template <class T>
  static cudaError_t run(void* space, std::size_t& bytes, const T* from, T* to, std::size_t count,
                         cudaStream_t stream) {
    return cub::DeviceReduce::Sum(space, bytes, from, to, count, stream);
  }
};
template <>
struct CubOp<Min> {
  static constexpr const char* name = "min";
  template <class T>
  static cudaError_t run(void* space, std::size_t& bytes, const T* from, T* to, std::size_t count,
                         cudaStream_t stream) {
    return cub::DeviceReduce::Min(space, bytes, from, to, count, stream);
  }
};
template <>
struct CubOp<Max> {
  static constexpr const char* name = "max";
  template <class T>
  static cudaError_t run(void* space, std::size_t& bytes, const T* from, T* to, std::size_t count,
                         cudaStream_t stream) {
    return cub::DeviceReduce::Max(space, bytes, from, to, count, stream);
  }
};

/// Runs of one contender into `result`, checked against `wanted`.
template <class T>
struct Case {
  std::vector<Contender> contenders;
  std::vector<std::shared_ptr<Buffer<unsigned char>>> spaces;

  void* space(std::size_t bytes) {
    spaces.push_back(std::make_shared<Buffer<unsigned char>>(bytes));
    return spaces.back()->get();
  }
  void check(const Buffer<T>& result, const Buffer<T>& wanted) {
    for (Contender& one : contenders) {
      GPU_CHECK(cudaMemset(result.get(), 0xee, result.count * sizeof(T)));
      one.run(nullptr);
      GPU_CHECK(cudaDeviceSynchronize());
      kernel_bench::demand_equal(one.name.c_str(), result, wanted, result.count);
    }
  }
};

template <class Op, class Tree, class Shape, class T>
void add_reduce(Case<T>& one, const char* name, const Buffer<T>& source, const Buffer<T>& result, std::size_t count) {
  const std::size_t bytes = reduce_workspace_bytes<T, Shape>();
  void* space = one.space(bytes);
  one.contenders.push_back({name, static_cast<double>(count * sizeof(T)), [=, &source, &result](cudaStream_t stream) {
                              demand(reduce<Op, Tree, Shape>(source.get(), count, result.get(), space, bytes, stream));
                            }});
}

template <class Op, class T>
void add_cub_reduce(Case<T>& one, const Buffer<T>& source, const Buffer<T>& result, std::size_t count) {
  std::size_t bytes = 0;
  GPU_CHECK(CubOp<Op>::run(nullptr, bytes, source.get(), result.get(), count, nullptr));
  void* space = one.space(bytes);
  one.contenders.push_back({"cub", static_cast<double>(count * sizeof(T)), [=, &source, &result](cudaStream_t stream) {
                              std::size_t given = bytes;
                              GPU_CHECK(CubOp<Op>::run(space, given, source.get(), result.get(), count, stream));
                            }});
}

template <class Op, class T>
void bench_reduce(kernel_bench::Bench& bench, const char* type, unsigned log2_count, bool sweep) {
  const std::size_t count = std::size_t{1} << log2_count;
  const Buffer<T> source(count), result(1), wanted(1);
  kernel_bench::fill(source, Small<T>{});
  Case<T> one;
  add_cub_reduce<Op>(one, source, wanted, count);
  one.contenders[0].run(nullptr);
  one.contenders.clear();
  add_cub_reduce<Op>(one, source, result, count);
  if (sweep) {
    add_reduce<Op, void, ReduceShape<256, 4>>(one, "256 threads x 4", source, result, count);
    add_reduce<Op, void, ReduceShape<256, 8, 6>>(one, "256 x 8, 6 blocks", source, result, count);
    add_reduce<Op, void, ReduceShape<512, 2>>(one, "512 x 2", source, result, count);
    add_reduce<Op, void, ReduceShape<512, 4>>(one, "512 x 4", source, result, count);
    add_reduce<Op, void, ReduceShape<512, 8, 2>>(one, "512 x 8, 2 blocks", source, result, count);
    add_reduce<Op, void, ReduceShape<512, 4, 4, 2>>(one, "512 x 4, 2 waves", source, result, count);
    add_reduce<Op, void, ReduceShape<512, 4, 4, 8>>(one, "512 x 4, 8 waves", source, result, count);
    add_reduce<Op, void, ReduceShape<256, 8, 6, 8>>(one, "256 x 8, 6 blocks, 8 waves", source, result, count);
    add_reduce<Op, void, ReduceShape<1024, 2>>(one, "1024 x 2", source, result, count);
    add_reduce<Op, void, ReduceShape<1024, 4>>(one, "1024 x 4", source, result, count);
  } else {
    add_reduce<Op, void, ReduceShape<>>(one, "lanebank", source, result, count);
    add_reduce<Op, TreeInterleaved<512>, ReduceShape<>>(one, "lanebank, interleaved tree", source, result, count);
  }
  one.check(result, wanted);
  bench.measure(one.contenders, samples);
  kernel_bench::print_rows("reduce", std::string(CubOp<Op>::name) + " " + type + " 2^" + std::to_string(log2_count),
                          one.contenders, 0);
  kernel_bench::add_target("reduction of CUB", one.contenders, 0, 0.99);
}

template <bool Inclusive, template <class, unsigned> class Form, class Shape, class T>
void add_scan(Case<T>& one, const char* name, const Buffer<T>& source, const Buffer<T>& result) {
  const std::size_t count = source.count, bytes = scan_workspace_bytes<T, Shape>(count);
  void* space = one.space(bytes);
  one.contenders.push_back(
      {name, 2.0 * static_cast<double>(count * sizeof(T)), [=, &source, &result](cudaStream_t stream) {
         demand(scan<Inclusive, Sum, Form, Shape>(source.get(), result.get(), count, space, bytes, stream));
       }});
}

template <bool Inclusive, class T>
void add_cub_scan(Case<T>& one, const Buffer<T>& source, const Buffer<T>& result) {
  const auto run = [&source, &result](void* space, std::size_t& bytes, cudaStream_t stream) {
    if constexpr (Inclusive)
      return cub::DeviceScan::InclusiveSum(space, bytes, source.get(), result.get(), source.count, stream);
    else
      return cub::DeviceScan::ExclusiveSum(space, bytes, source.get(), result.get(), source.count, stream);
  };
  std::size_t bytes = 0;
  GPU_CHECK(run(nullptr, bytes, nullptr));
  void* space = one.space(bytes);
  one.contenders.push_back({"cub", 2.0 * static_cast<double>(source.count * sizeof(T)), [=](cudaStream_t stream) {
                              std::size_t given = bytes;
                              GPU_CHECK(run(space, given, stream));
                            }});
}

template <bool Inclusive, class T>
void bench_scan(kernel_bench::Bench& bench, const char* type, unsigned log2_count, bool sweep = false) {
  const Buffer<T> source(std::size_t{1} << log2_count), result(source.count), wanted(source.count);
  kernel_bench::fill(source, Small<T>{});
  Case<T> one;
  add_cub_scan<Inclusive>(one, source, wanted);
  one.contenders[0].run(nullptr);
  one.contenders.clear();
  add_cub_scan<Inclusive>(one, source, result);
  if (sweep) {
    add_scan<Inclusive, ExchangeNone, ScanShape<512, 8, 2>>(one, "none 512 x 8, 2 blocks", source, result);
    add_scan<Inclusive, ExchangeNone, ScanShape<512, 8, 2, Order::blocks>>(one, "none 512 x 8, 2 blocks, by block",
                                                                           source, result);
    add_scan<Inclusive, ExchangeNone, ScanShape<512, 10, 2>>(one, "none 512 x 10, 2 blocks", source, result);
    add_scan<Inclusive, ExchangeNone, ScanShape<512, 10, 2, Order::blocks>>(one, "none 512 x 10, 2 blocks, by block",
                                                                            source, result);
    add_scan<Inclusive, ExchangeNone, ScanShape<256, 10, 4>>(one, "none 256 x 10, 4 blocks", source, result);
    add_scan<Inclusive, ExchangeNone, ScanShape<256, 8, 4, Order::blocks>>(one, "none 256 x 8, 4 blocks, by block",
                                                                           source, result);
    add_scan<Inclusive, ExchangeNone, ScanShape<512, 16, 1>>(one, "none 512 x 16, 1 block", source, result);
    add_scan<Inclusive, ExchangeNone, ScanShape<1024, 8, 1>>(one, "none 1024 x 8, 1 block", source, result);
    add_scan<Inclusive, ExchangeNone, ScanShape<640, 8, 1>>(one, "none 640 x 8, 1 block", source, result);
    add_scan<Inclusive, ExchangeNone, ScanShape<320, 8, 3>>(one, "none 320 x 8, 3 blocks", source, result);
    add_scan<Inclusive, ExchangeSwizzled, ScanShape<512, 8, 2>>(one, "swizzled 512 x 8, 2 blocks", source, result);
  } else {
    add_scan<Inclusive, ExchangeNone, ScanShape<>>(one, "lanebank", source, result);
    add_scan<Inclusive, ExchangeSwizzled, ScanShape<>>(one, "lanebank, swizzled exchange", source, result);
    add_scan<Inclusive, ExchangePlain, ScanShape<>>(one, "lanebank, plain exchange", source, result);
  }
  one.check(result, wanted);
  one.contenders.push_back(gpu_bench::copy_contender(result.get(), source.get(), source.count * sizeof(T)));
  bench.measure(one.contenders, samples);
  kernel_bench::print_rows(
      "scan", std::string(Inclusive ? "inclusive " : "exclusive ") + type + " 2^" + std::to_string(log2_count),
      one.contenders, 0);
  kernel_bench::add_target("scan of CUB", one.contenders, 0, 0.95);
}

/// PrivateBins with an increment that the compiler does not know: ATOMS.ADD instead of ATOMS.POPC.INC.
struct AddedBins : PrivateBins {
  __device__ static void count(const SharedTile<Layout>& bins, unsigned byte, unsigned lane) {
    unsigned one = 1;
    asm("mov.u32 %0, 1;" : "=r"(one));
    asm volatile("red.relaxed.cta.shared.add.u32 [%0], %1;" ::"r"(bins.shared_address(byte, lane)), "r"(one)
                 : "memory");
  }
};

enum class Bytes { uniform, one, skewed };
struct MakeByte {
  Bytes kind;
  __device__ unsigned char operator()(std::uint32_t x) const {
    return static_cast<unsigned char>(kind == Bytes::uniform ? x : kind == Bytes::one ? 77u : x & x >> 8 & x >> 16);
  }
};

template <class Form, class Shape>
void add_histogram(Case<unsigned>& one, const char* name, const Buffer<unsigned char>& source,
                   const Buffer<unsigned>& bins) {
  void* space = one.space(histogram_workspace_bytes());
  one.contenders.push_back({name, static_cast<double>(source.count), [=, &source, &bins](cudaStream_t stream) {
                              demand(histogram<Form, Shape>(source.get(), source.count, bins.get(), space,
                                                            histogram_workspace_bytes(), stream));
                            }});
}

void add_cub_histogram(Case<unsigned>& one, const Buffer<unsigned char>& source, const Buffer<unsigned>& bins) {
  const auto run = [&source, &bins](void* space, std::size_t& bytes, cudaStream_t stream) {
    return cub::DeviceHistogram::HistogramEven(space, bytes, source.get(), bins.get(), 257, 0, 256,
                                               static_cast<int>(source.count), stream);
  };
  std::size_t bytes = 0;
  GPU_CHECK(run(nullptr, bytes, nullptr));
  void* space = one.space(bytes);
  one.contenders.push_back({"cub", static_cast<double>(source.count), [=](cudaStream_t stream) {
                              std::size_t given = bytes;
                              GPU_CHECK(run(space, given, stream));
                            }});
}

void bench_histogram(kernel_bench::Bench& bench, Bytes kind, const char* name, unsigned log2_count, bool sweep) {
  const Buffer<unsigned char> source(std::size_t{1} << log2_count);
  const Buffer<unsigned> bins(256), wanted(256);
  kernel_bench::fill(source, MakeByte{kind});
  Case<unsigned> one;
  add_cub_histogram(one, source, wanted);
  one.contenders[0].run(nullptr);
  one.contenders.clear();
  add_cub_histogram(one, source, bins);
  if (sweep) {
    add_histogram<PrivateBins, HistogramShape<1024, 1>>(one, "inc 1024 x 1", source, bins);
    add_histogram<PrivateBins, HistogramShape<1024, 2>>(one, "inc 1024 x 2", source, bins);
    add_histogram<PrivateBins, HistogramShape<512, 2>>(one, "inc 512 x 2", source, bins);
    add_histogram<PrivateBins, HistogramShape<512, 4, 3>>(one, "inc 512 x 4, 3 blocks", source, bins);
    add_histogram<PrivateBins, HistogramShape<256, 2, 6>>(one, "inc 256 x 2, 6 blocks", source, bins);
    add_histogram<AddedBins, HistogramShape<1024, 1>>(one, "add 1024 x 1", source, bins);
    add_histogram<AddedBins, HistogramShape<1024, 2>>(one, "add 1024 x 2", source, bins);
    add_histogram<AddedBins, HistogramShape<512, 2>>(one, "add 512 x 2", source, bins);
    add_histogram<AddedBins, HistogramShape<512, 4, 3>>(one, "add 512 x 4, 3 blocks", source, bins);
  } else {
    add_histogram<PrivateBins, HistogramShape<>>(one, "lanebank", source, bins);
    add_histogram<SharedBins, HistogramShape<>>(one, "lanebank, one counter per bin", source, bins);
  }
  one.check(bins, wanted);
  bench.measure(one.contenders, samples);
  kernel_bench::print_rows("histogram", std::string(name) + " 2^" + std::to_string(log2_count), one.contenders, 0);
  kernel_bench::add_target("histogram of CUB", one.contenders, 0, 0.90);
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = kernel_bench::has_argument(argc, argv, "--quick");
  const bool sweep = kernel_bench::has_argument(argc, argv, "sweep");
  if (quick) samples = 10;
  kernel_bench::print_machine();
  kernel_bench::print_header();
  kernel_bench::Bench bench;
  bench_reduce<Sum, float>(bench, "float", 28, sweep);
  bench_scan<true, int>(bench, "int", 28, sweep);
  bench_histogram(bench, Bytes::uniform, "uniform", 30, sweep);
  if (sweep) return 0;
  bench_reduce<Sum, float>(bench, "float", 30, false);
  bench_reduce<Sum, int>(bench, "int", 29, false);
  bench_reduce<Min, int>(bench, "int", 28, false);
  bench_reduce<Max, float>(bench, "float", 28, false);
  bench_scan<false, int>(bench, "int", 28);
  bench_scan<true, float>(bench, "float", 28);
  bench_histogram(bench, Bytes::one, "one value", 30, false);
  bench_histogram(bench, Bytes::skewed, "skewed", 30, false);
  kernel_bench::print_end();
}
