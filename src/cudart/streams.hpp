// Streams, events and captures. Work runs to its end when it is submitted, so everything is always in
// order; a capturing stream collects it in a graph instead.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "cudart/abi.hpp"
#include "cudart/graph.hpp"

namespace lanebank::cudart {

/// A capture in progress: the graph, and for each stream that takes part the nodes that its next work
/// waits for.
struct Capture {
  std::uint64_t id = 0;
  abi::Graph graph = nullptr;
  bool owns_graph = true;  ///< false: cudaStreamBeginCaptureToGraph
  abi::Stream origin = nullptr;
  abi::StreamCaptureMode mode = abi::cudaStreamCaptureModeGlobal;
  std::uint64_t thread = 0;  ///< that began it
  bool valid = true;
  std::map<abi::Stream, std::vector<abi::GraphNode>> tips;
  std::set<abi::Stream> unjoined;  ///< streams whose last work nothing waits for
};

}  // namespace lanebank::cudart

namespace lanebank::cudart::abi {

struct StreamTag {
  unsigned flags = 0;
  int priority = 0;
  std::uint64_t id = 0;
  std::shared_ptr<lanebank::cudart::Capture> capture;
  LaunchAttributeValue attributes[16] = {};
};

struct EventTag {
  unsigned flags = 0;
  bool recorded = false;
  std::int64_t nanoseconds = 0;                        ///< device clock at the last record
  std::shared_ptr<lanebank::cudart::Capture> capture;  ///< the capture that recorded it, if one did
  std::vector<GraphNode> nodes;
  Stream stream = nullptr;
};

}  // namespace lanebank::cudart::abi

namespace lanebank::cudart {

class Streams {
 public:
  using Error = abi::Error;

  abi::Stream create(unsigned flags, int priority);
  Error destroy(abi::Stream stream);
  /// The state of a stream: the default streams have one too; null for a handle that is not ours.
  abi::StreamTag* find(abi::Stream stream);

  abi::Event create_event(unsigned flags);
  Error destroy_event(abi::Event event);
  abi::Event find(abi::Event event);

  /// Runs the work, or adds it to the stream's capture.
  Error submit(abi::Stream stream, Work work);
  /// As submit, and gives the new node of a capturing stream.
  Error submit(abi::Stream stream, Work work, abi::GraphNode* node);
  Error record(abi::Event event, abi::Stream stream);
  Error wait(abi::Stream stream, abi::Event event);

  Error begin_capture(abi::Stream stream, abi::StreamCaptureMode mode, abi::Graph into = nullptr,
                      std::vector<abi::GraphNode> after = {});
  Error end_capture(abi::Stream stream, abi::Graph* graph);
  /// Before a call that cannot be captured: the error it returns while this thread may not make it.
  Error forbid_during_capture();
  /// Before a call that waits for `stream`, or copies through the default stream.
  Error forbid_capturing(abi::Stream stream);
  Error forbid_implicit();
  Error forbid_any_capture();

  /// Nanoseconds of the device clock: the time that the emulation takes, always growing.
  std::int64_t now();

  std::mutex& mutex() { return mutex_; }

 private:
  abi::StreamTag* find_locked(abi::Stream stream);
  Error invalidate(Capture& capture, Error error);

  std::mutex mutex_;
  std::uint64_t next_id_ = 3, next_capture_ = 1;
  std::int64_t last_time_ = 0;
  abi::StreamTag legacy_{.flags = 0, .priority = 0, .id = 1}, per_thread_{.flags = 0, .priority = 0, .id = 2};
  std::map<abi::Stream, std::unique_ptr<abi::StreamTag>> streams_;
  std::map<abi::Event, std::unique_ptr<abi::EventTag>> events_;
  std::set<std::shared_ptr<Capture>> captures_;
};

}  // namespace lanebank::cudart
