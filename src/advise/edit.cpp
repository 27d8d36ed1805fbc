#include "advise/edit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "solve/notation.hpp"

namespace lanebank::advise {
namespace {

std::string text(std::uint64_t number) { return std::to_string(number); }

/// The type that stands for the array.
class TypeWriter {
 public:
  TypeWriter(const SourceText& source, const Declaration& declaration, const ArrayLayout& array)
      : source_(source),
        declaration_(declaration),
        shape_(array.shape),
        layout_(array.layout),
        vector_elements_(array.vector_bytes / array.layout.tile().element_bytes) {
    const bool inside = declaration.function != no_function;
    const std::string function = inside ? source.functions[declaration.function].name + "_" : "";
    name_ = "lanebank_" + function + declaration.name;
  }

  /// Do the sizes or the type depend on parameters of the function's template?
  bool is_dependent() const {
    if (declaration_.function == no_function) return false;
    std::string all = declaration_.type;
    for (const Span& size : declaration_.sizes) all += " " + std::string(size.in(source_.text));
    const SourceText words = scan_source(all);
    for (const TemplateParameter& parameter : source_.functions[declaration_.function].parameters)
      for (std::size_t i = 0; i < words.tokens.size(); ++i)
        if (!parameter.name.empty() && words.word(i) == parameter.name) return true;
    return false;
  }

  std::string use() const {
    std::string arguments;
    if (is_dependent()) {
      arguments = "<" + declaration_.type;
      for (const Span& size : declaration_.sizes) arguments += ", (" + std::string(size.in(source_.text)) + ")";
      arguments += ">";
    }
    return "__shared__ " + (declaration_.alignment.empty() ? "" : declaration_.alignment + " ") + name_ + arguments +
           " " + declaration_.name + ";";
  }

  /// Does the array have this type already, for other sizes?
  bool is_there() const { return declaration_.sizes.empty() && declaration_.type.starts_with(name_ + "<"); }

  std::string definition() const {
    const std::string& element = shape_.element;
    std::string result = "// " + declaration_.name + sizes_text() + ": " + solve::describe(layout_) + "; " +
                         text(layout_.bytes()) + " bytes.\n";
    if (is_there() || is_dependent()) {
      if (!is_there()) result += plain_type();
      result += "template <>\nstruct " + name_ + "<" + element;
      for (const std::uint32_t size : shape_.sizes) result += ", " + text(size);
      return result + "> {\n" + members(element) + "};\n";
    }
    return result + "struct " + name_ + " {\n" + members(element) + "};\n";
  }

 private:
  std::string sizes_text() const {
    std::string result;
    for (const std::uint32_t size : shape_.sizes) result += "[" + text(size) + "]";
    return result;
  }

  /// For all other sizes: the array as it was.
  std::string plain_type() const {
    std::string parameters = "class T", sizes, rest;
    for (std::size_t i = 0; i < shape_.sizes.size(); ++i) {
      parameters += ", unsigned N" + text(i);
      sizes += "[N" + text(i) + "]";
      if (i > 0) rest += "[N" + text(i) + "]";
    }
    const std::string reference = rest.empty() ? "T& operator[](unsigned i)" : "T (&operator[](unsigned i))" + rest;
    return "template <" + parameters + ">\nstruct " + name_ + " {\n  T elements" + sizes + ";\n  __device__ " +
           reference + " { return elements[i]; }\n};\n";
  }

