// Functions of the driver interface that programs fetch by name.
#include "cudart/driver.hpp"
#include "cudart/calls.hpp"
#include "cudart/process.hpp"

namespace lanebank::cudart::calls {

Error cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                              DriverEntryPointQueryResult* status) {
  constexpr unsigned newest = 13000;
  return cudaGetDriverEntryPointByVersion(symbol, function, newest, flags, status);
}

Error cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version, unsigned long long flags,
                                       DriverEntryPointQueryResult* status) {
  if (symbol == nullptr || function == nullptr || flags > 2) return cudaErrorInvalidValue;
  const driver::Lookup found = driver::find(symbol, version);
  *function = found.function;
  if (status != nullptr) *status = found.status;
  return cudaSuccess;
}

}  // namespace lanebank::cudart::calls
