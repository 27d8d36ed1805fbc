#include "show/threads.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

#include "lanebank/bank_model.hpp"
#include "show/caret.hpp"

namespace lanebank::show {
namespace {

constexpr unsigned block_limit_threads = 1024;
constexpr std::uint64_t turn_limit = 4096;
constexpr std::size_t definition_limit = 64;

/// What a built-in name stands for.
enum class Builtin : std::uint8_t {
  tid,
  lane,
  warp,
  thread_x,
  thread_y,
  thread_z,
  block_x,
  block_y,
  block_z,
  zero,
  warp_size
};

struct BuiltinName {
  const char* name;
  Builtin value;
};
constexpr BuiltinName builtins[] = {
    {"tid", Builtin::tid},
    {"lane", Builtin::lane},
    {"warp", Builtin::warp},
    {"tx", Builtin::thread_x},
    {"ty", Builtin::thread_y},
    {"tz", Builtin::thread_z},
    {"threadIdx.x", Builtin::thread_x},
    {"threadIdx.y", Builtin::thread_y},
    {"threadIdx.z", Builtin::thread_z},
    {"blockDim.x", Builtin::block_x},
    {"blockDim.y", Builtin::block_y},
    {"blockDim.z", Builtin::block_z},
    {"blockIdx.x", Builtin::zero},
    {"blockIdx.y", Builtin::zero},
    {"blockIdx.z", Builtin::zero},
    {"laneId", Builtin::lane},
    {"lane_id", Builtin::lane},
    {"laneid", Builtin::lane},
    {"warpId", Builtin::warp},
    {"warp_id", Builtin::warp},
    {"warpid", Builtin::warp},
    {"warpSize", Builtin::warp_size},
};

std::int64_t value_of(Builtin builtin, const Block& block, unsigned tid) {
  switch (builtin) {
    case Builtin::tid:
      return tid;
    case Builtin::lane:
      return tid % lanes_per_warp;
    case Builtin::warp:
      return tid / lanes_per_warp;
    case Builtin::thread_x:
      return tid % block.x;
    case Builtin::thread_y:
      return tid / block.x % block.y;
    case Builtin::thread_z:
      return tid / block.x / block.y;
    case Builtin::block_x:
      return block.x;
    case Builtin::block_y:
      return block.y;
    case Builtin::block_z:
      return block.z;
    case Builtin::zero:
      return 0;
    case Builtin::warp_size:
      return lanes_per_warp;
  }
  return 0;
}

/// The index of '=' after a name; an error where there is no name or no '='.
Result<std::size_t> name_before_equals(const std::string& text, const char* id, const char* remedy) {
  std::size_t end = 0;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_' ||
                               (text[end] == '.' && end != 0)))
    ++end;
  if (end == 0 || std::isdigit(static_cast<unsigned char>(text[0])) != 0)
    return tl::unexpected(at_column(id, text, 1, "expected a name, found " + found_at(text, 0), remedy));
  if (end >= text.size() || text[end] != '=')
    return tl::unexpected(at_column(id, text, end + 1, "expected '=', found " + found_at(text, end), remedy));
  return end;
}

}  // namespace

Result<Block> parse_block(const std::string& text) {
  const char* remedy = "Write --block 256, --block 32x8 or --block 8x8x4, at most 1024 threads.";
  std::array<unsigned, 3> sizes = {1, 1, 1};
  std::size_t at = 0;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + text.size(), sizes[k]);
    if (error != std::errc{} || sizes[k] == 0 || sizes[k] > block_limit_threads)
      return tl::unexpected(at_column("show.block", text, at + 1, "expected a size from 1 to 1024", remedy));
    at = static_cast<std::size_t>(stop - text.data());
    if (at == text.size()) break;
    if (k == 2 || (text[at] != 'x' && text[at] != ','))
      return tl::unexpected(
          at_column("show.block", text, at + 1, "expected 'x' or the end, found " + found_at(text, at), remedy));
    ++at;
  }
  const Block block{sizes[0], sizes[1], sizes[2]};
  if (std::uint64_t{block.x} * block.y * block.z > block_limit_threads)
    return tl::unexpected(at_column("show.block", text, 1, "more than 1024 threads", remedy));
  return block;
}

std::uint64_t Loop::count() const {
  return end <= begin ? 0
                      : (static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin) +
                         static_cast<std::uint64_t>(step) - 1) /
                            static_cast<std::uint64_t>(step);
}

