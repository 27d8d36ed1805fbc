#include "solve/notation.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <map>

namespace lanebank::solve {
namespace {

std::string text(std::uint64_t number) { return std::to_string(number); }

std::string hex(std::uint32_t number) {
  std::array<char, 16> digits{};
  std::snprintf(digits.data(), digits.size(), "0x%xu", number);
  return digits.data();
}

std::string plural(std::uint32_t count, const std::string& one) {
  return text(count) + " " + one + (count == 1 ? "" : "s");
}

/// The three numbers on indices of `unit_bytes`; empty where the swizzle moves less than a unit.
std::string parameters(const Swizzle& swizzle, SwizzleOrder order, std::uint32_t unit_bytes) {
  const auto unit_bits = static_cast<unsigned>(std::countr_zero(unit_bytes));
  if (swizzle.base < unit_bits) return "";
  const std::string bits = text(swizzle.bits), base = text(swizzle.base - unit_bits),
                    shift = std::to_string(swizzle.shift);
  if (order == SwizzleOrder::bits_base_shift) return bits + "," + base + "," + shift;
  return shift + "," + bits + "," + base;
}

/// `value` shifted as a term of a linear map: right by distance, left by -distance.
std::string shifted(const std::string& value, int distance) {
  if (distance == 0) return value;
  return distance > 0 ? "(" + value + " >> " + text(static_cast<unsigned>(distance)) + ")"
                      : "(" + value + " << " + text(static_cast<unsigned>(-distance)) + ")";
}

/// The terms of a matrix by diagonal: distance from target to source, and the source bits.
std::map<int, std::uint32_t> diagonals(const std::vector<std::uint32_t>& matrix) {
  std::map<int, std::uint32_t> result;
  for (std::size_t bit = 0; bit < matrix.size(); ++bit)
    for (std::uint32_t rest = matrix[bit]; rest != 0; rest &= rest - 1)
      result[std::countr_zero(rest) - static_cast<int>(bit)] |= rest & (~rest + 1);
  return result;
}

class Writer {
 public:
  Writer(const Layout& layout, std::string name) : layout_(layout), tile_(layout.tile()), name_(std::move(name)) {}

  std::string cuda() const {
    const bool plain =
        layout_.family() == Family::identity || (layout_.family() == Family::padding && layout_.panel_count() == 1 &&
                                                 layout_.pad_bytes() % tile_.element_bytes == 0);
    std::string code = "// " + text(tile_.rows) + " x " + text(tile_.columns) + " elements of " +
                       plural(tile_.element_bytes, "byte") + " in " + text(layout_.bytes()) +
                       " bytes: " + describe(layout_) + "\n";
    code += element_type();
    code += "constexpr unsigned " + name_ + "_bytes = " + text(layout_.bytes()) + ";\n";
    code +=
        "__host__ __device__ constexpr unsigned " + name_ + "_offset(unsigned row, unsigned column) {  // in bytes\n";
    code += body() + "}\n";
    code += "// In the kernel:\n";
    if (plain) {
      code += "__shared__ " + name_ + "_element " + name_ + "[" + text(tile_.rows) + "][" +
              text(layout_.pitch_bytes() / tile_.element_bytes) + "];  // " + name_ + "[row][column]\n";
    } else {
      code += "__shared__ __align__(" + text(layout_.alignment_bytes()) + ") unsigned char " + name_ + "[" + name_ +
              "_bytes];  // *reinterpret_cast<" + name_ + "_element*>(" + name_ + " + " + name_ +
              "_offset(row, column))\n";
    }
    return code;
  }

