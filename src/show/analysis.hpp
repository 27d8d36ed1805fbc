// One instruction of one warp, taken apart by hand's method: which address bits vary between the lanes of a phase, which of
// them reach the bank field (bits 2..6), how many banks that leaves, and who meets where.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lanebank/bank_model.hpp"
#include "picture/picture.hpp"

namespace lanebank::show {

inline constexpr std::uint32_t bank_field = (bank_count - 1) * bank_bytes;  ///< address bits 2..6

/// Lanes that are served together.
struct Phase {
  Group group;
  unsigned lane_bytes = 4;
  std::uint32_t varying_bits = 0;  ///< address bits that differ between lanes of the phase
  unsigned banks = 0;              ///< banks that its lanes touch
  unsigned words = 0;              ///< different words that they touch
  Collision meeting;               ///< in the worst bank
  picture::BankLoads loads;
};

struct Analysis {
  Access access;
  Cost cost;
  std::vector<Phase> phases;                 ///< none where a rule does not look at addresses
  std::size_t worst = 0;                     ///< phase of the largest degree, the first
  std::optional<std::int64_t> stride_bytes;  ///< from each active lane to the next, where it is the same

  const Phase* worst_phase() const { return phases.empty() ? nullptr : &phases[worst]; }
};

Analysis analyse(const Access& access, unsigned architecture);

/// "lanes 0..31 read 32 different words of bank 0: a stride of 128 bytes". One sentence, without a full stop.
std::string why_text(const Analysis& analysis);

/// "bits 7..11 vary between its lanes; none of the bank field 2..6: 32 words in 1 bank".
std::string bits_text(const Phase& phase);

/// "2..6", "3, 5..7".
std::string bit_list(std::uint32_t bits);

/// What a lane does: "reads", "writes", "updates", "fills".
const char* verb_of(AccessKind kind);

}  // namespace lanebank::show
