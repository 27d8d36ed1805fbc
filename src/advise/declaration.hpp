// The declaration of a shared array in its source:  __shared__ __align__(16) float tile[32][P + 1];
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advise/source_text.hpp"
#include "base/diagnostic.hpp"

namespace lanebank::advise {

/// What is done with the array at one place of its function.
struct ArrayUse {
  enum class Kind : std::uint8_t {
    element,  ///< tile[a][b], as many subscripts as sizes
    address,  ///< &tile[a][b]: fine as long as nobody adds to it
    pointer,  ///< tile, tile[a], tile + 1: the code does the arithmetic itself
  };
  Kind kind = Kind::element;
  std::size_t line = 0;
};

struct Declaration {
  std::string name;
  std::string type;             ///< "float", "volatile uint32_t"
  std::string alignment;        ///< "__align__(16)"; empty if none is asked for
  std::vector<Span> sizes;      ///< of the texts in the brackets
  Span statement;               ///< from its first word to the semicolon, both included
  Span declarator;              ///< "tile[32][P + 1]"
  std::size_t declarators = 1;  ///< of the statement
  std::size_t line = 0;
  std::size_t function = no_function;  ///< of SourceText::functions
  bool is_extern = false;
  std::vector<ArrayUse> uses;

  bool has_pointer_uses() const;
};

/// The declaration of `name` in a function called `function` (a kernel's own name); where that function does not declare it,
/// the only one outside of other kernels. Errors "fix.declaration": there is none, or several.
Result<Declaration> find_declaration(const SourceText& source, std::string_view name, std::string_view function);

/// The sizes of a declaration, rows first, with the element's bytes and its type (a template's parameter replaced).
struct DeclaredShape {
  std::vector<std::uint32_t> sizes;
  std::uint32_t element_bytes = 0;
  std::string element;
};

/// `kernel`: as the report names it, with its template arguments. Nothing where the sizes cannot be evaluated, or where no
/// values that the text allows give `array_bytes`, or several do.
std::optional<DeclaredShape> declared_shape(const SourceText& source, const Declaration& declaration,
                                            std::string_view kernel, std::uint32_t array_bytes);

/// A constant that is the length of the rows of an array with one size: LD of `half s[16 * LD]`.
struct PitchConstant {
  std::string name;
  Span value;
  std::uint32_t elements = 0;
};

/// The constants in the size whose only definition gives a number that divides the array's elements.
std::vector<PitchConstant> pitch_constants(const SourceText& source, const Declaration& declaration,
                                           std::string_view kernel, std::uint32_t array_elements);

}  // namespace lanebank::advise
