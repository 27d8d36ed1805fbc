// The engine's side of runtime_calls.def: by row, the function that answers.
#include <cstdint>
#include <mutex>
#include <set>

#include "cudart/calls.hpp"
#include "cudart/driver.hpp"
#include "cudart/entry.hpp"

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
constinit const lanebank_engine engine{LANEBANK_INTERFACE_VERSION, rows, table, driver::table_rows, driver::table, [] {
                                         // Names and code of an unregistered fatbin must not be read any more.
                                         if (Process* process = Process::existing())
                                           if (!process->forked()) {
                                             process->flush_device_output();
                                             process->registry().refresh(process->engine());
                                           }
                                       }};

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
  lanebank::cudart::shim = caller;
  return caller->interface_version == LANEBANK_INTERFACE_VERSION && caller->calls == lanebank::cudart::rows
             ? &lanebank::cudart::engine
             : nullptr;
}
