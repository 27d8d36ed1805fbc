#include "findings/report.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/check.hpp"
#include "base/words.hpp"

namespace lanebank::findings {
namespace {

std::uint64_t add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  LANEBANK_CHECK(!__builtin_add_overflow(a, b, &sum), std::to_string(a) + " + " + std::to_string(b));
  return sum;
}

Finding finding_of(const LaunchReport& launch, const InstructionReport& row) {
  Finding finding;
  finding.rule = Rule::bank_conflict;
  finding.severity = info(finding.rule).severity;
  finding.message = grouped(row.wavefronts) + " wavefronts where " + grouped(row.ideal) + " would do";
  if (!row.array.empty()) finding.message = row.array + ": " + finding.message;
  if (!row.why.empty()) finding.message += ": " + row.why;
  finding.file = row.file;
  finding.line = row.line;
  finding.inlined_at = row.inlined_at;
  finding.launch = launch.id;
  finding.address = row.address;
  finding.function = row.function;
  finding.kernel = launch.kernel;
  finding.evidence = {row.array, row.kind, row.bits, row.executed, row.wavefronts, row.ideal, row.worst_degree, 1,
                      row.worst, {},       {}};
  finding.suggestion = row.suggestion;
  return finding;
}

Finding finding_of(const LaunchReport& launch, const FaultReport& fault, Rule rule) {
  Finding finding;
  finding.rule = rule;
  finding.severity = info(rule).severity;
  finding.message = fault.message;
  finding.file = fault.file;
  finding.line = fault.line;
  finding.launch = launch.id;
  finding.address = fault.address;
  finding.function = fault.function;
  finding.kernel = launch.kernel;
  finding.evidence.fault = fault;
  return finding;
}

}  // namespace

Finding finding_of(const LaunchReport& launch, const CheckReport& check) {
  Finding finding;
  finding.rule = check.rule;
  finding.severity = check.severity;
  finding.message = check.message;
  finding.file = check.access.file;
  finding.line = check.access.line;
  finding.launch = launch.id;
  finding.address = check.access.address;
  finding.function = check.access.function;
  finding.kernel = launch.kernel;
  finding.evidence.array = check.array;
  finding.evidence.check = check;
  finding.suggestion = check.suggestion;
  return finding;
}

std::optional<Rule> rule_of_fault(const std::string& kind) {
  if (kind == "illegal_address" || kind == "shared_out_of_bounds" || kind == "local_out_of_bounds" ||
      kind == "illegal_instruction")  // a box of a tensor at a place that a device refuses
    return Rule::out_of_bounds;
  if (kind == "misaligned_address") return Rule::misaligned;
  if (kind == "deadlock") return Rule::barrier_divergence;
  return std::nullopt;
}

SharedTotals totals(const Instructions& instructions) {
  SharedTotals sum;
  for (const InstructionReport& row : instructions) {
    if (row.kind == Kind::other) continue;
    sum.executed = add(sum.executed, row.executed);
    if (!row.modelled) continue;
    sum.wavefronts = add(sum.wavefronts, row.wavefronts);
    sum.ideal = add(sum.ideal, row.ideal);
    sum.excess = add(sum.excess, row.excess());
  }
  return sum;
}

void check_totals(const LaunchReport& launch) {
  const SharedTotals sum = totals(*launch.instructions);
  LANEBANK_CHECK(sum == launch.shared,
                 "launch " + std::to_string(launch.id) + " of " + launch.kernel + ": executed " +
                     std::to_string(launch.shared.executed) + " against " + std::to_string(sum.executed) +
                     ", wavefronts " + std::to_string(launch.shared.wavefronts) + " against " +
                     std::to_string(sum.wavefronts) + ", ideal " + std::to_string(launch.shared.ideal) + " against " +
                     std::to_string(sum.ideal));
}

std::uint64_t ProgramReport::excess() const {
  std::uint64_t sum = 0;
  for (const LaunchReport& launch : launches) sum = add(sum, launch.shared.excess);
  return sum;
}

bool same_figures(const LaunchReport& a, const LaunchReport& b) {
  return a.symbol == b.symbol && a.kernel == b.kernel && a.arch == b.arch && a.grid == b.grid && a.block == b.block &&
         a.static_shared_bytes == b.static_shared_bytes && a.dynamic_shared_bytes == b.dynamic_shared_bytes &&
         a.sampled_blocks == b.sampled_blocks && a.warp_instructions == b.warp_instructions &&
         a.has_lines == b.has_lines && a.measured == b.measured && a.fault == b.fault && a.checks == b.checks &&
         a.remaps == b.remaps && a.remapped_rows == b.remapped_rows &&
         (a.instructions == b.instructions || *a.instructions == *b.instructions);
}

std::vector<Finding> findings_of(const std::vector<LaunchReport>& launches) {
  std::vector<Finding> findings;
  std::map<std::string, std::vector<const LaunchReport*>> distinct;  // by symbol
  std::map<const LaunchReport*, std::vector<std::size_t>> findings_from;
  for (const LaunchReport& launch : launches) {
    std::vector<const LaunchReport*>& known = distinct[launch.symbol];
    auto alike = std::find_if(known.begin(), known.end(),
                              [&](const LaunchReport* other) { return same_figures(*other, launch); });
    if (alike != known.end()) {
      for (std::size_t index : findings_from[*alike]) findings[index].evidence.launches++;
      continue;
    }
    known.push_back(&launch);
    for (const InstructionReport& row : *launch.instructions) {
      if (row.excess() == 0) continue;
      findings_from[&launch].push_back(findings.size());
      findings.push_back(finding_of(launch, row));
    }
    for (const CheckReport& check : launch.checks) {
      findings_from[&launch].push_back(findings.size());
      findings.push_back(finding_of(launch, check));
    }
    if (!launch.fault) continue;
    if (auto rule = rule_of_fault(launch.fault->kind)) {
      findings_from[&launch].push_back(findings.size());
      findings.push_back(finding_of(launch, *launch.fault, *rule));
    }
  }
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return std::tie(a.launch, a.function, a.address, a.rule) < std::tie(b.launch, b.function, b.address, b.rule);
  });
  return findings;
}

std::string relative_to(const std::string& file, const std::string& directory) {
  if (directory.empty() || directory == "/") return file;
  std::string prefix = directory;
  if (prefix.back() != '/') prefix += '/';
  return file.size() > prefix.size() && file.compare(0, prefix.size(), prefix) == 0 ? file.substr(prefix.size()) : file;
}

void make_files_relative(std::vector<LaunchReport>& launches, const std::string& directory) {
  struct Pair {
    std::shared_ptr<const Instructions> original, shortened;  // the original is kept: its address is the key
  };
  std::map<const Instructions*, Pair> done;
  for (LaunchReport& launch : launches) {
    if (launch.fault) launch.fault->file = relative_to(launch.fault->file, directory);
    for (CheckReport& check : launch.checks) {
      check.access.file = relative_to(check.access.file, directory);
      if (check.earlier) check.earlier->file = relative_to(check.earlier->file, directory);
    }
    Pair& pair = done[launch.instructions.get()];
    if (!pair.shortened) {
      auto rows = std::make_shared<Instructions>(*launch.instructions);
      for (InstructionReport& row : *rows) {
        row.file = relative_to(row.file, directory);
        for (SourcePlace& place : row.inlined_at) place.file = relative_to(place.file, directory);
      }
      pair = {launch.instructions, rows};
    }
    launch.instructions = pair.shortened;
  }
}

}  // namespace lanebank::findings
