#include "advise/remap.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "advise/recount.hpp"
#include "advise/seen_rows.hpp"
#include "base/words.hpp"
#include "solve/notation.hpp"

namespace lanebank::advise {

using findings::AccessLog;
using findings::LaunchReport;
using findings::LoggedArray;
using findings::ProgramReport;
using findings::RemapReport;

namespace {

bool means(const RemapRequest& request, const LaunchReport& launch) {
  return request.kernel.empty() || request.kernel == launch.kernel || request.kernel == launch.symbol ||
         request.kernel == kernel_base_name(launch.kernel);
}

/// A request on an array of a launch, and what came of it.
struct Applied {
  RemapReport report;
  std::size_t array = 0;
  std::optional<ByteMap> map;  ///< unless refused
};

/// What the requests make of a log; launches with the same log share it.
struct Outcome {
  std::vector<Applied> applied;
  std::vector<RowRecount> rows;  ///< under all that were not refused
};

void refuse(Applied& applied, const Diagnostic& why, const std::string& place) {
  applied.report.refused = (place.empty() ? "" : place + ": ") + why.what;
  if (!why.where.empty() && why.where != applied.report.array)
    applied.report.refused = why.where + ": " + applied.report.refused;
  applied.report.remedy = why.remedy;
  applied.map.reset();
}

/// "transposes.cu:14, LDS R9, [R6]"; of inlined code the innermost line in the user's own files.
std::string place_of(const LaunchReport& launch, const Refusal& refusal) {
  if (!refusal.row || *refusal.row >= launch.instructions->size()) return "";
  const findings::InstructionReport& row = (*launch.instructions)[*refusal.row];
  if (row.line == 0) return row.sass;
  std::string file = row.file;
  std::uint32_t line = row.line;
  for (const findings::SourcePlace& call : row.inlined_at) {
    if (!file.starts_with('/')) break;
    file = call.file;
    line = call.line;
  }
  return file + ":" + std::to_string(line) + ", " + row.sass;
}

class Application {
 public:
  Application(const LaunchReport& launch, const std::vector<GivenShape>& shapes)
      : launch_(launch), log_(*launch.accesses), shapes_(shapes) {}

  Outcome run(const std::vector<const RemapRequest*>& requests) {
    for (const RemapRequest* request : requests)
      for (std::size_t i = 0; i < log_.arrays.size(); ++i)
        if (log_.arrays[i].name == request->array) add(*request, i);
    std::vector<Change> changes;
    for (Applied& applied : outcome_.applied) {
      if (!applied.map) continue;
      changes.push_back({applied.array, &*applied.map});
      auto together = recount(log_, changes);  // what each may take depends on the others
      if (together) {
        outcome_.rows = std::move(together->rows);
        continue;
      }
      changes.pop_back();
      refuse(applied, together.error().diagnostic, place_of(launch_, together.error()));
    }
    return std::move(outcome_);
  }

 private:
  void add(const RemapRequest& request, std::size_t index) {
    const LoggedArray& array = log_.arrays[index];
    Applied applied;
    applied.array = index;
    applied.report.array = array.name;
    applied.report.layout = request.text.substr(request.text.find('=') + 1);
    applied.report.bytes_before = applied.report.bytes = array.size_bytes;
    const auto fill = [&]() -> Result<void> {
      for (const Applied& other : outcome_.applied)
        if (other.array == index && other.map)
          return fail("remap.twice", array.name, "another --remap gives it a layout already", "Give one of them.");
      const auto layout = layout_of(request, index);
      if (!layout) return tl::unexpected(layout.error());
      applied.report.layout = solve::layout_text(*layout);
      const bool stays = request.layout.kind == solve::LayoutText::Kind::row_major;
      applied.report.description = stays ? "as it is" : solve::describe(*layout);
      auto map = ByteMap::of(*layout);
      if (!map) return tl::unexpected(map.error());
      applied.map = std::move(*map);
      return {};
    };
    if (const auto filled = fill(); !filled) {
      refuse(applied, filled.error(), "");
    } else if (const auto alone = recount(log_, index, *applied.map); !alone) {
      refuse(applied, alone.error().diagnostic, place_of(launch_, alone.error()));
    } else {
      applied.report.bytes = applied.map->bytes();
      add_figures(applied.report, *alone);
    }
    outcome_.applied.push_back(std::move(applied));
  }

  static void add_figures(RemapReport& report, const Recount& alone) {
    report.wavefronts_before = alone.before.wavefronts;
    report.ideal_before = alone.before.ideal;
    report.wavefronts = alone.after.wavefronts;
    report.ideal = alone.after.ideal;
  }

  Result<solve::Layout> layout_of(const RemapRequest& request, std::size_t index) const {
    const LoggedArray& array = log_.arrays[index];
    if (array.size_bytes == 0) return fail("remap.empty", array.name, "the array has no bytes in this launch");
    const auto given = std::find_if(shapes_.begin(), shapes_.end(),
                                    [&](const GivenShape& shape) { return shape.array == array.name; });
    std::uint32_t element_bytes = given != shapes_.end() ? given->element_bytes : array.element_bytes;
    std::uint32_t row_elements = given != shapes_.end() ? given->row_elements : 0;
    if (request.layout.needs_rows() && element_bytes == 0)
      return fail("remap.shape", array.name, "the size of its elements is not known",
                  "Give it: --shape " + array.name + "=ROWSxCOLUMNSxTYPE.");
    if (request.layout.needs_rows() && row_elements == 0 && request.layout.row_elements == 0) {
      const std::vector<SeenRow> rows = seen_rows(log_, index);
      if (!rows.empty()) row_elements = rows.front().row_bytes / element_bytes;
      if (row_elements == 0)
        return fail("remap.shape", array.name,
                    "no access steps from row to row, so the length of its rows is not known",
                    "Give it: --shape " + array.name + "=ROWSxCOLUMNSxTYPE, or " +
                        request.text.substr(request.text.find('=') + 1) + "@COLUMNS.");
    }
    return solve::layout_from(request.layout, array.size_bytes, std::max(1u, element_bytes), row_elements);
  }