  std::string cute() const {
    const std::string unit = " for a tensor of " + text(tile_.element_bytes) + "-byte elements";
    std::string inner = "Layout<Shape<Int<" + text(tile_.rows) + ">, Int<" + text(tile_.columns) + ">>, Stride<Int<" +
                        text(layout_.pitch_bytes() / tile_.element_bytes) + ">, _1>>{}";
    if (layout_.panel_count() > 1)
      inner = "Layout<Shape<Int<" + text(tile_.rows) + ">, Shape<Int<" + text(layout_.panel_columns()) + ">, Int<" +
              text(layout_.panel_count()) + ">>>, Stride<Int<" + text(layout_.pitch_bytes() / tile_.element_bytes) +
              ">, Stride<_1, Int<" + text(layout_.panel_stride_bytes() / tile_.element_bytes) + ">>>>{}";
    if (layout_.pitch_bytes() % tile_.element_bytes != 0 || layout_.panel_stride_bytes() % tile_.element_bytes != 0)
      return "CuTe's strides are whole elements: none for rows of " + text(layout_.pitch_bytes()) + " bytes";
    switch (layout_.family()) {
      case Family::identity:
      case Family::padding:
        return inner + unit;
      case Family::swizzle:
      case Family::any_pitch:
      case Family::padding_xor:
      case Family::hardware:
        return "composition(" + cute_swizzle(layout_.terms()[0]) + "{}, " + inner + ")" + unit;
      case Family::xor2:
        return "no one CuTe Swizzle: offset ^ (" + cute_swizzle(layout_.terms()[0]) + "{}(offset) ^ offset) ^ (" +
               cute_swizzle(layout_.terms()[1]) + "{}(offset) ^ offset), offset by " + inner + unit;
      case Family::xor_row:
        if (std::optional<Swizzle> same = as_swizzle())
          return "composition(" + cute_swizzle(*same) + "{}, " + inner + ")" + unit;
        return "no CuTe Swizzle: the XOR is of the column by the row, and rows are no power of two long";
      case Family::diagonal:
        return "no CuTe layout: rotation is neither a stride nor a Swizzle";
      case Family::linear:
        break;
    }
    return "no one CuTe Swizzle: a linear map of the offset's bits; see the CUDA form";
  }

  /// The function's body, after its opening brace.
  std::string body() const {
    const std::string pitch = text(layout_.pitch_bytes()) + "u", bytes = text(tile_.element_bytes) + "u";
    std::string column = "column";
    if (layout_.family() == Family::diagonal)
      column = "(column + " + text(layout_.step_elements()) + "u * row) % " + text(tile_.columns) + "u";
    if (layout_.family() == Family::xor_row) {
      const RowXor& how = layout_.row_xor();
      const std::string row = how.row_shift == 0 ? "row" : "(row >> " + text(how.row_shift) + ")";
      column = "(column ^ (" + row + " & " + text((1u << how.bits) - 1) + "u) * " + text(how.unit_elements) + "u)";
    }
    std::string flat = "row * " + pitch + " + " + column + " * " + bytes;
    if (layout_.panel_count() > 1)
      flat = "column / " + text(layout_.panel_columns()) + "u * " + text(layout_.panel_stride_bytes()) + "u + row * " +
             pitch + " + column % " + text(layout_.panel_columns()) + "u * " + bytes;
    if (layout_.terms().empty() && layout_.matrix().empty()) return "  return " + flat + ";\n";
    std::string result = "  const unsigned flat = " + flat + ";\n  return ";
    if (!layout_.matrix().empty()) return result + linear_terms() + ";\n";
    result += "flat";
    for (const Swizzle& term : layout_.terms())
      result += " ^ " + shifted("(flat & " + hex(term.source_mask()) + ")", term.shift);
    return result + ";\n";
  }

  std::string lanebank() const {
    return element_type() + (has_name() ? "using " + name_ + " = " + lanebank_type() + ";\n" : own_type());
  }

 private:
  std::string element_type() const {
    const std::string name = name_ + "_element";
    const std::string note = "  // or any type of as many bytes\n";
    switch (tile_.element_bytes) {
      case 1:
        return "using " + name + " = unsigned char;" + note;
      case 2:
        return "using " + name + " = unsigned short;" + note;
      case 4:
        return "using " + name + " = float;" + note;
      case 8:
        return "using " + name + " = double;" + note;
      default:
        break;
    }
    const std::uint32_t alignment = std::min(16u, tile_.element_bytes & (~tile_.element_bytes + 1));
    return "struct alignas(" + text(alignment) + ") " + name + " {\n  unsigned char bytes[" +
           text(tile_.element_bytes) + "];\n};\n";
  }

  std::string linear_terms() const {
    std::string result;
    const std::uint32_t all = static_cast<std::uint32_t>((std::uint64_t{1} << layout_.matrix().size()) - 1);
    for (const auto& [distance, mask] : diagonals(layout_.matrix())) {
      std::string term = shifted("(flat & " + hex(mask) + ")", distance);
      if (distance == 0 && mask == all) term = "flat";
      result += (result.empty() ? "" : " ^ ") + term;
    }
    return result;
  }

