// One kernel from its machine code, without a host program: load, launch with arguments, and see what it did and what it cost.
//
//   auto kernels = KernelLauncher::load(bytes_of("transpose.cubin"), "transpose.cubin", {.jobs = 1});
//   auto result = kernels->launch({.kernel = "transpose<32>", .grid = {32, 32, 1}, .block = {32, 32, 1},
//                                  .arguments = {KernelArgument::buffer(input), KernelArgument::buffer(output),
//                                                KernelArgument::value(1024)}});
//   result->report.launches[0].shared.excess      wavefronts of shared memory above the ideal
//   result->buffers[1]                            the output's bytes
//
// Which observers run is chosen as for `lanebank run`: EngineOptions::checks ("none": only conflicts are counted), work, access_log,
// all_instructions. Variables of the module keep their content from launch to launch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/diagnostic.hpp"
#include "findings/report.hpp"
#include "image/fatbin.hpp"
#include "session/engine.hpp"
#include "session/kernel_choice.hpp"

namespace lanebank::session {

/// One argument of a kernel.
struct KernelArgument {
  enum class Kind {
    value,   ///< `bytes` as they stand in the parameter block: exactly as many as the parameter has
    buffer,  ///< a pointer to fresh device memory with this content
    same     ///< a pointer into the buffer of argument `of`, `offset_bytes` after its first byte
  };
  Kind kind = Kind::value;
  std::vector<std::byte> bytes;
  std::size_t of = 0;
  std::uint64_t offset_bytes = 0;

  template <class T>
  requires std::is_trivially_copyable_v<T>
  static KernelArgument value(const T& value) {
    KernelArgument argument;
    argument.bytes.resize(sizeof(T));
    std::memcpy(argument.bytes.data(), &value, sizeof(T));
    return argument;
  }
  static KernelArgument buffer(std::vector<std::byte> content) { return {Kind::buffer, std::move(content), 0, 0}; }
  static KernelArgument same_as(std::size_t argument, std::uint64_t offset_bytes = 0) {
    return {Kind::same, {}, argument, offset_bytes};
  }
};

struct KernelLaunch {
  std::string kernel;  ///< as choose_kernel takes it; empty: the only one
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::array<std::uint32_t, 3> cluster{0, 0, 0};  ///< 0: the kernel's own (__cluster_dims__), or none
  std::uint32_t dynamic_shared_bytes = 0;         ///< up to all that the device has; nothing needs to be opted in
  bool cooperative = false;
  std::vector<KernelArgument> arguments;
};

struct KernelResult {
  /// `launches` holds the launch, or `problems` say why there is none. `command` is the code's name.
  findings::ProgramReport report;
  std::vector<std::vector<std::byte>> buffers;  ///< by argument, as the kernel left them; empty for what is no buffer
  std::string printed;                          ///< by printf of the kernel
};

/// A module of machine code on a device of its own. One thread at a time may call it.
class KernelLauncher {
 public:
  /// `code`: a fatbin, a cubin, or PTX text (ptxas is then looked for, EngineOptions::search_path). `name` serves messages.
  /// Failing: code that cannot be run, with what nvcc should be told; an option that makes no sense.
  static Result<KernelLauncher> load(image::Bytes code, const std::string& name, EngineOptions options = {});
  KernelLauncher(KernelLauncher&&) noexcept;
  KernelLauncher& operator=(KernelLauncher&&) noexcept;
  ~KernelLauncher();

  unsigned architecture() const;  ///< of the device: 90
  std::vector<KernelSignature> kernels() const;
  Result<KernelSignature> kernel(std::string_view name) const;

  /// Failing: a launch that was asked for wrongly (no such kernel, arguments that do not fit its parameters, more threads or
  /// memory than the device has). What the kernel does wrong is in the report. `source_root`: an absolute path, source files below
  /// it are named from there; empty: as the compiler recorded them.
  Result<KernelResult> launch(const KernelLaunch& launch, const std::string& source_root = {});

 private:
  struct State;
  explicit KernelLauncher(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace lanebank::session
