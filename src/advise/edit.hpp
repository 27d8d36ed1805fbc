// The edit that gives a shared array another layout by its declaration alone.
//
//   __shared__ float tile[32][32];      ->  __shared__ float tile[32][32 + 1];          rows with padding: one number
//   __shared__ float tile[32][32];      ->  __shared__ lanebank_transpose_tile tile;    any other layout: one type
//
// The type is written above the function, needs no header, C++14, and is used as the array was: tile[a][b] and &tile[a][b].
// It has no conversion to a pointer, so that code which does the index arithmetic itself does not compile.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "advise/declaration.hpp"
#include "findings/report.hpp"
#include "solve/layout.hpp"

namespace lanebank::advise {

/// An array as it is declared, and the layout that it gets. The layout's tile is the array row by row: its element may be a
/// part of the declared one, its rows another length than the last size.
struct ArrayLayout {
  DeclaredShape shape;
  solve::Layout layout;
  std::uint32_t vector_bytes =
      0;  ///< the widest access, where the compiler joined neighbouring elements; 0: none is wider
};

struct Edit {
  std::string declaration;  ///< what stands in place of the old one
  std::string definition;   ///< of the type, to stand above the function; empty: the declaration is all
  std::string source;       ///< the whole text with the edit in it
  bool one_number = false;  ///< only a size changed
};

/// Errors "fix.edit": the array is extern, or nothing declares it in a function; the code uses it as a pointer.
Result<Edit> edited(const SourceText& source, const Declaration& declaration, const ArrayLayout& array);

/// Rows made longer by the constant that says their length, for arrays that the code uses as pointers. `layout` pads rows of
/// `pitch.elements`. Other arrays that use the constant get longer rows too.
Edit edited_pitch(const SourceText& source, const PitchConstant& pitch, const ArrayLayout& array);

/// The lines that differ, from the first line on; `file` is put into each.
std::vector<findings::LineEdit> line_edits(const std::string& file, std::string_view before, std::string_view after);

/// Differences line by line as `diff -u` writes them, three lines of context; empty if there are none.
std::string unified_diff(const std::string& file, std::string_view before, std::string_view after);

}  // namespace lanebank::advise