Result<Loop> parse_loop(const std::string& text) {
  const char* remedy = "Write --for k=0:32 (0 to 31), --for k=0:32:4 (step 4) or --for k=7.";
  const Result<std::size_t> equals = name_before_equals(text, "show.loop", remedy);
  if (!equals) return tl::unexpected(equals.error());
  Loop loop{text.substr(0, *equals), 0, 0, 1};
  std::array<std::int64_t, 3> numbers = {0, 0, 1};
  std::size_t at = *equals + 1, count = 0;
  while (count < numbers.size()) {
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + text.size(), numbers[count]);
    if (error != std::errc{} || numbers[count] < -1'000'000'000 || numbers[count] > 1'000'000'000)
      return tl::unexpected(
          at_column("show.loop", text, at + 1, "expected a whole number of at most 10 digits", remedy));
    ++count;
    at = static_cast<std::size_t>(stop - text.data());
    if (at == text.size()) break;
    if (text[at] != ':' || count == numbers.size())
      return tl::unexpected(
          at_column("show.loop", text, at + 1, "expected ':' or the end, found " + found_at(text, at), remedy));
    ++at;
  }
  loop.begin = numbers[0];
  loop.end = count == 1 ? numbers[0] + 1 : numbers[1];
  loop.step = numbers[2];
  if (loop.step <= 0) return tl::unexpected(at_column("show.loop", text, at, "the step must be 1 or more", remedy));
  if (loop.count() == 0)
    return tl::unexpected(
        at_column("show.loop", text, *equals + 2, "the loop has no iteration: the end is not above the begin", remedy));
  return loop;
}

Result<Scope> Scope::make(const std::vector<std::string>& loops, const std::vector<std::string>& definitions) {
  Scope scope;
  for (const BuiltinName& builtin : builtins) scope.names_.emplace_back(builtin.name);
  // A name of the user's hides a built-in one: the built-in is renamed to what nobody can write.
  const auto add = [&scope](const std::string& name) {
    for (std::size_t i = 0; i < std::size(builtins); ++i)
      if (scope.names_[i] == name) scope.names_[i] = "(hidden) " + name;
    scope.names_.push_back(name);
  };
  const auto taken = [&scope](const std::string& name) {
    return std::find(scope.names_.begin() + std::size(builtins), scope.names_.end(), name) != scope.names_.end();
  };
  const char* twice = "Give each name once.";
  for (const std::string& text : loops) {
    const Result<Loop> loop = parse_loop(text);
    if (!loop) return tl::unexpected(loop.error());
    if (taken(loop->name))
      return tl::unexpected(at_column("show.loop", text, 1, "a second '" + loop->name + "'", twice));
    add(loop->name);
    scope.loops_.push_back(*loop);
    if (scope.turns() > turn_limit)
      return tl::unexpected(at_column("show.loop", text, 1, "more than 4096 iterations of the loops together",
                                      "Show a part: costs repeat, often after 32 iterations."));
  }
  for (const std::string& text : definitions) {
    const Result<std::size_t> equals =
        name_before_equals(text, "show.define", "Write --define TILE=32 or --define 'row=tid / 8'.");
    if (!equals) return tl::unexpected(equals.error());
    const std::string name = text.substr(0, *equals);
    if (taken(name)) return tl::unexpected(at_column("show.define", text, 1, "a second '" + name + "'", twice));
    if (scope.definitions_.size() == definition_limit)
      return tl::unexpected(at_column("show.define", text, 1, "more than 64 definitions", "Write some of them out."));
    Result<Arithmetic> expression = Arithmetic::parse(text, *equals + 1, text.size(), scope.names_);
    if (!expression) return tl::unexpected(expression.error());
    add(name);
    scope.definitions_.push_back({scope.names_.size() - 1, std::move(*expression)});
  }
  return scope;
}

bool Scope::uses(const Arithmetic& expression, std::string_view name) const {
  std::vector<bool> used(names_.size());
  for (std::size_t i = 0; i < names_.size(); ++i) used[i] = expression.uses(i);
  for (auto definition = definitions_.rbegin(); definition != definitions_.rend();
       ++definition)  // they use earlier ones
    for (std::size_t i = 0; used[definition->name] && i < definition->name; ++i)
      used[i] = used[i] || definition->expression.uses(i);
  const auto at = std::find(names_.begin(), names_.end(), name);
  return at != names_.end() && used[static_cast<std::size_t>(at - names_.begin())];
}

std::uint64_t Scope::turns() const {
  std::uint64_t turns = 1;
  for (const Loop& loop : loops_) turns = std::min<std::uint64_t>(turns * loop.count(), std::uint64_t{1} << 32);
  return turns;
}

std::vector<std::int64_t> Scope::loop_values(std::uint64_t turn) const {
  std::vector<std::int64_t> values(loops_.size());
  for (std::size_t i = loops_.size(); i-- > 0;) {
    values[i] = loops_[i].begin + loops_[i].step * static_cast<std::int64_t>(turn % loops_[i].count());
    turn /= loops_[i].count();
  }
  return values;
}

std::string Scope::turn_text(std::uint64_t turn) const {
  const std::vector<std::int64_t> values = loop_values(turn);
  std::string text;
  for (std::size_t i = 0; i < loops_.size(); ++i)
    text += (i == 0 ? "" : ", ") + loops_[i].name + "=" + std::to_string(values[i]);
  return text;
}

Result<std::vector<std::int64_t>> Scope::values(const Block& block, unsigned tid, std::uint64_t turn) const {
  std::vector<std::int64_t> values;
  values.reserve(names_.size());
  for (const BuiltinName& builtin : builtins) values.push_back(value_of(builtin.value, block, tid));
  for (const std::int64_t value : loop_values(turn)) values.push_back(value);
  for (const Definition& definition : definitions_) {
    const Result<std::int64_t> value = definition.expression.evaluate(values);
    if (!value) return tl::unexpected(value.error());
    values.push_back(*value);
  }
  return values;
}

}  // namespace lanebank::show
