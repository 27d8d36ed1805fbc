// Errors as values: what went wrong, where, and what to do about it.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace lanebank {

enum class Severity { note, warning, error };

/// One message to a person. `where` is a position that the reader can act on (file:line, section and
/// offset, kernel and address) and may be empty; `what` says what was found and what was expected;
/// `remedy` says what to do next and may be empty.
struct Diagnostic {
  std::string id;  ///< stable, e.g. "fatbin.truncated"
  std::string where;
  std::string what;
  std::string remedy;
  Severity severity = Severity::error;
};

/// "where: what" and, on a second line, the remedy.
std::string to_string(const Diagnostic& diagnostic);

template <class T>
using Result = tl::expected<T, Diagnostic>;

/// The failing side of a Result: `return fail("elf.truncated", "section 3", "ends at ..", "..");`
inline tl::unexpected<Diagnostic> fail(std::string id, std::string where, std::string what, std::string remedy = {}) {
  return tl::unexpected<Diagnostic>(Diagnostic{std::move(id), std::move(where), std::move(what), std::move(remedy)});
}

}  // namespace lanebank
