#include "show/statement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "show/accesses.hpp"
#include "show/show.hpp"

namespace lanebank::show {
namespace {

using testing::HasSubstr;

/// Byte offsets of the first warp's lanes for one expression.
std::vector<std::uint32_t> offsets(const std::string& expression, const std::string& tile = "", Request request = {}) {
  request.expressions = {expression};
  request.cures = false;
  if (!tile.empty()) request.tiles = {tile};
  const Result<Answer> result = answer(request);
  if (!result) {
    ADD_FAILURE() << expression << "\n" << to_string(result.error());
    return std::vector<std::uint32_t>(lanes_per_warp);
  }
  const auto& lanes = result->accesses.front().accesses.instances.front().offsets;
  return {lanes.begin(), lanes.end()};
}

Request with_block(const std::string& block) {
  Request request;
  request.block = block;
  return request;
}

template <class F>
void expect_offsets(const std::string& expression, const std::string& tile, const std::string& block, F expected) {
  const std::vector<std::uint32_t> found = offsets(expression, tile, with_block(block));
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
    EXPECT_EQ(found[lane], expected(lane)) << expression << " lane " << lane;
}

Accesses accesses(const std::string& expression, Request request = {}) {
  request.expressions = {expression};
  request.cures = false;
  const Result<Answer> result = answer(request);
  if (!result) {
    ADD_FAILURE() << expression << "\n" << to_string(result.error());
    return {};
  }
  return result->accesses.front().accesses;
}

Diagnostic error_of(const std::string& expression, Request request = {}) {
  request.expressions.push_back(expression);
  const Result<Answer> result = answer(request);
  if (result) {
    ADD_FAILURE() << expression << " is taken";
    return {};
  }
  EXPECT_FALSE(result.error().remedy.empty()) << expression;
  return result.error();
}

TEST(Statement, OfOneDimension) {
  expect_offsets("s[2*tid]", "", "32", [](unsigned lane) { return 8 * lane; });
  expect_offsets("s[threadIdx.x ^ 1]", "", "32", [](unsigned lane) { return 4 * (lane ^ 1); });
  expect_offsets("s[(lane & 7) * 4 + (lane >> 3)]", "64xf64", "32",
                 [](unsigned lane) { return 8 * ((lane & 7) * 4 + (lane >> 3)); });
  expect_offsets("s[tid < 16 ? tid : 31 - tid]", "", "32",
                 [](unsigned lane) { return 4 * (lane < 16 ? lane : 31 - lane); });
}

TEST(Statement, OfTwoAndThreeDimensions) {
  expect_offsets("tile[ty][tx]", "32x33xf32", "16x16", [](unsigned lane) { return 4 * (lane / 16 * 33 + lane % 16); });
  expect_offsets("tile[tx][ty]", "__shared__ float tile[32][32]", "32x32", [](unsigned lane) { return 128 * lane; });
  expect_offsets("a[1][threadIdx.x][2]", "2x32x5xf16", "32", [](unsigned lane) { return 2 * (32 * 5 + lane * 5 + 2); });
}

TEST(Statement, OfOneIndexOnTwoDimensionsCountsElements) {
  expect_offsets("tile[ty * 33 + tx]", "32x33xf32", "16x16",
                 [](unsigned lane) { return 4 * (lane / 16 * 33 + lane % 16); });
}

TEST(Statement, OfReinterpretations) {
  const auto vectors = [](unsigned lane) { return 16 * lane; };
  for (const char* text :
       {"((float4*)tile)[tid]", "((const float4 *)tile)[tid]", "*(float4*)&tile[4*tid]", "*((float4*)tile + tid)",
        "reinterpret_cast<float4*>(tile)[tid]", "reinterpret_cast<float4*>(&tile[4*tid])[0]",
        "*reinterpret_cast<const float4*>(tile + 4 * tid)", "reinterpret_cast<float4&>(tile[4*tid])",
        "*(float4*)(tile + 4*tid)", "(*(float4*)(&tile[4*tid]))"}) {
    expect_offsets(text, "1024xf32", "32", vectors);
    EXPECT_EQ(accesses(text).lane_bytes, 16u) << text;
  }
  expect_offsets("((float4*)tile)[tid].z", "1024xf32", "32", [](unsigned lane) { return 16 * lane + 8; });
  EXPECT_EQ(accesses("((float4*)tile)[tid].z").lane_bytes, 4u);
  expect_offsets("*(float4*)&tile[tid % 32][0]", "32x36xf32", "32", [](unsigned lane) { return 144 * lane; });
  expect_offsets("reinterpret_cast<float4*>(tile[tid % 16])[tid / 16]", "16x32xf32", "32",
                 [](unsigned lane) { return lane % 16 * 128 + lane / 16 * 16; });
  expect_offsets("*(half2*)&h[2*tid]", "128xhalf", "32", [](unsigned lane) { return 4 * lane; });
}

TEST(Statement, OfDynamicSharedMemory) {
  expect_offsets("((float*)(smem + 1024))[tid]", "extern __shared__ char smem[]", "32",
                 [](unsigned lane) { return 1024 + 4 * lane; });
  expect_offsets("(float*)smem + 32 + tid", "extern __shared__ unsigned char smem[];", "32",
                 [](unsigned lane) { return 128 + 4 * lane; });
}

TEST(Statement, OfAnOffset) {
  Request request;
  for (const auto& [text, base] : {std::pair{"256", 256u}, {"64e", 256u}, {"64elements", 256u}, {"8B", 8u}}) {
    request.offset = text;
    request.expressions = {"s[tid]"};
    request.cures = false;
    const Result<Answer> result = answer(request);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->arrays.front().array.base_bytes, base);
  }
}

TEST(Statement, OfDefinitionsAndLoops) {
  Request request;
  request.definitions = {"TILE=16", "row=tid / 4", "col=(tid % 4) * TILE + k"};
  request.loops = {"k=0:4"};
  request.expressions = {"s[row * 64 + col]"};
  request.cures = false;
  const Result<Answer> result = answer(request);
  ASSERT_TRUE(result) << to_string(result.error());
  const auto& instances = result->accesses.front().accesses.instances;
  ASSERT_EQ(instances.size(), 4u);
  for (unsigned k = 0; k < 4; ++k)
    for (unsigned lane = 0; lane < 32; ++lane)
      EXPECT_EQ(instances[k].offsets[lane], 4 * (lane / 4 * 64 + lane % 4 * 16 + k));
}

TEST(Statement, DefinitionsOfDefinitionsAreFollowedOnce) {
  Request request;
  request.definitions = {"a0=ty", "a1=ty"};
  for (int i = 2; i < 64; ++i)
    request.definitions.push_back("a" + std::to_string(i) + "=a" + std::to_string(i - 1) + "&a" +
                                  std::to_string(i - 2));
  request.expressions = {"s[a63]"};
  request.cures = false;
  const Result<Answer> result = answer(request);
  ASSERT_TRUE(result) << to_string(result.error());
  EXPECT_EQ(result->block.y, 32u);  // threadIdx.y is used, far behind
  request.definitions.emplace_back("b=1");
  EXPECT_FALSE(answer(request));
}

TEST(Statement, OfSwizzlesInBothOrders) {
  const auto expected = [](unsigned lane) {
    const unsigned i = lane * 16;
    return 2 * (i ^ ((i >> 3) & 8));
  };
  expect_offsets("s[swizzle<3,1,3>(16 * tid)]", "1024xhalf", "32", expected);
  expect_offsets("s[Swizzle<1,3,3>{}(16 * tid)]", "1024xhalf", "32", expected);
  expect_offsets("s[max(swizzle<2,2,2>((int)tid), min(tid, 0))]", "1024xhalf", "32",
                 [](unsigned lane) { return 2 * (lane ^ ((lane >> 2) & 12)); });
}

TEST(Statement, OfLanesThatTakePart) {
  Request request;
  request.condition = "tx < 5";
  EXPECT_EQ(accesses("s[tid]", request).instances.front().active, 0x1fu);
  request.mask = 0xe;
  EXPECT_EQ(accesses("s[tid]", request).instances.front().active, 0xeu);
  EXPECT_EQ(accesses("s[lane]", with_block("40")).instances.back().active, 0xffu);
  request = {};
  request.instruction = "ldmatrix_x2";
  EXPECT_EQ(accesses("s[4*tid]", request).instances.front().active, 0xffffu);
}

TEST(Statement, SaysItsInstruction) {
  const std::pair<const char*, const char*> cases[] = {
      {"s[tid]", "ld"},
      {"s[tid] = x[tid]", "st"},
      {"float v = s[tid]", "ld"},
      {"v = s[tid];", "ld"},
      {"*(float2*)&s[2*tid] = v", "st"},
      {"W: s[tid]", "st"},
      {"write of A: s[tid]", "st"},
      {"R: s[tid]", "ld"},
      {"A ldmatrix.x2: s[4*tid]", "ldmatrix_x2"},
      {"stmatrix_x4: &s[4*tid]", "stmatrix_x4"},
      {"fill cp.async.cg: s[4*tid]", "cp_async_cg_16"},
      {"cp.async.ca: s[tid]", "cp_async_ca_4_dense"},
      {"atomicAdd(&bins[tid % 8], 1)", "atom_add_u32"},
      {"atomicCAS(&lock[0], 0, 1)", "atom_cas_b32"},
      {"atomicXor(&bins[min(tid, 3)], 1)", "atom_xor_b32"},
      {"atomicExch((unsigned long long*)s + tid, 1)", "atom_exch_b64"},
      {"cas: ((float4*)s)[tid]", "atom_cas_b128"},
  };
  for (const auto& [text, instruction] : cases) EXPECT_EQ(accesses(text).instruction->name, instruction) << text;
  Request floats;
  floats.tiles = {"32xf32"};
  EXPECT_EQ(accesses("atomicAdd(&sums[0], 1.f)", floats).instruction->name, "atoms_cast_spin");
}

TEST(Statement, VectorsMoveSeveralElements) {
  Request request;
  request.vector = 4;
  EXPECT_EQ(accesses("s[4*tid]", request).lane_bytes, 16u);
  request.tiles = {"1024xhalf"};
  EXPECT_EQ(accesses("s[4*tid]", request).lane_bytes, 8u);
}

struct Wrong {
  const char* text;
  const char* where;
  const char* what;
};

TEST(Wrong, SaysWhereAndWhat) {
  const Wrong cases[] = {
      {"", "column 1", "expected an array"},
      {"s[2*tid", "column 8", "expected ']', found the end"},
      {"s[2*tid]]", "column 9", "found ']'"},
      {"s[foo]", "column 3", "unknown name 'foo'"},
      {"s[tid / 0]", "column 7", "division by zero (warp 0, lane 0)"},
      {"s[tid % (lane - 3)]", "column 7", "division by zero (warp 0, lane 3)"},
      {"s[tid - 1]", "column 3", "byte -4 lies before the array (warp 0, lane 0)"},
      {"s[9223372036854775807 * 2]", "column 23", "does not fit 64 bits"},
      {"s[9223372036854775807]", "column 3", "does not fit 64 bits"},
      {"s[1 << 70]", "column 5", "a shift by 70"},
      {"tid", "column 1", "'tid' is a number"},
      {"2 * tid", "column 1", "found '2'"},
      {"s", "column 2", "expected an index"},
      {"*", "column 2", "found the end"},
      {"((float5*)s)[tid]", "column 2", "unknown type 'float5'"},
      {"((float3*)s)[tid]", "column 1", "12 bytes per lane"},
      {"*(float4*)&s[tid]", "column 14", "misaligned (warp 0, lane 1)"},
      {"s[tid].x", "column 7", "no such component"},
      {"((float2*)s)[tid].z", "column 18", "no such component"},
      {"s[tid][tx][ty][1]", "column 1", "4 dimensions"},
      {"s[tid] + 1", "column 8", "a sum with an element"},
      {"s[tid] += 1", "column 8", "reads and writes"},
      {"s[sin(tid)]", "column 3", "'sin' is not known"},
      {"s[min(tid)]", "column 6", "expected 2 arguments"},
      {"s[swizzle<3,1>(tid)]", "column 14", "expected ','"},
      {"s[swizzle<3,1,3>]", "column 17", "expected '('"},
      {"s[swizzle<30,30,30>(tid)]", "column 10", "bits beyond 32"},
      {"s[swizzle<3,1,3>(tid - 5)]", "column 3", "negative index -5"},
      {"f(s)", "column 1", "the function 'f' is not known"},
      {"atomicFoo(&s[0], 1)", "column 1", "'atomicFoo' is not known"},
      {"s[100000]", "column 3", "outside the 227 KiB"},
      {"tile[ty][tx + 1]", "column 10", "the index 32 is outside 0..31 (warp 0, lane 31)"},
      {"s[tid)", "column 6", "expected ']', found ')'"},
      {"(float*)s[0]", "column 1", "a cast of an element"},
      {"**s", "column 1", "'*' of what is not a pointer"},
      {"ldmatrix_x4: s[tid]", "column 16", "misaligned"},
      {"atomic: ((float4*)s)[tid]", "column 1", "moves 4 bytes per lane, not 16"},
  };
  for (const Wrong& wrong : cases) {
    const Diagnostic error = error_of(wrong.text);
    EXPECT_EQ(error.where, wrong.where) << wrong.text;
    EXPECT_THAT(error.what, HasSubstr(wrong.what)) << wrong.text;
    EXPECT_THAT(error.what, HasSubstr("^")) << wrong.text;
  }
}

TEST(Wrong, CaretStandsBelowTheColumn) {
  EXPECT_EQ(error_of("s[2*tid").what, "expected ']', found the end\n    s[2*tid\n           ^");
}

TEST(Wrong, LongAndDeepTextsAreRefused) {
  error_of("s[" + std::string(5000, ' ') + "tid]");
  error_of("s[" + std::string(3000, '(') + "tid" + ")");
  error_of(std::string(2000, '*') + "s[tid]");
  error_of(std::string(1000, '(') + "s" + std::string(1000, ')'));
  std::string calls = "tid";
  for (int i = 0; i < 200; ++i) calls = "abs(" + calls + ")";
  error_of("s[" + calls + "]");
}

TEST(Wrong, OptionsSayWhereAndWhat) {
  struct Case {
    Request request;
    const char* where;
    const char* what;
  };
  Request base;
  std::vector<Case> cases;
  const auto add = [&](auto set, const char* where, const char* what) {
    Request request;
    set(request);
    cases.push_back({request, where, what});
  };
  add([](Request& r) { r.tiles = {"32x33"}; }, "column 6", "expected 'x' and a size or a type");
  add([](Request& r) { r.tiles = {"32x33x"}; }, "column 7", "expected a type");
  add([](Request& r) { r.tiles = {"32x33xf33"}; }, "column 7", "unknown element type");
  add([](Request& r) { r.tiles = {"0x33xf32"}; }, "column 1", "expected a size");
  add([](Request& r) { r.tiles = {"-4x33xf32"}; }, "column 1", "unknown element type");
  add([](Request& r) { r.tiles = {"1024x1024xf32"}; }, "column 1", "227 KiB");
  add([](Request& r) { r.tiles = {"float s[32"}; }, "column 11", "expected ']'");
  add([](Request& r) { r.tiles = {"float s[32/0]"}; }, "column 11", "division by zero");
  add([](Request& r) { r.tiles = {"float s[0]"}; }, "column 9", "a size of 0");
  add([](Request& r) { r.tiles = {"32xf32", "64xf32"}; }, "column 1", "a second --tile without a name");
  add([](Request& r) { r.block = "32x"; }, "column 4", "expected a size");
  add([](Request& r) { r.block = "64x32"; }, "column 1", "more than 1024 threads");
  add([](Request& r) { r.loops = {"k"}; }, "column 2", "expected '='");
  add([](Request& r) { r.loops = {"k=4:4"}; }, "column 3", "no iteration");
  add([](Request& r) { r.loops = {"k=0:4:0"}; }, "column 7", "the step must be 1 or more");
  add([](Request& r) { r.loops = {"k=0:100000"}; }, "column 1", "more than 4096");
  add([](Request& r) { r.loops = {"k=0:2", "k=0:3"}; }, "column 1", "a second 'k'");
  add([](Request& r) { r.definitions = {"1=2"}; }, "column 1", "expected a name");
  add([](Request& r) { r.definitions = {"a=b"}; }, "column 3", "unknown name 'b'");
  add([](Request& r) { r.condition = "tx <"; }, "column 5", "found the end");
  add([](Request& r) { r.offset = "12q"; }, "column 1", "expected an offset");
  add([](Request& r) { r.swizzles = {"3,4"}; }, "column 4", "expected ','");
  add([](Request& r) { r.swizzles = {"3,4,0"}; }, "column 1", "a shift of 0");
  add([](Request& r) { r.swizzles = {"3,4,3"}, r.unit = "words"; }, "column 1", "no unit");
  add([](Request& r) { r.instruction = "frobnicate"; }, "column 1", "no instruction");
  for (const Case& wrong : cases) {
    const Diagnostic error = error_of("s[tid]", wrong.request);
    EXPECT_EQ(error.where, wrong.where) << wrong.what;
    EXPECT_THAT(error.what, HasSubstr(wrong.what));
  }
}

TEST(Wrong, AWarpThatTheBlockDoesNotHave) {
  Request request;
  request.warp = 1;
  EXPECT_THAT(to_string(error_of("s[tid]", request)), HasSubstr("the block has 1 warp only"));
}

}  // namespace
}  // namespace lanebank::show
