// The bank model and the solver for Python.
#include "module.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include "checks/fast_cost.hpp"
#include "checks/wavefronts_csv.hpp"
#include "lanebank/bank_model.hpp"
#include "solve/problem_json.hpp"
#include "solve/solution_json.hpp"
#include "solve/solve.hpp"

namespace lanebank::python {
namespace {

template <class... Shape>
using Array = nb::ndarray<Shape..., nb::c_contig, nb::device::cpu>;
using Lanes = Array<const std::uint32_t, nb::shape<-1, lanes_per_warp>>;
using Rows = Array<std::uint32_t, nb::shape<-1>>;
using ConstRows = Array<const std::uint32_t, nb::shape<-1>>;

std::string row_name(std::size_t row) { return "row " + std::to_string(row); }

/// Throws where the hardware would fault.
void check_alignment(const Access& access, std::size_t row) {
  const std::uint32_t used = access.active_lanes & addressing_lanes(access.kind, access.matrices);
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
    if ((used >> lane & 1) != 0 && access.addresses[lane] % access.lane_bytes != 0)
      refuse({"wavefronts.misaligned", row_name(row),
              "address " + std::to_string(access.addresses[lane]) + " of lane " + std::to_string(lane) +
                  " is not a multiple of " + std::to_string(access.lane_bytes) + " bytes: the hardware would fault",
              "Correct the addresses, or width_bytes.", Severity::error});
}

[[noreturn]] void refuse_unmodelled(const Access& access, std::size_t row, unsigned architecture) {
  const Cost known = lanebank::cost(access, architecture);
  refuse({"wavefronts.rule", row_name(row),
          known.modelled ? "the hardware's counters follow no known rule where a copy conflicts on both sides"
                         : known.reason,
          known.modelled ? "The source page's figure is known: counters=False." : "", Severity::error});
}

/// wavefronts[i], ideal[i] of row i of `addresses`, with the lanes of masks[i]. `sources` has no rows, or as many as `addresses`.
void wavefronts(const Lanes& addresses, const ConstRows& masks, const Lanes& sources, const std::string& instruction,
                unsigned width_bytes, unsigned architecture, bool counters, Rows& result, Rows& ideal) {
  const solve::InstructionName* name = solve::instruction_named(instruction);
  if (name == nullptr)
    refuse({"wavefronts.instruction", "", "unknown instruction '" + instruction + "'",
            "Known: LDS, STS, LDSM, STSM, ATOMS, " + solve::instruction_names() + ".", Severity::error});
  if (name->lane_bytes != 0 && name->lane_bytes != width_bytes)
    refuse({"wavefronts.width", "",
            instruction + " moves " + std::to_string(name->lane_bytes) + " bytes per lane, not " +
                std::to_string(width_bytes),
            "Correct width_bytes, or the instruction's name.", Severity::error});
  nb::gil_scoped_release others_may_run;
  Access access;
  access.kind = name->kind;
  access.lane_bytes = width_bytes;
  if (name->matrices != 0) access.matrices = name->matrices;
  if (name->source_stride != 0) access.source = SourceOrder::given;
  for (unsigned lane = 0; lane < lanes_per_warp; ++lane) access.sources[lane] = lane * name->source_stride;
  const AccessRule rule = access_rule(architecture, access.kind, access.lane_bytes);
  for (std::size_t row = 0; row < addresses.shape(0); ++row) {
    access.active_lanes = masks(row);
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane) {
      access.addresses[lane] = addresses(row, lane);
      if (sources.shape(0) != 0) access.sources[lane] = sources(row, lane);
    }
    check_alignment(access, row);
    if (counters) {
      const checks::AccessFigures figures = checks::access_figures(access, architecture, false);
      if (!figures.wavefronts) refuse_unmodelled(access, row, architecture);
      result(row) = *figures.wavefronts;
      ideal(row) = *figures.ideal;
    } else {
      const checks::FastCost cost = checks::fast_cost(rule, access);
      if (!cost.modelled) refuse_unmodelled(access, row, architecture);
      result(row) = cost.wavefronts;
      ideal(row) = cost.ideal;
    }
  }
}

/// lanebank.problem/1 to lanebank.solution/1.
std::string solve_problem(const std::string& text, unsigned architecture, std::uint64_t work, bool map) {
  nb::gil_scoped_release others_may_run;
  Result<solve::Problem> problem = solve::problem_from_json(text, "problem");
  if (!problem) refuse(problem.error());
  problem->architecture = architecture;
  solve::Limits limits;
  if (work != 0) limits.work = work;
  const Result<solve::Solution> solution = solve::solve(*problem, limits);
  if (!solution) refuse(solution.error());
  solve::Writing writing;
  writing.map = map;
  return solve::to_json(*problem, *solution, writing);
}

}  // namespace

void add_model(nb::module_& module) {
  module.def("wavefronts", &wavefronts, "addresses"_a, "masks"_a, "sources"_a, "instruction"_a, "width_bytes"_a,
             "architecture"_a, "counters"_a, "wavefronts"_a, "ideal"_a);
  module.def("solve", &solve_problem, "problem"_a, "architecture"_a, "work"_a, "map"_a);
}

}  // namespace lanebank::python
