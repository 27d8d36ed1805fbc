// Random problems, small enough to try every F2-linear layout. LANEBANK_EXHAUSTIVE=1: ten times as many.
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <random>
#include <set>

#include "solve/access_set.hpp"
#include "solve/exact_count.hpp"
#include "solve/solve.hpp"

namespace lanebank::solve {
namespace {

unsigned problem_count() { return std::getenv("LANEBANK_EXHAUSTIVE") != nullptr ? 1000 : 100; }

constexpr unsigned first_seed = 20261130;

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  /// A tile of 2^bits bytes.
  Problem problem() {
    const bool narrow = one_of(5) == 0;
    unit_bytes_ = narrow ? 2u : 4u << one_of(3);  // the widest access
    const unsigned bits = narrow ? 8 : 9;
    Problem problem;
    const unsigned element = unit_bytes_ == 2 ? 2 : one_of(2) == 0 ? 4 : std::min(unit_bytes_, 8u);
    const unsigned element_bits = static_cast<unsigned>(std::countr_zero(element));
    const unsigned unit_bits = static_cast<unsigned>(std::countr_zero(unit_bytes_));
    const unsigned column_bits = unit_bits - element_bits + one_of(bits - unit_bits + 1);
    problem.tile = {1u << (bits - element_bits - column_bits), 1u << column_bits, element};
    const unsigned count = 3 + one_of(3);
    for (unsigned i = 0; i < count; ++i) problem.patterns.push_back(pattern(problem.tile, i));
    return problem;
  }

 private:
  unsigned one_of(unsigned count) { return static_cast<unsigned>(random_() % count); }

  Pattern pattern(const Tile& tile, unsigned number) {
    Pattern result;
    result.name = "pattern " + std::to_string(number);
    unsigned width = unit_bytes_;  // the first has the widest, the others may be narrower
    if (number > 0)
      while (width > tile.element_bytes && one_of(2) == 0) width /= 2;
    const char* names[] = {"ld", "st", "st"};
    const char* name = names[one_of(3)];
    if (width == 16 && one_of(2) == 0) name = one_of(2) == 0 ? "ldmatrix_x4" : "stmatrix_x2";
    if (width == 4 && one_of(4) == 0) name = one_of(2) == 0 ? "atom_add_u32" : "atom_cas_b32";
    result.instruction = instruction_named(name);
    result.access_bytes = width;
    result.repeat = 1 + one_of(3);
    const unsigned count = 1 + one_of(2);
    const bool linear = one_of(4) != 0;
    for (unsigned i = 0; i < count; ++i) result.accesses.push_back(access(tile, width, linear));
    return result;
  }

  /// Lanes as an affine map of their number, or anywhere; all active, or not.
  WarpAccess access(const Tile& tile, unsigned width, bool linear) {
    WarpAccess result;
    const unsigned per_row = tile.row_bytes() / width, units = per_row * tile.rows;
    const unsigned base = one_of(units);
    unsigned columns[5] = {};
    for (unsigned& column : columns) column = one_of(units);
    if (one_of(3) != 0)  // bits of the unit's number, the usual case
      for (unsigned& column : columns)
        column = 1u << one_of(static_cast<unsigned>(std::bit_width(units - 1)) + (units == 1));
    result.active_lanes = linear || one_of(2) == 0 ? 0xffffffffu : static_cast<std::uint32_t>(random_());
    if (result.active_lanes != 0xffffffffu && width == 16) result.active_lanes = 0x00ff00ffu;
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
      unsigned unit = linear ? base : one_of(units);
      if (linear)
        for (unsigned bit = 0; bit < 5; ++bit) unit ^= (lane >> bit & 1) != 0 ? columns[bit] : 0;
      unit %= units;
      result.lanes[lane] = {unit / per_row, unit % per_row * width / tile.element_bytes};
    }
    return result;
  }

  std::mt19937 random_;
  unsigned unit_bytes_ = 4;
};

