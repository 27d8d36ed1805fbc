#include "analysis.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <utility>

#include "advise/bottleneck.hpp"
#include "bottleneck_options.hpp"
#include "engine_options.hpp"
#include "findings/rules.hpp"
#include "offered_values.hpp"
#include "report/baseline.hpp"
#include "session/check_choice.hpp"
#include "show/array.hpp"

namespace lanebank::tools {
namespace {

/// `first`, and every rule but `left_out`.
std::vector<std::string> with_rules(std::vector<std::string> first,
                                    std::optional<findings::Rule> left_out = std::nullopt) {
  for (const findings::RuleInfo& info : findings::all_rules())
    if (info.rule != left_out) first.emplace_back(info.spelled);
  return first;
}

/// "tile=32x32xf32"
Result<advise::GivenShape> read_shape(const std::string& text) {
  const auto scope = show::Scope::make({}, {});
  if (!scope) return tl::unexpected(scope.error());
  return show::parse_array(text, *scope).and_then([&](const show::Array& array) -> Result<advise::GivenShape> {
    if (array.name.empty() || array.sizes.empty())
      return fail("remap.shape", "--shape '" + text + "'", "expected NAME=ROWSxCOLUMNSxTYPE",
                  "For instance tile=32x32xf32.");
    return advise::GivenShape{array.name, array.sizes.back(), array.element_bytes()};
  });
}

std::string absolute_root(const std::string& given) {
  std::error_code ignored;
  const auto root = std::filesystem::absolute(given.empty() ? "." : given, ignored);
  const std::string text = root.lexically_normal().string();
  return text.size() > 1 && text.back() == '/' ? text.substr(0, text.size() - 1) : text;
}

Result<std::optional<Output>> open_if_given(const std::string& path) {
  if (path.empty()) return std::optional<Output>();
  return Output::open(path).map([](Output&& output) { return std::optional(std::move(output)); });
}

}  // namespace

void add_analysis_options(CLI::App& command, session::EngineOptions& engine, AnalysisOptions& options) {
  const char* output = "What comes out";
  add_report_options(command, options.paths, output);
  command.add_flag("--all-findings", options.all_findings, "with every finding in the JSON, however many")
      ->group(output);
  command
      .add_option("--source-root", options.source_root,
                  "name source files relative to DIR, not to the working directory, and look for them there")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory)
      ->group(output);
  command.add_flag("--timing", options.timing, "with seconds, in JSON and JUnit")->group(output);
  command
      .add_flag("--all-instructions", engine.all_instructions,
                "with every instruction in the JSON, not only shared memory's")
      ->group(output);
  add_bottleneck_options(command, engine, options.gpu, output);
  command
      .add_option(
          "--checks", engine.checks,
          "which checks of memory accesses run: all, none, or rules with commas between (race, out-of-bounds, "
          "uninitialised, barrier-divergence, invalid-sync-mask); uninitialised=influence: only reads that change "
          "what a kernel does, found by a second run of its launch; unused: bytes that nobody accesses")
      ->type_name("LIST")
      ->check(
          offers_list(with_rules({"all", "none", "uninitialised=influence", "unused"}, findings::Rule::bank_conflict)))
      ->capture_default_str();
  const char* what_if = "What if (docs/remap.md)";
  command
      .add_option("--remap", options.remaps,
                  "count too as if a shared array lay otherwise: ARRAY=LAYOUT or KERNEL:ARRAY=LAYOUT; LAYOUT is "
                  "swizzle<Bits,Base,Shift> on bytes, pad+N or pad+N@ROW in elements; repeatable")
      ->type_name("REMAP")
      ->allow_extra_args(false)
      ->group(what_if);
  command.add_option("--shape", options.shapes, "rows and elements of an array, as tile=32x32xf32; repeatable")
      ->type_name("SHAPE")
      ->allow_extra_args(false)
      ->group(what_if);
  const char* verdict = "When it fails";
  command.add_option("--max-excess", options.max_excess, "let N excess wavefronts through")
      ->type_name("N")
      ->check(not_negative)
      ->group(verdict);
  command.add_option("--fail-on", options.fail_on, "never, or only these rules: bank-conflict,out-of-bounds,...")
      ->type_name("RULES")
      ->check(offers_list(with_rules({"never"})))
      ->group(verdict);
  command.add_option("--suppressions", options.suppressions, "findings that this file names do not count")
      ->type_name("FILE")
      ->group(verdict);
  command
      .add_option("--write-suppressions", options.write_suppressions,
                  "a file for --suppressions that names all findings")
      ->type_name("FILE")
      ->group(verdict);
  command
      .add_option("--baseline", options.baseline,
                  "findings that this file (of --write-baseline or --json) has do not count, unless they became worse")
      ->type_name("FILE")
      ->group(verdict);
  command.add_option("--write-baseline", options.write_baseline, "a file for --baseline with all findings")
      ->type_name("FILE")
      ->group(verdict);
}

