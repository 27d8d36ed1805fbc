// The lanes' places of an access, warp by warp and turn by turn of the loops, and what they cost under a layout. Costs are
// lanebank::cost's.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "lanebank/bank_model.hpp"
#include "show/arrangement.hpp"
#include "show/statement.hpp"
#include "solve/problem.hpp"

namespace lanebank::show {

/// One instruction of one warp. Offsets are bytes in the array as it is written: row by row, from its first byte.
struct WarpPlaces {
  unsigned warp = 0;
  std::uint64_t turn = 0;
  std::uint32_t active = 0;
  std::array<std::uint32_t, lanes_per_warp> offsets{};
  std::array<std::uint32_t, lanes_per_warp> sources{};  ///< asynchronous copies
};

/// An access with all its instances.
struct Accesses {
  std::string name;
  std::string text;
  std::size_t array = 0;
  const solve::InstructionName* instruction = nullptr;
  unsigned lane_bytes = 4;
  std::uint64_t repeat = 1;  ///< how often all instances are executed
  std::vector<WarpPlaces> instances;
};

/// How the statement's threads are run.
struct Run {
  Block block;
  std::optional<unsigned> warp;                         ///< this one only
  std::uint32_t mask = 0xffffffffu;                     ///< lanes of every warp
  std::optional<Arithmetic> condition;                  ///< lanes where it is not 0
  unsigned vector = 1;                                  ///< elements per lane
  const solve::InstructionName* instruction = nullptr;  ///< where the statement says none; nullptr: ld
};

/// Evaluates the statement for every thread and turn. Addresses outside the array, negative or misaligned ones, and
/// widths that no instruction has are errors with the lane.
Result<Accesses> elaborate(const Statement& statement, const Scope& scope, const Array& array, const Run& run);

/// The array as a tile: rows x columns of its last dimension; where sizes are not known, rows of 128 bytes up to the
/// last byte that the accesses touch.
solve::Tile tile_of(const Array& array, const std::vector<Accesses>& all, std::size_t index);

/// What a layout makes of an access.
struct Figures {
  bool served = true;  ///< false: the layout tears its vectors apart, or misaligns them
  bool modelled = true;
  std::string why;                          ///< why not served or not modelled
  std::uint64_t wavefronts = 0, ideal = 0;  ///< of all instances
  unsigned worst_degree = 0;
  std::size_t worst = 0;  ///< the first instance with most wavefronts
  unsigned worst_wavefronts = 0, worst_ideal = 0;
  bool uniform = true;  ///< every instance costs the same
};
Figures figures_of(const Accesses& accesses, const Arrangement& arrangement, std::uint32_t base_bytes,
                   unsigned architecture);

/// One instance under a layout; an error where a vector does not lie whole and aligned.
Result<Access> access_under(const Accesses& accesses, const WarpPlaces& places, const Arrangement& arrangement,
                            std::uint32_t base_bytes);

}  // namespace lanebank::show