/// Tries every linear layout: all subspaces that the bank bits send to 0, and in them all choices of what shares a word.
class EveryLinearLayout {
 public:
  explicit EveryLinearLayout(const Problem& problem)
      : problem_(problem), set_(problem, Symmetry::none, problem.tile.row_bytes()) {
    unsigned unit = problem.tile.element_bytes;
    for (const Pattern& pattern : problem.patterns) unit = std::max(unit, pattern.access_bytes);
    unit_bits_ = static_cast<unsigned>(std::countr_zero(unit));
    bits_ = static_cast<unsigned>(std::countr_zero(problem.tile.size_bytes()));
    dimension_ = bits_ - unit_bits_;
    word_bits_ = unit_bits_ < 2 ? 2 - unit_bits_ : 0;
    rows_ = std::min(bits_, 7u) - std::max(unit_bits_, 2u);
  }

  std::uint64_t best() {
    std::vector<std::uint32_t> kernel;
    extend(kernel);
    return best_;
  }
  std::uint64_t tried() const { return tried_; }

 private:
  /// Subspaces by all their ordered bases; each subspace is looked at once.
  void extend(std::vector<std::uint32_t>& kernel) {
    if (kernel.size() == dimension_ - rows_) {
      std::set<std::uint32_t> space = {0};
      for (const std::uint32_t vector : kernel) {
        std::set<std::uint32_t> sums = space;
        for (const std::uint32_t other : space) sums.insert(other ^ vector);
        space = sums;
      }
      if (!seen_.insert({space.begin(), space.end()}).second) return;
      if (word_bits_ == 0) return try_layout(kernel);
      for (const std::uint32_t word : space) {  // one word bit: one vector of the kernel
        if (word == 0) continue;
        std::vector<std::uint32_t> basis = {word};
        for (const std::uint32_t vector : kernel)
          if (independent(basis, vector)) basis.push_back(vector);
        try_layout(basis);
      }
      return;
    }
    for (std::uint32_t vector = 1; vector < 1u << dimension_; ++vector) {
      if (!independent(kernel, vector)) continue;
      kernel.push_back(vector);
      extend(kernel);
      kernel.pop_back();
    }
  }

  static bool independent(const std::vector<std::uint32_t>& basis, std::uint32_t vector) {
    for (std::uint32_t subset = 0; subset < 1u << basis.size(); ++subset) {
      std::uint32_t sum = vector;
      for (std::size_t i = 0; i < basis.size(); ++i) sum ^= (subset >> i & 1) != 0 ? basis[i] : 0;
      if (sum == 0) return false;
    }
    return true;
  }

  /// The layout whose address bits below a word are dual to the first kernel vectors, the bank bits vanish on the kernel,
  /// and the bits above are dual to the rest of it. By its inverse: columns are where address bits come from.
  void try_layout(const std::vector<std::uint32_t>& kernel) {
    std::vector<std::uint32_t> from(kernel.begin(), kernel.begin() + word_bits_);  // logical vector of each address bit
    std::vector<std::uint32_t> basis = kernel;
    std::vector<std::uint32_t> banks;
    for (std::uint32_t vector = 1; vector < 1u << dimension_ && banks.size() < rows_; vector <<= 1)
      if (independent(basis, vector)) banks.push_back(vector), basis.push_back(vector);
    from.insert(from.end(), banks.begin(), banks.end());
    from.insert(from.end(), kernel.begin() + word_bits_, kernel.end());
    std::vector<std::uint32_t> address_of(1u << dimension_);
    for (std::uint32_t address = 0; address < address_of.size(); ++address) {
      std::uint32_t logical = 0;
      for (unsigned bit = 0; bit < dimension_; ++bit) logical ^= (address >> bit & 1) != 0 ? from[bit] : 0;
      address_of[logical] = address;
    }
    const std::uint32_t inside = (1u << unit_bits_) - 1;
    ++tried_;
    best_ = std::min(best_, set_.total([&](std::size_t i) {
      const std::uint32_t flat = set_.flat(i);
      return address_of[flat >> unit_bits_] << unit_bits_ | (flat & inside);
    }));
  }

