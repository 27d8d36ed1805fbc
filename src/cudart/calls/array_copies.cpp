// Copies from and to CUDA arrays, of rows and of runs of elements. Those of boxes: copies.cpp.
#include "cudart/arrays.hpp"
#include "cudart/calls.hpp"
#include "cudart/process.hpp"
#include "cudart/transfers.hpp"

namespace lanebank::cudart::calls {
namespace {

/// Where a copy begins in an array: bytes of a row, and the row.
struct At {
  ArrayHandle handle;
  size_t x_bytes, y;
};

Error rows_of(const At& at, size_t width, size_t height, ArrayEnd& end) {
  const Array* array = find_array(at.handle);
  if (array == nullptr) return cudaErrorInvalidResourceHandle;
  const auto found = array_end(*array, at.x_bytes, at.y, 0, width, height, 1);
  if (!found) return cudaErrorInvalidValue;
  end = *found;
  return cudaSuccess;
}

/// A run of bytes that goes on in the next row: rows stand one behind the other.
Error run_of(const At& at, size_t bytes, std::byte*& start) {
  const Array* array = find_array(at.handle);
  if (array == nullptr) return cudaErrorInvalidResourceHandle;
  const machine::Image& image = array->image;
  if (at.x_bytes >= image.row_bytes || at.y >= image.height) return cudaErrorInvalidValue;
  const size_t first = at.y * image.row_bytes + at.x_bytes;
  if (bytes > image.bytes - first) return cudaErrorInvalidValue;
  start = reinterpret_cast<std::byte*>(image.address) + first;
  return cudaSuccess;
}

bool goes_in(MemcpyKind kind) {
  return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault;
}
bool goes_out(MemcpyKind kind) {
  return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault;
}

Error submit_now(const CopyWork& copy, MemcpyKind kind) {
  const Error error = Process::get().streams().forbid_implicit();
  return error != cudaSuccess ? error : submit_copy(copy, kind, nullptr);
}

Error rows_in(const At& to, const void* from, size_t pitch, size_t width, size_t height, MemcpyKind kind,
              CopyWork& copy) {
  if (!goes_in(kind)) return cudaErrorInvalidMemcpyDirection;
  if (width > pitch) return cudaErrorInvalidValue;
  ArrayEnd end;
  const Error error = rows_of(to, width, height, end);
  copy = linear(end.start, from, width);
  copy.height = height;
  copy.to_pitch_bytes = end.pitch_bytes;
  copy.from_pitch_bytes = pitch;
  return error;
}

Error rows_out(void* to, size_t pitch, const At& from, size_t width, size_t height, MemcpyKind kind, CopyWork& copy) {
  if (!goes_out(kind)) return cudaErrorInvalidMemcpyDirection;
  if (width > pitch) return cudaErrorInvalidValue;
  ArrayEnd end;
  const Error error = rows_of(from, width, height, end);
  copy = linear(to, end.start, width);
  copy.height = height;
  copy.to_pitch_bytes = pitch;
  copy.from_pitch_bytes = end.pitch_bytes;
  return error;
}

Error run_in(const At& to, const void* from, size_t bytes, MemcpyKind kind, CopyWork& copy) {
  if (!goes_in(kind)) return cudaErrorInvalidMemcpyDirection;
  std::byte* start = nullptr;
  const Error error = run_of(to, bytes, start);
  copy = linear(start, from, bytes);
  return error;
}

Error run_out(void* to, const At& from, size_t bytes, MemcpyKind kind, CopyWork& copy) {
  if (!goes_out(kind)) return cudaErrorInvalidMemcpyDirection;
  std::byte* start = nullptr;
  const Error error = run_of(from, bytes, start);
  copy = linear(to, start, bytes);
  return error;
}

}  // namespace

Error cudaMemcpy2DToArray(ArrayHandle to, size_t x_bytes, size_t y, const void* from, size_t pitch, size_t width,
                          size_t height, MemcpyKind kind) {
  CopyWork copy;
  const Error error = rows_in({to, x_bytes, y}, from, pitch, width, height, kind, copy);
  return error != cudaSuccess ? error : submit_now(copy, kind);
}

Error cudaMemcpy2DToArrayAsync(ArrayHandle to, size_t x_bytes, size_t y, const void* from, size_t pitch, size_t width,
                               size_t height, MemcpyKind kind, Stream stream) {
  CopyWork copy;
  const Error error = rows_in({to, x_bytes, y}, from, pitch, width, height, kind, copy);
  return error != cudaSuccess ? error : submit_copy(copy, kind, stream);
}

Error cudaMemcpy2DFromArray(void* to, size_t pitch, ArrayHandle from, size_t x_bytes, size_t y, size_t width,
                            size_t height, MemcpyKind kind) {
  CopyWork copy;
  const Error error = rows_out(to, pitch, {from, x_bytes, y}, width, height, kind, copy);
  return error != cudaSuccess ? error : submit_now(copy, kind);
}

Error cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, ArrayHandle from, size_t x_bytes, size_t y, size_t width,
                                 size_t height, MemcpyKind kind, Stream stream) {
  CopyWork copy;
  const Error error = rows_out(to, pitch, {from, x_bytes, y}, width, height, kind, copy);
  return error != cudaSuccess ? error : submit_copy(copy, kind, stream);
}

