// Counted work and the estimates made of it, to JSON and back.
#include "report/codec.hpp"

namespace lanebank::report::codec {

using namespace findings;

namespace {

/// A member of GlobalWork by its name in JSON.
struct GlobalField {
  const char* name;
  std::uint64_t GlobalWork::*field;
};

constexpr GlobalField global_fields[] = {{"requests", &GlobalWork::requests},
                                         {"sectors", &GlobalWork::sectors},
                                         {"l2_read_sectors", &GlobalWork::l2_read_sectors},
                                         {"l2_write_sectors", &GlobalWork::l2_write_sectors},
                                         {"dram_read_bytes", &GlobalWork::dram_read_bytes},
                                         {"dram_write_bytes", &GlobalWork::dram_write_bytes},
                                         {"engine_read_bytes", &GlobalWork::engine_read_bytes},
                                         {"engine_write_bytes", &GlobalWork::engine_write_bytes}};

template <std::size_t N>
Json write_named(const std::array<std::uint64_t, N>& figures, const std::string_view (&names)[N]) {
  Json json = Json::object();
  for (std::size_t i = 0; i < N; ++i) json[std::string(names[i])] = figures[i];
  return json;
}

template <std::size_t N>
void read_named(const Node& node, std::array<std::uint64_t, N>& figures, const std::string_view (&names)[N]) {
  for (std::size_t i = 0; i < N; ++i) figures[i] = node.at(names[i].data()).whole();
}

}  // namespace

Json write(const Work& work) {
  Json global = Json::object();
  for (const GlobalField& field : global_fields) global[field.name] = work.global.*field.field;
  return {{"registers", work.registers},
          {"pipes", write_named(work.pipes, pipe_names)},
          {"mma", write_named(work.mma, tensor_kind_names)},
          {"warpgroup_mma", write_named(work.warpgroup_mma, tensor_kind_names)},
          {"uncounted_products", work.uncounted_products},
          {"global", std::move(global)}};
}

Work read_work(const Node& node) {
  Work work;
  work.registers = node.at("registers").as<std::uint32_t>();
  read_named(node.at("pipes"), work.pipes, pipe_names);
  read_named(node.at("mma"), work.mma, tensor_kind_names);
  read_named(node.at("warpgroup_mma"), work.warpgroup_mma, tensor_kind_names);
  work.uncounted_products = node.at("uncounted_products").whole();
  const Node global = node.at("global");
  for (const GlobalField& field : global_fields) work.global.*field.field = global.at(field.name).whole();
  return work;
}

Json write(const Bottleneck& estimate) {
  Json limits = Json::array();
  for (const LimitTime& limit : estimate.limits)
    limits.push_back({{"limit", name_of(limit.limit).spelled}, {"seconds", limit.seconds}});
  return {{"gpu", estimate.gpu},
          {"gpu_name", estimate.gpu_name},
          {"calibrated", estimate.calibrated},
          {"binds", estimate.limits.empty() ? Json(nullptr) : Json(name_of(estimate.binds).spelled)},
          {"seconds", estimate.seconds},
          {"seconds_without_excess", estimate.clean_seconds},
          {"saved_seconds", estimate.saved_seconds()},
          {"saved_seconds_at_most", estimate.excess_wait_seconds},
          {"resident_blocks", estimate.resident_blocks},
          {"resident_warps", estimate.resident_warps},
          {"most_warps", estimate.most_warps},
          {"waves", estimate.waves},
          {"balance", estimate.balance},
          {"limits", std::move(limits)},
          {"notes", estimate.notes}};
}

}  // namespace lanebank::report::codec
