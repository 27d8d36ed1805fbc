// Contexts: the primary one, which the runtime uses too, and those that a program makes.
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "cudart/driver/context.hpp"

namespace lanebank::cudart::driver {

struct ContextTag {
  unsigned flags = 0;
  unsigned long long id = 0;
};

namespace {

using abi::cudaErrorDeviceUninitialized;  // CUDA_ERROR_INVALID_CONTEXT
using abi::cudaErrorInvalidDevice;
using abi::cudaErrorInvalidValue;

constexpr unsigned all_context_flags = 0xff;

struct Contexts {
  std::mutex mutex;
  ContextTag primary{.flags = 0, .id = 1};
  unsigned primary_users = 0;
  unsigned long long next_id = 2;
  std::map<Context, std::unique_ptr<ContextTag>> made;
  bool alive(Context context) const { return context == &primary ? true : made.contains(context); }
};
Contexts& contexts() {
  static Contexts* const all = new Contexts;
  return *all;
}

std::atomic<bool> initialised = false;

/// Contexts of this thread, the current one last.
std::vector<Context>& stack() {
  static thread_local std::vector<Context> contexts;
  return contexts;
}

/// The current context; null: none. A thread that called the runtime has the primary one.
Context current() {
  std::vector<Context>& own = stack();
  if (own.empty() && Process::thread().uses_runtime) own.push_back(&contexts().primary);
  return own.empty() ? nullptr : own.back();
}

Result check_device(int device) {
  if (const Result result = ready(Needs::device); result != cudaSuccess) return result;
  return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

}  // namespace

Result ready(Needs needs) {
  if (!initialised && !Process::thread().uses_runtime) return abi::cudaErrorInitializationError;
  if (needs == Needs::device) return cudaSuccess;
  ContextTag* const context = current();
  if (context == nullptr) return cudaErrorDeviceUninitialized;
  std::lock_guard lock(contexts().mutex);
  return contexts().alive(context) ? cudaSuccess : abi::cudaErrorContextIsDestroyed;
}

Result driver_error(Error error) {
  switch (error) {
    case abi::cudaErrorInvalidConfiguration:
    case abi::cudaErrorInvalidPitchValue:
    case abi::cudaErrorInvalidHostPointer:
    case abi::cudaErrorInvalidDevicePointer:
    case abi::cudaErrorInvalidMemcpyDirection:
    case abi::cudaErrorInvalidChannelDescriptor:
    case abi::cudaErrorInvalidFilterSetting:
      return cudaErrorInvalidValue;
    case abi::cudaErrorInvalidSymbol:
      return abi::cudaErrorSymbolNotFound;
    case abi::cudaErrorInvalidDeviceFunction:
      return abi::cudaErrorInvalidResourceHandle;
    default:
      return error;
  }
}

Result cuInit(unsigned flags) {
  if (flags != 0) return cudaErrorInvalidValue;
  if (Process::get().forked()) return abi::cudaErrorInitializationError;
  initialised = true;
  return cudaSuccess;
}

Result cuDevicePrimaryCtxRetain(Context* context, int device) {
  if (const Result result = check_device(device); result != cudaSuccess) return result;
  if (context == nullptr) return cudaErrorInvalidValue;
  std::lock_guard lock(contexts().mutex);
  ++contexts().primary_users;
  *context = &contexts().primary;
  return cudaSuccess;
}

Result cuDevicePrimaryCtxRelease_v2(int device) {
  if (const Result result = check_device(device); result != cudaSuccess) return result;
  std::lock_guard lock(contexts().mutex);
  if (contexts().primary_users == 0) return cudaErrorDeviceUninitialized;
  --contexts().primary_users;
  return cudaSuccess;
}

Result cuDevicePrimaryCtxReset_v2(int device) { return check_device(device); }

Result cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
  if (const Result result = check_device(device); result != cudaSuccess) return result;
  if ((flags & ~all_context_flags) != 0) return cudaErrorInvalidValue;
  std::lock_guard lock(contexts().mutex);
  contexts().primary.flags = flags;
  return cudaSuccess;
}

Result cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
  if (const Result result = check_device(device); result != cudaSuccess) return result;
  if (flags == nullptr || active == nullptr) return cudaErrorInvalidValue;
  std::lock_guard lock(contexts().mutex);
  *flags = contexts().primary.flags;
  *active = contexts().primary_users != 0 || Process::thread().uses_runtime;
  return cudaSuccess;
}

