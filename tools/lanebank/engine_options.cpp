#include "engine_options.hpp"

#include <CLI/CLI.hpp>
#include <charconv>

#include "architecture_option.hpp"
#include "offered_values.hpp"

namespace lanebank::tools {
namespace {

constexpr const char* execution = "How it is executed";

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

}  // namespace

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
  add_device_options(command, engine);
}

void add_device_options(CLI::App& command, session::EngineOptions& engine) {
  add_architecture(command, engine.architecture,
                   "the device; by default that of the program's newest code, up to sm_90");
  command.get_option("--arch")->group(execution);
  command.add_option("-j,--jobs", engine.jobs, "threads; 0: all cores; 1: bit-reproducible")
      ->type_name("N")
      ->check(not_negative)
      ->group(execution);
}

void add_blocks_option(CLI::App& command, session::EngineOptions& engine) {
  command
      .add_option_function<std::string>(
          "--blocks", [&engine](const std::string& text) { engine.sample_blocks = sample_of(text); },
          "all, or sample:K: K blocks of each launch, spread over its grid")
      ->type_name("WHICH")
      ->check(offers({"all", "sample:"}))
      ->group(execution);
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