  std::string members(const std::string& element) const {
    const std::uint32_t parts = shape_.element_bytes / layout_.tile().element_bytes;
    const std::string columns = text(layout_.tile().columns / parts);
    const std::size_t rank = shape_.sizes.size();
    std::string result =
        "  __align__(" + text(layout_.alignment_bytes()) + ") unsigned char bytes[" + text(layout_.bytes()) + "];\n";
    result += "  static __device__ unsigned offset(unsigned row, unsigned column) {  // in bytes\n  " +
              indented(solve::offset_statements(layout_)) + "  }\n";
    if (joins()) {
      const std::string in_vector = "column % " + text(vector_elements_);
      result +=
          "  // Neighbours lie together, said so that the compiler joins their accesses as before.\n"
          "  __device__ unsigned char* at(unsigned row, unsigned column) {\n    return bytes + offset(row, column - " +
          in_vector + ") + " + in_vector + " * " + text(layout_.tile().element_bytes) + ";\n  }\n";
    }
    const bool rows_are_last = rank > 1 && text(shape_.sizes.back()) == columns;
    const std::string scale = parts == 1 ? "" : " * " + text(parts);
    const auto at = [&](const std::string& row, const std::string& column) {
      const std::string place = "(" + row + ", " + column + scale + ")", array = rank == 1 ? "" : "array.";
      return "*reinterpret_cast<" + element + "*>(" + array + (joins() ? "at" + place : "bytes + offset" + place) + ")";
    };
    if (rank == 1)
      return result + "  __device__ " + element + "& operator[](unsigned i) {\n    return " +
             at("i / " + columns, "i % " + columns) + ";\n  }\n" + no_address();
    for (std::size_t level = rank - 1; level >= 1; --level) {
      const bool last = level == rank - 1;
      const std::string type = last ? element + "&" : "Part" + text(level + 1);
      const std::string flat = "(row * " + text(shape_.sizes[level]) + " + i)";
      std::string value = "Part" + text(level + 1) + "{array, " + flat + "}";
      if (last && rows_are_last) value = at("row", "i");
      if (last && !rows_are_last)
        value = at(fmt::format("{} / {}", flat, columns), fmt::format("{} % {}", flat, columns));
      result += "  struct Part" + text(level) + " {\n    " + name() + "& array;\n    unsigned row;\n    __device__ ";
      result += type + " operator[](unsigned i) const { return ";
      result += value + "; }\n  };\n";
    }
    return result + "  __device__ Part1 operator[](unsigned i) { return Part1{*this, i}; }\n" + no_address();
  }

  /// Has the compiler to see that neighbouring elements stay together? In rows that are only padded it does.
  bool joins() const { return vector_elements_ > 1 && layout_.index_instructions() != 0; }

  static std::string no_address() { return "  void operator&() const = delete;  // the bytes are in another order\n"; }
  const std::string& name() const { return name_; }

  static std::string indented(const std::string& lines) {
    std::string result;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      result += lines[i];
      if (lines[i] == '\n' && i + 1 < lines.size()) result += "  ";
    }
    return result;
  }

  const SourceText& source_;
  const Declaration& declaration_;
  const DeclaredShape& shape_;
  const solve::Layout& layout_;
  std::uint32_t vector_elements_;  ///< of the tile
  std::string name_;
};

/// Rows of the declaration itself that only get longer, by whole elements.
bool only_pads(const ArrayLayout& array) {
  const solve::Layout& layout = array.layout;
  return layout.family() == solve::Family::padding && layout.panel_count() == 1 && array.shape.sizes.size() > 1 &&
         layout.tile().row_bytes() == array.shape.sizes.back() * array.shape.element_bytes &&
         layout.pad_bytes() % array.shape.element_bytes == 0;
}

/// A size with so many elements more: "32 + 1", "(a << 1) + 4".
std::string longer(std::string_view size, std::uint32_t more) {
  const bool simple = std::all_of(size.begin(), size.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ' ' || c == '+' || c == '-' ||
           c == '*' || c == '/' || c == '(' || c == ')';
  });
  return (simple ? std::string(size) : "(" + std::string(size) + ")") + " + " + text(more);
}

std::string replaced(std::string_view source, const Span& place, const std::string& by) {
  return std::string(source.substr(0, place.begin)) + by + std::string(source.substr(place.end));
}

/// The statement without the declarator, which the new statement follows.
std::string split_statement(const SourceText& source, const Declaration& declaration, const std::string& use) {
  if (declaration.declarators == 1) return use;
  const std::string_view whole = source.text;
  std::size_t begin = declaration.declarator.begin, end = declaration.declarator.end;
  const auto is_blank = [&](std::size_t at) { return std::isspace(static_cast<unsigned char>(whole[at])) != 0; };
  std::size_t after = end, before = begin;
  while (after < declaration.statement.end && is_blank(after)) ++after;
  if (whole[after] == ',') {
    end = after + 1;
    while (is_blank(end)) ++end;
  } else {  // the last one: the comma before it goes
    while (before > declaration.statement.begin && whole[before - 1] != ',') --before;
    begin = before - 1;
  }
  const std::string rest = std::string(whole.substr(declaration.statement.begin, begin - declaration.statement.begin)) +
                           std::string(whole.substr(end, declaration.statement.end - end));
  return rest + " " + use;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

}  // namespace

