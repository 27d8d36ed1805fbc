#include "report/text_bottleneck.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/words.hpp"

namespace lanebank::report {

using findings::Bottleneck;

namespace {

/// The limits that come next, as shares of the one that binds.
std::string others(const Bottleneck& estimate) {
  constexpr std::size_t most = 2;
  std::string text;
  for (std::size_t i = 1; i < estimate.limits.size() && i <= most; i++)
    text += (text.empty() ? "" : ", ") + std::string(findings::name_of(estimate.limits[i].limit).words) + " " +
            share_text(estimate.limits[i].seconds / estimate.seconds);
  return text;
}

std::string saved(const Bottleneck& estimate) {
  if (estimate.excess_wait_seconds <= 0) return "no excess";
  if (estimate.saved_seconds() <= 0) return "nothing, at most " + time_text(estimate.excess_wait_seconds);
  return time_text(estimate.saved_seconds()) + " (" + share_text(estimate.saved_seconds() / estimate.seconds) +
         "), at most " + time_text(estimate.excess_wait_seconds);
}

}  // namespace

std::string bottleneck_text(const std::vector<KernelDigest>& kernels, const Paint& paint, std::size_t width) {
  constexpr auto left = Table::Align::left, right = Table::Align::right;
  constexpr std::size_t most = 20;
  std::string gpu;
  std::vector<std::string> notes;
  bool calibrated = true;
  for (const std::size_t name_width : {60u, 48u, 40u, 32u, 24u}) {
    Table table({left, right, left, left, right, left});
    table.row({"kernel", "at least", "bound by", "then", "warps", "removing the excess saves"});
    std::size_t rows = 0;
    for (const KernelDigest& kernel : kernels) {
      if (!kernel.launch->bottleneck || kernel.launch->bottleneck->limits.empty()) continue;
      const Bottleneck& estimate = *kernel.launch->bottleneck;
      gpu = estimate.gpu_name;
      calibrated = calibrated && estimate.calibrated;
      for (const std::string& note : estimate.notes)
        if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
      if (rows++ >= most) continue;
      table.row({shortened(printable(kernel_title(kernel.launch->kernel)), name_width), time_text(estimate.seconds),
                 std::string(findings::name_of(estimate.binds).words), others(estimate),
                 fmt::format("{}/{}", estimate.resident_warps, estimate.most_warps), saved(estimate)});
    }
    if (rows == 0) return "";
    const std::vector<std::string> lines = table.lines();
    std::size_t widest = 0;
    for (const std::string& row : lines) widest = std::max(widest, columns(row) + 4);
    if (widest > width && name_width > 24) continue;
    std::string text = "  " + paint.bold("bottleneck") + " on " + gpu + ", one launch; estimated from counted work\n";
    for (std::size_t i = 0; i < lines.size(); i++) text += "    " + (i == 0 ? paint.dim(lines[i]) : lines[i]) + "\n";
    if (rows > most) text += paint.dim("    and " + grouped(rows - most) + " more; --json has them all") + "\n";
    text +=
        paint.dim(wrapped("A lower bound: latency, barriers and the order of addresses are not modelled. Saved: where "
                          "all parts of the GPU "
                          "work at once; at most: 2 cycles for each excess wavefront.",
                          4, width));
    if (!calibrated)
      text += paint.dim(wrapped("The 2 cycles were measured on an H200 and are assumed here.", 4, width));
    for (const std::string& note : notes) text += paint.dim(wrapped("note: " + note, 4, width));
    return text + "\n";
  }
  return "";
}

}  // namespace lanebank::report
