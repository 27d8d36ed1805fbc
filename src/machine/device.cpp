#include "machine/device.hpp"

#include <algorithm>
#include <cstring>

#include "machine/externals.hpp"
#include "machine/launch_state.hpp"
#include "machine/worker_pool.hpp"

namespace lanebank::machine {

Module::Module() = default;
Module::~Module() = default;

Device::Device(const DeviceOptions& options, HostServices services)
    : options_(options),
      services_(std::move(services)),
      memory_(options.memory_bytes),
      pool_(std::make_unique<WorkerPool>()) {}

Device::~Device() = default;

Result<Module*> Device::load(image::Cubin cubin,
                             const std::function<std::optional<std::uint64_t>(std::string_view)>& external) {
  auto module = std::make_unique<Module>();
  const std::uint64_t alignment = std::max<std::uint64_t>(cubin.global_alignment_bytes, 256);
  auto place = [&](std::uint64_t bytes) {
    return bytes == 0 ? 0 : memory_.allocate(bytes, MemoryKind::module, alignment);
  };
  image::Placement placement;
  placement.code_address = code_window;
  placement.global_initialised_address = place(cubin.global_initialised.size());
  placement.global_zeroed_address = place(cubin.global_zeroed_bytes);
  placement.constant3_address = place(cubin.constant3.size());
  placement.external = [&](std::string_view symbol) -> std::optional<std::uint64_t> {
    if (auto address = external_address(symbol)) return address;
    return external ? external(symbol) : std::nullopt;
  };
  auto linked = image::link(cubin, placement);
  if (!linked) {
    for (std::uint64_t address :
         {placement.global_initialised_address, placement.global_zeroed_address, placement.constant3_address})
      if (address != 0) memory_.free(address);
    return tl::unexpected(linked.error());
  }
  module->linked = std::move(*linked);
  module->constant3_address = placement.constant3_address;
  auto copy = [](std::uint64_t address, const std::vector<std::byte>& bytes) {
    if (address != 0) std::memcpy(reinterpret_cast<void*>(address), bytes.data(), bytes.size());
  };
  copy(placement.global_initialised_address, module->linked.global_initialised);
  copy(placement.constant3_address, module->linked.constant3);
  for (const image::Variable& variable : cubin.variables) {
    const std::uint64_t base = variable.space == image::Variable::Space::constant ? placement.constant3_address
                               : variable.is_initialised                          ? placement.global_initialised_address
                                                                                  : placement.global_zeroed_address;
    module->variable_addresses.push_back(base + variable.offset_bytes);
  }
  module->programs.resize(cubin.functions.size());
  module->cubin = std::move(cubin);
  module->sections = {placement.global_initialised_address, placement.global_zeroed_address,
                      placement.constant3_address};
  modules_.push_back(std::move(module));
  return modules_.back().get();
}

void Device::unload(Module* module) {
  std::lock_guard lock(launch_mutex_);
  for (std::uint64_t address : module->sections)
    if (address != 0) memory_.free(address);
  std::erase_if(modules_, [&](const auto& owned) { return owned.get() == module; });
}

}  // namespace lanebank::machine
