// Holds the disassembler against the vendor's: reads what `nvdisasm -hex -c` prints of one or several cubins
// of one architecture from the standard input and counts the instructions whose text is the same.
//
//   nvdisasm -hex -c FILE.cubin | sass_agreement 90 [-m COUNT] [-r FILE]
//
//   -m COUNT  print so many mismatches of each row of the table (default 2)
//   -r FILE   append the first examples of each new shape of text, as "arch low high address text"
//
// Two known differences of spelling are not counted: this project writes what Nsight Compute writes, a comma
// before the offset of an indirect branch and the source of LDGSTS first. Targets in other sections (calls that
// the linker has still to fill in) are not compared.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "sass/table.hpp"

namespace {

using namespace lanebank::sass;

struct Line {
  std::uint32_t address = 0;
  Word word;
  std::string text;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Without register reuse flags, padding and trailing blanks; spelled as Nsight Compute does.
std::string normal(std::string text) {
  for (std::size_t at; (at = text.find(".reuse")) != std::string::npos;) text.erase(at, 6);
  if (text.starts_with('@')) {
    std::size_t blank = text.find(' ');
    while (blank + 1 < text.size() && text[blank + 1] == ' ') text.erase(blank, 1);
  }
  while (!text.empty() && (text.back() == ' ' || text.back() == ';')) text.pop_back();
  std::size_t start = text.starts_with('@') ? text.find(' ') + 1 : 0;
  std::string_view mnemonic = std::string_view(text).substr(start);
  auto is = [&](std::string_view name) {
    return mnemonic.starts_with(name) && !is_word(mnemonic.substr(name.size())[0]);
  };
  if (is("RET") || is("BRX") || is("CALL") || is("JMX")) {
    std::size_t last = text.rfind(' ');
    if (last != std::string::npos && text[last - 1] != ',' && text.find(' ', start) < last) text.insert(last, ",");
  }
  if (is("LDGSTS")) {
    std::size_t first = text.find(' ', start) + 1, comma = text.find(", ", first), second = text.find(", ", comma + 2);
    std::string shared = text.substr(first, comma - first);
    std::string global = text.substr(comma + 2, second == std::string::npos ? second : second - comma - 2);
    text = text.substr(0, first) + global + ", " + shared + (second == std::string::npos ? "" : text.substr(second));
  }
  return text;
}

/// The text with all numbers of registers and all values replaced.
std::string shape(std::string_view text) {
  std::string result;
  for (std::size_t n = 0; n < text.size();) {
    char before = n ? text[n - 1] : ' ';
    if (is_digit(text[n]) && (!is_word(before) || before == 'R' || before == 'P' || before == 'B') && before != '.') {
      while (n < text.size() &&
             (is_word(text[n]) || text[n] == '.' || (text[n - 1] == 'e' && (text[n] == '+' || text[n] == '-')))) {
        if (text[n] == '.' && !is_digit(text[n + 1 < text.size() ? n + 1 : n])) break;
        ++n;
      }
      if (!result.empty() && result.back() == '-') result.pop_back();
      result += '#';
    } else {
      result += text[n++];
    }
  }
  return result;
}

struct Agreement {
  unsigned architecture;
  int mismatches_shown;
  std::ofstream record;
  long total = 0, equal = 0, skipped = 0;
  std::map<std::string, int> wrong;
  std::set<std::string> shapes;

  void compare(const Line& line, const std::unordered_map<std::string, std::uint32_t>& labels) {
    std::string text = normal(line.text);
    if (std::size_t at = text.find("`("); at != std::string::npos) {
      auto label = labels.find(text.substr(at + 2, text.size() - at - 3));
      if (label == labels.end()) {
        ++skipped;
        return;
      }
      char target[16];
      std::snprintf(target, sizeof target, "0x%x", label->second);
      text.replace(at, std::string::npos, target);
    }
    ++total;
    Instruction instruction = decode(line.word, line.address, architecture);
    std::string ours = disassemble(instruction, architecture);
    if (record.is_open() && shapes.insert(shape(text)).second) write(line, text);
    if (ours == text) {
      ++equal;
      return;
    }
    std::string row = instruction.row == no_row ? "unknown " + text.substr(0, text.find_first_of(" .", 4))
                                                : std::string(info(instruction.row).id);
    if (wrong[row]++ < mismatches_shown)
      std::printf("%s %016llx %016llx\n  ours   %s\n  theirs %s\n", row.c_str(),
                  static_cast<unsigned long long>(line.word.low), static_cast<unsigned long long>(line.word.high),
                  ours.c_str(), text.c_str());
  }

  void write(const Line& line, const std::string& text) {
    char words[64];
    std::snprintf(words, sizeof words, "%u\t%016llx\t%016llx\t%x\t", architecture,
                  static_cast<unsigned long long>(line.word.low),
                  static_cast<unsigned long long>(line.word.high & ((1ull << 41) - 1)), line.address);
    record << words << text << '\n';
  }
};

}  // namespace

int main(int count, char** arguments) {
  Agreement agreement{count > 1 ? static_cast<unsigned>(std::atoi(arguments[1])) : 90, 2, {}};
  for (int n = 2; n + 1 < count; n += 2) {
    if (std::string(arguments[n]) == "-m") agreement.mismatches_shown = std::atoi(arguments[n + 1]);
    if (std::string(arguments[n]) == "-r") agreement.record.open(arguments[n + 1], std::ios::app);
  }
  std::ios::sync_with_stdio(false);
  std::vector<Line> lines;
  std::vector<std::string> pending;
  std::unordered_map<std::string, std::uint32_t> labels;
  Line current;
  bool half = false;
  auto finish = [&] {
    for (const Line& line : lines) agreement.compare(line, labels);
    lines.clear();
    labels.clear();
    pending.clear();
  };
  for (std::string text; std::getline(std::cin, text);) {
    std::size_t word = text.rfind("/* 0x"), address = text.find("/*");
    if (word != std::string::npos && text.ends_with("*/")) {
      std::uint64_t bits = std::strtoull(text.c_str() + word + 5, nullptr, 16);
      if (address != word) {
        current.address = static_cast<std::uint32_t>(std::strtoul(text.c_str() + address + 2, nullptr, 16));
        for (std::string& label : pending) labels[std::move(label)] = current.address;
        pending.clear();
        std::size_t start = text.find_first_not_of(" {", text.find("*/", address) + 2);
        current.text = text.substr(start, word - start);
        current.word.low = bits;
        half = true;
      } else if (half) {
        current.word.high = bits;
        lines.push_back(current);
        half = false;
      }
    } else if (text.starts_with("\t.section\t.text")) {
      finish();
    } else if (text.ends_with(':')) {
      pending.push_back(text.substr(0, text.size() - 1));
    }
  }
  finish();
  for (const auto& [row, wrong] : agreement.wrong) std::printf("%8d %s\n", wrong, row.c_str());
  std::printf("sm_%u: %ld of %ld instructions equal (%.4f %%), %ld targets not compared\n", agreement.architecture,
              agreement.equal, agreement.total, agreement.total ? 100.0 * agreement.equal / agreement.total : 0.0,
              agreement.skipped);
}
