// Lower bounds: wavefronts that no layout whatsoever saves (linear, padded or any other map of elements to addresses).
//
//   bytes    a group of lanes that wants d different bytes takes ceil(d / 128) wavefronts
//   residue  an aligned vector of w bytes fixes the address of each of its elements modulo w. A group that wants D units
//            of one residue finds them in 128 / w places only: ceil(D x w / 128)
//   clique   units that some conflict-free group wants together must lie in different places: more of them, each with each,
//            than there are places, or more units than places x the largest set without such a pair (a code), means that
//            some access takes one wavefront more
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "solve/problem.hpp"

namespace lanebank::solve {

struct PatternBound {
  std::uint64_t bytes = 0;    ///< the byte bound, weighted
  std::uint64_t residue = 0;  ///< with the residue bound: at least `bytes`
  unsigned vector_bytes = 0;  ///< whose residues raised it; 0: none
  unsigned degree = 0;        ///< the largest degree that residues force
  unsigned places = 0;        ///< of how many places it has for its units
};

struct Bounds {
  std::vector<PatternBound> patterns;
  std::uint64_t extra = 0;  ///< from cliques and codes, on the sum
  std::string extra_reason;
  std::uint64_t bytes() const;
  std::uint64_t total() const;
};

/// "problem.alignment" if two vectors want an element at different residues: then no layout serves the problem.
Result<Bounds> bounds_of(const Problem& problem);

}  // namespace lanebank::solve
