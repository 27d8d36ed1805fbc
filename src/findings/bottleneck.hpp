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
  std::string gpu;                    ///< the table's id: "h200"
  std::string gpu_name;               ///< "NVIDIA H200 (SXM)"
  bool calibrated = false;            ///< excess_wait_seconds rests on measurements of this architecture
  std::vector<LimitTime> limits;      ///< longest first, those of no time left out
  Limit binds = Limit::dram;          ///< the first of them
  double seconds = 0;                 ///< lower bound of the launch: the longest limit
  double clean_seconds = 0;           ///< the lower bound without the excess wavefronts
  double excess_wait_seconds = 0;     ///< what warps may have waited for those: removing them saves no more
  std::uint64_t resident_blocks = 0;  ///< of a multiprocessor at once; 0: the block does not fit this GPU
  std::uint64_t resident_warps = 0, most_warps = 0;
  double waves = 0;                ///< blocks of the grid / blocks that the GPU holds at once
  double balance = 1;              ///< blocks of a multiprocessor on average / of the one that has most
  std::vector<std::string> notes;  ///< what the work holds and the estimate does not

  /// Time that removing the excess saves where all limits overlap and nothing else delays the launch.
  double saved_seconds() const { return seconds - clean_seconds; }
};

}  // namespace lanebank::findings