  std::string cute_swizzle(const Swizzle& swizzle) const {
    return "Swizzle<" + parameters(swizzle, SwizzleOrder::bits_base_shift, tile_.element_bytes) + ">";
  }

  /// The XOR of the column by the row as one of the flat offset, where rows are a power of two long.
  std::optional<Swizzle> as_swizzle() const {
    const RowXor& how = layout_.row_xor();
    if (!std::has_single_bit(layout_.pitch_bytes())) return std::nullopt;
    const int base = std::countr_zero(how.unit_elements * tile_.element_bytes);
    const int source = std::countr_zero(layout_.pitch_bytes()) + static_cast<int>(how.row_shift);
    return Swizzle{how.bits, static_cast<unsigned>(base), source - base};
  }

  std::string tile_arguments() const { return name_ + "_element, " + text(tile_.rows) + ", " + text(tile_.columns); }

  /// Rows one after the other, with the room that the XOR needs.
  std::string inner_rows() const {
    const bool padded = layout_.pad_bytes() != 0;
    std::string rows =
        padded ? "lanebank::Padded<" + tile_arguments() + ", " + text(layout_.pad_bytes() / tile_.element_bytes) + ">"
               : "lanebank::RowMajor<" + tile_arguments() + ">";
    if (layout_.bytes() > tile_.rows * layout_.pitch_bytes())
      rows = "lanebank::Rounded<" + rows + ", " + text(layout_.bytes()) + ">";
    return rows;
  }

  static std::string lanebank_swizzle(const Swizzle& swizzle) {
    return "lanebank::Swizzle<" + text(swizzle.bits) + ", " + text(swizzle.base) + ", " +
           std::to_string(swizzle.shift) + ">";
  }

  /// Has the header library a name for the layout?
  bool has_name() const {
    if (layout_.family() == Family::hardware) return tile_.rows % 8 == 0 || layout_.panel_count() == 1;
    return layout_.panel_count() == 1 && layout_.pad_bytes() % tile_.element_bytes == 0;
  }

  std::string lanebank_type() const {
    switch (layout_.family()) {
      case Family::identity:
      case Family::padding:
        return inner_rows();
      case Family::diagonal: {
        const std::uint32_t step = layout_.step_elements();
        std::uint32_t unit = 1;
        while (step % (2 * unit) == 0 && tile_.columns % (2 * unit) == 0 && 2 * unit * tile_.element_bytes <= 16)
          unit *= 2;
        return "lanebank::Diagonal<" + tile_arguments() + ", " + text(step / unit) + ", " + text(unit) + ">";
      }
      case Family::xor_row: {
        const RowXor& how = layout_.row_xor();
        return "lanebank::Xor<" + tile_arguments() + ", " + text(how.unit_elements) + ", " + text(how.bits) + ", " +
               text(how.row_shift) + ">";
      }
      case Family::any_pitch:
        if (layout_.bytes() == tile_.size_bytes())
          return "lanebank::AnyPitch<" + tile_arguments() + ", " + text(1u << layout_.terms()[0].base) + ">";
        [[fallthrough]];
      case Family::swizzle:
      case Family::padding_xor:
        return "lanebank::Swizzled<" + inner_rows() + ", " + lanebank_swizzle(layout_.terms()[0]) + ">";
      case Family::xor2:
        return "lanebank::Swizzled<" + inner_rows() + ", lanebank::SwizzleXor<" + lanebank_swizzle(layout_.terms()[0]) +
               ", " + lanebank_swizzle(layout_.terms()[1]) + ">>";
      case Family::hardware:
        return "lanebank::HardwareTile<" + tile_arguments() + ", " + text(layout_.mode_bytes()) + ">";
      case Family::linear:
        break;
    }
    std::string rows;
    for (const std::uint32_t row : layout_.matrix()) rows += (rows.empty() ? "" : ", ") + hex(row);
    return "lanebank::Swizzled<" + inner_rows() + ", lanebank::F2Map<" + rows + ">>";
  }

