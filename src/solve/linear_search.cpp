#include "solve/linear_search.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "solve/lane_groups.hpp"

namespace lanebank::solve {
namespace {

/// A point set after some bank rows: the kernel of the rows on a space, or the class of each point.
struct SetState {
  std::uint8_t size = 0;  ///< dimension of the kernel; points
  std::array<std::uint32_t, 5> kernel{};
  std::array<std::uint8_t, lanes_per_warp> classes{};
};

/// The bank rows of one quotient: a search over subspaces of functionals.
class RowSearch {
 public:
  RowSearch(const LaneGroups& groups, unsigned rows, std::uint64_t& work_left, std::uint64_t& nodes)
      : groups_(groups), depth_end_(std::min<unsigned>(rows, dimension())), work_left_(work_left), nodes_(nodes) {
    states_.resize(depth_end_ + 1);
    states_[0].resize(groups.sets.size());
    degrees_.assign(depth_end_ + 1, std::vector<unsigned>(groups.sets.size()));
    factors_.assign(groups.sets.size(), 0);
    for (std::size_t i = 0; i < groups.groups.size(); ++i) {
      if (groups.groups[i].size() == 1)
        factors_[groups.groups[i][0]] += groups.factors[i];
      else if (groups.factors[i] != 0)
        joint_groups_.push_back(static_cast<std::uint32_t>(i));
    }
    for (std::size_t i = 0; i < groups.sets.size(); ++i) {
      const PointSet& set = groups.sets[i];
      states_[0][i].size = static_cast<std::uint8_t>(set.vectors.size());
      if (set.is_space) std::copy(set.vectors.begin(), set.vectors.end(), states_[0][i].kernel.begin());
    }
    for (std::vector<SetState>& states : states_) states = states_[0];
    sums_.assign(depth_end_ + 1, groups.constant);
    for (std::size_t i = 0; i < groups.sets.size(); ++i) {
      const PointSet& set = groups.sets[i];
      const unsigned most = set.is_space ? set.multiplicity << set.vectors.size() : states_[0][i].size;
      degrees_[0][i] = std::max(1u, (most + (1u << depth_end_) - 1) >> depth_end_);
      sums_[0] += factors_[i] * degrees_[0][i];
    }
  }

  /// Calls found(rows) for every choice whose total, but for exact accesses, is below `cutoff`; found returns the new
  /// cutoff. False if the work ran out.
  template <class Found>
  bool run(std::uint64_t cutoff, Found found) {
    cutoff_ = cutoff;
    rows_.clear();
    if (depth_end_ == 0) {
      if (bound(0) < cutoff_) cutoff_ = found(rows_);
      return true;
    }
    return descend(0, 0, 0, found);
  }

 private:
  unsigned dimension() const { return static_cast<unsigned>(groups_.span_leads.size()); }

  /// Rows lead at `lead` or above, and are zero at the bits of `leads`.
  template <class Found>
  bool descend(unsigned depth, unsigned lead, std::uint32_t leads, Found& found) {
    for (; lead + (depth_end_ - depth) <= dimension(); ++lead) {
      const std::uint32_t free = ((1u << lead) - 1) & ~leads;
      std::uint32_t low = 0;
      do {
        if (!try_row(depth, lead, 1u << lead | low, leads, found)) return false;
        low = (low - free) & free;  // the next subset of `free`
      } while (low != 0);
    }
    return true;
  }

  template <class Found>
  bool try_row(unsigned depth, unsigned lead, std::uint32_t row, std::uint32_t leads, Found& found) {
    if (work_left_ < groups_.sets.size() + 1) return false;
    ++nodes_;
    if (!update(depth, row) || bound(depth + 1) >= cutoff_) return true;
    rows_.push_back(row);
    bool more = true;
    if (depth + 1 == depth_end_)
      cutoff_ = found(rows_);
    else
      more = descend(depth + 1, lead + 1, leads | 1u << lead, found);
    rows_.pop_back();
    return more && cutoff_ != 0;
  }

