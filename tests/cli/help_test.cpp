// The examples that --help teaches with are command lines that lanebank takes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <sstream>

#include "lanebank/commands.hpp"

namespace lanebank::tools {
namespace {

/// The words of a command line, as a shell makes them of plain words and single quotes; ends before a column of comments (two blanks),
/// a pipe or a redirection.
std::vector<std::string> shell_words(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false, any = false;
  for (std::size_t i = 0; i < line.size(); i++) {
    const char c = line[i];
    if (c == '\'') {
      quoted = !quoted;
      any = true;
    } else if (quoted || c != ' ') {
      word += c;
      any = true;
    } else {
      if (any) words.push_back(word);
      word.clear();
      any = false;
      if (line.compare(i, 2, "  ") == 0) break;
    }
  }
  EXPECT_FALSE(quoted) << line;
  if (any) words.push_back(word);
  const auto end = std::find_if(words.begin(), words.end(), [](const auto& w) { return w == ">" || w == "|"; });
  words.erase(end, words.end());
  return words;
}

/// The indented lines of a help text that are command lines of lanebank.
std::vector<std::string> examples_of(const CLI::App& app) {
  std::vector<std::string> examples;
  std::istringstream footer(app.get_footer());
  for (std::string line; std::getline(footer, line);) {
    for (std::string next; line.ends_with('\\') && std::getline(footer, next);)
      line.replace(line.size() - 1, 1, next.substr(next.find_first_not_of(' ')));
    if (const std::size_t at = line.find("| lanebank "); at != std::string::npos) line = "  " + line.substr(at + 2);
    if (line.rfind("  lanebank ", 0) == 0) examples.push_back(line.substr(2));
  }
  return examples;
}

/// Parses as the command does, and runs nothing.
std::string error_of(std::vector<std::string> words) {
  Invocation invocation;
  CLI::App app("", "lanebank");
  add_commands(app, invocation);
  struct Parsed {};
  app.parse_complete_callback([] { throw Parsed(); });  // before the command's own callback
  words.erase(std::find(words.begin(), words.end(), "--"), words.end());
  std::reverse(words.begin(), words.end());
  words.pop_back();
  try {
    app.parse(words);
    ADD_FAILURE() << "a command ran";
  } catch (const Parsed&) {
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  for (const CLI::App* command : app.get_subcommands())  // what stands before "--" and is no option is the program
    if (const auto rest = command->remaining(); !rest.empty() && rest.front()[0] == '-') return rest.front();
  return {};
}

TEST(Help, EveryCommandHasExamplesAndEachParses) {
  Invocation invocation;
  CLI::App app("", "lanebank");
  add_commands(app, invocation);
  std::vector<const CLI::App*> all = {&app};
  for (const CLI::App* command : app.get_subcommands({})) all.push_back(command);
  ASSERT_GT(all.size(), 9u);
  for (const CLI::App* command : all) {
    const std::vector<std::string> examples = examples_of(*command);
    EXPECT_GE(examples.size(), command->get_name() == "manual" ? 1u : 2u) << command->get_name();
    for (const std::string& example : examples) {
      const std::vector<std::string> words = shell_words(example);
      EXPECT_TRUE(command == &app || words.at(1) == command->get_name()) << example;
      EXPECT_EQ(error_of(words), "") << example;
    }
  }
}

TEST(Help, TheTestSeesWrongExamples) {
  EXPECT_NE(error_of({"lanebank", "run", "--no-such-option"}), "");
  EXPECT_NE(error_of({"lanebank", "solve", "tile.json", "--order", "bsb"}), "");
  EXPECT_EQ(shell_words("lanebank show 'a b'   'comment'"), (std::vector<std::string>{"lanebank", "show", "a b"}));
}

TEST(Help, EveryCommandSaysHowItEnds) {
  Invocation invocation;
  CLI::App app("", "lanebank");
  add_commands(app, invocation);
  for (const CLI::App* command : app.get_subcommands({}))
    EXPECT_THAT(command->get_footer(), testing::HasSubstr("Exit code")) << command->get_name();
}

}  // namespace
}  // namespace lanebank::tools
