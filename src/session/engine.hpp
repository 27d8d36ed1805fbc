// The engine of a running program: holds the device, loads registered fatbins, launches kernels under
// the observers, and writes every launch's record to the channel. One per process; any thread may call.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "findings/access_log.hpp"
#include "machine/device.hpp"

namespace lanebank::report {
struct Record;
}

namespace lanebank::session {

/// How `lanebank run` tells the engine what to do; travels in environment variables (LANEBANK_...).
struct EngineOptions {
  unsigned architecture = 0;  ///< 0: newest embedded code up to sm_90
  unsigned jobs = 0;
  std::string kernel_name;                    ///< ncu's --kernel-name: exact base name or "regex:..."; empty: all
  std::string kernel_name_base = "function";  ///< what kernel_name is held against: function, demangled or mangled
  std::uint64_t launch_skip = 0, launch_count = ~std::uint64_t{0};
  std::string channel;              ///< file that records are appended to; empty: none (linked-in runtime)
  std::uint64_t sample_blocks = 0;  ///< blocks of each launch that run, spread over its grid; 0: all
  bool progress = false;            ///< a line on stderr when a launch takes more than a second
  std::string checks = "all";       ///< "all", "none", or rules with commas between: as --checks
  bool all_instructions = false;    ///< rows of every instruction, not only of those of shared memory
  bool work = false;                ///< count what the bottleneck estimate needs
  bool access_log = false;          ///< every launch's report holds the log of its accesses
  std::string search_path;          ///< PATH, for ptxas
  std::string temporary_folder;     ///< TMPDIR; empty: /tmp
  /// Reads the variables through `variable` (std::getenv, or a table in tests): libraries do not look
  /// into the environment themselves. A value that cannot be read is a Diagnostic.
  static Result<EngineOptions> from_environment(const std::function<const char*(const char*)>& variable);
  /// The variables that `from_environment` reads back, as "NAME=value".
  std::vector<std::string> to_environment() const;
};

struct FatbinImage {
  std::vector<image::Bytes> containers;  ///< one, or several for device-linked code
  std::string program;                   ///< for messages
};

/// A kernel that can be launched.
struct KernelReference {
  machine::Module* module = nullptr;
  std::uint32_t function = 0;
  const image::Function& operator*() const { return module->cubin.functions[function]; }
  const image::Function* operator->() const { return &module->cubin.functions[function]; }
};

class Engine {
 public:
  explicit Engine(EngineOptions options, machine::HostServices services);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Why this process cannot be reported on (the channel or an option is unusable); to be told to the user
  /// at once, since the report will not.
  const std::optional<Diagnostic>& setup_error() const;

  /// Gives every record of this process to `listener` too: whole, with rows and log, and problems as often as they are met. Called
  /// under the engine's lock: the listener must not call the engine.
  void tell_records(std::function<void(const report::Record&)> listener);

  machine::Device& device();

  /// Remembers a registered fatbin; nothing is parsed before it is needed. Returns its handle.
  std::size_t add_fatbin(FatbinImage image);
  void remove_fatbin(std::size_t handle);

  /// The architecture that the device shows, decided at the first call from all fatbins added so far.
  unsigned architecture();

  /// The loaded module of a fatbin: the cubin for `architecture()` or the newest older one of its
  /// family; PTX assembled with ptxas when there is no cubin; else a Diagnostic with the nvcc flag to add,
  /// which the report will carry too (exit code 122).
  Result<machine::Module*> module(std::size_t fatbin);
  Result<KernelReference> kernel(std::size_t fatbin, std::string_view symbol);
  /// Address and size of a variable.
  Result<std::pair<std::uint64_t, std::uint64_t>> variable(std::size_t fatbin, std::string_view symbol);

  /// Runs the kernel under the observers, unless filtered; a filtered launch still runs, uncounted. `room`: for the log.
  Result<machine::LaunchOutcome> launch(machine::LaunchRequest request, const findings::BlockRoom& room = {});

  /// A runtime entry point that lanebank does not implement was called: named once on stderr by the
  /// caller, kept for the report, makes the run end with 122.
  void unsupported_call(std::string_view name);
  /// Something that stops the analysis (exit code 122), with its diagnostic.
  void cannot_analyse(const Diagnostic& diagnostic);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lanebank::session
