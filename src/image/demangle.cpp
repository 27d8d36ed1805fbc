#include "image/demangle.hpp"

#include <cxxabi.h>

#include <cstdlib>

namespace lanebank::image {

std::string demangled(std::string_view symbol) {
  constexpr std::size_t limit_bytes = 4096;
  std::string result(symbol);
  if (symbol.size() > limit_bytes || !symbol.starts_with("_Z")) return result;
  int status = 0;
  char* text = abi::__cxa_demangle(result.c_str(), nullptr, nullptr, &status);
  if (status == 0 && text != nullptr) result = text;
  std::free(text);
  return result;
}

}  // namespace lanebank::image
