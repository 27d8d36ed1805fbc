#include "show/statement.hpp"

#include <algorithm>
#include <cctype>

#include "show/caret.hpp"

namespace lanebank::show {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\n\r;"), end = text.find_last_not_of(" \t\n\r;");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

/// Length of "NAME:" in front; 0 if there is none.
std::size_t label_length(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ':') return i + 1 < text.size() && text[i + 1] == ':' ? 0 : i + 1;
    if (!is_name(text[i]) && text[i] != ' ' && text[i] != '.' && text[i] != '-' && text[i] != '#' && text[i] != ',')
      return 0;
  }
  return 0;
}

/// The index of an assignment's '=' outside brackets; npos if there is none.
std::size_t assignment(const std::string& text, std::size_t begin) {
  unsigned depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c != '=' || depth != 0) continue;
    const char before = i > begin ? text[i - 1] : ' ', after = i + 1 < text.size() ? text[i + 1] : ' ';
    if (after == '=' || before == '=' || before == '!' || before == '<' || before == '>') continue;
    return i;
  }
  return std::string::npos;
}

/// "atomicAdd(" in front: the function's name.
std::string atomic_name(const std::string& text, std::size_t begin) {
  begin = text.find_first_not_of(" \t", begin);
  if (begin == std::string::npos || text.compare(begin, 6, "atomic") != 0) return "";
  std::size_t end = begin;
  while (end < text.size() && is_name(text[end])) ++end;
  return end < text.size() && text[end] == '(' ? text.substr(begin, end - begin) : "";
}

std::string lower(std::string word) {
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word;
}

/// What atomicAdd and its like become on a type.
const solve::InstructionName* atomic_instruction(const std::string& function, const ElementType& type) {
  std::string what = lower(function.substr(6));
  what = what.substr(0, what.find('_'));
  constexpr std::string_view known[] = {"add", "sub", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"};
  if (std::find(std::begin(known), std::end(known), what) == std::end(known)) return nullptr;
  const bool floating = type.name.starts_with('f') || type.name == "double";
  const std::string bits = type.bytes == 16 ? "_b128" : type.bytes == 8 ? "_b64" : "_b32";
  if (what == "cas" || what == "exch") return solve::instruction_named("atom_" + what + bits);
  if (type.bytes == 8) return solve::instruction_named("atoms_cast_spin_64");
  if (what == "sub") what = "add";
  if (floating) return solve::instruction_named("atoms_cast_spin");
  const bool logic = what == "and" || what == "or" || what == "xor";
  return solve::instruction_named("atom_" + what + (logic ? "_b32" : "_u32"));
}

}  // namespace

const solve::InstructionName* instruction_of(std::string word, unsigned access_bytes) {
  word = lower(std::move(word));
  std::replace(word.begin(), word.end(), '.', '_');
  for (const std::string_view part : {"_sync", "_aligned", "_m8n8", "_shared", "_b16", "_global"})
    if (const std::size_t at = word.find(part); at != std::string::npos) word.erase(at, part.size());
  if (word == "w" || word == "write" || word == "store" || word == "sts") word = "st";
  if (word == "r" || word == "read" || word == "load" || word == "lds") word = "ld";
  if (word == "ldmatrix" || word == "stmatrix") word += "_x4";
  if (word == "atomic") word = "atom_add_u32";
  if (word == "cas") word = access_bytes == 16 ? "atom_cas_b128" : access_bytes == 8 ? "atom_cas_b64" : "atom_cas_b32";
  if (word == "cp_async" || word == "cp_async_cg") word = "cp_async_cg_16";
  if (word == "cp_async_ca")
    word = access_bytes == 4 || access_bytes == 8 ? "cp_async_ca_" + std::to_string(access_bytes) + "_dense"
                                                  : "cp_async_ca_16";
  return solve::instruction_named(word);
}

Result<Statement> parse_statement(const std::string& text, const Scope& scope, Arrays& arrays) {
  if (text.size() > statement_limit_characters)
    return tl::unexpected(at_column("show.expression", text, statement_limit_characters, "longer than 4096 characters",
                                    "Simplify the expression."));
  Statement statement;
  statement.source = text;
  const std::size_t label = label_length(text);
  std::string word;
  if (label != 0) {
    statement.name = trimmed(text.substr(0, label - 1));
    word = statement.name.substr(statement.name.find_last_of(" ,") + 1);  // npos + 1 == 0
    if (instruction_of(word, 4) == nullptr) word = statement.name.substr(0, statement.name.find_first_of(" ,"));
    if (instruction_of(word, 4) == nullptr) word.clear();
  }
  statement.text = trimmed(text.substr(label));
  std::size_t begin = label, end = text.size();
  bool store = false;
  const std::string atomic = atomic_name(text, begin);
  if (!atomic.empty()) {
    begin = text.find('(', begin) + 1;
    unsigned depth = 0;
    for (end = begin; end < text.size(); ++end) {
      const char c = text[end];
      if (depth == 0 && (c == ',' || c == ')')) break;
      if (c == '(' || c == '[' || c == '{') ++depth;
      if (c == ')' || c == ']' || c == '}') --depth;
    }
  } else if (const std::size_t equals = assignment(text, begin); equals != std::string::npos) {
    const char before = equals > begin ? text[equals - 1] : ' ';
    if (std::string_view("+-*/%&|^").find(before) != std::string_view::npos)
      return tl::unexpected(at_column("show.expression", text, equals, "this reads and writes",
                                      "Give the two accesses: 'R: tile[ty][tx]' 'W: tile[ty][tx]'."));
    store = text.substr(begin, equals - begin).find_first_of("[*") != std::string::npos;
    if (store)
      end = equals;
    else
      begin = equals + 1;
  }
  Result<Place> place = parse_place(text, begin, end, scope, arrays);
  if (!place) return tl::unexpected(place.error());
  if (!place->pointer && !place->sizes.empty())
    return tl::unexpected(at_column("show.expression", text, end + 1,
                                    "expected an index, found " + (end < text.size() ? found_at(text, end) : "the end"),
                                    "Name an element, s[tid] or tile[r][c], or its address, &tile[r][c]."));
  statement.array = place->array;
  statement.type = place->type;
  statement.terms = std::move(place->terms);
  statement.constant_bytes = place->constant_bytes;
  if (!atomic.empty()) {
    if (!arrays.all()[statement.array].given && statement.type->name == "f32") {  // counters, most likely
      statement.type = element_type("int");
      arrays.at(statement.array).type = statement.type;
    }
    statement.instruction = atomic_instruction(atomic, *statement.type);
    if (statement.instruction == nullptr)
      return tl::unexpected(at_column("show.expression", text, label + 1,
                                      "the function '" + atomic.substr(0, 40) + "' is not known here",
                                      "Known: atomicAdd, Sub, Min, Max, Inc, Dec, And, Or, Xor, Exch, CAS."));
  } else if (store) {
    statement.instruction = solve::instruction_named("st");
  }
  if (!word.empty()) statement.instruction = instruction_of(word, statement.type->bytes);
  if (statement.name.empty()) statement.name = statement.text;
  return statement;
}

}  // namespace lanebank::show