Result cuCtxCreate_v2(Context* context, unsigned flags, int device) {
  if (const Result result = ready(Needs::device); result != cudaSuccess) return result;
  if (context == nullptr || (flags & ~all_context_flags) != 0) return cudaErrorInvalidValue;
  if (device != 0) return cudaErrorInvalidDevice;
  if (Process::get().forked()) return abi::cudaErrorInitializationError;
  auto made = std::make_unique<ContextTag>();
  std::lock_guard lock(contexts().mutex);
  made->flags = flags;
  made->id = contexts().next_id++;
  *context = made.get();
  contexts().made[*context] = std::move(made);
  stack().push_back(*context);
  return cudaSuccess;
}

Result cuCtxCreate_v4(Context* context, const void*, unsigned flags, int device) {
  return cuCtxCreate_v2(context, flags, device);
}

Result cuCtxDestroy_v2(Context context) {
  if (const Result result = ready(Needs::device); result != cudaSuccess) return result;
  std::lock_guard lock(contexts().mutex);
  if (context == nullptr) return cudaErrorInvalidValue;
  if (contexts().made.erase(context) == 0) return cudaErrorDeviceUninitialized;
  if (!stack().empty() && stack().back() == context) stack().pop_back();
  return cudaSuccess;
}

Result cuCtxPushCurrent_v2(Context context) {
  if (const Result result = ready(Needs::device); result != cudaSuccess) return result;
  if (context == nullptr) return cudaErrorInvalidValue;
  current();
  std::lock_guard lock(contexts().mutex);
  if (!contexts().alive(context)) return cudaErrorDeviceUninitialized;
  stack().push_back(context);
  return cudaSuccess;
}

Result cuCtxPopCurrent_v2(Context* context) {
  if (const Result result = ready(Needs::device); result != cudaSuccess) return result;
  ContextTag* const last = current();
  if (last == nullptr) return cudaErrorDeviceUninitialized;
  stack().pop_back();
  if (context != nullptr) *context = last;
  return cudaSuccess;
}

Result cuCtxSetCurrent(Context context) {
  if (const Result result = ready(Needs::device); result != cudaSuccess) return result;
  std::lock_guard lock(contexts().mutex);
  if (context != nullptr && !contexts().alive(context)) return cudaErrorDeviceUninitialized;
  if (!stack().empty()) stack().pop_back();
  if (context != nullptr) stack().push_back(context);
  return cudaSuccess;
}

Result cuCtxGetCurrent(Context* context) {
  if (const Result result = ready(Needs::device); result != cudaSuccess) return result;
  if (context == nullptr) return cudaErrorInvalidValue;
  *context = current();
  return cudaSuccess;
}

Result cuCtxGetDevice(int* device) {
  if (const Result result = ready(Needs::queued); result != cudaSuccess) return result;
  if (device == nullptr) return cudaErrorInvalidValue;
  *device = 0;
  return cudaSuccess;
}

Result cuCtxGetFlags(unsigned* flags) {
  if (const Result result = ready(Needs::queued); result != cudaSuccess) return result;
  if (flags == nullptr) return cudaErrorInvalidValue;
  *flags = current()->flags;
  return cudaSuccess;
}

Result cuCtxGetId(Context context, unsigned long long* id) {
  if (const Result result = ready(Needs::queued); result != cudaSuccess) return result;
  if (id == nullptr) return cudaErrorInvalidValue;
  if (context == nullptr) context = current();
  std::lock_guard lock(contexts().mutex);
  if (!contexts().alive(context)) return abi::cudaErrorContextIsDestroyed;
  *id = context->id;
  return cudaSuccess;
}

Result cuCtxGetApiVersion(Context context, unsigned* version) {
  constexpr unsigned since_cuda_4 = 3020;
  if (const Result result = ready(Needs::device); result != cudaSuccess) return result;
  if (version == nullptr) return cudaErrorInvalidValue;
  if (context == nullptr) context = current();
  std::lock_guard lock(contexts().mutex);
  if (context == nullptr || !contexts().alive(context)) return cudaErrorDeviceUninitialized;
  *version = since_cuda_4;
  return cudaSuccess;
}

Result cuCtxAttach(Context* context, unsigned flags) {
  if (const Result result = ready(Needs::queued); result != cudaSuccess) return result;
  if (context == nullptr || flags != 0) return cudaErrorInvalidValue;
  *context = current();
  return cudaSuccess;
}

Result cuCtxDetach(Context context) {
  if (const Result result = ready(Needs::queued); result != cudaSuccess) return result;
  return context == current() ? cudaSuccess : cudaErrorDeviceUninitialized;
}

Result cuStreamGetCtx(abi::Stream stream, Context* context) {
  if (const Result result = ready(Needs::queued); result != cudaSuccess) return result;
  if (context == nullptr) return cudaErrorInvalidValue;
  if (Process::get().streams().find(stream) == nullptr) return abi::cudaErrorInvalidResourceHandle;
  *context = current();
  return cudaSuccess;
}

}  // namespace lanebank::cudart::driver
