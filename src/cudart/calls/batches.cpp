// Several copies, prefetches or discards in one call. They may run in any order; here one after the other.
#include "cudart/calls.hpp"
#include "cudart/process.hpp"
#include "cudart/transfers.hpp"

namespace lanebank::cudart::calls {
namespace {

/// Whether `first` says for each of `count` operations which of `groups` entries it belongs to.
bool are_groups(const size_t* first, size_t groups, size_t count) {
  if (first == nullptr || groups == 0 || groups > count || first[0] != 0) return false;
  for (size_t n = 1; n < groups; ++n)
    if (first[n] <= first[n - 1] || first[n] >= count) return false;
  return true;
}

bool is_null_stream(Stream stream) { return stream == nullptr || stream == stream_legacy; }

/// Calls `body(n, its group)` for the operations in order, up to the first error.
template <class Body>
Error each(const size_t* first, size_t groups, size_t count, Body body) {
  size_t group = 0;
  for (size_t n = 0; n < count; ++n) {
    if (group + 1 < groups && first[group + 1] == n) ++group;
    if (const Error error = body(n, group); error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace

Error cudaMemcpyBatchAsync(void* const* to, const void* const* from, const size_t* bytes, size_t count,
                           const MemcpyAttributes* attributes, const size_t* first, size_t groups, Stream stream) {
  constexpr int stream_order = 1, any_order = 3;
  constexpr unsigned known_flags = 1;
  if (to == nullptr || from == nullptr || bytes == nullptr || attributes == nullptr) return cudaErrorInvalidValue;
  if (!are_groups(first, groups, count) || is_null_stream(stream)) return cudaErrorInvalidValue;
  for (size_t n = 0; n < groups; ++n)
    if (attributes[n].srcAccessOrder < stream_order || attributes[n].srcAccessOrder > any_order ||
        (attributes[n].flags & ~known_flags) != 0)
      return cudaErrorInvalidValue;
  const machine::Memory& memory = Process::get().memory();
  for (size_t n = 0; n < count; ++n) {
    if (bytes[n] == 0) return cudaErrorInvalidValue;
    if (const Error error = check(memory, linear(to[n], from[n], bytes[n]), cudaMemcpyDefault); error != cudaSuccess)
      return error;
  }
  return each(first, groups, count,
              [&](size_t n, size_t) { return cudaMemcpyAsync(to[n], from[n], bytes[n], cudaMemcpyDefault, stream); });
}

Error cudaMemPrefetchBatchAsync(void** addresses, size_t* bytes, size_t count, MemLocation* locations, size_t* first,
                                size_t groups, unsigned long long flags, Stream stream) {
  if (addresses == nullptr || bytes == nullptr || locations == nullptr || flags != 0) return cudaErrorInvalidValue;
  if (!are_groups(first, groups, count) || is_null_stream(stream)) return cudaErrorInvalidValue;
  return each(first, groups, count, [&](size_t n, size_t group) {
    return cudaMemPrefetchAsync(addresses[n], bytes[n], locations[group], 0, stream);
  });
}

/// What is discarded keeps its values, which is one of those that it may have.
Error cudaMemDiscardBatchAsync(void** addresses, size_t* bytes, size_t count, unsigned long long flags, Stream stream) {
  MemLocation here{cudaMemLocationTypeDevice, 0};
  size_t first = 0;
  return cudaMemPrefetchBatchAsync(addresses, bytes, count, &here, &first, 1, flags, stream);
}

Error cudaMemDiscardAndPrefetchBatchAsync(void** addresses, size_t* bytes, size_t count, MemLocation* locations,
                                          size_t* first, size_t groups, unsigned long long flags, Stream stream) {
  return cudaMemPrefetchBatchAsync(addresses, bytes, count, locations, first, groups, flags, stream);
}

}  // namespace lanebank::cudart::calls
