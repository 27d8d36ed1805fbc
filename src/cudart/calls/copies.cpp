// Copies and fills of every shape. A call without a stream waits; all of them are checked alike.
#include "cudart/calls.hpp"
#include "cudart/process.hpp"
#include "cudart/transfers.hpp"

namespace lanebank::cudart::calls {

Error submit_copy(const CopyWork& copy, MemcpyKind kind, Stream stream) {
  Process& process = Process::get();
  if (const Error error = check(process.memory(), copy, kind); error != cudaSuccess) return error;
  if (process.streams().find(stream) == nullptr) return cudaErrorInvalidResourceHandle;
  if (copy.width_bytes == 0 || copy.height == 0 || copy.depth == 0) return cudaSuccess;
  return process.streams().submit(stream, copy);
}

namespace {

Error submit(const CopyWork& copy, MemcpyKind kind, Stream stream) { return submit_copy(copy, kind, stream); }

Error submit(const SetWork& set, Stream stream) {
  Process& process = Process::get();
  if (const Error error = check(process.memory(), set); error != cudaSuccess) return error;
  if (process.streams().find(stream) == nullptr) return cudaErrorInvalidResourceHandle;
  if (set.width_bytes == 0 || set.height == 0 || set.depth == 0) return cudaSuccess;
  return process.streams().submit(stream, set);
}

/// A call that copies through the default stream may not be made while a stream that would wait for it is
/// captured.
Error now(const auto&... arguments) {
  const Error error = Process::get().streams().forbid_implicit();
  return error != cudaSuccess ? error : submit(arguments..., nullptr);
}

Error rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
           CopyWork& copy) {
  if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
  copy = linear(to, from, width);
  copy.height = height;
  copy.to_pitch_bytes = to_pitch;
  copy.from_pitch_bytes = from_pitch;
  return cudaSuccess;
}

Error peer(const Memcpy3DPeerParms* parms, CopyWork& copy) {
  if (parms == nullptr) return cudaErrorInvalidValue;
  if (parms->srcDevice != 0 || parms->dstDevice != 0) return cudaErrorInvalidDevice;
  const Memcpy3DParms one{parms->srcArray, parms->srcPos, parms->srcPtr, parms->dstArray,
                          parms->dstPos,   parms->dstPtr, parms->extent, cudaMemcpyDeviceToDevice};
  return box(&one, copy);
}

/// The part of a variable that a symbol copy names.
Error part(const void* symbol, size_t offset, size_t bytes, std::byte*& address) {
  Process& process = Process::get();
  const auto variable = process.registry().variable(process.engine(), symbol);
  if (!variable || !*variable->found) return cudaErrorInvalidSymbol;
  const auto [start, size] = **variable->found;
  if (offset > size || bytes > size - offset) return cudaErrorInvalidValue;
  address = reinterpret_cast<std::byte*>(start + offset);
  return cudaSuccess;
}

Error to_symbol(const void* symbol, const void* from, size_t bytes, size_t offset, MemcpyKind kind, CopyWork& copy) {
  if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  std::byte* address = nullptr;
  const Error error = part(symbol, offset, bytes, address);
  copy = linear(address, from, bytes);
  return error;
}

Error from_symbol(void* to, const void* symbol, size_t bytes, size_t offset, MemcpyKind kind, CopyWork& copy) {
  if (kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  std::byte* address = nullptr;
  const Error error = part(symbol, offset, bytes, address);
  copy = linear(to, address, bytes);
  return error;
}

SetWork fill(void* to, int value, size_t bytes) {
  return {.to = static_cast<std::byte*>(to), .value = static_cast<unsigned>(value) & 0xff, .width_bytes = bytes};
}

SetWork fill(const PitchedPtr& to, int value, const Extent& extent) {
  SetWork set = fill(to.ptr, value, extent.width);
  set.height = extent.height;
  set.depth = extent.depth;
  set.pitch_bytes = to.pitch;
  set.slice_bytes = to.pitch * to.ysize;
  return set;
}

}  // namespace

Error cudaMemcpy(void* to, const void* from, size_t bytes, MemcpyKind kind) {
  return now(linear(to, from, bytes), kind);
}

Error cudaMemcpyAsync(void* to, const void* from, size_t bytes, MemcpyKind kind, Stream stream) {
  return submit(linear(to, from, bytes), kind, stream);
}

Error cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
  if (to_device != 0 || from_device != 0) return cudaErrorInvalidDevice;
  return now(linear(to, from, bytes), cudaMemcpyDeviceToDevice);
}

