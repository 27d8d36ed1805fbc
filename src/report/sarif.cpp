#include "report/sarif.hpp"

#include <map>

#include "base/words.hpp"
#include "report/codec.hpp"
#include "report/escape.hpp"
#include "report/fingerprint.hpp"
#include "report/ranking.hpp"
#include "report/wording.hpp"

namespace lanebank::report {

using codec::Json;
using findings::AccessPlace;
using findings::Finding;
using findings::RuleInfo;

namespace {

constexpr std::size_t sarif_text_bytes = 2000;

Json message_of(const std::string& text) { return {{"text", cut(clean(text), sarif_text_bytes)}}; }

const char* level_of(Severity severity) {
  return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "note";
}

Json rule_json(const RuleInfo& rule) {
  const bool costs_time = rule.rule == findings::Rule::bank_conflict;
  const std::string help = std::string(rule.meaning) + " " + std::string(rule.remedy);
  Json json{{"id", rule.spelled},
            {"name", rule.spelled},
            {"shortDescription", {{"text", rule.title}}},
            {"fullDescription", {{"text", rule.meaning}}},
            {"help",
             {{"text", help},
              {"markdown", std::string(rule.meaning) + "\n\n**What to do.** " + std::string(rule.remedy) +
                               "\n\n[More](" + std::string(rule.link) + ")"}}},
            {"helpUri", rule.link},
            {"defaultConfiguration", {{"level", level_of(rule.severity)}}}};
  json["properties"] = {
      {"tags", {"cuda", "shared-memory", costs_time ? "performance" : "correctness"}},
      {"precision", "very-high"},
      {"problem.severity", rule.severity == Severity::note ? "recommendation" : level_of(rule.severity)}};
  return json;
}

Json artifact_of(const std::string& file) {
  if (is_own(file)) return {{"uri", uri_path(file)}, {"uriBaseId", "SRCROOT"}};
  return {{"uri", "file://" + uri_path(file)}};
}

class SarifWriter {
 public:
  SarifWriter(const findings::ProgramReport& report, Sources& sources, const SarifOptions& options)
      : report_(report), sources_(sources), options_(options) {}

  std::string write() {
    const std::string results = this->results();
    std::string run = codec::dump(head());
    run.pop_back();  // its brace
    return "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[\n" + run +
           ",\"results\":[" + results + "\n]}\n]}\n";
  }

 private:
  Json head() const {
    Json driver{{"name", "lanebank"},
                {"shortDescription", {{"text", "Shared-memory bank conflicts, races and bounds of CUDA programs"}}}};
    if (!options_.version.empty()) driver["semanticVersion"] = options_.version;
    driver["rules"] = Json::array();
    for (const RuleInfo& rule : findings::all_rules()) driver["rules"].push_back(rule_json(rule));
    Json notifications = Json::array();
    for (const Diagnostic& problem : report_.problems) notifications.push_back(notification(problem, "error"));
    for (const Diagnostic& note : report_.notes) notifications.push_back(notification(note, "note"));
    if (left_out_.all() > 0)
      notifications.push_back({{"level", "warning"},
                               {"message", message_of(tally_text(left_out_) + " with " + grouped(left_out_.excess) +
                                                      " excess wavefronts are left out: this log holds the worst " +
                                                      grouped(report_.findings.size() - left_out_.all()) + " of " +
                                                      counted(report_.findings.size(), "finding", "findings"))},
                               {"descriptor", {{"id", "results.left-out"}}}});
    Json invocation{{"executionSuccessful", report_.problems.empty() && !report_.launches.empty()},
                    {"exitCode", report_.exit_code}};
    if (!notifications.empty()) invocation["toolExecutionNotifications"] = std::move(notifications);
    Json json{{"tool", {{"driver", std::move(driver)}}}, {"invocations", Json::array({std::move(invocation)})}};
    json["originalUriBaseIds"] = {
        {"SRCROOT", {{"description", {{"text", "The folder that paths are relative to: the root of the sources"}}}}}};
    json["columnKind"] = "unicodeCodePoints";
    const std::string program = report_.command.empty() ? "" : report_.command[0];
    json["automationDetails"] = {{"id", clean("lanebank/" + program.substr(program.rfind('/') + 1) + "/")}};
    return json;
  }

  static Json notification(const Diagnostic& diagnostic, const char* level) {
    std::string text = diagnostic.where.empty() ? diagnostic.what : diagnostic.where + ": " + diagnostic.what;
    if (!diagnostic.remedy.empty()) text += ". " + diagnostic.remedy;
    return {{"level", level}, {"message", message_of(text)}, {"descriptor", {{"id", clean(diagnostic.id)}}}};
  }

  /// The results, one a line, in the order of the report.
  std::string results() {
    std::vector<const Finding*> shown = worst_findings(report_, options_.most_results);
    left_out_ = tally_of(report_);
    std::map<const Finding*, std::string> texts;  // by place in the report
    std::size_t bytes = 0;
    for (const Finding* finding : shown) {
      std::string text = codec::dump(result(*finding));
      bytes += text.size() + 2;
      if (bytes > options_.most_bytes) break;
      texts.emplace(finding, std::move(text));
    }
    std::string joined;
    for (const auto& [finding, text] : texts) {
      const std::size_t severity = static_cast<std::size_t>(finding->severity);
      left_out_.of_severity[severity]--;
      left_out_.excess -= finding->excess() * finding->evidence.launches;
      joined += (joined.empty() ? "\n" : ",\n") + text;
    }
    return joined;
  }

