// How names, places and shares are said, the same in every format for people.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "findings/report.hpp"

namespace lanebank::report {

/// Kernel names without the return type.
std::string shown_name(const std::string& kernel);
/// The function's own name, without scope and arguments.
std::string short_name(const std::string& kernel);

/// "32x8" of (32, 8, 1).
std::string extent(const std::array<std::uint32_t, 3>& size);

/// 15.0 %, but never "0.0 %" of something nor "100.0 %" of less than all.
std::string percent(std::uint64_t part, std::uint64_t whole);

/// A file outside of the working directory by its name alone: the JSON report has the path.
std::string shown_file(const std::string& file);

/// Below the working directory?
bool is_own(const std::string& file);

/// The place to look at, as position in the chain of the line itself (0) and the calls that inlined it: the innermost in
/// the user's own files, for a line of a toolkit's header says little. `T`: an InstructionReport or a Finding.
template <class T>
std::size_t telling_place(const T& what) {
  if (is_own(what.file)) return 0;
  for (std::size_t i = 0; i < what.inlined_at.size(); i++)
    if (is_own(what.inlined_at[i].file)) return i + 1;
  return 0;
}

/// The place of a position in that chain.
template <class T>
findings::SourcePlace place_at(const T& what, std::size_t position) {
  return position == 0 ? findings::SourcePlace{what.file, what.line, {}} : what.inlined_at[position - 1];
}

/// "a.cu:14".
std::string place_text(const findings::SourcePlace& place);

/// "+0x01f0": where no line is known.
std::string instruction_text(std::uint32_t address);

/// "a.cu:14" or "+0x01f0" of the place to look at.
std::string where_text(const findings::Finding& finding);

/// "LDS.128" of "@P0 LDS.128 R4, [R8]".
std::string mnemonic_of(const std::string& sass);

}  // namespace lanebank::report