  /// A layout that the header library has no name for: a type with a layout's members.
  std::string own_type() const {
    const std::uint32_t vector = std::min(16u, layout_.pitch_bytes() & (~layout_.pitch_bytes() + 1));
    const std::uint32_t stride = layout_.panel_stride_bytes();
    const std::uint32_t contiguous = stride == 0 ? vector : std::min(vector, stride & (~stride + 1));
    return "struct " + name_ + " {\n  using value_type = " + name_ +
           "_element;\n  static constexpr std::uint32_t rows = " + text(tile_.rows) +
           ", columns = " + text(tile_.columns) + ", element_bytes = " + text(tile_.element_bytes) +
           ", bytes = " + text(layout_.bytes()) + ", base_alignment = " + text(layout_.alignment_bytes()) +
           ", contiguous_bytes = " + text(contiguous) +
           ";\n  LANEBANK_HOST_DEVICE static constexpr std::uint32_t offset(std::uint32_t row, std::uint32_t column) "
           "{\n" +
           body() + "  }\n};\n";
  }

  const Layout& layout_;
  const Tile& tile_;
  std::string name_;
};

}  // namespace

Swizzle swizzle_from(SwizzleOrder order, unsigned first, unsigned second, unsigned third, std::uint32_t unit_bytes) {
  const auto unit_bits = static_cast<unsigned>(std::countr_zero(unit_bytes));
  if (order == SwizzleOrder::bits_base_shift) return {first, second + unit_bits, static_cast<int>(third)};
  return {second, third + unit_bits, static_cast<int>(first)};
}

std::string to_text(const Swizzle& swizzle, SwizzleOrder order, std::uint32_t unit_bytes) {
  const std::string numbers = parameters(swizzle, order, unit_bytes);
  if (numbers.empty())
    return to_text(swizzle, order, 1) + " (it moves less than units of " + text(unit_bytes) + " bytes)";
  const std::string unit = unit_bytes == 1 ? "in bytes" : "on indices of " + text(unit_bytes) + " bytes";
  if (order == SwizzleOrder::bits_base_shift) return "Swizzle<" + numbers + "> (Bits, Base, Shift " + unit + ")";
  return "swizzle<" + numbers + "> (S, B, M " + unit + ")";
}

std::string describe(const Layout& layout, SwizzleOrder order, std::uint32_t unit_bytes) {
  const std::uint32_t pad = layout.pad_bytes();
  std::string rows = "rows padded by " + plural(pad, "byte") + " to " + text(layout.pitch_bytes());
  switch (layout.family()) {
    case Family::identity:
      return "row-major, rows of " + text(layout.pitch_bytes()) + " bytes";
    case Family::padding:
      if (layout.panel_count() == 1) return rows;
      return text(layout.panel_count()) + " panels of " + text(layout.panel_columns()) + " columns, " +
             (pad == 0 ? "" : rows + ", ") + text(layout.panel_stride_bytes()) + " bytes apart";
    case Family::diagonal:
      return "column (column + " + text(layout.step_elements()) + " * row) mod " + text(layout.tile().columns);
    case Family::xor_row: {
      const RowXor& how = layout.row_xor();
      const std::string by = how.row_shift == 0 ? "row" : "(row >> " + text(how.row_shift) + ")";
      return "column ^ (" + by + " & " + text((1u << how.bits) - 1) + ")" +
             (how.unit_elements == 1 ? "" : " * " + text(how.unit_elements));
    }
    case Family::swizzle:
      return to_text(layout.terms()[0], order, unit_bytes);
    case Family::any_pitch:
      return to_text(layout.terms()[0], order, unit_bytes) + ", the form for any pitch";
    case Family::xor2:
      return to_text(layout.terms()[0], order, unit_bytes) + " and " + to_text(layout.terms()[1], order, unit_bytes) +
             ", both from the original offset";
    case Family::padding_xor:
      return rows + ", then " + to_text(layout.terms()[0], order, unit_bytes);
    case Family::hardware:
      return "the hardware's " + text(layout.mode_bytes()) + "-byte swizzle" +
             (layout.panel_count() == 1
                  ? ""
                  : ", " + text(layout.panel_count()) + " panels of " + text(layout.panel_columns()) + " columns") +
             ", " + to_text(layout.terms()[0], order, unit_bytes);
    case Family::linear:
      break;
  }
  return "F2-linear map of the byte offset, " + text(layout.matrix().size()) + " bits";
}

Notation notation(const Layout& layout, const std::string& name) {
  const Writer writer(layout, name);
  return {writer.cuda(), writer.cute(), writer.lanebank()};
}

std::string offset_statements(const Layout& layout) { return Writer(layout, "").body(); }

}  // namespace lanebank::solve
