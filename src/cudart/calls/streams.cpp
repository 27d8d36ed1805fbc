// Streams and captures.
#include <algorithm>
#include <iterator>

#include "cudart/calls.hpp"
#include "cudart/process.hpp"

namespace lanebank::cudart::calls {
namespace {

constexpr unsigned non_blocking = 1;

Streams& streams() { return Process::get().streams(); }

bool is_mode(int mode) { return mode >= cudaStreamCaptureModeGlobal && mode <= cudaStreamCaptureModeRelaxed; }

template <class T>
Error give(T* to, Stream stream, T (*value)(const StreamTag&)) {
  const StreamTag* state = streams().find(stream);
  if (to == nullptr) return cudaErrorInvalidValue;
  if (state == nullptr) return cudaErrorInvalidResourceHandle;
  *to = value(*state);
  return cudaSuccess;
}

bool is_attribute(int attribute) {
  return attribute >= 0 && attribute < static_cast<int>(std::size(StreamTag{}.attributes));
}

}  // namespace

Error cudaStreamCreate(Stream* stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }
Error cudaStreamCreateWithFlags(Stream* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}

Error cudaStreamCreateWithPriority(Stream* stream, unsigned flags, int priority) {
  if (stream == nullptr || (flags & ~non_blocking) != 0) return cudaErrorInvalidValue;
  *stream = streams().create(flags, std::clamp(priority, -5, 0));
  return cudaSuccess;
}

Error cudaStreamDestroy(Stream stream) { return streams().destroy(stream); }
Error cudaStreamSynchronize(Stream stream) {
  const Error error = streams().forbid_capturing(stream);
  if (error == cudaSuccess) GraphMemory::get().settle(streams().find(stream));
  return error;
}
Error cudaStreamQuery(Stream stream) { return cudaStreamSynchronize(stream); }

Error cudaStreamWaitEvent(Stream stream, Event event, unsigned flags) {
  if (streams().find(event) == nullptr) return cudaErrorInvalidResourceHandle;
  constexpr unsigned external = 1;
  if ((flags & ~external) != 0) return cudaErrorInvalidValue;
  return streams().wait(stream, event);
}

Error cudaStreamGetFlags(Stream stream, unsigned* flags) {
  return give<unsigned>(flags, stream, [](const StreamTag& state) { return state.flags; });
}

Error cudaStreamGetId(Stream stream, unsigned long long* id) {
  return give<unsigned long long>(id, stream, [](const StreamTag& state) -> unsigned long long { return state.id; });
}

Error cudaStreamGetPriority(Stream stream, int* priority) {
  return give<int>(priority, stream, [](const StreamTag& state) { return state.priority; });
}

Error cudaStreamGetDevice(Stream stream, int* device) {
  return give<int>(device, stream, [](const StreamTag&) { return 0; });
}

Error cudaStreamGetAttribute(Stream stream, LaunchAttributeId attribute, LaunchAttributeValue* value) {
  const StreamTag* state = streams().find(stream);
  if (value == nullptr || !is_attribute(attribute)) return cudaErrorInvalidValue;
  if (state == nullptr) return cudaErrorInvalidResourceHandle;
  *value = state->attributes[attribute];
  return cudaSuccess;
}

Error cudaStreamSetAttribute(Stream stream, LaunchAttributeId attribute, const LaunchAttributeValue* value) {
  StreamTag* state = streams().find(stream);
  if (value == nullptr || !is_attribute(attribute)) return cudaErrorInvalidValue;
  if (state == nullptr) return cudaErrorInvalidResourceHandle;
  constexpr int first_policy = 1, last_policy = 4;
  if (attribute == cudaLaunchAttributeSynchronizationPolicy &&
      (value->syncPolicy < first_policy || value->syncPolicy > last_policy))
    return cudaErrorInvalidValue;
  state->attributes[attribute] = *value;
  return cudaSuccess;
}

Error cudaStreamCopyAttributes(Stream to, Stream from) {
  StreamTag *target = streams().find(to), *source = streams().find(from);
  if (target == nullptr || source == nullptr) return cudaErrorInvalidResourceHandle;
  std::copy(std::begin(source->attributes), std::end(source->attributes), target->attributes);
  return cudaSuccess;
}

Error cudaStreamBeginCapture(Stream stream, StreamCaptureMode mode) {
  return is_mode(mode) ? streams().begin_capture(stream, mode) : cudaErrorInvalidValue;
}

Error cudaStreamBeginCaptureToGraph(Stream stream, Graph graph, const GraphNode* after, const GraphEdgeData*,
                                    size_t count, StreamCaptureMode mode) {
  if (graph == nullptr || !is_mode(mode) || (count != 0 && after == nullptr)) return cudaErrorInvalidValue;
  for (size_t i = 0; i < count; ++i)
    if (!graph->body->holds(after[i])) return cudaErrorInvalidValue;
  return streams().begin_capture(stream, mode, graph, {after, after + count});
}

Error cudaStreamEndCapture(Stream stream, Graph* graph) { return streams().end_capture(stream, graph); }

Error cudaStreamIsCapturing(Stream stream, StreamCaptureStatus* status) {
  return give<StreamCaptureStatus>(status, stream, [](const StreamTag& state) {
    if (!state.capture) return cudaStreamCaptureStatusNone;
    return state.capture->valid ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusInvalidated;
  });
}

Error cudaStreamGetCaptureInfo(Stream stream, StreamCaptureStatus* status, unsigned long long* id, Graph* graph,
                               const GraphNode** after, const GraphEdgeData** edges, size_t* count) {
  if (const Error error = cudaStreamIsCapturing(stream, status); error != cudaSuccess) return error;
  StreamTag* state = streams().find(stream);
  if (*status != cudaStreamCaptureStatusActive) return cudaSuccess;
  const std::vector<GraphNode>& tips = state->capture->tips[state];
  if (id != nullptr) *id = state->capture->id;
  if (graph != nullptr) *graph = state->capture->graph;
  if (after != nullptr) *after = tips.data();
  if (edges != nullptr) *edges = nullptr;
  if (count != nullptr) *count = tips.size();
  return cudaSuccess;
}

Error cudaStreamUpdateCaptureDependencies(Stream stream, GraphNode* nodes, const GraphEdgeData*, size_t count,
                                          unsigned flags) {
  constexpr unsigned add = 0, set = 1;
  StreamTag* state = streams().find(stream);
  if (state == nullptr) return cudaErrorInvalidResourceHandle;
  if (!state->capture) return cudaErrorIllegalState;
  if (flags > set || (count != 0 && nodes == nullptr)) return cudaErrorInvalidValue;
  for (size_t i = 0; i < count; ++i)
    if (!state->capture->graph->body->holds(nodes[i])) return cudaErrorInvalidValue;
  std::lock_guard lock(streams().mutex());
  std::vector<GraphNode>& tips = state->capture->tips[state];
  if (flags != add) tips.clear();
  for (size_t i = 0; i < count; ++i)
    if (std::find(tips.begin(), tips.end(), nodes[i]) == tips.end()) tips.push_back(nodes[i]);
  return cudaSuccess;
}

Error cudaThreadExchangeStreamCaptureMode(StreamCaptureMode* mode) {
  if (mode == nullptr || !is_mode(*mode)) return cudaErrorInvalidValue;
  std::swap(*mode, Process::thread().capture_mode);
  return cudaSuccess;
}

}  // namespace lanebank::cudart::calls
