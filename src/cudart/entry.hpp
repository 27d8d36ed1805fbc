// The guard around every entry point: nothing thrown crosses the C ABI, faults and forks are answered,
// and the thread's last error is kept.
#pragma once

#include <exception>
#include <new>
#include <type_traits>

#include "base/check.hpp"
#include "cudart/process.hpp"

namespace lanebank::cudart {

/// The name of a row of runtime_calls.def.
const char* call_name(unsigned row);

/// Calls `body` with all that an entry point owes its caller. `row` names it in messages.
template <class R, class Body>
R guarded(unsigned row, OnFault on_fault, Body&& body) noexcept {
  try {
    if constexpr (std::is_same_v<R, Error>) {
      Error error = Process::get().admit(on_fault);
      if (on_fault != OnFault::plain) Process::thread().uses_runtime = true;
      if (error == cudaSuccess) error = body();
      if (error != cudaSuccess && error != abi::cudaErrorNotReady) Process::thread().last_error = error;
      return error;
    } else {
      return body();
    }
  } catch (const std::bad_alloc&) {
    fail_internally(call_name(row), "out of host memory");
  } catch (const std::exception& error) {
    fail_internally(call_name(row), std::string("internal error: ") + error.what());
  } catch (...) {
    fail_internally(call_name(row), "internal error");
  }
}

/// The C function of a row: `Call` behind the guard.
template <auto Call, OnFault on_fault, unsigned row>
struct Entry;

template <class R, class... Arguments, R (*Call)(Arguments...), OnFault on_fault, unsigned row>
struct Entry<Call, on_fault, row> {
  static R function(Arguments... arguments) noexcept {
    return guarded<R>(row, on_fault, [&]() -> R { return Call(arguments...); });
  }
};

/// The C function of a row that is not implemented: says so once, for the report too.
Error call_missing(unsigned row);

template <unsigned row>
struct MissingEntry {
  static Error function() noexcept {
    return guarded<Error>(row, OnFault::plain, [] { return call_missing(row); });
  }
};

}  // namespace lanebank::cudart
