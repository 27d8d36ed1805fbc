#include "cudart/driver.hpp"

#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <string>

#include "cudart/calls.hpp"
#include "cudart/entry.hpp"
#include "cudart/tensor_map.hpp"
#include "cudart/transfers.hpp"

namespace lanebank::cudart::driver {
namespace {

enum Row : unsigned {
#define DRIVER(name, since) row_##name,
#define NO_DRIVER(name) row_##name,
#include "cudart/driver_calls.def"
#undef DRIVER
#undef NO_DRIVER
  rows
};

struct RowText {
  const char* name;
  unsigned since;  ///< 0: not implemented
};
constexpr RowText texts[] = {
#define DRIVER(name, since) {#name, since},
#define NO_DRIVER(name) {#name, 0},
#include "cudart/driver_calls.def"
#undef DRIVER
#undef NO_DRIVER
};

/// Says once that the program wanted a driver function that is not implemented; the report keeps it.
void tell_missing(const char* name) {
  static std::mutex mutex;
  static std::set<std::string> told;
  {
    std::lock_guard lock(mutex);
    if (told.insert(name).second)
      tell(std::string(name) + " is not implemented (lanebank emulates the CUDA runtime, not the driver interface)");
  }
  Process::get().engine().unsupported_call(name);
}

/// As for runtime calls: nothing thrown crosses the C interface; faults are answered.
template <auto Call, unsigned row>
struct Entry;
template <class... Arguments, Result (*Call)(Arguments...), unsigned row>
struct Entry<Call, row> {
  static Result function(Arguments... arguments) noexcept {
    try {
      return Call(arguments...);
    } catch (const std::exception& error) {
      fail_internally(texts[row].name, std::string("internal error: ") + error.what());
    }
  }
};
template <unsigned row>
struct NoEntry {
  static Result function() noexcept {
    try {
      tell_missing(texts[row].name);
    } catch (const std::exception& error) {
      fail_internally(texts[row].name, std::string("internal error: ") + error.what());
    }
    return abi::cudaErrorNotSupported;
  }
};

template <class R, class... A>
void* address(R (*function)(A...) noexcept) {
  return reinterpret_cast<void*>(function);
}

void* pointer(Address address) { return reinterpret_cast<void*>(address); }

/// A runtime call with what the guard of runtime calls does before it.
template <class Call>
Result guarded(OnFault on_fault, Call&& call) {
  const Error error = Process::get().admit(on_fault);
  return error != cudaSuccess ? error : call();
}

int the_context;  // its address is the handle

template <class T>
Result set(Address to, T value, std::size_t count) {
  return guarded(OnFault::waits, [&]() -> Result {
    std::size_t bytes = 0;
    if (to % sizeof value != 0 || __builtin_mul_overflow(count, sizeof value, &bytes))
      return abi::cudaErrorInvalidValue;
    const SetWork work{.to = static_cast<std::byte*>(pointer(to)),
                       .value = value,
                       .element_bytes = sizeof value,
                       .width_bytes = bytes};
    const Error error = check(Process::get().memory(), work);
    if (error != cudaSuccess || bytes == 0) return error;
    return Process::get().streams().submit(nullptr, work);
  });
}

}  // namespace

void* const table[] = {
#define DRIVER(name, since) address(&Entry<&driver::name, row_##name>::function),
#define NO_DRIVER(name) address(&NoEntry<row_##name>::function),
#include "cudart/driver_calls.def"
#undef DRIVER
#undef NO_DRIVER
};

static_assert(table_rows == rows);

Lookup find(const char* symbol, unsigned version) {
  Lookup best;
  bool exists = false;
  const std::string name = symbol;
  for (const std::string& form : {name, name + "_v2"})
    for (unsigned row = 0; row < rows; ++row) {
      if (form != texts[row].name) continue;
      exists = true;
      if (texts[row].since == 0) continue;
      if (version < texts[row].since) {
        if (best.function == nullptr) best.status = abi::cudaDriverEntryPointVersionNotSufficent;
      } else {
        best = {abi::cudaDriverEntryPointSuccess, table[row]};
      }
    }
  if (exists && best.status == abi::cudaDriverEntryPointSymbolNotFound) tell_missing(symbol);
  return best;
}

Result cuInit(unsigned flags) { return flags == 0 ? cudaSuccess : abi::cudaErrorInvalidValue; }
Result cuDriverGetVersion(int* version) { return calls::cudaDriverGetVersion(version); }
Result cuDeviceGetCount(int* count) { return calls::cudaGetDeviceCount(count); }

Result cuDeviceGet(int* device, int ordinal) {
  if (device == nullptr) return abi::cudaErrorInvalidValue;
  if (ordinal != 0) return abi::cudaErrorInvalidDevice;
  *device = 0;
  return cudaSuccess;
}

Result cuDeviceGetName(char* name, int room, int device) {
  if (name == nullptr || room <= 0) return abi::cudaErrorInvalidValue;
  if (device != 0) return abi::cudaErrorInvalidDevice;
  std::snprintf(name, static_cast<std::size_t>(room), "%s", Process::get().model().name);
  return cudaSuccess;
}

Result cuDeviceGetAttribute(int* value, int attribute, int device) {
  return calls::cudaDeviceGetAttribute(value, attribute, device);
}

Result cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
  if (bytes == nullptr) return abi::cudaErrorInvalidValue;
  if (device != 0) return abi::cudaErrorInvalidDevice;
  *bytes = Process::get().model().memory_bytes;
  return cudaSuccess;
}

