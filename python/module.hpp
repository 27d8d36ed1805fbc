// lanebank._native: what of the Python package needs C++. Most of what users may get wrong is checked by the package's Python side
// (lanebank/*.py), which is its only caller.
#pragma once

#include <nanobind/nanobind.h>

#include <stdexcept>

#include "base/diagnostic.hpp"

namespace lanebank::python {

namespace nb = nanobind;
using namespace nb::literals;

/// A ValueError with the whole text.
[[noreturn]] inline void refuse(const Diagnostic& diagnostic) { throw std::invalid_argument(to_string(diagnostic)); }

void add_model(nb::module_& module);
void add_launch(nb::module_& module);

}  // namespace lanebank::python