Result<Edit> edited(const SourceText& source, const Declaration& declaration, const ArrayLayout& array) {
  const auto refuse = [&](const std::string& why, const std::string& remedy) {
    return fail("fix.edit", "line " + text(declaration.line), why, remedy);
  };
  const std::string by_hand = "Use the index function in each access by hand.";
  Edit edit;
  const TypeWriter type(source, declaration, array);
  if (type.is_there()) {
    edit.declaration = declaration.statement.in(source.text);
    edit.definition = type.definition();
    const std::size_t above = source.functions[declaration.function].begin;
    edit.source = replaced(source.text, {above, above}, edit.definition);
    return edit;
  }
  if (declaration.is_extern || declaration.sizes.empty())
    return refuse(declaration.name + " is " + (declaration.is_extern ? "dynamic shared memory" : "no array") +
                      ", so its declaration cannot carry a layout",
                  by_hand);
  const bool dependent = type.is_dependent();
  if (only_pads(array) && !dependent && !declaration.has_pointer_uses()) {
    edit.one_number = true;
    const std::uint32_t more = array.layout.pad_bytes() / array.shape.element_bytes;
    const std::string size = longer(declaration.sizes.back().in(source.text), more);
    edit.source = replaced(source.text, declaration.sizes.back(), size);
    const Span end{declaration.sizes.back().end, declaration.statement.end};
    edit.declaration = std::string(Span{declaration.statement.begin, declaration.sizes.back().begin}.in(source.text)) +
                       size + std::string(end.in(source.text));
    return edit;
  }
  for (const ArrayUse& use : declaration.uses)
    if (use.kind == ArrayUse::Kind::pointer)
      return refuse(
          "line " + text(use.line) + " uses " + declaration.name + " as a pointer and does the index arithmetic itself",
          by_hand);
  edit.declaration = type.use();
  edit.definition = type.definition();
  const std::string whole =
      replaced(source.text, declaration.statement, split_statement(source, declaration, type.use()));
  std::size_t above =
      declaration.function == no_function ? declaration.statement.begin : source.functions[declaration.function].begin;
  const bool begins_line = above == 0 || source.text[above - 1] == '\n';
  edit.source = whole.substr(0, above) + (begins_line ? "" : "\n") + edit.definition + whole.substr(above);
  return edit;
}

Edit edited_pitch(const SourceText& source, const PitchConstant& pitch, const ArrayLayout& array) {
  const std::size_t begin = source.text.rfind('\n', pitch.value.begin) + 1;
  const std::size_t end = std::min(source.text.find('\n', pitch.value.end), source.text.size());
  const bool is_macro = source.text.substr(begin, end - begin).find("#define") != std::string_view::npos;
  std::string value = longer(pitch.value.in(source.text), array.layout.pad_bytes() / array.shape.element_bytes);
  if (is_macro) value = "(" + value + ")";
  Edit edit;
  edit.one_number = true;
  edit.source = replaced(source.text, pitch.value, value);
  edit.declaration = std::string(Span{begin, pitch.value.begin}.in(source.text)) + value +
                     std::string(Span{pitch.value.end, end}.in(source.text));
  return edit;
}

