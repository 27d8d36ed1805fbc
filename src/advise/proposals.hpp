// Layouts for an array of a run, each counted again on all accesses that were logged.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advise/array_runs.hpp"
#include "advise/declaration.hpp"
#include "advise/recount.hpp"
#include "solve/layout.hpp"

namespace lanebank::advise {

/// Rows and columns of an array, and who says so.
struct ArrayShape {
  enum class Source : std::uint8_t { given, declaration, strides };
  Source source = Source::strides;
  DeclaredShape declared;         ///< of `strides`: one size, the number of elements
  std::uint32_t pitch_bytes = 0;  ///< rows that a constant of the source gives; 0: none
};

/// "--shape", "its declaration", "the strides of its accesses".
std::string_view name_of(ArrayShape::Source source);

/// A source line's accesses, summed over all launches.
struct LineFigures {
  std::string file;
  std::uint32_t line = 0;
  std::string opcode;  ///< "LDS", "STS.128"
  std::uint64_t executions = 0;
  Figures before, after;
};

/// Resident blocks of a multiprocessor; 0: unknown.
struct Occupancy {
  std::uint32_t before = 0, after = 0;
};

struct Proposal {
  solve::Layout layout;
  std::string text;       ///< "rows of 33 elements", "column ^ (row & 31)"
  Figures before, after;  ///< of all launches
  std::vector<LineFigures> lines;
  std::int64_t more_bytes = 0;
  unsigned index_instructions = 0;  ///< added to each index, estimated
  Occupancy occupancy;              ///< of the launch that loses most
};

struct Proposals {
  Figures before;
  std::vector<LineFigures> lines;  ///< as it is; `after` equals `before`
  std::vector<Proposal> list;      ///< best first; only those with fewer wavefronts than before
  std::string bound;  ///< what keeps the best layout from the ideal; empty: it is ideal, or no bound is known
  std::vector<std::string> ways_out;  ///< other access sides, with what they would cost
};

/// Why nothing is proposed is a Refusal of `recount`. At most: the best without more memory, the best with padding, the best
/// of all.
tl::expected<Proposals, Refusal> proposals_for(const ArrayRuns& array, const ArrayShape& shape);

/// The array's figures under a layout of its size, over all launches.
tl::expected<Proposal, Refusal> counted_under(const ArrayRuns& array, const solve::Layout& layout);

}  // namespace lanebank::advise
