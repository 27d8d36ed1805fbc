#include "machine/fuse/logic_formulas.hpp"

namespace lanebank::machine::fuse {
namespace {

/// Formulas of n operations, from those of fewer.
std::array<LogicFormula, 256> find_formulas() {
  std::array<LogicFormula, 256> all;
  for (const unsigned input : {0xf0u, 0xccu, 0xaau}) all[input] = {LogicFormula::operand, 0, 0, 0};
  const auto known = [&](unsigned table, unsigned operations) {
    return all[table].kind != LogicFormula::none && all[table].operations == operations;
  };
  const auto found = [&](LogicFormula::Kind kind, unsigned x, unsigned y, unsigned table, unsigned operations) {
    table &= 0xff;
    if (table == 0 || table == 0xff || all[table].kind != LogicFormula::none) return;
    all[table] = {kind, static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y),
                  static_cast<std::uint8_t>(operations)};
  };
  for (unsigned n = 1; n < 8; ++n)
    for (unsigned x = 1; x < 255; ++x) {
      if (known(x, n - 1)) found(LogicFormula::invert, x, 0, ~x, n);
      for (unsigned y = 1; y < 255; ++y) {
        if (all[x].kind == LogicFormula::none || !known(y, n - 1u - all[x].operations)) continue;
        found(LogicFormula::conjunction, x, y, x & y, n);
        found(LogicFormula::and_not, x, y, ~x & y, n);
        found(LogicFormula::disjunction, x, y, x | y, n);
        found(LogicFormula::exclusive, x, y, x ^ y, n);
      }
    }
  return all;
}

}  // namespace

const std::array<LogicFormula, 256>& logic_formulas() {
  static const std::array<LogicFormula, 256> all = find_formulas();
  return all;
}

}  // namespace lanebank::machine::fuse
