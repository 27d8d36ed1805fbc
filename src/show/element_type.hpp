// Element types by name: types.def.
#pragma once

#include <string>
#include <string_view>

namespace lanebank::show {

struct ElementType {
  std::string_view name;
  unsigned bytes = 0;
  std::string_view component;  ///< the type of .x; its own name where it has none
  unsigned components = 1;
};

/// nullptr if no type is called so. "const", "volatile", "unsigned int" and the like are understood.
const ElementType* element_type(std::string_view name);

/// "f32" for a plain number of 4 bytes.
std::string plain_type_name(unsigned bytes);

}  // namespace lanebank::show
