// SHFL, VOTE, MATCH, REDUX, ELECT, R2UR: single instructions against formulas that look at all lanes.
#include <algorithm>
#include <bit>

#include "one_instruction.hpp"

namespace lanebank::machine::test {
namespace {

using u64 = std::uint64_t;

/// What lane `l.lane` gets, as the PTX manual words it, and 0 from a lane that does not take part (as an H200 does); sets the
/// predicate too when `p` < 7.
void shuffle(Lane& l, unsigned d, unsigned a, char mode, Word b, Word c, unsigned p) {
  const int lane = int(l.lane), distance = int(b & 31), limit = int(c & 31), segment = int(c >> 8 & 31);
  const int max_lane = (lane & segment) | (limit & ~segment & 31), min_lane = lane & segment;
  int j = 0;
  bool inside = false;
  if (mode == 'u') j = lane - distance, inside = j >= max_lane;
  if (mode == 'd') j = lane + distance, inside = j <= max_lane;
  if (mode == 'b') j = lane ^ distance, inside = j <= max_lane;
  if (mode == 'i') j = min_lane | (distance & ~segment), inside = j <= max_lane;
  const unsigned source = unsigned(inside ? j : lane);
  l.set_r(d, l.mask >> source & 1 ? l.r(a, source) : 0);
  if (p < 7) l.set_p(p, inside);
}

TEST(WarpOperations, ShflInAllModesAndForms) {
  check({
      {0x00001f0f05007589, 0x004e2800000e0000, 75, "SHFL.IDX PT, R0, R5, R15, 0x1f",
       [](Lane& l) { shuffle(l, 0, 5, 'i', l.r(15), 0x1f, 7); }},
      {0x00101f0f05007589, 0x004e280000040000, 75, "SHFL.IDX P2, R0, R5, R15, 0x101f",
       [](Lane& l) { shuffle(l, 0, 5, 'i', l.r(15), 0x101f, 2); }},
      {0x08101f0705077589, 0x004e2800000e0000, 75, "SHFL.DOWN PT, R7, R5, R7, 0x101f",
       [](Lane& l) { shuffle(l, 7, 5, 'd', l.r(7), 0x101f, 7); }},
      {0x0460000005047989, 0x000e6800000e00ff, 75, "SHFL.UP PT, R4, R5, 0x3, RZ",
       [](Lane& l) { shuffle(l, 4, 5, 'u', 3, 0, 7); }},
      {0x04200000281c7989, 0x00006400000000ff, 80, "SHFL.UP P0, R28, R40, 0x1, RZ",
       [](Lane& l) { shuffle(l, 28, 40, 'u', 1, 0, 0); }},
      {0x08200000191e7989, 0x002e22000000001c, 80, "SHFL.DOWN P0, R30, R25, 0x1, R28",
       [](Lane& l) { shuffle(l, 30, 25, 'd', 1, l.r(28), 0); }},
      {0x0cf81f0005067f89, 0x000ee200000e0000, 75, "SHFL.BFLY PT, R6, R5, 0x7, 0x181f",
       [](Lane& l) { shuffle(l, 6, 5, 'b', 7, 0x181f, 7); }},
      {0x0c201f0005057f89, 0x000ee200000e0000, 75, "SHFL.BFLY PT, R5, R5, 0x1, 0x1f",
       [](Lane& l) { shuffle(l, 5, 5, 'b', 1, 0x1f, 7); }},
      {0x0800000719227389, 0x000e220000000022, 80, "SHFL.DOWN P0, R34, R25, R7, R34",
       [](Lane& l) { shuffle(l, 34, 25, 'd', l.r(7), l.r(34), 0); }},
      {0x040000292a297389, 0x000e22000000002c, 80, "SHFL.UP P0, R41, R42, R41, R44",
       [](Lane& l) { shuffle(l, 41, 42, 'u', l.r(41), l.r(44), 0); }},
  });
}

Word ballot(const Lane& l, unsigned p, bool negated) {
  Word result = 0;
  for (unsigned i = 0; i < 32; ++i)
    if ((l.mask >> i & 1) && l.p(p, i) != negated) result |= 1u << i;
  return result;
}

TEST(WarpOperations, VotesCountTheLanesThatExecute) {
  check({
      {0x0000000000087806, 0x000fe400050e0100, 75, "VOTE.ANY R8, PT, !P2",
       [](Lane& l) { l.set_r(8, ballot(l, 2, true)); }},
      {0x0000000000097806, 0x000fe400038e0100, 75, "VOTE.ANY R9, PT, PT", [](Lane& l) { l.set_r(9, l.mask); }},
      {0x0000000000ff7806, 0x000fe40004820000, 80, "VOTE.ALL P1, !P1",
       [](Lane& l) { l.set_p(1, ballot(l, 1, true) == l.mask); }},
      {0x0000000000ff7806, 0x000fc60004000100, 80, "VOTE.ANY P0, !P0",
       [](Lane& l) { l.set_p(0, ballot(l, 0, true) != 0); }},
      {0x0000000000ff7806, 0x000fc60001060200, 80, "VOTE.EQ P3, P2",
       [](Lane& l) { l.set_p(3, ballot(l, 2, false) == 0 || ballot(l, 2, false) == l.mask); }},
      {0x00000000003f7886, 0x000fc80000000000, 90, "VOTEU.ALL UP0, P0",
       [](Lane& l) { l.set_up(0, ballot(l, 0, false) == l.mask); }, true},
      {0x0000000000047886, 0x000fe400038e0100, 75, "VOTEU.ANY UR4, UPT, PT", [](Lane& l) { l.set_ur(4, l.mask); },
       true},
      {0x0000000000041886, 0x000fe40001840100, 75, "@P1 VOTEU.ANY UR4, UP2, P3",
       [](Lane& l) { l.set_ur(4, ballot(l, 3, false)), l.set_up(2, ballot(l, 3, false) != 0); }, true},
  });
}

Word same(const Lane& l, unsigned a, bool pair) {
  Word result = 0;
  for (unsigned i = 0; i < 32; ++i)
    if ((l.mask >> i & 1) && l.r(a, i) == l.r(a) && (!pair || l.r(a + 1, i) == l.r(a + 1))) result |= 1u << i;
  return result;
}

TEST(WarpOperations, MatchFindsEqualValues) {
  check({
      {0x00000000051573a1, 0x000ee20000040000, 80, "MATCH.ALL P2, R21, R5",
       [](Lane& l) { l.set_r(21, same(l, 5, false) == l.mask ? l.mask : 0), l.set_p(2, same(l, 5, false) == l.mask); }},
      {0x00000000050c73a1, 0x000e6200000e8000, 75, "MATCH.ANY R12, R5",
       [](Lane& l) { l.set_r(12, same(l, 5, false)); }},
      {0x00000000040d73a1, 0x004e6400000e8200, 75, "MATCH.ANY.U64 R13, R4",
       [](Lane& l) { l.set_r(13, same(l, 4, true)); }},
      {0x00000000041573a1, 0x000ee20000040200, 80, "MATCH.ALL.U64 P2, R21, R4",
       [](Lane& l) { l.set_r(21, same(l, 4, true) == l.mask ? l.mask : 0), l.set_p(2, same(l, 4, true) == l.mask); }},
  });
}

template <class F>
Word reduced(const Lane& l, unsigned a, F f) {
  Word result = l.r(a);
  for (unsigned i = l.lane + 1; i < 32; ++i)
    if (l.mask >> i & 1) result = f(result, l.r(a, i));
  return result;
}

TEST(WarpOperations, ReduxReducesTheLanesThatExecute) {
  const auto s = [](Word x) { return std::int32_t(x); };
  check({
      {0x00000000050973c4, 0x000e220000000000, 80, "REDUX UR9, R5",
       [](Lane& l) { l.set_ur(9, reduced(l, 5, [](Word x, Word y) { return x & y; })); }, true},
      {0x00000000050a73c4, 0x000ea20000004000, 80, "REDUX.OR UR10, R5",
       [](Lane& l) { l.set_ur(10, reduced(l, 5, [](Word x, Word y) { return x | y; })); }, true},
      {0x00000000050b73c4, 0x000ee20000008000, 80, "REDUX.XOR UR11, R5",
       [](Lane& l) { l.set_ur(11, reduced(l, 5, [](Word x, Word y) { return x ^ y; })); }, true},
      {0x00000000050673c4, 0x000070000000c000, 80, "REDUX.SUM UR6, R5",
       [](Lane& l) { l.set_ur(6, reduced(l, 5, [](Word x, Word y) { return x + y; })); }, true},
      {0x00000000050873c4, 0x0000620000010000, 80, "REDUX.MIN UR8, R5",
       [](Lane& l) { l.set_ur(8, reduced(l, 5, [](Word x, Word y) { return std::min(x, y); })); }, true},
      {0x00000000050773c4, 0x0000e20000014200, 80, "REDUX.MAX.S32 UR7, R5",
       [s](Lane& l) { l.set_ur(7, reduced(l, 5, [s](Word x, Word y) { return s(x) > s(y) ? x : y; })); }, true},
      {0x00000000050773c4, 0x0000e20000010200, 80, "REDUX.MIN.S32 UR7, R5",
       [s](Lane& l) { l.set_ur(7, reduced(l, 5, [s](Word x, Word y) { return s(x) < s(y) ? x : y; })); }, true},
  });
}

TEST(WarpOperations, ElectAndR2urPickTheFirstActiveLane) {
  const auto elected = [](Lane& l) { l.set_p(1, l.lane == unsigned(std::countr_zero(l.mask))); };
  check({
      {0x00000000003f082f, 0x000fe20003820000, 90, "@P0 ELECT P1, URZ, PT", elected},
      {0x00000000020682ca, 0x000fda00000e0000, 90, "@!P0 R2UR UR6, R2", [](Lane& l) { l.set_ur(6, l.r(2)); }, true},
      {0x000000001c3f73c2, 0x000e2200000e0000, 80, "R2UR URZ, R28", [](Lane&) {}, true},
      {0x00000000020672ca, 0x000fda0000120000, 90, "R2UR.OR P1, UR6, R2",
       [](Lane& l) {
         const Word first = l.r(2, unsigned(std::countr_zero(l.mask)));
         l.set_ur(6, first);
         l.set_p(1, l.p(1) || l.r(2) != first);
       }},
      {0x000000001c0573c2, 0x000e220000020000, 80, "R2UR P1, UR5, R28",
       [](Lane& l) {
         // One value for all that execute; the predicate in the lanes that have another.
         const Word first = l.r(28, unsigned(std::countr_zero(l.mask)));
         l.set_ur(5, first);
         l.set_p(1, l.r(28) != first);
       }},
  });
}

}  // namespace
}  // namespace lanebank::machine::test
