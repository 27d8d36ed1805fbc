#include "checks/explain.hpp"

#include <bit>
#include <cstdlib>

#include "checks/lane_shape.hpp"

namespace lanebank::checks {
namespace {

bool is_atomic(AccessKind kind) {
  return kind == AccessKind::atomic || kind == AccessKind::atomic_cas || kind == AccessKind::atomic_merged;
}

const char* verb_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::load:
    case AccessKind::matrix_load:
    case AccessKind::matrix_operand:
      return "read";
    case AccessKind::store:
    case AccessKind::matrix_store:
      return "write";
    case AccessKind::async_copy_ca:
    case AccessKind::async_copy_cg:
    case AccessKind::bulk_copy:
      return "fill";
    default:
      return "update";
  }
}

std::string bytes_text(std::int64_t bytes) { return std::to_string(std::abs(bytes)) + " bytes"; }

/// "a column, rows 128 bytes apart", "a stride of 8 bytes", "16 steps of 68 bytes by 2 steps of 4 bytes".
std::string shape_text(const Access& access, const Group& group) {
  const auto all = lane_steps(access, group.lanes);
  if (!all) return "addresses without a regular stride";
  std::vector<LaneStep> steps;
  unsigned sharing = 1;
  for (const LaneStep& step : *all) {
    if (step.stride_bytes == 0) {
      sharing *= step.count;
    } else {
      steps.push_back(step);
    }
  }
  std::string text;
  if (steps.size() == 1) {
    const std::int64_t stride = std::abs(steps.front().stride_bytes);
    const bool rows = access.kind == AccessKind::matrix_load || access.kind == AccessKind::matrix_store;
    if (rows) {
      text = "rows " + bytes_text(stride) + " apart";
    } else if (stride % bank_row_bytes == 0) {
      text = "a column, rows " + bytes_text(stride) + " apart";
    } else {
      text = "a stride of " + bytes_text(stride);
    }
  } else {
    for (const LaneStep& step : steps)
      text += (text.empty() ? "" : " by ") + std::to_string(step.count) + " steps of " + bytes_text(step.stride_bytes);
  }
  if (sharing > 1 && !text.empty()) text += ", each address shared by " + std::to_string(sharing) + " lanes";
  return text;
}

/// "bank 5", or "one bank" where the pattern occurs shifted over the banks.
std::string bank_text(const AccessRecord& record, unsigned bank) {
  return (record.varying_bits / bank_bytes % bank_count != 0) ? "one bank" : "bank " + std::to_string(bank);
}

std::string copied_sectors_text(const Cost& cost) {
  return "the copy's 16-byte chunks fall into " + std::to_string(cost.wavefronts) +
         " classes of source line, destination line and shift between the two, " + std::to_string(cost.ideal) +
         " would do: rows are shifted against their source lines; XOR of chunks inside 128-byte rows costs nothing";
}

std::string copied_lanes_text(const Group& group) {
  return std::to_string(std::popcount(group.colliding_lanes)) + " lanes (" + lane_list(group.colliding_lanes) +
         ") meet in one place of the 128-byte rows that they fill or of the 128-byte lines that they read";
}

std::string atomic_text(const InstructionConflicts& instruction, const AccessRecord& record, const Group& group,
                        const Collision& meeting) {
  const unsigned lanes = std::popcount(group.colliding_lanes);
  std::string text = std::to_string(lanes) + " lanes update ";
  text += meeting.word_count == 1 ? "the same word"
                                  : std::to_string(meeting.word_count) + " words of " + bank_text(record, group.bank);
  if (meeting.word_count > 1 || lanes < static_cast<unsigned>(std::popcount(group.lanes)))
    text += " (" + lane_list(group.colliding_lanes) + ")";
  text += ": atomics of one bank queue up";
  if (instruction.kind == AccessKind::atomic_cas) text += ", twice for compare-and-swap";
  return text;
}

/// No conflict: groups with few active lanes take a wavefront each, where the ideal counts bytes alone.
std::string idle_lanes_text(const Cost& cost, const Access& access) {
  const auto active =
      static_cast<unsigned>(std::popcount(access.active_lanes & addressing_lanes(access.kind, access.matrices)));
  return "no two lanes conflict: " + std::to_string(active) + (active == 1 ? " active lane" : " active lanes") +
         " in " + std::to_string(cost.group_count) +
         " groups of neighbours, which are served one after the other however few " + "lanes they have";
}

std::string phase_text(const InstructionConflicts& instruction, const Cost& cost, const Group& group) {
  const bool matrix = instruction.kind == AccessKind::matrix_load || instruction.kind == AccessKind::matrix_store;
  if (matrix) return ", the rows of matrix " + std::to_string(std::countr_zero(group.lanes) / 8) + ",";
  if (cost.group_count == 1) return "";
  return " (one of " + std::to_string(cost.group_count) + " phases)";
}

}  // namespace

std::string explain(const InstructionConflicts& instruction, unsigned architecture) {
  if (instruction.records.empty()) return "";
  const AccessRecord& record = instruction.records.front();
  if (record.excess() == 0) return "";
  const Access access = access_of(instruction, record, record.base_low);
  const AccessRule rule = access_rule(architecture, access.kind, access.lane_bytes);
  const Cost cost = cost_by(rule, access);
  if (rule.counting == Counting::copied_sectors) return copied_sectors_text(cost);
  const Group* worst = &cost.groups[0];
  for (unsigned i = 1; i < cost.group_count; ++i)
    if (cost.groups[i].degree > worst->degree) worst = &cost.groups[i];
  if (rule.counting == Counting::copied_lanes && access.source != SourceOrder::consecutive)
    return copied_lanes_text(*worst);
  if (worst->degree <= 1) return idle_lanes_text(cost, access);
  const Collision meeting = collision(access, *worst);
  if (is_atomic(access.kind) && rule.counting == Counting::lanes)
    return atomic_text(instruction, record, *worst, meeting);
  std::string text =
      lane_list(worst->colliding_lanes) + phase_text(instruction, cost, *worst) + " " + verb_of(access.kind) + " ";
  if (meeting.word_count == 1) {
    text += "the same word of ";
  } else {
    text += std::to_string(meeting.word_count) + " different words of ";
  }
  return text + bank_text(record, worst->bank) + ": " + shape_text(access, *worst);
}

}  // namespace lanebank::checks
