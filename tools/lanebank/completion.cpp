// Completion scripts. Each is written whole from the model: nothing of lanebank's commands stands here.
#include <algorithm>
#include <string_view>

#include "command_model.hpp"

namespace lanebank::tools {
namespace {

using Kind = ValueModel::Kind;

std::string joined(const std::vector<std::string>& words, const std::string& separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

/// `text` with a backslash before each of `special`.
std::string escaped(const std::string& text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

/// In single quotes, for bash and zsh.
std::string shell_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// The first sentence or half sentence; completions have one line.
std::string brief(const std::string& description) {
  const std::size_t end = std::min(description.find('\n'), description.find("; "));
  return description.substr(0, end);
}

std::string header(const char* first, const char* shell) {
  return std::string(first) + "# Completion of lanebank's command line for " + shell +
         ", written by `lanebank completion " + shell + "`.\n\n";
}

// ---- bash ----------------------------------------------------------------------------------------------------

std::string bash_kind(const ValueModel& value) {
  switch (value.kind) {
    case Kind::file:
      return "file";
    case Kind::folder:
      return "folder";
    case Kind::words:
      return "words";
    case Kind::list:
      return "list";
    default:
      return "any";
  }
}

std::string bash_case(const CommandModel& command) {
  std::string text = "    " + (command.name == "lanebank" ? std::string("''") : command.name) + ")\n";
  std::vector<std::string> names;
  for (const OptionModel& option : command.options)
    for (const std::string& name : option.names) names.push_back(name);
  text += "      options='" + joined(names, " ") + "'\n";
  std::vector<std::string> first;
  std::string kind = command.takes_program ? "program" : "any";
  for (const CommandModel& inner : command.commands) first.push_back(inner.name);
  if (!first.empty()) kind = "words";
  for (const ArgumentModel& argument : command.arguments) {
    kind = bash_kind(argument.value);
    first.insert(first.end(), argument.value.words.begin(), argument.value.words.end());
  }
  text += "      argument=" + kind + " words='" + joined(first, " ") + "'\n";
  std::string values;
  for (const OptionModel& option : command.options) {
    if (option.value.kind == Kind::none) continue;
    // A value that may be left out, or only follows "=", does not take the next word for itself.
    const char* takes = option.value.joined ? "joined" : option.value.optional ? "maybe" : "must";
    values += "        " + joined(option.names, "|") + ") value=" + bash_kind(option.value) + " takes=" + takes +
              " given='" + joined(option.value.words, " ") + "' ;;\n";
  }
  if (!values.empty()) text += "      case $prev in\n" + values + "      esac\n";
  return text + "      ;;\n";
}

constexpr const char* bash_functions =
    R"(# _lanebank_reply KIND WORDS: the candidates that begin as the current word does.
_lanebank_reply() {
  local before=
  case $1 in
    words) mapfile -t COMPREPLY < <(compgen -W "$2" -- "$cur") ;;
    list)
      if [[ $cur == *,* ]]; then before=${cur%,*},; fi
      mapfile -t COMPREPLY < <(compgen -P "$before" -W "$2" -- "${cur##*,}")
      compopt -o nospace 2> /dev/null
      ;;
    folder)
      compopt -o filenames 2> /dev/null
      mapfile -t COMPREPLY < <(compgen -d -- "$cur")
      ;;
    file)
      compopt -o filenames 2> /dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      ;;
    program)
      compopt -o filenames 2> /dev/null
      if [[ $cur == */* ]]; then mapfile -t COMPREPLY < <(compgen -f -- "$cur")
      else mapfile -t COMPREPLY < <(compgen -c -f -- "$cur" | sort -u); fi
      ;;
  esac
}

# What stands behind "--": completed as a command line of its own, where bash-completion is there.
_lanebank_program() {
  if ((COMP_CWORD > $1)); then
    if declare -F _command_offset > /dev/null; then _command_offset "$1"; else _lanebank_reply file; fi
  else
    _lanebank_reply program
  fi
}

_lanebank() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
  local command= equals= options= argument= words= value= takes= given= i
  COMPREPLY=()
  # bash splits --option=value into three words.
  if [[ $cur == "=" ]]; then
    equals=1 cur=
  elif [[ $prev == "=" ]]; then
    equals=1 prev=${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      --) _lanebank_program $((i + 1)); return ;;
      -*) ;;
      *) [[ -n $command ]] || command=${COMP_WORDS[i]} ;;
    esac
  done
  case $command in
)";

constexpr const char* bash_end = R"(    *) return ;;
  esac
  if [[ -n $value && ( -n $equals || $takes == must || ( $takes == maybe && $cur != -* ) ) ]]; then
    _lanebank_reply "$value" "$given"
    return
  fi
  [[ -z $equals ]] || return
  case $cur in
    -*) mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur") ;;
    *) _lanebank_reply "$argument" "$words" ;;
  esac
}
complete -F _lanebank lanebank
)";

// ---- zsh -----------------------------------------------------------------------------------------------------

std::string zsh_action(const ValueModel& value) {
  switch (value.kind) {
    case Kind::file:
      return "_files";
    case Kind::folder:
      return "_files -/";
    case Kind::words:
      return "(" + joined(value.words, " ") + ")";
    case Kind::list:
      return "_values -s , " + escaped(value.name, ": ") + " " + joined(value.words, " ");
    default:
      return " ";
  }
}

std::string zsh_text(const std::string& text) { return escaped(brief(text), "[]:\\"); }

std::string zsh_option(const OptionModel& option) {
  std::string rest = "[" + zsh_text(option.description) + "]";
  if (option.value.kind != Kind::none)
    rest += (option.value.optional ? "::" : ":") + zsh_text(option.value.name.empty() ? "value" : option.value.name) +
            ":" + zsh_action(option.value);
  std::string lines;
  for (const std::string& name : option.names) {
    std::string others;  // that make no sense behind this one
    if (!option.repeatable) others = "(" + joined(option.names, " ") + ")";
    const bool is_long = name.rfind("--", 0) == 0;
    const char* takes = option.value.kind == Kind::none ? "" : option.value.joined ? "=-" : is_long ? "=" : "+";
    std::string spec = option.repeatable ? "*" : others;
    spec.append(name).append(takes).append(rest);
    lines.append("    ").append(shell_quoted(spec)).append(" \\\n");
  }
  return lines;
}

std::string zsh_arguments(const CommandModel& command) {
  std::string lines;
  for (const ArgumentModel& argument : command.arguments)
    lines += "    " +
             shell_quoted((argument.repeatable ? std::string("*") : std::string()) + (argument.required ? ":" : "::") +
                          zsh_text(argument.name) + ":" + zsh_action(argument.value)) +
             " \\\n";
  if (command.takes_program) lines += "    '(-)1: :_command_names -e' \\\n    '*::arguments:_normal' \\\n";
  return lines;
}

std::string zsh_function(const CommandModel& command) {
  std::string text = "_lanebank_" + command.name + "() {\n  _arguments -S \\\n";
  for (const OptionModel& option : command.options) text += zsh_option(option);
  text += zsh_arguments(command);
  text.erase(text.size() - 3);  // the last " \\\n"
  return text + "\n}\n\n";
}

// ---- fish ----------------------------------------------------------------------------------------------------

std::string fish_quoted(const std::string& text) { return "'" + escaped(text, "'\\") + "'"; }

std::string fish_value(const ValueModel& value) {
  switch (value.kind) {
    case Kind::none:
      return "";
    case Kind::file:
      return value.joined ? "" : " -r -F";
    case Kind::folder:
      return " -x -a '(__fish_complete_directories)'";
    case Kind::words:
    case Kind::list:
      return " -x -a " + fish_quoted(joined(value.words, " "));
    case Kind::any:
      break;
  }
  return " -x";
}

std::string fish_line(const std::string& condition, const std::string& rest) {
  return "complete -c lanebank -n " + fish_quoted(condition) + rest + "\n";
}

std::string fish_options(const CommandModel& command, const std::string& condition) {
  std::string text;
  for (const OptionModel& option : command.options) {
    std::string names;
    for (const std::string& name : option.names)
      names += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
    text += fish_line(condition, names + (option.value.optional ? "" : fish_value(option.value)) + " -d " +
                                     fish_quoted(brief(option.description)));
  }
  for (const ArgumentModel& argument : command.arguments)
    if (argument.value.kind != Kind::any)
      text += fish_line(condition,
                        argument.value.words.empty() ? " -F" : " -a " + fish_quoted(joined(argument.value.words, " ")));
  if (command.takes_program) text += fish_line(condition, " -F -a '(__fish_complete_command)'");
  return text;
}

}  // namespace

std::string bash_completion(const CommandModel& command) {
  std::string text = header("", "bash") + bash_functions + bash_case(command);
  for (const CommandModel& inner : command.commands) text += bash_case(inner);
  return text + bash_end;
}

std::string zsh_completion(const CommandModel& command) {
  std::string text = header("#compdef lanebank\n", "zsh");
  for (const CommandModel& inner : command.commands) text += zsh_function(inner);
  text += "_lanebank() {\n  local curcontext=$curcontext state line\n  typeset -A opt_args\n  _arguments -C \\\n";
  for (const OptionModel& option : command.options) text += zsh_option(option);
  text +=
      "    '1: :->command' \\\n    '*:: :->words' && return\n  case $state in\n    command)\n      local -a "
      "commands=(\n";
  for (const CommandModel& inner : command.commands)
    text += "        " + shell_quoted(inner.name + ":" + zsh_text(inner.description)) + "\n";
  return text +
         "      )\n      _describe -t commands 'command of lanebank' commands\n      ;;\n"
         "    words) (( $+functions[_lanebank_$words[1]] )) && _lanebank_$words[1] ;;\n  esac\n}\n\n_lanebank \"$@\"\n";
}

std::string fish_completion(const CommandModel& command) {
  std::string text = header("", "fish") + "complete -c lanebank -f\n" + fish_options(command, "__fish_use_subcommand");
  for (const CommandModel& inner : command.commands)
    text += fish_line("__fish_use_subcommand", " -a " + inner.name + " -d " + fish_quoted(brief(inner.description)));
  for (const CommandModel& inner : command.commands)
    text += fish_options(inner, "__fish_seen_subcommand_from " + inner.name);
  return text;
}

}  // namespace lanebank::tools
