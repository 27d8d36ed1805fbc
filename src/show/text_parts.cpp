#include "show/text_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "base/words.hpp"
#include "picture/words.hpp"

namespace lanebank::show {
namespace {

/// Columns on the terminal: escape sequences take none.
std::size_t columns_of(const std::string& text) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\033') {
      i = std::min(text.find('m', i), text.size());
    } else {
      ++columns;
    }
  }
  return columns;
}

std::vector<std::string> broken(const std::string& text, std::size_t room) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && columns_of(line) + 1 + columns_of(word) > room) {
      lines.push_back(line);
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  lines.push_back(line);
  return lines;
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
  std::string result;
  for (const std::string& line : broken(text, width > indent + 20 ? width - indent : 20))
    result += std::string(indent, ' ') + line + "\n";
  return result;
}

std::string wrapped_after(const std::string& head, const std::string& text, std::size_t width,
                          const std::string& drawn_head) {
  std::string result;
  for (const std::string& line : broken(text, width > head.size() + 20 ? width - head.size() : 20)) {
    if (result.empty()) {
      result = (drawn_head.empty() ? head : drawn_head) + line + "\n";
    } else {
      result += std::string(head.size(), ' ') + line + "\n";
    }
  }
  return result;
}

std::string printable(const std::string& text) {
  std::string result = text;
  for (char& c : result)
    if (c < ' ' || c > '~') c = '?';
  return result;
}

std::string block_text(const Block& block) {
  std::string text = std::to_string(block.x);
  if (block.y > 1 || block.z > 1) text += "x" + std::to_string(block.y);
  if (block.z > 1) text += "x" + std::to_string(block.z);
  return text;
}

std::string lane_table(const Access& access, bool all, const picture::TerminalOptions& options) {
  const std::uint32_t active = access.active_lanes & addressing_lanes(access.kind, access.matrices);
  std::vector<unsigned> lanes;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
    if ((active >> lane & 1) != 0) lanes.push_back(lane);
  std::size_t cell = 2;
  for (const unsigned lane : lanes) cell = std::max(cell, std::to_string(access.addresses[lane]).size());
  cell += 2;
  const std::string head = "  lane  ";
  const std::size_t fit = std::max<std::size_t>(4, (std::max(options.width, 40u) - head.size()) / cell);
  std::string text;
  for (std::size_t begin = 0; begin < lanes.size(); begin += fit) {
    std::vector<unsigned> row(lanes.begin() + static_cast<std::ptrdiff_t>(begin),
                              lanes.begin() + static_cast<std::ptrdiff_t>(std::min(begin + fit, lanes.size())));
    const bool cut = !all && lanes.size() > fit;
    if (cut) row.back() = lanes.back();
    std::string lane_line = "  lane  ", byte_line = "  byte  ", bank_line = "  bank  ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool gap = cut && i + 2 == row.size();
      lane_line += fmt::format("{:>{}}", gap ? std::string("..") : std::to_string(row[i]), cell);
      byte_line += fmt::format("{:>{}}", gap ? std::string() : std::to_string(access.addresses[row[i]]), cell);
      const std::string bank = gap ? "" : std::to_string(bank_of(access.addresses[row[i]]));
      bank_line += std::string(cell - bank.size(), ' ');
      if (!gap) bank_line += picture::on_bank_colour(bank, bank_of(access.addresses[row[i]]), options);
    }
    for (const std::string* line : {&lane_line, &byte_line, &bank_line}) (text += *line) += '\n';
    if (cut) break;
    if (begin + fit < lanes.size()) text += "\n";
  }
  return text;
}

std::string bit_table(const Phase& phase) {
  unsigned top = 8;
  for (unsigned bit = 0; bit < 32; ++bit)
    if ((phase.varying_bits >> bit & 1) != 0) top = std::max(top, bit + 1);
  std::string bits = "  address bit  ", marks = "  varies       ", field = std::string(15, ' ');
  for (unsigned bit = top; bit-- > 0;) {
    bits += fmt::format("{:>3}", bit);
    marks += (phase.varying_bits >> bit & 1) != 0 ? "  x" : (phase.lane_bytes - 1) >> bit != 0 ? "  -" : "  .";
    field += "   ";
    if (bit == 7) bits += " |", marks += " |", field += " |";
    if (bit == 2) bits += " |", marks += " |", field.replace(field.size() - 13, 13, " bank field  "), field += " |";
  }
  return bits + "\n" + marks + "\n" + field.substr(0, field.find_last_not_of(' ') + 1) + "\n";
}

std::string meeting_text(const Phase& phase, unsigned limit, unsigned width) {
  const Collision& meeting = phase.meeting;
  std::string text;
  for (unsigned i = 0; i < meeting.word_count && i < limit; ++i)
    text += (text.empty() ? "" : "; ") +
            fmt::format("byte {} {}", meeting.words[i].address_bytes, picture::lanes_text(meeting.words[i].lanes));
  if (meeting.word_count > limit) text += fmt::format("; and {} more", meeting.word_count - limit);
  return wrapped_after(fmt::format("  bank {}: ", meeting.bank), text, width, "");
}

std::string layout_table(const Answer& answer, const ArrayAnswer& array) {
  std::vector<std::array<std::string, 5>> rows = {{"access", "as written", "with it", "ideal", ""}};
  if (!array.given) rows.front()[2].clear();
  std::string torn;
  for (const std::size_t index : array.accesses) {
    const AccessAnswer& access = answer.accesses[index];
    std::array<std::string, 5> row = {access.accesses.name, grouped(access.written.wavefronts), "",
                                      grouped(access.written.ideal), ""};
    if (access.given) {
      row[2] = access.given->served ? grouped(access.given->wavefronts) : "torn";
      if (!access.given->served)
        torn = access.given->why;
      else if (access.given->wavefronts < access.written.wavefronts)
        row[4] = access.given->wavefronts == access.given->ideal ? "cured" : "better";
      else if (access.given->wavefronts > access.written.wavefronts)
        row[4] = "worse";
    }
    rows.push_back(row);
  }
  std::array<std::size_t, 5> widths{};
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto& row : rows) {
    std::string line = fmt::format("  {:<{}}", row[0], widths[0]);
    for (std::size_t i = 1; i < 4; ++i)
      if (widths[i] != 0) line += fmt::format("  {:>{}}", row[i], widths[i]);
    if (!row[4].empty()) line += "  " + row[4];
    text += line + "\n";
  }
  text += "  (wavefronts over the whole tile)\n";
  return text + (torn.empty() ? "" : "  " + torn + "\n");
}

}  // namespace lanebank::show
