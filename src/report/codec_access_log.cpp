// The log of a launch's accesses, for the channel. It may hold a million numbers, so that these are one text, not JSON values:
//
//   "accesses": "ROW ARRAY KIND BYTES MATRICES LANES SOURCE RELATIVE... [SOURCES...] BASES BASE COUNT BASE COUNT ..."
//
// one access after the other, decimal, a space between. ARRAY is -1 for none; RELATIVE and SOURCES (only where SOURCE is
// `given`) have a number for each active lane.
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include "report/codec.hpp"

namespace lanebank::report::codec {

using namespace findings;

namespace {

constexpr auto last_kind = static_cast<std::uint64_t>(AccessKind::matrix_operand);
constexpr auto last_source = static_cast<std::uint64_t>(SourceOrder::zero_filling);

/// More than the shared memory of any block: what is above is no address of one.
constexpr std::uint64_t address_limit = (std::uint64_t{1} << 20) - 1;

template <class F>
void for_each_lane(std::uint32_t lanes, F&& f) {
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<unsigned>(std::countr_zero(lanes)));
}

Json write(const LoggedArray& array) {
  return {{"name", array.name},
          {"offset", array.offset_bytes},
          {"size", array.size_bytes},
          {"element", array.element_bytes},
          {"alignment", array.alignment_bytes},
          {"dynamic", array.dynamic},
          {"bulk_copies", array.bulk_copies},
          {"matrix_operands", array.matrix_operands},
          {"barriers", array.barriers},
          {"unrecorded", array.unrecorded}};
}

LoggedArray read_array(const Node& node) {
  LoggedArray array;
  array.name = node.at("name").text();
  array.offset_bytes = static_cast<std::uint32_t>(node.at("offset").whole(address_limit));
  array.size_bytes = static_cast<std::uint32_t>(node.at("size").whole(address_limit));
  array.element_bytes = node.at("element").as<std::uint32_t>();
  array.alignment_bytes = static_cast<std::uint32_t>(node.at("alignment").whole(address_limit));
  array.dynamic = node.at("dynamic").boolean();
  array.bulk_copies = node.at("bulk_copies").boolean();
  array.matrix_operands = node.at("matrix_operands").boolean();
  array.barriers = node.at("barriers").boolean();
  array.unrecorded = node.at("unrecorded").whole();
  return array;
}

void put(std::string& text, auto number) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  if (!text.empty()) text += ' ';
  text.append(digits.data(), end);
}

void put(std::string& text, const LoggedAccess& access) {
  put(text, access.row);
  put(text, access.array);
  put(text, static_cast<unsigned>(access.kind));
  put(text, access.lane_bytes);
  put(text, access.matrices);
  put(text, access.lanes);
  put(text, static_cast<unsigned>(access.source));
  for_each_lane(access.lanes, [&](unsigned lane) { put(text, access.relative_bytes[lane]); });
  if (has_sources(access.source))
    for_each_lane(access.lanes, [&](unsigned lane) { put(text, access.source_bytes[lane]); });
  put(text, access.bases.size());
  for (const BaseCount& base : access.bases) {
    put(text, base.base_bytes);
    put(text, base.count);
  }
}

