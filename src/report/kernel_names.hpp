// Kernel names in the columns of a text report. Names of template libraries have thousands of characters and begin alike:
//
//   cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cute::tuple<int, int, int, int>, cutlass::gemm::coll...
//   device_kernel<...MainloopSm90TmaGmmaWarpSpecializedSparse<4, tuple<C<1>, C<2>, C<1>>, KernelTmaWarpSpecializedC...
//
// Where a name is too long its parameters are cut; where that is not enough it loses namespaces and casts too, and where another
// kernel of the report still looks the same, what they share goes.
#pragma once

#include <string>
#include <vector>

#include "findings/report.hpp"

namespace lanebank::report {

class KernelNames {
 public:
  explicit KernelNames(const std::vector<findings::LaunchReport>& launches);

  /// The name of a kernel of the report in at most `width` columns.
  std::string fitted(const std::string& kernel, std::size_t width) const;

 private:
  std::vector<std::string> titles_;  ///< of all kernels, sorted
};

}  // namespace lanebank::report
