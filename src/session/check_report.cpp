#include "session/check_report.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/words.hpp"
#include "image/shared_arrays.hpp"
#include "sass/instruction.hpp"

namespace lanebank::session {

using checks::Hazard;
using checks::HazardKind;
using findings::AccessPlace;
using findings::CheckReport;
using findings::Rule;

namespace {

/// Instructions before a compare-and-swap among which the first read of what it compares with stands.
constexpr std::uint32_t swap_loop_instructions = 24;

struct KindWords {
  HazardKind kind;
  Rule rule;
  const char* spelled;
};
constexpr KindWords kinds[] = {
    {HazardKind::read_after_write, Rule::race, "read-after-write"},
    {HazardKind::write_after_read, Rule::race, "write-after-read"},
    {HazardKind::write_after_write, Rule::race, "write-after-write"},
    {HazardKind::same_value_writes, Rule::race, "write-after-write-same-value"},
    {HazardKind::copy_not_awaited, Rule::race, "copy-not-awaited"},
    {HazardKind::uninitialised, Rule::uninitialised, "uninitialised-read"},
    {HazardKind::outside_of_array, Rule::out_of_bounds, "outside-of-array"},
    {HazardKind::divergent_barrier, Rule::barrier_divergence, "divergent-barrier"},
    {HazardKind::mask_without_caller, Rule::invalid_sync_mask, "mask-without-caller"},
    {HazardKind::missing_lanes, Rule::invalid_sync_mask, "missing-lanes"},
    {HazardKind::block_not_begun, Rule::race, "block-not-begun"},
    {HazardKind::block_ended, Rule::race, "block-ended"},
};

const KindWords& words_of(HazardKind kind) {
  return *std::find_if(std::begin(kinds), std::end(kinds), [&](const KindWords& words) { return words.kind == kind; });
}

/// Operand `n` of a line of machine code: "R8" of "ATOMS.CAST.SPIN R9, [R6], R8, R9" for 2; empty without.
std::string_view operand(std::string_view sass, unsigned n) {
  if (!sass.empty() && sass.front() == '@') sass.remove_prefix(std::min(sass.size(), sass.find(' ') + 1));
  sass.remove_prefix(std::min(sass.size(), sass.find(' ') + 1));
  for (; n > 0; --n) sass.remove_prefix(std::min(sass.size(), sass.find(", ") + 2));
  return sass.substr(0, sass.find(','));
}

std::uint32_t size_of(const image::SharedArray& array, const machine::LaunchRequest& request) {
  return array.dynamic ? request.dynamic_shared_bytes : array.size_bytes;
}

/// Headers of CUDA and of the compiler tell a user little.
bool is_of_toolkit(std::string_view file) { return file.find("/include/") != std::string_view::npos; }

class Reporter {
 public:
  Reporter(const machine::LaunchRequest& request, const machine::LaunchInfo& info, FunctionTexts& texts)
      : request_(request), info_(info), texts_(texts), kernel_(request.module->cubin.functions[request.function]) {}

  bool is_swap_loop(const Hazard& hazard) const {
    if (hazard.kind == HazardKind::read_after_write) return is_read_of_swap(hazard.later);
    if (hazard.kind == HazardKind::write_after_read) return is_read_of_swap(hazard.earlier);
    return false;
  }

  CheckReport report(const Hazard& hazard) const {
    const KindWords& words = words_of(hazard.kind);
    CheckReport report;
    report.rule = words.rule;
    report.hazard = words.spelled;
    report.severity = severity(hazard);
    report.access = place(hazard.later, hazard.later_place);
    const bool of_two = hazard.kind != HazardKind::block_not_begun && hazard.kind != HazardKind::block_ended;
    const bool has_earlier = (words.rule == Rule::race && of_two) || hazard.kind == HazardKind::divergent_barrier;
    if (has_earlier) report.earlier = place(hazard.earlier, hazard.earlier_place);
    report.array = array_name(hazard.byte);
    report.byte = hazard.byte;
    report.block = hazard.block;
    report.count = hazard.count;
    if (hazard.value_bytes != 0 && hazard.kind != HazardKind::same_value_writes) {
      const int digits = 2 * static_cast<int>(hazard.value_bytes);
      report.values = findings::MetValues{fmt::format("0x{:0{}x}", hazard.current_value, digits),
                                          fmt::format("0x{:0{}x}", hazard.incoming_value, digits)};
    }
    say(hazard, report);
    return report;
  }