  Json result(const Finding& finding) {
    const std::size_t telling = telling_place(finding);
    const findings::SourcePlace place = place_at(finding, telling);
    std::string text = finding.message;
    if (finding.suggestion) text += ". Cure: " + finding.suggestion->text;
    Json json{{"ruleId", findings::info(finding.rule).spelled},
              {"ruleIndex", static_cast<unsigned>(finding.rule)},
              {"level", level_of(finding.severity)},
              {"message", message_of(text)}};
    json["locations"] = Json::array({location(finding, place.file, place.line, finding.address)});
    Json related = Json::array();
    for (std::size_t i = 0; i <= finding.inlined_at.size(); i++)
      if (const findings::SourcePlace step = place_at(finding, i); i != telling && step.line != 0)
        related.push_back(
            related_location(related.size(), i < telling ? "the access itself" : "inlined here", step.file, step.line));
    if (finding.evidence.check) add_accesses(*finding.evidence.check, json, related);
    if (!related.empty()) json["relatedLocations"] = std::move(related);
    if (finding.suggestion && !finding.suggestion->edits.empty())
      json["fixes"] = Json::array({fix_of(*finding.suggestion)});
    const std::string mark = counted_fingerprint(finding);
    json["partialFingerprints"] = {{"primaryLocationLineHash", mark}, {"lanebank/v1", mark}};
    json["properties"] = properties(finding);
    return json;
  }

  /// A place in a source file; without one, in the program, as an address of the kernel.
  Json location(const Finding& finding, const std::string& file, std::uint32_t line, std::uint32_t address) const {
    Json physical = Json::object();
    if (line != 0) {
      physical = place_json(file, line);
    } else {
      // Code scanning takes no result without a file and a line.
      physical["artifactLocation"] = artifact_of(report_.command.empty() ? "program" : relative(report_.command[0]));
      physical["region"] = {{"startLine", 1}};
      physical["address"] = {{"relativeAddress", address}, {"kind", "instruction"}};
    }
    const std::string& function = finding.function.empty() ? finding.kernel : finding.function;
    Json json{{"physicalLocation", std::move(physical)}};
    json["logicalLocations"] =
        Json::array({{{"fullyQualifiedName", cut(clean(function), sarif_text_bytes)}, {"kind", "function"}}});
    return json;
  }

  static std::string relative(const std::string& program) {
    return program.starts_with("./") ? program.substr(2) : program;
  }

  static Json place_json(const std::string& file, std::uint32_t line) {
    return {{"artifactLocation", artifact_of(file)}, {"region", {{"startLine", line}}}};
  }

  static Json related_location(std::size_t id, const std::string& text, const std::string& file, std::uint32_t line) {
    return {{"id", id}, {"message", message_of(text)}, {"physicalLocation", place_json(file, line)}};
  }

  static Json fix_of(const findings::Suggestion& suggestion) {
    std::map<std::string, Json> replacements;  // by file
    for (const findings::LineEdit& edit : suggestion.edits) {
      Json region{
          {"startLine", edit.first}, {"startColumn", 1}, {"endLine", edit.first + edit.count}, {"endColumn", 1}};
      auto [list, added] = replacements.try_emplace(edit.file, Json::array());
      list->second.push_back({{"deletedRegion", std::move(region)}, {"insertedContent", {{"text", edit.text}}}});
    }
    Json changes = Json::array();
    for (auto& [file, list] : replacements)
      changes.push_back({{"artifactLocation", artifact_of(file)}, {"replacements", std::move(list)}});
    return {{"description", message_of(suggestion.text)}, {"artifactChanges", std::move(changes)}};
  }

  /// Of a race both accesses, and each thread's way to it as a flow.
  static void add_accesses(const findings::CheckReport& check, Json& json, Json& related) {
    if (!check.earlier || check.earlier->line == 0) return;
    const auto said = [](const AccessPlace& access, const char* when) {
      return "thread " + std::to_string(access.thread) + ", " + when + ": " + access.sass;
    };
    related.push_back(
        related_location(related.size(), said(*check.earlier, "before"), check.earlier->file, check.earlier->line));
    if (check.access.line == 0 || check.rule != findings::Rule::race) return;
    Json flows = Json::array();
    for (const auto& [access, when] : {std::pair(&*check.earlier, "before"), std::pair(&check.access, "then")}) {
      Json location{{"message", message_of(said(*access, when))},
                    {"physicalLocation", place_json(access->file, access->line)}};
      Json step{{"location", std::move(location)}};
      flows.push_back({{"id", "thread " + std::to_string(access->thread)}, {"locations", Json::array({step})}});
    }
    json["codeFlows"] = Json::array({{{"threadFlows", std::move(flows)}}});
  }

  /// Alike findings are told apart by their order.
  std::string counted_fingerprint(const Finding& finding) {
    const std::uint64_t hash = fingerprint(finding, sources_);
    return hex(hash) + ":" + std::to_string(++alike_[hash]);
  }

  static Json properties(const Finding& finding) {
    Json json{{"kernel", cut(clean(finding.kernel), sarif_text_bytes)}, {"launches", finding.evidence.launches}};
    if (!finding.evidence.array.empty()) json["array"] = cut(clean(finding.evidence.array), sarif_text_bytes);
    if (finding.rule == findings::Rule::bank_conflict) {
      json["executed"] = finding.evidence.executed;
      json["wavefronts"] = finding.evidence.wavefronts;
      json["ideal"] = finding.evidence.ideal;
      json["excess"] = finding.excess();
    }
    if (finding.evidence.check) json["count"] = finding.evidence.check->count;
    return json;
  }

  const findings::ProgramReport& report_;
  Sources& sources_;
  const SarifOptions& options_;
  Tally left_out_;
  std::map<std::uint64_t, unsigned> alike_;  ///< by hash of the fingerprint
};

}  // namespace

std::string write_sarif(const findings::ProgramReport& report, Sources& sources, const SarifOptions& options) {
  return SarifWriter(report, sources, options).write();
}

}  // namespace lanebank::report
