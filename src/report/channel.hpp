// What the processes of a run tell `lanebank run`: a file of JSON lines, each written whole by one
// append, so that several processes can share it and a killed one loses at most its last line.
//
//   {"record":"launch","process":4711, ...}   one per launch, at its end; rows, and the log of accesses where one was asked
//                                             for, that equal those of an earlier launch of the process are named by its id
//   {"record":"filtered","process":4711}      a launch that a filter left out
//   {"record":"problem","process":4711, ...}  something could not be analysed
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "findings/report.hpp"

namespace lanebank::report {

struct FilteredLaunch {};

/// One line of the channel. `process` is the writer's process id; the launch's own id counts within it.
struct Record {
  std::int64_t process = 0;
  std::variant<findings::LaunchReport, FilteredLaunch, Diagnostic> content;
  std::optional<std::uint64_t> rows_of =
      std::nullopt;  ///< of a launch: that launch of the same process has the same rows
  std::optional<std::uint64_t> accesses_of = std::nullopt;  ///< the same of the log
};

/// The line for a record, line feed included.
std::string encode(const Record& record);
/// Reads a line without its line feed; hostile input ends in a Diagnostic. Rows and logs that are named by an id stay empty.
Result<Record> decode(std::string_view line);

/// Appends lines to a channel file. Safe for several processes and threads.
class ChannelWriter {
 public:
  static Result<ChannelWriter> open(const std::string& path);
  ChannelWriter(ChannelWriter&& other) noexcept;
  ChannelWriter& operator=(ChannelWriter&& other) noexcept;
  ~ChannelWriter();

  /// All of the record or, on failure, a Diagnostic.
  Result<void> append(const Record& record);

 private:
  explicit ChannelWriter(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

/// The records of all processes, put in order: processes by their first record, launches of one process
/// by their own id. Launch ids are then counted through. Problems come once each. Lists of rows that are
/// equal become one object, and so do logs.
class ChannelReader {
 public:
  /// Takes one line (without its line feed). A bad line becomes a problem of its own.
  void take(std::string_view line);
  /// Reads a whole file; a last line without line feed is the loss of a killed process and becomes a note.
  Result<void> read(const std::string& path);

  /// Moves what was read into `report` (launches, filtered_launches, problems, notes).
  void finish(findings::ProgramReport& report);

 private:
  struct Process {
    std::vector<findings::LaunchReport> launches;
    std::unordered_map<std::uint64_t, std::shared_ptr<const findings::Instructions>> rows;  ///< by launch id
    std::unordered_map<std::uint64_t, std::shared_ptr<const findings::AccessLog>> accesses;
  };
  std::shared_ptr<const findings::Instructions> rows_for(const Record& record, const std::string& text,
                                                         Process& process);
  std::shared_ptr<const findings::AccessLog> log_for(const Record& record, const std::string& text, Process& process,
                                                     std::size_t row_count);
  void add_problem(Diagnostic problem);

  std::vector<Process> processes_;
  std::unordered_map<std::int64_t, std::size_t> process_index_;
  std::unordered_map<std::string, std::shared_ptr<const findings::Instructions>> rows_;  ///< by their text
  std::unordered_map<std::string, std::shared_ptr<const findings::AccessLog>> logs_;
  std::uint64_t filtered_ = 0, bad_lines_ = 0;
  std::vector<Diagnostic> problems_, notes_;
};

}  // namespace lanebank::report
