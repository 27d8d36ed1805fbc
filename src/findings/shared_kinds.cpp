#include "findings/shared_kinds.hpp"

namespace lanebank::findings {
namespace {

constexpr SharedKind rows[] = {
#define LANEBANK_SHARED(mnemonic, kind, always) {mnemonic, Kind::kind, always},
#include "findings/shared_kinds.def"
#undef LANEBANK_SHARED
};

}  // namespace

std::optional<SharedKind> shared_kind(std::string_view mnemonic) {
  const std::string_view base = mnemonic.substr(0, mnemonic.find('.'));
  for (const SharedKind& row : rows)
    if (row.mnemonic == base) return row;
  return std::nullopt;
}

}  // namespace lanebank::findings