  const LaunchReport& launch_;
  const AccessLog& log_;
  const std::vector<GivenShape>& shapes_;
  Outcome outcome_;
};

/// A figure of the blocks that ran, for the whole grid.
std::uint64_t scaled(std::uint64_t figure, const LaunchReport& launch) {
  if (launch.sampled_blocks == 0) return figure;
  const auto blocks = static_cast<unsigned __int128>(launch.grid[0]) * launch.grid[1] * launch.grid[2];
  return static_cast<std::uint64_t>((figure * blocks + launch.sampled_blocks / 2) / launch.sampled_blocks);
}

void put(LaunchReport& launch, const Outcome& outcome) {
  for (const Applied& applied : outcome.applied) {
    RemapReport report = applied.report;
    for (std::uint64_t* figure : {&report.wavefronts_before, &report.ideal_before, &report.wavefronts, &report.ideal})
      *figure = scaled(*figure, launch);
    launch.remaps.push_back(std::move(report));
  }
  for (const RowRecount& row : outcome.rows) {
    const findings::InstructionReport& measured = (*launch.instructions)[row.row];
    // The row's other accesses keep what they cost.
    const auto changed = [&](std::uint64_t all, std::uint64_t before, std::uint64_t after) {
      return all - std::min(all, scaled(before, launch)) + scaled(after, launch);
    };
    launch.remapped_rows.push_back({row.row, changed(measured.wavefronts, row.before.wavefronts, row.after.wavefronts),
                                    changed(measured.ideal, row.before.ideal, row.after.ideal),
                                    row.after.worst_degree});
  }
}

/// The arrays that a request may have meant: "tile, smem".
std::string arrays_of(const ProgramReport& report, const RemapRequest& request) {
  std::set<std::string> names;
  for (const LaunchReport& launch : report.launches)
    if (launch.accesses && means(request, launch))
      for (const LoggedArray& array : launch.accesses->arrays) names.insert(array.name);
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

Diagnostic unknown_array(const ProgramReport& report, const RemapRequest& request) {
  const bool any = std::any_of(report.launches.begin(), report.launches.end(),
                               [&](const LaunchReport& launch) { return means(request, launch); });
  const std::string where = "--remap " + request.text;
  if (!any)
    return {"remap.unknown-kernel", where, "no kernel of that name was launched and counted",
            "Name it as the report does, without scope and arguments.", Severity::error};
  const std::string arrays = arrays_of(report, request);
  if (arrays.empty())
    return {"remap.unknown-array", where, "the names of the shared arrays are not known",
            "They come from the program's PTX: build it with -lineinfo, or with PTX embedded.", Severity::error};
  return {"remap.unknown-array", where, "no kernel has a shared array of that name", "There are: " + arrays + ".",
          Severity::error};
}

}  // namespace

Result<RemapRequest> read_remap(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    return fail("remap.text", "'" + text + "'", "expected ARRAY=LAYOUT",
                "For instance tile=pad+1 or kernel:tile=swizzle<5,2,5>.");
  RemapRequest request;
  request.text = text;
  std::string name = text.substr(0, equals);
  // The last single colon parts the kernel from the array; "::" belongs to a name.
  for (std::size_t at = name.size(); at-- > 0;) {
    if (name[at] != ':') continue;
    if (at > 0 && name[at - 1] == ':') {
      --at;
      continue;
    }
    request.kernel = name.substr(0, at);
    name.erase(0, at + 1);
    break;
  }
  if (name.empty()) return fail("remap.text", "'" + text + "'", "expected the array's name before '='");
  request.array = name;
  auto layout = solve::read_layout_text(std::string_view(text).substr(equals + 1));
  if (!layout) return tl::unexpected(layout.error());
  request.layout = std::move(*layout);
  return request;
}

void apply_remaps(ProgramReport& report, const std::vector<RemapRequest>& requests,
                  const std::vector<GivenShape>& shapes) {
  std::map<std::pair<const AccessLog*, std::vector<const RemapRequest*>>, Outcome> outcomes;
  std::set<const RemapRequest*> used;
  for (LaunchReport& launch : report.launches) {
    if (!launch.accesses) continue;
    std::vector<const RemapRequest*> meant;
    for (const RemapRequest& request : requests)
      if (means(request, launch)) meant.push_back(&request);
    const auto [place, is_new] = outcomes.try_emplace({launch.accesses.get(), meant});
    if (is_new) place->second = Application(launch, shapes).run(meant);
    put(launch, place->second);
    for (const RemapRequest* request : meant)
      for (const LoggedArray& array : launch.accesses->arrays)
        if (array.name == request->array) used.insert(request);
  }
  for (const RemapRequest& request : requests)
    if (used.count(&request) == 0) report.problems.push_back(unknown_array(report, request));
}

}  // namespace lanebank::advise
