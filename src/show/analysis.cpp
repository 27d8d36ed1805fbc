#include "show/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <set>

#include "picture/words.hpp"

namespace lanebank::show {
namespace {

using picture::counted;
using picture::lanes_text;

unsigned count_of(std::uint32_t bits) { return static_cast<unsigned>(std::popcount(bits)); }

Phase phase_of(const Access& access, const Group& group) {
  Phase phase;
  phase.group = group;
  phase.lane_bytes = access.lane_bytes;
  phase.meeting = collision(access, group);
  phase.loads = picture::bank_loads(access, group);
  const unsigned first = static_cast<unsigned>(std::countr_zero(group.lanes));
  std::set<std::uint32_t> words;
  for (unsigned lane = first; lane < lanes_per_warp; ++lane) {
    if ((group.lanes >> lane & 1) == 0) continue;
    phase.varying_bits |= access.addresses[lane] ^ access.addresses[first];
    const detail::WordSpan span = detail::words_of(access.addresses[lane], access.lane_bytes);
    for (unsigned k = 0; k < span.count; ++k) words.insert(span.first + k);
  }
  phase.words = static_cast<unsigned>(words.size());
  for (const unsigned load : phase.loads.load) phase.banks += load != 0;
  return phase;
}

std::optional<std::int64_t> stride_of(const Access& access, std::uint32_t lanes) {
  std::optional<std::int64_t> stride;
  int before = -1;
  for (int lane = 0; lane < static_cast<int>(lanes_per_warp); ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    if (before >= 0) {
      const std::int64_t step = std::int64_t{access.addresses[lane]} - access.addresses[before];
      if (lane != before + 1 || (stride && *stride != step)) return std::nullopt;
      stride = step;
    }
    before = lane;
  }
  return stride;
}

bool is_matrix(AccessKind kind) { return kind == AccessKind::matrix_load || kind == AccessKind::matrix_store; }

bool counts_lanes(AccessKind kind) { return kind == AccessKind::atomic || kind == AccessKind::atomic_cas; }

std::string clean_text(const Analysis& analysis) {
  const Cost& cost = analysis.cost;
  if (analysis.phases.empty())
    return "the addresses play no part: " + counted(cost.wavefronts, "wavefront") +
           " each time, contention shows in the loop around it";
  const Phase& phase = *analysis.worst_phase();
  const bool one_word = phase.words == 1 && count_of(phase.group.lanes) > 1;
  if (one_word && !counts_lanes(analysis.access.kind))
    return "all lanes " + std::string(verb_of(analysis.access.kind)) + " the same word, which costs one wavefront";
  if (cost.wavefronts > cost.ideal) {
    if (phase.group.degree > 1 || analysis.access.kind == AccessKind::async_copy_cg) return "";
    const std::uint32_t giving = addressing_lanes(analysis.access.kind, analysis.access.matrices);
    return fmt::format("no two lanes conflict: {} in {}, served one after the other however few lanes they have",
                       counted(count_of(analysis.access.active_lanes & giving), "active lane"),
                       counted(analysis.phases.size(), "phase"));
  }
  if (analysis.access.kind == AccessKind::async_copy_cg)
    return "it takes as many wavefronts as its bytes fill rows of 128: the chunks keep to their source lines";
  if (cost.wavefronts == 1) return "no two lanes want different words of one bank";
  return fmt::format("each of its {} is free of conflicts: {} is what {} bytes a lane take",
                     counted(analysis.phases.size(), "phase"), counted(cost.wavefronts, "wavefront"),
                     analysis.access.lane_bytes);
}

/// The distance of neighbouring words in the worst bank, where it is the same.
std::optional<std::int64_t> word_distance(const Collision& meeting) {
  if (meeting.word_count < 2) return std::nullopt;
  const auto at = [&](unsigned i) { return std::int64_t{meeting.words[i].address_bytes}; };
  for (unsigned i = 2; i < meeting.word_count; ++i)
    if (at(i) - at(i - 1) != at(1) - at(0)) return std::nullopt;
  return std::abs(at(1) - at(0));
}

std::string shape_text(const Analysis& analysis) {
  const bool matrix = is_matrix(analysis.access.kind);
  const std::int64_t stride = std::abs(analysis.stride_bytes.value_or(0));
  if (stride != 0 && matrix) return fmt::format(": rows {} bytes apart", stride);
  if (stride != 0 && stride % bank_row_bytes == 0) return fmt::format(": a column, rows {} bytes apart", stride);
  if (stride != 0) return fmt::format(": a stride of {} bytes", stride);
  if (const auto distance = word_distance(analysis.worst_phase()->meeting); distance)
    return fmt::format(", {} bytes apart", *distance);
  return "";
}

}  // namespace

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

Analysis analyse(const Access& access, unsigned architecture) {
  Analysis analysis;
  analysis.access = access;
  analysis.cost = cost(access, architecture);
  for (unsigned i = 0; i < analysis.cost.group_count; ++i) {
    analysis.phases.push_back(phase_of(access, analysis.cost.groups[i]));
    if (analysis.cost.groups[i].degree > analysis.cost.groups[analysis.worst].degree) analysis.worst = i;
  }
  if (!analysis.phases.empty()) analysis.stride_bytes = stride_of(access, analysis.worst_phase()->group.lanes);
  return analysis;
}

std::string bit_list(std::uint32_t bits) {
  std::string text;
  for (unsigned bit = 0; bit < 32; ++bit) {
    if ((bits >> bit & 1) == 0) continue;
    unsigned last = bit;
    while (last < 31 && (bits >> (last + 1) & 1) != 0) ++last;
    text += text.empty() ? "" : ", ";
    text += std::to_string(bit);
    if (last > bit + 1) text += ".." + std::to_string(last);
    if (last == bit + 1) text += ", " + std::to_string(last);
    bit = last;
  }
  return text;
}

std::string bits_text(const Phase& phase) {
  const std::uint32_t varying = phase.varying_bits;
  const std::string placed = counted(phase.words, "word") + " in " + counted(phase.banks, "bank");
  if (varying == 0) return "no address bit varies: all lanes want one address";
  const std::uint32_t inside = varying & bank_field, above = varying & ~(bank_row_bytes - 1),
                      missing = bank_field & ~varying & ~(phase.lane_bytes - 1);
  std::string text = fmt::format("{} {} {}", count_of(varying) == 1 ? "bit" : "bits", bit_list(varying),
                                 count_of(varying) == 1 ? "varies" : "vary");
  if (phase.group.degree <= 1) return text + ": " + placed;
  if (above != 0 && inside == 0) {
    text += ", none of the bank field 2..6";
  } else if (above != 0) {
    text +=
        fmt::format(", of which {} {} the bank field 2..6", bit_list(above), count_of(above) == 1 ? "misses" : "miss");
  }
  if (above != 0 && inside != 0 && missing != 0)
    text += fmt::format("; in the field {} never {}", bit_list(missing), count_of(missing) == 1 ? "varies" : "vary");
  return text + ": " + placed;
}

std::string why_text(const Analysis& analysis) {
  const Cost& cost = analysis.cost;
  if (!cost.modelled) return cost.reason;
  if (std::string clean = clean_text(analysis); !clean.empty()) return clean;
  const AccessKind kind = analysis.access.kind;
  if (kind == AccessKind::async_copy_cg)
    return fmt::format(
        "the copy's 16-byte chunks fall into {} classes of source line, destination line and shift between the two; {} "
        "would do",
        cost.wavefronts, cost.ideal);
  const Phase& phase = *analysis.worst_phase();
  const unsigned lanes = count_of(phase.group.colliding_lanes);
  if (kind == AccessKind::async_copy_ca)
    return fmt::format(
        "{} ({}) meet in one place of the 128-byte rows that they fill or of the 128-byte lines that they read",
        counted(lanes, "lane"), lanes_text(phase.group.colliding_lanes));
  if (counts_lanes(kind)) {
    const std::string where = phase.meeting.word_count == 1
                                  ? "the same word"
                                  : fmt::format("{} words of bank {}", phase.meeting.word_count, phase.group.bank);
    return fmt::format("{} ({}) update {}: atomics of one bank queue up{}", counted(lanes, "lane"),
                       lanes_text(phase.group.colliding_lanes), where,
                       kind == AccessKind::atomic_cas ? ", twice for compare-and-swap" : "");
  }
  std::string text = lanes_text(phase.group.colliding_lanes);
  if (is_matrix(kind)) {
    text += fmt::format(", rows of matrix {},", std::countr_zero(phase.group.lanes) / 8);
  } else if (analysis.phases.size() > 1) {
    text += fmt::format(" (phase {} of {})", analysis.worst + 1, analysis.phases.size());
  }
  return text +
         fmt::format(" {} {} different words of bank {}", verb_of(kind), phase.meeting.word_count, phase.group.bank) +
         shape_text(analysis);
}

}  // namespace lanebank::show
