#include "architecture_option.hpp"

#include <CLI/CLI.hpp>

#include "offered_values.hpp"
#include "session/code_choice.hpp"

namespace lanebank::tools {

void add_architecture(CLI::App& command, unsigned& architecture, const std::string& meaning) {
  std::string known;
  std::vector<std::string> names;
  for (unsigned number : session::architectures) {
    names.push_back("sm_" + std::to_string(number));
    known += (known.empty() ? "" : ", ") + names.back();
  }
  auto read = [&architecture, known](const std::string& text) {
    std::string number = text.rfind("sm_", 0) == 0 ? text.substr(3) : text;
    if (!number.empty() && number.back() == 'a') number.pop_back();
    for (unsigned candidate : session::architectures)
      if (number == std::to_string(candidate)) {
        architecture = candidate;
        return;
      }
    throw CLI::ValidationError("--arch", "'" + text + "' is none of " + known);
  };
  command.add_option_function<std::string>("--arch", read, meaning + ": " + known)
      ->type_name("SM")
      ->check(offers(names));
}

}  // namespace lanebank::tools
