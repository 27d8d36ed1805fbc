// Source text around shared arrays: any text is read, and what is found can be edited and compared, never a crash or a hang.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "advise/constants.hpp"
#include "advise/declaration.hpp"
#include "advise/edit.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lanebank;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const advise::SourceText source = advise::scan_source(text);
  for (const advise::FunctionText& function : source.functions)
    if (function.body.end > size || function.begin > function.body.begin) std::abort();
  for (const std::size_t bytes : {64u, 4096u}) {
    const auto found = advise::find_declaration(source, "t", "k");
    if (!found) {
      if (found.error().id != "fix.declaration" || found.error().remedy.empty()) std::abort();
      return 0;
    }
    const auto shape = advise::declared_shape(source, *found, text.substr(0, 100), static_cast<std::uint32_t>(bytes));
    if (!shape || shape->element_bytes != 4) continue;
    const std::uint32_t columns = shape->sizes.back();
    const solve::Tile tile{static_cast<std::uint32_t>(bytes) / 4 / columns, columns, 4};
    for (const solve::Layout& layout : {solve::Layout::padded(tile, 4), solve::Layout::swizzled(tile, {1, 2, 3})}) {
      const auto edit = advise::edited(source, *found, {*shape, layout, 16});
      if (edit && advise::unified_diff("t.cu", text, edit->source).empty()) std::abort();
    }
  }
  return 0;
}