  CheckReport report(const checks::SwizzleMismatch& mismatch) const {
    CheckReport report;
    report.rule = Rule::swizzle_mismatch;
    report.severity = Severity::note;
    report.hazard = "reads-do-not-follow";
    report.access = place(mismatch.load, {});
    report.earlier = place(mismatch.store, {});
    report.array = kernel_.arrays[static_cast<std::size_t>(mismatch.array)].name;
    report.count = mismatch.others;
    report.message = report.array + " is written through Swizzle<" + std::to_string(mismatch.bits) + "," +
                     std::to_string(mismatch.base) + "," + std::to_string(mismatch.shift) +
                     "> (Bits, Base, Shift in bytes) at " + at(*report.earlier) + ", and this read does not follow it" +
                     (mismatch.following > 0 ? " as " + counted(mismatch.following, "other does", "others do") : "") +
                     ": it gets other elements than the address suggests";
    return report;
  }

  /// An array's bytes that no block accessed.
  CheckReport unused(const image::SharedArray& array, std::uint32_t size,
                     const std::vector<checks::ByteRange>& ranges) const {
    CheckReport report;
    report.rule = Rule::shared_size;
    report.severity = Severity::note;
    report.hazard = "unused-bytes";
    report.access = place(0, {});  // where the kernel begins
    report.array = array.name;
    report.byte = ranges.front().first_byte;
    report.count = 1;
    std::uint32_t total = 0;
    for (const checks::ByteRange& range : ranges) total += range.end_byte - range.first_byte;
    report.message = grouped(total) + " of " + counted(size, "byte", "bytes") + " of " + array.name +
                     " are accessed by no block of the launch";
    const std::uint32_t bytes = ranges[0].end_byte - ranges[0].first_byte;
    const std::uint32_t step = ranges.size() > 1 ? ranges[1].first_byte - ranges[0].first_byte : 0;
    bool is_regular = ranges.size() > 1;
    for (std::size_t n = 0; n < ranges.size(); ++n)
      is_regular &=
          ranges[n].end_byte - ranges[n].first_byte == bytes && ranges[n].first_byte == ranges[0].first_byte + n * step;
    if (is_regular)
      report.message += ": " + std::to_string(bytes) + " of each " + grouped(step) + ", from byte " +
                        grouped(report.byte - array.offset_bytes);
    else if (total < size)
      report.message += ", the first at byte " + grouped(report.byte - array.offset_bytes);
    return report;
  }

  std::optional<CheckReport> shared_size(const machine::Fault& fault, const image::SharedArray& array) const {
    // Window addresses of sm_90 begin behind the memory that the system reserves.
    const bool reserves = request_.module->cubin.architecture >= image::first_architecture_with_reserved_shared;
    const std::int64_t byte = static_cast<std::int64_t>(fault.address & 0xffffff) - (reserves ? 0x400 : 0);
    const std::uint32_t given = request_.dynamic_shared_bytes, width = std::max(1u, array.element_bytes);
    if (byte < array.offset_bytes + std::int64_t{given}) return std::nullopt;
    const std::uint64_t needed = static_cast<std::uint64_t>(byte - array.offset_bytes) / width * width + width;
    CheckReport report;
    report.rule = Rule::shared_size;
    report.severity = findings::info(report.rule).severity;
    report.hazard = "dynamic-shared-memory-too-small";
    report.access = place(fault.instruction, {fault.thread / 32, fault.thread % 32});
    report.array = array.name;
    report.byte = static_cast<std::uint32_t>(byte);
    report.block = fault.block;
    report.count = 1;
    report.message = "the launch gives the block " + counted(given, "byte", "bytes") +
                     " of dynamic shared memory, and " + thread(fault.thread) + " reaches element " +
                     grouped(needed / width - 1) + " of " + array.name + ": at least " + grouped(needed) +
                     " bytes are needed";
    if (width > 1 && given > 0 && std::uint64_t{given} * width >= needed)
      report.suggestion = findings::Suggestion{"the size of a launch is in bytes: " + grouped(given) + " elements of " +
                                               std::to_string(width) + " bytes are " +
                                               grouped(std::uint64_t{given} * width) + " bytes"};
    else if (given == 0)
      report.suggestion =
          findings::Suggestion{"give the size in bytes as third launch parameter: <<<grid, block, bytes>>>"};
    return report;
  }

