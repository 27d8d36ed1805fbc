// Costs against the bank model called directly, known figures of articles and measurements, cures, layouts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "show/json.hpp"
#include "show/show.hpp"
#include "show/text.hpp"
#include "solve/problem_json.hpp"

namespace lanebank::show {
namespace {

using testing::HasSubstr;

Answer answered(const Request& request) {
  Result<Answer> result = answer(request);
  if (!result) {
    ADD_FAILURE() << to_string(result.error());
    return {};
  }
  return std::move(*result);
}

Answer shown(std::vector<std::string> expressions, const std::string& tile = "", const std::string& block = "",
             bool cures = false) {
  Request request;
  request.expressions = std::move(expressions);
  if (!tile.empty()) request.tiles = {tile};
  request.block = block;
  request.cures = cures;
  return answered(request);
}

struct Known {
  const char* expression;
  const char* tile;
  const char* block;
  std::uint64_t wavefronts, ideal;  ///< of all warps
};

/// Figures that were measured, or that follow by hand.
TEST(Answer, KnowsTheFactsOfTheTrade) {
  const Known cases[] = {
      {"s[tid]", "", "32", 1, 1},
      {"s[2*tid]", "", "32", 2, 1},
      {"s[0]", "", "32", 1, 1},
      {"s[3*tid]", "", "32", 1, 1},
      {"s[32*tid]", "", "32", 32, 1},
      {"tile[ty][tx]", "32x32xf32", "32x32", 32, 32},
      {"tile[tx][ty]", "32x32xf32", "32x32", 1024, 32},
      {"tile[tx][ty]", "32x33xf32", "32x32", 32, 32},
      {"tile[tx][ty]", "16x16xf32", "16x16", 64, 8},  // 8-way, not 16-way: a warp holds two rows of threads
      {"tile[tx][ty]", "16x17xf32", "16x16", 16, 8},  // padding by one leaves 2
      {"tile[ty][tx]", "16x17xf32", "16x16", 16, 8},  // ... on the rows as well
      {"tile[ty][tx ^ ty]", "32x32xf32", "32x32", 32, 32},
      {"tile[tx][tx ^ ty]", "32x32xf32", "32x32", 32, 32},
      {"tile[tx][(tx + ty) % 32]", "32x32xf32", "32x32", 32, 32},
      {"((float4*)s)[tid]", "", "32", 4, 4},
      {"*(float4*)&s[8*tid]", "", "32", 8, 4},
      {"atomicAdd(&bins[0], 1)", "", "32", 32, 1},
      {"atomicCAS(&bins[0], 0, 1)", "", "32", 64, 2},
      {"tile[tx*4+1][ty] = v", "32x32xf32", "8x32", 64, 8},  // the float4 transpose's scattered stores: 8-way
  };
  for (const Known& known : cases) {
    const Answer answer = shown({known.expression}, known.tile, known.block);
    ASSERT_EQ(answer.accesses.size(), 1u);
    EXPECT_EQ(answer.accesses.front().written.wavefronts, known.wavefronts) << known.expression << " " << known.tile;
    EXPECT_EQ(answer.accesses.front().written.ideal, known.ideal) << known.expression << " " << known.tile;
  }
}

TEST(Answer, CostsAreTheBankModels) {
  for (unsigned columns = 17; columns <= 36; ++columns)
    for (const unsigned width : {1u, 2u, 4u}) {
      Request request;
      request.expressions = {"t[tx][" + std::to_string(width) + " * ty]"};
      request.tiles = {"32x" + std::to_string(columns * width) + "xf32"};
      request.block = "32x2";
      request.vector = width;
      request.cures = false;
      const Answer answer = answered(request);
      std::uint64_t wavefronts = 0, ideal = 0;
      for (unsigned ty = 0; ty < 2; ++ty) {
        const Cost expected = cost(strided_access(AccessKind::load, 4 * width, 4 * columns * width, 4 * ty * width));
        wavefronts += expected.wavefronts;
        ideal += expected.ideal;
      }
      EXPECT_EQ(answer.accesses.front().written.wavefronts, wavefronts) << columns << " " << width;
      EXPECT_EQ(answer.accesses.front().written.ideal, ideal) << columns << " " << width;
    }
}

TEST(Answer, OneWarpOfTheBlockAlone) {
  Request request;
  request.expressions = {"s[tid * (warp + 1)]"};
  request.block = "128";
  request.cures = false;
  EXPECT_EQ(answered(request).accesses.front().written.wavefronts, 1u + 2u + 1u + 4u);
  EXPECT_EQ(answered(request).accesses.front().written.worst, 3u);
  request.warp = 1;
  EXPECT_EQ(answered(request).accesses.front().written.wavefronts, 2u);
}

TEST(Answer, SumsTheTurnsOfLoops) {
  Request request;
  request.expressions = {"t[lane][k]"};
  request.tiles = {"32x32xf32"};
  request.loops = {"k=0:32:4"};
  request.cures = false;
  EXPECT_EQ(answered(request).accesses.front().written.wavefronts, 8u * 32u);
}

TEST(Analysis, FindsTheBitsThatMissTheBankField) {
  const Answer answer = shown({"tile[tx][ty]"}, "32x32xf32", "32x32");
  const AccessAnswer& access = answer.accesses.front();
  const Analysis analysis = worst_of(access, answer.arrays.front(), answer.arrays.front().written, access.written, 90);
  ASSERT_EQ(analysis.phases.size(), 1u);
  EXPECT_EQ(analysis.phases.front().varying_bits, 0xf80u);
  EXPECT_EQ(analysis.phases.front().varying_bits & bank_field, 0u);
  EXPECT_EQ(analysis.phases.front().banks, 1u);
  EXPECT_EQ(analysis.phases.front().words, 32u);
  EXPECT_EQ(why_text(analysis), "lanes 0..31 read 32 different words of bank 0: a column, rows 128 bytes apart");
  EXPECT_EQ(bits_text(analysis.phases.front()), "bits 7..11 vary, none of the bank field 2..6: 32 words in 1 bank");
}

TEST(Analysis, PhasesOfWideAccessesAreTheGroupsOfTheModel) {
  const Answer answer = shown({"*(float4*)&s[8*tid]"});
  const AccessAnswer& access = answer.accesses.front();
  const Analysis analysis = worst_of(access, answer.arrays.front(), answer.arrays.front().written, access.written, 90);
  ASSERT_EQ(analysis.phases.size(), 4u);
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(analysis.phases[i].group.lanes, 0xffu << 8 * i);
    EXPECT_EQ(analysis.phases[i].group.degree, 2u);
  }
}

TEST(Analysis, FewLanesInAPhaseAreNoConflict) {
  Request request;
  request.expressions = {"*(float4*)&s[4*tid]"};
  request.condition = "tid % 8 < 2";
  request.cures = false;
  const Answer answer = answered(request);
  const AccessAnswer& access = answer.accesses.front();
  const Analysis analysis = worst_of(access, answer.arrays.front(), answer.arrays.front().written, access.written, 90);
  EXPECT_EQ(
      why_text(analysis),
      "no two lanes conflict: 8 active lanes in 4 phases, served one after the other however few lanes they have");
}

TEST(Analysis, BitLists) {
  EXPECT_EQ(bit_list(0), "");
  EXPECT_EQ(bit_list(0x7c), "2..6");
  EXPECT_EQ(bit_list(0x86), "1, 2, 7");
}

/// Every cure that is offered is counted again: its layout on the access's addresses, by the bank model.
void expect_true_cures(const Answer& answer) {
  for (const ArrayAnswer& array : answer.arrays) {
    std::uint64_t written = 0;
    for (const std::size_t index : array.accesses) written += answer.accesses[index].written.wavefronts;
    for (const Cure& cure : array.cures) {
      std::uint64_t total = 0;
      for (const std::size_t index : array.accesses) {
        const Accesses& accesses = answer.accesses[index].accesses;
        for (const WarpPlaces& places : accesses.instances) {
          Access access;
          access.kind = accesses.instruction->kind;
          access.lane_bytes = accesses.lane_bytes;
          access.active_lanes = places.active;
          if (accesses.instruction->matrices != 0) access.matrices = accesses.instruction->matrices;
          access.source = SourceOrder::consecutive;
          for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
            const std::uint32_t element = places.offsets[lane] / array.tile.element_bytes;
            access.addresses[lane] = cure.arrangement.tile.offsets[element];
          }
          total += cost(access).wavefronts;
        }
      }
      EXPECT_EQ(total, cure.wavefronts) << cure.text;
      EXPECT_LT(total, written) << cure.text;
      EXPECT_FALSE(cure.arrangement.fault) << cure.text;
    }
  }
}

