// The work of a launch, counted: what its instructions ask of the parts of a GPU. Shared memory's wavefronts stand in
// LaunchReport::shared. From these the bottleneck estimate is made (src/advise/bottleneck.hpp).
//
// Sectors are 32 aligned bytes of global memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace lanebank::findings {

enum class Pipe : std::uint8_t {
#define LANEBANK_PIPE(identifier, spelled, meaning) identifier,
#include "findings/pipes.def"
#undef LANEBANK_PIPE
};

enum class TensorKind : std::uint8_t {
#define LANEBANK_TENSOR_KIND(identifier, spelled, meaning) identifier,
#include "findings/tensor_kinds.def"
#undef LANEBANK_TENSOR_KIND
};

inline constexpr std::string_view pipe_names[] = {
#define LANEBANK_PIPE(identifier, spelled, meaning) spelled,
#include "findings/pipes.def"
#undef LANEBANK_PIPE
};

inline constexpr std::string_view tensor_kind_names[] = {
#define LANEBANK_TENSOR_KIND(identifier, spelled, meaning) spelled,
#include "findings/tensor_kinds.def"
#undef LANEBANK_TENSOR_KIND
};

inline constexpr std::size_t pipe_count = std::size(pipe_names);
inline constexpr std::size_t tensor_kind_count = std::size(tensor_kind_names);

/// What a launch reads and writes beyond shared memory.
struct GlobalWork {
  std::uint64_t requests = 0;  ///< global loads, stores and atomics executed by warps, cp.async included
  std::uint64_t sectors = 0;   ///< of those requests, each request's different ones: what passes through L1
  std::uint64_t l2_read_sectors =
      0;  ///< reads of L2 where every block reads each sector once (an L1 that loses nothing)
  std::uint64_t l2_write_sectors = 0;   ///< stores and atomics: L1 writes through
  std::uint64_t dram_read_bytes = 0;    ///< different sectors read in the launch: read from DRAM by a cold L2
  std::uint64_t dram_write_bytes = 0;   ///< different sectors written
  std::uint64_t engine_read_bytes = 0;  ///< bulk and tensor copies from global memory; counted in the DRAM bytes too
  std::uint64_t engine_write_bytes = 0;
  friend bool operator==(const GlobalWork&, const GlobalWork&) = default;
};

struct Work {
  std::uint32_t registers = 0;                         ///< per thread
  std::array<std::uint64_t, pipe_count> pipes{};       ///< warp instructions by Pipe
  std::array<std::uint64_t, tensor_kind_count> mma{};  ///< multiply-adds by TensorKind of products by warps (mma)
  std::array<std::uint64_t, tensor_kind_count> warpgroup_mma{};  ///< of products by warpgroups (wgmma)
  std::uint64_t uncounted_products = 0;                          ///< 4-bit and binary ones, warp instructions
  GlobalWork global;

  std::uint64_t of(Pipe pipe) const { return pipes[static_cast<std::size_t>(pipe)]; }
  friend bool operator==(const Work&, const Work&) = default;
};

}  // namespace lanebank::findings