  /// False if a line is not cut in halves, or the bound reaches the cutoff. Degrees only rise with depth, so the sum of the
  /// depth above, corrected set by set, is a bound all along.
  bool update(unsigned depth, std::uint32_t row) {
    const unsigned left = depth_end_ - depth - 1;
    std::uint64_t sum = sums_[depth];
    std::size_t i = 0;
    bool open = sum < cutoff_;
    for (; i < groups_.sets.size() && open; ++i) {
      const PointSet& set = groups_.sets[i];
      const SetState& before = states_[depth][i];
      SetState& after = states_[depth + 1][i];
      unsigned degree = 0;
      if (set.is_space) {
        update_kernel(before, after, row);
        degree = set.multiplicity << (after.size > left ? after.size - left : 0u);
        open = !set.must_part || after.size != before.size;
      } else {
        degree = update_classes(set, before, after, row, depth, left);
      }
      degrees_[depth + 1][i] = degree;
      sum += factors_[i] * (degree - degrees_[depth][i]);
      open = open && sum < cutoff_;
    }
    work_left_ -= i + 1;
    sums_[depth + 1] = sum;
    return open;
  }

  static void update_kernel(const SetState& before, SetState& after, std::uint32_t row) {
    std::uint32_t pivot = 0;
    after.size = 0;
    for (unsigned k = 0; k < before.size; ++k) {
      const std::uint32_t vector = before.kernel[k];
      if (__builtin_parity(vector & row) == 0) {
        after.kernel[after.size++] = vector;
      } else if (pivot == 0) {
        pivot = vector;
      } else {
        after.kernel[after.size++] = vector ^ pivot;
      }
    }
  }

  static unsigned update_classes(const PointSet& set, const SetState& before, SetState& after, std::uint32_t row,
                                 unsigned depth, unsigned left) {
    std::array<std::uint8_t, lanes_per_warp> filled{};
    unsigned largest = 0;
    for (unsigned k = 0; k < before.size; ++k) {
      const auto bit = static_cast<unsigned>(__builtin_parity(set.vectors[k] & row));
      const unsigned name = before.classes[k] | bit << depth;
      after.classes[k] = static_cast<std::uint8_t>(name);
      largest = std::max<unsigned>(largest, ++filled[name]);
    }
    return (largest + (1u << left) - 1) >> left;
  }

  unsigned degree(unsigned depth, std::uint32_t group) const {
    unsigned largest = 1;
    for (const std::uint32_t set : groups_.groups[group]) largest = std::max(largest, degrees_[depth][set]);
    return largest;
  }

  /// Of the total; at the last depth the total itself.
  std::uint64_t bound(unsigned depth) const {
    std::uint64_t sum = sums_[depth];
    for (const std::uint32_t group : joint_groups_) sum += groups_.factors[group] * degree(depth, group);
    for (const PairedTerm& term : groups_.paired) {
      unsigned worst = 0;
      for (const std::uint32_t group : term.large) worst = std::max(worst, degree(depth, group));
      std::uint64_t wavefronts = term.large_groups;
      if (worst > 1) {
        wavefronts = 0;
        for (const std::uint32_t group : term.small) wavefronts += degree(depth, group);
      }
      sum += term.times * wavefronts;
    }
    return sum;
  }

