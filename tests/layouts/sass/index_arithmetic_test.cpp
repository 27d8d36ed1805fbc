// The library's index arithmetic is as short as that written by hand: transposes.cu, compiled by nvcc for sm_90 when the
// tests are built, has each kernel twice; here their machine instructions are counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "image/cubin.hpp"
#include "sass/instruction.hpp"

namespace lanebank {
namespace {

constexpr unsigned architecture = 90;

image::Cubin compiled() {
  std::ifstream file(LANEBANK_TRANSPOSES_CUBIN, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  auto cubin = image::read_cubin(std::as_bytes(std::span(bytes)));
  EXPECT_TRUE(cubin.has_value()) << LANEBANK_TRANSPOSES_CUBIN;
  return cubin.value_or(image::Cubin{});
}

/// The kernel's instructions up to the branch to itself that ends it, and without NOP.
std::vector<std::string> instructions(const image::Cubin& cubin, const image::Function& function) {
  std::vector<std::string> texts;
  for (std::uint32_t at = 0; at < function.code_bytes; at += 16) {
    const sass::Word word = sass::word_at(cubin.code.data() + function.code_offset_bytes + at);
    const std::string text = sass::disassemble(sass::decode(word, at, architecture), architecture);
    if (text != "NOP") texts.push_back(text);
  }
  return texts;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "  " + line + "\n";
  return text;
}

TEST(IndexArithmetic, OfTheLibraryTakesNoMoreInstructionsThanByHand) {
  const image::Cubin cubin = compiled();
  std::map<std::string, std::vector<std::string>> kernels;
  for (const image::Function& function : cubin.functions)
    if (function.kernel) kernels[function.symbol] = instructions(cubin, function);
  unsigned pairs = 0;
  for (const auto& [name, hand] : kernels) {
    if (!name.starts_with("hand_")) continue;
    const std::string twin = "library_" + name.substr(5);
    ASSERT_TRUE(kernels.contains(twin)) << twin;
    const auto& library = kernels.at(twin);
    printf("%-22s by hand %3zu, with the library %3zu instructions\n", name.c_str() + 5, hand.size(), library.size());
    ASSERT_GT(hand.size(), 10u);
    EXPECT_LE(library.size(), hand.size()) << name << "\n" << joined(hand) << twin << "\n" << joined(library);
    ++pairs;
  }
  EXPECT_EQ(pairs, 10u);
}

}  // namespace
}  // namespace lanebank
