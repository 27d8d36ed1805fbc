// The log of a launch's accesses, for the channel: most of it is numbers, so that it is written short.
//
//   "accesses": [ { "row", "array" (left out: none), "kind", "bytes", "matrices" (left out: 0), "lanes",
//                   "relative" of each active lane, "sources" of each active lane (only where given),
//                   "source" (left out: unknown), "bases": [base, count, base, count, ...] } ]
#include <bit>

#include "report/codec.hpp"

namespace lanebank::report::codec {

using namespace findings;

namespace {

constexpr auto last_kind = static_cast<std::uint64_t>(AccessKind::matrix_operand);
constexpr auto last_source = static_cast<std::uint64_t>(SourceOrder::given);

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

Json write(const LoggedAccess& access) {
  Json json{{"row", access.row}};
  if (access.array >= 0) json["array"] = access.array;
  json["kind"] = static_cast<unsigned>(access.kind);
  json["bytes"] = access.lane_bytes;
  if (access.matrices != 0) json["matrices"] = access.matrices;
  json["lanes"] = access.lanes;
  Json relative = Json::array(), sources = Json::array(), bases = Json::array();
  for_each_lane(access.lanes, [&](unsigned lane) {
    relative.push_back(access.relative_bytes[lane]);
    sources.push_back(access.source_bytes[lane]);
  });
  json["relative"] = std::move(relative);
  if (access.source != SourceOrder::unknown) json["source"] = static_cast<unsigned>(access.source);
  if (access.source == SourceOrder::given) json["sources"] = std::move(sources);
  for (const BaseCount& base : access.bases) {
    bases.push_back(base.base_bytes);
    bases.push_back(base.count);
  }
  json["bases"] = std::move(bases);
  return json;
}

std::int32_t read_signed(const Node& node) {
  const Json& json = node.json();
  constexpr auto limit = static_cast<std::int64_t>(address_limit);
  if (!json.is_number_integer()) node.mismatch("a whole number");
  if (json.is_number_unsigned()) return static_cast<std::int32_t>(node.whole(address_limit));
  const auto value = json.get<std::int64_t>();
  if (value < -limit) node.mismatch("a number from " + std::to_string(-limit));
  return static_cast<std::int32_t>(value);
}

/// Every lane at every base must be an address.
void check_addresses(const LoggedAccess& access, const Node& node) {
  for_each_lane(access.lanes, [&](unsigned lane) {
    if (std::int64_t{access.bases.front().base_bytes} + access.relative_bytes[lane] < 0)
      node.mismatch("lanes whose addresses are not negative");
  });
}

void read_bases(const Node& node, std::vector<BaseCount>& bases) {
  if (node.size() == 0 || node.size() % 2 != 0) node.mismatch("pairs of an address and a count");
  bases.reserve(node.size() / 2);
  for (std::size_t i = 0; i < node.size(); i += 2) {
    const BaseCount base{static_cast<std::uint32_t>(node.at(i).whole(address_limit)), node.at(i + 1).whole()};
    if (base.count == 0 || (!bases.empty() && bases.back().base_bytes >= base.base_bytes))
      node.mismatch("rising addresses, each with a count");
    bases.push_back(base);
  }
}

LoggedAccess read_access(const Node& node, std::size_t arrays) {
  LoggedAccess access;
  access.row = node.at("row").as<std::uint32_t>();
  if (node.has("array")) {
    if (arrays == 0) node.at("array").mismatch("no array");
    access.array = static_cast<std::int32_t>(node.at("array").whole(arrays - 1));
  }
  access.kind = static_cast<AccessKind>(node.at("kind").whole(last_kind));
  access.lane_bytes = static_cast<std::uint32_t>(node.at("bytes").whole(16));
  if (!std::has_single_bit(access.lane_bytes)) node.at("bytes").mismatch("1, 2, 4, 8 or 16");
  if (node.has("matrices")) access.matrices = static_cast<std::uint32_t>(node.at("matrices").whole(4));
  access.lanes = node.at("lanes").as<std::uint32_t>();
  if (access.lanes == 0) node.at("lanes").mismatch("lanes");
  if (node.has("source")) access.source = static_cast<SourceOrder>(node.at("source").whole(last_source));
  const Node relative = node.at("relative");
  const auto lane_count = static_cast<std::size_t>(std::popcount(access.lanes));
  if (relative.size() != lane_count) relative.mismatch("a number for each lane");
  std::size_t at = 0;
  for_each_lane(access.lanes, [&](unsigned lane) { access.relative_bytes[lane] = read_signed(relative.at(at++)); });
  if (access.source == SourceOrder::given) {
    const Node sources = node.at("sources");
    if (sources.size() != lane_count) sources.mismatch("a number for each lane");
    at = 0;
    for_each_lane(access.lanes,
                  [&](unsigned lane) { access.source_bytes[lane] = sources.at(at++).as<std::uint32_t>(); });
  }
  read_bases(node.at("bases"), access.bases);
  check_addresses(access, relative);
  return access;
}

}  // namespace

Json write(const AccessLog& log) {
  Json arrays = Json::array(), accesses = Json::array();
  for (const LoggedArray& array : log.arrays) arrays.push_back(write(array));
  for (const LoggedAccess& access : log.accesses) accesses.push_back(write(access));
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
  const Node accesses = node.at("accesses");
  log.accesses.reserve(accesses.size());
  for (std::size_t i = 0; i < accesses.size(); i++)
    log.accesses.push_back(read_access(accesses.at(i), log.arrays.size()));
  return log;
}

}  // namespace lanebank::report::codec
