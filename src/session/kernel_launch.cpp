#include "session/kernel_launch.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/words.hpp"
#include "image/code_file.hpp"
#include "report/channel.hpp"
#include "session/device_limits.hpp"
#include "session/kernel_name.hpp"

namespace lanebank::session {
namespace {

constexpr std::uint32_t pointer_bytes = 8;

std::string dimensions(const std::array<std::uint32_t, 3>& size) {
  return std::to_string(size[0]) + "x" + std::to_string(size[1]) + "x" + std::to_string(size[2]);
}

std::uint64_t product(const std::array<std::uint32_t, 3>& size) { return std::uint64_t{size[0]} * size[1] * size[2]; }

bool exceeds(const std::array<std::uint32_t, 3>& size, const std::array<std::uint32_t, 3>& limits) {
  for (std::size_t i = 0; i < 3; ++i)
    if (size[i] == 0 || size[i] > limits[i]) return true;
  return false;
}

/// The cluster that the launch has.
std::array<std::uint32_t, 3> cluster_of(const KernelLaunch& launch, const image::Function& function) {
  std::array<std::uint32_t, 3> cluster = launch.cluster;
  if (cluster[0] == 0) std::copy_n(function.required_cluster, 3, cluster.begin());
  for (std::uint32_t& blocks : cluster) blocks = std::max(blocks, 1u);
  return cluster;
}

Result<void> check_cluster(const KernelLaunch& launch, const image::Function& function, unsigned architecture) {
  constexpr std::uint64_t most_blocks = 16;
  const auto cluster = cluster_of(launch, function);
  if (product(cluster) == 1) return {};
  const std::string said = "a cluster of " + dimensions(cluster) + " blocks";
  if (architecture < 90) return fail("launch.cluster", said, "sm_" + std::to_string(architecture) + " has no clusters");
  if (product(cluster) > most_blocks) return fail("launch.cluster", said, "16 blocks are the most");
  const bool own = function.required_cluster[0] != 0;
  if (own && cluster != cluster_of({}, function))
    return fail("launch.cluster", said, "the kernel asks for " + dimensions(cluster_of({}, function)));
  for (std::size_t i = 0; i < 3; ++i)
    if (launch.grid[i] % cluster[i] != 0)
      return fail("launch.cluster", said, "a grid of " + dimensions(launch.grid) + " is no multiple of it");
  return {};
}

/// What the device refuses.
Result<void> check_size(const KernelLaunch& launch, const image::Function& function, unsigned architecture) {
  if (exceeds(launch.grid, {2147483647, 65535, 65535}))
    return fail("launch.grid", "a grid of " + dimensions(launch.grid),
                "a grid has 1 to 2147483647 x 65535 x 65535 blocks");
  const DeviceLimits limits = device_limits(architecture);
  const std::string block = "a block of " + dimensions(launch.block);
  const std::uint64_t threads = product(launch.block);
  if (exceeds(launch.block, {1024, 1024, 64}) || threads > limits.multiprocessor.threads_of_a_block)
    return fail("launch.block", block, "a block has 1 to 1024 threads, at most 64 of them in z");
  if (function.max_threads_per_block != 0 && threads > function.max_threads_per_block)
    return fail("launch.block", block,
                "the kernel was compiled for at most " + counted(function.max_threads_per_block, "thread", "threads") +
                    " (__launch_bounds__)");
  const std::uint64_t by_registers = 32 * warps_by_registers(limits.multiprocessor, function.registers);
  if (threads > by_registers)
    return fail("launch.registers", block,
                "the kernel takes " + std::to_string(function.registers) + " registers a thread, enough for " +
                    counted(by_registers, "thread", "threads"),
                "Compile with -maxrregcount or __launch_bounds__.");
  const std::uint64_t shared = std::uint64_t{function.static_shared_bytes} + launch.dynamic_shared_bytes;
  if (shared > limits.block_shared_bytes)
    return fail("launch.shared", grouped(shared) + " bytes of shared memory",
                "a block of sm_" + std::to_string(architecture) + " has at most " + grouped(limits.block_shared_bytes));
  return check_cluster(launch, function, architecture);
}

Result<void> check_arguments(const std::vector<KernelArgument>& arguments, const image::Function& function) {
  const std::string kernel = kernel_name(function.symbol).full;
  if (arguments.size() != function.parameters.size()) {
    std::string sizes;
    for (const image::Parameter& parameter : function.parameters) sizes += " " + std::to_string(parameter.size_bytes);
    return fail("launch.arguments", kernel,
                "takes " + counted(function.parameters.size(), "argument", "arguments") + ", not " +
                    std::to_string(arguments.size()),
                sizes.empty() ? "" : "Their bytes:" + sizes + "; pointers have 8.");
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const KernelArgument& argument = arguments[i];
    const bool is_value = argument.kind == KernelArgument::Kind::value;
    const std::uint64_t given = is_value ? argument.bytes.size() : pointer_bytes;
    const std::uint32_t wanted = function.parameters[i].size_bytes;
    const std::string where = "argument " + std::to_string(i) + " of " + kernel;
    if (std::uint64_t{function.parameters[i].offset_bytes} + wanted > function.parameter_bytes)
      return fail("launch.parameters", where, "lies outside of the kernel's parameters: its machine code is damaged");
    if (given != wanted)
      return fail("launch.argument", where,
                  (is_value ? "is a value of " : "is a pointer of ") + counted(given, "byte", "bytes") +
                      ", the parameter has " + std::to_string(wanted));
    if (argument.kind != KernelArgument::Kind::same) continue;
    if (argument.of >= arguments.size() || arguments[argument.of].kind != KernelArgument::Kind::buffer)
      return fail("launch.argument", where, "argument " + std::to_string(argument.of) + " is no buffer to point into");
    if (argument.offset_bytes > arguments[argument.of].bytes.size())
      return fail("launch.argument", where,
                  "points behind the " + grouped(arguments[argument.of].bytes.size()) + " bytes of argument " +
                      std::to_string(argument.of));
  }
  return {};
}

/// The buffers of a launch in device memory, gone when this object is.
class DeviceBuffers {
 public:
  explicit DeviceBuffers(machine::Memory& memory) : memory_(memory) {}
  DeviceBuffers(const DeviceBuffers&) = delete;
  DeviceBuffers& operator=(const DeviceBuffers&) = delete;
  ~DeviceBuffers() {
    for (const std::uint64_t address : addresses_)
      if (address != 0) memory_.free(address);
  }

