// `lanebank checklist`: ten questions about a program's use of shared memory, answered from a run.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>

#include "advise/bottleneck.hpp"
#include "advise/checklist.hpp"
#include "bottleneck_options.hpp"
#include "commands.hpp"
#include "engine_options.hpp"
#include "findings/report.hpp"
#include "fix_build.hpp"
#include "fix_copy.hpp"
#include "output.hpp"
#include "session/gate.hpp"

namespace lanebank::tools {
namespace {

constexpr const char* examples =
    "The program runs once without a GPU, as under `lanebank run`; --expect and --sizes run more.\n"
    "\n"
    "Examples:\n"
    "  lanebank checklist -- ./app 1024\n"
    "  lanebank checklist --expect './reference 1024' -- ./app 1024      the same standard output?\n"
    "  lanebank checklist --sizes '512;1000;4096 2' -- ./app 1024        the same program with other arguments\n"
    "  lanebank checklist --json list.json --gpu a100 -- ./app\n"
    "\n"
    "Exit code: the program's own where it is not 0; else\n"
    "  0    no point but the last is answered with no\n"
    "  120  some is\n"
    "  121, 122, 125 as `lanebank run`";

struct ChecklistHelp : CLI::Formatter {
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: lanebank checklist [OPTIONS] -- PROGRAM [ARGUMENTS...]\n";
  }
};

struct Arguments {
  std::vector<std::string> program;
  session::EngineOptions engine;
  const advise::Gpu* gpu = nullptr;
  std::string json, report, expect, sizes;
};

int tell(const Diagnostic& diagnostic) {
  std::cerr << "lanebank checklist: " << to_string(diagnostic) << "\n";
  return session::exit_failure;
}

/// The number of the first line, from 1, in which two texts differ.
std::uint64_t first_difference(const std::string& a, const std::string& b) {
  const auto at = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  return 1 + static_cast<std::uint64_t>(std::count(a.begin(), at, '\n'));
}

/// Runs under the engine too, since it may be a CUDA program; nothing of it is analysed.
Result<advise::Reference> compare(const Arguments& arguments, const ProgramOutput& output) {
  session::EngineOptions engine = arguments.engine;
  engine.work = engine.access_log = false;
  engine.checks = "none";
  auto run = run_captured("/bin/sh", {"sh", "-c", arguments.expect}, engine, false);
  if (!run) return tl::unexpected(run.error());
  return advise::Reference{arguments.expect, run->output.exit_code == 0, run->output.text == output.text,
                           first_difference(run->output.text, output.text)};
}

Result<advise::SizeRun> run_size(const Arguments& arguments, const std::string& words) {
  session::EngineOptions engine = arguments.engine;
  engine.work = engine.access_log = false;
  std::vector<std::string> command{arguments.program.front()};
  std::istringstream stream(words);
  for (std::string word; stream >> word;) command.push_back(word);
  auto run = run_captured(command.front(), command, engine, true);
  if (!run) return tl::unexpected(run.error());
  advise::SizeRun size{words, run->output.exit_code, run->report.launches.size(), 0, 0, 0, ""};
  for (const findings::LaunchReport& launch : run->report.launches) {
    size.wavefronts += launch.shared.wavefronts;
    size.excess += launch.shared.excess;
  }
  const auto findings = findings::findings_of(run->report.launches);
  size.errors = static_cast<std::uint64_t>(std::count_if(
      findings.begin(), findings.end(), [](const auto& finding) { return finding.severity == Severity::error; }));
  if (!run->report.problems.empty()) size.problem = run->report.problems.front().what;
  if (run->report.launches.empty() && size.problem.empty()) size.problem = "no kernel was launched";
  return size;
}

Result<std::vector<advise::SizeRun>> run_sizes(const Arguments& arguments) {
  std::vector<advise::SizeRun> sizes;
  std::istringstream list(arguments.sizes);
  for (std::string words; std::getline(list, words, ';');) {
    auto size = run_size(arguments, words);
    if (!size) return tl::unexpected(size.error());
    sizes.push_back(std::move(*size));
  }
  return sizes;
}

Result<int> checklist(const Arguments& arguments) {
  auto json = Output::open_or(arguments.json, Output::nowhere());
  if (!json) return tl::unexpected(json.error());
  auto report = Output::open_or(arguments.report, Output::standard_error());
  if (!report) return tl::unexpected(report.error());
  auto run = run_captured(arguments.program.front(), arguments.program, arguments.engine, false);
  if (!run) return tl::unexpected(run.error());
  if (arguments.json != "-") std::cout << run->output.text << std::flush;
  run->report.findings = findings::findings_of(run->report.launches);
  advise::add_bottlenecks(run->report, arguments.gpu);

  advise::FixOptions options;
  options.source = [](const std::string&) -> const std::string* { return nullptr; };
  const advise::FixReport fix = advise::advise_on(run->report, options);
  advise::ChecklistInput input{run->report, fix, std::nullopt, {}};
  if (!arguments.expect.empty()) {
    auto reference = compare(arguments, run->output);
    if (!reference) return tl::unexpected(reference.error());
    input.reference = std::move(*reference);
  }
  auto sizes = run_sizes(arguments);
  if (!sizes) return tl::unexpected(sizes.error());
  input.sizes = std::move(*sizes);

  const advise::Checklist list = advise::checklist_of(input);
  session::Gate never;
  never.never = true;  // of findings only
  int exit_code = session::exit_code(run->report, never);
  if (exit_code == session::exit_success && list.has_findings()) exit_code = session::exit_findings;
  std::string text = advise::checklist_text(list, {exit_code, 6});
  for (const Diagnostic& problem : run->report.problems) text += "  cannot analyse: " + to_string(problem) + "\n";
  auto written = json->write(advise::checklist_json(list)).and_then([&] { return report->write(text); });
  if (!written) return tl::unexpected(written.error());
  return exit_code;
}

}  // namespace

void add_checklist(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      app.add_subcommand("checklist", "ten questions about a program's shared memory, answered from a run");
  auto arguments = std::make_shared<Arguments>();
  command->formatter(std::make_shared<ChecklistHelp>());
  command->prefix_command();
  command->footer(examples);
  add_engine_options(*command, arguments->engine);
  const char* more = "More runs";
  command->add_option("--expect", arguments->expect, "a shell command whose standard output the program's must equal")
      ->type_name("COMMAND")
      ->group(more);
  command->add_option("--sizes", arguments->sizes, "other arguments for the program, lists with ; between")
      ->type_name("ARGS;ARGS")
      ->group(more);
  const char* output = "What comes out";
  add_gpu_option(*command, arguments->engine, arguments->gpu, output);
  command->add_option("--report", arguments->report, "text to FILE instead of stderr")
      ->type_name("FILE")
      ->group(output);
  command
      ->add_option("--json", arguments->json,
                   "lanebank.checklist/1 to FILE; - is standard output, instead of the program's")
      ->type_name("FILE")
      ->group(output);
  command->callback([command, arguments, &invocation] {
    arguments->program = program_of(*command, invocation);
    arguments->engine.access_log = true;
    arguments->engine.work = true;
    const Result<int> code = checklist(*arguments);
    invocation.exit_code = code ? *code : tell(code.error());
  });
}

}  // namespace lanebank::tools
