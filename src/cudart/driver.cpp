#include "cudart/driver.hpp"

#include <mutex>
#include <set>
#include <string>

#include "cudart/calls.hpp"
#include "cudart/driver/context.hpp"

namespace lanebank::cudart::driver {
namespace {

enum Row : unsigned {
#define DRIVER(name, since) row_##name,
#define AS(name, since, call, fault) row_##name,
#define SAME(name, since, as) row_##name,
#define NO_DRIVER(name) row_##name,
#include "cudart/driver_calls.def"
#undef DRIVER
#undef AS
#undef SAME
#undef NO_DRIVER
  rows
};

struct RowText {
  const char* name;
  unsigned since;  ///< 0: not implemented
};
constexpr RowText texts[] = {
#define DRIVER(name, since) {#name, since},
#define AS(name, since, call, fault) {#name, since},
#define SAME(name, since, as) {#name, since},
#define NO_DRIVER(name) {#name, 0},
#include "cudart/driver_calls.def"
#undef DRIVER
#undef AS
#undef SAME
#undef NO_DRIVER
};

/// Says once that the program wanted a driver function that is not implemented; the report keeps it.
void tell_missing(const char* name) {
  static std::mutex mutex;
  static std::set<std::string> told;
  {
    std::lock_guard lock(mutex);
    if (told.insert(name).second) tell(std::string(name) + " is not implemented");
  }
  Process::get().engine().unsupported_call(name);
}

/// Nothing thrown crosses the C interface.
template <class Body>
Result shielded(unsigned row, Body&& body) noexcept {
  try {
    return body();
  } catch (const std::exception& error) {
    fail_internally(texts[row].name, std::string("internal error: ") + error.what());
  }
}

/// A function of the driver's own.
template <auto Call, unsigned row>
struct Entry;
template <class... Arguments, Result (*Call)(Arguments...), unsigned row>
struct Entry<Call, row> {
  static Result function(Arguments... arguments) noexcept {
    return shielded(row, [&] { return Call(arguments...); });
  }
};

/// What the runtime does with the same arguments.
template <auto Call, Needs needs, unsigned row>
struct Forward;
template <class R, class... Arguments, R (*Call)(Arguments...), Needs needs, unsigned row>
struct Forward<Call, needs, row> {
  static Result function(Arguments... arguments) noexcept {
    return shielded(row, [&] { return when(needs, [&] { return Call(arguments...); }); });
  }
};

template <unsigned row>
struct NoEntry {
  static Result function() noexcept {
    return shielded(row, [] {
      tell_missing(texts[row].name);
      return abi::cudaErrorNotSupported;
    });
  }
};

template <class R, class... A>
void* address(R (*function)(A...) noexcept) {
  return reinterpret_cast<void*>(function);
}

// The function of each row by its name, for the rows that are the same as another.
#define DRIVER(name, since) void* const function_of_##name = address(&Entry<&driver::name, row_##name>::function);
#define AS(name, since, call, fault) \
  void* const function_of_##name = address(&Forward<&calls::call, Needs::fault, row_##name>::function);
#define SAME(name, since, as)
#define NO_DRIVER(name)
#include "cudart/driver_calls.def"
#undef DRIVER
#undef AS
#undef SAME
#undef NO_DRIVER

/// Whether `name` is `symbol` itself or a later form of it, "_v2" and so on.
bool is_form_of(std::string_view name, std::string_view symbol) {
  if (!name.starts_with(symbol)) return false;
  name.remove_prefix(symbol.size());
  return name.empty() || (name.size() == 3 && name.starts_with("_v"));
}

}  // namespace

void* const table[] = {
#define DRIVER(name, since) function_of_##name,
#define AS(name, since, call, fault) function_of_##name,
#define SAME(name, since, as) function_of_##as,
#define NO_DRIVER(name) address(&NoEntry<row_##name>::function),
#include "cudart/driver_calls.def"
#undef DRIVER
#undef AS
#undef SAME
#undef NO_DRIVER
};

static_assert(table_rows == rows);

Lookup find(const char* symbol, unsigned version) {
  Lookup best;
  bool exists = false;
  unsigned newest = 0;
  for (unsigned row = 0; row < rows; ++row) {
    if (!is_form_of(texts[row].name, symbol)) continue;
    exists = true;
    const unsigned since = texts[row].since;
    if (since == 0) continue;
    if (version < since) {
      if (best.function == nullptr) best.status = abi::cudaDriverEntryPointVersionNotSufficent;
    } else if (since >= newest) {
      newest = since;
      best = {abi::cudaDriverEntryPointSuccess, table[row]};
    }
  }
  if (exists && best.status == abi::cudaDriverEntryPointSymbolNotFound) tell_missing(symbol);
  return best;
}

}  // namespace lanebank::cudart::driver
