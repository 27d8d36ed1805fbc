// Machine code from a .cu file with the user's own nvcc.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"

namespace lanebank::tools {

struct Compiler {
  std::string nvcc;           ///< a program's name or path; empty: nvcc of PATH, else of /usr/local/cuda/bin
  std::string arguments;      ///< more of them, as a shell reads words
  unsigned architecture = 0;  ///< 0: 90
  std::string temporary_folder;
};

/// A cubin with line information. What nvcc says goes to standard error. `instance`: a template kernel with its arguments
/// ("transpose<32>") that the file itself does not instantiate; may be empty. Errors: "nvcc.missing", "nvcc.failed".
Result<std::vector<std::byte>> compile_kernel(const std::string& source, const Compiler& with,
                                              const std::string& instance = {});

}  // namespace lanebank::tools
