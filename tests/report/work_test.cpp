// Counted work through the channel, and estimates in text and JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/words.hpp"
#include "report/channel.hpp"
#include "report/json.hpp"
#include "report/kernel_names.hpp"
#include "report/text.hpp"
#include "report/text_bottleneck.hpp"
#include "sample.hpp"

namespace lanebank::report {
namespace {

using findings::Limit;
using testing::HasSubstr;

findings::Work some_work() {
  findings::Work work;
  work.registers = 40;
  for (std::size_t i = 0; i < work.pipes.size(); ++i) work.pipes[i] = 100 + i;
  for (std::size_t i = 0; i < work.mma.size(); ++i) work.mma[i] = 200 + i, work.warpgroup_mma[i] = 300 + i;
  work.uncounted_products = 7;
  work.global = {1, 2, 3, 4, 5, 6, 7, 8};
  return work;
}

TEST(Work, reads_back_what_the_channel_carries) {
  findings::LaunchReport launch = test::plain_launch(0);
  launch.work = some_work();
  std::string line = encode({1, launch, {}});
  line.pop_back();
  const auto back = decode(line);
  ASSERT_TRUE(back) << to_string(back.error());
  EXPECT_EQ(std::get<findings::LaunchReport>(back->content).work, launch.work);
}

TEST(Work, that_is_damaged_is_refused) {
  findings::LaunchReport launch = test::plain_launch(0);
  launch.work = some_work();
  std::string line = encode({1, launch, {}});
  line.pop_back();
  for (const char* key : {"\"registers\"", "\"tf32\"", "\"dram_read_bytes\"", "\"fp64\""}) {
    std::string damaged = line;
    damaged.replace(damaged.find(key), 3, "\"x_");
    EXPECT_FALSE(decode(damaged)) << key;
  }
}

findings::ProgramReport estimated() {
  findings::ProgramReport report;
  report.command = {"./app"};
  report.launches.push_back(test::plain_launch(0));
  findings::Bottleneck& estimate = report.launches[0].bottleneck.emplace();
  estimate.gpu = "h200";
  estimate.gpu_name = "NVIDIA H200 (SXM)";
  estimate.calibrated = true;
  estimate.limits = {{Limit::shared, 4e-6}, {Limit::dram, 1e-6}};
  estimate.binds = Limit::shared;
  estimate.seconds = 4e-6;
  estimate.clean_seconds = 1e-6;
  estimate.excess_wait_seconds = 6e-6;
  estimate.resident_warps = 32;
  estimate.most_warps = 64;
  return report;
}

TEST(Bottleneck, stands_in_the_text) {
  const std::string text = write_text(estimated());
  EXPECT_THAT(text, HasSubstr("bottleneck on NVIDIA H200 (SXM)"));
  EXPECT_THAT(text, HasSubstr("4.00 us  shared memory  DRAM 25 %  32/64  3.00 us (75 %), at most 6.00 us"));
  EXPECT_THAT(write_text({}), testing::Not(HasSubstr("bottleneck")));
}

TEST(Bottleneck, stands_in_the_json) {
  const auto json = nlohmann::json::parse(write_json(estimated()));
  const auto& estimate = json["launches"][0]["bottleneck"];
  EXPECT_EQ(estimate["binds"], "shared-memory");
  EXPECT_EQ(estimate["limits"][1]["limit"], "dram");
  EXPECT_DOUBLE_EQ(estimate["saved_seconds"], 3e-6);
  EXPECT_DOUBLE_EQ(estimate["saved_seconds_at_most"], 6e-6);
}

TEST(KernelTitle, has_neither_type_nor_scopes_nor_parameters) {
  EXPECT_EQ(kernel_title("void ns::tr<(int)0, (int)32>(const float *, int)"), "tr<(int)0, (int)32>");
  EXPECT_EQ(kernel_title("transpose(const float *, float *, int)"), "transpose");
  EXPECT_EQ(kernel_title("void a::k<b::Layout<float, (int)1>>(c::D<int>)"), "k<b::Layout<float, (int)1>>");
  EXPECT_EQ(kernel_title("<unnamed>::k(int)"), "k");
  EXPECT_EQ(kernel_title("_Z1kv"), "_Z1kv");
  EXPECT_EQ(kernel_title(""), "");
}

TEST(KernelWithoutScopes, has_neither_type_nor_scopes_nor_casts) {
  EXPECT_EQ(kernel_without_scopes("void ns::tr<(int)0, (bool)1, (ns::Mode)-3>(const ns::T *, T1)"),
            "tr<0, 1, -3>(const T *, T1)");
  EXPECT_EQ(kernel_without_scopes("void a::k<a::b::M<(int)4, a::C<a::D>::E>, float>(T1::Params)"),
            "k<M<4, C<D>::E>, float>(Params)");
  EXPECT_EQ(kernel_without_scopes("<unnamed>::k(int)"), "k(int)");
  EXPECT_EQ(kernel_without_scopes("(anonymous namespace)::k((anonymous namespace)::T)"), "k(T)");
  EXPECT_EQ(kernel_without_scopes("::>k<"), ">k<");  // whatever a symbol holds
}

TEST(KernelInShort, is_whole_where_it_fits) {
  EXPECT_EQ(kernel_in_short("void a::k<a::M>(int)", 20), "void a::k<a::M>(int)");
  EXPECT_EQ(kernel_in_short("void a::k<a::M>(int)", 19), "k<M>");
  EXPECT_EQ(kernel_in_short("void a::k<a::größe>(int)", 8), "k<gr...");
}

TEST(KernelNames, long_ones_differ_where_the_kernels_do) {
  std::vector<findings::LaunchReport> launches(3);
  launches[0].kernel = "void c::run<c::Gemm<c::tuple<int, int>, c::MainloopSparse<(int)4>>>(T1::Params)";
  launches[1].kernel = "void c::run<c::Gemm<c::tuple<int, int>, c::Mainloop<(int)7>>>(T1::Params)";
  launches[2].kernel = "void c::run<c::Other<c::tuple<int, int>, c::Mainloop<(int)7>>>(T1::Params)";
  const KernelNames names(launches);
  EXPECT_EQ(names.fitted(launches[0].kernel, 120),
            "c::run<c::Gemm<c::tuple<int, int>, c::MainloopSparse<(int)4>>>(T1::Params)");
  EXPECT_EQ(names.fitted(launches[0].kernel, 52), "run<Gemm<tuple<int, int>, MainloopSparse<4>>>");
  EXPECT_EQ(names.fitted(launches[0].kernel, 30), "run<...MainloopSparse<4>>>");
  EXPECT_EQ(names.fitted(launches[1].kernel, 30), "run<...Mainloop<7>>>");
  EXPECT_EQ(names.fitted(launches[2].kernel, 30), "run<Other<tuple<int, int>, ...");
}

TEST(Bottleneck, times_and_shares_have_three_figures_at_most) {
  EXPECT_EQ(time_text(1.5), "1.50 s");
  EXPECT_EQ(time_text(0.0123), "12.3 ms");
  EXPECT_EQ(time_text(123e-6), "123 us");
  EXPECT_EQ(time_text(0), "0.00 ns");
  EXPECT_EQ(share_text(0.25), "25 %");
  EXPECT_EQ(share_text(0.0312), "3.1 %");
  EXPECT_EQ(share_text(1e-5), "< 0.1 %");
  EXPECT_EQ(share_text(0), "0 %");
}

}  // namespace
}  // namespace lanebank::report
