#include "report/kernel_names.hpp"

#include <algorithm>
#include <cctype>

#include "base/words.hpp"
#include "report/paint.hpp"
#include "report/wording.hpp"

namespace lanebank::report {
namespace {

std::string title_of(const std::string& kernel) { return kernel_title(kernel_without_scopes(printable(kernel))); }

std::size_t shared_beginning(const std::string& a, const std::string& b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

/// Where the word at `at` begins.
std::size_t word_begin(const std::string& text, std::size_t at) {
  const auto is_word = [](char c) { return std::isspace(static_cast<unsigned char>(c)) == 0 && c != '<' && c != ','; };
  while (at > 0 && is_word(text[at - 1])) --at;
  return at;
}

}  // namespace

KernelNames::KernelNames(const std::vector<findings::LaunchReport>& launches) {
  std::string last;
  for (const findings::LaunchReport& launch : launches) {
    if (launch.kernel == last) continue;
    last = launch.kernel;
    titles_.push_back(title_of(last));
  }
  std::sort(titles_.begin(), titles_.end());
  titles_.erase(std::unique(titles_.begin(), titles_.end()), titles_.end());
}

std::string KernelNames::fitted(const std::string& kernel, std::size_t width) const {
  std::string whole = shown_name(kernel);
  if (columns(whole) <= width) return whole;
  const std::string own = kernel_title(whole);
  const std::size_t end = whole.find(own) + own.size();  // of the name; parameters follow
  if (columns(whole.substr(0, end)) + 4 <= width) return shortened(whole, width);
  std::string title = title_of(kernel);
  std::string cut = shortened(title, width);
  if (cut == title) return title;
  std::size_t shared = 0;  // with a kernel that looks the same
  for (const std::string& other : titles_)
    if (other != title && shortened(other, width) == cut) shared = std::max(shared, shared_beginning(title, other));
  const std::size_t head = title.find('<') + 1;  // 0: none
  const std::size_t begin = word_begin(title, shared);
  if (shared == 0 || begin <= head + 3) return cut;
  return shortened(title.substr(0, head) + "..." + title.substr(begin), width);
}

}  // namespace lanebank::report
