#include "show/place.hpp"

#include <algorithm>
#include <cctype>

#include "show/caret.hpp"

namespace lanebank::show {
namespace {

constexpr unsigned nesting_limit = 60;

std::uint32_t span_bytes(const Place& place, std::size_t from) {
  std::uint32_t bytes = place.type->bytes;
  for (std::size_t i = from; i < place.sizes.size(); ++i) bytes *= std::max(1u, place.sizes[i]);
  return bytes;
}

class PlaceParser {
 public:
  PlaceParser(const std::string& text, std::size_t begin, std::size_t end, const Scope& scope, Arrays& arrays)
      : text_(text), at_(begin), end_(end), scope_(scope), arrays_(arrays) {}

  /// The whole of text[begin, end).
  Result<Place> run() {
    skip_blanks();
    first_ = at_;
    Result<Place> place = sum();
    if (!place) return place;
    while (at_ < end_ && (text_[at_] == ';' || blank(text_[at_]))) ++at_;
    if (at_ < end_) return expected("an index, a component or the end");
    return place;
  }

 private:
  static bool blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
  void skip_blanks() {
    while (at_ < end_ && blank(text_[at_])) ++at_;
  }
  bool next_is(char c) {
    skip_blanks();
    return at_ < end_ && text_[at_] == c;
  }

  tl::unexpected<Diagnostic> wrong(std::size_t index, const std::string& what, std::string remedy) const {
    return tl::unexpected(at_column("show.expression", text_, index + 1, what, std::move(remedy)));
  }
  tl::unexpected<Diagnostic> expected(const std::string& wanted) const {
    return wrong(at_, "expected " + wanted + ", found " + (at_ < end_ ? found_at(text_, at_) : "the end"),
                 "Write one access, for instance tile[ty][tx], ((float4*)tile)[tid] or &tile[r][c].");
  }

  /// The index of the bracket that closes the one at `open`; end_ if none does.
  std::size_t closing(std::size_t open) const {
    unsigned depth = 0;
    for (std::size_t i = open; i < end_; ++i) {
      if (text_[i] == '(' || text_[i] == '[' || text_[i] == '{') ++depth;
      if ((text_[i] == ')' || text_[i] == ']' || text_[i] == '}') && --depth == 0) return i;
    }
    return end_;
  }

  /// unary, and what is added to a pointer.
  Result<Place> sum() {
    if (++depth_ > nesting_limit) return wrong(at_, "more than 60 levels of nesting", "Simplify the expression.");
    Result<Place> place = unary();
    skip_blanks();
    if (place && at_ < end_ && (text_[at_] == '+' || text_[at_] == '-')) {
      decay(*place);
      if (!place->pointer)
        return wrong(at_, "a sum with an element is no access",
                     "Write the access alone: tile[ty][tx]; values do not matter.");
      std::size_t stop = at_;
      while (stop < end_ && text_[stop] != ')' && text_[stop] != ',' && text_[stop] != ';') {
        if (text_[stop] == '(' || text_[stop] == '[' || text_[stop] == '{') stop = closing(stop);
        if (stop < end_) ++stop;
      }
      Result<Arithmetic> index = Arithmetic::parse(text_, at_, stop, scope_.names());
      if (!index) return tl::unexpected(index.error());
      place->terms.push_back({std::move(*index), span_bytes(*place, 0), 0});
      at_ = stop;
    }
    --depth_;
    return place;
  }

  static void decay(Place& place) {
    if (place.pointer || place.sizes.empty()) return;
    place.pointer = true;
    place.sizes.erase(place.sizes.begin());
  }

  Result<Place> unary() {
    skip_blanks();
    if (at_ >= end_) return expected("an array, '*', '&' or a cast");
    if (++depth_ > nesting_limit) return wrong(at_, "more than 60 levels of nesting", "Simplify the expression.");
    const char c = text_[at_];
    Result<Place> place = c == '*'           ? dereference()
                          : c == '&'         ? address()
                          : c == '('         ? parentheses()
                          : is_name_start(c) ? name()
                                             : Result<Place>(expected("an array, '*', '&' or a cast"));
    --depth_;
    return place;
  }

  Result<Place> dereference() {
    const std::size_t star = at_++;
    Result<Place> place = unary();
    if (!place) return place;
    decay(*place);
    if (!place->pointer)
      return wrong(star, "'*' of what is not a pointer", "Take it off, or cast: *(float4*)&tile[r][c].");
    place->pointer = false;
    return place;
  }

