#include "solve.hpp"

#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <ios>
#include <istream>
#include <iterator>
#include <optional>
#include <ostream>

#include "output.hpp"
#include "solve/exact_count.hpp"
#include "solve/problem_json.hpp"
#include "solve/solution_json.hpp"
#include "solve/solve.hpp"

namespace lanebank::tools {
namespace {

constexpr int success = 0, failure = 125;

int report(const Diagnostic& diagnostic, std::ostream& err) {
  err << "lanebank solve: " << to_string(diagnostic) << '\n';
  return failure;
}

Result<std::string> content_of(const std::string& path, std::istream& input) {
  std::ifstream file;
  errno = 0;
  if (path != "-") file.open(path, std::ios::binary);
  std::istream& in = path == "-" ? input : file;
  try {
    if (in) {
      std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
      if (!in.bad()) return text;
    }
  } catch (const std::ios_base::failure&) {  // read() fails on a directory, for one
  }
  return fail("problem.unreadable", path, std::string("cannot be read: ") + std::strerror(errno != 0 ? errno : EIO),
              "Give a problem file, or - for standard input.");
}

/// "3,1,3" in the order and unit of the arguments.
Result<solve::Swizzle> swizzle_of(const SolveArguments& arguments, solve::SwizzleOrder order) {
  unsigned numbers[3] = {};
  const char *at = arguments.swizzle.data(), *end = at + arguments.swizzle.size();
  bool good = true;
  for (unsigned i = 0; i < 3 && good; ++i) {
    const auto [after, error] = std::from_chars(at, end, numbers[i]);
    good = error == std::errc{} && numbers[i] <= 20 && (i == 2 ? after == end : after != end && *after == ',');
    at = after + 1;
  }
  const solve::Swizzle swizzle = solve::swizzle_from(order, numbers[0], numbers[1], numbers[2], arguments.unit_bytes);
  if (good && swizzle.shift >= static_cast<int>(swizzle.bits) && swizzle.base + swizzle.shift + swizzle.bits <= 31)
    return swizzle;
  return fail("solve.swizzle", "--swizzle " + arguments.swizzle, "not the three numbers of a swizzle",
              "Give three small numbers with commas between them, the shift at least the bits: 3,4,3.");
}

/// Counts the swizzle that was given beside the solution.
Result<solve::Candidate> counted(const solve::Problem& problem, const solve::Swizzle& swizzle) {
  const solve::Layout layout = solve::Layout::swizzled(problem.tile, swizzle);
  const solve::ExactCount count = solve::exact_count(problem, layout);
  const bool tears = !std::has_single_bit(problem.tile.element_bytes);
  std::uint32_t widest = problem.tile.element_bytes;
  for (const solve::Pattern& pattern : problem.patterns) widest = std::max(widest, pattern.access_bytes);
  if (tears || !count.served || (1u << swizzle.base) < widest)
    return fail("solve.swizzle", solve::to_text(swizzle),
                "it tears vectors or elements of " + std::to_string(widest) + " bytes apart",
                "Its base must keep runs of at least that many bytes together.");
  return solve::Candidate{layout, count.total, layout.bytes(), layout.index_instructions(), count.wavefronts};
}

Result<std::string> problem_text(const SolveArguments& arguments, std::istream& input, std::ostream& err) {
  if (!arguments.ask) return content_of(arguments.problem, input);
  Result<std::string> text = ask_problem(input, err);
  if (!text || arguments.save.empty()) return text;
  Result<Output> file = Output::open(arguments.save);
  if (!file) return tl::unexpected(file.error());
  if (Result<void> written = file->write(*text); !written) return tl::unexpected(written.error());
  return text;
}

Result<void> write_answer(const SolveArguments& arguments, const solve::Problem& problem,
                          const solve::Solution& solution, const solve::Writing& writing, const std::string& title,
                          std::ostream& out) {
  const std::string json = arguments.json.empty() ? "" : solve::to_json(problem, solution, writing);
  if (arguments.json == "-") {
    out << json;
  } else {
    if (!json.empty()) {
      Result<Output> file = Output::open(arguments.json);
      if (!file) return tl::unexpected(file.error());
      if (Result<void> written = file->write(json); !written) return written;
    }
    out << solve::to_text(problem, solution, title, writing);
  }
  out.flush();
  if (!out) return fail("solve.unwritable", "standard output", "cannot be written", "Is the disk full?");
  return {};
}

Result<void> answer(const SolveArguments& arguments, std::istream& input, std::ostream& out, std::ostream& err) {
  solve::Writing writing;
  writing.order =
      arguments.order == "sbm" ? solve::SwizzleOrder::shift_bits_base : solve::SwizzleOrder::bits_base_shift;
  writing.unit_bytes = arguments.unit_bytes;
  writing.map = arguments.map;
  std::optional<solve::Swizzle> given;
  if (!arguments.swizzle.empty()) {
    const Result<solve::Swizzle> swizzle = swizzle_of(arguments, writing.order);
    if (!swizzle) return tl::unexpected(swizzle.error());
    given = *swizzle;
  }
  const Result<std::string> text = problem_text(arguments, input, err);
  if (!text) return tl::unexpected(text.error());
  const std::string title = arguments.ask              ? "your answers"
                            : arguments.problem == "-" ? "standard input"
                                                       : arguments.problem;
  Result<solve::Problem> problem = solve::problem_from_json(*text, title);
  if (!problem) return tl::unexpected(problem.error());
  problem->architecture = arguments.architecture;
  solve::Limits limits;
  if (arguments.work != 0) limits.work = arguments.work;
  const Result<solve::Solution> solution = solve::solve(*problem, limits);
  if (!solution) {
    Diagnostic error = solution.error();
    error.where = title + " " + error.where;
    return tl::unexpected(error);
  }
  if (given) {
    const Result<solve::Candidate> candidate = counted(*problem, *given);
    if (!candidate) return tl::unexpected(candidate.error());
    writing.given = *candidate;
  }
  if (arguments.ask && arguments.json != "-") out << *text << '\n';
  return write_answer(arguments, *problem, *solution, writing, title, out);
}

}  // namespace

int run_solve(const SolveArguments& arguments, std::istream& input, std::ostream& out, std::ostream& err) {
  const ArchitectureRules rules = architecture_rules(arguments.architecture);
  if (rules.rules_of != 0 && !rules.measured)
    err << "lanebank solve: note: sm_" << arguments.architecture << ": " << rules.source << '\n';
  const Result<void> done = answer(arguments, input, out, err);
  return done ? success : report(done.error(), err);
}

}  // namespace lanebank::tools
