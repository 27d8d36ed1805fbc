// `lanebank fix`: from the bank conflicts of a run to edits of its source, counted, and with --build verified.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>

#include "advise/fix_formats.hpp"
#include "bottleneck_options.hpp"
#include "commands.hpp"
#include "engine_options.hpp"
#include "findings/report.hpp"
#include "fix_build.hpp"
#include "fix_copy.hpp"
#include "output.hpp"
#include "report/sarif.hpp"
#include "report_files.hpp"
#include "session/gate.hpp"
#include "show/array.hpp"

namespace lanebank::tools {
namespace {

constexpr const char* examples =
    "The program runs once without a GPU, as under `lanebank run`. For each shared array with bank conflicts the best\n"
    "layouts are found, and all recorded accesses counted again under them.\n"
    "\n"
    "Examples:\n"
    "  lanebank fix -- ./app 1024\n"
    "  lanebank fix --diff fix.patch -- ./app             the edits of the declarations, for patch -p1\n"
    "  lanebank fix --build 'nvcc -arch=sm_90 -lineinfo {source} -o {output}' -- ./app\n"
    "      builds each edit in a copy, runs it, compares output and counts; what fails is withdrawn, the next one "
    "tried\n"
    "  lanebank fix --build 'make -s' -- ./app             ./app is what the copy's make builds\n"
    "  lanebank fix --shape tile=64x32xf16 -- ./app       rows and columns, where source and strides do not tell\n"
    "\n"
    "--build: {source} is the edited file, {output} the program to be made, {dir} the copied folder (the working "
    "folder,\n"
    "or that of the source), where the command runs. The user's own files stay as they are unless --apply is given.\n"
    "\n"
    "Exit code: the program's own where it is not 0; else\n"
    "  0    no array has excess wavefronts worth a change, or --apply wrote verified edits for all that have\n"
    "  120  some array has\n"
    "  121, 122, 125 as `lanebank run`";

struct FixHelp : CLI::Formatter {
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: lanebank fix [OPTIONS] -- PROGRAM [ARGUMENTS...]\n";
  }
};

struct Arguments {
  std::vector<std::string> program, shapes;
  session::EngineOptions engine;
  std::string json, report, diff, sarif, build, source;
  double least_percent = 1.0;
  bool apply = false;
  const advise::Gpu* gpu = nullptr;
};

int tell(const Diagnostic& diagnostic) {
  std::cerr << "lanebank fix: " << to_string(diagnostic) << "\n";
  return session::exit_failure;
}

Result<std::vector<std::pair<std::string, advise::DeclaredShape>>> read_shapes(const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, advise::DeclaredShape>> shapes;
  const auto scope = show::Scope::make({}, {});
  if (!scope) return tl::unexpected(scope.error());
  for (const std::string& text : texts) {
    auto array = show::parse_array(text, *scope);
    if (!array) return tl::unexpected(array.error());
    if (array->name.empty() || array->sizes.empty())
      return fail("fix.shape", "--shape", "'" + text + "' names no array or no sizes", "Write NAME=ROWSxCOLUMNSxTYPE.");
    shapes.push_back({array->name, {array->sizes, array->element_bytes(), ""}});
  }
  return shapes;
}

/// The texts of the sources that reports name, read when first asked for.
class Sources {
 public:
  explicit Sources(std::string given) : given_(std::move(given)) {}

  const std::string* text(const std::string& file) {
    const std::string path = path_of(file);
    const auto [at, added] = texts_.try_emplace(file);
    if (added)
      if (auto text = read_text(path)) {
        at->second = std::move(*text);
        paths_[file] = path;
      }
    return at->second ? &*at->second : nullptr;
  }

  const std::map<std::string, std::string>& paths() const { return paths_; }

 private:
  /// --source stands for the file of its name.
  std::string path_of(const std::string& file) const {
    const auto name = [](const std::string& path) { return std::filesystem::path(path).filename(); };
    return !given_.empty() && name(given_) == name(file) ? given_ : file;
  }

