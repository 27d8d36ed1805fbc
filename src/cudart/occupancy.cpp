#include "cudart/occupancy.hpp"

#include <algorithm>

namespace lanebank::cudart {
namespace {

constexpr unsigned warp_threads = 32;

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

std::uint64_t number(const DeviceModel& model, AttributeNumber attribute) {
  return static_cast<std::uint64_t>(model.attribute(attribute));
}

std::uint64_t warps_by_registers(const DeviceModel& model, const image::Function& function) {
  const std::uint64_t of_a_warp =
      round_up(std::uint64_t{warp_threads} * std::max(function.registers, 1u), model.register_unit);
  return number(model, attribute_registers_per_multiprocessor) / of_a_warp / model.warp_unit * model.warp_unit;
}

/// Blocks that a multiprocessor holds as far as threads and registers go.
std::uint64_t blocks_beside_shared(const DeviceModel& model, const image::Function& function, std::uint64_t threads) {
  const std::uint64_t warps = (threads + warp_threads - 1) / warp_threads;
  return std::min({number(model, attribute_blocks_per_multiprocessor),
                   number(model, attribute_threads_per_multiprocessor) / warp_threads / warps,
                   warps_by_registers(model, function) / warps});
}

}  // namespace

unsigned max_threads(const DeviceModel& model, const image::Function& function) {
  std::uint64_t threads =
      std::min(number(model, attribute_max_threads_per_block), warps_by_registers(model, function) * warp_threads);
  if (function.max_threads_per_block != 0) threads = std::min<std::uint64_t>(threads, function.max_threads_per_block);
  return static_cast<unsigned>(threads);
}

unsigned active_blocks(const DeviceModel& model, const image::Function& function, std::uint64_t threads,
                       std::uint64_t dynamic_shared_bytes) {
  if (threads == 0 || threads > number(model, attribute_max_threads_per_block)) return 0;
  const std::uint64_t shared =
      round_up(function.static_shared_bytes + dynamic_shared_bytes + number(model, attribute_reserved_shared_per_block),
               model.shared_unit_bytes);
  std::uint64_t blocks = blocks_beside_shared(model, function, threads);
  if (shared != 0) blocks = std::min(blocks, number(model, attribute_shared_per_multiprocessor) / shared);
  return static_cast<unsigned>(blocks);
}

findings::BlockRoom block_room(const DeviceModel& model, const image::Function& function, std::uint64_t threads) {
  findings::BlockRoom room;
  if (threads == 0) return room;
  const auto bytes = [&](AttributeNumber attribute) { return static_cast<std::uint32_t>(model.attribute(attribute)); };
  room.block_bytes = bytes(attribute_shared_per_block_optin);
  room.multiprocessor_bytes = bytes(attribute_shared_per_multiprocessor);
  room.reserved_bytes = bytes(attribute_reserved_shared_per_block);
  room.unit_bytes = model.shared_unit_bytes;
  room.other_blocks = static_cast<std::uint32_t>(blocks_beside_shared(model, function, threads));
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