  Result<Place> address() {
    const std::size_t sign = at_++;
    Result<Place> place = unary();
    if (!place) return place;
    if (place->pointer) return wrong(sign, "'&' of a pointer", "Take the '&' off.");
    decay(*place);
    place->pointer = true;
    return place;
  }

  /// "(float4*)x" or "(x)[i]".
  Result<Place> parentheses() {
    const std::size_t open = at_, close = closing(open);
    if (close >= end_) return wrong(end_, "expected ')', found " + found_at(text_, end_), "Close the '('.");
    std::string inside = text_.substr(open + 1, close - open - 1);
    if (pointer_type(inside) || element_type(inside) != nullptr) {
      at_ = close + 1;
      Result<Place> place = unary();
      return place ? cast(std::move(*place), inside, open) : place;
    }
    ++at_;
    Result<Place> place = sum();
    if (!place) return place;
    skip_blanks();
    if (at_ != close) return expected("')'");
    ++at_;
    return postfix(std::move(*place));
  }

  /// Is it "TYPE *" or "TYPE &"?
  static bool pointer_type(std::string_view text) {
    std::size_t end = text.find_last_not_of(" \t");
    for (const std::string_view qualifier : {"__restrict__", "const"})
      if (end != std::string_view::npos && text.substr(0, end + 1).ends_with(qualifier) && end >= qualifier.size())
        end = text.find_last_not_of(" \t", end - qualifier.size());
    if (end == std::string_view::npos || (text[end] != '*' && text[end] != '&')) return false;
    return true;
  }

  /// `type`: "float4 *", "float4 &", or an integer type, into which an address may be cast.
  Result<Place> cast(Place place, const std::string& type, std::size_t column) {
    const bool reference = type.find('&') != std::string::npos;
    const bool pointer = type.find('*') != std::string::npos;
    if (std::count(type.begin(), type.end(), '*') > 1)
      return wrong(column, "a pointer to pointers", "Cast to a pointer to what is accessed, for instance (float4*).");
    const std::size_t end = std::min(type.find_first_of("*&"), type.size());
    const ElementType* to =
        type.find("void") != std::string::npos ? element_type("char") : element_type(type.substr(0, end));
    if (to == nullptr)
      return wrong(
          column, "unknown type '" + type.substr(0, std::min<std::size_t>(end, 40)) + "'",
          "Known are CUDA's types (float, half2, float4, uint4, __nv_bfloat16 ..) and f32, i8, u64 and the like.");
    if (reference) {
      if (place.pointer)
        return wrong(column, "a reference to a pointer", "Cast an element: reinterpret_cast<float4&>(tile[r][c]).");
      decay(place);
      place.pointer = false;
    } else {
      decay(place);
      if (!place.pointer) return wrong(column, "a cast of an element", "Cast its address: *(float4*)&tile[r][c].");
    }
    place.type = pointer || reference ? to : element_type("char");
    place.sizes.clear();
    return place;
  }

  Result<Place> name() {
    const std::size_t begin = at_;
    while (at_ < end_ && (is_name(text_[at_]) || text_.compare(at_, 2, "::") == 0)) at_ += text_[at_] == ':' ? 2 : 1;
    const std::string word = text_.substr(begin, at_ - begin);
    if (word == "reinterpret_cast" || word == "static_cast" || word == "const_cast") return named_cast();
    if (next_is('(')) return function(word, begin);
    return array(word, begin);
  }

  Result<Place> named_cast() {
    if (!next_is('<')) return expected("'<'");
    const std::size_t open = at_, close = text_.find('>', open);
    if (close >= end_)
      return wrong(end_, "expected '>', found " + found_at(text_, end_), "Write reinterpret_cast<float4*>(..).");
    const std::string type = text_.substr(open + 1, close - open - 1);
    at_ = close + 1;
    if (!next_is('(')) return expected("'('");
    ++at_;
    Result<Place> place = sum();
    if (!place) return place;
    if (!next_is(')')) return expected("')'");
    ++at_;
    place = cast(std::move(*place), type, open + 1);
    return place ? postfix(std::move(*place)) : place;
  }

  /// Functions that give a shared address as a number.
  Result<Place> function(const std::string& word, std::size_t begin) {
    if (word != "__cvta_generic_to_shared" && word != "cast_smem_ptr_to_uint" && word != "cute::cast_smem_ptr_to_uint")
      return wrong(begin, "the function '" + word.substr(0, 40) + "' is not known here",
                   "Write the access itself: tile[r][c], &tile[r][c] or atomicAdd(&bins[i], 1).");
    ++at_;
    Result<Place> place = sum();
    if (!place) return place;
    if (!next_is(')')) return expected("')'");
    ++at_;
    return cast(std::move(*place), "char*", begin);
  }

