#include "cudart/occupancy.hpp"

#include <algorithm>

#include "base/occupancy.hpp"

namespace lanebank::cudart {
namespace {

constexpr unsigned warp_threads = 32;

std::uint64_t number(const DeviceModel& model, AttributeNumber attribute) {
  return static_cast<std::uint64_t>(model.attribute(attribute));
}

MultiprocessorLimits limits_of(const DeviceModel& model) {
  return {.threads = number(model, attribute_threads_per_multiprocessor),
          .threads_of_a_block = number(model, attribute_max_threads_per_block),
          .blocks = number(model, attribute_blocks_per_multiprocessor),
          .registers = number(model, attribute_registers_per_multiprocessor),
          .shared_bytes = number(model, attribute_shared_per_multiprocessor),
          .reserved_shared_bytes = number(model, attribute_reserved_shared_per_block),
          .shared_unit_bytes = model.shared_unit_bytes,
          .register_unit = model.register_unit,
          .warp_unit = model.warp_unit};
}

}  // namespace

unsigned max_threads(const DeviceModel& model, const image::Function& function) {
  std::uint64_t threads = std::min(number(model, attribute_max_threads_per_block),
                                   warps_by_registers(limits_of(model), function.registers) * warp_threads);
  if (function.max_threads_per_block != 0) threads = std::min<std::uint64_t>(threads, function.max_threads_per_block);
  return static_cast<unsigned>(threads);
}

unsigned active_blocks(const DeviceModel& model, const image::Function& function, std::uint64_t threads,
                       std::uint64_t dynamic_shared_bytes) {
  return static_cast<unsigned>(
      resident_blocks(limits_of(model), {.threads = threads,
                                         .registers_per_thread = function.registers,
                                         .shared_bytes = function.static_shared_bytes + dynamic_shared_bytes}));
}

findings::BlockRoom block_room(const DeviceModel& model, const image::Function& function, std::uint64_t threads) {
  findings::BlockRoom room;
  if (threads == 0) return room;
  const auto bytes = [&](AttributeNumber attribute) { return static_cast<std::uint32_t>(model.attribute(attribute)); };
  room.block_bytes = bytes(attribute_shared_per_block_optin);
  room.multiprocessor_bytes = bytes(attribute_shared_per_multiprocessor);
  room.reserved_bytes = bytes(attribute_reserved_shared_per_block);
  room.unit_bytes = model.shared_unit_bytes;
  room.other_blocks = static_cast<std::uint32_t>(
      blocks_beside_shared(limits_of(model), {.threads = threads, .registers_per_thread = function.registers}));
  return room;
}

std::uint64_t max_dynamic_shared_bytes(const DeviceModel& model, const Kernel& kernel,
                                       const image::Function& function) {
  if (kernel.settings.max_dynamic_shared_bytes) return *kernel.settings.max_dynamic_shared_bytes;
  const std::uint64_t limit = number(model, attribute_shared_per_block);
  return limit - std::min<std::uint64_t>(limit, function.static_shared_bytes);
}

std::uint64_t available_shared_bytes(const DeviceModel& model, const image::Function& function, unsigned blocks) {
  const std::uint64_t share = std::min(
      number(model, attribute_shared_per_multiprocessor) / blocks / model.shared_unit_bytes * model.shared_unit_bytes,
      number(model, attribute_shared_per_block_optin));
  return share - std::min<std::uint64_t>(share, function.static_shared_bytes);
}

}  // namespace lanebank::cudart
