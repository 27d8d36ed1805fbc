// What the completion of a shell offers as an option's value. The set of CLI::IsMember and CLI::ExistingDirectory speak for themselves.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

namespace lanebank::tools {

inline constexpr const char* offered_words = "offers:";      ///< begins the names of the validators below
inline constexpr const char* offered_list = "offers-list:";  ///< words with commas between

/// A validator that lets everything through; its name holds the words, since CLI11 shows only descriptions.
inline CLI::Validator offers(const std::vector<std::string>& words, const char* kind = offered_words) {
  std::string name = kind;
  for (const std::string& word : words) name += word + " ";
  return CLI::Validator([](std::string&) { return std::string(); }, "", std::move(name));
}

inline CLI::Validator offers_list(const std::vector<std::string>& words) { return offers(words, offered_list); }

/// For arguments that are files; options are, where the name of their type is FILE.
inline CLI::Validator offers_files() { return offers({}); }

}  // namespace lanebank::tools
