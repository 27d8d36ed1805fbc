#include "report/channel.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "report/codec.hpp"

namespace lanebank::report {

using codec::Detail;
using codec::Json;
using codec::Node;

namespace {

Json parse_line(std::string_view line) {
  Json json = codec::parse(line);
  if (!json.is_object()) throw codec::Mismatch{"", "is no record"};
  return json;
}

/// The texts of a launch's rows and of its log, by which equal ones are found; empty where there are none or an id names them.
struct Texts {
  std::string rows, accesses;
};

/// A launch record without its rows and its log; `texts` gets them.
Record read_record(const Json& json, Texts& texts) {
  const Node node(json, "");
  Record record;
  record.process = static_cast<std::int64_t>(node.at("process").whole(INT64_MAX));
  const std::string type = node.at("record").text();
  if (type == "launch") {
    record.content = codec::read_head(node.at("launch"));
    if (node.has("rows_of"))
      record.rows_of = node.at("rows_of").whole();
    else
      texts.rows = codec::dump(node.at("rows").json());
    if (node.has("accesses_of"))
      record.accesses_of = node.at("accesses_of").whole();
    else if (node.has("accesses"))
      texts.accesses = codec::dump(node.at("accesses").json());
  } else if (type == "filtered") {
    record.content = FilteredLaunch{};
  } else if (type == "problem") {
    record.content = codec::read_diagnostic(node.at("problem"));
  } else {
    node.at("record").mismatch("launch, filtered or problem");
  }
  return record;
}

tl::unexpected<Diagnostic> damaged(const codec::Mismatch& mismatch) {
  return fail("channel.damaged", mismatch.where, mismatch.what,
              "Something else than lanebank wrote into its channel, or the program's lanebank is of another version.");
}

std::string system_message() { return std::strerror(errno); }

}  // namespace

std::string encode(const Record& record) {
  Json json;
  if (const auto* launch = std::get_if<findings::LaunchReport>(&record.content)) {
    json = {{"record", "launch"}, {"process", record.process}, {"launch", codec::write_head(*launch, Detail::all)}};
    if (record.rows_of)
      json["rows_of"] = *record.rows_of;
    else
      json["rows"] = codec::write(*launch->instructions);
    if (record.accesses_of)
      json["accesses_of"] = *record.accesses_of;
    else if (launch->accesses)
      json["accesses"] = codec::write(*launch->accesses);
  } else if (const auto* problem = std::get_if<Diagnostic>(&record.content)) {
    json = {{"record", "problem"}, {"process", record.process}, {"problem", codec::write(*problem)}};
  } else {
    json = {{"record", "filtered"}, {"process", record.process}};
  }
  return codec::dump(json) + "\n";
}

Result<Record> decode(std::string_view line) {
  try {
    Texts texts;
    const Json json = parse_line(line);
    const Node node(json, "");
    Record record = read_record(json, texts);
    auto* launch = std::get_if<findings::LaunchReport>(&record.content);
    if (launch && !record.rows_of)
      launch->instructions = std::make_shared<findings::Instructions>(codec::read_rows(node.at("rows")));
    if (launch && !texts.accesses.empty())
      launch->accesses = std::make_shared<findings::AccessLog>(codec::read_access_log(node.at("accesses")));
    return record;
  } catch (const codec::Mismatch& mismatch) {
    return damaged(mismatch);
  }
}

Result<ChannelWriter> ChannelWriter::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor < 0)
    return fail("channel.open", path, "cannot be opened: " + system_message(),
                "Start the program with `lanebank run`.");
  return ChannelWriter(descriptor);
}

