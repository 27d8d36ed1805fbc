#include "solve/layout_text.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>

namespace lanebank::solve {
namespace {

constexpr const char* remedy =
    "Write swizzle<Bits,Base,Shift> on bytes (swizzle<5,2,5>), pad+N or pad+N@ROW in elements (pad+1@32), "
    "diagonal+N@ROW, xor<unit,shift,bits>@ROW or row-major.";
constexpr unsigned most_bits = 20;  // of a byte offset in shared memory

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<LayoutText> read() {
    LayoutText result;
    bool good = false;
    if (take("row-major")) {
      good = true;
    } else if (at("swizzle<") || at("Swizzle<")) {
      result.kind = LayoutText::Kind::swizzle;
      good = swizzle(result) && (!take("^") || swizzle(result));
    } else if (take("pad+")) {
      result.kind = LayoutText::Kind::padding;
      good = number(result.pad);
      result.pad_in_bytes = good && take("B");
      good = good && rows(result) && (!take(",") || swizzle(result));
    } else if (take("diagonal+")) {
      result.kind = LayoutText::Kind::diagonal;
      good = number(result.step_elements) && rows(result);
    } else if (take("xor<")) {
      result.kind = LayoutText::Kind::xor_row;
      std::uint32_t shift = 0, bits = 0;
      good = number(result.row_xor.unit_elements) && expect(",") && number(shift) && expect(",") && number(bits) &&
             expect(">") && rows(result);
      result.row_xor.row_shift = shift;
      result.row_xor.bits = bits;
      if (good && (shift > most_bits || bits > most_bits)) return wrong("bits beyond shared memory");
      if (good && !std::has_single_bit(result.row_xor.unit_elements)) return wrong("the unit is no power of two");
    } else {
      return wrong("no layout");
    }
    if (!good) return wrong(expected_);
    if (position_ != text_.size()) return wrong("expected the end");
    return result;
  }

 private:
  bool at(std::string_view word) const { return text_.substr(position_).starts_with(word); }

  bool take(std::string_view word) {
    if (!at(word)) return false;
    position_ += word.size();
    return true;
  }

  bool expect(std::string_view word) {
    expected_ = "expected '" + std::string(word) + "'";
    return take(word);
  }

  bool number(std::uint32_t& value) {
    expected_ = "expected a whole number";
    const char *first = text_.data() + position_, *last = text_.data() + text_.size();
    const auto [end, error] = std::from_chars(first, last, value);
    if (error != std::errc{} || value > (1u << most_bits)) return false;
    position_ += static_cast<std::size_t>(end - first);
    return true;
  }

  bool rows(LayoutText& result) {
    if (!take("@")) return true;
    if (!number(result.row_elements)) return false;
    expected_ = "expected the length of a row above 0";
    return result.row_elements != 0;
  }

  bool swizzle(LayoutText& result) {
    expected_ = "expected 'swizzle<'";
    if (!take("swizzle<") && !take("Swizzle<")) return false;
    Swizzle term;
    std::uint32_t shift = 0;
    const bool negative_possible = number(term.bits) && expect(",") && number(term.base) && expect(",");
    if (!negative_possible) return false;
    const bool negative = take("-");
    if (!number(shift) || !expect(">")) return false;
    expected_ = "expected source and target bits that do not overlap, below bit " + std::to_string(most_bits);
    if (shift < term.bits || term.bits == 0 || term.base + term.bits + shift > most_bits) return false;
    term.shift = negative ? -static_cast<int>(shift) : static_cast<int>(shift);
    result.terms.push_back(term);
    return true;
  }

