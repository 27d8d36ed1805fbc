// Declarations of shared arrays, read from source text.
#include "advise/declaration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../random_seed.hpp"
#include "advise/constants.hpp"

#include <random>

namespace lanebank::advise {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::optional<DeclaredShape> shape_in(const std::string& text, const std::string& name, const std::string& kernel,
                                      std::uint32_t bytes) {
  const SourceText source = scan_source(text);
  const Result<Declaration> found = find_declaration(source, name, "k");
  if (!found) return std::nullopt;
  return declared_shape(source, *found, kernel, bytes);
}

TEST(Declaration, of_a_tile_with_constants) {
  const auto shape = shape_in("constexpr int T = 16;\n__global__ void k() { __shared__ float tile[T][T + 1]; }", "tile",
                              "k()", 16 * 17 * 4);
  ASSERT_TRUE(shape);
  EXPECT_THAT(shape->sizes, ElementsAre(16, 17));
  EXPECT_EQ(shape->element_bytes, 4);
  EXPECT_EQ(shape->element, "float");
}

TEST(Declaration, of_a_template_takes_the_arguments_of_the_kernel) {
  const std::string text =
      "template <int MODE, class T, int B>\n__global__ void k(const float* in) {\n"
      "  constexpr int P = MODE == 1 ? 1 : 0; __shared__ T t[B][B+P];\n}";
  const auto padded = shape_in(text, "t", "void k<(int)1, double, (int)8>(const float *)", 8 * 9 * 8);
  ASSERT_TRUE(padded);
  EXPECT_THAT(padded->sizes, ElementsAre(8, 9));
  EXPECT_EQ(padded->element, "double");
  const auto plain = shape_in(text, "t", "void k<(int)0, float, (int)32>(const float *)", 4096);
  ASSERT_TRUE(plain);
  EXPECT_THAT(plain->sizes, ElementsAre(32, 32));
}

TEST(Declaration, chooses_among_the_sides_of_an_if_by_the_arrays_bytes) {
  const std::string text =
      "#ifdef FIX\nconstexpr int P = 1;\n#else\nconstexpr int P = 0;\n#endif\n"
      "__global__ void k() { __shared__ int s[8][8 + P]; }";
  EXPECT_THAT(shape_in(text, "s", "k()", 8 * 8 * 4)->sizes, ElementsAre(8, 8));
  EXPECT_THAT(shape_in(text, "s", "k()", 8 * 9 * 4)->sizes, ElementsAre(8, 9));
  EXPECT_FALSE(shape_in(text, "s", "k()", 8 * 10 * 4)) << "a value that only -D gives";
}

TEST(Declaration, of_a_type_that_nobody_knows_has_the_bytes_that_are_left) {
  const auto shape = shape_in(
      "struct P3 { float x, y, z; };\n#define N 256u\n__global__ void k() { __shared__ P3 a[N]; }", "a", "k()", 3072);
  ASSERT_TRUE(shape);
  EXPECT_EQ(shape->element_bytes, 12);
}

TEST(Declaration, is_none_where_sizes_cannot_be_evaluated) {
  EXPECT_FALSE(shape_in("__global__ void k() { __shared__ float s[Traits::size]; }", "s", "k()", 4096));
  EXPECT_FALSE(shape_in("__global__ void k() { extern __shared__ float s[]; }", "s", "k()", 4096));
}

TEST(Declaration, is_not_found_in_comments_strings_and_other_functions) {
  const std::string text =
      "// __shared__ float t[1];\n/* __shared__ float t[2]; */ const char* c = \"__shared__ float t[3];\";\n"
      "void other() { __shared__ float t[4]; }\n__global__ void k() { __shared__ float t[5]; }";
  const SourceText source = scan_source(text);
  const auto found = find_declaration(source, "t", "k");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->sizes[0].in(text), "5");
  EXPECT_EQ(found->line, 4);
  const auto several = find_declaration(source, "t", "nobody");
  ASSERT_FALSE(several);
  EXPECT_EQ(several.error().id, "fix.declaration");
  EXPECT_THAT(several.error().what, testing::HasSubstr("lines 3, 4"));
}

TEST(Declaration, of_another_kernel_is_none_of_a_kernels) {
  const std::string text =
      "__device__ void part() { __shared__ int part_only[8]; }\n__global__ void k() { part(); }\n"
      "__global__ void other() { __shared__ int t[8]; }";
  const SourceText source = scan_source(text);
  EXPECT_TRUE(find_declaration(source, "part_only", "k")) << "k may call it";
  EXPECT_FALSE(find_declaration(source, "t", "k"));
}

