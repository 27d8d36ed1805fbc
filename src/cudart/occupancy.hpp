// How much of a multiprocessor a kernel takes, by the rules of base/occupancy.hpp and the limits of the device that programs see.
#pragma once

#include <cstdint>

#include "cudart/device_model.hpp"
#include "cudart/registry.hpp"
#include "findings/access_log.hpp"
#include "image/cubin.hpp"

namespace lanebank::cudart {

/// Threads of the largest block that the registers allow, launch bounds included; a multiple of 32.
unsigned max_threads(const DeviceModel& model, const image::Function& function);

/// Blocks of `threads` threads that a multiprocessor holds at once.
unsigned active_blocks(const DeviceModel& model, const image::Function& function, std::uint64_t threads,
                       std::uint64_t dynamic_shared_bytes);

/// What a multiprocessor has for blocks of `threads` threads.
findings::BlockRoom block_room(const DeviceModel& model, const image::Function& function, std::uint64_t threads);

/// Largest dynamic shared memory of a launch: 48 KiB less the static part unless cudaFuncSetAttribute raised
/// or lowered it.
std::uint64_t max_dynamic_shared_bytes(const DeviceModel& model, const Kernel& kernel, const image::Function& function);

/// Dynamic shared memory that each of `blocks` blocks can have at once.
std::uint64_t available_shared_bytes(const DeviceModel& model, const image::Function& function, unsigned blocks);

}  // namespace lanebank::cudart
