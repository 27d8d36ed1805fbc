#include "show/arrangement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <unordered_map>

#include "show/analysis.hpp"
#include "show/caret.hpp"

namespace lanebank::show {
namespace {

constexpr std::uint32_t vector_bytes = 16;

/// The bits that a swizzle may change.
std::uint32_t target_mask(const solve::Swizzle& swizzle) {
  return swizzle.shift >= 0 ? swizzle.source_mask() >> swizzle.shift : swizzle.source_mask() << -swizzle.shift;
}

std::string element_text(const picture::Tile& tile, std::size_t index) {
  return fmt::format("({},{})", index / tile.columns, index % tile.columns);
}

/// Two elements at one place, if there are.
std::optional<std::string> shared_place(const picture::Tile& tile) {
  std::unordered_map<std::uint32_t, std::size_t> taken;
  for (std::size_t i = 0; i < tile.offsets.size(); ++i) {
    const auto [at, fresh] = taken.emplace(tile.offsets[i], i);
    if (!fresh)
      return fmt::format("no layout: elements {} and {} share byte {}", element_text(tile, at->second),
                         element_text(tile, i), tile.offsets[i]);
  }
  return std::nullopt;
}

Arrangement finished(std::string text, picture::Tile tile) {
  Arrangement result{std::move(text), std::move(tile), 0, std::nullopt, ""};
  for (const std::uint32_t offset : result.tile.offsets)
    result.bytes = std::max(result.bytes, offset + result.tile.element_bytes);
  result.fault = shared_place(result.tile);
  for (std::size_t i = 0; i < result.tile.offsets.size() && !result.fault; ++i)
    if (result.tile.offsets[i] % result.tile.element_bytes != 0)
      result.fault = fmt::format("tears elements apart: {} of {} bytes begins at byte {}", element_text(result.tile, i),
                                 result.tile.element_bytes, result.tile.offsets[i]);
  return result;
}

}  // namespace

Arrangement plain_arrangement(const solve::Tile& tile) {
  return finished("as written", picture::row_major(tile.rows, tile.columns, tile.element_bytes));
}

Arrangement arrangement_of(const solve::Layout& layout) {
  const solve::Tile& tile = layout.tile();
  picture::Tile places{tile.rows, tile.columns, tile.element_bytes, {}};
  places.offsets.reserve(std::size_t{tile.rows} * tile.columns);
  for (std::uint32_t row = 0; row < tile.rows; ++row)
    for (std::uint32_t column = 0; column < tile.columns; ++column)
      places.offsets.push_back(layout.offset(row, column));
  return finished(solve::describe(layout), std::move(places));
}

Arrangement arrangement_of(const solve::Tile& tile, const GivenLayout& given) {
  picture::Tile places =
      picture::row_major(tile.rows, tile.columns, tile.element_bytes, tile.columns + given.pad_elements);
  for (std::uint32_t& offset : places.offsets)
    for (const solve::Swizzle& stage : given.stages) offset = stage(offset);
  std::string text, breaks;
  for (std::size_t i = 0; i < given.stages.size(); ++i) {
    const std::uint32_t bits = target_mask(given.stages[i]) & (vector_bytes - 1) & ~(tile.element_bytes - 1);
    if (bits == 0) continue;
    const solve::Swizzle& stage = given.stages[i];
    breaks += fmt::format("{}Swizzle<{},{},{}> writes {} {} of the byte offset, inside of 16-byte vectors",
                          breaks.empty() ? "" : ", ", stage.bits, stage.base, stage.shift,
                          std::has_single_bit(bits) ? "bit" : "bits", bit_list(bits));
  }
  if (given.pad_elements != 0) text = fmt::format("rows of {} elements", tile.columns + given.pad_elements);
  for (const std::string& name : given.names) text += (text.empty() ? "" : ", then ") + name;
  Arrangement result = finished(text, std::move(places));
  result.breaks = std::move(breaks);
  return result;
}

Result<solve::Swizzle> parse_swizzle(const std::string& text, solve::SwizzleOrder order, std::uint32_t unit_bytes) {
  const bool articles = order == solve::SwizzleOrder::shift_bits_base;
  const std::string remedy =
      articles ? "In the order sbm: shift, bits, lowest target bit, for instance --swizzle 3,1,3 --order sbm."
               : "In CuTe's order: bits, base, shift, for instance --swizzle 3,4,3.";
  std::array<int, 3> numbers{};
  std::size_t at = 0;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + text.size(), numbers[k]);
    const bool shift = articles ? k == 0 : k == 2;
    if (error != std::errc{} || numbers[k] > 20 || numbers[k] < (shift ? -20 : 0))
      return tl::unexpected(at_column("show.swizzle", text, at + 1,
                                      "expected a whole number from 0 to 20, found " + found_at(text, at), remedy));
    at = static_cast<std::size_t>(stop - text.data());
    if (k < 2 && (at >= text.size() || text[at] != ','))
      return tl::unexpected(
          at_column("show.swizzle", text, at + 1, "expected ',', found " + found_at(text, at), remedy));
    if (k < 2) ++at;
  }
  if (at != text.size())
    return tl::unexpected(
        at_column("show.swizzle", text, at + 1, "expected the end, found " + found_at(text, at), remedy));
  unsigned unit_bits = 0;
  while ((1u << unit_bits) < unit_bytes) ++unit_bits;
  solve::Swizzle swizzle;
  swizzle.bits = static_cast<unsigned>(articles ? numbers[1] : numbers[0]);
  swizzle.base = static_cast<unsigned>(articles ? numbers[2] : numbers[1]) + unit_bits;
  swizzle.shift = articles ? numbers[0] : numbers[2];
  if (swizzle.shift < 0 && articles)
    return tl::unexpected(at_column("show.swizzle", text, 1, "a negative shift in the order sbm",
                                    "Use CuTe's order for it: --order bbs."));
  const unsigned reach = static_cast<unsigned>(std::abs(swizzle.shift));
  if (swizzle.bits + swizzle.base + reach > 31)
    return tl::unexpected(at_column("show.swizzle", text, 1, "bits beyond 31", remedy));
  if (swizzle.bits == 0) return swizzle;
  if (reach == 0)
    return tl::unexpected(
        at_column("show.swizzle", text, 1, "a shift of 0 XORs bits with themselves: all of them become 0",
                  "The source bits must lie above the target bits: a shift of at least the number of bits."));
  return swizzle;
}

std::string both_orders(const solve::Swizzle& swizzle, std::uint32_t element_bytes) {
  unsigned unit_bits = 0;
  while ((1u << unit_bits) < element_bytes) ++unit_bits;
  std::string text = fmt::format("Swizzle<{},{},{}> on bytes", swizzle.bits, swizzle.base, swizzle.shift);
  if (swizzle.base >= unit_bits && swizzle.shift >= 0)
    text +=
        fmt::format(" = swizzle<S={},B={},M={}> on elements", swizzle.shift, swizzle.bits, swizzle.base - unit_bits);
  return text;
}

unsigned widest_vector_bytes(const Arrangement& arrangement) {
  const unsigned element = arrangement.tile.element_bytes;
  unsigned widest = 0;
  for (unsigned bytes = element; bytes <= 16 && picture::contiguous(arrangement.tile, bytes / element); bytes *= 2)
    widest = bytes;
  return widest;
}

}  // namespace lanebank::show
