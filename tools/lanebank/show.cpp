#include "show.hpp"

#include <algorithm>
#include <fstream>
#include <istream>
#include <iterator>
#include <optional>
#include <ostream>

#include "output.hpp"
#include "picture/svg.hpp"
#include "show/json.hpp"
#include "show/pictures.hpp"
#include "solve/problem_json.hpp"

namespace lanebank::tools {
namespace {

constexpr int success = 0, failure = 125;
constexpr std::streamsize problem_limit_bytes = 64 << 20;

int report(const Diagnostic& diagnostic, std::ostream& err) {
  err << "lanebank show: " << to_string(diagnostic) << '\n';
  return failure;
}

/// Is it the name of a problem file rather than an expression?
bool names_file(const std::string& word) { return word == "-" || word.ends_with(".json"); }

Result<std::string> content_of(const std::string& path, std::istream& input) {
  std::ifstream file;
  if (path != "-") {
    file.open(path, std::ios::binary);
    if (!file) return fail("show.unreadable", path, "cannot be read", "Give a problem file, or - for standard input.");
  }
  std::istream& in = path == "-" ? input : file;
  try {
    std::string text;
    char buffer[1 << 16];
    while (in.read(buffer, sizeof buffer) || in.gcount() > 0) {
      text.append(buffer, static_cast<std::size_t>(in.gcount()));
      if (static_cast<std::streamsize>(text.size()) > problem_limit_bytes)
        return fail("show.unreadable", path, "larger than 64 MiB", "Give a problem file.");
    }
    return text;
  } catch (const std::ios_base::failure&) {
    return fail("show.unreadable", path, "cannot be read", "Give a problem file, or - for standard input.");
  }
}

Result<show::Answer> answer_of(const show::Request& request, std::istream& input) {
  const auto file = std::find_if(request.expressions.begin(), request.expressions.end(), names_file);
  if (file == request.expressions.end()) return show::answer(request);
  if (request.expressions.size() > 1)
    return fail("show.arguments", *file, "a problem file stands alone", "Give either one problem file or expressions.");
  const std::string& path = *file;
  const Result<std::string> text = content_of(path, input);
  if (!text) return tl::unexpected(text.error());
  const Result<solve::Problem> problem = solve::problem_from_json(*text, path == "-" ? "standard input" : path);
  if (!problem) return tl::unexpected(problem.error());
  return show::answer(*problem, request);
}

/// Writes `text` to the file, or to `out` where it is "-".
Result<void> deliver(std::optional<Output>& file, const std::string& path, const std::string& text, std::ostream& out) {
  if (path.empty()) return {};
  if (path == "-") {
    out << text;
    return {};
  }
  return file->write(text);
}

Result<void> open(std::optional<Output>& file, const std::string& path) {
  if (path.empty() || path == "-") return {};
  Result<Output> opened = Output::open(path);
  if (!opened) return tl::unexpected(opened.error());
  file.emplace(std::move(*opened));
  return {};
}

}  // namespace

int run_show(ShowArguments arguments, std::istream& input, std::ostream& out, std::ostream& err,
             const Terminal& terminal) {
  const ArchitectureRules rules = architecture_rules(arguments.request.architecture);
  if (arguments.json == "-" && arguments.svg == "-")
    return report(
        {"show.arguments", "--json - --svg -", "both would go to standard output", "Give one of them a file."}, err);
  const Result<show::Answer> answer = answer_of(arguments.request, input);
  if (!answer) return report(answer.error(), err);
  std::optional<Output> json, svg;
  for (const Result<void>& opened : {open(json, arguments.json), open(svg, arguments.svg)})
    if (!opened) return report(opened.error(), err);
  if (rules.rules_of != 0 && !rules.measured)
    err << "lanebank show: note: sm_" << arguments.request.architecture << ": " << rules.source << '\n';
  arguments.text.width = arguments.width != 0 ? arguments.width : terminal.width;
  if (arguments.json != "-" && arguments.svg != "-") out << show::write_text(*answer, arguments.text);
  Result<void> done = deliver(json, arguments.json, arguments.json.empty() ? "" : show::write_json(*answer), out);
  if (done && !arguments.svg.empty())
    done = deliver(svg, arguments.svg,
                   picture::draw_svg(show::picture_of(*answer, arguments.text.phases, arguments.text.compare)), out);
  if (!done) return report(done.error(), err);
  out.flush();
  if (!out) return report({"show.unwritable", "standard output", "cannot be written", "Is the disk full?"}, err);
  return success;
}

}  // namespace lanebank::tools
