// Edits of declarations. That the code compiles and does what was predicted is shown by tests/advise/fix_build_test.py.
#include "advise/edit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lanebank::advise {
namespace {

using testing::HasSubstr;
using testing::Not;

const solve::Tile tile_32{32, 32, 4};

Result<Edit> edit_of(const std::string& text, const std::string& name, const DeclaredShape& shape,
                     const solve::Layout& layout) {
  const SourceText source = scan_source(text);
  const Result<Declaration> found = find_declaration(source, name, "k");
  if (!found) return tl::unexpected(found.error());
  return edited(source, *found, {shape, layout});
}

TEST(Edit, of_padding_is_one_number) {
  const std::string text = "__global__ void k() {\n  __shared__ float t[32][N];\n  t[0][0] = 1;\n}\n";
  const auto edit = edit_of(text, "t", {{32, 32}, 4, "float"}, solve::Layout::padded(tile_32, 4));
  ASSERT_TRUE(edit);
  EXPECT_TRUE(edit->one_number);
  EXPECT_EQ(edit->declaration, "__shared__ float t[32][N + 1];");
  EXPECT_EQ(edit->source, "__global__ void k() {\n  __shared__ float t[32][N + 1];\n  t[0][0] = 1;\n}\n");
}

TEST(Edit, of_padding_keeps_the_meaning_of_a_size_with_weaker_operators) {
  const std::string text = "__global__ void k() { __shared__ float t[32][1 << 5]; }";
  const auto edit = edit_of(text, "t", {{32, 32}, 4, "float"}, solve::Layout::padded(tile_32, 8));
  ASSERT_TRUE(edit);
  EXPECT_EQ(edit->declaration, "__shared__ float t[32][(1 << 5) + 2];");
}

TEST(Edit, of_another_layout_is_a_type_above_the_function) {
  const std::string text =
      "// before\ntemplate <int N>\n__global__ void k() {\n  __shared__ __align__(16) float t[32][32];\n}\n";
  const auto edit = edit_of(text, "t", {{32, 32}, 4, "float"}, solve::Layout::swizzled(tile_32, {5, 2, 5}));
  ASSERT_TRUE(edit);
  EXPECT_FALSE(edit->one_number);
  EXPECT_EQ(edit->declaration, "__shared__ __align__(16) lanebank_k_t t;");
  EXPECT_THAT(edit->source, HasSubstr("// before\n// t[32][32]: Swizzle<5,2,5>"));
  EXPECT_THAT(edit->source, HasSubstr("};\ntemplate <int N>\n__global__ void k() {\n  __shared__ __align__(16) "
                                      "lanebank_k_t t;\n}\n"));
}

TEST(Edit, of_a_template_leaves_other_sizes_as_they_are) {
  const std::string text = "template <class T, int N>\n__global__ void k() {\n  __shared__ T t[N][N];\n}\n";
  const auto edit = edit_of(text, "t", {{32, 32}, 4, "float"}, solve::Layout::padded(tile_32, 4));
  ASSERT_TRUE(edit);
  EXPECT_FALSE(edit->one_number) << "another instance may need its rows as they are";
  EXPECT_EQ(edit->declaration, "__shared__ lanebank_k_t<T, (N), (N)> t;");
  EXPECT_THAT(edit->definition, HasSubstr("template <class T, unsigned N0, unsigned N1>\nstruct lanebank_k_t {"));
  EXPECT_THAT(edit->definition, HasSubstr("struct lanebank_k_t<float, 32, 32> {"));
}

TEST(Edit, of_a_second_instance_adds_its_sizes_to_the_type) {
  const std::string text = "template <class T, int N>\n__global__ void k() {\n  __shared__ T t[N][N];\n}\n";
  const auto first = edit_of(text, "t", {{32, 32}, 4, "float"}, solve::Layout::padded(tile_32, 4));
  ASSERT_TRUE(first);
  const auto second =
      edit_of(first->source, "t", {{16, 16}, 4, "float"}, solve::Layout::swizzled({16, 16, 4}, {3, 2, 4}));
  ASSERT_TRUE(second);
  EXPECT_THAT(second->source, HasSubstr("struct lanebank_k_t<float, 32, 32> {"));
  EXPECT_THAT(second->source, HasSubstr("struct lanebank_k_t<float, 16, 16> {"));
  EXPECT_EQ(second->definition.find("unsigned N0"), std::string::npos) << "the other sizes are there already";
  EXPECT_EQ(second->declaration, first->declaration);
}

TEST(Edit, keeps_neighbours_joined_where_the_compiler_joined_them) {
  const std::string text = "__global__ void k() {\n  __shared__ float t[32][32];\n}\n";
  const SourceText source = scan_source(text);
  const auto edit = edited(source, *find_declaration(source, "t", "k"),
                           {{{32, 32}, 4, "float"}, solve::Layout::swizzled(tile_32, {3, 4, 5}), 16});
  ASSERT_TRUE(edit);
  EXPECT_THAT(edit->definition, HasSubstr("return bytes + offset(row, column - column % 4) + column % 4 * 4;"));
}

TEST(Edit, takes_one_array_out_of_a_statement_with_several) {
  const std::string text = "__global__ void k() { __shared__ float a[1024], t[1024], b[4]; }";
  const auto edit = edit_of(text, "t", {{1024}, 4, "float"}, solve::Layout::swizzled(tile_32, {5, 2, 5}));
  ASSERT_TRUE(edit);
  EXPECT_THAT(edit->source, HasSubstr("{ __shared__ float a[1024], b[4]; __shared__ lanebank_k_t t; }"));
  const auto last = edit_of("__global__ void k() { __shared__ float a[8], t[1024]; }", "t", {{1024}, 4, "float"},
                            solve::Layout::swizzled(tile_32, {5, 2, 5}));
  ASSERT_TRUE(last);
  EXPECT_THAT(last->source, HasSubstr("{ __shared__ float a[8]; __shared__ lanebank_k_t t; }"));
}

TEST(Edit, of_a_constant_makes_the_rows_longer_where_the_code_uses_pointers) {
  const std::string text =
      "constexpr int LD = 32;\n__global__ void k() {\n  __shared__ half s[16 * LD];\n  load(s, LD);\n}\n";
  const SourceText source = scan_source(text);
  const auto pitches = pitch_constants(source, *find_declaration(source, "s", "k"), "k()", 512);
  ASSERT_EQ(pitches.size(), 1u);
  const Edit edit = edited_pitch(source, pitches[0], {{{512}, 2, "half"}, solve::Layout::padded({16, 32, 2}, 16)});
  EXPECT_EQ(edit.declaration, "constexpr int LD = 32 + 8;");
  EXPECT_THAT(edit.source, HasSubstr("constexpr int LD = 32 + 8;\n__global__"));
  const std::string macro = "#define LD 32\n__global__ void k() {\n  __shared__ half s[16 * LD];\n}\n";
  const SourceText other = scan_source(macro);
  EXPECT_EQ(edited_pitch(other, pitch_constants(other, *find_declaration(other, "s", "k"), "k()", 512).at(0),
                         {{{512}, 2, "half"}, solve::Layout::padded({16, 32, 2}, 16)})
                .declaration,
            "#define LD (32 + 8)");
}

TEST(Edit, is_refused_where_the_code_does_the_arithmetic) {
  const auto pointer = edit_of("__global__ void k() {\n  __shared__ float t[32][32];\n  f(t);\n}", "t",
                               {{32, 32}, 4, "float"}, solve::Layout::padded(tile_32, 4));
  ASSERT_FALSE(pointer);
  EXPECT_THAT(pointer.error().what, HasSubstr("line 3 uses t as a pointer"));
  const auto dynamic = edit_of("__global__ void k() {\n  extern __shared__ float t[];\n}", "t", {{1024}, 4, "float"},
                               solve::Layout::padded(tile_32, 4));
  ASSERT_FALSE(dynamic);
  EXPECT_THAT(dynamic.error().what, HasSubstr("dynamic shared memory"));
}

TEST(UnifiedDiff, has_three_lines_around_each_change) {
  EXPECT_EQ(unified_diff("a.cu", "1\n2\n3\n4\n5\n6\n7\n", "1\n2\n3\n4\nfive\n6\n7\n"),
            "--- a/a.cu\n+++ b/a.cu\n@@ -2,6 +2,6 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n");
  EXPECT_EQ(unified_diff("a.cu", "1\n", "0\n1\n"), "--- a/a.cu\n+++ b/a.cu\n@@ -1,1 +1,2 @@\n+0\n 1\n");
  EXPECT_EQ(unified_diff("a.cu", "1\n", "1\n"), "");
  EXPECT_THAT(unified_diff("a.cu", "1", "2"), HasSubstr("-1\n\\ No newline at end of file\n+2\n\\ No newline"));
}

TEST(UnifiedDiff, of_distant_changes_has_a_part_for_each) {
  std::string before, after;
  for (int i = 0; i < 40; ++i) {
    before += std::to_string(i) + "\n";
    after += (i == 3 || i == 30 ? "x" : "") + std::to_string(i) + "\n";
  }
  const std::string diff = unified_diff("a", before, after);
  EXPECT_THAT(diff, HasSubstr("@@ -1,7 +1,7 @@"));
  EXPECT_THAT(diff, HasSubstr("@@ -28,7 +28,7 @@"));
  EXPECT_THAT(diff, Not(HasSubstr(" 15\n")));
}

}  // namespace
}  // namespace lanebank::advise
