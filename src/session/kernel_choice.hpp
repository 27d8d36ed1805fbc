// A kernel of a module by what a person calls it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "image/cubin.hpp"

namespace lanebank::session {

/// What a caller needs to know of a kernel to launch it.
struct KernelSignature {
  std::string symbol;
  std::string name;                            ///< kernel_name(symbol).full
  std::vector<std::uint32_t> parameter_bytes;  ///< by ordinal
  std::uint32_t static_shared_bytes = 0, registers = 0;
  std::uint32_t max_threads_per_block = 0;  ///< from __launch_bounds__; 0: not given
};

/// Of all kernels, by name.
std::vector<KernelSignature> signatures_of(const image::Cubin& cubin);

/// Index in Cubin::functions of the kernel that `name` means. Blanks do not count, nor casts of template arguments:
///
///   _Z2trILi0ELi32EEvPKfPfi, tr<(int)0, (int)32>, tr<0,32>, ns::tr<0,32>(const float*, float*, int), tr      in full, or
///   tr<0                                                                                             any beginning of these
///
/// Names in full come before beginnings; an empty name is the only kernel. Errors: "kernel.missing" and "kernel.ambiguous", with
/// the names that there are.
Result<std::uint32_t> choose_kernel(const image::Cubin& cubin, std::string_view name);

}  // namespace lanebank::session
