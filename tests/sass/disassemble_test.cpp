// The disassembler's text is held against what Nsight Compute printed (data/truth.txt) and against what the vendor's
// disassembler prints for one word of every shape of text seen in large libraries and in corpus/ (data/texts.txt).
#include <gtest/gtest.h>

#include "recorded.hpp"
#include "sass/table.hpp"

namespace lanebank::sass {
namespace {

constexpr std::uint64_t control_bits = std::uint64_t{0x7fffff} << 41;  // 105:128

std::string text_of(const Word& word, unsigned architecture, std::uint32_t address = 0) {
  return disassemble(decode(word, address, architecture), architecture);
}

void expect_recorded_texts(const std::string& file, std::size_t at_least) {
  std::vector<Recorded> lines = recorded(file);
  ASSERT_GE(lines.size(), at_least);
  for (const Recorded& line : lines)
    for (unsigned architecture : line.architectures)
      EXPECT_EQ(text_of(line.word, architecture, line.address), line.text)
          << "sm_" << architecture << std::hex << " low " << line.word.low << " high " << line.word.high;
}

TEST(Disassemble, PrintsTheInstructionsOfTheTruthProgramsAsNsightComputeDoes) {
  expect_recorded_texts("truth.txt", 1800);
}

TEST(Disassemble, PrintsEveryRecordedShapeOfTextOnEveryArchitecture) { expect_recorded_texts("texts.txt", 7000); }

TEST(Disassemble, DoesNotPrintSchedulingControl) {
  for (const Recorded& line : recorded("truth.txt")) {
    Word word = line.word;
    word.high |= control_bits;
    EXPECT_EQ(text_of(word, 90, line.address), line.text);
  }
}

TEST(Disassemble, EveryRowOfTheTableHasARecordedText) {
  std::vector<int> texts(row_count);
  for (const char* file : {"truth.txt", "texts.txt"})
    for (const Recorded& line : recorded(file))
      for (unsigned architecture : line.architectures)
        if (Row row = decode(line.word, line.address, architecture).row; row != no_row)
          ++texts[static_cast<std::size_t>(row)];
  for (std::size_t n = 0; n < row_count; ++n)
    EXPECT_GT(texts[n], 0) << rows[n].id << " is in the table and no recorded text shows it";
}

TEST(Disassemble, TargetsAreOffsetsFromTheStartOfTheFunction) {
  // BRA to itself: -16 from the next instruction, in the fields of sm_90 and of the others.
  Word long_offset{0xfffffffc00fc7947, 0x000000000383ffff}, short_offset{0xfffffff000007947, 0x000000000383ffff};
  for (std::uint32_t address : {0x0u, 0x190u, 0x12340u}) {
    char text[32];
    std::snprintf(text, sizeof text, "BRA 0x%x", address);
    EXPECT_EQ(text_of(long_offset, 90, address), text);
    EXPECT_EQ(text_of(short_offset, 80, address), text);
  }
}

TEST(Disassemble, GuardsOfUniformOperationsAreUniformPredicates) {
  EXPECT_EQ(text_of({0x0000040000041882, 0}, 90), "@UP1 UMOV UR4, 0x400");
  EXPECT_EQ(text_of({0x0000040000049802, 0xf00}, 90), "@!P1 MOV R4, 0x400");
}

TEST(Disassemble, AnUnknownEncodingShowsItsBits) {
  EXPECT_EQ(text_of({0x0000000000007fff, 0x1}, 90), "?? 0x7fff 0x1");
  EXPECT_EQ(mnemonic(no_row), "?");
}

TEST(Disassemble, FloatImmediatesKeepTheirBits) {
  auto fadd = [](std::uint64_t bits) { return text_of({bits << 32 | 0x02037421, 0}, 90); };
  EXPECT_EQ(fadd(0x3dcccccd), "FADD R3, R2, 0.10000000149011611938");
  EXPECT_EQ(fadd(0x4e6e6b28), "FADD R3, R2, 1.00000000000000000000e+09");
  EXPECT_EQ(fadd(0x00000001), "FADD R3, R2, 1.4012984643248170709e-45");
  EXPECT_EQ(fadd(0x7f800001), "FADD R3, R2, +SNAN");
  EXPECT_EQ(fadd(0xffffffff), "FADD R3, R2, -QNAN");
  EXPECT_EQ(fadd(0x80000000), "FADD R3, R2, -0.0");
}

}  // namespace
}  // namespace lanebank::sass
