// Functions of the driver interface that programs fetch by name.
#include <cstring>

#include "cudart/calls.hpp"
#include "cudart/process.hpp"
#include "cudart/tensor_map.hpp"

namespace lanebank::cudart::calls {
namespace {

struct DriverFunction {
  const char* name;
  unsigned since;  ///< CUDA version, 1000 major + 10 minor
  void* function;
};

const DriverFunction driver_functions[] = {
    {"cuTensorMapEncodeTiled", 12000, reinterpret_cast<void*>(&lanebank_cuTensorMapEncodeTiled)},
};

/// Told once per name: the program learns it from the status, the reader of the report from the report.
void tell_missing(const char* symbol) {
  static std::mutex mutex;
  static std::set<std::string> told;
  {
    std::lock_guard lock(mutex);
    if (told.insert(symbol).second)
      tell(std::string("the driver function ") + symbol + " is not implemented; the program is told that it does not exist");
  }
  Process::get().engine().unsupported_call(symbol);
}

}  // namespace

Error cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                              DriverEntryPointQueryResult* status) {
  constexpr unsigned newest = 13000;
  return cudaGetDriverEntryPointByVersion(symbol, function, newest, flags, status);
}

Error cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version, unsigned long long flags,
                                       DriverEntryPointQueryResult* status) {
  if (symbol == nullptr || function == nullptr || flags > 2) return cudaErrorInvalidValue;
  *function = nullptr;
  DriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
  for (const DriverFunction& known : driver_functions) {
    if (std::strcmp(known.name, symbol) != 0) continue;
    result = version < known.since ? cudaDriverEntryPointVersionNotSufficent : cudaDriverEntryPointSuccess;
    if (result == cudaDriverEntryPointSuccess) *function = known.function;
  }
  if (result == cudaDriverEntryPointSymbolNotFound) tell_missing(symbol);
  if (status != nullptr) *status = result;
  return cudaSuccess;
}

}  // namespace lanebank::cudart::calls
