// Where the shared arrays of a kernel lie. A linked cubin says only how many bytes a kernel's static shared
// memory has; names and sizes come from the PTX, and the order is the assembler's, found by experiment:
//
//   ptxas, whole program   the entry's own arrays, then the module's arrays that the entry or a function it
//                          reaches mentions, then the arrays of those functions; all in the order of the text,
//                          each at the next multiple of its alignment. Where the module declares an extern
//                          array, the end is rounded up to its alignment and to at least 16.
//   nvlink, -rdc=true      the entry's own arrays by falling alignment, then rising size; where the kernel uses
//                          an extern array, the end is rounded up to 16. Arrays of equal rank, of the module and
//                          of device functions follow an order that the PTX does not show.
//
// Dynamic shared memory starts where the static section ends.
//
// Sources: ptxas 12.4, 12.9, 13.0 and nvlink 13.0, several hundred random modules for sm_75 to sm_90, placement
// read from the machine code (tests/image/arrays_test.cpp repeats it where the tools are at hand).
// A layout counts only if its end equals the size that the cubin records. Arrays that ptxas finds unused after
// the PTX was written move to the end unnoticed; nvcc does not write such PTX at its normal optimisation.
#pragma once

#include <string_view>

#include "image/cubin.hpp"
#include "image/elf.hpp"
#include "image/sections.hpp"

namespace lanebank::image {

inline constexpr unsigned first_architecture_with_reserved_shared = 90;

/// Fills `arrays` and `arrays_known` of every kernel, from symbols where the cubin has them (-G), else from
/// `ptx`. Nothing in either can make this fail; what does not fit stays unknown.
void find_shared_arrays(const Elf& elf, const std::vector<ClassifiedSection>& roles, std::string_view ptx,
                        Cubin& cubin);

/// "tile" from "_ZZ9transposePKfPfE4tile"; a text that is no mangled name stays as it is.
std::string source_name(std::string_view symbol);

}  // namespace lanebank::image