 private:
  const FunctionText& text_of(const machine::InstructionInfo& instruction) const {
    const std::uint32_t function = instruction.function == 0 ? request_.function : instruction.function - 1;
    return texts_.of(*request_.module, function);
  }

  const findings::InstructionReport& row_of(std::uint32_t instruction) const {
    const machine::InstructionInfo& info = info_.instructions[instruction];
    return text_of(info).rows.at(info.address_bytes / 16);
  }

  bool is_read_of_swap(std::uint32_t read) const {
    if (row_of(read).sass.find("LD") == std::string::npos) return false;
    const std::string_view loaded = operand(row_of(read).sass, 0);
    for (std::uint32_t n = read + 1; n < info_.instructions.size() && n <= read + swap_loop_instructions; ++n) {
      if (info_.instructions[n].function != info_.instructions[read].function) return false;
      const std::string& sass = row_of(n).sass;
      if (sass.find("ATOMS.CA") != std::string::npos && operand(sass, 2) == loaded) return true;
    }
    return false;
  }

  static Severity severity(const Hazard& hazard) {
    if (hazard.kind == HazardKind::same_value_writes) return Severity::note;
    if (hazard.kind == HazardKind::missing_lanes) return Severity::warning;
    if (hazard.kind == HazardKind::divergent_barrier) return Severity::error;
    if (words_of(hazard.kind).rule == Rule::race && hazard.in_warp && hazard.kind != HazardKind::copy_not_awaited)
      return Severity::warning;
    return findings::info(words_of(hazard.kind).rule).severity;
  }

  AccessPlace place(std::uint32_t instruction, checks::LanePlace lane) const {
    const machine::InstructionInfo& info = info_.instructions[instruction];
    const findings::InstructionReport& row = row_of(instruction);
    AccessPlace place;
    place.address = row.address;
    if (info.function != 0) place.function = text_of(info).name.full;
    place.sass = row.sass;
    place.file = row.file;
    place.line = row.line;
    for (std::size_t n = 0; n < row.inlined_at.size() && is_of_toolkit(place.file); ++n) {
      place.file = row.inlined_at[n].file;
      place.line = row.inlined_at[n].line;
    }
    place.thread = 32 * lane.warp + lane.lane;
    return place;
  }

  const image::SharedArray* array_at(std::uint32_t byte) const {
    for (const image::SharedArray& array : kernel_.arrays) {
      if (byte >= array.offset_bytes && byte - array.offset_bytes < size_of(array, request_)) return &array;
    }
    return nullptr;
  }

  std::string array_name(std::uint32_t byte) const {
    const image::SharedArray* array = array_at(byte);
    return array ? array->name : "";
  }

  /// "tile[33]" by flat element, or "byte 132 of shared memory".
  std::string element(std::uint32_t byte) const {
    const image::SharedArray* array = array_at(byte);
    if (!array) return "byte " + grouped(byte) + " of shared memory";
    const std::uint32_t offset = byte - array->offset_bytes;
    if (array->element_bytes > 1 || array->size_bytes == 0)
      return array->name + "[" + std::to_string(offset / std::max(1u, array->element_bytes)) + "]";
    return "byte " + grouped(offset) + " of " + array->name;
  }

