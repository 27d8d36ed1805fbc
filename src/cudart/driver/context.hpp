// What driver calls need before they begin: an initialised driver and, most of them, a current context. All contexts
// share one device and its memory.
#pragma once

#include "cudart/driver.hpp"
#include "cudart/process.hpp"

namespace lanebank::cudart::driver {

/// What a driver call must find.
enum class Needs {
  device,  ///< cuInit, or a runtime call before it
  queued,  ///< a current context too; returns a kernel's fault once it is known
  waits,   ///< a current context too; waits, which makes the fault known
};

/// CUDA_SUCCESS, CUDA_ERROR_NOT_INITIALIZED or CUDA_ERROR_INVALID_CONTEXT.
Result ready(Needs needs);

/// The driver's number for what a runtime call returned: it has fewer of them.
Result driver_error(Error error);

/// Makes `call`, a function of the runtime's kind, when all is there that it needs.
template <class Call>
Result when(Needs needs, Call&& call) {
  if (const Result result = ready(needs); result != cudaSuccess) return result;
  const OnFault on_fault = needs == Needs::device   ? OnFault::plain
                           : needs == Needs::queued ? OnFault::queued
                                                    : OnFault::waits;
  const Error error = Process::get().admit(on_fault);
  return driver_error(error != cudaSuccess ? error : call());
}

inline void* pointer(Address address) { return reinterpret_cast<void*>(address); }

}  // namespace lanebank::cudart::driver
