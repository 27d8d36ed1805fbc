// Kernel names as Nsight Compute's source page prints them:
//
//   _Z2trILi0ELi32EEvPKfPfi      void tr<(int)0, (int)32>(const float *, float *, int)
//   _Z4axpyIfEvPKT_S0_S0_        void axpy<float>(const T1 *, T1, T1)
//
// Qualifiers stand before the type, pointers after a space, literals carry their type, parameters whose
// type depends on a template parameter name it (T1), anonymous namespaces are <unnamed>, and a lambda is
// [lambda(int) (instance 1)]. Names of the Itanium C++ ABI, section 5.1.
#pragma once

#include <string>
#include <string_view>

namespace lanebank::session {

struct KernelName {
  std::string full;  ///< as above
  std::string base;  ///< the function's own name, "tr": what ncu's --kernel-name compares by default
};

/// Never fails: a name that this printer does not know comes out as the C++ library demangles it, and
/// what is no C++ name as it is.
KernelName kernel_name(std::string_view symbol);

}  // namespace lanebank::session