Result<Analysis> Analysis::prepare(const AnalysisOptions& options, session::EngineOptions& engine) {
  Analysis analysis;
  analysis.options_ = options;
  analysis.all_instructions_ = engine.all_instructions;
  analysis.source_root_ = absolute_root(options.source_root);
  analysis.sources_ = std::make_shared<report::Sources>(reader_below(analysis.source_root_));
  engine.access_log = !options.remaps.empty();
  auto gate = session::read_gate(options.fail_on, options.max_excess);
  if (!gate) return tl::unexpected(gate.error());
  analysis.gate_ = std::move(*gate);
  analysis.gate_.no_launch = options.allow_no_launch;
  if (auto checks = session::read_checks(engine.checks); !checks) return tl::unexpected(checks.error());
  return analysis.read_what_if()
      .and_then([&] { return analysis.read_known(); })
      .and_then([&] { return analysis.open_outputs(); })
      .map([&] { return std::move(analysis); });
}

Result<void> Analysis::read_what_if() {
  for (const std::string& text : options_.remaps) {
    auto remap = advise::read_remap(text);
    if (!remap) return tl::unexpected(remap.error());
    remaps_.push_back(std::move(*remap));
  }
  for (const std::string& text : options_.shapes) {
    auto shape = read_shape(text);
    if (!shape) return tl::unexpected(shape.error());
    shapes_.push_back(std::move(*shape));
  }
  return {};
}

Result<void> Analysis::read_known() {
  if (!options_.suppressions.empty()) {
    auto suppressions = content_of(options_.suppressions).and_then([&](const std::string& text) {
      return findings::read_suppressions(text, options_.suppressions);
    });
    if (!suppressions) return tl::unexpected(suppressions.error());
    suppressions_ = std::move(*suppressions);
  }
  if (!options_.baseline.empty()) {
    auto baseline = content_of(options_.baseline).and_then([&](const std::string& text) {
      return report::read_baseline(text, options_.baseline, sources_);
    });
    if (!baseline) return tl::unexpected(baseline.error());
    baseline_ = std::move(*baseline);
  }
  return {};
}

Result<void> Analysis::open_outputs() {
  auto reports = ReportFiles::open(options_.paths);
  if (!reports) return tl::unexpected(reports.error());
  reports_ = std::move(*reports);
  for (const auto& [path, output] : {std::pair(&options_.write_suppressions, &suppressions_output_),
                                     std::pair(&options_.write_baseline, &baseline_output_)}) {
    auto opened = open_if_given(*path);
    if (!opened) return tl::unexpected(opened.error());
    *output = std::move(*opened);
  }
  return {};
}

int Analysis::finish(findings::ProgramReport report, const std::string& command) {
  report.findings = findings::findings_of(report.launches);
  if (!remaps_.empty()) advise::apply_remaps(report, remaps_, shapes_);
  findings::accept_known(report, suppressions_, {});
  const std::string baseline = baseline_output_ ? report::write_baseline(report.findings, *sources_) : "";
  findings::accept_known(report, {}, baseline_);
  advise::add_bottlenecks(report, options_.gpu);

  const int exit_code = session::exit_code(report, gate_);
  const ReportContext context{exit_code,         source_root_,          options_.timing,
                              all_instructions_, options_.all_findings, session::failing(report, gate_)};
  Result<void> written;
  if (suppressions_output_) written = suppressions_output_->write(findings::write_suppressions(report.findings));
  if (written && baseline_output_) written = baseline_output_->write(baseline);
  if (written) written = reports_->write(report, context);
  if (written) return exit_code;
  std::cerr << "lanebank " << command << ": " << to_string(written.error()) << "\n";
  return report.exit_code != 0 ? report.exit_code : session::exit_failure;
}

}  // namespace lanebank::tools