Error cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes, Stream stream) {
  if (to_device != 0 || from_device != 0) return cudaErrorInvalidDevice;
  return submit(linear(to, from, bytes), cudaMemcpyDeviceToDevice, stream);
}

Error cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                   MemcpyKind kind) {
  CopyWork copy;
  const Error error = rows(to, to_pitch, from, from_pitch, width, height, copy);
  return error != cudaSuccess ? error : now(copy, kind);
}

Error cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                        MemcpyKind kind, Stream stream) {
  CopyWork copy;
  const Error error = rows(to, to_pitch, from, from_pitch, width, height, copy);
  return error != cudaSuccess ? error : submit(copy, kind, stream);
}

Error cudaMemcpy3D(const Memcpy3DParms* parms) {
  CopyWork copy;
  const Error error = box(parms, copy);
  return error != cudaSuccess ? error : now(copy, parms->kind);
}

Error cudaMemcpy3DAsync(const Memcpy3DParms* parms, Stream stream) {
  CopyWork copy;
  const Error error = box(parms, copy);
  return error != cudaSuccess ? error : submit(copy, parms->kind, stream);
}

Error cudaMemcpy3DPeer(const Memcpy3DPeerParms* parms) {
  CopyWork copy;
  const Error error = peer(parms, copy);
  return error != cudaSuccess ? error : now(copy, cudaMemcpyDeviceToDevice);
}

Error cudaMemcpy3DPeerAsync(const Memcpy3DPeerParms* parms, Stream stream) {
  CopyWork copy;
  const Error error = peer(parms, copy);
  return error != cudaSuccess ? error : submit(copy, cudaMemcpyDeviceToDevice, stream);
}

Error cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset, MemcpyKind kind) {
  CopyWork copy;
  const Error error = to_symbol(symbol, from, bytes, offset, kind, copy);
  return error != cudaSuccess ? error : now(copy, kind);
}

Error cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset, MemcpyKind kind,
                              Stream stream) {
  CopyWork copy;
  const Error error = to_symbol(symbol, from, bytes, offset, kind, copy);
  return error != cudaSuccess ? error : submit(copy, kind, stream);
}

Error cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset, MemcpyKind kind) {
  CopyWork copy;
  const Error error = from_symbol(to, symbol, bytes, offset, kind, copy);
  return error != cudaSuccess ? error : now(copy, kind);
}

Error cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset, MemcpyKind kind,
                                Stream stream) {
  CopyWork copy;
  const Error error = from_symbol(to, symbol, bytes, offset, kind, copy);
  return error != cudaSuccess ? error : submit(copy, kind, stream);
}

Error cudaGetSymbolAddress(void** address, const void* symbol) {
  if (address == nullptr) return cudaErrorInvalidValue;
  std::byte* start = nullptr;
  const Error error = part(symbol, 0, 0, start);
  if (error == cudaSuccess) *address = start;
  return error;
}

Error cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  if (bytes == nullptr) return cudaErrorInvalidValue;
  Process& process = Process::get();
  const auto variable = process.registry().variable(process.engine(), symbol);
  if (!variable || !*variable->found) return cudaErrorInvalidSymbol;
  *bytes = (*variable->found)->second;
  return cudaSuccess;
}

Error cudaMemset(void* to, int value, size_t bytes) { return now(fill(to, value, bytes)); }
Error cudaMemsetAsync(void* to, int value, size_t bytes, Stream stream) {
  return submit(fill(to, value, bytes), stream);
}

Error cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return now(fill({to, pitch, width, height}, value, {width, height, 1}));
}

Error cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height, Stream stream) {
  return submit(fill({to, pitch, width, height}, value, {width, height, 1}), stream);
}

Error cudaMemset3D(PitchedPtr to, int value, Extent extent) { return now(fill(to, value, extent)); }
Error cudaMemset3DAsync(PitchedPtr to, int value, Extent extent, Stream stream) {
  return submit(fill(to, value, extent), stream);
}

}  // namespace lanebank::cudart::calls