Error cudaMemcpy2DArrayToArray(ArrayHandle to, size_t to_x_bytes, size_t to_y, ArrayHandle from, size_t from_x_bytes,
                               size_t from_y, size_t width, size_t height, MemcpyKind kind) {
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  ArrayEnd source, target;
  if (const Error error = rows_of({to, to_x_bytes, to_y}, width, height, target); error != cudaSuccess) return error;
  if (const Error error = rows_of({from, from_x_bytes, from_y}, width, height, source); error != cudaSuccess)
    return error;
  CopyWork copy = linear(target.start, source.start, width);
  copy.height = height;
  copy.to_pitch_bytes = target.pitch_bytes;
  copy.from_pitch_bytes = source.pitch_bytes;
  return submit_now(copy, kind);
}

Error cudaMemcpyToArray(ArrayHandle to, size_t x_bytes, size_t y, const void* from, size_t bytes, MemcpyKind kind) {
  CopyWork copy;
  const Error error = run_in({to, x_bytes, y}, from, bytes, kind, copy);
  return error != cudaSuccess ? error : submit_now(copy, kind);
}

Error cudaMemcpyToArrayAsync(ArrayHandle to, size_t x_bytes, size_t y, const void* from, size_t bytes, MemcpyKind kind,
                             Stream stream) {
  CopyWork copy;
  const Error error = run_in({to, x_bytes, y}, from, bytes, kind, copy);
  return error != cudaSuccess ? error : submit_copy(copy, kind, stream);
}

Error cudaMemcpyFromArray(void* to, ArrayHandle from, size_t x_bytes, size_t y, size_t bytes, MemcpyKind kind) {
  CopyWork copy;
  const Error error = run_out(to, {from, x_bytes, y}, bytes, kind, copy);
  return error != cudaSuccess ? error : submit_now(copy, kind);
}

Error cudaMemcpyFromArrayAsync(void* to, ArrayHandle from, size_t x_bytes, size_t y, size_t bytes, MemcpyKind kind,
                               Stream stream) {
  CopyWork copy;
  const Error error = run_out(to, {from, x_bytes, y}, bytes, kind, copy);
  return error != cudaSuccess ? error : submit_copy(copy, kind, stream);
}

Error cudaMemcpyArrayToArray(ArrayHandle to, size_t to_x_bytes, size_t to_y, ArrayHandle from, size_t from_x_bytes,
                             size_t from_y, size_t bytes, MemcpyKind kind) {
  if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  std::byte *source = nullptr, *target = nullptr;
  if (const Error error = run_of({to, to_x_bytes, to_y}, bytes, target); error != cudaSuccess) return error;
  if (const Error error = run_of({from, from_x_bytes, from_y}, bytes, source); error != cudaSuccess) return error;
  return submit_now(linear(target, source, bytes), kind);
}

}  // namespace lanebank::cudart::calls