  const LaneGroups& groups_;
  unsigned depth_end_;
  std::uint64_t &work_left_, &nodes_;
  std::uint64_t cutoff_ = 0;
  std::vector<std::uint32_t> rows_;
  std::vector<std::vector<SetState>> states_;   ///< by depth
  std::vector<std::vector<unsigned>> degrees_;  ///< or what bounds them from below, by depth and set
  std::vector<std::uint64_t> factors_;          ///< of each set that is a group by itself
  std::vector<std::uint64_t> sums_;             ///< constant + factors x degrees, by depth
  std::vector<std::uint32_t> joint_groups_;     ///< groups of several sets
};

/// Independent functionals as a matrix: row i has bit i where that can be, and unit vectors fill the rest.
std::vector<std::uint32_t> completed(std::vector<std::uint32_t> bank_rows, unsigned bank_count_bits,
                                     unsigned dimension) {
  std::vector<std::uint32_t> matrix(dimension, 0);
  for (unsigned bit = std::min(bank_count_bits, dimension); bit-- > 0;) {
    const auto at = std::find_if(bank_rows.begin(), bank_rows.end(), [&](std::uint32_t row) { return row >> bit & 1; });
    if (at == bank_rows.end()) continue;
    const std::uint32_t chosen = *at;
    bank_rows.erase(at);
    for (std::uint32_t& row : bank_rows)
      if ((row >> bit & 1) != 0) row ^= chosen;
    for (std::uint32_t& row : matrix)
      if ((row >> bit & 1) != 0) row ^= chosen;
    matrix[bit] = chosen;
  }
  for (unsigned bit = 0; bit < bank_count_bits && !bank_rows.empty(); ++bit)
    if (matrix[bit] == 0) matrix[bit] = bank_rows.back(), bank_rows.pop_back();
  std::vector<std::uint32_t> echelon;  // with distinct leading bits
  const auto add = [&](std::uint32_t row) {
    for (const std::uint32_t other : echelon) row = std::min(row, row ^ other);
    if (row != 0) echelon.push_back(row);
    std::sort(echelon.rbegin(), echelon.rend());
    return row != 0;
  };
  for (const std::uint32_t row : matrix)
    if (row != 0) add(row);
  for (unsigned bit = 0; bit < dimension; ++bit)
    if (matrix[bit] == 0 && add(1u << bit)) matrix[bit] = 1u << bit;
  for (unsigned bit = 0, unit = 0; bit < dimension; ++bit)
    for (; matrix[bit] == 0; ++unit)
      if (add(1u << unit)) matrix[bit] = 1u << unit;
  return matrix;
}

class LinearSearch {
 public:
  LinearSearch(SearchSpace& space, std::uint64_t cutoff, std::uint64_t bound, std::uint64_t work)
      : space_(space), tile_(space.problem().tile), cutoff_(cutoff), bound_(bound), work_left_(work) {}

  LinearResult run() {
    if (space_.unit_bytes() == 0 || !space_.aligned(tile_.row_bytes())) return result_;
    set_ = &space_.set(Symmetry::xor_flat, tile_.row_bytes());
    unit_shift_ = static_cast<unsigned>(std::countr_zero(space_.unit_bytes()));
    address_bits_ = static_cast<unsigned>(std::bit_width(tile_.size_bytes() - 1));
    if (address_bits_ <= std::max(unit_shift_, 2u)) {  // one unit or word: nothing to choose
      accept(identity_matrix());
      return result_;
    }
    const bool ragged = !std::has_single_bit(tile_.size_bytes());
    const std::vector<std::uint32_t> words = natural_words();
    if ((ragged || space_.copies_by_sectors()) && address_bits_ > 7) search(words, true);
    if (!done()) search(words, false);
    if (!done() && !words.empty()) search_words();
    for (const PreparedAccess& access : set_->accesses())
      if (access.way == PreparedAccess::Way::exact && !done()) result_.exhausted = false;  // more than bank rows counts
    return result_;
  }

 private:
  bool done() const { return !result_.exhausted || cutoff_ <= bound_; }
  unsigned dimension() const { return address_bits_ - unit_shift_; }
  unsigned first_bank_bit() const { return std::max(unit_shift_, 2u); }
  unsigned bank_rows() const { return std::min(7u, address_bits_) - first_bank_bit(); }

  std::vector<std::uint32_t> identity_matrix() const {
    std::vector<std::uint32_t> matrix;
    for (unsigned bit = 0; bit < address_bits_; ++bit) matrix.push_back(1u << bit);
    return matrix;
  }