namespace {

/// A line of both texts (' '), of the one before ('-') or after ('+'), and how many lines of each stand above it.
struct ScriptLine {
  char sign;
  std::string_view text;
  std::size_t old_line, new_line;
};

/// From one text to the other; empty if they are equal.
std::vector<ScriptLine> script_between(std::string_view before, std::string_view after) {
  constexpr std::size_t table_limit = 16'000'000;
  const std::vector<std::string_view> old_lines = lines_of(before), new_lines = lines_of(after);
  std::size_t first = 0, old_end = old_lines.size(), new_end = new_lines.size();
  while (first < old_end && first < new_end && old_lines[first] == new_lines[first]) ++first;
  while (old_end > first && new_end > first && old_lines[old_end - 1] == new_lines[new_end - 1]) --old_end, --new_end;
  if (first == old_end && first == new_end) return {};
  // The longest common subsequence of what lies between; all of it is one change where that would be too much work.
  const std::size_t rows = old_end - first, columns = new_end - first;
  std::vector<std::uint32_t> longest;
  const bool whole = (rows + 1) * (columns + 1) > table_limit;
  if (!whole) {
    longest.assign((rows + 1) * (columns + 1), 0);
    for (std::size_t i = rows; i-- > 0;)
      for (std::size_t j = columns; j-- > 0;)
        longest[i * (columns + 1) + j] =
            old_lines[first + i] == new_lines[first + j]
                ? longest[(i + 1) * (columns + 1) + j + 1] + 1
                : std::max(longest[(i + 1) * (columns + 1) + j], longest[i * (columns + 1) + j + 1]);
  }
  std::vector<ScriptLine> script;
  for (std::size_t i = 0; i < first; ++i) script.push_back({' ', old_lines[i], i, i});
  std::size_t i = 0, j = 0;
  while (i < rows || j < columns) {
    const bool same = !whole && i < rows && j < columns && old_lines[first + i] == new_lines[first + j];
    const bool takes = i < rows && (whole || j == columns ||
                                    longest[(i + 1) * (columns + 1) + j] >= longest[i * (columns + 1) + j + 1]);
    const std::size_t k = first + i, l = first + j;
    if (same)
      script.push_back({' ', old_lines[k], k, l}), ++i, ++j;
    else if (takes)
      script.push_back({'-', old_lines[k], k, l}), ++i;
    else
      script.push_back({'+', new_lines[l], k, l}), ++j;
  }
  for (std::size_t k = old_end; k < old_lines.size(); ++k)
    script.push_back({' ', old_lines[k], k, k - old_end + new_end});
  return script;
}

}  // namespace

std::vector<findings::LineEdit> line_edits(const std::string& file, std::string_view before, std::string_view after) {
  std::vector<findings::LineEdit> edits;
  bool is_open = false;
  for (const ScriptLine& line : script_between(before, after)) {
    if (line.sign != ' ' && !is_open) edits.push_back({file, static_cast<std::uint32_t>(line.old_line + 1), 0, ""});
    is_open = line.sign != ' ';
    if (line.sign == '-') ++edits.back().count;
    if (line.sign == '+') edits.back().text += line.text;
  }
  return edits;
}

std::string unified_diff(const std::string& file, std::string_view before, std::string_view after) {
  constexpr std::size_t context = 3;
  const std::vector<ScriptLine> script = script_between(before, after);
  if (script.empty()) return "";
  const bool absolute = file.starts_with('/');
  std::string result = absolute ? "--- " + file + "\n+++ " + file + "\n" : "--- a/" + file + "\n+++ b/" + file + "\n";
  for (std::size_t at = 0; at < script.size();) {
    if (script[at].sign == ' ') {
      ++at;
      continue;
    }
    std::size_t begin = at - std::min(at, context), end = at, quiet = 0;
    for (std::size_t k = at; k < script.size() && quiet <= 2 * context; ++k) {
      quiet = script[k].sign == ' ' ? quiet + 1 : 0;
      if (quiet == 0) end = k + 1;
    }
    const std::size_t stop = std::min(end + context, script.size());
    std::size_t removed = 0, added = 0;
    std::string lines;
    for (std::size_t k = begin; k < stop; ++k) {
      removed += script[k].sign != '+' ? 1 : 0;
      added += script[k].sign != '-' ? 1 : 0;
      lines += script[k].sign + std::string(script[k].text);
      if (!script[k].text.ends_with('\n')) lines += "\n\\ No newline at end of file\n";
    }
    result += "@@ -" + text(script[begin].old_line + (removed != 0 ? 1 : 0)) + "," + text(removed) + " +" +
              text(script[begin].new_line + (added != 0 ? 1 : 0)) + "," + text(added) + " @@\n" + lines;
    at = stop;
  }
  return result;
}

}  // namespace lanebank::advise
