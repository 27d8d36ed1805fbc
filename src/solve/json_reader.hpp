// A JSON value with its place in the document, for messages.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"

namespace lanebank::solve {

using Json = nlohmann::ordered_json;

/// One value and the JSON pointer to it. Refers to the document, which must live longer.
class JsonPlace {
 public:
  JsonPlace(const Json& value, std::string file, std::string pointer = "")
      : value_(&value), file_(std::move(file)), pointer_(std::move(pointer)) {}

  const Json& value() const { return *value_; }
  bool is_null() const { return value_->is_null(); }
  bool has(const char* key) const { return value_->is_object() && value_->contains(key); }
  JsonPlace operator[](std::string_view key) const;  ///< of an object that has it
  JsonPlace operator[](std::size_t index) const;     ///< of an array that is as long

  /// "file /pointer".
  std::string where() const { return file_ + " " + (pointer_.empty() ? "/" : pointer_); }
  const std::string& file() const { return file_; }
  tl::unexpected<Diagnostic> wrong(const std::string& id, const std::string& what, const std::string& remedy) const;

  /// A whole number from `lowest` to `highest`.
  Result<std::int64_t> whole(std::int64_t lowest, std::int64_t highest) const;
  Result<std::string> text() const;
  /// Is it an object, and of these keys only? Missing ones are not looked for.
  Result<void> object_of(const std::vector<std::string_view>& keys) const;
  Result<JsonPlace> member(const char* key) const;
  Result<std::size_t> array_size(std::size_t lowest, std::size_t highest) const;

 private:
  const Json* value_;
  std::string file_, pointer_;
};

/// Parses a document; errors carry file:line:column.
Result<Json> parse_json(std::string_view text, const std::string& file);

/// A text from a document as messages show it: short, and printable.
std::string shown(std::string_view text);

}  // namespace lanebank::solve