TEST(Cure, OfATransposeServesBothSides) {
  const Answer answer = shown({"W: tile[ty][tx]", "R: tile[tx][ty]"}, "32x32xf32", "32x32", true);
  expect_true_cures(answer);
  const auto& cures = answer.arrays.front().cures;
  ASSERT_EQ(cures.size(), 2u);
  EXPECT_EQ(cures[0].wavefronts, 64u);
  EXPECT_EQ(cures[0].more_bytes, 0);
  EXPECT_EQ(cures[1].family, "padding");
  EXPECT_EQ(cures[1].wavefronts, 64u);
  EXPECT_EQ(cures[1].more_bytes, 128);
}

TEST(Cure, OfANarrowTransposeIsIdealWherePaddingByOneIsNot) {
  const Answer answer = shown({"W: tile[ty][tx]", "R: tile[tx][ty]"}, "16x16xf32", "16x16", true);
  expect_true_cures(answer);
  ASSERT_FALSE(answer.arrays.front().cures.empty());
  EXPECT_EQ(answer.arrays.front().cures.front().wavefronts, 16u);
}

TEST(Cure, OfAMatrixTileWeighsItsFill) {
  const Answer answer =
      shown({"fill cp.async.cg: tile[tid / 8][tid % 8 * 8]", "use ldmatrix.x4: tile[lane % 16][lane / 16 * 8]"},
            "16x64xf16", "128", true);
  expect_true_cures(answer);
  ASSERT_FALSE(answer.arrays.front().cures.empty());
  EXPECT_EQ(answer.arrays.front().cures.front().more_bytes, 0);
  EXPECT_EQ(answer.arrays.front().cures.front().family, "swizzle");
}