  std::string given_;
  std::map<std::string, std::optional<std::string>> texts_;
  std::map<std::string, std::string> paths_;
};

/// The edits of the first proposals that have one, one on top of the other.
std::map<std::string, std::string> first_edits(const advise::FixReport& report, Sources& sources) {
  std::map<std::string, std::string> texts;
  for (const advise::ArrayFix& array : report.arrays) {
    const auto first = std::find_if(array.proposals.begin(), array.proposals.end(),
                                    [](const advise::FixProposal& proposal) { return proposal.edit.has_value(); });
    const std::string* read = sources.text(array.array.file);
    if (first == array.proposals.end() || read == nullptr) continue;
    const std::string& path = sources.paths().at(array.array.file);
    const auto known = texts.find(path);
    const std::string text = known != texts.end() ? known->second : *read;
    if (auto edit = advise::edit_for(text, array, first->proposal)) texts[path] = edit->source;
  }
  return texts;
}

/// Gives the findings of the run the edits that were verified; without --build those that were proposed first.
void attach_edits(findings::ProgramReport& run, const advise::FixReport& report, Sources& sources) {
  for (const advise::ArrayFix& array : report.arrays) {
    const auto chosen =
        std::find_if(array.proposals.begin(), array.proposals.end(), [&](const advise::FixProposal& proposal) {
          return proposal.edit && (!report.built || proposal.trial.state == advise::Trial::State::verified);
        });
    const std::string* text = sources.text(array.array.file);
    if (chosen == array.proposals.end() || text == nullptr) continue;
    const auto edits = advise::line_edits(array.array.file, *text, chosen->edit->source);
    const std::vector<std::string>& kernels = array.array.kernels;
    for (findings::Finding& finding : run.findings)
      if (finding.rule == findings::Rule::bank_conflict && finding.evidence.array == array.array.name &&
          std::find(kernels.begin(), kernels.end(), finding.kernel) != kernels.end())
        finding.suggestion = {.text = array.array.name + ": " + chosen->proposal.text, .edits = edits};
  }
}

std::string diff_of(const std::map<std::string, std::string>& texts) {
  std::string diff;
  std::error_code ignored;
  const std::string here = std::filesystem::current_path(ignored).string();
  for (const auto& [path, text] : texts)
    if (auto before = read_text(path)) diff += advise::unified_diff(findings::relative_to(path, here), *before, text);
  return diff;
}

struct Outputs {
  Output json, diff, sarif, text;
  static Result<Outputs> open(const Arguments& arguments) {
    Outputs outputs{Output::nowhere(), Output::nowhere(), Output::nowhere(), Output::standard_error()};
    for (const auto& [path, output] :
         {std::pair(&arguments.json, &outputs.json), std::pair(&arguments.diff, &outputs.diff),
          std::pair(&arguments.sarif, &outputs.sarif), std::pair(&arguments.report, &outputs.text)}) {
      auto opened = Output::open_or(*path, std::move(*output));
      if (!opened) return tl::unexpected(opened.error());
      *output = std::move(*opened);
    }
    return outputs;
  }
};

int exit_code_of(const findings::ProgramReport& run, const advise::FixReport& report) {
  session::Gate never;
  never.never = true;  // of findings only
  const int code = session::exit_code(run, never);
  if (code != session::exit_success) return code;
  return report.has_findings() ? session::exit_findings : session::exit_success;
}

/// What the proposals become in a copy; with --apply also in the user's files.
Result<void> build(advise::FixReport& report, const Arguments& arguments, const CapturedRun& run,
                   const Sources& sources) {
  auto texts =
      try_proposals(report, {arguments.build, arguments.program, arguments.engine, run.output, sources.paths()});
  if (!texts) return tl::unexpected(texts.error());
  report.diff = diff_of(*texts);
  if (!arguments.apply) return {};
  for (const auto& [path, text] : *texts)
    if (auto written = write_text(path, text); !written) return written;
  report.applied = !texts->empty();
  return {};
}

Result<int> fix(const Arguments& arguments) {
  advise::FixOptions options;
  auto shapes = read_shapes(arguments.shapes);
  if (!shapes) return tl::unexpected(shapes.error());
  options.shapes = std::move(*shapes);
  options.least_share = arguments.least_percent / 100;
  options.gpu = arguments.gpu;
  if (arguments.apply && arguments.build.empty())
    return fail("fix.apply", "--apply", "writes verified edits only, and without --build nothing is verified",
                "Give --build, or take the edits from --diff.");
  auto outputs = Outputs::open(arguments);
  if (!outputs) return tl::unexpected(outputs.error());
  auto run = run_captured(arguments.program.front(), arguments.program, arguments.engine, false);
  if (!run) return tl::unexpected(run.error());
  if (arguments.json != "-" && arguments.diff != "-" && arguments.sarif != "-")
    std::cout << run->output.text << std::flush;
  Sources sources(arguments.source);
  options.source = [&](const std::string& file) { return sources.text(file); };
  advise::FixReport report = advise::advise_on(run->report, options);
  if (arguments.build.empty())
    report.diff = diff_of(first_edits(report, sources));
  else if (auto built = build(report, arguments, *run, sources); !built)
    return tl::unexpected(built.error());
  const int exit_code = exit_code_of(run->report, report);
  std::string log;
  if (!arguments.sarif.empty()) {
    run->report.findings = findings::findings_of(run->report.launches);
    if (!report.applied) attach_edits(run->report, report, sources);
    std::error_code ignored;
    report::Sources lines(reader_below(std::filesystem::current_path(ignored).string()));
    log = report::write_sarif(run->report, lines, {LANEBANK_VERSION});
  }
  auto written = outputs->diff.write(report.diff)
                     .and_then([&] { return outputs->json.write(advise::fix_json(report)); })
                     .and_then([&] { return outputs->sarif.write(log); })
                     .and_then([&] {
                       return outputs->text.write(advise::fix_text(report, {exit_code, 8}));
                     });
  if (!written) return tl::unexpected(written.error());
  return exit_code;
}

void add_options(CLI::App& command, Arguments& arguments) {
  add_engine_options(command, arguments.engine);
  const char* edit = "The edit";
  command.add_option("--shape", arguments.shapes, "an array's rows and columns: NAME=ROWSxCOLUMNSxTYPE (repeatable)")
      ->type_name("SHAPE")
      ->allow_extra_args(false)
      ->group(edit);
  command
      .add_option("--source", arguments.source, "the file that the machine code's lines name, where it lies elsewhere")
      ->type_name("FILE")
      ->group(edit);
  command.add_option("--build", arguments.build, "builds the program from a copy: {source}, {output}, {dir}")
      ->type_name("COMMAND")
      ->group(edit);
  command.add_flag("--apply", arguments.apply, "writes verified edits into the source")->group(edit);
  command
      .add_option("--least", arguments.least_percent,
                  "leave arrays alone whose excess is below PERCENT of their kernels' shared wavefronts")
      ->type_name("PERCENT")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str()
      ->group(edit);
  const char* output = "What comes out";
  add_gpu_option(command, arguments.engine, arguments.gpu, output);
  command.add_option("--report", arguments.report, "text report to FILE instead of stderr")
      ->type_name("FILE")
      ->group(output);
  command.add_option("--json", arguments.json, "lanebank.fix/1 to FILE; - is standard output")
      ->type_name("FILE")
      ->group(output);
  command.add_option("--sarif", arguments.sarif, "the conflicts with their edits as SARIF 2.1.0 to FILE")
      ->type_name("FILE")
      ->group(output);
  command.add_option("--diff", arguments.diff, "the edits as a unified diff to FILE; - is standard output")
      ->type_name("FILE")
      ->group(output);
}

}  // namespace

void add_fix(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("fix", "runs a CUDA program, finds layouts without its conflicts, and edits");
  auto arguments = std::make_shared<Arguments>();
  command->formatter(std::make_shared<FixHelp>());
  command->prefix_command();
  command->footer(examples);
  add_options(*command, *arguments);
  command->callback([command, arguments, &invocation] {
    arguments->program = program_of(*command, invocation);
    arguments->engine.access_log = arguments->engine.work = true;
    arguments->engine.checks = "none";
    const Result<int> code = fix(*arguments);
    invocation.exit_code = code ? *code : tell(code.error());
  });
}

}  // namespace lanebank::tools
