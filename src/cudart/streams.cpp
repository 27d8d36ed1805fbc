#include "cudart/streams.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

#include "cudart/process.hpp"

namespace lanebank::cudart {

using abi::cudaErrorInvalidResourceHandle;

namespace {

std::uint64_t this_thread() { return std::hash<std::thread::id>{}(std::this_thread::get_id()); }

template <class T>
void add_missing(std::vector<T>& to, const std::vector<T>& from) {
  for (const T& item : from)
    if (std::find(to.begin(), to.end(), item) == to.end()) to.push_back(item);
}

}  // namespace

abi::Stream Streams::create(unsigned flags, int priority) {
  std::lock_guard lock(mutex_);
  auto stream = std::make_unique<abi::StreamTag>();
  stream->flags = flags;
  stream->priority = priority;
  stream->id = next_id_++;
  abi::Stream handle = stream.get();
  streams_[handle] = std::move(stream);
  return handle;
}

Error Streams::destroy(abi::Stream stream) {
  std::lock_guard lock(mutex_);
  auto found = streams_.find(stream);
  if (found == streams_.end()) return cudaErrorInvalidResourceHandle;
  if (Capture* capture = found->second->capture.get()) {
    if (capture->origin == found->second.get()) capture->valid = false;
    capture->tips.erase(found->second.get());  // whether its work was joined stays known
  }
  streams_.erase(found);
  return cudaSuccess;
}

abi::StreamTag* Streams::find(abi::Stream stream) {
  std::lock_guard lock(mutex_);
  return find_locked(stream);
}

abi::StreamTag* Streams::find_locked(abi::Stream stream) {
  if (stream == nullptr || stream == abi::stream_legacy) return &legacy_;
  if (stream == abi::stream_per_thread) return &per_thread_;
  auto found = streams_.find(stream);
  return found == streams_.end() ? nullptr : found->second.get();
}

abi::Event Streams::create_event(unsigned flags) {
  std::lock_guard lock(mutex_);
  auto event = std::make_unique<abi::EventTag>();
  event->flags = flags;
  abi::Event handle = event.get();
  events_[handle] = std::move(event);
  return handle;
}

Error Streams::destroy_event(abi::Event event) {
  std::lock_guard lock(mutex_);
  return events_.erase(event) == 1 ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

abi::Event Streams::find(abi::Event event) {
  std::lock_guard lock(mutex_);
  auto found = events_.find(event);
  return found == events_.end() ? nullptr : found->second.get();
}

std::int64_t Streams::now() {
  const auto clock = std::chrono::steady_clock::now().time_since_epoch();
  const std::int64_t time = std::chrono::duration_cast<std::chrono::nanoseconds>(clock).count();
  std::lock_guard lock(mutex_);
  last_time_ = std::max(time, last_time_ + 1000);  // events of a real device are about a microsecond apart
  return last_time_;
}

Error Streams::submit(abi::Stream stream, Work work) { return submit(stream, std::move(work), nullptr); }

Error Streams::submit(abi::Stream stream, Work work, abi::GraphNode* node) {
  {
    std::lock_guard lock(mutex_);
    abi::StreamTag* state = find_locked(stream);
    if (state == nullptr) return cudaErrorInvalidResourceHandle;
    if (Capture* capture = state->capture.get()) {
      if (!capture->valid) return abi::cudaErrorStreamCaptureInvalidated;
      std::vector<abi::GraphNode>& tips = capture->tips[state];
      abi::GraphNode added = capture->graph->body->add(std::move(work), tips);
      added->graph = capture->graph;
      tips = {added};
      if (state != capture->origin) capture->unjoined.insert(state);
      if (node != nullptr) *node = added;
      return cudaSuccess;
    }
    if (state == &legacy_)
      for (const auto& capture : captures_)
        if (capture->valid && (capture->origin->flags & 1) == 0)
          return invalidate(*capture, abi::cudaErrorStreamCaptureImplicit);
  }
  return run(work);
}

Error Streams::record(abi::Event event, abi::Stream stream) {
  const std::int64_t time = now();
  std::lock_guard lock(mutex_);
  abi::StreamTag* state = find_locked(stream);
  if (state == nullptr || !events_.contains(event)) return cudaErrorInvalidResourceHandle;
  if (state->capture) {
    if (!state->capture->valid) return abi::cudaErrorStreamCaptureInvalidated;
    event->capture = state->capture;
    event->nodes = state->capture->tips[state];
    event->stream = state;
    return cudaSuccess;
  }
  event->capture = nullptr;
  event->recorded = true;
  event->nanoseconds = time;
  return cudaSuccess;
}

Error Streams::wait(abi::Stream stream, abi::Event event) {
  std::lock_guard lock(mutex_);
  abi::StreamTag* state = find_locked(stream);
  if (state == nullptr || !events_.contains(event)) return cudaErrorInvalidResourceHandle;
  Capture* capture = event->capture.get();
  if (capture == nullptr || !captures_.contains(event->capture)) {
    // Work outside a capture that a captured stream would have to wait for.
    if (state->capture && event->recorded) return invalidate(*state->capture, abi::cudaErrorStreamCaptureIsolation);
    return cudaSuccess;
  }
  if (!capture->valid) return abi::cudaErrorStreamCaptureInvalidated;
  if (state->capture && state->capture != event->capture) return invalidate(*capture, abi::cudaErrorStreamCaptureMerge);
  if (state == &legacy_) return invalidate(*capture, abi::cudaErrorStreamCaptureImplicit);
  state->capture = event->capture;
  add_missing(capture->tips[state], event->nodes);
  if (capture->tips[event->stream] == event->nodes) capture->unjoined.erase(event->stream);
  return cudaSuccess;
}

Error Streams::begin_capture(abi::Stream stream, abi::StreamCaptureMode mode, abi::Graph into,
                             std::vector<abi::GraphNode> after) {
  std::lock_guard lock(mutex_);
  abi::StreamTag* state = find_locked(stream);
  if (state == nullptr) return cudaErrorInvalidResourceHandle;
  if (state == &legacy_) return abi::cudaErrorStreamCaptureUnsupported;
  if (state->capture) return abi::cudaErrorIllegalState;
  auto capture = std::make_shared<Capture>();
  capture->id = next_capture_++;
  capture->owns_graph = into == nullptr;
  capture->graph = into == nullptr ? new abi::GraphTag : into;
  capture->origin = state;
  capture->mode = mode;
  capture->thread = this_thread();
  capture->tips[state] = std::move(after);
  captures_.insert(capture);
  state->capture = std::move(capture);
  return cudaSuccess;
}

Error Streams::end_capture(abi::Stream stream, abi::Graph* graph) {
  std::lock_guard lock(mutex_);
  abi::StreamTag* state = find_locked(stream);
  if (state == nullptr) return cudaErrorInvalidResourceHandle;
  const std::shared_ptr<Capture> capture = state->capture;
  if (graph == nullptr && (!capture || capture->owns_graph)) return abi::cudaErrorInvalidValue;
  if (!capture) return abi::cudaErrorIllegalState;
  if (capture->origin != state) return invalidate(*capture, abi::cudaErrorStreamCaptureUnmatched);
  if (capture->mode != abi::cudaStreamCaptureModeRelaxed && capture->thread != this_thread())
    return invalidate(*capture, abi::cudaErrorStreamCaptureWrongThread);
  const bool joined = capture->unjoined.empty();
  auto leave = [&](abi::StreamTag& other) {
    if (other.capture == capture) other.capture = nullptr;
  };
  leave(legacy_);
  leave(per_thread_);
  for (auto& [handle, other] : streams_) leave(*other);
  captures_.erase(capture);
  if (capture->valid && joined) {
    if (graph != nullptr) *graph = capture->graph;
    return cudaSuccess;
  }
  if (graph != nullptr) *graph = nullptr;
  if (capture->owns_graph) delete capture->graph;
  return capture->valid ? abi::cudaErrorStreamCaptureUnjoined : abi::cudaErrorStreamCaptureInvalidated;
}

Error Streams::invalidate(Capture& capture, Error error) {
  capture.valid = false;
  return error;
}

Error Streams::forbid_during_capture() {
  std::lock_guard lock(mutex_);
  if (Process::thread().capture_mode == abi::cudaStreamCaptureModeRelaxed) return cudaSuccess;
  Error error = cudaSuccess;
  for (const auto& capture : captures_) {
    const bool forbids = capture->mode == abi::cudaStreamCaptureModeGlobal ||
                         (capture->mode == abi::cudaStreamCaptureModeThreadLocal && capture->thread == this_thread());
    if (forbids) error = invalidate(*capture, abi::cudaErrorStreamCaptureUnsupported);
  }
  return error;
}

Error Streams::forbid_capturing(abi::Stream stream) {
  std::lock_guard lock(mutex_);
  abi::StreamTag* state = find_locked(stream);
  if (state == nullptr) return cudaErrorInvalidResourceHandle;
  return state->capture ? invalidate(*state->capture, abi::cudaErrorStreamCaptureUnsupported) : cudaSuccess;
}

Error Streams::forbid_implicit() {
  std::lock_guard lock(mutex_);
  for (const auto& capture : captures_)
    if ((capture->origin->flags & 1) == 0) return invalidate(*capture, abi::cudaErrorStreamCaptureImplicit);
  return cudaSuccess;
}

Error Streams::forbid_any_capture() {
  std::lock_guard lock(mutex_);
  Error error = cudaSuccess;
  for (const auto& capture : captures_) error = invalidate(*capture, abi::cudaErrorStreamCaptureUnsupported);
  return error;
}

}  // namespace lanebank::cudart
