// The command line as data, read from the parser's own description: completions and the manual page are written from it.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lanebank::tools {

/// What an option or an argument takes.
struct ValueModel {
  enum class Kind { none, any, file, folder, words, list };  ///< list: words with commas between
  Kind kind = Kind::none;
  bool optional = false;
  bool joined = false;  ///< only behind "=", as --option=VALUE
  std::string name;     ///< "FILE"
  std::vector<std::string> words;
};

struct OptionModel {
  std::vector<std::string> names;  ///< "-k", "--kernel-name"
  ValueModel value;
  std::string description, group, default_value;
  bool repeatable = false;
};

struct ArgumentModel {
  std::string name, description;
  ValueModel value;
  bool required = false, repeatable = false;
};

struct CommandModel {
  std::string name, description;
  std::string footer;          ///< examples and exit codes
  bool takes_program = false;  ///< "-- PROGRAM [ARGUMENTS...]"
  std::vector<OptionModel> options;
  std::vector<ArgumentModel> arguments;
  std::vector<CommandModel> commands;
};

CommandModel model_of(const CLI::App& app);

/// Each for one shell; `lanebank completion`.
std::string bash_completion(const CommandModel& command);
std::string zsh_completion(const CommandModel& command);
std::string fish_completion(const CommandModel& command);
/// The page lanebank(1) in roff's man macros; `lanebank manual`.
std::string manual_page(const CommandModel& command, const std::string& version);

}  // namespace lanebank::tools
