#include "solve/lane_groups.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace lanebank::solve {
namespace {

/// A subspace by a basis in reduced echelon form.
class Span {
 public:
  std::uint32_t reduced(std::uint32_t vector) const {
    for (const std::uint32_t row : rows_)
      if ((vector >> lead_of(row) & 1) != 0) vector ^= row;
    return vector;
  }
  bool add(std::uint32_t vector) {
    vector = reduced(vector);
    if (vector == 0) return false;
    for (std::uint32_t& row : rows_)
      if ((row >> lead_of(vector) & 1) != 0) row ^= vector;
    rows_.push_back(vector);
    return true;
  }
  const std::vector<std::uint32_t>& rows() const { return rows_; }
  static unsigned lead_of(std::uint32_t vector) { return static_cast<unsigned>(std::bit_width(vector)) - 1; }

 private:
  std::vector<std::uint32_t> rows_;
};

class Builder {
 public:
  Builder(const AccessSet& set, unsigned unit_shift, const Quotient& quotient)
      : set_(set), unit_shift_(unit_shift), quotient_(quotient) {}

  void add(const PreparedAccess& access) {
    using Way = PreparedAccess::Way;
    switch (access.way) {
      case Way::constant:
        result_.constant += access.times * access.constant;
        return;
      case Way::exact:
        result_.constant += access.times;
        result_.has_exact = true;
        return;
      case Way::groups:
        for (std::uint32_t i = 0; i < access.small_groups; ++i)
          result_.factors[group(access, access.first_group + i)] += access.times * access.passes;
        return;
      case Way::paired:
        PairedTerm term{access.times * access.passes, access.large_groups, {}, {}};
        for (std::uint32_t i = 0; i < access.small_groups; ++i)
          term.small.push_back(group(access, access.first_group + i));
        for (std::uint32_t i = 0; i < access.large_groups; ++i)
          term.large.push_back(group(access, access.first_group + access.small_groups + i));
        result_.paired.push_back(std::move(term));
        return;
    }
  }

  void add_line(unsigned bank_rows) {
    std::vector<std::uint32_t> points;
    for (std::uint32_t i = 0; i < 1u << bank_rows; ++i) points.push_back(i);
    result_.sets[set_index(std::move(points))].must_part = true;
  }

  LaneGroups run() {
    Span span;
    for (const auto& [points, at] : known_sets_)
      for (const std::uint32_t point : points) span.add(point);
    for (const std::uint32_t row : span.rows()) result_.span_leads.push_back(Span::lead_of(row));
    std::sort(result_.span_leads.begin(), result_.span_leads.end());
    for (const auto& [points, at] : known_sets_) fill(points, result_.sets[at]);
    return std::move(result_);
  }

 private:
  /// In coordinates of the span.
  std::uint32_t coordinates(std::uint32_t vector) const {
    std::uint32_t result = 0;
    for (std::size_t i = 0; i < result_.span_leads.size(); ++i) result |= (vector >> result_.span_leads[i] & 1) << i;
    return result;
  }

  void fill(const std::vector<std::uint32_t>& points, PointSet& set) const {
    std::vector<std::uint32_t> distinct;
    for (const std::uint32_t point : points) set.vectors.push_back(coordinates(point));
    distinct = set.vectors;
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    Span span;
    for (const std::uint32_t point : distinct) span.add(point);
    const std::size_t each = points.size() / distinct.size();
    set.is_space = std::size_t{1} << span.rows().size() == distinct.size() && each * distinct.size() == points.size();
    for (std::size_t i = 0; i < points.size() && set.is_space; ++i) set.is_space = points[i] == points[i / each * each];
    if (!set.is_space) return;
    set.multiplicity = static_cast<unsigned>(each);
    set.vectors = span.rows();
  }

  std::uint32_t set_index(std::vector<std::uint32_t> points) {
    const std::uint32_t first = points.front();
    for (std::uint32_t& point : points) point ^= first;
    std::sort(points.begin(), points.end());
    const auto [at, is_new] = known_sets_.emplace(std::move(points), static_cast<std::uint32_t>(result_.sets.size()));
    if (is_new) result_.sets.emplace_back();
    return at->second;
  }

  std::uint32_t group(const PreparedAccess& access, std::size_t index) {
    const PointGroup& points = set_.group(index);
    const std::uint32_t inside = (1u << unit_shift_) - 1;
    std::map<std::uint32_t, std::vector<std::uint32_t>> by_residue;
    for (std::uint32_t i = points.first; i < points.first + points.count; ++i) {
      const std::uint32_t flat = set_.flat(i);
      const std::uint32_t residue = unit_shift_ > access.unit_shift ? (flat & inside) >> access.unit_shift : 0;
      by_residue[residue].push_back(quotient_.project(flat >> unit_shift_));
    }
    SetList list;
    for (auto& [residue, vectors] : by_residue) {
      if (access.merges_words) {
        std::sort(vectors.begin(), vectors.end());
        vectors.erase(std::unique(vectors.begin(), vectors.end()), vectors.end());
      }
      list.push_back(set_index(std::move(vectors)));
    }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    const auto [at, is_new] = known_groups_.emplace(list, static_cast<std::uint32_t>(result_.groups.size()));
    if (is_new) {
      result_.groups.push_back(std::move(list));
      result_.factors.push_back(0);
    }
    return at->second;
  }

  const AccessSet& set_;
  unsigned unit_shift_;
  const Quotient& quotient_;
  LaneGroups result_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> known_sets_;
  std::map<SetList, std::uint32_t> known_groups_;
};

}  // namespace

Quotient::Quotient(unsigned dimension, std::vector<std::uint32_t> basis)
    : dimension_(dimension), basis_(std::move(basis)) {
  for (const std::uint32_t vector : basis_) leads_.push_back(Span::lead_of(vector));
}

std::uint32_t Quotient::project(std::uint32_t vector) const {
  for (std::size_t i = 0; i < basis_.size(); ++i)
    if ((vector >> leads_[i] & 1) != 0) vector ^= basis_[i];
  std::uint32_t result = 0;
  unsigned to = 0;
  for (unsigned bit = 0; bit < dimension_; ++bit)
    if (std::find(leads_.begin(), leads_.end(), bit) == leads_.end()) result |= (vector >> bit & 1) << to++;
  return result;
}

std::uint32_t Quotient::lift(std::uint32_t functional) const {
  std::uint32_t result = 0;
  for (unsigned bit = 0; bit < dimension_; ++bit)
    result |= static_cast<std::uint32_t>(std::popcount(functional & project(1u << bit)) & 1) << bit;
  return result;
}

LaneGroups lane_groups(const AccessSet& set, unsigned unit_shift, const Quotient& quotient, bool keep_lines,
                       unsigned bank_rows) {
  Builder builder(set, unit_shift, quotient);
  for (const PreparedAccess& access : set.accesses()) builder.add(access);
  if (keep_lines) builder.add_line(bank_rows);
  return builder.run();
}

}  // namespace lanebank::solve
