// Copies and fills.
#include "cudart/calls.hpp"
#include "cudart/driver/context.hpp"
#include "cudart/driver/copy_box.hpp"
#include "cudart/transfers.hpp"

namespace lanebank::cudart::driver {

using abi::cudaErrorInvalidValue;

namespace {

using abi::cudaMemcpyDefault;
using abi::cudaMemcpyDeviceToDevice;
using abi::cudaMemcpyDeviceToHost;
using abi::cudaMemcpyHostToDevice;

Result copy_now(void* to, const void* from, size_t bytes, abi::MemcpyKind kind) {
  return when(Needs::waits, [&] { return calls::cudaMemcpy(to, from, bytes, kind); });
}

Result copy_later(void* to, const void* from, size_t bytes, abi::MemcpyKind kind, abi::Stream stream) {
  return when(Needs::queued, [&] { return calls::cudaMemcpyAsync(to, from, bytes, kind, stream); });
}

/// Rows of `width` values that are `pitch_bytes` apart.
template <class T>
Result set(Needs needs, Address to, size_t pitch_bytes, T value, size_t width, size_t height, abi::Stream stream) {
  return when(needs, [&]() -> Error {
    size_t bytes = 0;
    if (to % sizeof value != 0 || __builtin_mul_overflow(width, sizeof value, &bytes)) return cudaErrorInvalidValue;
    if (height > 1 && (pitch_bytes < bytes || pitch_bytes % sizeof value != 0)) return cudaErrorInvalidValue;
    const SetWork work{.to = static_cast<std::byte*>(pointer(to)),
                       .value = value,
                       .element_bytes = sizeof value,
                       .width_bytes = bytes,
                       .height = height,
                       .pitch_bytes = pitch_bytes};
    const Error error = check(Process::get().memory(), work);
    if (error != cudaSuccess || bytes == 0 || height == 0) return error;
    return Process::get().streams().submit(stream, work);
  });
}

template <class T>
Result set_now(Address to, T value, size_t count) {
  return set(Needs::waits, to, 0, value, count, 1, nullptr);
}

template <class Copy>
Result copy_box(Needs needs, const Copy* copy, abi::Stream stream) {
  return when(needs, [&]() -> Error {
    if (copy == nullptr) return cudaErrorInvalidValue;
    CopyWork work;
    abi::MemcpyKind kind = cudaMemcpyDefault;
    if (const Error error = box_of(*copy, work, kind); error != cudaSuccess) return error;
    if (const Error error = check(Process::get().memory(), work, kind); error != cudaSuccess) return error;
    if (work.width_bytes == 0 || work.height == 0 || work.depth == 0) return cudaSuccess;
    return Process::get().streams().submit(stream, work);
  });
}

}  // namespace

Result cuMemcpy(Address to, Address from, size_t bytes) {
  return copy_now(pointer(to), pointer(from), bytes, cudaMemcpyDefault);
}
Result cuMemcpyAsync(Address to, Address from, size_t bytes, abi::Stream stream) {
  return copy_later(pointer(to), pointer(from), bytes, cudaMemcpyDefault, stream);
}
Result cuMemcpyHtoD_v2(Address to, const void* from, size_t bytes) {
  return copy_now(pointer(to), from, bytes, cudaMemcpyHostToDevice);
}
Result cuMemcpyDtoH_v2(void* to, Address from, size_t bytes) {
  return copy_now(to, pointer(from), bytes, cudaMemcpyDeviceToHost);
}
Result cuMemcpyDtoD_v2(Address to, Address from, size_t bytes) {
  return copy_now(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice);
}
Result cuMemcpyHtoDAsync_v2(Address to, const void* from, size_t bytes, abi::Stream stream) {
  return copy_later(pointer(to), from, bytes, cudaMemcpyHostToDevice, stream);
}
Result cuMemcpyDtoHAsync_v2(void* to, Address from, size_t bytes, abi::Stream stream) {
  return copy_later(to, pointer(from), bytes, cudaMemcpyDeviceToHost, stream);
}
Result cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, abi::Stream stream) {
  return copy_later(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice, stream);
}
Result cuMemcpyPeer(Address to, Context, Address from, Context, size_t bytes) {
  return cuMemcpyDtoD_v2(to, from, bytes);
}
Result cuMemcpyPeerAsync(Address to, Context, Address from, Context, size_t bytes, abi::Stream stream) {
  return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
}

Result cuMemcpy2D_v2(const Memcpy2D* copy) { return copy_box(Needs::waits, copy, nullptr); }
Result cuMemcpy2DUnaligned_v2(const Memcpy2D* copy) { return copy_box(Needs::waits, copy, nullptr); }
Result cuMemcpy2DAsync_v2(const Memcpy2D* copy, abi::Stream stream) { return copy_box(Needs::queued, copy, stream); }
Result cuMemcpy3D_v2(const Memcpy3D* copy) { return copy_box(Needs::waits, copy, nullptr); }
Result cuMemcpy3DAsync_v2(const Memcpy3D* copy, abi::Stream stream) { return copy_box(Needs::queued, copy, stream); }

Result cuMemsetD8_v2(Address to, unsigned char value, size_t count) { return set_now(to, value, count); }
Result cuMemsetD16_v2(Address to, unsigned short value, size_t count) { return set_now(to, value, count); }
Result cuMemsetD32_v2(Address to, unsigned value, size_t count) { return set_now(to, value, count); }
Result cuMemsetD8Async(Address to, unsigned char value, size_t count, abi::Stream stream) {
  return set(Needs::queued, to, 0, value, count, 1, stream);
}
Result cuMemsetD16Async(Address to, unsigned short value, size_t count, abi::Stream stream) {
  return set(Needs::queued, to, 0, value, count, 1, stream);
}
Result cuMemsetD32Async(Address to, unsigned value, size_t count, abi::Stream stream) {
  return set(Needs::queued, to, 0, value, count, 1, stream);
}
Result cuMemsetD2D8_v2(Address to, size_t pitch, unsigned char value, size_t width, size_t height) {
  return set(Needs::waits, to, pitch, value, width, height, nullptr);
}
Result cuMemsetD2D16_v2(Address to, size_t pitch, unsigned short value, size_t width, size_t height) {
  return set(Needs::waits, to, pitch, value, width, height, nullptr);
}
Result cuMemsetD2D32_v2(Address to, size_t pitch, unsigned value, size_t width, size_t height) {
  return set(Needs::waits, to, pitch, value, width, height, nullptr);
}
Result cuMemsetD2D8Async(Address to, size_t pitch, unsigned char value, size_t width, size_t height,
                         abi::Stream stream) {
  return set(Needs::queued, to, pitch, value, width, height, stream);
}
Result cuMemsetD2D16Async(Address to, size_t pitch, unsigned short value, size_t width, size_t height,
                          abi::Stream stream) {
  return set(Needs::queued, to, pitch, value, width, height, stream);
}
Result cuMemsetD2D32Async(Address to, size_t pitch, unsigned value, size_t width, size_t height, abi::Stream stream) {
  return set(Needs::queued, to, pitch, value, width, height, stream);
}

}  // namespace lanebank::cudart::driver
