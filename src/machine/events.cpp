// Out of line: sources that are compiled once per SIMD level must not hold copies of these.
#include "machine/events.hpp"

namespace lanebank::machine {

Recorder::~Recorder() = default;
void Recorder::shared_access(const WarpPlace&, const SharedAccess&) {}
void Recorder::global_access(const WarpPlace&, const GlobalAccess&) {}
void Recorder::global_range(const WarpPlace&, const GlobalRange&) {}
void Recorder::sync(const WarpPlace&, const SyncEvent&) {}
void Recorder::bulk_copy(const WarpPlace&, const BulkCopy&) {}
void Recorder::barrier_released(std::uint64_t, std::uint32_t) {}
void Recorder::block_begins(std::uint64_t) {}
void Recorder::block_ends(std::uint64_t) {}

}  // namespace lanebank::machine