/// The numbers of such a text.
class Numbers {
 public:
  explicit Numbers(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool at_end() const { return at_ == end_; }

  template <class T>
  T next(T least, T most) {
    ++count_;
    T value{};
    const auto [stop, error] = std::from_chars(at_, end_, value);
    if (error != std::errc{}) mismatch("a number");
    if (value < least || value > most)
      mismatch("a number from " + std::to_string(least) + " to " + std::to_string(most));
    if (stop != end_ && (*stop != ' ' || stop + 1 == end_)) mismatch("numbers with a space between");
    at_ = stop == end_ ? stop : stop + 1;
    return value;
  }
  std::uint32_t next(std::uint64_t most) { return static_cast<std::uint32_t>(next<std::uint64_t>(0, most)); }

  [[noreturn]] void mismatch(const std::string& expected) const {
    throw Mismatch{"accesses.accesses", "number " + std::to_string(count_) + ": expected " + expected};
  }

 private:
  const char *at_, *end_;
  std::uint64_t count_ = 0;
};

void read_bases(Numbers& numbers, std::vector<BaseCount>& bases) {
  const std::uint32_t count = numbers.next(address_limit);
  if (count == 0) numbers.mismatch("the number of addresses above 0");
  while (bases.size() < count) {  // grows as numbers come: the count is only a claim
    const std::uint64_t least = bases.empty() ? 0 : std::uint64_t{bases.back().base_bytes} + 1;
    const auto base = static_cast<std::uint32_t>(numbers.next<std::uint64_t>(least, address_limit));
    bases.push_back({base, numbers.next<std::uint64_t>(1, ~std::uint64_t{0})});
  }
}

LoggedAccess read_access(Numbers& numbers, std::size_t arrays) {
  constexpr auto signed_limit = static_cast<std::int64_t>(address_limit);
  LoggedAccess access;
  access.row = numbers.next(0xffffffffu);
  access.array = static_cast<std::int32_t>(numbers.next<std::int64_t>(-1, static_cast<std::int64_t>(arrays) - 1));
  access.kind = static_cast<AccessKind>(numbers.next(last_kind));
  access.lane_bytes = numbers.next(16);
  if (!std::has_single_bit(access.lane_bytes)) numbers.mismatch("1, 2, 4, 8 or 16");
  access.matrices = numbers.next(4);
  access.lanes = numbers.next(0xffffffffu);
  if (access.lanes == 0) numbers.mismatch("active lanes");
  access.source = static_cast<SourceOrder>(numbers.next(last_source));
  std::int64_t lowest = 0;
  for_each_lane(access.lanes, [&](unsigned lane) {
    const auto relative = numbers.next<std::int64_t>(-signed_limit, signed_limit);
    access.relative_bytes[lane] = static_cast<std::int32_t>(relative);
    lowest = std::min(lowest, relative);
  });
  if (has_sources(access.source))
    for_each_lane(access.lanes, [&](unsigned lane) { access.source_bytes[lane] = numbers.next(0xffffffffu); });
  read_bases(numbers, access.bases);
  if (access.bases.front().base_bytes + lowest < 0) numbers.mismatch("lanes whose addresses are not negative");
  return access;
}

}  // namespace

Json write(const AccessLog& log) {
  Json arrays = Json::array();
  for (const LoggedArray& array : log.arrays) arrays.push_back(write(array));
  std::string accesses;
  for (const LoggedAccess& access : log.accesses) put(accesses, access);
  return {{"architecture", log.architecture},
          {"static", log.static_shared_bytes},
          {"dynamic", log.dynamic_shared_bytes},
          {"arrays_known", log.arrays_known},
          {"arrays", std::move(arrays)},
          {"room",
           {log.room.block_bytes, log.room.multiprocessor_bytes, log.room.reserved_bytes, log.room.unit_bytes,
            log.room.other_blocks}},
          {"accesses", std::move(accesses)}};
}

AccessLog read_access_log(const Node& node) {
  AccessLog log;
  log.architecture = node.at("architecture").as<std::uint32_t>();
  log.static_shared_bytes = static_cast<std::uint32_t>(node.at("static").whole(address_limit));
  log.dynamic_shared_bytes = static_cast<std::uint32_t>(node.at("dynamic").whole(address_limit));
  log.arrays_known = node.at("arrays_known").boolean();
  const Node arrays = node.at("arrays");
  for (std::size_t i = 0; i < arrays.size(); i++) log.arrays.push_back(read_array(arrays.at(i)));
  const Node room = node.at("room");
  if (room.size() != 5) room.mismatch("five numbers");
  std::uint32_t* const numbers[] = {&log.room.block_bytes, &log.room.multiprocessor_bytes, &log.room.reserved_bytes,
                                    &log.room.unit_bytes, &log.room.other_blocks};
  for (std::size_t i = 0; i < 5; i++) *numbers[i] = room.at(i).as<std::uint32_t>();
  const std::string text = node.at("accesses").text();
  Numbers list(text);
  while (!list.at_end()) log.accesses.push_back(read_access(list, log.arrays.size()));
  return log;
}

}  // namespace lanebank::report::codec
