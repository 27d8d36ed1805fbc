// Which instructions reach shared memory (shared_kinds.def).
#pragma once

#include <optional>
#include <string_view>

#include "findings/rules.hpp"

namespace lanebank::findings {

struct SharedKind {
  std::string_view mnemonic;  ///< without modifiers
  Kind kind;
  bool always;  ///< whatever the address; else a generic instruction
};

/// Of "LDS.128" or "LDS"; nothing: it never reaches shared memory.
std::optional<SharedKind> shared_kind(std::string_view mnemonic);

}  // namespace lanebank::findings
