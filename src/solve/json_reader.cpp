#include "solve/json_reader.hpp"

#include <algorithm>

namespace lanebank::solve {
namespace {

constexpr std::size_t document_limit_bytes = std::size_t{64} << 20;

std::string escaped(std::string_view key) {
  std::string result;
  for (const char c : key.substr(0, 60)) {
    if (c == '~') {
      result += "~0";
    } else if (c == '/') {
      result += "~1";
    } else {
      result += c >= ' ' && c < 127 ? c : '?';
    }
  }
  return result;
}

/// What nlohmann's message says after its own prefix: "[json.exception.parse_error.101] parse error at ..: SAID".
std::string reason_of(const std::string& message) {
  const std::size_t at = message.find(": ");
  std::string reason = at == std::string::npos ? message : message.substr(at + 2);
  for (char& c : reason)
    if (c < ' ' || c > 126) c = '?';
  return reason.size() > 200 ? reason.substr(0, 200) + ".." : reason;
}

}  // namespace

std::string shown(std::string_view text) {
  std::string result = "'";
  for (const char c : text.substr(0, 40)) result += c >= ' ' && c < 127 ? c : '?';
  return result + (text.size() > 40 ? "..'" : "'");
}

JsonPlace JsonPlace::operator[](std::string_view key) const {
  return {value_->at(std::string(key)), file_, pointer_ + "/" + escaped(key)};
}

JsonPlace JsonPlace::operator[](std::size_t index) const {
  return {value_->at(index), file_, pointer_ + "/" + std::to_string(index)};
}

tl::unexpected<Diagnostic> JsonPlace::wrong(const std::string& id, const std::string& what,
                                            const std::string& remedy) const {
  return fail(id, where(), what, remedy);
}

Result<std::int64_t> JsonPlace::whole(std::int64_t lowest, std::int64_t highest) const {
  const std::string remedy =
      "Give a whole number from " + std::to_string(lowest) + " to " + std::to_string(highest) + ".";
  if (!value_->is_number_integer()) {
    std::string found = value_->is_number() ? value_->dump() : std::string(value_->type_name());
    return wrong("problem.number", "a whole number is needed, not " + found, remedy);
  }
  const bool huge = value_->is_number_unsigned() && value_->get<std::uint64_t>() > std::uint64_t{INT64_MAX};
  const std::int64_t number = huge ? INT64_MAX : value_->get<std::int64_t>();
  if (huge || number < lowest || number > highest)
    return wrong("problem.number", value_->dump() + " is out of range", remedy);
  return number;
}

Result<std::string> JsonPlace::text() const {
  if (!value_->is_string())
    return wrong("problem.text", std::string("a text is needed, not ") + value_->type_name(), "Put it in quotes.");
  return value_->get<std::string>();
}

Result<void> JsonPlace::object_of(const std::vector<std::string_view>& keys) const {
  std::string known;
  for (const std::string_view key : keys) known += (known.empty() ? "" : ", ") + std::string(key);
  if (!value_->is_object())
    return wrong("problem.object", std::string("an object is needed, not ") + value_->type_name(),
                 "Its keys: " + known + ".");
  for (const auto& [key, member] : value_->items())
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      return (*this)[key].wrong("problem.key", "unknown key " + shown(key), "Known here: " + known + ".");
  return {};
}

Result<JsonPlace> JsonPlace::member(const char* key) const {
  if (!value_->is_object())
    return wrong("problem.object", std::string("an object is needed, not ") + value_->type_name(),
                 std::string("It must have the key ") + key + ".");
  if (!value_->contains(key))
    return wrong("problem.missing", std::string("no ") + key, std::string("Add the key ") + key + ".");
  return (*this)[key];
}

Result<std::size_t> JsonPlace::array_size(std::size_t lowest, std::size_t highest) const {
  const std::string remedy = lowest == highest
                                 ? "Give " + std::to_string(lowest) + " values."
                                 : "Give " + std::to_string(lowest) + " to " + std::to_string(highest) + " values.";
  if (!value_->is_array())
    return wrong("problem.array", std::string("an array is needed, not ") + value_->type_name(), remedy);
  if (value_->size() < lowest || value_->size() > highest)
    return wrong("problem.array", "an array of " + std::to_string(value_->size()) + " values", remedy);
  return value_->size();
}

Result<Json> parse_json(std::string_view text, const std::string& file) {
  if (text.size() > document_limit_bytes)
    return fail("problem.size", file, "more than 64 MiB", "Give accesses as expressions instead of lists.");
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const std::size_t end = std::min<std::size_t>(error.byte == 0 ? 0 : error.byte - 1, text.size());
    const std::string_view before = text.substr(0, end);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    return fail("problem.json", file + ":" + std::to_string(line) + ":" + std::to_string(end - start + 1),
                "not JSON: " + reason_of(error.what()), "The format is described in docs/solver.md.");
  } catch (const Json::exception& error) {  // a number beyond what a double holds
    return fail("problem.json", file, "not JSON: " + reason_of(error.what()),
                "The format is described in docs/solver.md.");
  }
}

}  // namespace lanebank::solve
