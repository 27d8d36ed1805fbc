#include "report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/words.hpp"
#include "report/digest.hpp"
#include "report/kernel_names.hpp"
#include "report/paint.hpp"
#include "report/ranking.hpp"
#include "report/text_bottleneck.hpp"
#include "report/text_kernel.hpp"
#include "report/wording.hpp"

namespace lanebank::report {

using findings::LaunchReport;

namespace {

class Writer {
 public:
  Writer(const findings::ProgramReport& report, const TextOptions& options)
      : report_(report),
        options_(options),
        paint_(options.color),
        width_(std::max(options.width, 60u)),
        names_(report.launches) {}

  std::string write() {
    const std::vector<KernelDigest> kernels = digest(report_);
    header();
    std::vector<const KernelDigest*> clean, without_shared;
    for (const KernelDigest& kernel : kernels) {
      const bool all_modelled =
          std::all_of(kernel.lines.begin(), kernel.lines.end(), [](auto& line) { return line.modelled; });
      if (kernel.all_excess > 0 || !kernel.faults.empty() || !kernel.checks.empty() || !kernel.remaps.empty() ||
          !all_modelled)
        full_or_counted(kernel);
      else if (kernel.shared.executed > 0)
        clean.push_back(&kernel);
      else
        without_shared.push_back(&kernel);
    }
    further_shapes();
    clean_kernels(clean);
    quiet_kernels(without_shared);
    text_ += bottleneck_text(kernels, paint_, width_);
    notes(kernels);
    problems();
    verdict();
    return std::move(text_);
  }

 private:
  void line(const std::string& text = {}) { text_ += text + "\n"; }

  void header() {
    std::string command;
    for (const std::string& word : report_.command) {
      if (!command.empty()) command += ' ';
      command += printable(word);
    }
    std::set<std::string> archs;
    for (const LaunchReport& launch : report_.launches) archs.insert(launch.arch);
    std::string facts;
    for (const std::string& arch : archs) facts += "   " + arch;
    facts += fmt::format("   {}   {:.{}f} s", counted(report_.launches.size(), "launch", "launches"), report_.seconds,
                         report_.seconds < 1 ? 2 : 1);
    const std::size_t room = width_ > facts.size() + 10 ? width_ - facts.size() - 10 : 10;
    line(paint_.bold("lanebank") + "  " + shortened(command, room) + paint_.dim(facts));
    line();
  }

  /// The first shapes of a kernel in full, the others counted: a program may launch it with thousands.
  void full_or_counted(const KernelDigest& kernel) {
    constexpr std::uint64_t most = 3;
    Shapes& shapes = shapes_[kernel.launch->symbol];
    if (shapes.shown < most || !kernel.faults.empty() || !kernel.checks.empty() || !kernel.remaps.empty()) {
      shapes.shown++;
      text_ += kernel_text(kernel, paint_, {width_, options_.rows, &names_});
      return;
    }
    shapes.kernel = kernel.launch->kernel;
    shapes.left++;
    shapes.launches += kernel.launches;
    shapes.excess += kernel.all_excess;
  }

  void further_shapes() {
    bool any = false;
    for (const auto& [symbol, shapes] : shapes_) {
      if (shapes.left == 0) continue;
      note(counted(shapes.left, "further launch shape", "further launch shapes") + " of " + short_name(shapes.kernel) +
           ": " + counted(shapes.launches, "launch", "launches") + ", " + grouped(shapes.excess) +
           " excess; --json has them all");
      any = true;
    }
    if (any) line();
  }

  /// One line for each kernel, whatever its launch shapes.
  void clean_kernels(const std::vector<const KernelDigest*>& digests) {
    struct Clean {
      std::string kernel;
      std::uint64_t launches = 0, wavefronts = 0;
      bool summed = false;
    };
    std::vector<Clean> kernels;
    std::map<std::string, std::size_t> index;
    for (const KernelDigest* digest : digests) {
      auto [at, is_new] = index.try_emplace(digest->launch->symbol, kernels.size());
      if (is_new) kernels.push_back({digest->launch->kernel});
      Clean& kernel = kernels[at->second];
      kernel.launches += digest->launches;
      kernel.wavefronts += digest->shared.wavefronts;
      kernel.summed = kernel.summed || !is_new || digest->summed;
    }
    constexpr std::size_t most = 20;
    for (std::size_t i = 0; i < std::min(kernels.size(), most); i++) {
      const Clean& kernel = kernels[i];
      const std::string tail = (kernel.launches > 1 ? "   x " + grouped(kernel.launches) : "") + "   clean";
      const std::string figures = kernel.summed ? "" : ": " + grouped(kernel.wavefronts) + " wavefronts, ideal";
      const std::size_t taken = 2 + columns(tail) + figures.size();
      line("  " + names_.fitted(kernel.kernel, width_ > taken + 20 ? width_ - taken : 20) + paint_.green(tail) +
           figures);
    }
    if (kernels.size() > most) line(paint_.dim("  and " + grouped(kernels.size() - most) + " more clean kernels"));
    if (!kernels.empty()) line();
  }

