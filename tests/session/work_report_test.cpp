#include "session/work_report.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "sass/table.hpp"

namespace lanebank::session {
namespace {

using findings::Pipe;
using findings::TensorKind;

constexpr std::string_view exceptions[] = {
#define LANEBANK_PIPE_OF(mnemonic, pipe) mnemonic,
#include "session/instruction_pipes.def"
#undef LANEBANK_PIPE_OF
};

TEST(Pipes, name_instructions_that_exist) {
  for (const std::string_view mnemonic : exceptions)
    EXPECT_TRUE(std::any_of(sass::rows.begin(), sass::rows.end(), [&](const sass::RowInfo& row) {
      return row.mnemonic == mnemonic;
    })) << mnemonic;
}

TEST(Pipes, of_a_few_instructions) {
  EXPECT_EQ(pipe_of(sass::Row::FFMA), Pipe::fma);
  EXPECT_EQ(pipe_of(sass::Row::IADD3), Pipe::alu);
  EXPECT_EQ(pipe_of(sass::Row::DFMA), Pipe::fp64);
  EXPECT_EQ(pipe_of(sass::Row::HFMA2), Pipe::half);
  EXPECT_EQ(pipe_of(sass::Row::HMMA), Pipe::tensor);
  EXPECT_EQ(pipe_of(sass::Row::LDGSTS), Pipe::memory);
  EXPECT_EQ(pipe_of(sass::no_row), Pipe::issue);
}

TEST(TensorProducts, are_read_from_their_shapes) {
  const struct {
    const char* sass;
    TensorKind kind;
    std::uint64_t multiply_adds;
    bool warpgroup;
  } products[] = {{"HMMA.16816.F32 R4, R8, R12, R4", TensorKind::half, 16 * 8 * 16, false},
                  {"@P0 HMMA.1688.F32.TF32 R4, R8, R12, R4", TensorKind::tf32, 16 * 8 * 8, false},
                  {"HMMA.SP.16832.F32 R4, R8, R12, R4, R40, 0x0", TensorKind::half, 16 * 8 * 16, false},
                  {"IMMA.16832.S8.S8 R4, R8.ROW, R12.COL, R4", TensorKind::int8, 16 * 8 * 32, false},
                  {"DMMA.8x8x4 R4, R8, R12, R4", TensorKind::fp64, 8 * 8 * 4, false},
                  {"HGMMA.64x256x16.F32.BF16 R24, gdesc[UR4], R24", TensorKind::half, 16 * 256 * 16, true},
                  {"QGMMA.64x64x32.F32.E4M3.E4M3 R24, gdesc[UR4], R24", TensorKind::fp8, 16 * 64 * 32, true}};
  for (const auto& wanted : products) {
    const auto found = tensor_product(wanted.sass);
    ASSERT_TRUE(found) << wanted.sass;
    EXPECT_EQ(found->kind, wanted.kind) << wanted.sass;
    EXPECT_EQ(found->multiply_adds, wanted.multiply_adds) << wanted.sass;
    EXPECT_EQ(found->warpgroup, wanted.warpgroup) << wanted.sass;
  }
  for (const char* sass : {"IMMA.16864.S4.S4 R4, R8.ROW, R12.COL, R4", "BMMA.168256.AND.POPC R4, R8, R12, R4",
                           "WARPGROUP.ARRIVE", "FFMA R0, R1, R2, R3", ""})
    EXPECT_FALSE(tensor_product(sass)) << sass;
}

}  // namespace
}  // namespace lanebank::session
