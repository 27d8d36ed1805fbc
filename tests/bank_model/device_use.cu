// The bank model in device code: compiled, so that every function of it is emitted for the device too.
#include <lanebank/bank_model.hpp>

/// One thread: what do the 32 addresses cost, and how many words meet in the worst bank of the first group?
__global__ void wavefronts_of(const unsigned* addresses, const unsigned long long* sources, unsigned kind, unsigned lane_bytes,
                              unsigned sm, unsigned* out) {
  lanebank::Access access;
  access.kind = static_cast<lanebank::AccessKind>(kind);
  access.lane_bytes = lane_bytes;
  std::uint64_t from[lanebank::lanes_per_warp];
  for (unsigned lane = 0; lane < lanebank::lanes_per_warp; ++lane) {
    access.addresses[lane] = addresses[lane];
    from[lane] = sources[lane];
  }
  lanebank::set_sources(access, from);
  const lanebank::Cost cost = lanebank::cost(access, sm);
  out[0] = cost.modelled ? cost.wavefronts : static_cast<unsigned char>(cost.reason[0]);
  out[1] = cost.excess();
  out[2] = lanebank::collision(access, cost.groups[0]).word_count;
}

__global__ void column(unsigned* out) {
  constexpr lanebank::Cost cost = lanebank::cost(lanebank::strided_access(lanebank::AccessKind::load, 4, 128));
  static_assert(cost.wavefronts == 32, "a constant of the device code");
  *out = cost.wavefronts;
}