  const Problem& problem_;
  AccessSet set_;
  unsigned unit_bits_ = 0, bits_ = 0, dimension_ = 0, word_bits_ = 0, rows_ = 0;
  std::uint64_t best_ = AccessSet::not_modelled, tried_ = 0;
  std::set<std::vector<std::uint32_t>> seen_;
};

TEST(RandomProblems, LinearSearchEqualsEveryLinearLayoutAndBoundsHold) {
  std::printf("seeds %u to %u\n", first_seed, first_seed + problem_count() - 1);
  Limits limits;
  limits.ways_out = false;
  std::uint64_t tried = 0, not_ideal = 0;
  for (unsigned i = 0; i < problem_count(); ++i) {
    SCOPED_TRACE("seed " + std::to_string(first_seed + i));
    Problem problem = Generator(first_seed + i).problem();
    EveryLinearLayout every(problem);
    const std::uint64_t optimum = every.best();
    tried += every.tried();
    const Result<Solution> free = solve(problem, limits);
    problem.families = {Family::linear};
    const Result<Solution> linear = solve(problem, limits);
    ASSERT_TRUE(linear) << to_string(linear.error());
    ASSERT_TRUE(free) << to_string(free.error());
    ASSERT_EQ(linear->best.total_wavefronts, optimum) << linear->certificate;
    ASSERT_TRUE(linear->optimal) << linear->certificate;
    ASSERT_LE(free->best.total_wavefronts, optimum);
    ASSERT_LE(linear->lower_bound, optimum) << linear->bound;
    ASSERT_LE(free->lower_bound, free->best.total_wavefronts);
    not_ideal += optimum > linear->ideal_total;
  }
  std::printf("%llu layouts, %llu problems whose optimum is not ideal\n", static_cast<unsigned long long>(tried),
              static_cast<unsigned long long>(not_ideal));
  EXPECT_GT(not_ideal, problem_count() / 10) << "the problems are too easy to tell anything";
}

// The quick count of the search against lanebank::cost, under layouts of all kinds.
TEST(RandomProblems, PreparedAccessesCountAsTheBankModelDoes) {
  for (unsigned i = 0; i < problem_count(); ++i) {
    SCOPED_TRACE("seed " + std::to_string(first_seed + i));
    const Problem problem = Generator(first_seed + i).problem();
    const Tile& tile = problem.tile;
    const std::vector<Layout> layouts = {Layout::row_major(tile), Layout::padded(tile, 16),
                                         Layout::swizzled(tile, {1, 4, 2}), Layout::swizzled(tile, {2, 4, 2}),
                                         Layout::two_term(tile, {1, 4, 1}, {1, 4, 3})};
    const AccessSet plain(problem, Symmetry::none, tile.row_bytes());
    const AccessSet flat(problem, Symmetry::xor_flat, tile.row_bytes());
    const AccessSet shifted(problem, Symmetry::translation, tile.row_bytes());
    for (const Layout& layout : layouts) {
      SCOPED_TRACE(name_of(layout.family()));
      const ExactCount count = exact_count(problem, layout);
      ASSERT_TRUE(count.served);
      const auto address = [&](const AccessSet& set) {
        return [&](std::size_t k) { return layout.offset(set.element(k).row, set.element(k).column); };
      };
      ASSERT_EQ(plain.total(address(plain)), count.total);
      if (layout.pad_bytes() == 0) {
        ASSERT_EQ(flat.total(address(flat)), count.total);
      }
      if (layout.terms().empty()) {
        ASSERT_EQ(shifted.total(address(shifted)), count.total);
      }
    }
  }
}

}  // namespace
}  // namespace lanebank::solve
