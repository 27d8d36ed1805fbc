// EngineOptions to environment variables and back.
#include <charconv>
#include <cstring>

#include "session/engine.hpp"

namespace lanebank::session {
namespace {

template <class T>
Result<void> read_number(const char* name, const char* text, T& value) {
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  if (error != std::errc{} || stop != end)
    return fail("environment.number", name, "'" + std::string(text) + "' is no whole number");
  return {};
}

}  // namespace

Result<EngineOptions> EngineOptions::from_environment(const std::function<const char*(const char*)>& variable) {
  EngineOptions options;
  auto number = [&](const char* name, auto& value) -> Result<void> {
    const char* text = variable(name);
    return text ? read_number(name, text, value) : Result<void>{};
  };
  auto text = [&](const char* name, std::string& value) {
    if (const char* found = variable(name)) value = found;
  };
  auto flag = [&](const char* name, bool& value) -> Result<void> {
    unsigned set = value;
    return number(name, set).map([&] { value = set != 0; });
  };
  for (const Result<void>& result :
       {number("LANEBANK_ARCH", options.architecture), number("LANEBANK_JOBS", options.jobs),
        number("LANEBANK_LAUNCH_SKIP", options.launch_skip), number("LANEBANK_LAUNCH_COUNT", options.launch_count),
        number("LANEBANK_SAMPLE_BLOCKS", options.sample_blocks), flag("LANEBANK_PROGRESS", options.progress),
        flag("LANEBANK_ALL_INSTRUCTIONS", options.all_instructions), flag("LANEBANK_ACCESS_LOG", options.access_log),
        flag("LANEBANK_WORK", options.work)})
    if (!result) return tl::unexpected(result.error());
  text("LANEBANK_KERNEL_NAME", options.kernel_name);
  text("LANEBANK_KERNEL_NAME_BASE", options.kernel_name_base);
  text("LANEBANK_CHANNEL", options.channel);
  text("LANEBANK_CHECKS", options.checks);
  text("PATH", options.search_path);
  text("TMPDIR", options.temporary_folder);
  return options;
}

std::vector<std::string> EngineOptions::to_environment() const {
  return {"LANEBANK_ARCH=" + std::to_string(architecture),
          "LANEBANK_JOBS=" + std::to_string(jobs),
          "LANEBANK_KERNEL_NAME=" + kernel_name,
          "LANEBANK_KERNEL_NAME_BASE=" + kernel_name_base,
          "LANEBANK_LAUNCH_SKIP=" + std::to_string(launch_skip),
          "LANEBANK_LAUNCH_COUNT=" + std::to_string(launch_count),
          "LANEBANK_CHANNEL=" + channel,
          "LANEBANK_CHECKS=" + checks,
          "LANEBANK_SAMPLE_BLOCKS=" + std::to_string(sample_blocks),
          "LANEBANK_PROGRESS=" + std::to_string(progress ? 1 : 0),
          "LANEBANK_ALL_INSTRUCTIONS=" + std::to_string(all_instructions ? 1 : 0),
          "LANEBANK_ACCESS_LOG=" + std::to_string(access_log ? 1 : 0),
          "LANEBANK_WORK=" + std::to_string(work ? 1 : 0)};
}

}  // namespace lanebank::session