ChannelWriter::ChannelWriter(ChannelWriter&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

ChannelWriter& ChannelWriter::operator=(ChannelWriter&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

ChannelWriter::~ChannelWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> ChannelWriter::append(const Record& record) {
  const std::string line = encode(record);
  // One write is one piece on a local file system; the lock keeps a write that ends early in one piece too.
  ::flock(descriptor_, LOCK_EX);
  std::size_t done = 0;
  int error = 0;
  while (done < line.size() && error == 0) {
    const ssize_t count = ::write(descriptor_, line.data() + done, line.size() - done);
    if (count >= 0)
      done += static_cast<std::size_t>(count);
    else if (errno != EINTR)
      error = errno;
  }
  ::flock(descriptor_, LOCK_UN);
  if (error != 0)
    return fail("channel.write", "",
                "a record of " + std::to_string(line.size()) + " bytes cannot be written: " + std::strerror(error),
                "Make room in the folder for temporary files, or name another in TMPDIR.");
  return {};
}

void ChannelReader::add_problem(Diagnostic problem) {
  std::vector<Diagnostic>& list = problem.severity == Severity::error ? problems_ : notes_;
  const bool known = std::any_of(list.begin(), list.end(), [&](const Diagnostic& other) {
    return other.id == problem.id && other.where == problem.where && other.what == problem.what;
  });
  if (!known) list.push_back(std::move(problem));
}

/// The rows that `record` names, or those of `text`.
std::shared_ptr<const findings::Instructions> ChannelReader::rows_for(const Record& record, const std::string& text,
                                                                      Process& process) {
  if (record.rows_of) {
    const auto found = process.rows.find(*record.rows_of);
    if (found == process.rows.end()) throw codec::Mismatch{"rows_of", "names a launch that is not there"};
    return found->second;
  }
  std::shared_ptr<const findings::Instructions>& list = rows_[text];
  if (!list) {
    const Json json = codec::parse(text);
    list = std::make_shared<findings::Instructions>(codec::read_rows(Node(json, "rows")));
  }
  return list;
}

/// The log that `record` names, or that of `text`, or none.
std::shared_ptr<const findings::AccessLog> ChannelReader::log_for(const Record& record, const std::string& text,
                                                                  Process& process, std::size_t row_count) {
  std::shared_ptr<const findings::AccessLog> log;
  if (record.accesses_of) {
    const auto found = process.accesses.find(*record.accesses_of);
    if (found == process.accesses.end()) throw codec::Mismatch{"accesses_of", "names a launch that is not there"};
    log = found->second;
  } else if (!text.empty()) {
    std::shared_ptr<const findings::AccessLog>& known = logs_[text];
    if (!known) {
      const Json json = codec::parse(text);
      known = std::make_shared<findings::AccessLog>(codec::read_access_log(Node(json, "accesses")));
    }
    log = known;
  }
  if (log)
    for (const findings::LoggedAccess& access : log->accesses)
      if (access.row >= row_count) throw codec::Mismatch{"accesses", "names a row that is not there"};
  return log;
}

void ChannelReader::take(std::string_view line) {
  try {
    Texts texts;
    const Json json = parse_line(line);
    Record record = read_record(json, texts);
    auto [place, is_new] = process_index_.try_emplace(record.process, processes_.size());
    if (is_new) processes_.emplace_back();
    if (auto* launch = std::get_if<findings::LaunchReport>(&record.content)) {
      Process& process = processes_[place->second];
      launch->instructions = rows_for(record, texts.rows, process);
      findings::check_totals(*launch);
      launch->accesses = log_for(record, texts.accesses, process, launch->instructions->size());
      process.rows[launch->id] = launch->instructions;
      if (launch->accesses) process.accesses[launch->id] = launch->accesses;
      process.launches.push_back(std::move(*launch));
    } else if (auto* problem = std::get_if<Diagnostic>(&record.content)) {
      add_problem(std::move(*problem));
    } else {
      filtered_++;
    }
  } catch (const codec::Mismatch& mismatch) {
    if (bad_lines_++ == 0) add_problem(damaged(mismatch).value());
  } catch (const std::logic_error& error) {  // totals that are not the sums of their parts
    if (bad_lines_++ == 0) add_problem(damaged({"launch", error.what()}).value());
  }
}

Result<void> ChannelReader::read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail("channel.read", path, "cannot be read: " + system_message());
  std::string line;
  while (std::getline(file, line)) {
    if (file.eof()) {
      notes_.push_back({"channel.truncated", "",
                        "A process ended while it wrote its last record; that launch is missing.", "", Severity::note});
      break;
    }
    take(line);
  }
  return {};
}

void ChannelReader::finish(findings::ProgramReport& report) {
  std::uint32_t number = 0;
  for (Process& process : processes_) {
    if (process.launches.empty()) continue;
    std::stable_sort(process.launches.begin(), process.launches.end(),
                     [](const auto& a, const auto& b) { return a.id < b.id; });
    for (findings::LaunchReport& launch : process.launches) {
      launch.id = report.launches.size();
      launch.process = number;
      report.launches.push_back(std::move(launch));
    }
    number++;
  }
  report.filtered_launches += filtered_;
  std::move(problems_.begin(), problems_.end(), std::back_inserter(report.problems));
  std::move(notes_.begin(), notes_.end(), std::back_inserter(report.notes));
  *this = {};
}

}  // namespace lanebank::report
