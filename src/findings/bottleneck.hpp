// What bounds the time of a launch on a GPU, estimated from its counted work (src/advise/bottleneck.hpp says how).
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace lanebank::findings {

enum class Limit : std::uint8_t {
#define LANEBANK_LIMIT(identifier, spelled, words, meaning) identifier,
#include "findings/limits.def"
#undef LANEBANK_LIMIT
};

struct LimitName {
  std::string_view spelled, words;
};

inline constexpr LimitName limit_names[] = {
#define LANEBANK_LIMIT(identifier, spelled, words, meaning) {spelled, words},
#include "findings/limits.def"
#undef LANEBANK_LIMIT
};

constexpr LimitName name_of(Limit limit) { return limit_names[static_cast<std::size_t>(limit)]; }

struct LimitTime {
  Limit limit = Limit::dram;
  double seconds = 0;  ///< if nothing else took time
};

struct Bottleneck {
  std::string gpu;                ///< the table's id: "h200"
  std::string gpu_name;           ///< "NVIDIA H200 (SXM)"
  bool calibrated = false;        ///< the cost of an excess wavefront was measured on this architecture
  std::vector<LimitTime> limits;  ///< longest first, those of no time left out
  Limit binds = Limit::dram;      ///< the first of them
  double seconds = 0;             ///< lower bound of the launch: the longest limit
  double excess_seconds = 0;      ///< what the excess wavefronts take of the shared-memory limit
  double clean_seconds = 0;       ///< the lower bound without them
  std::uint64_t resident_blocks = 0;  ///< of a multiprocessor at once; 0: the block does not fit this GPU
  std::uint64_t resident_warps = 0, most_warps = 0;
  double waves = 0;                ///< blocks of the grid / blocks that the GPU holds at once
  double balance = 1;              ///< blocks of a multiprocessor on average / of the one that has most
  std::vector<std::string> notes;  ///< what the work holds and the estimate does not

  /// Share of the time that removing the excess saves, where all limits overlap; and at most, where nothing does.
  double saved() const { return seconds > 0 ? 1 - clean_seconds / seconds : 0; }
  double saved_at_most() const { return seconds > 0 ? excess_seconds / seconds : 0; }
};

}  // namespace lanebank::findings
