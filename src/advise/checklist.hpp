// The ten points that a careful engineer goes through with a kernel that uses shared memory, each answered from a run with
// evidence. What the run does not show is answered "not known", with what would show it.
//
// The points are those of checklist_points.def; docs/cli.md says what each answer rests on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advise/fix.hpp"
#include "findings/report.hpp"

namespace lanebank::advise {

enum class Answer : std::uint8_t { yes, no, not_known };
/// "yes", "no", "not-known".
std::string_view name_of(Answer answer);

/// One thing that was seen. Members without meaning are empty.
struct PointEvidence {
  std::string kernel, array, file;
  std::uint32_t line = 0;
  std::uint32_t lanes = 0;  ///< mask of those that the text speaks of
  std::string text;         ///< a phrase
  std::vector<std::optional<std::uint32_t>>
      addresses;                                    ///< by lane, bytes from the block's first shared byte; 32 or none
  std::vector<std::optional<std::uint32_t>> banks;  ///< by lane, of the first word; 32 or none
};

enum class PointId : std::uint8_t {
#define LANEBANK_POINT(identifier, spelled, question) identifier,
#include "advise/checklist_points.def"
#undef LANEBANK_POINT
};

struct Point {
  PointId id = PointId::addresses;
  Answer answer = Answer::not_known;
  std::string reason;  ///< one sentence
  std::vector<PointEvidence> evidence;
};

std::string_view spelled(PointId id);
std::string_view question_of(PointId id);

/// The comparison with `--expect`.
struct Reference {
  std::string command;
  bool ran = false;          ///< ended with code 0
  bool same_output = false;  ///< as the program's standard output
  std::uint64_t first_difference_line = 0;
};

/// A run with other arguments.
struct SizeRun {
  std::string arguments;
  int exit_code = 0;
  std::uint64_t launches = 0, errors = 0, wavefronts = 0, excess = 0;
  std::string problem;  ///< why it was not analysed; empty: it was
};

struct ChecklistInput {
  const findings::ProgramReport& report;  ///< with logs, checks, findings and estimates
  const FixReport& fix;                   ///< of that report
  std::optional<Reference> reference;
  std::vector<SizeRun> sizes;
};

struct Checklist {
  std::vector<std::string> command;
  std::vector<Point> points;  ///< ten, in order
  /// A point other than the last is answered with no.
  bool has_findings() const;
};

Checklist checklist_of(const ChecklistInput& input);

/// Points 1 to 3, from the logs (checklist_accesses.cpp).
std::array<Point, 3> access_points(const findings::ProgramReport& report);

struct ChecklistTextOptions {
  int exit_code = 0;
  std::size_t evidence = 6;  ///< lines for each point
};
std::string checklist_text(const Checklist& checklist, const ChecklistTextOptions& options);
/// lanebank.checklist/1, docs/cli.md.
std::string checklist_json(const Checklist& checklist);

}  // namespace lanebank::advise
