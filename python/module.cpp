#include "module.hpp"

NB_MODULE(_native, module) {
  module.attr("version") = LANEBANK_VERSION;
  lanebank::python::add_model(module);
  lanebank::python::add_launch(module);
}
