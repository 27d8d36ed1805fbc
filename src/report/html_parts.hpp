// Parts of the HTML report.
#pragma once

#include <cstdint>
#include <string>

#include "report/digest.hpp"
#include "report/sources.hpp"

namespace lanebank::report {

/// The one style sheet, pictures' rules included.
std::string html_style();

/// A bar of two parts, `ideal` and what is above it, as wide as `wavefronts` / `most`. For eyes only: the figures stand
/// beside it.
std::string html_bar(std::uint64_t wavefronts, std::uint64_t ideal, std::uint64_t most);

/// The lines of a kernel that reach shared memory, with their surroundings where the source is at hand. `id` begins the
/// ids of the first `accesses` line digests (html_access), which the lines link to. Empty: no row has a line.
std::string html_source(const KernelDigest& kernel, Sources& sources, const std::string& id, std::size_t accesses);

/// A line with excess: reason, cure, pictures before and after, lanes and phases as tables. `id`: of
/// the element.
std::string html_access(const LineDigest& line, const std::string& id);

}  // namespace lanebank::report
