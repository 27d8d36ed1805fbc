// `lanebank run`: a CUDA program without a GPU, and what its shared-memory instructions cost.

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "analysis.hpp"
#include "commands.hpp"
#include "engine_options.hpp"
#include "observed_run.hpp"
#include "session/engine.hpp"
#include "session/filter.hpp"
#include "session/gate.hpp"

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
    "  lanebank run --write-baseline known.json -- ./app, then --baseline known.json: only what is new or worse fails\n"
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
  AnalysisOptions analysis;
};

int tell(const Diagnostic& diagnostic) {
  std::cerr << "lanebank run: " << to_string(diagnostic) << "\n";
  return session::exit_failure;
}

int run(Arguments arguments) {
  const auto filter = session::LaunchFilter::make(arguments.engine.kernel_name, arguments.engine.kernel_name_base,
                                                  arguments.engine.launch_skip, arguments.engine.launch_count);
  if (!filter) return tell(filter.error());
  const auto observation = Observation::of(arguments.program.front());
  if (!observation) return tell(observation.error());
  auto analysis = Analysis::prepare(arguments.analysis, arguments.engine);
  if (!analysis) return tell(analysis.error());
  auto report = observe(*observation, arguments.program, arguments.engine, analysis->source_root());
  if (!report) return tell(report.error());
  return analysis->finish(std::move(*report), "run");
}

void add_options(CLI::App& command, Arguments& arguments) {
  session::EngineOptions& engine = arguments.engine;
  add_engine_options(command, engine);
  add_blocks_option(command, engine);
  add_analysis_options(command, engine, arguments.analysis);
  command
      .add_flag("--allow-no-launch", arguments.analysis.allow_no_launch,
                "a program that launches no kernel does not fail (121)")
      ->group("When it fails");
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
