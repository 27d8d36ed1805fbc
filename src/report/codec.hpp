// Parts of the model to JSON values and back, shared by the report (json.cpp) and the channel
// (channel.cpp). Only these files see the JSON library.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "findings/report.hpp"

namespace lanebank::report::codec {

using Json = nlohmann::ordered_json;

/// Thrown while reading and turned into a Diagnostic at the edge.
struct Mismatch {
  std::string where, what;
};

/// A value and the path that leads to it: "launches[3].grid".
class Node {
 public:
  Node(const Json& value, std::string path) : value_(&value), path_(std::move(path)) {}

  bool has(const char* key) const { return value_->is_object() && value_->contains(key); }
  /// The member `key`; Mismatch when there is none.
  Node at(const char* key) const;
  Node at(std::size_t index) const;
  std::size_t size() const;  ///< of an array
  bool is_null() const { return value_->is_null(); }

  std::string text() const;
  bool boolean() const;
  double number() const;
  std::uint64_t whole(std::uint64_t largest = std::numeric_limits<std::uint64_t>::max()) const;
  template <class T>
  T as() const {
    return static_cast<T>(whole(std::numeric_limits<T>::max()));
  }

  [[noreturn]] void mismatch(const std::string& expected) const;
  const Json& json() const { return *value_; }

 private:
  const Json* value_;
  std::string path_;
};

/// How much of a row is written: the report format, or everything the model holds (for the channel).
enum class Detail { report, all };

Json write(const findings::InstructionReport& row, Detail detail);
/// All rows, with everything.
Json write(const findings::Instructions& rows);
/// A launch without its instructions.
Json write_head(const findings::LaunchReport& launch, Detail detail);
Json write(const findings::Finding& finding);
Json write(const Diagnostic& diagnostic);
Json write(const findings::Work& work);
Json write(const findings::Bottleneck& estimate);

/// For the channel only.
Json write(const findings::AccessLog& log);

findings::InstructionReport read_row(const Node& node);
findings::Instructions read_rows(const Node& node);
findings::LaunchReport read_head(const Node& node);
findings::Finding read_finding(const Node& node);
Diagnostic read_diagnostic(const Node& node);
findings::Work read_work(const Node& node);
findings::AccessLog read_access_log(const Node& node);

/// `text` parsed; Mismatch with the position when it is no JSON.
Json parse(std::string_view text);
/// One line, invalid UTF-8 replaced.
std::string dump(const Json& value, int indent = -1);

}  // namespace lanebank::report::codec
