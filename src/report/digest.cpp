#include "report/digest.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "report/wording.hpp"

namespace lanebank::report {

using findings::InstructionReport;
using findings::LaunchReport;

namespace {

/// Rows without a line stand alone.
auto place_of(const InstructionReport& row, const std::string& mnemonic) {
  const bool has_line = row.line != 0;
  std::string calls;  // two calls of one inlined function are two places
  for (const findings::SourcePlace& call : row.inlined_at) calls += call.file + ":" + std::to_string(call.line) + "\n";
  return std::tuple(row.function, has_line ? row.file : std::string(), row.line, has_line ? 0 : row.address,
                    std::move(calls), row.array, mnemonic, row.modelled);
}

/// What makes two reports of a check the same to a reader: they speak of the same lines.
auto cause_of(const findings::CheckReport& check) {
  const findings::AccessPlace none, &earlier = check.earlier ? *check.earlier : none;
  const bool has_lines = check.access.line != 0;
  return std::tuple(check.rule, check.hazard, check.access.file, check.access.line, earlier.file, earlier.line,
                    has_lines ? 0 : check.access.address, has_lines ? 0 : earlier.address);
}

class Builder {
 public:
  void add(const LaunchReport& launch) {
    if (!digest_.launch) digest_.launch = &launch;
    digest_.launches++;
    digest_.all_excess += launch.shared.excess;
    if (launch.fault) digest_.faults.push_back(&*launch.fault);
    for (const findings::CheckReport& check : launch.checks)
      if (causes_.insert(cause_of(check)).second) digest_.checks.push_back(&check);
    if (!findings::same_figures(*digest_.launch, launch)) digest_.summed = true;
    launches_.push_back(&launch);
  }

  KernelDigest finish() {
    if (!digest_.summed) launches_.resize(1);
    for (const LaunchReport* launch : launches_) {
      digest_.shared.executed += launch->shared.executed;
      digest_.shared.wavefronts += launch->shared.wavefronts;
      digest_.shared.ideal += launch->shared.ideal;
      digest_.shared.excess += launch->shared.excess;
      std::map<std::uint32_t, const findings::RemappedRow*> remapped;
      for (const findings::RemappedRow& row : launch->remapped_rows) remapped[row.row] = &row;
      for (std::size_t i = 0; i < launch->instructions->size(); i++) {
        const auto found = remapped.find(static_cast<std::uint32_t>(i));
        const InstructionReport& row = (*launch->instructions)[i];
        if (row.kind != findings::Kind::other)
          add_row(row, launch == launches_.front(), found == remapped.end() ? nullptr : found->second);
      }
      for (const findings::RemapReport& remap : launch->remaps) add_remap(remap);
    }
    std::stable_sort(digest_.lines.begin(), digest_.lines.end(),
                     [](const LineDigest& a, const LineDigest& b) { return a.excess > b.excess; });
    return std::move(digest_);
  }

 private:
  void add_remap(const findings::RemapReport& remap) {
    const auto known = std::find_if(digest_.remaps.begin(), digest_.remaps.end(), [&](const RemapDigest& other) {
      return other.sum.array == remap.array && other.sum.layout == remap.layout;
    });
    if (known == digest_.remaps.end()) {
      digest_.remaps.push_back({remap, remap.refused.empty() ? 0u : 1u});
      return;
    }
    RemapDigest& digest = *known;
    if (!remap.refused.empty()) {
      if (digest.refusals++ == 0) digest.sum.refused = remap.refused, digest.sum.remedy = remap.remedy;
      return;
    }
    digest.sum.wavefronts_before += remap.wavefronts_before;
    digest.sum.ideal_before += remap.ideal_before;
    digest.sum.wavefronts += remap.wavefronts;
    digest.sum.ideal += remap.ideal;
  }

  void add_row(const InstructionReport& row, bool count, const findings::RemappedRow* remapped) {
    std::string mnemonic = mnemonic_of(row.sass);
    auto [place, is_new] = lines_.try_emplace(place_of(row, mnemonic), digest_.lines.size());
    if (is_new) digest_.lines.push_back({&row, std::move(mnemonic)});
    LineDigest& line = digest_.lines[place->second];
    if (row.suggestion != line.row->suggestion) line.same_cure = false;
    if (row.excess() > line.row->excess()) line.row = &row;
    if (count || is_new) line.instructions++;
    line.executed += row.executed;
    line.timing_dependent = line.timing_dependent || row.timing_dependent;
    line.modelled = row.modelled;
    if (!row.modelled) return;
    line.wavefronts += row.wavefronts;
    line.ideal += row.ideal;
    line.excess += row.excess();
    line.worst_degree = std::max(line.worst_degree, row.worst_degree);
    line.remapped = line.remapped || remapped != nullptr;
    line.remapped_wavefronts += remapped != nullptr ? remapped->wavefronts : row.wavefronts;
    line.remapped_ideal += remapped != nullptr ? remapped->ideal : row.ideal;
  }

  KernelDigest digest_;
  std::vector<const LaunchReport*> launches_;
  std::set<decltype(cause_of(std::declval<findings::CheckReport>()))> causes_;
  std::map<decltype(place_of(std::declval<InstructionReport>(), "")), std::size_t> lines_;
};

}  // namespace

std::vector<KernelDigest> digest(const findings::ProgramReport& report) {
  std::vector<Builder> builders;
  using Shape = std::tuple<std::string, std::string, std::array<std::uint32_t, 3>, std::array<std::uint32_t, 3>,
                           std::uint32_t, std::uint32_t>;
  std::map<Shape, std::size_t> index;
  for (const LaunchReport& launch : report.launches) {
    auto [place, is_new] = index.try_emplace(Shape{launch.symbol, launch.arch, launch.grid, launch.block,
                                                   launch.static_shared_bytes, launch.dynamic_shared_bytes},
                                             builders.size());
    if (is_new) builders.emplace_back();
    builders[place->second].add(launch);
  }
  std::vector<KernelDigest> kernels;
  kernels.reserve(builders.size());
  for (Builder& builder : builders) kernels.push_back(builder.finish());
  std::stable_sort(kernels.begin(), kernels.end(), [](const KernelDigest& a, const KernelDigest& b) {
    if (a.all_excess != b.all_excess) return a.all_excess > b.all_excess;
    return std::pair(a.faults.size(), a.checks.size()) > std::pair(b.faults.size(), b.checks.size());
  });
  return kernels;
}

}  // namespace lanebank::report
