// Which launches are counted, spelled as Nsight Compute spells it.
#pragma once

#include <cstdint>
#include <optional>
#include <regex>
#include <string>

#include "base/diagnostic.hpp"
#include "session/kernel_name.hpp"

namespace lanebank::session {

/// --kernel-name, --kernel-name-base, --launch-skip, --launch-count. Skip and count see only launches whose
/// kernel matches.
class LaunchFilter {
 public:
  /// `pattern`: empty (every kernel), an exact name, or "regex:" and a regular expression that must be found
  /// in the name. `base`: "function" (tr), "demangled" (void tr<(int)0>(float *)) or "mangled".
  static Result<LaunchFilter> make(const std::string& pattern, const std::string& base, std::uint64_t skip,
                                   std::uint64_t count);

  /// Asked once for each launch, in order.
  bool takes(const KernelName& name, const std::string& symbol);

 private:
  enum class Base { function, demangled, mangled };
  Base base_ = Base::function;
  std::string exact_;
  std::optional<std::regex> expression_;
  std::uint64_t skip_ = 0, count_ = 0, matched_ = 0;
};

}  // namespace lanebank::session
