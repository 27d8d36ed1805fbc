// Modules and their functions. A module is a library of the runtime's.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "cudart/calls.hpp"
#include "cudart/driver/context.hpp"
#include "cudart/driver/jit_log.hpp"
#include "cudart/launch.hpp"
#include "cudart/libraries.hpp"

namespace lanebank::cudart::driver {
namespace {

using abi::cudaErrorInvalidResourceHandle;
using abi::cudaErrorInvalidValue;

Result load(Module* module, const void* code) {
  return when(Needs::queued,
              [&] { return calls::cudaLibraryLoadData(module, code, nullptr, nullptr, 0, nullptr, nullptr, 0); });
}

Error attribute_of(int* value, FunctionAttribute attribute, Function function) {
  if (value == nullptr) return cudaErrorInvalidValue;
  abi::FuncAttributes all;
  if (const Error error = calls::cudaFuncGetAttributes(&all, function); error != cudaSuccess) return error;
  switch (static_cast<int>(attribute)) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = all.maxThreadsPerBlock;
      return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = static_cast<int>(all.sharedSizeBytes);
      return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      *value = static_cast<int>(all.constSizeBytes);
      return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *value = static_cast<int>(all.localSizeBytes);
      return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = all.numRegs;
      return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
      *value = all.ptxVersion;
      return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = all.binaryVersion;
      return cudaSuccess;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
      *value = all.cacheModeCA;
      return cudaSuccess;
    case abi::cudaFuncAttributeMaxDynamicSharedMemorySize:
      *value = all.maxDynamicSharedSizeBytes;
      return cudaSuccess;
    case abi::cudaFuncAttributePreferredSharedMemoryCarveout:
      *value = all.preferredShmemCarveout;
      return cudaSuccess;
    case abi::cudaFuncAttributeClusterDimMustBeSet:
      *value = all.clusterDimMustBeSet;
      return cudaSuccess;
    case abi::cudaFuncAttributeRequiredClusterWidth:
      *value = all.requiredClusterWidth;
      return cudaSuccess;
    case abi::cudaFuncAttributeRequiredClusterHeight:
      *value = all.requiredClusterHeight;
      return cudaSuccess;
    case abi::cudaFuncAttributeRequiredClusterDepth:
      *value = all.requiredClusterDepth;
      return cudaSuccess;
    case abi::cudaFuncAttributeNonPortableClusterSizeAllowed:
      *value = all.nonPortableClusterSizeAllowed;
      return cudaSuccess;
    case abi::cudaFuncAttributeClusterSchedulingPolicyPreference:
      *value = all.clusterSchedulingPolicyPreference;
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace

Result cuModuleLoad(Module* module, const char* path) {
  return when(Needs::queued,
              [&] { return calls::cudaLibraryLoadFromFile(module, path, nullptr, nullptr, 0, nullptr, nullptr, 0); });
}

Result cuModuleLoadData(Module* module, const void* code) { return load(module, code); }

Result cuModuleLoadDataEx(Module* module, const void* code, unsigned count, JitOption* options, void** values) {
  const Result result = load(module, code);
  JitLog(count, options, values).write(result == cudaSuccess ? std::string() : last_load_message());
  return result;
}

Result cuModuleLoadFatBinary(Module* module, const void* code) { return load(module, code); }

Result cuModuleUnload(Module module) {
  return when(Needs::waits, [&] { return calls::cudaLibraryUnload(module); });
}

Result cuModuleGetFunction(Function* function, Module module, const char* name) {
  return when(Needs::queued, [&] { return calls::cudaLibraryGetKernel(function, module, name); });
}

Result cuModuleGetGlobal_v2(Address* address, size_t* bytes, Module module, const char* name) {
  return when(Needs::queued,
              [&] { return calls::cudaLibraryGetGlobal(reinterpret_cast<void**>(address), bytes, module, name); });
}

Result cuModuleGetFunctionCount(unsigned* count, Module module) {
  return when(Needs::queued, [&] { return calls::cudaLibraryGetKernelCount(count, module); });
}

Result cuModuleEnumerateFunctions(Function* functions, unsigned room, Module module) {
  return when(Needs::queued, [&] { return calls::cudaLibraryEnumerateKernels(functions, room, module); });
}

Result cuModuleGetLoadingMode(int* mode) {
  constexpr int lazy = 2;
  return when(Needs::device, [&]() -> Error {
    if (mode == nullptr) return cudaErrorInvalidValue;
    *mode = lazy;
    return cudaSuccess;
  });
}

Result cuFuncGetModule(Module* module, Function function) {
  return when(Needs::queued, [&]() -> Error {
    if (module == nullptr || function == nullptr) return cudaErrorInvalidValue;
    *module = library_of(function);
    return *module == nullptr ? cudaErrorInvalidResourceHandle : cudaSuccess;
  });
}

Result cuFuncGetAttribute(int* value, FunctionAttribute attribute, Function function) {
  return when(Needs::queued, [&] { return attribute_of(value, attribute, function); });
}

Result cuFuncSetAttribute(Function function, FunctionAttribute attribute, int value) {
  return when(Needs::queued,
              [&] { return calls::cudaFuncSetAttribute(function, static_cast<abi::FuncAttribute>(attribute), value); });
}

Result cuFuncIsLoaded(int* state, Function function) {
  return when(Needs::queued, [&]() -> Error {
    if (state == nullptr) return cudaErrorInvalidValue;
    *state = 1;
    return find_kernel(function).error;
  });
}

Result cuFuncLoad(Function function) {
  return when(Needs::queued, [&] { return find_kernel(function).error; });
}

Result cuKernelGetAttribute(int* value, FunctionAttribute attribute, Function kernel, int device) {
  return device != 0 ? abi::cudaErrorInvalidDevice : cuFuncGetAttribute(value, attribute, kernel);
}

Result cuKernelSetAttribute(FunctionAttribute attribute, int value, Function kernel, int device) {
  return device != 0 ? abi::cudaErrorInvalidDevice : cuFuncSetAttribute(kernel, attribute, value);
}

Result cuKernelSetCacheConfig(Function kernel, int preference, int device) {
  if (device != 0) return abi::cudaErrorInvalidDevice;
  return when(Needs::queued, [&] { return calls::cudaFuncSetCacheConfig(kernel, preference); });
}

Result cuKernelGetFunction(Function* function, Function kernel) {
  return when(Needs::queued, [&]() -> Error {
    if (function == nullptr) return cudaErrorInvalidValue;
    *function = kernel;
    return find_kernel(kernel).error;
  });
}

Result cuKernelGetLibrary(Module* library, Function kernel) { return cuFuncGetModule(library, kernel); }

Result cuLibraryGetModule(Module* module, Module library) {
  return when(Needs::queued, [&]() -> Error {
    if (module == nullptr) return cudaErrorInvalidValue;
    if (!is_library(library)) return cudaErrorInvalidResourceHandle;
    *module = library;
    return cudaSuccess;
  });
}

}  // namespace lanebank::cudart::driver
