#include "report/wording.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/words.hpp"
#include "report/paint.hpp"

namespace lanebank::report {

std::string shown_name(const std::string& kernel) {
  const std::string name = printable(kernel);
  return name.rfind("void ", 0) == 0 ? name.substr(5) : name;
}

std::string short_name(const std::string& kernel) { return printable(kernel_base_name(kernel)); }

std::string extent(const std::array<std::uint32_t, 3>& size) {
  std::string text = std::to_string(size[0]);
  if (size[1] != 1 || size[2] != 1) text += "x" + std::to_string(size[1]);
  if (size[2] != 1) text += "x" + std::to_string(size[2]);
  return text;
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (part == 0 || whole == 0) return "0 %";
  const double share = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (share < 0.1) return "< 0.1 %";
  if (share > 99.9 && part != whole) return "> 99.9 %";
  return fmt::format("{:.1f} %", share);
}

std::string shown_file(const std::string& file) {
  return printable(file.empty() || file[0] != '/' ? file : file.substr(file.rfind('/') + 1));
}

bool is_own(const std::string& file) { return !file.empty() && file[0] != '/'; }

std::string place_text(const findings::SourcePlace& place) {
  return shown_file(place.file) + ":" + std::to_string(place.line);
}

std::string instruction_text(std::uint32_t address) { return fmt::format("+0x{:04x}", address); }

std::string where_text(const findings::Finding& finding) {
  if (finding.line == 0) return instruction_text(finding.address);
  return place_text(place_at(finding, telling_place(finding)));
}

std::string mnemonic_of(const std::string& sass) {
  std::size_t begin = 0;
  if (!sass.empty() && sass[0] == '@') begin = std::min(sass.size(), sass.find(' '));
  begin = std::min(sass.size(), sass.find_first_not_of(' ', begin));
  return sass.substr(begin, sass.find(' ', begin) - begin);
}

}  // namespace lanebank::report
