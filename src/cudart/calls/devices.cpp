// The one device that programs see.
#include <charconv>
#include <cstring>
#include <string_view>

#include "cudart/calls.hpp"
#include "cudart/process.hpp"

namespace lanebank::cudart::calls {
namespace {

constexpr int cuda_version = 13000;

bool is_device(int device) { return device == 0; }

/// The context is made by the first call that needs it; a fork takes it away.
Error context() { return Process::get().forked() ? cudaErrorInitializationError : cudaSuccess; }

template <class T>
Error give(T* to, T value) {
  if (to == nullptr) return cudaErrorInvalidValue;
  *to = value;
  return cudaSuccess;
}

}  // namespace

Error cudaGetDeviceCount(int* count) { return give(count, 1); }

Error cudaGetDevice(int* device) {
  const Error error = context();
  return error != cudaSuccess ? error : give(device, 0);
}

Error cudaSetDevice(int device) {
  const Error error = context();
  if (error != cudaSuccess) return error;
  if (is_device(device)) Process::thread().uses_runtime = true;
  return is_device(device) ? cudaSuccess : cudaErrorInvalidDevice;
}

Error cudaInitDevice(int device, unsigned device_flags, unsigned) {
  if (!is_device(device)) return cudaErrorInvalidDevice;
  Process::get().device_flags = device_flags;
  return cudaSuccess;
}

Error cudaSetValidDevices(int* devices, int count) {
  if (count < 0 || (count > 0 && devices == nullptr)) return cudaErrorInvalidValue;
  for (int i = 0; i < count; ++i)
    if (!is_device(devices[i])) return cudaErrorInvalidDevice;
  return cudaSuccess;
}

Error cudaChooseDevice(int* device, const DeviceProp* properties) {
  return properties == nullptr ? cudaErrorInvalidValue : give(device, 0);
}

Error cudaGetDeviceProperties(DeviceProp* properties, int device) {
  if (properties == nullptr) return cudaErrorInvalidValue;
  if (!is_device(device)) return cudaErrorInvalidDevice;
  *properties = Process::get().model().properties();
  return cudaSuccess;
}

Error cudaDeviceGetAttribute(int* value, int attribute, int device) {
  if (value == nullptr) return cudaErrorInvalidValue;
  if (!is_device(device)) return cudaErrorInvalidDevice;
  if (!DeviceModel::known(attribute)) return cudaErrorInvalidValue;
  *value = Process::get().model().attribute(attribute);
  return cudaSuccess;
}

Error cudaDeviceGetPCIBusId(char* text, int room, int device) {
  if (text == nullptr || room <= 0) return cudaErrorInvalidValue;
  if (!is_device(device)) return cudaErrorInvalidDevice;
  if (static_cast<size_t>(room) <= std::strlen(pci_bus_id)) return cudaErrorInvalidValue;
  std::strcpy(text, pci_bus_id);
  return cudaSuccess;
}

/// Whether the text begins with hexadecimal numbers that have these separators between; what follows does not matter.
static bool begins_with_numbers(std::string_view text, std::string_view separators) {
  for (std::size_t n = 0;; ++n) {
    unsigned number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number, 16);
    if (error != std::errc{}) return false;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    if (n == separators.size()) return true;
    if (text.empty() || text.front() != separators[n]) return false;
    text.remove_prefix(1);
  }
}

Error cudaDeviceGetByPCIBusId(int* device, const char* text) {
  if (device == nullptr || text == nullptr) return cudaErrorInvalidValue;
  // Domain, bus, slot and function, or without the first or the last.
  if (!begins_with_numbers(text, "::.") && !begins_with_numbers(text, ":.") && !begins_with_numbers(text, "::"))
    return cudaErrorInvalidValue;
  const bool ours = std::strcmp(text, pci_bus_id) == 0 || std::strcmp(text, pci_bus_id + 5) == 0;
  return ours ? give(device, 0) : cudaErrorInvalidDevice;
}

Error cudaSetDeviceFlags(unsigned flags) {
  constexpr unsigned schedule_mask = 7, map_host = 8, local_resize = 16, sync_memory_operations = 0x80;
  if ((flags & ~(schedule_mask | map_host | local_resize | sync_memory_operations)) != 0) return cudaErrorInvalidValue;
  Process::get().device_flags = flags;
  return cudaSuccess;
}

Error cudaGetDeviceFlags(unsigned* flags) {
  constexpr unsigned map_host = 8;
  return give(flags, Process::get().device_flags | map_host);
}

Error cudaDeviceSynchronize() {
  const Error error = Process::get().streams().forbid_any_capture();
  if (error == cudaSuccess) GraphMemory::get().settle();
  return error;
}

Error cudaDeviceReset() {
  Process::get().reset();
  return cudaSuccess;
}

Error cudaDeviceGetLimit(size_t* value, Limit limit) {
  const size_t number = static_cast<size_t>(limit);
  if (value == nullptr || number >= std::size(default_limits)) return cudaErrorInvalidValue;
  if (default_limits[number] == 0) return cudaErrorUnsupportedLimit;
  return give(value, Process::get().limits[number]);
}

Error cudaDeviceSetLimit(Limit limit, size_t value) {
  const size_t number = static_cast<size_t>(limit);
  if (number >= std::size(default_limits)) return cudaErrorInvalidValue;
  if (default_limits[number] == 0) return cudaErrorUnsupportedLimit;
  Process::get().limits[number] = value;
  if (limit == cudaLimitMallocHeapSize) Process::get().engine().device().heap_bytes = value;
  return cudaSuccess;
}

Error cudaDeviceGetCacheConfig(int* preference) { return give(preference, Process::get().cache_preference); }

Error cudaDeviceSetCacheConfig(int preference) {
  if (preference < 0 || preference > 3) return cudaErrorInvalidValue;
  Process::get().cache_preference = preference;
  return cudaSuccess;
}

Error cudaDeviceGetSharedMemConfig(int* config) { return give(config, 1); }  // banks of four bytes

Error cudaDeviceSetSharedMemConfig(int config) {
  return config < 0 || config > 2 ? cudaErrorInvalidValue : cudaSuccess;
}

Error cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return cudaSuccess;
}

Error cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (!is_device(device) || !is_device(peer)) return cudaErrorInvalidDevice;
  return give(can, 0);
}

Error cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  if (flags != 0) return cudaErrorInvalidValue;
  return is_device(peer) ? cudaErrorPeerAccessUnsupported : cudaErrorInvalidDevice;
}

Error cudaDeviceDisablePeerAccess(int peer) {
  return is_device(peer) ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice;
}

Error cudaDeviceGetP2PAttribute(int* value, int attribute, int from, int to) {
  if (value == nullptr || attribute < 1 || attribute > 5) return cudaErrorInvalidValue;
  if (!is_device(from) || !is_device(to) || from == to) return cudaErrorInvalidDevice;
  return give(value, 0);
}

Error cudaDeviceFlushGPUDirectRDMAWrites(int, int) { return cudaSuccess; }
Error cudaCtxResetPersistingL2Cache() { return cudaSuccess; }
Error cudaProfilerStart() { return cudaSuccess; }
Error cudaProfilerStop() { return cudaSuccess; }
Error cudaDriverGetVersion(int* version) { return give(version, cuda_version); }
Error cudaRuntimeGetVersion(int* version) { return give(version, cuda_version); }

}  // namespace lanebank::cudart::calls