  Result<LayoutText> wrong(const std::string& what) const {
    return fail("layout.text", "'" + std::string(text_) + "', column " + std::to_string(position_ + 1), what, remedy);
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::string expected_;
};

/// What an XOR of the flat offset moves stays inside blocks of so many bytes.
std::uint32_t block_bytes(const std::vector<Swizzle>& terms) {
  unsigned bits = 0;
  for (const Swizzle& term : terms)
    bits = std::max(bits, term.base + term.bits + static_cast<unsigned>(std::max(0, -term.shift)));
  return std::uint32_t{1} << bits;
}

std::string text_of(const Swizzle& term) {
  return "swizzle<" + std::to_string(term.bits) + "," + std::to_string(term.base) + "," + std::to_string(term.shift) +
         ">";
}

/// A map of the byte offset alone: bytes that come to lie behind the end have no place.
Result<Layout> of_bytes(const LayoutText& text, std::uint32_t size_bytes) {
  const Tile bytes{1, size_bytes, 1};
  if (text.kind == LayoutText::Kind::row_major) return Layout::row_major(bytes);
  const Layout layout = text.terms.size() == 1 ? Layout::swizzled(bytes, text.terms[0])
                                               : Layout::two_term(bytes, text.terms[0], text.terms[1]);
  if (size_bytes % block_bytes(text.terms) == 0) return layout;
  for (std::uint32_t byte = 0; byte < size_bytes; ++byte)
    if (layout.offset(0, byte) >= size_bytes)
      return fail("layout.leaves", layout_text(layout),
                  "byte " + std::to_string(byte) + " would come to lie at " + std::to_string(layout.offset(0, byte)) +
                      ", behind the end of the array's " + std::to_string(size_bytes) + " bytes",
                  "Choose a swizzle whose target bits lie lower, or pad the rows.");
  return layout;
}

}  // namespace

Result<LayoutText> read_layout_text(std::string_view text) { return Reader(text).read(); }

Result<Layout> layout_from(const LayoutText& text, std::uint32_t size_bytes, std::uint32_t element_bytes,
                           std::uint32_t row_elements) {
  if (!text.needs_rows()) return of_bytes(text, size_bytes);
  if (text.row_elements != 0) row_elements = text.row_elements;
  const std::uint64_t row_bytes = std::uint64_t{row_elements} * element_bytes;
  if (row_bytes == 0 || size_bytes % row_bytes != 0)
    return fail("layout.rows", "",
                "the array's " + std::to_string(size_bytes) + " bytes are not whole rows of " +
                    std::to_string(row_elements) + " elements of " + std::to_string(element_bytes) + " bytes",
                "Give the length of a row in elements behind an @, as in pad+1@32.");
  const Tile tile{static_cast<std::uint32_t>(size_bytes / row_bytes), row_elements, element_bytes};
  switch (text.kind) {
    case LayoutText::Kind::diagonal:
      return Layout::diagonal(tile, text.step_elements);
    case LayoutText::Kind::xor_row:
      if (std::uint64_t{text.row_xor.unit_elements} << text.row_xor.bits > row_elements ||
          row_elements % (text.row_xor.unit_elements << text.row_xor.bits) != 0)
        return fail("layout.range", "",
                    "the XOR of " + std::to_string(text.row_xor.bits) + " bits leaves rows of " +
                        std::to_string(row_elements) + " elements",
                    "Choose fewer bits.");
      return Layout::row_xor(tile, text.row_xor);
    default:
      break;
  }
  const std::uint64_t pad_bytes = std::uint64_t{text.pad} * (text.pad_in_bytes ? 1 : element_bytes);
  if (pad_bytes * tile.rows > (1u << most_bits))
    return fail("layout.range", "", "the padding takes more than shared memory has", "Choose less padding.");
  if (text.terms.empty()) return Layout::padded(tile, static_cast<std::uint32_t>(pad_bytes));
  return Layout::padded_swizzled(tile, static_cast<std::uint32_t>(pad_bytes), text.terms[0]);
}

std::string layout_text(const Layout& layout) {
  const Tile& tile = layout.tile();
  const std::string rows = "@" + std::to_string(tile.columns);
  const std::uint32_t pad = layout.pad_bytes();
  std::string padding =
      "pad+" + (pad % tile.element_bytes == 0 ? std::to_string(pad / tile.element_bytes) : std::to_string(pad) + "B") +
      rows;
  if (layout.panel_count() != 1) return "";
  switch (layout.family()) {
    case Family::identity:
      return "row-major";
    case Family::padding:
      return padding;
    case Family::diagonal:
      return "diagonal+" + std::to_string(layout.step_elements()) + rows;
    case Family::xor_row:
      return "xor<" + std::to_string(layout.row_xor().unit_elements) + "," +
             std::to_string(layout.row_xor().row_shift) + "," + std::to_string(layout.row_xor().bits) + ">" + rows;
    case Family::swizzle:
    case Family::any_pitch:
    case Family::hardware:
      return text_of(layout.terms()[0]);
    case Family::xor2:
      return text_of(layout.terms()[0]) + "^" + text_of(layout.terms()[1]);
    case Family::padding_xor:
      return padding + "," + text_of(layout.terms()[0]);
    case Family::linear:
      break;
  }
  return "";
}

}  // namespace lanebank::solve
