#include "report/codec.hpp"

#include "report/codec_access.hpp"

namespace lanebank::report::codec {

using namespace findings;

namespace {

using codec::write;

Json write(const FaultReport& fault) {
  Json json{{"kind", fault.kind}, {"message", fault.message}, {"address", fault.address}};
  if (!fault.function.empty()) json["function"] = fault.function;
  json["file"] = fault.file;
  json["line"] = fault.line;
  json["block"] = fault.block;
  json["thread"] = fault.thread;
  return json;
}

/// Where a thread stood: what faults and accesses have alike.
template <class Place>
void read_place_of_thread(const Node& node, Place& place) {
  place.address = node.at("address").as<std::uint32_t>();
  if (node.has("function")) place.function = node.at("function").text();
  place.file = node.at("file").text();
  place.line = node.at("line").as<std::uint32_t>();
  place.thread = node.at("thread").as<std::uint32_t>();
}

FaultReport read_fault(const Node& node) {
  FaultReport fault;
  fault.kind = node.at("kind").text();
  fault.message = node.at("message").text();
  read_place_of_thread(node, fault);
  fault.block = node.at("block").whole();
  return fault;
}

Json write(const AccessPlace& place) {
  Json json{{"address", place.address}};
  if (!place.function.empty()) json["function"] = place.function;
  json["sass"] = place.sass;
  json["file"] = place.file;
  json["line"] = place.line;
  json["thread"] = place.thread;
  return json;
}

AccessPlace read_access_place(const Node& node) {
  AccessPlace place;
  read_place_of_thread(node, place);
  place.sass = node.at("sass").text();
  return place;
}

/// What is evidence of a check's report: all but the rule, the severity, the message and the suggestion.
Json write_evidence(const CheckReport& check) {
  Json json{{"hazard", check.hazard}, {"array", check.array}, {"byte", check.byte},
            {"block", check.block},   {"count", check.count}, {"access", write(check.access)}};
  if (check.earlier) json["earlier"] = write(*check.earlier);
  if (check.values) json["values"] = Json{{"current", check.values->current}, {"incoming", check.values->incoming}};
  return json;
}

CheckReport read_check_evidence(const Node& node) {
  CheckReport check;
  check.hazard = node.at("hazard").text();
  check.array = node.at("array").text();
  check.byte = node.at("byte").as<std::uint32_t>();
  check.block = node.at("block").whole();
  check.count = node.at("count").whole();
  check.access = read_access_place(node.at("access"));
  if (node.has("earlier")) check.earlier = read_access_place(node.at("earlier"));
  if (node.has("values"))
    check.values = {node.at("values").at("current").text(), node.at("values").at("incoming").text()};
  return check;
}

Rule read_rule(const Node& node) {
  auto rule = rule_named(node.text());
  if (!rule) node.mismatch("a rule");
  return *rule;
}

std::array<std::uint32_t, 3> read_extent(const Node& node) {
  if (node.size() != 3) node.mismatch("three numbers");
  return {node.at(std::size_t{0}).as<std::uint32_t>(), node.at(1).as<std::uint32_t>(), node.at(2).as<std::uint32_t>()};
}

Kind read_kind(const Node& node) {
  auto kind = kind_named(node.text());
  if (!kind) node.mismatch("a kind of instruction");
  return *kind;
}

Severity read_severity(const Node& node) {
  auto severity = severity_named(node.text());
  if (!severity) node.mismatch("note, warning or error");
  return *severity;
}

Json write(const Evidence& evidence) {
  Json json = Json::object();
  if (evidence.fault) {
    json["fault"] = write(*evidence.fault);
  } else if (evidence.check) {
    json = write_evidence(*evidence.check);
  } else {
    json = {{"array", evidence.array},
            {"kind", spelled(evidence.kind)},
            {"bits", evidence.bits},
            {"executed", evidence.executed},
            {"wavefronts", evidence.wavefronts},
            {"ideal", evidence.ideal},
            {"worst_degree", evidence.worst_degree}};
    if (evidence.worst) json["worst_access"] = write(*evidence.worst);
  }
  json["launches"] = evidence.launches;
  return json;
}

Evidence read_evidence(const Node& node) {
  Evidence evidence;
  evidence.launches = node.at("launches").whole();
  if (node.has("fault")) {
    evidence.fault = read_fault(node.at("fault"));
    return evidence;
  }
  if (node.has("hazard")) {
    evidence.check = read_check_evidence(node);
    evidence.array = evidence.check->array;
    return evidence;
  }
  evidence.array = node.at("array").text();
  evidence.kind = read_kind(node.at("kind"));
  evidence.bits = node.at("bits").as<std::uint32_t>();
  evidence.executed = node.at("executed").whole();
  evidence.wavefronts = node.at("wavefronts").whole();
  evidence.ideal = node.at("ideal").whole();
  evidence.worst_degree = node.at("worst_degree").as<std::uint32_t>();
  if (node.has("worst_access")) evidence.worst = read_worst(node.at("worst_access"));
  return evidence;
}

Json write(const CheckReport& check) {
  Json json = write_evidence(check);
  json["rule"] = info(check.rule).spelled;
  json["severity"] = spelled(check.severity);
  json["message"] = check.message;
  if (check.suggestion) json["suggestion"] = write(*check.suggestion);
  return json;
}

CheckReport read_check(const Node& node) {
  CheckReport check = read_check_evidence(node);
  check.rule = read_rule(node.at("rule"));
  check.severity = read_severity(node.at("severity"));
  check.message = node.at("message").text();
  if (node.has("suggestion")) check.suggestion = read_suggestion(node.at("suggestion"));
  return check;
}

Json write(const RemapReport& remap) {
  Json json{{"array", remap.array},
            {"layout", remap.layout},
            {"description", remap.description},
            {"bytes_before", remap.bytes_before}};
  if (!remap.refused.empty()) {
    json["refused"] = remap.refused;
    json["remedy"] = remap.remedy;
    return json;
  }
  json["bytes"] = remap.bytes;
  json["wavefronts_before"] = remap.wavefronts_before;
  json["ideal_before"] = remap.ideal_before;
  json["wavefronts"] = remap.wavefronts;
  json["ideal"] = remap.ideal;
  return json;
}

RemapReport read_remap(const Node& node) {
  RemapReport remap;
  remap.array = node.at("array").text();
  remap.layout = node.at("layout").text();
  remap.description = node.at("description").text();
  remap.bytes_before = remap.bytes = node.at("bytes_before").as<std::uint32_t>();
  if (node.has("refused")) {
    remap.refused = node.at("refused").text();
    remap.remedy = node.at("remedy").text();
    return remap;
  }
  remap.bytes = node.at("bytes").as<std::uint32_t>();
  remap.wavefronts_before = node.at("wavefronts_before").whole();
  remap.ideal_before = node.at("ideal_before").whole();
  remap.wavefronts = node.at("wavefronts").whole();
  remap.ideal = node.at("ideal").whole();
  return remap;
}

Json figure(std::uint64_t value, bool modelled) { return modelled ? Json(value) : Json(nullptr); }

}  // namespace

Node Node::at(const char* key) const {
  const std::string path = path_.empty() ? key : path_ + "." + key;
  if (!value_->is_object()) mismatch("an object");
  auto member = value_->find(key);
  if (member == value_->end()) throw Mismatch{path, "is missing"};
  return Node(*member, path);
}

Node Node::at(std::size_t index) const {
  if (index >= size()) mismatch("at least " + std::to_string(index + 1) + " elements");
  return Node((*value_)[index], path_ + "[" + std::to_string(index) + "]");
}

std::size_t Node::size() const {
  if (!value_->is_array()) mismatch("an array");
  return value_->size();
}

std::string Node::text() const {
  if (!value_->is_string()) mismatch("a string");
  return value_->get<std::string>();
}

bool Node::boolean() const {
  if (!value_->is_boolean()) mismatch("true or false");
  return value_->get<bool>();
}

double Node::number() const {
  if (!value_->is_number()) mismatch("a number");
  return value_->get<double>();
}

std::uint64_t Node::whole(std::uint64_t largest) const {
  if (!value_->is_number_unsigned()) mismatch("a whole number");
  const std::uint64_t value = value_->get<std::uint64_t>();
  if (value > largest) mismatch("a number up to " + std::to_string(largest));
  return value;
}

void Node::mismatch(const std::string& expected) const {
  std::string found = dump(*value_);
  if (found.size() > 40) found = found.substr(0, 37) + "...";
  throw Mismatch{path_, "expected " + expected + ", found " + found};
}

Json write(const InstructionReport& row, Detail detail) {
  Json json{{"address", row.address}};
  if (!row.function.empty()) json["function"] = row.function;
  json["sass"] = row.sass;
  json["kind"] = spelled(row.kind);
  json["bits"] = row.bits;
  json["file"] = row.file;
  json["line"] = row.line;
  json["inlined_at"] = write(row.inlined_at);
  json["array"] = row.array;
  json["executed"] = row.executed;
  json["threads"] = row.threads;
  json["modelled"] = row.modelled;
  json["timing_dependent"] = row.timing_dependent;
  json["wavefronts"] = figure(row.wavefronts, row.modelled);
  json["ideal"] = figure(row.ideal, row.modelled);
  json["worst_degree"] = figure(row.worst_degree, row.modelled);
  if (detail == Detail::report) return json;
  if (!row.why.empty()) json["why"] = row.why;
  if (row.worst) json["worst_access"] = write(*row.worst);
  if (row.suggestion) json["suggestion"] = write(*row.suggestion);
  return json;
}

Json write(const Instructions& rows) {
  Json json = Json::array();
  for (const InstructionReport& row : rows) json.push_back(write(row, Detail::all));
  return json;
}

Json write_head(const LaunchReport& launch, Detail detail) {
  Json json{{"id", launch.id}};
  if (launch.process != 0) json["process"] = launch.process;
  json["kernel"] = launch.kernel;
  json["symbol"] = launch.symbol;
  json["arch"] = launch.arch;
  json["grid"] = launch.grid;
  json["block"] = launch.block;
  json["static_shared_bytes"] = launch.static_shared_bytes;
  json["dynamic_shared_bytes"] = launch.dynamic_shared_bytes;
  if (launch.sampled_blocks != 0) json["sampled_blocks"] = launch.sampled_blocks;
  json["warp_instructions"] = launch.warp_instructions;
  json["conflict_rate"] = launch.conflict_rate();
  json["shared"] = {{"executed", launch.shared.executed},
                    {"wavefronts", launch.shared.wavefronts},
                    {"ideal", launch.shared.ideal},
                    {"excess", launch.shared.excess}};
  json["measured"] = launch.measured;
  if (launch.work) json["work"] = write(*launch.work);
  if (launch.bottleneck) json["bottleneck"] = write(*launch.bottleneck);
  if (launch.fault) json["fault"] = write(*launch.fault);
  if (!launch.remaps.empty()) {
    Json remaps = Json::array();
    for (const RemapReport& remap : launch.remaps) remaps.push_back(write(remap));
    json["remaps"] = std::move(remaps);
  }
  if (detail == Detail::report) return json;
  json["has_lines"] = launch.has_lines;
  json["rules_source"] = launch.rules_source;
  if (!launch.checks.empty()) {
    Json checks = Json::array();
    for (const CheckReport& check : launch.checks) checks.push_back(write(check));
    json["checks"] = std::move(checks);
  }
  json["seconds"] = launch.seconds;
  return json;
}

Json write(const Finding& finding) {
  Json json{{"rule", info(finding.rule).spelled},
            {"severity", spelled(finding.severity)},
            {"message", finding.message},
            {"file", finding.file},
            {"line", finding.line}};
  if (!finding.inlined_at.empty()) json["inlined_at"] = write(finding.inlined_at);
  json["launch"] = finding.launch;
  json["address"] = finding.address;
  if (!finding.function.empty()) json["function"] = finding.function;
  json["kernel"] = finding.kernel;
  json["evidence"] = write(finding.evidence);
  json["suggestion"] = finding.suggestion ? write(*finding.suggestion) : Json::object();
  return json;
}

Json write(const Diagnostic& diagnostic) {
  return {{"id", diagnostic.id},
          {"severity", spelled(diagnostic.severity)},
          {"where", diagnostic.where},
          {"what", diagnostic.what},
          {"remedy", diagnostic.remedy}};
}

InstructionReport read_row(const Node& node) {
  InstructionReport row;
  row.address = node.at("address").as<std::uint32_t>();
  if (node.has("function")) row.function = node.at("function").text();
  row.sass = node.at("sass").text();
  row.kind = read_kind(node.at("kind"));
  row.bits = node.at("bits").as<std::uint32_t>();
  row.file = node.at("file").text();
  row.line = node.at("line").as<std::uint32_t>();
  row.inlined_at = read_places(node.at("inlined_at"));
  row.array = node.at("array").text();
  row.executed = node.at("executed").whole();
  row.threads = node.at("threads").whole();
  row.modelled = node.at("modelled").boolean();
  row.timing_dependent = node.at("timing_dependent").boolean();
  if (row.modelled) {
    row.wavefronts = node.at("wavefronts").whole();
    row.ideal = node.at("ideal").whole();
    row.worst_degree = node.at("worst_degree").as<std::uint32_t>();
  }
  if (node.has("why")) row.why = node.at("why").text();
  if (node.has("worst_access")) row.worst = read_worst(node.at("worst_access"));
  if (node.has("suggestion")) row.suggestion = read_suggestion(node.at("suggestion"));
  return row;
}

Instructions read_rows(const Node& node) {
  Instructions rows;
  rows.reserve(node.size());
  for (std::size_t i = 0; i < node.size(); i++) rows.push_back(read_row(node.at(i)));
  return rows;
}

LaunchReport read_head(const Node& node) {
  LaunchReport launch;
  launch.id = node.at("id").whole();
  if (node.has("process")) launch.process = node.at("process").as<std::uint32_t>();
  launch.kernel = node.at("kernel").text();
  launch.symbol = node.at("symbol").text();
  launch.arch = node.at("arch").text();
  launch.grid = read_extent(node.at("grid"));
  launch.block = read_extent(node.at("block"));
  launch.static_shared_bytes = node.at("static_shared_bytes").as<std::uint32_t>();
  launch.dynamic_shared_bytes = node.at("dynamic_shared_bytes").as<std::uint32_t>();
  if (node.has("sampled_blocks")) launch.sampled_blocks = node.at("sampled_blocks").whole();
  launch.warp_instructions = node.at("warp_instructions").whole();
  const Node shared = node.at("shared");
  launch.shared = {shared.at("executed").whole(), shared.at("wavefronts").whole(), shared.at("ideal").whole(),
                   shared.at("excess").whole()};
  if (node.has("fault")) launch.fault = read_fault(node.at("fault"));
  if (node.has("remaps")) {
    const Node remaps = node.at("remaps");
    for (std::size_t i = 0; i < remaps.size(); i++) launch.remaps.push_back(read_remap(remaps.at(i)));
  }
  launch.measured = node.at("measured").boolean();
  if (node.has("work")) launch.work = read_work(node.at("work"));
  if (node.has("rules_source")) launch.rules_source = node.at("rules_source").text();
  if (node.has("has_lines")) launch.has_lines = node.at("has_lines").boolean();
  if (node.has("checks")) {
    const Node checks = node.at("checks");
    for (std::size_t i = 0; i < checks.size(); i++) launch.checks.push_back(read_check(checks.at(i)));
  }
  if (node.has("seconds")) launch.seconds = node.at("seconds").number();
  return launch;
}

Finding read_finding(const Node& node) {
  Finding finding;
  finding.rule = read_rule(node.at("rule"));
  finding.severity = read_severity(node.at("severity"));
  finding.message = node.at("message").text();
  finding.file = node.at("file").text();
  finding.line = node.at("line").as<std::uint32_t>();
  if (node.has("inlined_at")) finding.inlined_at = read_places(node.at("inlined_at"));
  finding.launch = node.at("launch").whole();
  finding.address = node.at("address").as<std::uint32_t>();
  if (node.has("function")) finding.function = node.at("function").text();
  finding.kernel = node.at("kernel").text();
  finding.evidence = read_evidence(node.at("evidence"));
  if (node.at("suggestion").has("text")) finding.suggestion = read_suggestion(node.at("suggestion"));
  return finding;
}

Diagnostic read_diagnostic(const Node& node) {
  Diagnostic diagnostic;
  diagnostic.id = node.at("id").text();
  diagnostic.severity = read_severity(node.at("severity"));
  diagnostic.where = node.at("where").text();
  diagnostic.what = node.at("what").text();
  diagnostic.remedy = node.at("remedy").text();
  return diagnostic;
}

Json parse(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw Mismatch{"byte " + std::to_string(error.byte), "is not JSON"};
  } catch (const Json::exception&) {  // a number that no double holds
    throw Mismatch{"", "holds a number out of range"};
  }
}

std::string dump(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lanebank::report::codec