  void quiet_kernels(const std::vector<const KernelDigest*>& kernels) {
    if (kernels.empty()) return;
    std::vector<std::string> names;
    for (const KernelDigest* kernel : kernels) {
      const std::string name = short_name(kernel->launch->kernel);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    constexpr std::size_t most = 12;
    std::string text = "no shared memory: ";
    for (std::size_t i = 0; i < std::min(names.size(), most); i++) text += (i == 0 ? "" : ", ") + names[i];
    if (names.size() > most) text += " and " + grouped(names.size() - most) + " more";
    text_ += paint_.dim(wrapped(text, 2, width_));
    line();
  }

  void note(const std::string& text) { text_ += paint_.dim(wrapped(text, 2, width_)); }

  void legend() {
    note("Figures as on Nsight Compute's source page:");
    Table table({Table::Align::left, Table::Align::left});
    table.row({"executed", "inst_executed"});
    table.row({"wavefronts", "memory_l1_wavefronts_shared"});
    table.row({"ideal", "memory_l1_wavefronts_shared_ideal"});
    table.row({"excess", "derived__memory_l1_wavefronts_shared_excessive"});
    table.row({"worst", "wavefronts that one group of lanes needs for its fullest bank"});
    table.row({"conflict rate", "excess / wavefronts"});
    for (const std::string& row : table.lines()) line("    " + paint_.dim(row));
  }

  void notes(const std::vector<KernelDigest>& kernels) {
    const std::size_t before = text_.size();
    if (std::any_of(kernels.begin(), kernels.end(), [](auto& kernel) { return kernel.shared.executed > 0; })) legend();
    std::vector<std::string> bare;
    std::map<std::string, std::string> unmeasured;
    for (const KernelDigest& kernel : kernels) {
      const LaunchReport& launch = *kernel.launch;
      if (!launch.measured) unmeasured[launch.arch] = launch.rules_source;
      const std::string name = short_name(launch.kernel);
      if (!launch.has_lines && kernel.shared.executed > 0 && std::find(bare.begin(), bare.end(), name) == bare.end())
        bare.push_back(name);
    }
    if (!bare.empty()) {
      std::string names;
      for (std::size_t i = 0; i < std::min<std::size_t>(bare.size(), 6); i++) names += (i == 0 ? "" : ", ") + bare[i];
      if (bare.size() > 6) names += " and others";
      note("No source lines in " + names + ": build with nvcc -lineinfo to see them (the code stays the same).");
    }
    for (const auto& [arch, source] : unmeasured) note("Access rules of " + arch + ": " + printable(source) + ".");
    if (report_.filtered_launches > 0)
      note(counted(report_.filtered_launches, "launch", "launches") + " ran uncounted: left out by the filters.");
    for (const Diagnostic& diagnostic : report_.notes) note(printable(diagnostic.what));
    if (text_.size() > before) line();
  }

  void problems() {
    for (const Diagnostic& problem : report_.problems) {
      text_ += paint_.red(wrapped(
          "cannot analyse: " + (problem.where.empty() ? "" : printable(problem.where) + ": ") + printable(problem.what),
          2, width_));
      if (!problem.remedy.empty()) text_ += wrapped(printable(problem.remedy), 4, width_);
    }
    if (!report_.problems.empty()) line();
  }

  void verdict() {
    std::string text = excess_text(report_);
    const std::size_t errors = static_cast<std::size_t>(
        std::count_if(report_.findings.begin(), report_.findings.end(),
                      [](const findings::Finding& finding) { return finding.severity == Severity::error; }));
    if (errors > 0) text += ", " + counted(errors, "error", "errors");
    const std::size_t warnings = static_cast<std::size_t>(
        std::count_if(report_.findings.begin(), report_.findings.end(), [](const findings::Finding& finding) {
          return finding.severity == Severity::warning && finding.rule != findings::Rule::bank_conflict;
        }));
    if (warnings > 0) text += ", " + counted(warnings, "warning", "warnings");
    const std::uint64_t accepted = report_.accepted.suppressed + report_.accepted.in_baseline;
    if (accepted > 0) text += ", " + counted(accepted, "finding", "findings") + " accepted";
    if (report_.exit_code != 0) {
      const int code = report_.exit_code;
      text += code > 128 ? "; the program ended by signal " + std::to_string(code - 128) : "; the program failed";
    }
    text += " (exit " + std::to_string(options_.exit_code) + ")";
    line("  " + (options_.exit_code == 0 ? paint_.green(text) : paint_.bold(text)));
  }

  struct Shapes {
    std::string kernel;
    std::uint64_t shown = 0, left = 0, launches = 0, excess = 0;
  };

  const findings::ProgramReport& report_;
  const TextOptions& options_;
  std::map<std::string, Shapes> shapes_;  ///< by symbol
  Paint paint_;
  std::size_t width_;
  KernelNames names_;
  std::string text_;
};

}  // namespace

std::string write_text(const findings::ProgramReport& report, const TextOptions& options) {
  return Writer(report, options).write();
}

}  // namespace lanebank::report
