// `lanebank verify`: what lanebank predicts, held against what Nsight Compute counts on a GPU, instruction by instruction.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <set>

#include "base/words.hpp"
#include "commands.hpp"
#include "engine_options.hpp"
#include "fix_build.hpp"
#include "fix_copy.hpp"
#include "ncu.hpp"
#include "observed_run.hpp"
#include "output.hpp"
#include "report/json.hpp"
#include "session/code_choice.hpp"
#include "session/filter.hpp"
#include "session/gate.hpp"
#include "terminal.hpp"
#include "verify/formats.hpp"

namespace lanebank::tools {
namespace {

constexpr const char* examples =
    "The program runs twice: under ncu, which counts on the GPU, and without a GPU as under `lanebank run`, which "
    "predicts.\n"
    "\n"
    "Examples:\n"
    "  lanebank verify -- ./app 1024\n"
    "  lanebank verify -k gemm -c 1 -- ./app              one launch of the kernel gemm, on both sides\n"
    "  lanebank verify --keep measured -- ./app           keeps ncu's report and the pages that were read\n"
    "  lanebank verify --import report.ncu-rep -- ./app   compares with a measurement of another machine: no GPU\n"
    "  lanebank verify --import source.csv --import raw.csv -- ./app            the same, where there is no ncu "
    "either\n"
    "  lanebank verify --import source.csv --prediction report.json             and no program: report of `lanebank "
    "run`\n"
    "\n"
    "Exit code: the program's own where it is not 0; else\n"
    "  0    every row is equal, or its difference has a known reason\n"
    "  120  a difference without one\n"
    "  121  nothing was compared\n"
    "  122  cannot measure or compare: no GPU, no ncu, no permission, other machine code; the message says what to do\n"
    "  125  lanebank failed or was used wrongly";

struct VerifyHelp : CLI::Formatter {
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: lanebank verify [OPTIONS] -- PROGRAM [ARGUMENTS...]\n";
  }
};

struct Arguments {
  std::vector<std::string> program, imports;
  session::EngineOptions engine;
  std::string ncu, prediction, keep, json, report;
};

int tell(const Diagnostic& diagnostic, int exit_code) {
  std::cerr << "lanebank verify: " << to_string(diagnostic) << "\n";
  return exit_code;
}

/// What went wrong, and how the command ends.
struct Failure {
  Diagnostic diagnostic;
  int exit_code;
};
template <class T>
using Outcome = tl::expected<T, Failure>;

tl::unexpected<Failure> unable(Diagnostic diagnostic, int exit_code = session::exit_cannot_analyse) {
  return tl::unexpected(Failure{std::move(diagnostic), exit_code});
}

struct Measured {
  verify::Measurement launches;
  int exit_code = 0;  ///< of the program
};

/// The launches of files that the filters take. Not --launch-skip: what it left out when the file was made is not in it.
Result<verify::Measurement> taken(verify::Measurement launches, const session::EngineOptions& engine) {
  const bool is_source_page = !launches.empty() && !launches.front().grid;
  if (is_source_page && verify::doubles_in(launches) == verify::Doubles::certain)
    launches = verify::without_doubles(launches);
  const bool has_symbols = engine.kernel_name_base != "mangled";
  auto filter = session::LaunchFilter::make(has_symbols ? engine.kernel_name : "", engine.kernel_name_base, 0,
                                            engine.launch_count);
  if (!filter) return tl::unexpected(filter.error());
  std::erase_if(launches, [&](const verify::MeasuredLaunch& launch) {
    return !filter->takes({launch.kernel, kernel_base_name(launch.kernel)}, launch.kernel);
  });
  return launches;
}

Outcome<Measured> import_all(const Arguments& arguments, const std::string& folder) {
  verify::Measurement all;
  for (const std::string& file : arguments.imports) {
    auto launches = import_measurement(file, arguments.ncu, folder);
    if (!launches)
      return unable(launches.error(),
                    launches.error().id == "ncu.missing" ? session::exit_cannot_analyse : session::exit_failure);
    auto together = all.empty() ? std::move(launches) : verify::joined(std::move(all), std::move(*launches));
    if (!together) return unable(together.error(), session::exit_failure);
    all = std::move(*together);
  }
  auto filtered = taken(std::move(all), arguments.engine);
  if (!filtered) return unable(filtered.error(), session::exit_failure);
  return Measured{std::move(*filtered), 0};
}

Outcome<Measured> measure(const Arguments& arguments, const std::string& folder) {
  if (!arguments.imports.empty()) return import_all(arguments, folder);
  const auto ncu = find_ncu(arguments.ncu);
  if (!ncu) return unable(ncu.error(), arguments.ncu.empty() ? session::exit_cannot_analyse : session::exit_failure);
  if (arguments.ncu.empty())
    if (auto gpu = require_gpu(); !gpu) return unable(gpu.error());
  const auto program = find_program(arguments.program.front(), variable_or_empty("PATH"));
  if (!program) return unable(program.error(), session::exit_failure);
  std::vector<std::string> command = arguments.program;
  command.front() = program->path;
  auto profile = tools::profile(*ncu, command, arguments.engine, folder);
  if (!profile) return unable(profile.error());
  if (profile->exit_code != 0)
    return unable({"verify.program", arguments.program.front(),
                   "the program ended with " + std::to_string(profile->exit_code) + " under ncu",
                   "Does it run by itself on this machine?", Severity::error},
                  profile->exit_code);
  return Measured{std::move(profile->launches), 0};
}

/// The architecture that was measured, where it is one that lanebank knows and all devices agree; else 0.
unsigned architecture_of(const verify::Measurement& launches) {
  std::set<std::string> capabilities;
  for (const verify::MeasuredLaunch& launch : launches) capabilities.insert(launch.capability);
  if (capabilities.size() != 1) return 0;
  for (const unsigned known : session::architectures)
    if (*capabilities.begin() == std::to_string(known / 10) + "." + std::to_string(known % 10)) return known;
  return 0;
}

Result<findings::ProgramReport> read_prediction(const Arguments& arguments) {
  auto filter = session::LaunchFilter::make(arguments.engine.kernel_name, arguments.engine.kernel_name_base,
                                            arguments.engine.launch_skip, arguments.engine.launch_count);
  if (!filter) return tl::unexpected(filter.error());
  auto report =
      content_of(arguments.prediction).and_then([](const std::string& text) { return report::read_json(text); });
  if (!report) return report;
  if (report->left_out_findings > 0)
    return fail("prediction.cut", arguments.prediction, "leaves launches out",
                "Write it with --json and --all-findings.");
  std::erase_if(report->launches, [&](const findings::LaunchReport& launch) {
    return !filter->takes({launch.kernel, kernel_base_name(launch.kernel)}, launch.symbol);
  });
  return report;
}

Result<findings::ProgramReport> predict(const Arguments& arguments, const verify::Measurement& measured) {
  if (!arguments.prediction.empty()) return read_prediction(arguments);
  session::EngineOptions engine = arguments.engine;
  if (engine.architecture == 0) engine.architecture = architecture_of(measured);
  auto run = run_captured(arguments.program.front(), arguments.program, engine, false);
  if (!run) return tl::unexpected(run.error());
  if (arguments.json != "-") std::cout << run->output.text << std::flush;
  return std::move(run->report);
}

int exit_code_of(const findings::ProgramReport& predicted, const verify::Comparison& comparison) {
  session::Gate never;
  never.never = true;  // of findings only
  const int code = session::exit_code(predicted, never);
  if (code != session::exit_success) return code;
  if (!comparison.problems.empty()) return session::exit_cannot_analyse;
  if (comparison.total.rows == 0) return session::exit_nothing;
  return comparison.total.unexplained > 0 ? session::exit_findings : session::exit_success;
}

/// Where ncu's files go: --keep, or a folder that is gone afterwards.
struct Folder {
  std::optional<TemporaryFolder> temporary;
  std::string path;