TEST(Cure, OfManyAccesses) {
  for (const char* expression :
       {"s[2*tid]", "s[5*tid + tid / 8]", "s[4*tid] = v", "*(float4*)&s[12*tid]", "s[(tid % 4) * 32 + tid / 4]"})
    expect_true_cures(shown({expression}, "", "", true));
}

TEST(Cure, IsNotSoughtWithoutExcess) {
  const Answer answer = shown({"s[tid]"}, "", "", true);
  EXPECT_TRUE(answer.arrays.front().cures.empty());
  EXPECT_EQ(answer.arrays.front().cure_note, "");
}

TEST(Cure, ArraysAreCuredEachByItself) {
  Request request;
  request.expressions = {"As[tx][ty]", "Bs[ty][tx]"};
  request.tiles = {"As=32x32xf32", "Bs=32x32xf32"};
  request.block = "32x32";
  const Answer answer = answered(request);
  ASSERT_EQ(answer.arrays.size(), 2u);
  EXPECT_FALSE(answer.arrays[0].cures.empty());
  EXPECT_TRUE(answer.arrays[1].cures.empty());
}

const AccessAnswer& access_named(const Answer& answer, const std::string& name) {
  for (const AccessAnswer& access : answer.accesses)
    if (access.accesses.name == name) return access;
  ADD_FAILURE() << "no access " << name;
  return answer.accesses.front();
}

Answer swizzled(std::vector<std::string> swizzles, bool articles, const std::string& tile) {
  Request request;
  request.swizzles = std::move(swizzles);
  request.articles_order = articles;
  request.tiles = {tile};
  return answered(request);
}

TEST(Layout, Swizzle313OnHalvesCuresLdmatrix) {
  const Answer answer = swizzled({"3,1,3"}, true, "16x16xf16");
  const AccessAnswer& matrix = access_named(answer, "ldmatrix.x4");
  EXPECT_EQ(matrix.written.wavefronts, 8u);
  EXPECT_EQ(matrix.given->wavefronts, 4u);
  EXPECT_EQ(access_named(answer, "16-byte columns").given->wavefronts, 4u);
  EXPECT_EQ(access_named(answer, "rows").given->wavefronts, 8u);
  EXPECT_EQ(widest_vector_bytes(*answer.arrays.front().given), 16u);
}

