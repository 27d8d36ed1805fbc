#include "session/influence.hpp"

#include <algorithm>
#include <cstring>

namespace lanebank::session {
namespace {

constexpr std::uint8_t other_fill = 0xc5;  // no small number, no NaN

void* pointer(const machine::Allocation& allocation) { return reinterpret_cast<void*>(allocation.address); }

bool same_counts(const machine::LaunchOutcome& a, const machine::LaunchOutcome& b) {
  if (a.fault.has_value() != b.fault.has_value()) return false;
  return std::equal(a.counts.begin(), a.counts.end(), b.counts.begin(), b.counts.end(),
                    [](const machine::Count& x, const machine::Count& y) {
                      return x.executed == y.executed && x.threads == y.threads;
                    });
}

}  // namespace

MemoryImage::MemoryImage(const machine::Memory& memory) {
  for (const machine::Allocation& allocation : memory.live()) {
    Piece piece{allocation, std::vector<std::byte>(allocation.bytes)};
    std::memcpy(piece.bytes.data(), pointer(allocation), piece.bytes.size());
    pieces_.push_back(std::move(piece));
  }
}

void MemoryImage::restore(machine::Memory& memory) const {
  for (const machine::Allocation& allocation : memory.live()) {
    const bool known = std::any_of(pieces_.begin(), pieces_.end(),
                                   [&](const Piece& piece) { return piece.allocation.address == allocation.address; });
    if (!known) memory.free(allocation.address);
  }
  for (const Piece& piece : pieces_) std::memcpy(pointer(piece.allocation), piece.bytes.data(), piece.bytes.size());
}

bool MemoryImage::operator==(const MemoryImage& other) const {
  return std::equal(pieces_.begin(), pieces_.end(), other.pieces_.begin(), other.pieces_.end(),
                    [](const Piece& a, const Piece& b) {
                      return a.allocation.address == b.allocation.address && a.bytes == b.bytes;
                    });
}

bool initial_bytes_matter(machine::Device& device, const machine::LaunchRequest& request,
                          const machine::LaunchOutcome& outcome, const MemoryImage& before) {
  const MemoryImage after(device.memory());
  before.restore(device.memory());
  machine::LaunchRequest again = request;
  again.shared_fill = other_fill;
  again.silent = true;
  const auto repeated = device.launch(again, {});
  const bool matters = !repeated || !same_counts(*repeated, outcome) || !(MemoryImage(device.memory()) == after);
  after.restore(device.memory());
  return matters;
}

}  // namespace lanebank::session
