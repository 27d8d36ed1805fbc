#include "session/progress.hpp"

#include <unistd.h>

#include "base/words.hpp"

namespace lanebank::session {

ProgressLine::ProgressLine(int terminal, std::string kernel) : terminal_(terminal), kernel_(std::move(kernel)) {}

ProgressLine::~ProgressLine() {
  if (shown_) write("\r\033[K");
}

void ProgressLine::show(std::uint64_t done_blocks, std::uint64_t all_blocks) {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  if (seconds < 1 || all_blocks == 0) return;
  shown_ = true;
  const double share = static_cast<double>(done_blocks) / static_cast<double>(all_blocks);
  std::string text = "\r\033[Klanebank: " + kernel_ + "  " + std::to_string(static_cast<int>(share * 100)) + " % of " +
                     grouped(all_blocks) + (all_blocks == 1 ? " block" : " blocks");
  if (done_blocks > 0)
    text += ", " + grouped(static_cast<std::uint64_t>(seconds / share * (1 - share)) + 1) + " s left";
  write(text);
}

void ProgressLine::write(const std::string& text) const {
  [[maybe_unused]] const ssize_t count = ::write(terminal_, text.data(), text.size());
}

}  // namespace lanebank::session
