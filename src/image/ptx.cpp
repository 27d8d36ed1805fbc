#include "image/ptx.hpp"

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <unordered_set>

namespace lanebank::image {
namespace {

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }

/// Words: `.directive`, names (with $ and %), numbers, single punctuation marks. Comments and strings
/// are passed over. An empty token is the end.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  std::string_view next() {
    std::size_t end_of_last = at_;
    starts_line_ = false;
    skip_blank();
    is_attached_ = at_ == end_of_last;
    if (at_ >= text_.size()) return {};
    std::size_t start = at_++;
    char first = text_[start];
    if (first == '.' || is_name_start(first) || is_digit(first))
      while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }
  /// About the last token: it follows the one before it without a gap; it is the first of its line.
  bool is_attached() const { return is_attached_; }
  bool starts_line() const { return starts_line_; }

 private:
  void skip_blank() {
    while (at_ < text_.size()) {
      char c = text_[at_];
      std::string_view two = text_.substr(at_, 2);
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0' || c == '\v' || c == '\f') {
        if (c == '\n') starts_line_ = true;
        ++at_;
      } else if (two == "//") {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (two == "/*") {
        std::size_t end = text_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else if (c == '"') {
        std::size_t end = text_.find('"', at_ + 1);
        at_ = end == std::string_view::npos ? text_.size() : end + 1;
      } else {
        break;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool is_attached_ = false, starts_line_ = false;
};

/// Bytes of a PTX type (".f32": 4, ".b8": 1), 0 when it is none.
std::uint32_t type_bytes(std::string_view word) {
  if (word == ".f16x2" || word == ".bf16x2") return 4;
  if (word == ".bf16") return 2;
  if (word.size() < 3 || word[0] != '.' || std::string_view("busf").find(word[1]) == std::string_view::npos) return 0;
  unsigned bits = 0;
  auto [end, error] = std::from_chars(word.data() + 2, word.data() + word.size(), bits);
  if (error != std::errc() || end != word.data() + word.size()) return 0;
  return bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128 ? bits / 8 : 0;
}

std::uint32_t vector_width(std::string_view word) {
  return word == ".v2" ? 2 : word == ".v4" ? 4 : word == ".v8" ? 8 : 1;
}

std::uint64_t number(std::string_view word) {
  std::uint64_t value = 0;
  int base = word.starts_with("0x") || word.starts_with("0X") ? 16 : 10;
  if (base == 16) word.remove_prefix(2);
  while (!word.empty() && (word.back() == 'U' || word.back() == 'u')) word.remove_suffix(1);
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
  return error == std::errc() && end == word.data() + word.size() ? value : 0;
}

constexpr std::uint64_t size_limit_bytes = UINT32_MAX;

class Scanner {
 public:
  explicit Scanner(std::string_view text) : tokens_(text) {}

  std::vector<PtxModule> run() {
    std::string_view previous;
    for (word_ = tokens_.next(); !word_.empty(); advance(previous)) {
      if (word_ == ".version") {
        finish_module();
        modules_.emplace_back();
      } else if (word_ == ".shared") {
        read_arrays(module().arrays, previous == ".extern");
      } else if (word_ == ".entry" || word_ == ".func") {
        read_function(word_ == ".entry");
      } else if (word_ == "{") {
        skip_block();
      } else if (is_name_start(word_[0])) {
        initialiser_names_.insert(word_);
      }
    }
    finish_module();
    return std::move(modules_);
  }

 private:
  void advance(std::string_view& previous) {
    previous = word_;
    word_ = tokens_.next();
  }
  std::string_view take() { return word_ = tokens_.next(); }
  PtxModule& module() {
    if (modules_.empty()) modules_.emplace_back();
    return modules_.back();
  }

  /// From `.shared` to the `;`: alignment and type, then one or more names with dimensions.
  void read_arrays(std::vector<PtxArray>& arrays, bool is_extern) {
    PtxArray common;
    std::uint32_t vector = 1;
    bool aligned = false;
    common.is_extern = is_extern;
    for (take(); !word_.empty() && word_[0] == '.'; take()) {
      if (word_ == ".align") {
        common.alignment_bytes = std::uint32_t(std::min(number(take()), size_limit_bytes));
        aligned = true;
      } else if (std::uint32_t bytes = type_bytes(word_); bytes != 0) {
        common.element_bytes = bytes;
      } else if (word_ == ".attribute") {
        take();
        skip_parentheses_from_open();
      } else {
        vector = std::max(vector, vector_width(word_));
      }
    }
    common.element_bytes *= vector;
    if (!aligned) common.alignment_bytes = common.element_bytes;
    if (common.alignment_bytes == 0) common.alignment_bytes = 1;
    while (!word_.empty() && is_name_start(word_[0])) {
      PtxArray array = common;
      array.name = word_;
      array.size_bytes = common.element_bytes;
      for (take(); word_ == "["; take()) {
        std::uint64_t count = 0;
        for (take(); !word_.empty() && word_ != "]" && word_ != ";"; take()) count = number(word_);
        array.size_bytes = count == 0                                    ? 0
                           : array.size_bytes > size_limit_bytes / count ? size_limit_bytes
                                                                         : array.size_bytes * count;
      }
      if (array.is_extern) array.size_bytes = 0;
      arrays.push_back(array);
      while (!word_.empty() && word_ != "," && word_ != ";" && word_ != "}") take();
      if (word_ == ",") take();
    }
  }

  void skip_block() {
    for (unsigned depth = 1; depth != 0 && !take().empty();) {
      if (word_ == "{")
        ++depth;
      else if (word_ == "}")
        --depth;
      else if (is_name_start(word_[0]))
        initialiser_names_.insert(word_);
    }
  }

  /// From `.entry` or `.func` to the end of the body, or to the `;` of a prototype.
  void read_function(bool is_entry) {
    take();
    if (word_ == "(") skip_parentheses();  // the result of a .func
    PtxFunction found;
    if (!word_.empty() && is_name_start(word_[0])) {
      found.name = word_;
      take();
    }
    found.is_entry = is_entry;
    while (!word_.empty() && word_ != "{" && word_ != ";") {
      if (word_ == "(")
        skip_parentheses();
      else
        take();
    }
    if (word_ == "{") {
      read_body(found);
      found.has_body = true;
    }
    auto [place, is_new] = function_numbers_.try_emplace(found.name, module().functions.size());
    if (is_new) {
      module().functions.push_back(std::move(found));
    } else if (found.has_body) {
      module().functions[place->second] = std::move(found);
    }
  }

  /// From the `(` to its `)`.
  void skip_parentheses_from_open() {
    for (unsigned depth = 1; depth != 0 && !take().empty();) {
      if (word_ == "(") ++depth;
      if (word_ == ")") --depth;
    }
  }

  void skip_parentheses() {
    skip_parentheses_from_open();
    take();
  }

  void read_body(PtxFunction& function) {
    std::unordered_set<std::string_view> mentioned;
    array_of_register_ = {};  // not clear(), whose cost is that of the largest function before
    accesses_ = {};
    std::string_view previous;
    unsigned depth = 1;
    for (take(); !word_.empty(); advance(previous)) {
      if (word_ == "{") {
        ++depth;
      } else if (word_ == "}") {
        if (--depth == 0) break;
      } else if (word_ == ".shared" && !tokens_.is_attached()) {
        read_arrays(function.arrays, previous == ".extern");
      } else if (word_ == ".callprototype") {
        function.has_indirect_call = true;
      } else if (is_name_start(word_[0])) {
        if (word_[0] != '%') mentioned.insert(word_);
        follow(word_, previous);
      } else if (word_[0] == '.') {
        note_suffix(word_);
      } else if (word_ == ";") {
        end_instruction();
      } else if (word_ == "@") {
        guard_ = Guard::expected;
      }
    }
    function.mentioned.assign(mentioned.begin(), mentioned.end());
    narrow(function.arrays);
    for (const auto& [name, bytes] : accesses_) {
      auto& least = module_accesses_[name];
      least = least == 0 ? bytes : std::min(least, bytes);
    }
  }

  // A light data flow: which register holds an address into which array, straight through the text. It
  // serves only to tell the element size of arrays whose alignment was raised by hand.
  void follow(std::string_view name, std::string_view previous) {
    bool starts = guard_ == Guard::seen || previous.empty() || previous == ";" || previous == "{" || previous == "}" ||
                  previous == ":" || (tokens_.starts_line() && name[0] != '%');
    if (guard_ == Guard::expected) {
      guard_ = Guard::seen;
      return;
    }
    guard_ = Guard::none;
    if (starts) {
      opcode_ = name;
      access_bytes_ = 0;
      access_vector_ = 1;
      is_shared_access_ = false;
      destination_ = {};
      source_array_ = {};
      return;
    }
    if (opcode_.empty()) return;
    std::string_view array = name;
    if (name[0] == '%') {
      bool in_address = previous == "[";
      if (destination_.empty() && !in_address && opcode_ != "st") {
        destination_ = name;
        return;
      }
      auto found = array_of_register_.find(name);
      if (found == array_of_register_.end()) return;
      array = found->second;
    }
    if (previous == "[") {
      if (is_shared_access_ && access_bytes_ != 0) {
        auto& least = accesses_[array];
        std::uint32_t bytes = access_bytes_ * access_vector_;
        least = least == 0 ? bytes : std::min(least, bytes);
      }
    } else if (source_array_.empty()) {
      source_array_ = array;
    }
  }

  void note_suffix(std::string_view word) {
    if (opcode_ != "ld" && opcode_ != "st") return;
    if (word == ".shared") is_shared_access_ = true;
    access_vector_ = std::max(access_vector_, vector_width(word));
    if (std::uint32_t bytes = type_bytes(word); bytes != 0) access_bytes_ = bytes;
  }

  void end_instruction() {
    bool arithmetic = opcode_ == "mov" || opcode_ == "add" || opcode_ == "mad" || opcode_ == "cvta" ||
                      opcode_ == "cvt" || opcode_ == "sub" || opcode_ == "or" || opcode_ == "shl" || opcode_ == "selp";
    if (arithmetic && !destination_.empty() && !source_array_.empty()) array_of_register_[destination_] = source_array_;
    opcode_ = {};
  }

  void narrow(std::vector<PtxArray>& arrays) {
    for (PtxArray& array : arrays)
      if (auto found = accesses_.find(array.name); found != accesses_.end())
        array.narrowest_access_bytes = found->second;
  }

  /// Keeps of each function's names only those that mean an array or a function of this module.
  void finish_module() {
    if (modules_.empty()) return;
    PtxModule& done = modules_.back();
    accesses_ = std::move(module_accesses_);
    narrow(done.arrays);
    std::unordered_set<std::string_view> known;
    for (const PtxArray& array : done.arrays) known.insert(array.name);
    for (const PtxFunction& function : done.functions) known.insert(function.name);
    auto keep = [&](std::vector<std::string_view>& names) {
      std::erase_if(names, [&](std::string_view name) { return !known.contains(name); });
      std::sort(names.begin(), names.end());
    };
    for (PtxFunction& function : done.functions) keep(function.mentioned);
    done.address_taken.assign(initialiser_names_.begin(), initialiser_names_.end());
    keep(done.address_taken);
    std::erase_if(done.address_taken, [&](std::string_view name) { return !function_numbers_.contains(name); });
    function_numbers_ = {};
    initialiser_names_ = {};
    module_accesses_ = {};
    accesses_ = {};
  }

  Tokens tokens_;
  std::string_view word_;
  std::vector<PtxModule> modules_;
  std::unordered_map<std::string_view, std::size_t> function_numbers_;
  std::unordered_set<std::string_view> initialiser_names_;
  std::unordered_map<std::string_view, std::uint32_t> accesses_, module_accesses_;
  std::unordered_map<std::string_view, std::string_view> array_of_register_;
  std::string_view opcode_, destination_, source_array_;
  std::uint32_t access_bytes_ = 0, access_vector_ = 1;
  bool is_shared_access_ = false;
  enum class Guard { none, expected, seen } guard_ = Guard::none;  // the predicate of "@%p ld..."
};

}  // namespace

std::vector<PtxModule> scan_ptx(std::string_view text) { return Scanner(text).run(); }

}  // namespace lanebank::image
