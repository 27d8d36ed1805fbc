#include <algorithm>
#include <string>

#include "machine/lanes/texture_object.hpp"

namespace lanebank::machine {

namespace {

std::string hex(std::uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string byte_count(unsigned bytes) { return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes"); }

}  // namespace

bool find_allocation(const LaunchState& launch, std::uint64_t address, std::uint64_t count, Worker::Hit& hit) {
  const auto allocation = launch.device->memory().find(address);
  if (!allocation || !allocation->contains(address, count)) return false;
  hit = {allocation->address, allocation->address + allocation->bytes};
  return true;
}

const Operation* global_fault(Warp& w, const Operation* op, unsigned lane, std::uint64_t address, unsigned bytes,
                              bool is_store) {
  std::string text = std::string(is_store ? "store" : "load") + " of " + byte_count(bytes) + " at " + hex(address) +
                     ", which no allocation holds";
  if (const auto near = w.launch->device->memory().nearest(address)) {
    const std::uint64_t end = near->address + near->bytes;
    if (address >= end)
      text += "; " + std::to_string(address - end) + " bytes behind the end of";
    else if (address >= near->address)
      text += "; it leaves";
    else
      text += "; " + std::to_string(near->address - address) + " bytes before the start of";
    text += " the allocation of " + std::to_string(near->bytes) + " bytes at " + hex(near->address);
  }
  return raise_fault(w, op, Fault::Kind::illegal_address, lane, address, std::move(text));
}

const Operation* misaligned_fault(Warp& w, const Operation* op, unsigned lane, std::uint64_t address, unsigned bytes) {
  return raise_fault(w, op, Fault::Kind::misaligned_address, lane, address,
                     "access of " + byte_count(bytes) + " at " + hex(address) + ", which is not a multiple of " +
                         std::to_string(bytes));
}

const Operation* shared_fault(Warp& w, const Operation* op, unsigned lane, std::uint32_t window_address,
                              unsigned bytes) {
  // Addresses of a cluster carry the rank of a block above bit 24.
  const std::uint32_t rank = window_address >> 24;
  const bool other = rank != w.block->cluster_rank && rank < w.block->cluster.size();
  const std::uint32_t window = other ? w.launch->facts->shared_window_base + (rank << 24) : w.shared_window;
  const auto offset = static_cast<std::int64_t>(static_cast<std::int32_t>(window_address - window));
  return raise_fault(w, op, Fault::Kind::shared_out_of_bounds, lane, window_address,
                     "shared-memory access of " + byte_count(bytes) + " at byte " + std::to_string(offset) +
                         " of the " + std::to_string(w.shared_bytes) + " bytes of " +
                         (other ? "block " + std::to_string(rank) + " of the cluster" : "the block"));
}

const Operation* local_fault(Warp& w, const Operation* op, unsigned lane, std::uint32_t address, unsigned bytes) {
  const bool below = static_cast<std::int32_t>(address) < 0;
  return raise_fault(w, op, below ? Fault::Kind::stack_overflow : Fault::Kind::local_out_of_bounds, lane, address,
                     below ? "the stack of the thread is used up"
                           : "local-memory access of " + byte_count(bytes) + " at byte " + std::to_string(address) +
                                 " of the thread's " + std::to_string(w.local_bytes));
}

const Operation* texture_fault(Warp& w, const Operation* op, unsigned lane, std::uint32_t handle,
                               const TextureObject* object) {
  if (object == nullptr)
    return raise_fault(w, op, Fault::Kind::trap, lane, handle,
                       hex(handle) + " is no texture or surface object that this instruction can read");
  return raise_fault(w, op, Fault::Kind::illegal_address, lane, object->image.address,
                     "the memory of texture or surface object " + hex(handle) +
                         " does not lie in one allocation: it was freed, or is smaller than the object says");
}

const Operation* surface_fault(Warp& w, const Operation* op, unsigned lane, const Image& image,
                               const std::int64_t (&at)[3], unsigned bytes) {
  std::string text = "surface access of " + byte_count(bytes) + " at byte " + std::to_string(at[0]) + " of row " +
                     std::to_string(at[1]) + ", slice or layer " + std::to_string(at[2]) + "; the surface has " +
                     std::to_string(image.width * image.format.bytes()) + " bytes, " + std::to_string(image.height) +
                     " rows, " + std::to_string(std::max(image.depth, image.layers)) + " slices or layers";
  return raise_fault(w, op, Fault::Kind::illegal_address, lane, static_cast<std::uint64_t>(at[0]), std::move(text));
}

}  // namespace lanebank::machine