  Result<void> fill(const std::vector<KernelArgument>& arguments) {
    for (const KernelArgument& argument : arguments) {
      addresses_.push_back(0);
      if (argument.kind != KernelArgument::Kind::buffer) continue;
      const std::uint64_t address = memory_.allocate(argument.bytes.size(), machine::MemoryKind::device);
      if (address == 0)
        return fail("launch.memory", "argument " + std::to_string(addresses_.size() - 1),
                    "no device memory is left for its " + grouped(argument.bytes.size()) + " bytes");
      addresses_.back() = address;
      std::copy(argument.bytes.begin(), argument.bytes.end(), reinterpret_cast<std::byte*>(address));
    }
    return {};
  }

  std::uint64_t operator[](std::size_t argument) const { return addresses_[argument]; }

  std::vector<std::byte> content(std::size_t argument, std::size_t bytes) const {
    const auto* first = reinterpret_cast<const std::byte*>(addresses_[argument]);
    return first ? std::vector<std::byte>(first, first + bytes) : std::vector<std::byte>{};
  }

 private:
  machine::Memory& memory_;
  std::vector<std::uint64_t> addresses_;  ///< by argument; 0: no buffer
};

std::vector<std::byte> parameter_block(const std::vector<KernelArgument>& arguments, const image::Function& function,
                                       const DeviceBuffers& buffers) {
  std::vector<std::byte> block(function.parameter_bytes);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const KernelArgument& argument = arguments[i];
    std::byte* place = block.data() + function.parameters[i].offset_bytes;
    if (argument.kind == KernelArgument::Kind::value) {
      std::copy(argument.bytes.begin(), argument.bytes.end(), place);
      continue;
    }
    const bool own = argument.kind == KernelArgument::Kind::buffer;
    const std::uint64_t address = own ? buffers[i] : buffers[argument.of] + argument.offset_bytes;
    std::memcpy(place, &address, sizeof address);
  }
  return block;
}

}  // namespace

struct KernelLauncher::State {
  std::string name;
  std::vector<std::byte> fatbin;  ///< what the engine reads
  std::string printed;
  std::vector<report::Record> records;  ///< of the engine since the last launch
  findings::ProgramReport loading;      ///< what was said of the code: it concerns every launch
  std::optional<Engine> engine;
  machine::Module* module = nullptr;

