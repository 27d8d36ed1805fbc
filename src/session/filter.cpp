#include "session/filter.hpp"

namespace lanebank::session {

Result<LaunchFilter> LaunchFilter::make(const std::string& pattern, const std::string& base, std::uint64_t skip,
                                        std::uint64_t count) {
  LaunchFilter filter;
  if (base == "function")
    filter.base_ = Base::function;
  else if (base == "demangled")
    filter.base_ = Base::demangled;
  else if (base == "mangled")
    filter.base_ = Base::mangled;
  else
    return fail("filter.base", "--kernel-name-base", "'" + base + "' is none of function, demangled, mangled");
  constexpr std::string_view prefix = "regex:";
  if (pattern.rfind(prefix, 0) == 0) {
    try {
      filter.expression_.emplace(pattern.substr(prefix.size()));
    } catch (const std::regex_error& error) {
      return fail("filter.regex", "--kernel-name", "'" + pattern + "' is no regular expression: " + error.what());
    }
  } else {
    filter.exact_ = pattern;
  }
  filter.skip_ = skip;
  filter.count_ = count;
  return filter;
}

bool LaunchFilter::takes(const KernelName& name, const std::string& symbol) {
  const std::string& text = base_ == Base::function ? name.base : base_ == Base::demangled ? name.full : symbol;
  if (expression_ ? !std::regex_search(text, *expression_) : !exact_.empty() && text != exact_) return false;
  const std::uint64_t number = matched_++;
  return number >= skip_ && number - skip_ < count_;
}

}  // namespace lanebank::session
