#include "observed_run.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "child.hpp"
#include "report/channel.hpp"
#include "terminal.hpp"

namespace lanebank::tools {
namespace {

std::vector<std::string> environment_for(const Installation& installation, const session::EngineOptions& engine,
                                         const ProgramFile& program) {
  std::vector<std::string> changes = engine.to_environment();
  const std::string preloads = variable_or_empty("LD_PRELOAD"), folders = variable_or_empty("LD_LIBRARY_PATH");
  changes.push_back("LD_PRELOAD=" + installation.shim + (preloads.empty() ? "" : ":" + preloads));
  // Behind the user's own folders; it holds nothing but CUDA's libraries, for machines without CUDA. A static program that opens
  // the driver's library would crash in it.
  if (!installation.stub_folder.empty() && !program.is_static)
    changes.push_back("LD_LIBRARY_PATH=" + (folders.empty() ? "" : folders + ":") + installation.stub_folder);
  return changed_environment(environ, changes);
}

/// Why a program may have been out of reach, when no launch came from it.
void explain_silence(const ProgramFile& program, findings::ProgramReport& report) {
  if (!report.launches.empty() || report.filtered_launches > 0 || !report.problems.empty()) return;
  if (program.is_elf && program.is_static)
    report.problems.push_back({"program.static", program.path,
                               "is linked statically, so no library can be preloaded into it",
                               "Link it dynamically (without -static).", Severity::error});
  else if (program.changes_user)
    report.problems.push_back({"program.setuid", program.path,
                               "runs as another user, so no library can be preloaded into it",
                               "Run it as its owner, or clear its set-user-id bit.", Severity::error});
}

}  // namespace

const char* variable(const char* name) { return std::getenv(name); }

std::string variable_or_empty(const char* name) {
  const char* value = variable(name);
  return value ? value : "";
}

void note_sampling(findings::ProgramReport& report, const session::EngineOptions& engine) {
  if (std::any_of(report.launches.begin(), report.launches.end(), [](const auto& l) { return l.sampled_blocks != 0; }))
    report.notes.push_back({"blocks.sampled", "--blocks sample:" + std::to_string(engine.sample_blocks),
                            "only a part of the blocks ran: figures are scaled to whole grids, and the program's own "
                            "results are not valid",
                            "Leave --blocks out for exact figures.", Severity::note});
}

Result<Observation> Observation::of(const std::string& name) {
  auto program = find_program(name, variable_or_empty("PATH"));
  if (!program) return tl::unexpected(program.error());
  auto installation = find_installation();
  if (!installation) return tl::unexpected(installation.error());
  auto channel = ChannelFile::make(variable_or_empty("TMPDIR"));
  if (!channel) return tl::unexpected(channel.error());
  return Observation{std::move(*program), std::move(*installation), std::move(*channel)};
}

Result<findings::ProgramReport> observe(const Observation& observation, const std::vector<std::string>& command,
                                        session::EngineOptions engine, const std::string& source_root) {
  engine.channel = observation.channel.path();
  engine.progress = terminal_of(STDERR_FILENO, variable).is_terminal;
  const auto environment = environment_for(observation.installation, engine, observation.program);
  auto end = run_child(observation.program.path, command, environment);
  if (!end) return tl::unexpected(end.error());
  findings::ProgramReport report;
  report.command = command;
  report.exit_code = end->exit_code;
  report.seconds = end->seconds;
  report::ChannelReader reader;
  if (auto result = reader.read(observation.channel.path()); !result) return tl::unexpected(result.error());
  reader.finish(report);
  std::error_code ignored;
  findings::make_files_relative(report.launches,
                                source_root.empty() ? std::filesystem::current_path(ignored).string() : source_root);
  note_sampling(report, engine);
  explain_silence(observation.program, report);
  return report;
}

}  // namespace lanebank::tools
