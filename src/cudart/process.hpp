// The CUDA runtime of this process: the engine, what the program registered, and how it stands after
// faults and forks. Made at the first call that needs it and never destroyed, since programs call CUDA
// from destructors of static objects too.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "cudart/abi.hpp"
#include "cudart/device_model.hpp"
#include "cudart/registry.hpp"
#include "cudart/shim/interface.h"
#include "cudart/streams.hpp"
#include "session/engine.hpp"

namespace lanebank::cudart {

using abi::Error;
using abi::Error::cudaSuccess;

/// What a kernel fault means to a call (column `fault` of runtime_calls.def).
enum class OnFault {
  plain,   ///< nothing: never touches the device
  queued,  ///< returns the fault once it is known
  waits,   ///< waits for the device, which makes the fault known, and returns it
};

/// Writes "lanebank: TEXT" and a line feed to stderr in one piece.
void tell(std::string_view text);
/// Says that lanebank itself failed and ends the process with 125.
[[noreturn]] void fail_internally(std::string_view where, std::string_view what);

/// The configuration between <<<>>> and the kernel's stub.
struct LaunchConfiguration {
  abi::Dim3 grid, block;
  std::size_t shared_bytes = 0;
  abi::Stream stream = nullptr;
};

/// State of one host thread.
struct ThreadState {
  Error last_error = cudaSuccess;
  bool uses_runtime = false;  ///< has the primary context, as the runtime's calls give it
  std::vector<LaunchConfiguration> configurations;
  abi::StreamCaptureMode capture_mode = abi::cudaStreamCaptureModeGlobal;
};

class Process {
 public:
  /// The one of this process.
  static Process& get();
  /// The same if it exists already.
  static Process* existing();

  session::Engine& engine() { return engine_; }
  machine::Memory& memory() { return engine_.device().memory(); }
  Registry& registry() { return registry_; }
  Streams& streams() { return streams_; }
  static ThreadState& thread();

  /// Tells what the engine has put into the report already, unless there is a `lanebank run` to print it.
  void tell_unless_reported(const Diagnostic& diagnostic) const;

  /// The device that programs see, by the engine's architecture.
  const DeviceModel& model();

  /// Before a call: the error that it must return at once, if any.
  Error admit(OnFault on_fault);
  /// True in a child that was forked after the runtime began: CUDA does not survive a fork.
  bool forked() const { return forked_.load(std::memory_order_relaxed); }
  void mark_forked() { forked_.store(true, std::memory_order_relaxed); }

  /// A kernel ended with `error`; the program learns it at the next call that waits.
  void fault(Error error);
  /// cudaDeviceReset: false when a fault had spoiled the device.
  void reset();
  bool is_spoiled() const { return pending_fault_ != cudaSuccess || known_fault_ != cudaSuccess; }

  /// Prints what device printf left, to the program's stdout.
  void flush_device_output();
  /// Takes the text of a failed device assertion out of the output and prints it to stderr.
  void print_assertion(const std::string& text);

  std::size_t limits[8];  ///< cudaDeviceSetLimit, by number
  unsigned device_flags = 0;
  int cache_preference = 0;

 private:
  explicit Process(session::EngineOptions options);

  const bool reported_;  ///< records go to a channel
  session::Engine engine_;
  Registry registry_;
  Streams streams_;
  std::once_flag model_once_;
  const DeviceModel* model_ = nullptr;
  std::atomic<bool> forked_ = false;
  std::atomic<Error> pending_fault_ = cudaSuccess, known_fault_ = cudaSuccess;
  std::mutex output_mutex_;
  std::string output_;
};

/// The shim that loaded this engine.
extern const lanebank_shim* shim;

}  // namespace lanebank::cudart