  static Result<Folder> make(const std::string& keep) {
    if (!keep.empty()) {
      std::error_code error;
      std::filesystem::create_directories(keep, error);
      if (error)
        return fail("file.unwritable", keep, "cannot be made: " + error.message(),
                    "Give a folder that can be written for --keep.");
      return Folder{std::nullopt, keep};
    }
    auto made = TemporaryFolder::make(variable_or_empty("TMPDIR"));
    if (!made) return tl::unexpected(made.error());
    std::string path = made->path();
    return Folder{std::move(*made), std::move(path)};
  }
};

Outcome<int> verify_program(const Arguments& arguments) {
  if (!arguments.prediction.empty() && arguments.imports.empty())
    return unable({"verify.use", "--prediction", "takes the place of the program, so there is nothing to measure",
                   "Give --import too.", Severity::error},
                  session::exit_failure);
  auto filter = session::LaunchFilter::make(arguments.engine.kernel_name, arguments.engine.kernel_name_base, 0, 1);
  if (!filter) return unable(filter.error(), session::exit_failure);
  auto json = Output::open_or(arguments.json, Output::nowhere());
  if (!json) return unable(json.error(), session::exit_failure);
  auto text = Output::open_or(arguments.report, Output::standard_error());
  if (!text) return unable(text.error(), session::exit_failure);
  auto folder = Folder::make(arguments.keep);
  if (!folder) return unable(folder.error(), session::exit_failure);
  auto measured = measure(arguments, folder->path);
  if (!measured) return tl::unexpected(measured.error());
  auto predicted = predict(arguments, measured->launches);
  if (!predicted) return unable(predicted.error(), session::exit_failure);

  const auto comparison = verify::compare(*predicted, std::move(measured->launches), !arguments.imports.empty());
  const int exit_code = exit_code_of(*predicted, comparison);
  const Terminal terminal = terminal_of(text->descriptor(), std::getenv);
  auto written = json->write(verify::verify_json(*predicted, comparison)).and_then([&] {
    return text->write(verify::verify_text(*predicted, comparison, {terminal.width, terminal.color, exit_code}));
  });
  if (!written) return unable(written.error(), session::exit_failure);
  return exit_code;
}

void add_options(CLI::App& command, Arguments& arguments) {
  add_engine_options(command, arguments.engine);
  const char* measurement = "What is compared";
  command
      .add_option("--import", arguments.imports,
                  "a measurement of another time or machine: report.ncu-rep, or CSV of ncu's source, raw or details "
                  "page; repeatable: pages of one report")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->group(measurement);
  command
      .add_option("--prediction", arguments.prediction,
                  "lanebank.report/1 of `lanebank run --json`, in place of the program")
      ->type_name("FILE")
      ->group(measurement);
  command.add_option("--ncu", arguments.ncu, "the ncu to use, where it is not on PATH")
      ->type_name("FILE")
      ->group(measurement);
  command.add_option("--keep", arguments.keep, "keep ncu's report, its pages as CSV and its log in DIR")
      ->type_name("DIR")
      ->group(measurement);
  const char* output = "What comes out";
  command.add_option("--report", arguments.report, "text to FILE instead of stderr")->type_name("FILE")->group(output);
  command
      .add_option("--json", arguments.json, "lanebank.verify/1 to FILE; - is standard output, instead of the program's")
      ->type_name("FILE")
      ->group(output);
}

}  // namespace

void add_verify(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      app.add_subcommand("verify", "on a machine with a GPU: prediction and Nsight Compute side by side");
  auto arguments = std::make_shared<Arguments>();
  command->formatter(std::make_shared<VerifyHelp>());
  command->prefix_command();
  command->footer(examples);
  add_options(*command, *arguments);
  command->callback([command, arguments, &invocation] {
    const bool has_program = !command->remaining().empty() || !invocation.program.empty();
    if (arguments->prediction.empty() || has_program) arguments->program = program_of(*command, invocation);
    if (!arguments->prediction.empty() && has_program)
      throw CLI::ValidationError("--prediction", "takes the place of the program: give one of them");
    arguments->engine.checks = "race,uninitialised";
    const auto code = verify_program(*arguments);
    invocation.exit_code = code ? *code : tell(code.error().diagnostic, code.error().exit_code);
  });
}

}  // namespace lanebank::tools
