// lanebank(1), in the macros of man(7).
#include <algorithm>
#include <string>

#include "command_model.hpp"

namespace lanebank::tools {
namespace {

/// Text of one line: hyphens as they are typed, no escapes, no request at the beginning.
std::string roff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if (c == '\n') {
      result += ' ';
    } else {
      result += c;
    }
  }
  return result.empty() || (result[0] != '.' && result[0] != '\'') ? result : "\\&" + result;
}

std::string literal(const std::string& text) {
  std::string result = ".PP\n.EX\n";
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    result += begin == end ? "\\&\n" : roff(text.substr(begin, end - begin)) + "\n";
    begin = end + 1;
  }
  return result + ".EE\n";
}

/// "FILE"; "bbs|sbm" where the type has no name of its own.
std::string value_text(const ValueModel& value) {
  if (value.name != "TEXT" && value.name != "UINT") return value.name;
  std::string words;
  for (const std::string& word : value.words) words += (words.empty() ? "" : "|") + word;
  return words.empty() ? value.name : words;
}

std::string option_text(const OptionModel& option) {
  std::string text = ".TP\n.BR \"";
  for (const std::string& name : option.names) text += (&name == &option.names.front() ? "" : ", ") + roff(name);
  text += "\"";
  if (option.value.kind != ValueModel::Kind::none)
    text += std::string(" \"") + (option.value.joined ? "[=" : " ") + "\\fI" + roff(value_text(option.value)) + "\\fP" +
            (option.value.joined ? "]" : "") + "\"";
  text += "\n" + roff(option.description);
  if (!option.default_value.empty()) text += " (default " + roff(option.default_value) + ")";
  return text + "\n";
}

std::string synopsis(const CommandModel& command) {
  std::string text = ".B " + roff(command.name == "lanebank" ? "lanebank" : "lanebank " + command.name) + "\n";
  text += ".RI [ options ]\n";
  for (const ArgumentModel& argument : command.arguments)
    text += argument.required ? ".I " + roff(argument.name) + "\n"
                              : ".RI [ " + roff(argument.name) + " ]" + (argument.repeatable ? "...\n" : "\n");
  if (command.takes_program) text += ".B \\-\\-\n.I program\n.RI [ arguments... ]\n";
  return text;
}

std::string options_text(const CommandModel& command) {
  std::string text, group = "Options";
  for (const OptionModel& option : command.options) {
    if (option.group != group) text += ".PP\n" + roff(option.group) + ":\n";
    group = option.group;
    text += option_text(option);
  }
  return text;
}

std::string command_text(const CommandModel& command) {
  std::string text =
      ".SS lanebank " + roff(command.name) + "\n" + synopsis(command) + ".PP\n" + roff(command.description) + ".\n";
  for (const ArgumentModel& argument : command.arguments)
    text += ".TP\n.I " + roff(argument.name) + "\n" + roff(argument.description) + "\n";
  return text + options_text(command) + (command.footer.empty() ? "" : literal(command.footer));
}

}  // namespace

std::string manual_page(const CommandModel& command, const std::string& version) {
  std::string text = ".TH LANEBANK 1 \"\" \"lanebank " + version + "\" \"User Commands\"\n";
  text += ".SH NAME\nlanebank \\- shared\\-memory bank conflicts of CUDA programs, without a GPU\n.SH SYNOPSIS\n";
  for (const CommandModel& inner : command.commands)
    text += (&inner == &command.commands.front() ? "" : ".br\n") + synopsis(inner);
  text += ".SH DESCRIPTION\n" + roff(command.description) + "\n" + literal(command.footer) + ".SH OPTIONS\n" +
          options_text(command) + ".SH COMMANDS\n";
  for (const CommandModel& inner : command.commands) text += command_text(inner);
  text +=
      ".SH ENVIRONMENT\n"
      ".TP\n.B NO_COLOR\nNo colours, on a terminal either.\n"
      ".TP\n.B TMPDIR\nWhere a running program's report is kept while it runs.\n"
      ".TP\n.B PATH\nFor the program, and for ptxas where a program embeds PTX only.\n"
      ".SH SEE ALSO\n.BR nvcc (1),\n.BR ncu (1)\n";
  return text;
}

}  // namespace lanebank::tools
