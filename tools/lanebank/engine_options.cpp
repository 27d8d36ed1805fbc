#include "engine_options.hpp"

#include <CLI/CLI.hpp>

#include "architecture_option.hpp"
#include "offered_values.hpp"

namespace lanebank::tools {

std::string not_negative(const std::string& text) {
  return text.find('-') == std::string::npos ? std::string() : "'" + text + "' is no whole number";
}

void add_engine_options(CLI::App& command, session::EngineOptions& engine) {
  const char* which = "Which launches are counted (all of them run)";
  command.add_option("-k,--kernel-name", engine.kernel_name, "the kernel's name, or regex:EXPRESSION found in it")
      ->type_name("NAME")
      ->group(which);
  command
      .add_option("--kernel-name-base", engine.kernel_name_base,
                  "what NAME is held against: function, demangled, mangled")
      ->type_name("BASE")
      ->check(offers({"function", "demangled", "mangled"}))
      ->capture_default_str()
      ->group(which);
  command.add_option("-s,--launch-skip", engine.launch_skip, "leave out the first N matching launches")
      ->type_name("N")
      ->check(not_negative)
      ->group(which);
  command.add_option("-c,--launch-count", engine.launch_count, "count at most N launches after those")
      ->type_name("N")
      ->check(not_negative)
      ->group(which);
  const char* where = "How it is executed";
  add_architecture(command, engine.architecture,
                   "the device; by default that of the program's newest code, up to sm_90");
  command.get_option("--arch")->group(where);
  command.add_option("-j,--jobs", engine.jobs, "threads; 0: all cores; 1: bit-reproducible")
      ->type_name("N")
      ->check(not_negative)
      ->group(where);
}

std::vector<std::string> program_of(const CLI::App& command, const Invocation& invocation) {
  std::vector<std::string> program = command.remaining();
  if (!program.empty() && program.front().size() > 1 && program.front()[0] == '-')
    throw CLI::ExtrasError(command.get_name(), {program.front()});
  program.insert(program.end(), invocation.program.begin(), invocation.program.end());
  if (program.empty()) throw CLI::RequiredError(command.get_name() + ": a program");
  return program;
}

}  // namespace lanebank::tools