TEST(Declaration, of_several_arrays_in_one_statement) {
  const std::string text = "__global__ void k() { __shared__ __align__(16) unsigned char a[4 * 8], b[2][3]; }";
  const SourceText source = scan_source(text);
  const auto b = find_declaration(source, "b", "k");
  ASSERT_TRUE(b);
  EXPECT_EQ(b->declarators, 2);
  EXPECT_EQ(b->type, "unsigned char");
  EXPECT_EQ(b->alignment, "__align__(16)");
  EXPECT_EQ(b->declarator.in(text), "b[2][3]");
}

TEST(Declaration, tells_what_is_done_with_the_array) {
  const std::string text =
      "__global__ void k() {\n  __shared__ float s[4][4];\n  s[0][1] = 1;\n  f(&s[1][2]);\n  float* p = s[1];\n"
      "  g(s);\n  x = a & s[0][0];\n  y.s = 2;\n}";
  const SourceText source = scan_source(text);
  const auto found = find_declaration(source, "s", "k");
  ASSERT_TRUE(found);
  std::vector<std::pair<std::size_t, ArrayUse::Kind>> uses;
  for (const ArrayUse& use : found->uses) uses.emplace_back(use.line, use.kind);
  using Kind = ArrayUse::Kind;
  EXPECT_THAT(uses, ElementsAre(std::pair(3, Kind::element), std::pair(4, Kind::address), std::pair(5, Kind::pointer),
                                std::pair(6, Kind::pointer), std::pair(7, Kind::element)));
}

TEST(PitchConstants, are_those_of_the_size_with_one_definition) {
  const std::string text =
      "#define P 0\nconstexpr int R = 16, LD = 32 + P;\n#if A\n#define S 2\n#else\n#define S 4\n#endif\n"
      "__global__ void k() { __shared__ short s[R * LD], u[S * 8]; f(s); }";
  const SourceText source = scan_source(text);
  const auto pitches = pitch_constants(source, *find_declaration(source, "s", "k"), "k()", 512);
  ASSERT_EQ(pitches.size(), 2u);
  EXPECT_EQ(pitches[0].name, "R");
  EXPECT_EQ(pitches[1].elements, 32u);
  EXPECT_EQ(pitches[1].value.in(text), "32 + P");
  EXPECT_THAT(pitch_constants(source, *find_declaration(source, "u", "k"), "k()", 32), IsEmpty())
      << "which of the two is compiled is not known";
}

TEST(Constants, have_all_values_that_the_text_allows) {
  const std::string text = "#define A 4 // four\n#if X\n#define B (A * 2)\n#else\n#define B A + 1\n#endif\nenum { C };";
  const SourceText source = scan_source(text);
  const Constants constants(source, no_function, {});
  EXPECT_THAT(constants.values_of("B"), ElementsAre(5, 8));
  EXPECT_THAT(constants.values_of("A << 1"), ElementsAre(8));
  EXPECT_THAT(constants.values_of("C"), IsEmpty());
}

TEST(Constants, that_name_one_another_in_a_circle_have_none) {
  const SourceText source = scan_source("#define A B + A\n#define B A + B\n");
  EXPECT_THAT(Constants(source, no_function, {}).values_of("A"), IsEmpty());
}

TEST(Constants, template_arguments_of_a_kernel) {
  EXPECT_THAT(template_arguments("void tr<(int)0, std::pair<int, int>, (unsigned int)3>(const float *)"),
              ElementsAre("(int)0", "std::pair<int, int>", "(unsigned int)3"));
  EXPECT_THAT(template_arguments("void k(std::pair<int, int>)"), IsEmpty());
  EXPECT_THAT(template_value("(unsigned int)32"), ElementsAre(32));
  EXPECT_THAT(template_value("float"), IsEmpty());
}

/// Any text is read without harm: pieces of CUDA code in random order.
TEST(Declaration, reads_any_text) {
  const std::vector<std::string> pieces = {"__shared__",
                                           " float ",
                                           "t",
                                           "[",
                                           "]",
                                           "(",
                                           ")",
                                           "{",
                                           "}",
                                           ";",
                                           ",",
                                           "<",
                                           ">",
                                           "template",
                                           "struct",
                                           "\"",
                                           "'",
                                           "/*",
                                           "*/",
                                           "//",
                                           "\n",
                                           "#define t ",
                                           "\\",
                                           "R\"(",
                                           "constexpr int ",
                                           "=",
                                           "1",
                                           "__global__ void k",
                                           "extern",
                                           "namespace a",
                                           "&",
                                           "::"};
  std::mt19937 random(test_seed());
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (int k = 0; k < 60; ++k) text += pieces[random() % pieces.size()];
    const SourceText source = scan_source(text);
    if (const auto found = find_declaration(source, "t", "k")) declared_shape(source, *found, "k<(int)1>()", 64);
  }
}

}  // namespace
}  // namespace lanebank::advise