TEST(Layout, Swizzle222OnHalvesBreaks16ByteVectors) {
  const Answer answer = swizzled({"2,2,2"}, true, "16x16xf16");
  for (const char* name : {"16-byte rows", "16-byte columns", "ldmatrix.x4"}) {
    EXPECT_FALSE(access_named(answer, name).given->served) << name;
    EXPECT_THAT(access_named(answer, name).given->why, HasSubstr("torn"));
  }
  EXPECT_EQ(widest_vector_bytes(*answer.arrays.front().given), 8u);
  EXPECT_EQ(answer.arrays.front().given->breaks,
            "Swizzle<2,3,2> writes bit 3 of the byte offset, inside of 16-byte vectors");
  EXPECT_EQ(access_named(answer, "rows").given->wavefronts, 8u);
}

TEST(Layout, StagesFollowOneAnother) {
  const Answer answer = swizzled({"3,1,3", "4,2,4"}, true, "64x64xf16");
  const auto& tile = answer.arrays.front().given->tile;
  for (unsigned i = 0; i < 64 * 64; ++i) {
    unsigned index = i ^ ((i >> 3) & 8);
    index ^= (index >> 4) & 0x30;
    ASSERT_EQ(tile.offsets[i], 2 * index);
  }
}

TEST(Layout, BothOrdersAndUnitsAgree) {
  const Answer bytes = swizzled({"3,4,3"}, false, "64x64xf16"), articles = swizzled({"3,3,3"}, true, "64x64xf16");
  EXPECT_EQ(bytes.arrays.front().given->tile.offsets, articles.arrays.front().given->tile.offsets);
  Request vectors;
  vectors.swizzles = {"3,0,3"};
  vectors.unit = "vectors";
  vectors.tiles = {"64x64xf16"};
  EXPECT_EQ(answered(vectors).arrays.front().given->tile.offsets, bytes.arrays.front().given->tile.offsets);
}

TEST(Layout, ThatIsNoneIsSaidSo) {
  const Answer overlapping = swizzled({"3,4,1"}, false, "16x64xf16");  // reads the bits it writes, yet one to one
  EXPECT_FALSE(overlapping.arrays.front().given->fault);
  const Answer torn = swizzled({"2,0,5"}, false, "16x64xf16");
  EXPECT_THAT(*torn.arrays.front().given->fault, HasSubstr("tears elements apart"));
}

TEST(Layout, ThatLeavesTheTileNeedsMoreBytes) {
  const Answer answer = swizzled({"2,7,-3"}, false, "3x32xf32");
  EXPECT_GT(answer.arrays.front().given->bytes, 3u * 128u);
}

TEST(Layout, PaddingMovesRows) {
  Request request;
  request.tiles = {"32x32xf32"};
  request.expressions = {"t[tx][ty]"};
  request.block = "32x32";
  request.pad_elements = 1;
  const Answer answer = answered(request);
  EXPECT_EQ(answer.accesses.front().written.wavefronts, 1024u);
  EXPECT_EQ(answer.accesses.front().given->wavefronts, 32u);
}

constexpr const char* problem_text = R"({ "schema": "lanebank.problem/1",
  "array": { "rows": 32, "columns": 32, "element_bytes": 4 },
  "patterns": [ { "name": "columns", "instruction": "ld", "access_bytes": 4, "weight": 3, "index": { "row": "lane", "column": "k", "k": [0, 32] } } ] })";

TEST(Problem, IsShownAsItsPatterns) {
  const Result<solve::Problem> problem = solve::problem_from_json(problem_text, "p.json");
  ASSERT_TRUE(problem) << to_string(problem.error());
  const Result<Answer> result = answer(*problem, Request{});
  ASSERT_TRUE(result) << to_string(result.error());
  ASSERT_EQ(result->accesses.size(), 1u);
  EXPECT_EQ(result->accesses.front().written.wavefronts % (32u * 32u), 0u);
  EXPECT_FALSE(result->arrays.front().cures.empty());
  EXPECT_THAT(write_text(*result, {}), HasSubstr("columns"));
}

}  // namespace
}  // namespace lanebank::show
