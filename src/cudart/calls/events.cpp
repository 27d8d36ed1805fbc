// Events. Work is done when the call that submits it returns, so an event is complete once recorded.
#include "cudart/calls.hpp"
#include "cudart/process.hpp"

namespace lanebank::cudart::calls {
namespace {

constexpr unsigned blocking_sync = 1, disable_timing = 2, interprocess = 4;
constexpr unsigned record_external = 1;

}  // namespace

Error cudaEventCreate(Event* event) { return cudaEventCreateWithFlags(event, 0); }

Error cudaEventCreateWithFlags(Event* event, unsigned flags) {
  if (event == nullptr || (flags & ~(blocking_sync | disable_timing | interprocess)) != 0) return cudaErrorInvalidValue;
  if ((flags & interprocess) != 0 && (flags & disable_timing) == 0) return cudaErrorInvalidValue;
  *event = Process::get().streams().create_event(flags);
  return cudaSuccess;
}

Error cudaEventDestroy(Event event) { return Process::get().streams().destroy_event(event); }

Error cudaEventRecord(Event event, Stream stream) { return Process::get().streams().record(event, stream); }

Error cudaEventRecordWithFlags(Event event, Stream stream, unsigned flags) {
  if ((flags & ~record_external) != 0) return cudaErrorInvalidValue;
  Streams& streams = Process::get().streams();
  if (flags == record_external) {  // a node of its own in a capture
    StreamTag* state = streams.find(stream);
    if (state != nullptr && state->capture) {
      if (streams.find(event) == nullptr) return cudaErrorInvalidResourceHandle;
      return streams.submit(stream, RecordWork{event});
    }
  }
  return streams.record(event, stream);
}

Error cudaEventQuery(Event event) {
  Event state = Process::get().streams().find(event);
  if (state == nullptr) return cudaErrorInvalidResourceHandle;
  if (state->capture) return cudaErrorCapturedEvent;
  GraphMemory::get().settle();
  return cudaSuccess;
}

Error cudaEventSynchronize(Event event) { return cudaEventQuery(event); }

Error cudaEventElapsedTime(float* milliseconds, Event start, Event end) {
  if (milliseconds == nullptr) return cudaErrorInvalidValue;
  Streams& streams = Process::get().streams();
  const EventTag *first = streams.find(start), *last = streams.find(end);
  if (first == nullptr || last == nullptr) return cudaErrorInvalidResourceHandle;
  for (const EventTag* event : {first, last})
    if ((event->flags & disable_timing) != 0 || !event->recorded) return cudaErrorInvalidResourceHandle;
  *milliseconds = static_cast<float>(static_cast<double>(last->nanoseconds - first->nanoseconds) / 1e6);
  return cudaSuccess;
}

}  // namespace lanebank::cudart::calls