  /// How many [..] follow.
  std::size_t count_indices() {
    std::size_t count = 0, i = at_;
    while (i < end_) {
      while (i < end_ && blank(text_[i])) ++i;
      if (i >= end_ || text_[i] != '[') break;
      i = closing(i) + 1;
      ++count;
    }
    return count;
  }

  Result<Place> array(const std::string& word, std::size_t begin) {
    const std::size_t indices = count_indices();
    const auto& names = scope_.names();
    if (std::find(names.begin(), names.end(), word) != names.end())
      return wrong(begin, "'" + word + "' is a number, not an array",
                   "Begin with the array: tile[" + word + "]; in a sum the pointer comes first: tile + " + word + ".");
    const std::optional<std::size_t> index = arrays_.find(word, indices);
    if (!index)
      return wrong(begin, "no array is called '" + word.substr(0, 40) + "'",
                   "Declare it: --tile " + word.substr(0, 40) + "=32x32xf32.");
    const Array& array = arrays_.all()[*index];
    if (!array.given && indices > 2)
      return wrong(begin, "an array of " + std::to_string(indices) + " dimensions whose sizes are not known",
                   "Declare it: --tile 2x32x32xf32.");
    Place place{*index, array.type, {}, 0, array.sizes, false};
    if (place.sizes.empty()) place.sizes = {0};
    if (indices == 1 && begin == first_ && place.sizes.size() > 1) {  // the 2-D arithmetic is written out
      std::uint64_t elements = 1;
      for (const std::uint32_t size : place.sizes) elements *= size;
      place.sizes = {static_cast<std::uint32_t>(elements)};
    }
    return postfix(std::move(place));
  }

  Result<Place> postfix(Place place) {
    while (true) {
      skip_blanks();
      if (next_is('[')) {
        const std::size_t open = at_, close = closing(open);
        if (close >= end_)
          return wrong(end_, "expected ']', found " + found_at(text_, end_),
                       "Close the index that begins at column " + std::to_string(open + 1) + ".");
        if (text_[close] != ']')
          return wrong(close, "expected ']', found " + found_at(text_, close),
                       "Brackets close in the order in which they open.");
        if (!place.pointer && place.sizes.empty())
          return wrong(open, "one index too many: this is an element already",
                       "Declare the array's dimensions with --tile.");
        Result<Arithmetic> index = Arithmetic::parse(text_, open + 1, close, scope_.names());
        if (!index) return tl::unexpected(index.error());
        if (place.pointer) {
          place.terms.push_back({std::move(*index), span_bytes(place, 0), 0});
          place.pointer = false;
        } else {
          place.terms.push_back({std::move(*index), span_bytes(place, 1), place.sizes.front()});
          place.sizes.erase(place.sizes.begin());
        }
        at_ = close + 1;
      } else if (at_ < end_ && text_[at_] == '.') {
        const std::size_t which =
            at_ + 1 < end_ ? std::string_view("xyzw").find(text_[at_ + 1]) : std::string_view::npos;
        const bool element = !place.pointer && place.sizes.empty();
        if (!element || which >= place.type->components || place.type->components == 1 ||
            (at_ + 2 < end_ && is_name(text_[at_ + 2])))
          return wrong(at_, "no such component", "Vectors such as float4 have .x .y .z .w.");
        place.type = element_type(place.type->component);
        place.constant_bytes += static_cast<std::int64_t>(which) * place.type->bytes;
        at_ += 2;
      } else {
        return place;
      }
    }
  }

  const std::string& text_;
  std::size_t at_, end_;
  const Scope& scope_;
  Arrays& arrays_;
  unsigned depth_ = 0;
  std::size_t first_ = 0;  ///< where the text begins: an array there is not inside of casts
};

}  // namespace

std::optional<std::size_t> Arrays::find(const std::string& name, std::size_t index_count) {
  for (std::size_t i = 0; i < arrays_.size(); ++i)
    if (arrays_[i].name == name) return i;
  for (std::size_t i = 0; i < given_; ++i)
    if (arrays_[i].name.empty()) return i;
  if (given_ != 0) return std::nullopt;
  Array guess;
  guess.name = name;
  guess.type = element_type("f32");
  if (index_count >= 2) guess.sizes = {32, 32};
  arrays_.push_back(std::move(guess));
  return arrays_.size() - 1;
}

Result<Place> parse_place(const std::string& text, std::size_t begin, std::size_t end, const Scope& scope,
                          Arrays& arrays) {
  return PlaceParser(text, begin, end, scope, arrays).run();
}

}  // namespace lanebank::show
