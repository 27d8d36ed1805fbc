// Index expressions: any text gives values or a Diagnostic with column and remedy, never a crash or undefined behaviour.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "solve/expression.hpp"

namespace {

bool says_all(const lanebank::Diagnostic& error) {
  return error.id.rfind("expression.", 0) == 0 && error.where.rfind("column ", 0) == 0 && !error.what.empty() &&
         !error.remedy.empty();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using lanebank::solve::Expression;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const lanebank::Result<Expression> parsed = Expression::parse(text, {"lane", "k", "tid"});
  if (!parsed) {
    if (!says_all(parsed.error())) std::abort();
    return 0;
  }
  constexpr std::int64_t numbers[] = {
      0, 1, 31, -7, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  for (const std::int64_t lane : numbers)
    for (const std::int64_t k : numbers) {
      const std::int64_t values[] = {lane, k, lane};
      const lanebank::Result<std::int64_t> value = parsed->evaluate(values);
      if (!value && !says_all(value.error())) std::abort();
    }
  return 0;
}
