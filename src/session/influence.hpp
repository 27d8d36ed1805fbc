// Whether what a kernel reads uninitialised matters: the launch is repeated from the same memory, with other bytes in shared memory
// when blocks begin. If it stores something else, or executes something else, it does.
#pragma once

#include <cstddef>
#include <vector>

#include "machine/device.hpp"

namespace lanebank::session {

/// The content of all device memory.
class MemoryImage {
 public:
  explicit MemoryImage(const machine::Memory& memory);
  /// Puts the content back; allocations that came since are freed.
  void restore(machine::Memory& memory) const;
  /// Whether both hold the same allocations with the same bytes.
  bool operator==(const MemoryImage& other) const;

 private:
  struct Piece {
    machine::Allocation allocation;
    std::vector<std::byte> bytes;
  };
  std::vector<Piece> pieces_;
};

/// `before`: memory as it was before the launch whose outcome is given; it is as after that launch now, and again after this call.
/// Results depend on the order of threads where a program's do, so the device should have one job.
bool initial_bytes_matter(machine::Device& device, const machine::LaunchRequest& request,
                          const machine::LaunchOutcome& outcome, const MemoryImage& before);

}  // namespace lanebank::session
