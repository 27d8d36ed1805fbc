#include "cudart/registry.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "cudart/process.hpp"
#include "image/fatbin.hpp"

namespace lanebank::cudart {
namespace {

/// What __cudaRegisterFatBinary is given, in the program's .nvFatBinSegment.
struct FatbinWrapper {
  std::uint32_t magic, version;
  const void* data;
  const void* const* linked;  ///< version 2: containers of the translation units, null at the end
};
constexpr std::uint32_t wrapper_magic = 0x466243b1;

std::string object_of(const void* address) {
  Dl_info info;
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return "the program";
  return info.dli_fname;
}

Result<session::FatbinImage> image_of(const void* host) {
  FatbinWrapper wrapper;
  std::memcpy(&wrapper, host, sizeof wrapper);
  session::FatbinImage image{.containers = {}, .program = object_of(host)};
  if (wrapper.magic != wrapper_magic || wrapper.version < 1 || wrapper.version > 2)
    return fail("fatbin.wrapper", image.program, "registers device code in a form that lanebank does not know",
                "Build it with nvcc of CUDA 12 or 13.");
  std::vector<const void*> containers{wrapper.data};
  if (wrapper.version == 2 && wrapper.linked != nullptr)
    for (const void* const* next = wrapper.linked; *next != nullptr; ++next) containers.push_back(*next);
  for (const void* container : containers) {
    auto bytes = image::fatbin_size(container);
    if (!bytes) {
      Diagnostic diagnostic = bytes.error();
      diagnostic.where = image.program + (diagnostic.where.empty() ? "" : ", ") + diagnostic.where;
      return tl::unexpected(diagnostic);
    }
    image.containers.emplace_back(static_cast<const std::byte*>(container), *bytes);
  }
  return image;
}

}  // namespace

void Registry::refresh(session::Engine& engine) {
  std::lock_guard lock(mutex_);
  refresh_locked(engine);
}

void Registry::refresh_locked(session::Engine& engine) {
  std::vector<lanebank_registration> records;
  lanebank_registration room[64];
  while (const std::size_t count = shim->registrations(taken_ + records.size(), room, std::size(room)))
    records.insert(records.end(), room, room + count);
  if (records.empty()) return;
  // The memory of a fatbin that ended in the meantime is gone: it must not be looked at.
  std::vector<bool> ends_later(records.size());
  std::set<void**> ended;
  for (std::size_t i = records.size(); i-- > 0;) {
    ends_later[i] = ended.contains(records[i].fatbin);
    if (records[i].kind == lanebank_unregisters_fatbin) ended.insert(records[i].fatbin);
    if (records[i].kind == lanebank_registers_fatbin) ended.erase(records[i].fatbin);
  }
  taken_ += records.size();
  for (std::size_t i = 0; i < records.size(); ++i) take(engine, records[i], ends_later[i]);
}

void Registry::take(session::Engine& engine, const lanebank_registration& record, bool ends_later) {
  if (record.kind == lanebank_unregisters_fatbin) {
    auto known = fatbins_.find(record.fatbin);
    if (known == fatbins_.end()) return;
    const std::size_t fatbin = known->second;
    fatbins_.erase(known);
    forget(engine, fatbin);
    return;
  }
  if (ends_later) return;
  if (record.kind == lanebank_registers_fatbin) return take_fatbin(engine, record);
  auto known = fatbins_.find(record.fatbin);
  if (known == fatbins_.end() || record.name == nullptr) return;
  if (record.kind == lanebank_registers_kernel) {
    auto kernel = std::make_shared<Kernel>();
    kernel->host = record.host;
    kernel->fatbin = known->second;
    kernel->symbol = record.name;
    kernels_[record.host] = std::move(kernel);
    return;
  }
  auto variable = std::make_shared<Variable>();
  variable->fatbin = known->second;
  variable->symbol = record.name;
  variable->managed = record.kind == lanebank_registers_managed;
  if (variable->managed)
    managed_.push_back({static_cast<void**>(const_cast<void*>(record.host)), variable});
  else
    variables_[record.host] = std::move(variable);
}

void Registry::take_fatbin(session::Engine& engine, const lanebank_registration& record) {
  auto image = image_of(record.host);
  if (!image) {
    Process::get().tell_unless_reported(image.error());
    engine.cannot_analyse(image.error());
    image = session::FatbinImage{.containers = {}, .program = object_of(record.host)};
  }
  fatbins_[record.fatbin] = engine.add_fatbin(std::move(*image));
}

void Registry::forget(session::Engine& engine, std::size_t fatbin) {
  std::erase_if(kernels_, [&](const auto& entry) { return entry.second->fatbin == fatbin; });
  std::erase_if(variables_, [&](const auto& entry) { return entry.second->fatbin == fatbin; });
  std::erase_if(managed_, [&](const Managed& entry) { return entry.variable->fatbin == fatbin; });
  engine.remove_fatbin(fatbin);
}

void Registry::remove_fatbin(session::Engine& engine, std::size_t fatbin) {
  std::lock_guard lock(mutex_);
  forget(engine, fatbin);
}

std::shared_ptr<Kernel> Registry::kernel(session::Engine& engine, const void* host) {
  std::lock_guard lock(mutex_);
  refresh_locked(engine);
  auto entry = kernels_.find(host);
  if (entry == kernels_.end()) return nullptr;
  const std::shared_ptr<Kernel>& kernel = entry->second;
  if (!kernel->code) {
    for (const Managed& managed : managed_)
      if (managed.variable->fatbin == kernel->fatbin && !managed.variable->found) found(engine, *managed.variable);
    kernel->code = engine.kernel(kernel->fatbin, kernel->symbol);
    if (!*kernel->code) {
      engine.cannot_analyse(kernel->code->error());
      Process::get().tell_unless_reported(kernel->code->error());
    }
  }
  return kernel;
}

const Result<std::pair<std::uint64_t, std::uint64_t>>& Registry::found(session::Engine& engine, Variable& variable) {
  if (!variable.found) {
    variable.found = engine.variable(variable.fatbin, variable.symbol);
    if (!*variable.found) tell(to_string(variable.found->error()));
  }
  for (Managed& managed : managed_)
    if (managed.variable.get() == &variable && *variable.found) {
      *managed.pointer = reinterpret_cast<void*>((*variable.found)->first);
      variables_[*managed.pointer] = managed.variable;
    }
  return *variable.found;
}

std::shared_ptr<Variable> Registry::variable(session::Engine& engine, const void* host) {
  std::lock_guard lock(mutex_);
  refresh_locked(engine);
  auto entry = variables_.find(host);
  if (entry == variables_.end()) {
    // A managed variable is named by its address, which host code has only once it is placed; before that
    // it is named by the pointer itself.
    auto managed = std::find_if(managed_.begin(), managed_.end(), [&](const Managed& m) { return m.pointer == host; });
    if (managed == managed_.end()) return nullptr;
    found(engine, *managed->variable);
    return managed->variable;
  }
  found(engine, *entry->second);
  return entry->second;
}

void Registry::place_managed(session::Engine& engine, void** handle) {
  std::lock_guard lock(mutex_);
  refresh_locked(engine);
  auto known = fatbins_.find(handle);
  if (known == fatbins_.end()) return;
  for (const Managed& managed : managed_)
    if (managed.variable->fatbin == known->second) found(engine, *managed.variable);
}

bool Registry::is_managed(const void* address) {
  std::lock_guard lock(mutex_);
  const auto first = reinterpret_cast<std::uint64_t>(address);
  return std::any_of(managed_.begin(), managed_.end(), [&](const Managed& managed) {
    const auto& found = managed.variable->found;
    return found && *found && first >= (*found)->first && first - (*found)->first < (*found)->second;
  });
}

std::shared_ptr<Kernel> Registry::add_kernel(std::size_t fatbin, std::string symbol) {
  std::lock_guard lock(mutex_);
  auto kernel = std::make_shared<Kernel>();
  kernel->host = kernel.get();
  kernel->fatbin = fatbin;
  kernel->symbol = std::move(symbol);
  kernels_[kernel->host] = kernel;
  return kernel;
}

}  // namespace lanebank::cudart
