// `lanebank completion` and `lanebank manual`: the command line tells shells and man what it takes.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <sstream>

#include "command_model.hpp"
#include "commands.hpp"
#include "offered_values.hpp"
#include "session/gate.hpp"

namespace lanebank::tools {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, separator);)
    if (!word.empty()) words.push_back(word);
  return words;
}

std::vector<const CLI::Validator*> validators_of(const CLI::Option& option) {
  std::vector<const CLI::Validator*> found;
  try {
    for (int i = 0;; i++) found.push_back(const_cast<CLI::Option&>(option).get_validator(i));
  } catch (const CLI::OptionNotFound&) {  // CLI11 tells no count
  }
  return found;
}

/// Type names come with the descriptions of checks behind colons: "ORDER:{bbs,sbm}".
std::string type_of(const CLI::Option& option) {
  const std::string name = option.get_type_name();
  return name.substr(0, name.find(':'));
}

ValueModel value_of(const CLI::Option& option) {
  using Kind = ValueModel::Kind;
  ValueModel value;
  value.name = type_of(option);
  value.kind = value.name == "FILE" ? Kind::file : Kind::any;
  value.optional = option.get_expected_min() == 0;
  for (const CLI::Validator* validator : validators_of(option)) {
    const std::string &name = validator->get_name(), set = validator->get_description();
    if (set == "DIR") {
      value.kind = Kind::folder;
    } else if (set.size() > 2 && set.front() == '{' && set.back() == '}') {
      value.kind = Kind::words;
      value.words = split(set.substr(1, set.size() - 2), ',');
    } else if (const std::string prefix = name.substr(0, name.find(':') + 1);
               prefix == offered_words || prefix == offered_list) {
      value.words = split(name.substr(prefix.size()), ' ');
      value.kind = value.words.empty() ? Kind::file : prefix == offered_list ? Kind::list : Kind::words;
    }
  }
  return value;
}

OptionModel option_model(const CLI::Option& option) {
  OptionModel model;
  for (const std::string& name : option.get_snames()) model.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) model.names.push_back("--" + name);
  model.description = option.get_description();
  model.group = option.get_group();
  model.default_value = option.get_default_str();
  model.repeatable = option.get_expected_max() > 1;
  if (option.get_expected_max() != 0) {
    model.value = value_of(option);
  } else if (!option.get_fnames().empty()) {  // a flag that takes a file too: --github{-}
    model.value = {ValueModel::Kind::file, true, true, "FILE", {}};
  }
  return model;
}

}  // namespace

CommandModel model_of(const CLI::App& app) {
  CommandModel model;
  model.name = app.get_name();
  model.description = app.get_description();
  model.footer = app.get_footer();
  model.takes_program = app.get_prefix_command();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    if (option->get_positional())
      model.arguments.push_back({option->get_name(true), option->get_description(), value_of(*option),
                                 option->get_required(), option->get_expected_max() > 1});
    else
      model.options.push_back(option_model(*option));
  }
  for (const CLI::App* command : app.get_subcommands({})) model.commands.push_back(model_of(*command));
  return model;
}

void add_completion(CLI::App& app, Invocation& invocation) {
  CLI::App* command =
      app.add_subcommand("completion", "a shell's completion of lanebank's commands, options and values");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "whose")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->type_name("");
  command->footer(
      "An installed lanebank has them where shells look. Otherwise, for instance:\n"
      "Examples:\n"
      "  lanebank completion bash > ~/.local/share/bash-completion/completions/lanebank\n"
      "  lanebank completion zsh > ~/.zfunc/_lanebank                 with fpath+=~/.zfunc before compinit\n"
      "  lanebank completion fish > ~/.config/fish/completions/lanebank.fish\n"
      "Exit code: 0 or 125.");
  command->callback([&app, shell, &invocation] {
    const CommandModel model = model_of(app);
    std::cout << (*shell == "bash"  ? bash_completion(model)
                  : *shell == "zsh" ? zsh_completion(model)
                                    : fish_completion(model))
              << std::flush;
    if (!std::cout) invocation.exit_code = session::exit_failure;
  });
}

void add_manual(CLI::App& app, Invocation& invocation) {
  CLI::App* command = app.add_subcommand("manual", "the manual page lanebank(1), for man");
  command->footer(
      "An installed lanebank has it as `man lanebank`. Otherwise:\n"
      "Examples:\n"
      "  lanebank manual > lanebank.1\n"
      "Exit code: 0 or 125.");
  command->callback([&app, &invocation] {
    std::cout << manual_page(model_of(app), LANEBANK_VERSION) << std::flush;
    if (!std::cout) invocation.exit_code = session::exit_failure;
  });
}

}  // namespace lanebank::tools
