// Which array an access of PTX text means.
#include "image/ptx_accesses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lanebank::image {

bool operator==(const PtxAccess& a, const PtxAccess& b) { return a.line == b.line && a.symbol == b.symbol; }
void PrintTo(const PtxAccess& a, std::ostream* out) { *out << a.line << " " << a.symbol; }

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* head = ".entry f() {\n.shared .align 4 .b8 a[256];\n.shared .align 4 .b8 b[256];\n";

std::vector<PtxAccess> found(const std::string& body) {
  static std::string text;
  text = head + body + "}\n";
  return shared_accesses(text);
}

TEST(PtxAccesses, BySymbol) {
  EXPECT_THAT(found("ld.shared.f32 %f1, [a+4];\nst.shared.v2.f32 [b], {%f1, %f2};\n"),
              ElementsAre(PtxAccess{4, "a"}, PtxAccess{5, "b"}));
}

TEST(PtxAccesses, Widths) {
  const auto accesses = found(
      "ld.shared.f32 %f1, [a+4];\nst.volatile.shared.v2.f64 [b], {%fd1, %fd2};\nld.shared.v4.u8 {%r1, %r2, %r3, %r4}, "
      "[a];\natom.shared.add.u32 %r4, [a], 1;\n");
  ASSERT_EQ(accesses.size(), 4u);
  EXPECT_EQ(accesses[0].bytes, 4u);
  EXPECT_EQ(accesses[1].bytes, 16u);
  EXPECT_EQ(accesses[2].bytes, 4u);
  EXPECT_EQ(accesses[3].bytes, 0u);
}

TEST(PtxAccesses, ThroughRegisters) {
  EXPECT_THAT(found("mov.u32 %r1, b;\nmad.lo.s32 %r2, %r9, 4, %r1;\nxor.b32 %r3, %r2, 16;\n@%p1 atom.shared.add.u32 "
                    "%r4, [%r3+8], 1;\n"),
              ElementsAre(PtxAccess{7, "b"}));
}

TEST(PtxAccesses, LoopsThatMoveAPointer) {
  EXPECT_THAT(found("mov.u32 %r1, a;\nL1:\nld.shared.u32 %r2, [%r1];\nadd.s32 %r1, %r1, 4;\n@%p1 bra L1;\n"),
              ElementsAre(PtxAccess{6, "a"}));
}

TEST(PtxAccesses, PointersThatChangeTheirArrayAreInDoubtBeforeToo) {
  EXPECT_THAT(found("mov.u32 %r1, a;\nL1:\nld.shared.u32 %r2, [%r1];\nmov.u32 %r1, b;\n@%p1 bra L1;\n"), IsEmpty());
  EXPECT_THAT(found("mov.u32 %r1, a;\nmov.u32 %r2, b;\nselp.b32 %r3, %r1, %r2, %p1;\nst.shared.u32 [%r3], %r9;\n"),
              IsEmpty());
}

TEST(PtxAccesses, AddressesFromElsewhereAreInDoubt) {
  EXPECT_THAT(found("mov.u32 %r1, a;\n@%p1 ld.param.u32 %r1, [f_param_0];\nst.shared.u32 [%r1], %r9;\n"), IsEmpty());
  EXPECT_THAT(found("ld.global.u32 %r1, [%rd1];\nst.shared.u32 [%r1], %r9;\n"), IsEmpty());
}

TEST(PtxAccesses, CopiesAndMatrices) {
  EXPECT_THAT(found("mov.u32 %r1, a;\n{ cp.async.cg.shared.global [%r1], [%rd2], "
                    "16;\nldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r5, %r6, %r7, %r8}, [b];\n"),
              ElementsAre(PtxAccess{5, "a"}, PtxAccess{6, "b"}));
}

TEST(PtxAccesses, RegistersBelongToTheirFunction) {
  EXPECT_THAT(found("mov.u32 %r1, a;\n}\n.entry g() {\nst.shared.u32 [%r1], %r9;\n"), IsEmpty());
}

TEST(PtxAccesses, OfFunctionsThatNoCompilerWritesNothingIsSaid) {
  std::string body;  // each line has its address from the next one
  for (int n = 1000; n > 0; --n) body += "mov.u32 %r" + std::to_string(n) + ", %r" + std::to_string(n - 1) + ";\n";
  EXPECT_THAT(found(body + "mov.u32 %r0, a;\nst.shared.u32 [%r1000], %p1;\n"), IsEmpty());
}

TEST(PtxAccesses, AnyTextIsAccepted) {
  for (const char* text : {"", "\n\n", "ld.shared", "ld.shared.u32 [", "@", "@ ;", ".shared", ".shared ;\n.shared [",
                           "mov ,;", "st.shared.u32 ];[;"})
    shared_accesses(text);
}

}  // namespace
}  // namespace lanebank::image
