#include "report/fingerprint.hpp"

#include "report/wording.hpp"

namespace lanebank::report {
namespace {

/// 64 bits of FNV-1a.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

std::string without_blanks(const std::string& text) {
  std::string result;
  for (const char c : text)
    if (c != ' ') result += c;
  return result;
}

}  // namespace

std::string hex(std::uint64_t number) {
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; number >>= 4) text[i] = "0123456789abcdef"[number & 15];
  return text;
}

std::uint64_t fingerprint(const findings::Finding& finding, Sources& sources) {
  const findings::SourcePlace place = place_at(finding, telling_place(finding));
  const std::string* line = place.line == 0 ? nullptr : sources.line(place.file, place.line);
  std::string text;
  if (line)
    text = without_blanks(*line);
  else if (finding.evidence.check)
    text = mnemonic_of(finding.evidence.check->access.sass);
  else
    text = std::string(findings::spelled(finding.evidence.kind)) + std::to_string(finding.evidence.bits);
  if (finding.evidence.check) text += "\n" + finding.evidence.check->hazard;
  return hash_of(std::string(findings::info(finding.rule).spelled) + "\n" + finding.kernel + "\n" + finding.function +
                 "\n" + finding.evidence.array + "\n" + text);
}

}  // namespace lanebank::report