  /// "thread (5,1)" of a block of several dimensions.
  std::string thread(std::uint32_t linear) const {
    const std::uint32_t x = info_.block[0], y = info_.block[1];
    std::string text = std::to_string(linear % x);
    if (y == 1 && info_.block[2] == 1) return "thread " + text;
    text += "," + std::to_string(linear / x % y);
    if (info_.block[2] != 1) text += "," + std::to_string(linear / x / y);
    return "thread (" + text + ")";
  }

  static std::string at(const AccessPlace& place) {
    const std::string name = place.file.substr(place.file.rfind('/') + 1);
    return place.line != 0 ? name + ":" + std::to_string(place.line) : fmt::format("+0x{:04x}", place.address);
  }

  void say(const Hazard& hazard, CheckReport& report) const {
    const std::string what = element(hazard.byte), me = thread(report.access.thread);
    const std::string it = report.earlier ? thread(report.earlier->thread) : "";
    const std::string there = report.earlier ? at(*report.earlier) : "";
    const std::string order =
        hazard.in_warp ? "both are of one warp, and no __syncwarp() orders them" : "no barrier orders the two";
    const std::string barrier = hazard.in_warp ? "__syncwarp()" : "__syncthreads()";
    const std::string cure = there == at(report.access) ? barrier + " between two rounds of " + there
                                                        : barrier + " between " + there + " and " + at(report.access);
    const std::string values =
        report.values ? " (" + report.values->incoming + " over " + report.values->current + ")" : "";
    switch (hazard.kind) {
      case HazardKind::read_after_write:
        report.message = me + " reads " + what + ", which " + it + " writes at " + there + ": " + order;
        report.suggestion = findings::Suggestion{cure};
        break;
      case HazardKind::write_after_read:
        report.message = me + " writes " + what + values + ", which " + it + " reads at " + there + ": " + order;
        report.suggestion = findings::Suggestion{cure};
        break;
      case HazardKind::write_after_write:
      case HazardKind::same_value_writes:
        report.message = me + " writes " + what + values + ", which " + it + " writes too" +
                         (hazard.at_once ? ", by the same instruction" : " at " + there) +
                         (hazard.kind == HazardKind::same_value_writes ? ", the same value: "
                                                                       : ", and which value stays is open: ") +
                         (hazard.at_once ? "both are lanes of one warp" : order);
        if (!hazard.at_once && hazard.kind == HazardKind::write_after_write)
          report.suggestion = findings::Suggestion{cure};
        break;
      case HazardKind::copy_not_awaited:
        report.message = me + (row_of(hazard.later).sass.find("ST") == std::string::npos ? " reads " : " accesses ") +
                         what + ", which an asynchronous copy by " + it + " at " + there + " writes: " +
                         (hazard.pending ? "nobody has waited for the copy"
                                         : "the access is not ordered after the wait for the copy");
        report.suggestion = findings::Suggestion{
            hazard.pending ? "wait for the copy (cp.async.wait_group, or its mbarrier), then a barrier, before " +
                                 at(report.access)
                           : "a barrier between the wait for the copy and " + at(report.access)};
        break;
      case HazardKind::block_not_begun:
        report.message = me + " accesses " + what + " of another block of the cluster, which may not have begun";
        report.suggestion = findings::Suggestion{"cluster.sync() before " + at(report.access)};
        break;
      case HazardKind::block_ended:
        report.message = me + " accesses " + what +
                         " of another block of the cluster, which does not wait for it and may have ended";
        report.suggestion = findings::Suggestion{"cluster.sync() after " + at(report.access)};
        break;
      case HazardKind::uninitialised:
        report.message = me + " reads " + what + ", which no thread of the block wrote before";
        break;
      case HazardKind::outside_of_array: {
        const image::SharedArray& meant = kernel_.arrays[static_cast<std::size_t>(hazard.array)];
        const std::int64_t offset = std::int64_t{hazard.byte} - meant.offset_bytes;
        const std::uint32_t size = size_of(meant, request_), width = std::max(1u, meant.element_bytes);
        report.message = me + " accesses element " +
                         std::to_string(offset < 0 ? (offset - width + 1) / width : offset / width) + " of " +
                         meant.name + ", which has " + grouped(size / width) + ": it reaches " +
                         (report.array.empty() ? "past the block's arrays" : element(hazard.byte));
        break;
      }
      case HazardKind::divergent_barrier:
        report.message = "threads of one warp wait at barrier " + std::to_string(hazard.byte) + " here and at " +
                         there + ": a barrier in a branch must be reached by all threads of the warp or by none";
        break;
      case HazardKind::mask_without_caller:
        report.message = me + " executes a warp-wide operation whose mask leaves it out";
        break;
      case HazardKind::missing_lanes: {
        const auto missing = static_cast<std::uint32_t>(std::countr_zero(hazard.mask));
        report.message = me + " executes a warp-wide operation whose mask names " +
                         thread(report.access.thread / 32 * 32 + missing) +
                         ", which does not come here: it went on, and what " + "the operation gives is open";
        break;
      }
    }
  }