  /// The bits below a word, where the search is free to move them: a basis of what shares a word in row-major order.
  std::vector<std::uint32_t> natural_words() const {
    std::vector<std::uint32_t> basis;
    for (unsigned bit = unit_shift_; bit < 2; ++bit) basis.push_back(1u << (bit - unit_shift_));
    return basis;
  }

  void search(const std::vector<std::uint32_t>& words, bool keep_lines) {
    const Quotient quotient(dimension(), words);
    const std::uint64_t work = 4 * set_->work();
    if (work_left_ < work) {
      result_.exhausted = false;
      return;
    }
    work_left_ -= work;
    const LaneGroups groups = lane_groups(*set_, unit_shift_, quotient, keep_lines, bank_rows());
    RowSearch rows(groups, bank_rows(), work_left_, result_.nodes);
    const bool finished = rows.run(cutoff_, [&](const std::vector<std::uint32_t>& chosen) {
      accept(matrix_of(chosen, groups, quotient));
      return cutoff_ <= bound_ ? 0 : cutoff_;
    });
    if (!finished && cutoff_ > bound_) result_.exhausted = false;
  }

  /// Every other choice of what shares a word: subspaces in echelon form.
  void search_words() {
    const std::uint32_t end = 1u << dimension();
    const std::vector<std::uint32_t> natural = natural_words();
    for (std::uint32_t first = 1; first < end && !done(); ++first) {
      if (natural.size() == 1) {
        if (first != natural[0]) search({first}, false);
        continue;
      }
      const std::uint32_t lead = std::bit_floor(first);
      for (std::uint32_t second = lead << 1; second < end && !done(); ++second)
        if ((second & lead) == 0 && (first != natural[0] || second != natural[1])) search({first, second}, false);
    }
  }

  std::vector<std::uint32_t> matrix_of(const std::vector<std::uint32_t>& chosen, const LaneGroups& groups,
                                       const Quotient& quotient) const {
    std::vector<std::uint32_t> functionals;
    for (const std::uint32_t row : chosen) {
      std::uint32_t functional = 0;
      for (std::size_t i = 0; i < groups.span_leads.size(); ++i)
        if ((row >> i & 1) != 0) functional |= 1u << groups.span_leads[i];
      functionals.push_back(functional);
    }
    std::vector<std::uint32_t> matrix = identity_matrix();
    for (std::size_t i = 0; i < quotient.leads().size(); ++i)
      matrix[unit_shift_ + i] = 1u << (unit_shift_ + quotient.leads()[i]);
    const std::vector<std::uint32_t> rows = completed(functionals, bank_rows(), quotient.dimension());
    for (std::size_t i = 0; i < rows.size(); ++i) matrix[first_bank_bit() + i] = quotient.lift(rows[i]) << unit_shift_;
    return matrix;
  }

  void accept(std::vector<std::uint32_t> matrix) {
    const auto address = [&](std::size_t i) { return transformed(matrix, set_->flat(i)); };
    const std::uint64_t total = set_->total(address);
    if (total == AccessSet::not_modelled || total >= cutoff_) return;
    Layout layout = Layout::linear(tile_, std::move(matrix));
    if (!space_.fits(layout.bytes())) return;
    cutoff_ = result_.total = total;
    result_.layout = std::move(layout);
  }

  SearchSpace& space_;
  const Tile& tile_;
  std::uint64_t cutoff_, bound_, work_left_;
  const AccessSet* set_ = nullptr;
  unsigned unit_shift_ = 0, address_bits_ = 0;
  LinearResult result_;
};

}  // namespace

LinearResult search_linear(SearchSpace& space, std::uint64_t cutoff, std::uint64_t bound, std::uint64_t work) {
  return LinearSearch(space, cutoff, bound, work).run();
}

}  // namespace lanebank::solve
