// The checklist for people and for programs.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "advise/checklist.hpp"
#include "base/words.hpp"

namespace lanebank::advise {
namespace {

using Json = nlohmann::ordered_json;

/// At most so many characters of a kernel's template arguments are of use to a reader.
std::string short_kernel(const std::string& kernel) {
  constexpr std::size_t most = 40;
  const std::string title = kernel_title(kernel);
  return title.size() <= most ? title : title.substr(0, most - 3) + "...";
}

std::string shown(const PointEvidence& evidence) {
  std::string place = short_kernel(evidence.kernel);
  if (!evidence.array.empty()) place += (place.empty() ? "" : " ") + evidence.array;
  if (evidence.line != 0)
    place += (place.empty() ? "" : " ") + evidence.file.substr(evidence.file.find_last_of('/') + 1) + ":" +
             std::to_string(evidence.line);
  return place.empty() ? evidence.text : place + ": " + evidence.text;
}

Json list(const std::vector<std::optional<std::uint32_t>>& numbers) {
  Json json = Json::array();
  for (const auto& number : numbers) json.push_back(number ? Json(*number) : Json(nullptr));
  return json;
}

Json json_of(const PointEvidence& evidence) {
  Json json = Json::object();
  if (!evidence.kernel.empty()) json["kernel"] = evidence.kernel;
  if (!evidence.array.empty()) json["array"] = evidence.array;
  if (!evidence.file.empty()) json["file"] = evidence.file;
  if (evidence.line != 0) json["line"] = evidence.line;
  if (evidence.lanes != 0) json["lanes"] = fmt::format("0x{:08x}", evidence.lanes);
  json["text"] = evidence.text;
  if (!evidence.addresses.empty()) json["addresses"] = list(evidence.addresses);
  if (!evidence.banks.empty()) json["banks"] = list(evidence.banks);
  return json;
}

}  // namespace

std::string checklist_text(const Checklist& checklist, const ChecklistTextOptions& options) {
  std::string command;
  for (const std::string& word : checklist.command) command += (command.empty() ? "" : " ") + word;
  std::string text = "lanebank checklist  " + command + "\n\n";
  std::size_t number = 0, good = 0;
  for (const Point& point : checklist.points) {
    const char* answer = point.answer == Answer::yes ? "yes" : point.answer == Answer::no ? "no" : "not known";
    good += point.answer == Answer::yes ? 1 : 0;
    text += fmt::format("  {:>2}  {:<60} {}\n      {}\n", ++number, question_of(point.id), answer, point.reason);
    for (std::size_t i = 0; i < point.evidence.size() && i < options.evidence; ++i)
      text += "        " + shown(point.evidence[i]) + "\n";
    if (point.evidence.size() > options.evidence)
      text += fmt::format("        and {} more; --json has them all\n", point.evidence.size() - options.evidence);
  }
  return text +
         fmt::format("\n  {} of {} answered with yes (exit {})\n", good, checklist.points.size(), options.exit_code);
}

std::string checklist_json(const Checklist& checklist) {
  Json points = Json::array();
  for (const Point& point : checklist.points) {
    Json evidence = Json::array();
    for (const PointEvidence& one : point.evidence) evidence.push_back(json_of(one));
    points.push_back({{"id", spelled(point.id)},
                      {"question", question_of(point.id)},
                      {"answer", name_of(point.answer)},
                      {"reason", point.reason},
                      {"evidence", std::move(evidence)}});
  }
  const Json json{{"schema", "lanebank.checklist/1"}, {"command", checklist.command}, {"points", std::move(points)}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lanebank::advise
