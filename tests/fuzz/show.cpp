// `lanebank show`: any words give an answer or a Diagnostic, never a crash. The input's lines are the first expression,
// the tile, a loop, a definition, a swizzle, the instruction, and further expressions.
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "picture/svg.hpp"
#include "show/json.hpp"
#include "show/pictures.hpp"
#include "show/text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lanebank;
  std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
  show::Request request;
  std::string line;
  const auto next = [&] { return static_cast<bool>(std::getline(in, line)) && !line.empty(); };
  if (std::getline(in, line)) request.expressions.push_back(line);
  if (next()) request.tiles.push_back(line);
  if (next()) request.loops.push_back(line);
  if (next()) request.definitions.push_back(line);
  if (next()) request.swizzles.push_back(line);
  if (next()) request.instruction = line;
  if (next()) request.condition = line;
  while (std::getline(in, line) && request.expressions.size() < 4) request.expressions.push_back(line);
  if (!request.expressions.empty() && request.expressions.front().empty()) request.expressions.clear();
  request.block = "64";
  request.warp = 1;
  request.cures = false;  // the solver has a target of its own
  const Result<show::Answer> answer = show::answer(request);
  if (!answer) {
    if (answer.error().what.empty() || answer.error().id.empty()) std::abort();
    return 0;
  }
  show::TextOptions options;
  options.phases = options.compare = true;
  if (show::write_text(*answer, options).empty() || show::write_json(*answer).empty()) std::abort();
  if (size % 8 == 0 && picture::draw_svg(show::picture_of(*answer, true, true)).empty()) std::abort();
  return 0;
}
