// The device that programs see: a believable card of each architecture.
#pragma once

#include <cstdint>

#include "cudart/abi.hpp"

namespace lanebank::cudart {

/// Numbers of cudaDeviceAttr that the runtime itself looks at.
enum AttributeNumber : int {
  attribute_max_threads_per_block = 1,
  attribute_shared_per_block = 8,
  attribute_registers_per_block = 12,
  attribute_multiprocessors = 16,
  attribute_threads_per_multiprocessor = 39,
  attribute_shared_per_multiprocessor = 81,
  attribute_registers_per_multiprocessor = 82,
  attribute_shared_per_block_optin = 97,
  attribute_blocks_per_multiprocessor = 106,
  attribute_reserved_shared_per_block = 111,
  attribute_cluster_launch = 120,
};

struct DeviceModel {
  unsigned architecture = 90;
  const char* name = "";
  std::uint64_t memory_bytes = 0;
  unsigned shared_unit_bytes = 128;  ///< shared memory is handed out in these
  unsigned register_unit = 256;      ///< registers of a warp are handed out in these
  unsigned warp_unit = 4;            ///< warps of a multiprocessor are spread over so many partitions
  std::uint32_t max_grid[3] = {2147483647, 65535, 65535}, max_block[3] = {1024, 1024, 64};

  /// An attribute by its number; `known` is false for numbers that no attribute has.
  int attribute(int number) const;
  static bool known(int number);
  abi::DeviceProp properties() const;
};

/// The device of an architecture; of the newest older one when it has none of its own.
const DeviceModel& device_model(unsigned architecture);

/// Defaults of cudaDeviceGetLimit by number, as measured on an H200; 0: not supported.
inline constexpr std::size_t default_limits[8] = {1024, 8650752, 8388608, 0, 2048, 64, 11796480, 232448};

/// "0000:00:06.0"
inline constexpr const char* pci_bus_id = "0000:00:06.0";

}  // namespace lanebank::cudart