  void move_records(findings::ProgramReport& report) {
    for (report::Record& record : records) {
      if (auto* launch = std::get_if<findings::LaunchReport>(&record.content)) {
        report.launches.push_back(std::move(*launch));
        report.launches.back().id = report.launches.size() - 1;
      } else if (auto* problem = std::get_if<Diagnostic>(&record.content)) {
        (problem->severity == Severity::error ? report.problems : report.notes).push_back(std::move(*problem));
      } else {
        ++report.filtered_launches;
      }
    }
    records.clear();
  }
};

KernelLauncher::KernelLauncher(std::unique_ptr<State> state) : state_(std::move(state)) {}
KernelLauncher::KernelLauncher(KernelLauncher&&) noexcept = default;
KernelLauncher& KernelLauncher::operator=(KernelLauncher&&) noexcept = default;
KernelLauncher::~KernelLauncher() = default;

Result<KernelLauncher> KernelLauncher::load(image::Bytes code, const std::string& name, EngineOptions options) {
  auto state = std::make_unique<State>();
  State& s = *state;
  s.name = name;
  auto fatbin = image::fatbin_of_file(code, name);
  if (!fatbin) return tl::unexpected(fatbin.error());
  s.fatbin = std::move(*fatbin);
  s.engine.emplace(std::move(options),
                   machine::HostServices{.print = [&s](std::string_view text) { s.printed += text; }});
  if (s.engine->setup_error()) return tl::unexpected(*s.engine->setup_error());
  s.engine->tell_records([&s](const report::Record& record) { s.records.push_back(record); });
  auto module = s.engine->module(s.engine->add_fatbin({{image::Bytes(s.fatbin)}, name}));
  if (!module) return tl::unexpected(module.error());
  s.module = *module;
  s.loading.command = {name};
  s.move_records(s.loading);
  return KernelLauncher(std::move(state));
}

unsigned KernelLauncher::architecture() const { return state_->engine->architecture(); }

std::vector<KernelSignature> KernelLauncher::kernels() const { return signatures_of(state_->module->cubin); }

Result<KernelSignature> KernelLauncher::kernel(std::string_view name) const {
  const image::Cubin& cubin = state_->module->cubin;
  return choose_kernel(cubin, name).map([&](std::uint32_t index) {
    const auto all = signatures_of(cubin);
    return *std::find_if(all.begin(), all.end(),
                         [&](const auto& one) { return one.symbol == cubin.functions[index].symbol; });
  });
}

Result<KernelResult> KernelLauncher::launch(const KernelLaunch& launch, const std::string& source_root) {
  State& s = *state_;
  auto index = choose_kernel(s.module->cubin, launch.kernel);
  if (!index) return tl::unexpected(index.error());
  const image::Function& function = s.module->cubin.functions[*index];
  const auto fits = check_size(launch, function, architecture()).and_then([&] {
    return check_arguments(launch.arguments, function);
  });
  if (!fits) return tl::unexpected(fits.error());
  DeviceBuffers buffers(s.engine->device().memory());
  if (auto filled = buffers.fill(launch.arguments); !filled) return tl::unexpected(filled.error());

  machine::LaunchRequest request{.module = s.module, .function = *index};
  const auto cluster = cluster_of(launch, function);
  std::copy_n(launch.grid.begin(), 3, request.grid);
  std::copy_n(launch.block.begin(), 3, request.block);
  std::copy_n(cluster.begin(), 3, request.cluster);
  request.clustered = launch.cluster[0] != 0;
  request.cooperative = launch.cooperative;
  request.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  request.parameters = parameter_block(launch.arguments, function, buffers);
  const auto room = block_room(device_limits(architecture()), product(launch.block), function.registers);
  s.printed.clear();
  const auto outcome = s.engine->launch(std::move(request), room);

  KernelResult result;
  result.report = s.loading;
  s.move_records(result.report);
  if (outcome) result.report.seconds = outcome->seconds;
  findings::make_files_relative(result.report.launches, source_root);
  result.report.findings = findings::findings_of(result.report.launches);
  for (std::size_t i = 0; i < launch.arguments.size(); ++i)
    result.buffers.push_back(buffers.content(i, launch.arguments[i].bytes.size()));
  result.printed = std::move(s.printed);
  return result;
}

}  // namespace lanebank::session
