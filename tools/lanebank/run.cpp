// `lanebank run`: a CUDA program without a GPU, and what its shared-memory instructions cost.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>

#include "advise/bottleneck.hpp"
#include "advise/remap.hpp"
#include "base/words.hpp"
#include "bottleneck_options.hpp"
#include "commands.hpp"
#include "engine_options.hpp"
#include "findings/accepted.hpp"
#include "findings/rules.hpp"
#include "observed_run.hpp"
#include "offered_values.hpp"
#include "output.hpp"
#include "report/json.hpp"
#include "report_files.hpp"
#include "session/check_choice.hpp"
#include "session/engine.hpp"
#include "session/filter.hpp"
#include "session/gate.hpp"
#include "show/array.hpp"
#include "terminal.hpp"

namespace lanebank::tools {
namespace {

constexpr const char* examples =
    "The program runs as it is: its own output, input and exit code stay. Nothing needs a GPU or a driver.\n"
    "\n"
    "Examples:\n"
    "  lanebank run -- ./transposes 1024 1\n"
    "  lanebank run -k reduce -s 10 -c 5 -- ./app        launches 10 to 14 of the kernel `reduce`\n"
    "  lanebank run -k 'regex:gemm|conv' -- ./app        kernels whose name holds gemm or conv\n"
    "  lanebank run --max-excess 1000 -- ./app           in CI: let up to 1000 excess wavefronts through\n"
    "  lanebank run --json report.json --report report.txt -- make test\n"
    "  lanebank run --remap 'tile=pad+1' -- ./app        what rows one element longer would cost\n"
    "  lanebank run --html report.html -- ./app          source, wavefronts by line and pictures, for a browser\n"
    "  lanebank run --github --sarif lanebank.sarif --junit lanebank.xml -- ./app\n"
    "\n"
    "Exit code: the program's own where it is not 0 (128 + n after signal n); else\n"
    "  0    no findings\n"
    "  120  findings: an error, or more excess wavefronts than --max-excess\n"
    "  121  nothing was analysed: no kernel was launched, or the filters left all out\n"
    "  122  cannot analyse; the message says what to do\n"
    "  125  lanebank failed or was used wrongly";

struct RunHelp : CLI::Formatter {
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: lanebank run [OPTIONS] -- PROGRAM [ARGUMENTS...]\n";
  }
};

struct Arguments {
  std::vector<std::string> program;
  session::EngineOptions engine;
  std::string fail_on, suppressions, write_suppressions, baseline, source_root;
  std::vector<std::string> remaps, shapes;
  ReportPaths paths;
  std::uint64_t max_excess = 0;
  bool timing = false, all_findings = false;
  const advise::Gpu* gpu = nullptr;  ///< of the estimate; none: the standard one of each launch's architecture
};

/// The argument of --blocks: 0 for all, else K.
std::uint64_t sample_of(const std::string& text) {
  constexpr std::string_view prefix = "sample:";
  std::uint64_t blocks = 0;
  if (text == "all") return 0;
  if (text.starts_with(prefix)) {
    const char *first = text.data() + prefix.size(), *last = text.data() + text.size();
    const auto [end, error] = std::from_chars(first, last, blocks);
    if (error == std::errc{} && end == last && blocks != 0) return blocks;
  }
  throw CLI::ValidationError("--blocks", "'" + text + "' is neither all nor sample:K with K above 0");
}

int tell(const Diagnostic& diagnostic) {
  std::cerr << "lanebank run: " << to_string(diagnostic) << "\n";
  return session::exit_failure;
}

/// The findings that do not count any more.
struct Known {
  std::vector<findings::Suppression> suppressions;
  std::vector<findings::Finding> baseline;
};

Result<Known> read_known(const Arguments& arguments) {
  Known known;
  if (!arguments.suppressions.empty()) {
    auto suppressions = content_of(arguments.suppressions).and_then([&](const std::string& text) {
      return findings::read_suppressions(text, arguments.suppressions);
    });
    if (!suppressions) return tl::unexpected(suppressions.error());
    known.suppressions = std::move(*suppressions);
  }
  if (!arguments.baseline.empty()) {
    auto report =
        content_of(arguments.baseline).and_then([](const std::string& text) { return report::read_json(text); });
    if (!report) return tl::unexpected(report.error());
    if (report->left_out_findings > 0)
      return fail("baseline.cut", arguments.baseline,
                  "leaves " + counted(report->left_out_findings, "finding", "findings") + " out",
                  "Write it with --json and --all-findings.");
    known.baseline = std::move(report->findings);
  }
  return known;
}

/// Other layouts to recount under, and what is said of their arrays.
struct WhatIf {
  std::vector<advise::RemapRequest> remaps;
  std::vector<advise::GivenShape> shapes;
};

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

Result<WhatIf> read_what_if(const Arguments& arguments) {
  WhatIf what_if;
  for (const std::string& text : arguments.remaps) {
    auto remap = advise::read_remap(text);
    if (!remap) return tl::unexpected(remap.error());
    what_if.remaps.push_back(std::move(*remap));
  }
  for (const std::string& text : arguments.shapes) {
    auto shape = read_shape(text);
    if (!shape) return tl::unexpected(shape.error());
    what_if.shapes.push_back(std::move(*shape));
  }
  return what_if;
}

/// Everything that can be wrong before the program runs, and what running needs.
struct Prepared {
  session::Gate gate;
  WhatIf what_if;
  Observation observation;
  Known known;
  ReportFiles reports;
  std::optional<Output> suppressions;
};

Result<Prepared> prepare(const Arguments& arguments) {
  auto gate = session::read_gate(arguments.fail_on, arguments.max_excess);
  if (!gate) return tl::unexpected(gate.error());
  const session::EngineOptions& engine = arguments.engine;
  auto filter =
      session::LaunchFilter::make(engine.kernel_name, engine.kernel_name_base, engine.launch_skip, engine.launch_count);
  if (!filter) return tl::unexpected(filter.error());
  if (auto checks = session::read_checks(engine.checks); !checks) return tl::unexpected(checks.error());
  auto what_if = read_what_if(arguments);
  if (!what_if) return tl::unexpected(what_if.error());
  auto observation = Observation::of(arguments.program.front());
  if (!observation) return tl::unexpected(observation.error());
  auto known = read_known(arguments);
  if (!known) return tl::unexpected(known.error());
  auto reports = ReportFiles::open(arguments.paths);
  if (!reports) return tl::unexpected(reports.error());
  std::optional<Output> suppressions;
  if (!arguments.write_suppressions.empty()) {
    auto opened = Output::open(arguments.write_suppressions);
    if (!opened) return tl::unexpected(opened.error());
    suppressions = std::move(*opened);
  }
  return Prepared{std::move(*gate),  std::move(*what_if), std::move(*observation),
                  std::move(*known), std::move(*reports), std::move(suppressions)};
}

/// The folder that reports name files from.
std::string source_root(const Arguments& arguments) {
  std::error_code ignored;
  const auto root = std::filesystem::absolute(arguments.source_root.empty() ? "." : arguments.source_root, ignored);
  const std::string text = root.lexically_normal().string();
  return text.size() > 1 && text.back() == '/' ? text.substr(0, text.size() - 1) : text;
}

Result<findings::ProgramReport> gather(const Arguments& arguments, const Prepared& prepared) {
  auto report = observe(prepared.observation, arguments.program, arguments.engine, source_root(arguments));
  if (!report) return report;
  report->findings = findings::findings_of(report->launches);
  if (!prepared.what_if.remaps.empty()) advise::apply_remaps(*report, prepared.what_if.remaps, prepared.what_if.shapes);
  findings::accept_known(*report, prepared.known.suppressions, prepared.known.baseline);
  advise::add_bottlenecks(*report, arguments.gpu);
  return report;
}

int run(Arguments arguments) {
  auto prepared = prepare(arguments);
  if (!prepared) return tell(prepared.error());
  arguments.engine.access_log = !arguments.remaps.empty();
  auto report = gather(arguments, *prepared);
  if (!report) return tell(report.error());

  const int exit_code = session::exit_code(*report, prepared->gate);
  const int on_failure = report->exit_code != 0 ? report->exit_code : session::exit_failure;
  const ReportContext context{exit_code,
                              source_root(arguments),
                              arguments.timing,
                              arguments.engine.all_instructions,
                              arguments.all_findings,
                              session::failing(*report, prepared->gate)};
  if (prepared->suppressions) {
    if (auto result = prepared->suppressions->write(findings::write_suppressions(report->findings)); !result) {
      tell(result.error());
      return on_failure;
    }
  }
  if (auto result = prepared->reports.write(*report, context); !result) {
    tell(result.error());
    return on_failure;
  }
  return exit_code;
}

/// `first`, and every rule but `left_out`.
std::vector<std::string> with_rules(std::vector<std::string> first,
                                    std::optional<findings::Rule> left_out = std::nullopt) {
  for (const findings::RuleInfo& info : findings::all_rules())
    if (info.rule != left_out) first.emplace_back(info.spelled);
  return first;
}

void add_options(CLI::App& command, Arguments& arguments) {
  session::EngineOptions& engine = arguments.engine;
  add_engine_options(command, engine);
  command
      .add_option_function<std::string>(
          "--blocks", [&engine](const std::string& text) { engine.sample_blocks = sample_of(text); },
          "all, or sample:K: K blocks of each launch, spread over its grid")
      ->type_name("WHICH")
      ->check(offers({"all", "sample:"}))
      ->group("How it is executed");
  const char* output = "What comes out";
  add_report_options(command, arguments.paths, output);
  command.add_flag("--all-findings", arguments.all_findings, "with every finding in the JSON, however many")
      ->group(output);
  command
      .add_option("--source-root", arguments.source_root,
                  "name source files relative to DIR, not to the working directory, and look for them there")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory)
      ->group(output);
  command.add_flag("--timing", arguments.timing, "with seconds, in JSON and JUnit")->group(output);
  command
      .add_flag("--all-instructions", engine.all_instructions,
                "with every instruction in the JSON, not only shared memory's")
      ->group(output);
  add_bottleneck_options(command, engine, arguments.gpu, output);
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
      .add_option("--remap", arguments.remaps,
                  "count too as if a shared array lay otherwise: ARRAY=LAYOUT or KERNEL:ARRAY=LAYOUT; LAYOUT is "
                  "swizzle<Bits,Base,Shift> on bytes, pad+N or pad+N@ROW in elements; repeatable")
      ->type_name("REMAP")
      ->allow_extra_args(false)
      ->group(what_if);
  command.add_option("--shape", arguments.shapes, "rows and elements of an array, as tile=32x32xf32; repeatable")
      ->type_name("SHAPE")
      ->allow_extra_args(false)
      ->group(what_if);
  const char* verdict = "When it fails";
  command.add_option("--max-excess", arguments.max_excess, "let N excess wavefronts through")
      ->type_name("N")
      ->check(not_negative)
      ->group(verdict);
  command.add_option("--fail-on", arguments.fail_on, "never, or only these rules: bank-conflict,out-of-bounds,...")
      ->type_name("RULES")
      ->check(offers_list(with_rules({"never"})))
      ->group(verdict);
  command.add_option("--suppressions", arguments.suppressions, "findings that this file names do not count")
      ->type_name("FILE")
      ->group(verdict);
  command
      .add_option("--write-suppressions", arguments.write_suppressions,
                  "a file for --suppressions that names all findings")
      ->type_name("FILE")
      ->group(verdict);
  command.add_option("--baseline", arguments.baseline, "findings that this earlier --json report has do not count")
      ->type_name("FILE")
      ->group(verdict);
}

}  // namespace

void add_run(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("run", "runs a CUDA program without a GPU and reports its bank conflicts");
  auto arguments = std::make_shared<Arguments>();
  command->formatter(std::make_shared<RunHelp>());
  command->prefix_command();
  command->footer(examples);
  add_options(*command, *arguments);
  command->callback([command, arguments, &invocation] {
    arguments->program = program_of(*command, invocation);
    invocation.exit_code = run(*arguments);
  });
}

}  // namespace lanebank::tools
