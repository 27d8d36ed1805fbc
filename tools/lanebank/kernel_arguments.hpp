// Arguments of a kernel as they are written on a command line.
//
//   i32=1024            a value                     f32[1024*1024]=iota   a pointer to a buffer of so many elements
//   null                a null pointer              i32{3}=1,2,3          a value of several elements: a struct or an array
//   @0                  the pointer of argument 0   @0+4096               so many bytes after it
//
// Contents, after "=": nothing or zero; a number; numbers with commas between; iota, iota:FIRST, iota:FIRST:STEP; random:SEED,
// random:SEED:LOW:HIGH (floating-point numbers below HIGH, whole ones up to it; without bounds from -1 to 1 and from 0 to 99);
// file:PATH, the file's bytes as they are, and then the size may be left out: f32[]=file:in.bin. Whole numbers and sizes are
// expressions that may name what --define gave.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "session/kernel_launch.hpp"
#include "show/threads.hpp"

namespace lanebank::tools {

/// A plain type of elements.
struct NumberType {
  enum class Kind { signed_integer, unsigned_integer, floating, brain };
  std::string_view name;
  Kind kind = Kind::floating;
  unsigned bytes = 4;
};

/// "f32", "float", "unsigned int", ...: of "float4" that of a component. nullptr: there is none.
const NumberType* number_type(std::string_view name);

struct GivenArgument {
  session::KernelArgument argument;
  const NumberType* type = nullptr;  ///< nullptr: a pointer without a buffer of its own
  std::string declared;              ///< "f32[1024*1024]"
};

/// Bytes of one buffer at most.
inline constexpr std::uint64_t buffer_limit_bytes = std::uint64_t{16} << 30;

/// Errors name the text: "kernel.argument".
Result<GivenArgument> read_argument(const std::string& text, const show::Scope& scope);

/// A whole number that may name what the scope has.
Result<std::int64_t> read_whole(std::string_view text, const show::Scope& scope);

/// The first `most` elements of a buffer: "0 1 2 3 ... (1,024 in all)".
std::string elements_text(const NumberType& type, const std::vector<std::byte>& bytes, std::uint64_t most);

}  // namespace lanebank::tools
