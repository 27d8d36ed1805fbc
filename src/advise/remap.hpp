// `lanebank run --remap ARRAY=LAYOUT`: a report with the figures that its launches would have if an array lay otherwise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "findings/report.hpp"
#include "solve/layout_text.hpp"

namespace lanebank::advise {

/// "tile=swizzle<5,2,5>", "transpose:tile=pad+1".
struct RemapRequest {
  std::string kernel;  ///< its own name or its whole name; empty: every kernel
  std::string array;
  solve::LayoutText layout;
  std::string text;  ///< as given
};

/// Error "remap.text", or that of the layout.
Result<RemapRequest> read_remap(const std::string& text);

/// What is known of an array beside its size; 0: unknown.
struct GivenShape {
  std::string array;
  std::uint32_t row_elements = 0, element_bytes = 0;
};

/// Fills `remaps` and `remapped_rows` of every launch that has a log. Where a layout speaks of rows and neither it nor a shape
/// names their length, the distances between lanes do (seen_rows). A request that fits no array of any launch becomes a problem
/// of the report.
void apply_remaps(findings::ProgramReport& report, const std::vector<RemapRequest>& requests,
                  const std::vector<GivenShape>& shapes);

}  // namespace lanebank::advise
