// The estimate against figures by hand, and the GPUs' table against what datasheets say of whole cards.
#include "advise/bottleneck.hpp"

#include <gtest/gtest.h>

namespace lanebank::advise {
namespace {

using findings::Limit;
using findings::Pipe;
using findings::TensorKind;

const Gpu& h200() { return **gpu_named("h200"); }

/// A launch of 132 x 8 blocks of 256 threads: no tail on an H200.
findings::LaunchReport launch_of(const findings::Work& work) {
  findings::LaunchReport launch;
  launch.kernel = "k()";
  launch.arch = "sm_90";
  launch.grid = {132 * 8, 1, 1};
  launch.block = {256, 1, 1};
  launch.work = work;
  launch.work->registers = 32;
  return launch;
}

double seconds_of(const findings::Bottleneck& estimate, Limit limit) {
  for (const findings::LimitTime& time : estimate.limits)
    if (time.limit == limit) return time.seconds;
  return 0;
}

TEST(Bottleneck, wavefronts_take_a_cycle_each_and_excess_ones_at_most_two) {
  findings::LaunchReport launch = launch_of({});
  launch.shared = {132'000, 132'000 * 5, 132'000, 132'000 * 4};
  const auto estimate = advise::estimate(launch, h200());
  EXPECT_EQ(estimate.binds, Limit::shared);
  EXPECT_DOUBLE_EQ(estimate.seconds, 5000 / 1.98e9);
  EXPECT_DOUBLE_EQ(estimate.clean_seconds, 1000 / 1.98e9);
  EXPECT_DOUBLE_EQ(estimate.excess_wait_seconds, 8000 / 1.98e9);
  EXPECT_TRUE(estimate.calibrated);
}

TEST(Bottleneck, a_longer_limit_hides_the_excess) {
  findings::Work work;
  work.global.dram_read_bytes = 48'000'000;  // 10 us at 4.8 TB/s
  findings::LaunchReport launch = launch_of(work);
  launch.shared = {132'000, 132'000 * 5, 132'000, 132'000 * 4};  // 2.5 us
  const auto estimate = advise::estimate(launch, h200());
  EXPECT_EQ(estimate.binds, Limit::dram);
  EXPECT_DOUBLE_EQ(estimate.seconds, 1e-5);
  EXPECT_EQ(estimate.saved_seconds(), 0);
  EXPECT_GT(estimate.excess_wait_seconds, 0);
}

TEST(Bottleneck, saving_counts_only_what_is_removed) {
  findings::LaunchReport launch = launch_of({});
  launch.shared = {132'000, 132'000 * 5, 132'000, 132'000 * 4};
  const Saving half = saving(launch, h200(), 132'000 * 2);
  EXPECT_DOUBLE_EQ(half.seconds, 5000 / 1.98e9);
  EXPECT_DOUBLE_EQ(half.after_seconds, 3000 / 1.98e9);
  EXPECT_NEAR(half.at_most_seconds, 4000 / 1.98e9, 1e-15);
  EXPECT_DOUBLE_EQ(saving(launch, h200(), ~std::uint64_t{0}).after_seconds, 1000 / 1.98e9) << "no more than there is";
}

TEST(Bottleneck, the_busiest_multiprocessor_sets_the_pace) {
  findings::LaunchReport launch = launch_of({});
  launch.shared = {1000, 133'000, 133'000, 0};
  launch.grid = {133, 1, 1};  // one multiprocessor has two blocks of 1,000 wavefronts
  const auto estimate = advise::estimate(launch, h200());
  EXPECT_NEAR(estimate.seconds * 1.98e9, 2000, 1e-6);
  EXPECT_NEAR(estimate.balance, 133.0 / 264, 1e-12);
}

TEST(Bottleneck, bytes_between_l2_and_dram_do_not_know_multiprocessors) {
  findings::Work work;
  work.global.l2_read_sectors = 5120;
  findings::LaunchReport launch = launch_of(work);
  launch.grid = {1, 1, 1};
  EXPECT_DOUBLE_EQ(seconds_of(advise::estimate(launch, h200()), Limit::l2), 32 / 1.98e9);
}

TEST(Bottleneck, residence_follows_registers_and_shared_memory) {
  findings::LaunchReport launch = launch_of({});
  launch.static_shared_bytes = 0;
  EXPECT_EQ(advise::estimate(launch, h200()).resident_blocks, 8u);
  launch.work->registers = 128;  // 65,536 / (32 x 128) = 16 warps
  EXPECT_EQ(advise::estimate(launch, h200()).resident_blocks, 2u);
  launch.dynamic_shared_bytes = 160 * 1024;
  EXPECT_EQ(advise::estimate(launch, h200()).resident_blocks, 1u);
  EXPECT_EQ(advise::estimate(launch, **gpu_named("l40s")).resident_blocks, 0u) << "100 KiB a multiprocessor";
  EXPECT_FALSE(advise::estimate(launch, **gpu_named("l40s")).notes.empty());
}

TEST(Bottleneck, launches_without_counted_work_get_no_estimate) {
  findings::ProgramReport report;
  report.launches = {launch_of({}), launch_of({})};
  report.launches[1].work.reset();
  report.launches[0].arch = "sm_80";
  add_bottlenecks(report, nullptr);
  ASSERT_TRUE(report.launches[0].bottleneck);
  EXPECT_EQ(report.launches[0].bottleneck->gpu, "a100");
  EXPECT_FALSE(report.launches[0].bottleneck->calibrated);
  EXPECT_FALSE(report.launches[1].bottleneck);
  report.launches[0].arch = "nonsense";  // as a hostile channel may have it
  add_bottlenecks(report, nullptr);
  EXPECT_EQ(report.launches[0].bottleneck->gpu, "h200");
}

TEST(Gpus, are_found_by_name_in_any_case) {
  EXPECT_EQ((*gpu_named("RTX4090"))->architecture, 89u);
  const auto none = gpu_named("voodoo");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().remedy.find("rtx3090"), std::string::npos);
  EXPECT_EQ(gpu_of(87).id, "a10") << "the newest older one";
  EXPECT_EQ(gpu_of(70).id, "t4");
}

/// Multiply-adds count as two operations.
double teraflops(const Gpu& gpu, double multiply_adds_per_cycle) {
  return 2 * multiply_adds_per_cycle * gpu.multiprocessors * gpu.clock_hz / 1e12;
}

TEST(Gpus, have_the_peaks_of_their_datasheets) {
  // TFLOP/s: FP32, FP64, FP16 on tensor cores (dense). H100 and H200: FP16 is quoted at 1,830 MHz, the others at 1,980.
  const struct {
    const char* id;
    double fp32, fp64, half;
  } cards[] = {{"t4", 8.1, 0.25, 65},        {"a100", 19.5, 9.7, 312}, {"a10", 31.2, 0.49, 125},
               {"rtx3090", 35.6, 0.56, 142}, {"l40s", 91.6, 1.4, 362}, {"rtx4090", 82.6, 1.3, 330},
               {"h100", 67, 34, 989},        {"h200", 67, 34, 989}};
  for (const auto& card : cards) {
    const Gpu& gpu = **gpu_named(card.id);
    const auto rate = [&](Pipe pipe) { return 32 * gpu.pipe_rates[static_cast<std::size_t>(pipe)]; };
    EXPECT_NEAR(teraflops(gpu, rate(Pipe::fma)) / card.fp32, 1, 0.02) << card.id;
    EXPECT_NEAR(teraflops(gpu, rate(Pipe::fp64)) / card.fp64, 1, 0.05) << card.id;
    const auto half = static_cast<std::size_t>(TensorKind::half);
    const double rate_of_half = std::max(gpu.mma_rates[half], gpu.warpgroup_mma_rates[half]);
    const double clock = gpu.architecture == 90 ? 1830e6 / gpu.clock_hz : 1;
    EXPECT_NEAR(teraflops(gpu, rate_of_half) * clock / card.half, 1, 0.03) << card.id;
  }
}

}  // namespace
}  // namespace lanebank::advise
