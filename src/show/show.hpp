// `lanebank show`: what accesses cost, why, and the layout that cures them.
//
//   Request -> answer()     expressions, or a layout alone, or a problem of src/solve
//   Answer                  all figures; text.hpp, json.hpp and pictures.hpp say it
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "show/accesses.hpp"
#include "show/analysis.hpp"
#include "solve/solution.hpp"

namespace lanebank::show {

/// As on the command line.
struct Request {
  std::vector<std::string> expressions;
  std::vector<std::string> tiles, loops, definitions;
  std::string block;        ///< empty: guessed from the names that are used
  std::string condition;    ///< of lanes; empty: all
  std::string offset;       ///< where arrays without a base of their own begin
  std::string instruction;  ///< where an expression says none
  unsigned vector = 1;
  std::optional<unsigned> warp;
  std::uint32_t mask = 0xffffffffu;
  std::vector<std::string> swizzles;
  bool articles_order = false;  ///< --order sbm
  std::string unit;             ///< of the swizzles: "bytes", "elements", "vectors" or a number of bytes
  unsigned pad_elements = 0;
  unsigned architecture = 90;
  bool cures = true;
};

/// A layout that takes fewer wavefronts than the array as written.
struct Cure {
  std::string family;
  std::string text;
  Arrangement arrangement;
  std::vector<Figures> figures;  ///< of the array's accesses, in their order
  std::uint64_t wavefronts = 0;
  std::int64_t more_bytes = 0;  ///< than the array as written
  std::string code;             ///< CUDA C++
};

struct AccessAnswer {
  Accesses accesses;
  Figures written;               ///< as written
  std::optional<Figures> given;  ///< under the layout of the command line
};

struct ArrayAnswer {
  Array array;
  solve::Tile tile;
  Arrangement written;
  std::optional<Arrangement> given;
  std::vector<std::size_t> accesses;  ///< indices of Answer::accesses
  std::vector<Cure> cures;            ///< the best first
  std::string cure_note;              ///< why there is none, or what keeps the best from the ideal
};

struct Answer {
  Block block;
  bool block_guessed = false;
  bool of_layout = false;  ///< standard accesses of a layout, not the user's
  unsigned architecture = 90;
  std::string turns;  ///< loops: "k=0..31"
  Scope scope;
  std::vector<ArrayAnswer> arrays;
  std::vector<AccessAnswer> accesses;
  std::vector<std::string> notes;  ///< what was taken for granted

  const ArrayAnswer& array_of(const AccessAnswer& access) const;
  /// The arrangement and figures to explain: those of the given layout, if there is one and it serves the access.
  const Arrangement& shown_arrangement(const AccessAnswer& access) const;
  const Figures& shown_figures(const AccessAnswer& access) const;
};

Result<Answer> answer(const Request& request);

/// A problem file's patterns, and a layout of the request, if it gives one.
Result<Answer> answer(const solve::Problem& problem, const Request& request);

/// The worst instance under an arrangement. The access must be served by it.
Analysis worst_of(const AccessAnswer& access, const ArrayAnswer& array, const Arrangement& arrangement,
                  const Figures& figures, unsigned architecture);

/// "store of 16 bytes a lane", "ldmatrix.x4", "atomic (atom_add_u32)".
std::string instruction_text(const Accesses& accesses);

}  // namespace lanebank::show
