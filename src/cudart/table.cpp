// The engine's side of runtime_calls.def: by row, the function that answers.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>

#include "cudart/calls.hpp"
#include "cudart/calls_12.hpp"
#include "cudart/driver.hpp"
#include "cudart/entry.hpp"
#include "cudart/observe.hpp"

namespace lanebank::cudart {
namespace {

enum Row : unsigned {
#define SHIM(name) row_##name,
#define CALL(name, fault) row_##name,
#define SAME(name, as) row_##name,
#define MISSING(name, reason) row_##name,
#include "cudart/runtime_calls.def"
#undef SHIM
#undef CALL
#undef SAME
#undef MISSING
  rows
};

struct RowText {
  const char* name;
  const char* missing;  ///< the reason, null for implemented calls
};

constexpr RowText texts[] = {
#define SHIM(name) {#name, nullptr},
#define CALL(name, fault) {#name, nullptr},
#define SAME(name, as) {#name, nullptr},
#define MISSING(name, reason) {#name, reason},
#include "cudart/runtime_calls.def"
#undef SHIM
#undef CALL
#undef SAME
#undef MISSING
};

// The column of a row by its name, for the rows that are the same as another.
#define SHIM(name)
#define CALL(name, fault) constexpr OnFault fault_of_##name = OnFault::fault;
#define SAME(name, as)
#define MISSING(name, reason)
#include "cudart/runtime_calls.def"
#undef SHIM
#undef CALL
#undef SAME
#undef MISSING

template <class R, class... A>
void* address(R (*function)(A...) noexcept) {
  return reinterpret_cast<void*>(function);
}

void* const table[] = {
#define SHIM(name) nullptr,
#define CALL(name, fault) address(&Entry<&calls::name, fault_of_##name, row_##name>::function),
#define SAME(name, as) address(&Entry<&calls::as, fault_of_##as, row_##name>::function),
#define MISSING(name, reason) address(&MissingEntry<row_##name>::function),
#include "cudart/runtime_calls.def"
#undef SHIM
#undef CALL
#undef SAME
#undef MISSING
};

// Constant: a linked runtime is asked for it before any constructor of its own library has run.
// Rows by name for what CUDA 12 has otherwise: the row's own number, and where `as` of a SAME row leads.
enum Target : unsigned {
#define ONLY_12(row)
#define SHIM(name)
#define CALL(name, fault) target_##name = row_##name,
#define SAME(name, as) target_##name = row_##as,
#define MISSING(name, reason)
#include "cudart/runtime_calls.def"
#undef SHIM
#undef CALL
#undef SAME
#undef MISSING
};

/// The table of a program that was built with CUDA 12.
std::array<void*, rows> make_table_12() {
  std::array<void*, rows> table_12;
  std::copy(std::begin(table), std::end(table), table_12.begin());
  std::map<unsigned, void*> others{
#define CALL_12(name, fault) {row_##name, address(&Entry<&calls12::name, OnFault::fault, row_##name>::function)},
#define MISSING_12(name, reason) {row_##name, address(&MissingEntry<row_##name>::function)},
#include "cudart/runtime_calls_12.def"
#undef CALL_12
#undef MISSING_12
  };
  const std::pair<unsigned, unsigned> leads[] = {
#define ONLY_12(row)
#define SHIM(name)
#define CALL(name, fault) {row_##name, target_##name},
#define SAME(name, as) {row_##name, target_##name},
#define MISSING(name, reason)
#include "cudart/runtime_calls.def"
#undef SHIM
#undef CALL
#undef SAME
#undef MISSING
  };
  for (const auto& [row, target] : leads)
    if (auto other = others.find(target); other != others.end()) table_12[row] = other->second;
  return table_12;
}

/// Names and code of an unregistered fatbin must not be read any more.
void fatbin_unregistered() {
  Process* process = Process::existing();
  if (process == nullptr || process->forked()) return;
  process->flush_device_output();
  process->registry().refresh(process->engine());
}

}  // namespace

const char* call_name(unsigned row) { return row < rows ? texts[row].name : "a call"; }

Error call_missing(unsigned row) {
  static std::mutex mutex;
  static std::set<unsigned> told;
  const RowText& text = texts[row];
  {
    std::lock_guard lock(mutex);
    if (told.insert(row).second)
      tell(std::string(text.name) + " is not implemented (" + text.missing +
           "); the program gets cudaErrorNotSupported");
  }
  Process::get().engine().unsupported_call(text.name);
  return abi::cudaErrorNotSupported;
}

}  // namespace lanebank::cudart

extern "C" const lanebank_engine* lanebank_engine_start(const lanebank_shim* caller) {
  using namespace lanebank::cudart;
  if (caller->interface_version != LANEBANK_INTERFACE_VERSION || caller->calls != rows) return nullptr;
  shim = caller;
  static const auto table_12 = make_table_12();
  static const lanebank_engine engine{LANEBANK_INTERFACE_VERSION,
                                      rows,
                                      caller->runtime_major() == 12 ? table_12.data() : table,
                                      driver::table_rows,
                                      driver::table,
                                      fatbin_unregistered,
                                      observe};
  return &engine;
}
