// The points of the checklist that the logged addresses answer: which they are, their banks, and whether an element has one.
#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <tuple>

#include "advise/array_runs.hpp"
#include "advise/checklist.hpp"
#include "advise/recount.hpp"
#include "base/words.hpp"
#include "lanebank/bank_model.hpp"

namespace lanebank::advise {
namespace {

using findings::BaseCount;
using findings::LoggedAccess;
using findings::LoggedArray;

constexpr std::uint32_t largest_array_bytes = 256 * 1024;  // no multiprocessor has more

bool is_store(AccessKind kind) {
  return kind == AccessKind::store || kind == AccessKind::matrix_store || kind == AccessKind::async_copy_ca ||
         kind == AccessKind::async_copy_cg;
}

/// "0, 128, ... 3968" of evenly spaced numbers, else the first ones and the last.
std::string list_of(const std::vector<std::uint32_t>& numbers) {
  std::string text;
  bool even = numbers.size() > 3;
  for (std::size_t i = 2; i < numbers.size(); ++i)
    even = even && numbers[i] - numbers[i - 1] == numbers[1] - numbers[0];
  if (even && numbers[1] != numbers[0])
    return std::to_string(numbers[0]) + ", " + std::to_string(numbers[1]) + ", ... " + std::to_string(numbers.back());
  if (even) return "all " + std::to_string(numbers[0]);
  constexpr std::size_t shown = 6;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers.size() > shown + 2 && i >= shown && i + 1 < numbers.size()) continue;
    text += (text.empty() ? "" : ", ") + std::string(i >= shown && numbers.size() > shown + 2 ? "... " : "") +
            std::to_string(numbers[i]);
  }
  return text;
}

/// The access of an instruction to an array that costs most, and how many patterns and places there are.
struct RowAccess {
  const ArrayRun* run = nullptr;
  const LoggedAccess* worst = nullptr;
  Cost cost;
  std::uint64_t patterns = 0, bases = 0;
};

std::vector<RowAccess> rows_of(const ArrayRuns& array) {
  std::map<std::tuple<std::string, std::uint32_t, std::uint32_t>, RowAccess> rows;  // by kernel, line, address
  for (const ArrayRun& run : array.runs) {
    for (const LoggedAccess& access : run.log().accesses) {
      if (access.array != static_cast<std::int32_t>(run.array) || access.bases.empty() ||
          access.row >= run.launch->instructions->size())
        continue;
      const findings::InstructionReport& row = (*run.launch->instructions)[access.row];
      RowAccess& found = rows[{run.launch->kernel, row.line, row.address}];
      ++found.patterns;
      found.bases += access.bases.size();
      const Cost cost = lanebank::cost(access_at(access, access.bases.front().base_bytes), run.log().architecture);
      if (found.worst != nullptr && cost.wavefronts - cost.ideal <= found.cost.wavefronts - found.cost.ideal) continue;
      found.run = &run;
      found.worst = &access;
      found.cost = cost;
    }
  }
  std::vector<RowAccess> list;
  list.reserve(rows.size());
  for (auto& [place, row] : rows) list.push_back(row);
  return list;
}

PointEvidence evidence_of(const ArrayRuns& array, const RowAccess& row) {
  const findings::InstructionReport& instruction = (*row.run->launch->instructions)[row.worst->row];
  PointEvidence evidence{
      row.run->launch->kernel, array.name, instruction.file, instruction.line, row.worst->lanes, "", {}, {}};
  evidence.addresses.resize(lanes_per_warp);
  evidence.banks.resize(lanes_per_warp);
  const Access access = access_at(*row.worst, row.worst->bases.front().base_bytes);
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
    if ((access.active_lanes >> lane & 1) == 0) continue;
    evidence.addresses[lane] = access.addresses[lane];
    evidence.banks[lane] = access.addresses[lane] / 4 % 32;
  }
  return evidence;
}

std::string addresses_text(const RowAccess& row, const PointEvidence& evidence) {
  std::vector<std::uint32_t> numbers;
  for (const auto& address : evidence.addresses)
    if (address) numbers.push_back(*address);
  std::string text = counted(numbers.size(), "lane", "lanes") + " at bytes " + list_of(numbers);
  if (row.patterns > 1) text += "; the costliest of " + grouped(row.patterns) + " patterns";
  if (row.bases > 1) text += ", at " + grouped(row.bases) + " places";
  return text;
}

std::string banks_text(const RowAccess& row, const PointEvidence& evidence) {
  std::uint32_t seen = 0, lanes = 0;
  for (const auto& bank : evidence.banks)
    if (bank) seen |= 1u << *bank, ++lanes;
  std::string text = counted(lanes, "lane", "lanes") + " in " +
                     counted(static_cast<std::uint64_t>(std::popcount(seen)), "bank", "banks");
  if (std::popcount(seen) == 1) text += " (bank " + std::to_string(std::countr_zero(seen)) + ")";
  if (!row.cost.modelled) return text + ": no rule is known for this instruction";
  return text + ": " + counted(row.cost.wavefronts, "wavefront", "wavefronts") + ", ideal " +
         std::to_string(row.cost.ideal);
}

/// What stores do to the elements of an array.
struct Writes {
  std::vector<std::uint64_t> counts;  ///< by element
  std::optional<PointEvidence> overlap;
};

