// Code that a program loads at run time, as the runtime's libraries and the driver's modules.
#pragma once

#include <string>

#include "cudart/abi.hpp"

namespace lanebank::cudart {

/// The library that a kernel came from; null for kernels that the program registered.
abi::Library library_of(abi::KernelHandle kernel);

/// Whether the handle is of a loaded library.
bool is_library(abi::Library library);

/// What the last load of this thread complained about: of ptxas, or of the code's form. Empty: nothing.
const std::string& last_load_message();

}  // namespace lanebank::cudart
