// How fast the machine runs kernels: warp-instructions per second, on one core and on all.
//
//   bench_machine                        all
//   bench_machine --benchmark_filter=plain
//
// The five transposes of a 1024x1024 matrix (tests/data/cases/transposes.cu) and an arithmetic kernel (bench/kernels/alu.cu).
// "counting" runs under the conflict observer, as `lanebank run` does; "bare" shows what that costs. Every
// configuration is run once and held against the hardware's counts and the right output before it is timed. A time is
// that of a whole launch: its set-up, the blocks and the sum of the counts. The aim on one core, counting: the plain
// transpose in 8 ms, 170 M warp-instructions a second.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "checks/conflicts.hpp"
#include "image/cubin.hpp"
#include "machine/device.hpp"

namespace {

using namespace lanebank;

constexpr unsigned matrix_rows = 1024;
constexpr unsigned alu_rounds = 128, alu_blocks = 256, alu_threads = 256;

/// A kernel and what it must do. The counts of the transposes are Nsight Compute's, of an H200.
struct Kernel {
  const char* name;
  const char* file;
  const char* symbol;
  unsigned grid[2], block[2];
  std::uint64_t warp_instructions;  ///< 0: not measured
  std::uint64_t wavefronts, ideal;
};

constexpr Kernel kernels[] = {
    {"plain", "transposes.cubin", "_Z2trILi0ELi32EEvPKfPfi", {32, 32}, {32, 32}, 1376256, 1081344, 65536},
    {"padded", "transposes.cubin", "_Z2trILi1ELi32EEvPKfPfi", {32, 32}, {32, 32}, 1376256, 65536, 65536},
    {"xor", "transposes.cubin", "_Z2trILi2ELi32EEvPKfPfi", {32, 32}, {32, 32}, 1409024, 65536, 65536},
    {"diagonal", "transposes.cubin", "_Z2trILi3ELi32EEvPKfPfi", {32, 32}, {32, 32}, 1540096, 65536, 65536},
    {"vec4", "transposes.cubin", "_Z4vec4PKfPfi", {32, 32}, {8, 32}, 376832, 294912, 65536},
    {"alu", "alu.cubin", "alu", {alu_blocks, 1}, {alu_threads, 1}, 0, 0, 0},
};

/// Device pointers are host pointers (machine/memory.hpp).
template <class T>
T* host(std::uint64_t address) {
  return reinterpret_cast<T*>(address);
}

std::optional<image::Cubin> read(const char* file, std::string& error) {
  std::ifstream stream(std::filesystem::path(LANEBANK_BENCH_DATA) / file, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
  Result<image::Cubin> cubin = image::read_cubin(std::as_bytes(std::span(bytes)));
  if (!cubin) {
    error = to_string(cubin.error());
    return std::nullopt;
  }
  return std::move(*cubin);
}

/// One kernel, loaded and ready to launch.
class Bench {
 public:
  Bench(const Kernel& kernel, unsigned jobs) : kernel_(kernel), device_({.jobs = jobs, .memory_bytes = 1u << 30}) {
    std::optional<image::Cubin> cubin = read(kernel.file, error_);
    if (!cubin) return;
    Result<machine::Module*> module = device_.load(std::move(*cubin));
    if (!module) {
      error_ = to_string(module.error());
      return;
    }
    const auto& functions = (*module)->cubin.functions;
    const auto found = std::ranges::find(functions, std::string_view(kernel.symbol), &image::Function::symbol);
    if (found == functions.end()) {
      error_ = std::string("no kernel ") + kernel.symbol;
      return;
    }
    request_.module = *module;
    request_.function = static_cast<std::uint32_t>(found - functions.begin());
    std::copy_n(kernel.grid, 2, request_.grid);
    std::copy_n(kernel.block, 2, request_.block);
    request_.parameters.resize(found->parameter_bytes);
    make_arguments(*found);
  }

  /// Why it cannot run; empty if it can.
  const std::string& error() const { return error_; }

  std::optional<machine::LaunchOutcome> launch(machine::Observer* observer) {
    machine::Observer* const observers[] = {observer};
    Result<machine::LaunchOutcome> outcome = device_.launch(request_, std::span(observers, observer ? 1 : 0));
    if (!outcome) {
      error_ = to_string(outcome.error());
      return std::nullopt;
    }
    if (outcome->fault) error_ = outcome->fault->message;
    return std::move(*outcome);
  }

  /// Runs once and compares with what must come out; `error` says what does not.
  void check(bool counting) {
    std::memset(host<void>(output_), 0xff, output_bytes_);
    checks::ConflictObserver observer;
    const auto outcome = launch(counting ? &observer : nullptr);
    if (!outcome || !error_.empty()) return;
    expect("warp-instructions", outcome->warp_instructions, kernel_.warp_instructions, kernel_.warp_instructions != 0);
    std::uint64_t wavefronts = 0, ideal = 0;
    for (const auto& row : observer.report().instructions) {
      wavefronts += row.wavefronts;
      ideal += row.ideal;
    }
    expect("wavefronts", wavefronts, kernel_.wavefronts, counting);
    expect("ideal", ideal, kernel_.ideal, counting);
    if (!output_is_right()) error_ = "wrong output";
  }

 private:
  void expect(const char* what, std::uint64_t found, std::uint64_t expected, bool applies) {
    if (applies && found != expected)
      error_ = std::string(what) + ": " + std::to_string(found) + ", not " + std::to_string(expected);
  }

  bool is_alu() const { return std::string_view(kernel_.name) == "alu"; }

  template <class T>
  void set_argument(const image::Function& function, std::size_t ordinal, T value) {
    std::memcpy(request_.parameters.data() + function.parameters.at(ordinal).offset_bytes, &value, sizeof value);
  }

  void make_arguments(const image::Function& function) {
    if (is_alu()) {
      output_bytes_ = std::size_t{4} * alu_blocks * alu_threads;
      output_ = device_.memory().allocate(output_bytes_, machine::MemoryKind::device);
      set_argument(function, 0, output_);
      set_argument(function, 1, alu_rounds);
      return;
    }
    output_bytes_ = std::size_t{4} * matrix_rows * matrix_rows;
    input_ = device_.memory().allocate(output_bytes_, machine::MemoryKind::device);
    output_ = device_.memory().allocate(output_bytes_, machine::MemoryKind::device);
    for (unsigned i = 0; i < matrix_rows * matrix_rows; ++i) host<float>(input_)[i] = static_cast<float>(i);
    set_argument(function, 0, input_);
    set_argument(function, 1, output_);
    set_argument(function, 2, matrix_rows);
  }

  bool output_is_right() const {
    if (is_alu()) {
      for (unsigned i = 0; i < alu_blocks * alu_threads; ++i)
        if (host<std::uint32_t>(output_)[i] != alu_result(i % alu_threads)) return false;
      return true;
    }
    for (unsigned y = 0; y < matrix_rows; ++y)
      for (unsigned x = 0; x < matrix_rows; ++x)
        if (host<float>(output_)[x * matrix_rows + y] != host<float>(input_)[y * matrix_rows + x]) return false;
    return true;
  }

  /// What bench/kernels/alu.cu computes for a thread.
  static std::uint32_t alu_result(std::uint32_t thread) {
    std::uint32_t result = 0;
    float sum = 0;
    for (unsigned chain = 0; chain < 4; ++chain) {
      std::uint32_t x = thread + 32 * chain + 1;
      float f = 1.0f + static_cast<float>(chain);
      for (unsigned round = 0; round < alu_rounds; ++round) {
        x = x * 1664525u + 1013904223u;
        x ^= x >> 7;
        f = f * 0.5f + 1.0f;
      }
      result ^= x;
      sum += f;
    }
    return result ^ static_cast<std::uint32_t>(sum);
  }

  const Kernel& kernel_;
  machine::Device device_;
  machine::LaunchRequest request_;
  std::uint64_t input_ = 0, output_ = 0;
  std::size_t output_bytes_ = 0;
  std::string error_;
};

void run(benchmark::State& state, const Kernel& kernel, unsigned jobs, bool counting) {
  Bench bench(kernel, jobs);
  if (bench.error().empty()) bench.check(counting);
  if (!bench.error().empty()) {
    state.SkipWithError(bench.error().c_str());
    return;
  }
  std::uint64_t warp_instructions = 0;
  const std::clock_t began = std::clock();
  for (auto _ : state) {
    checks::ConflictObserver observer;
    warp_instructions += bench.launch(counting ? &observer : nullptr)->warp_instructions;
  }
  // On a machine that others use as well, the second figure says what a core of one's own would do.
  const double processor_seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  state.counters["warp_instructions/cpu_s"] = static_cast<double>(warp_instructions) / processor_seconds;
  state.counters["warp_instructions/s"] =
      benchmark::Counter(static_cast<double>(warp_instructions), benchmark::Counter::kIsRate);
  state.counters["warp_instructions"] =
      benchmark::Counter(static_cast<double>(warp_instructions), benchmark::Counter::kAvgIterations);
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<unsigned> jobs = {1};
  if (const unsigned cores = std::thread::hardware_concurrency(); cores > 1) jobs.push_back(cores);
  for (const Kernel& kernel : kernels)
    for (const unsigned count : jobs)
      for (const bool counting : {true, false}) {
        const std::string name =
            std::string(kernel.name) + (counting ? "/counting" : "/bare") + "/cores:" + std::to_string(count);
        benchmark::RegisterBenchmark(
            name.c_str(), [&kernel, count, counting](benchmark::State& state) { run(state, kernel, count, counting); })
            ->Unit(benchmark::kMillisecond)
            ->UseRealTime();
      }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  if (benchmark::RunSpecifiedBenchmarks() == 0) return 1;
  benchmark::Shutdown();
  return 0;
}
