// The report of `lanebank doctor`, for people and for programs.
#include <nlohmann/json.hpp>

#include "doctor.hpp"

namespace lanebank::tools {
namespace {

const char* name_of(PartState state) {
  switch (state) {
    case PartState::usable:
      return "usable";
    case PartState::limited:
      return "limited";
    case PartState::absent:
      return "absent";
    case PartState::broken:
      break;
  }
  return "broken";
}

nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(text.size() < width ? width - text.size() : 1, ' ');
}

std::string part_text(const DoctorPart& part) {
  const std::string indent(25, ' ');
  std::string text = "  " + padded(part.name, 23) + padded(name_of(part.state), 9);
  for (const std::string& word : {part.version, part.path})
    if (!word.empty()) text += word + "   ";
  text.erase(text.find_last_not_of(' ') + 1);
  text += "\n";
  if (!part.note.empty()) text += indent + part.note + "\n";
  text += indent + (part.state == PartState::usable ? "" : "for: ") + part.enables + "\n";
  if (!part.remedy.empty()) text += indent + part.remedy + "\n";
  return text;
}

}  // namespace

std::string doctor_text(const DoctorReport& report) {
  std::string text = "lanebank " LANEBANK_VERSION "   ";
  text += report.can_run() ? "`lanebank run` works here\n" : "`lanebank run` does NOT work here (exit 122)\n";
  for (const bool needed : {true, false}) {
    text += needed ? "\nneeded\n" : "\nuseful\n";
    for (const DoctorPart& part : report.parts)
      if (part.needed == needed) text += part_text(part);
  }
  return text;
}

std::string doctor_json(const DoctorReport& report) {
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  for (const DoctorPart& part : report.parts)
    parts.push_back({{"id", part.id},
                     {"name", part.name},
                     {"needed", part.needed},
                     {"state", name_of(part.state)},
                     {"version", text_or_null(part.version)},
                     {"path", text_or_null(part.path)},
                     {"note", text_or_null(part.note)},
                     {"enables", part.enables},
                     {"remedy", text_or_null(part.remedy)}});
  const nlohmann::ordered_json document = {{"schema", "lanebank.doctor/1"},
                                           {"lanebank", LANEBANK_VERSION},
                                           {"can_run", report.can_run()},
                                           {"parts", std::move(parts)}};
  // What other programs said may be no UTF-8.
  return document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace lanebank::tools