Result cuDevicePrimaryCtxRetain(Context* context, int device) {
  return device != 0 ? abi::cudaErrorInvalidDevice : cuCtxGetCurrent(context);
}

Result cuDevicePrimaryCtxRelease_v2(int device) { return device == 0 ? cudaSuccess : abi::cudaErrorInvalidDevice; }

Result cuCtxGetCurrent(Context* context) {
  if (context == nullptr) return abi::cudaErrorInvalidValue;
  *context = &the_context;
  return cudaSuccess;
}

Result cuCtxSetCurrent(Context context) {
  return context == nullptr || context == &the_context ? cudaSuccess : abi::cudaErrorDeviceUninitialized;
}

Result cuCtxGetDevice(int* device) { return cuDeviceGet(device, 0); }
Result cuCtxSynchronize() {
  return guarded(OnFault::waits, [] { return calls::cudaDeviceSynchronize(); });
}

Result cuGetErrorName(int error, const char** name) {
  if (name == nullptr) return abi::cudaErrorInvalidValue;
  switch (error) {
#define DRIVER_ERROR(name_, value) \
  case value:                      \
    *name = #name_;                \
    return cudaSuccess;
#include "cudart/driver_errors.def"
#undef DRIVER_ERROR
  }
  *name = nullptr;
  return abi::cudaErrorInvalidValue;
}

Result cuGetErrorString(int error, const char** text) {
  const Result result = cuGetErrorName(error, text);
  if (result == cudaSuccess) *text = calls::cudaGetErrorString(static_cast<Error>(error));
  return result;
}

Result cuGetProcAddress_v2(const char* symbol, void** function, int version, std::uint64_t flags, int* status) {
  if (symbol == nullptr || function == nullptr || flags > 2) return abi::cudaErrorInvalidValue;
  const Lookup found = find(symbol, static_cast<unsigned>(version));
  *function = found.function;
  if (status != nullptr) *status = found.status;
  return found.function != nullptr ? cudaSuccess : abi::cudaErrorSymbolNotFound;
}

Result cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total_bytes) {
  return guarded(OnFault::queued, [&] { return calls::cudaMemGetInfo(free_bytes, total_bytes); });
}

Result cuMemAlloc_v2(Address* address, std::size_t bytes) {
  if (bytes == 0) return abi::cudaErrorInvalidValue;
  return guarded(OnFault::waits, [&] { return calls::cudaMalloc(reinterpret_cast<void**>(address), bytes); });
}

Result cuMemFree_v2(Address address) {
  return guarded(OnFault::waits, [&] { return calls::cudaFree(pointer(address)); });
}

Result cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes) {
  return guarded(OnFault::waits,
                 [&] { return calls::cudaMemcpy(pointer(to), from, bytes, abi::cudaMemcpyHostToDevice); });
}

Result cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes) {
  return guarded(OnFault::waits,
                 [&] { return calls::cudaMemcpy(to, pointer(from), bytes, abi::cudaMemcpyDeviceToHost); });
}

Result cuMemcpyDtoD_v2(Address to, Address from, std::size_t bytes) {
  return guarded(OnFault::waits,
                 [&] { return calls::cudaMemcpy(pointer(to), pointer(from), bytes, abi::cudaMemcpyDeviceToDevice); });
}

Result cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, abi::Stream stream) {
  return guarded(OnFault::queued,
                 [&] { return calls::cudaMemcpyAsync(pointer(to), from, bytes, abi::cudaMemcpyHostToDevice, stream); });
}

Result cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, abi::Stream stream) {
  return guarded(OnFault::queued,
                 [&] { return calls::cudaMemcpyAsync(to, pointer(from), bytes, abi::cudaMemcpyDeviceToHost, stream); });
}

Result cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, abi::Stream stream) {
  return guarded(OnFault::queued, [&] {
    return calls::cudaMemcpyAsync(pointer(to), pointer(from), bytes, abi::cudaMemcpyDeviceToDevice, stream);
  });
}

Result cuMemsetD8_v2(Address to, unsigned char value, std::size_t count) { return set(to, value, count); }
Result cuMemsetD16_v2(Address to, unsigned short value, std::size_t count) { return set(to, value, count); }
Result cuMemsetD32_v2(Address to, unsigned value, std::size_t count) { return set(to, value, count); }

Result cuStreamCreate(abi::Stream* stream, unsigned flags) {
  return guarded(OnFault::queued, [&] { return calls::cudaStreamCreateWithFlags(stream, flags); });
}

Result cuStreamDestroy_v2(abi::Stream stream) {
  return guarded(OnFault::waits, [&] { return calls::cudaStreamDestroy(stream); });
}
Result cuStreamSynchronize(abi::Stream stream) {
  return guarded(OnFault::waits, [&] { return calls::cudaStreamSynchronize(stream); });
}

Result cuTensorMapEncodeTiled(void* map, int data_type, std::uint32_t rank, void* address, const std::uint64_t* extents,
                              const std::uint64_t* stride_bytes, const std::uint32_t* box,
                              const std::uint32_t* element_strides, int interleave, int swizzle, int l2_promotion,
                              int fill) {
  const bool done = encode_tensor_map(map, {data_type, rank, address, extents, stride_bytes, box, element_strides,
                                            interleave, swizzle, l2_promotion, fill});
  return done ? cudaSuccess : abi::cudaErrorInvalidValue;
}

}  // namespace lanebank::cudart::driver