/// Two lanes of one store that write the same bytes.
std::optional<PointEvidence> overlap_in(const ArrayRuns& array, const ArrayRun& run, const LoggedAccess& access) {
  std::vector<std::pair<std::int32_t, unsigned>> places;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
    if (access.lanes >> lane & 1) places.push_back({access.relative_bytes[lane], lane});
  std::sort(places.begin(), places.end());
  for (std::size_t i = 1; i < places.size(); ++i) {
    if (std::int64_t{places[i].first} - places[i - 1].first >= access.lane_bytes) continue;
    if (access.row >= run.launch->instructions->size()) continue;
    const findings::InstructionReport& row = (*run.launch->instructions)[access.row];
    const unsigned first = places[i - 1].second, second = places[i].second;
    return PointEvidence{run.launch->kernel,
                         array.name,
                         row.file,
                         row.line,
                         1u << first | 1u << second,
                         "lanes " + std::to_string(std::min(first, second)) + " and " +
                             std::to_string(std::max(first, second)) + " of one store write the same bytes",
                         {},
                         {}};
  }
  return std::nullopt;
}

Writes writes_of(const ArrayRuns& array, const ArrayRun& run, std::uint32_t element_bytes) {
  const LoggedArray& logged = run.logged();
  Writes writes{std::vector<std::uint64_t>(std::min(logged.size_bytes, largest_array_bytes) / element_bytes),
                std::nullopt};
  for (const LoggedAccess& access : run.log().accesses) {
    if (access.array != static_cast<std::int32_t>(run.array) || !is_store(access.kind)) continue;
    if (!writes.overlap) writes.overlap = overlap_in(array, run, access);
    for (const BaseCount& base : access.bases)
      for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(rest));
        const std::int64_t first = std::int64_t{base.base_bytes} + access.relative_bytes[lane] - logged.offset_bytes;
        for (std::int64_t byte = first; byte < first + access.lane_bytes; byte += element_bytes) {
          const auto element = static_cast<std::size_t>(byte / element_bytes);
          if (byte >= 0 && element < writes.counts.size()) writes.counts[element] += base.count;
        }
      }
  }
  return writes;
}

void add_bijection(Point& point, const ArrayRuns& array, const ArrayRun& run) {
  const LoggedArray& logged = run.logged();
  const auto add = [&](Answer answer, std::string text) {
    if (point.answer == Answer::yes) point.answer = answer;
    // What decides comes first.
    point.evidence.insert(answer == Answer::yes ? point.evidence.end() : point.evidence.begin(),
                          {run.launch->kernel, array.name, array.file, 0, 0, std::move(text), {}, {}});
  };
  if (logged.bulk_copies) return add(Answer::not_known, "bulk copies (TMA) fill it: their map is the hardware's");
  if (logged.unrecorded != 0) return add(Answer::not_known, "not all of its accesses found room in the log");
  const std::uint32_t element_bytes = std::max(logged.element_bytes, 1u);
  const Writes writes = writes_of(array, run, element_bytes);
  if (writes.overlap) {
    point.answer = Answer::no;
    point.evidence.insert(point.evidence.begin(), *writes.overlap);
    return;
  }
  std::uint64_t written = 0, least = ~std::uint64_t{0}, most = 0;
  for (const std::uint64_t count : writes.counts) {
    if (count == 0) continue;
    ++written;
    least = std::min(least, count);
    most = std::max(most, count);
  }
  if (written == 0) return;
  const std::string elements = grouped(written) + " of " + grouped(writes.counts.size()) + " elements written, ";
  if (least == most) return add(Answer::yes, elements + "each " + counted(most, "time", "times"));
  add(Answer::not_known, elements + grouped(least) + " to " + grouped(most) +
                             " times: several statements or an uneven loop write it, so that counts prove nothing");
}

}  // namespace

std::array<Point, 3> access_points(const findings::ProgramReport& report) {
  const std::vector<ArrayRuns> arrays = array_runs(report);
  Point addresses{PointId::addresses, Answer::yes, "", {}}, banks{PointId::banks, Answer::yes, "", {}},
      bijection{PointId::bijection, Answer::yes, "", {}};
  for (const ArrayRuns& array : arrays) {
    for (const RowAccess& row : rows_of(array)) {
      PointEvidence evidence = evidence_of(array, row);
      evidence.text = addresses_text(row, evidence);
      addresses.evidence.push_back(evidence);
      evidence.text = banks_text(row, evidence);
      banks.evidence.push_back(evidence);
      if (!row.cost.modelled) banks.answer = Answer::not_known;
    }
    for (const ArrayRun& run : array.runs) {
      if (run.logged().unrecorded != 0) addresses.answer = Answer::not_known;
      add_bijection(bijection, array, run);
    }
  }
  addresses.reason = addresses.answer == Answer::yes ? "every lane of every access was logged"
                                                     : "not all accesses found room in the log";
  banks.reason = banks.answer == Answer::yes ? "byte address / 4 mod 32, and what the access costs"
                                             : "an instruction follows no known rule";
  bijection.reason = bijection.answer == Answer::yes
                         ? "no two lanes of a store meet, and all elements are written equally often"
                     : bijection.answer == Answer::no ? "two lanes write the same element"
                                                      : "the stores alone do not show it";
  for (Point* point : {&addresses, &banks, &bijection}) {
    if (!point->evidence.empty()) continue;
    point->answer = Answer::not_known;
    point->reason = arrays.empty() ? "no kernel accessed a shared array" : "no store to a shared array was seen";
  }
  return {std::move(addresses), std::move(banks), std::move(bijection)};
}

}  // namespace lanebank::advise