  const machine::LaunchRequest& request_;
  const machine::LaunchInfo& info_;
  FunctionTexts& texts_;
  const image::Function& kernel_;
};

}  // namespace

std::vector<CheckReport> swizzle_reports(const std::vector<checks::SwizzleMismatch>& mismatches,
                                         const machine::LaunchRequest& request, const machine::LaunchInfo& info,
                                         FunctionTexts& texts) {
  const Reporter reporter(request, info, texts);
  std::vector<CheckReport> reports;
  reports.reserve(mismatches.size());
  for (const checks::SwizzleMismatch& mismatch : mismatches) reports.push_back(reporter.report(mismatch));
  return reports;
}

std::vector<CheckReport> unused_reports(const std::vector<checks::ByteRange>& untouched,
                                        const machine::LaunchRequest& request, const machine::LaunchInfo& info,
                                        FunctionTexts& texts) {
  const image::Function& kernel = request.module->cubin.functions[request.function];
  const Reporter reporter(request, info, texts);
  std::vector<CheckReport> reports;
  for (const image::SharedArray& array : kernel.arrays) {
    const std::uint32_t size = size_of(array, request), end = array.offset_bytes + size;
    std::vector<checks::ByteRange> ranges;
    for (const checks::ByteRange& range : untouched) {
      const std::uint32_t first = std::max(range.first_byte, array.offset_bytes), last = std::min(range.end_byte, end);
      if (first < last) ranges.push_back({first, last});
    }
    if (!ranges.empty()) reports.push_back(reporter.unused(array, size, ranges));
  }
  return reports;
}

std::optional<CheckReport> shared_size_report(const machine::LaunchRequest& request,
                                              const machine::LaunchOutcome& outcome, FunctionTexts& texts) {
  if (!outcome.fault || outcome.fault->kind != machine::Fault::Kind::shared_out_of_bounds) return std::nullopt;
  const image::Function& kernel = request.module->cubin.functions[request.function];
  const auto dynamic =
      std::find_if(kernel.arrays.begin(), kernel.arrays.end(), [](const auto& array) { return array.dynamic; });
  if (dynamic == kernel.arrays.end()) return std::nullopt;
  const Reporter reporter(request, outcome.info, texts);
  return reporter.shared_size(*outcome.fault, *dynamic);
}

std::vector<checks::InstructionArray> arrays_meant(const FunctionText& kernel, const machine::LaunchRequest& request) {
  const image::Function& function = request.module->cubin.functions[request.function];
  std::vector<checks::InstructionArray> meant(kernel.arrays.size());
  for (std::size_t n = 0; n < meant.size(); ++n) {
    if (kernel.arrays[n].array < 0) continue;
    const image::SharedArray& array = function.arrays[static_cast<std::size_t>(kernel.arrays[n].array)];
    const std::uint32_t bytes = size_of(array, request);
    meant[n] = {kernel.arrays[n].array, array.offset_bytes, array.offset_bytes + bytes, kernel.arrays[n].access_bytes};
  }
  return meant;
}

std::vector<bool> strong_accesses(const machine::LaunchRequest& request) {
  const image::Cubin& cubin = request.module->cubin;
  const std::vector<std::byte>& code = request.module->linked.code;
  std::vector<bool> strong;
  const auto add = [&](const image::Function& function) {
    if (std::uint64_t{function.code_offset_bytes} + function.code_bytes > code.size()) return;
    for (std::uint32_t at = 0; at + 16 <= function.code_bytes; at += 16) {
      const sass::Word word = sass::word_at(code.data() + function.code_offset_bytes + at);
      // LD, ST and ATOM; all others have no generic addresses.
      const unsigned opcode = unsigned(word.bits(0, 12)), form = opcode & 0x1ff;
      const bool generic = opcode == 0x980 || form == 0x185 || form == 0x18a || form == 0x18b || form == 0x1a2;
      bool is_strong = false;
      if (generic) {
        const std::string text = sass::disassemble(sass::decode(word, at, cubin.architecture), cubin.architecture);
        is_strong = text.find(".STRONG") != std::string::npos || text.find(".MMIO") != std::string::npos;
      }
      strong.push_back(is_strong);
    }
  };
  add(cubin.functions[request.function]);
  for (std::uint32_t n = 0; n < cubin.functions.size(); ++n)
    if (!cubin.functions[n].kernel) add(cubin.functions[n]);
  return strong;
}

std::vector<checks::ByteRange> padding(const image::Function& function) {
  std::vector<checks::ByteRange> ranges;
  if (!function.arrays_known) return ranges;
  std::uint32_t end = 0;
  for (const image::SharedArray& array : function.arrays) {
    if (array.offset_bytes > end) ranges.push_back({end, array.offset_bytes});
    end = std::max(end, array.offset_bytes + array.size_bytes);
  }
  if (function.static_shared_bytes > end) ranges.push_back({end, function.static_shared_bytes});
  return ranges;
}

std::vector<CheckReport> check_reports(const std::vector<Hazard>& hazards, std::optional<bool> influence,
                                       const machine::LaunchRequest& request, const machine::LaunchInfo& info,
                                       FunctionTexts& texts) {
  const Reporter reporter(request, info, texts);
  // What races with its write may come before it: no cause of its own.
  std::set<std::uint32_t> racing_reads;
  for (const Hazard& hazard : hazards) {
    if (hazard.kind == HazardKind::read_after_write) racing_reads.insert(hazard.later);
    if (hazard.kind == HazardKind::write_after_read) racing_reads.insert(hazard.earlier);
  }
  std::vector<CheckReport> reports;
  for (const Hazard& hazard : hazards) {
    if (reporter.is_swap_loop(hazard)) continue;
    if (hazard.kind == HazardKind::uninitialised && racing_reads.contains(hazard.later)) continue;
    if (hazard.kind == HazardKind::uninitialised && influence == false) continue;
    reports.push_back(reporter.report(hazard));
    if (hazard.kind != HazardKind::uninitialised || !influence) continue;
    reports.back().severity = Severity::error;
    reports.back().message += "; with other bytes there the kernel stores or executes something else";
  }
  std::stable_sort(reports.begin(), reports.end(), [](const CheckReport& a, const CheckReport& b) {
    return std::tuple(-static_cast<int>(a.severity), a.access.function, a.access.address) <
           std::tuple(-static_cast<int>(b.severity), b.access.function, b.access.address);
  });
  return reports;
}

}  // namespace lanebank::session
