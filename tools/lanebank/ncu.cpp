#include "ncu.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>

#include "child.hpp"
#include "observed_run.hpp"
#include "output.hpp"
#include "program_file.hpp"
#include "redirection.hpp"

namespace lanebank::tools {
namespace {

namespace fs = std::filesystem;

/// The commands that make the files for --import.
std::string how_to_collect(const std::string& program) {
  return "  ncu --section SourceCounters --metrics " + verify::metrics_to_collect() + " -o report " + program +
         "\n"
         "  ncu --import report.ncu-rep --csv --page source --print-units base > source.csv\n"
         "  ncu --import report.ncu-rep --csv --page raw --print-units base > raw.csv\n"
         "  lanebank verify --import source.csv --import raw.csv -- " +
         program;
}

/// In the order of preference; of several releases the newest.
std::vector<std::string> usual_places() {
  std::vector<std::string> places{"/usr/local/cuda/bin/ncu"}, releases;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/opt/nvidia/nsight-compute", error))
    releases.push_back((entry.path() / "ncu").string());
  std::sort(releases.rbegin(), releases.rend());
  places.insert(places.end(), releases.begin(), releases.end());
  return places;
}

/// A line of ncu's log that speaks of an error, without its mark; else nothing.
std::string error_in(const std::string& log) {
  constexpr std::string_view mark = "==ERROR==";
  const std::size_t at = log.find(mark);
  if (at == log.npos) return {};
  const std::size_t begin = log.find_first_not_of(' ', at + mark.size());
  return begin == log.npos ? std::string() : log.substr(begin, std::min(log.find('\n', begin), log.size()) - begin);
}

/// "The application returned an error code (3)."
std::optional<int> program_code_in(const std::string& log) {
  constexpr std::string_view words = "returned an error code (";
  const std::size_t at = log.find(words);
  if (at == log.npos) return std::nullopt;
  int code = 0;
  const char* first = log.data() + at + words.size();
  const auto [end, error] = std::from_chars(first, log.data() + log.size(), code);
  return error == std::errc{} && end != first ? std::optional(code & 255) : std::nullopt;
}

std::string text_of(const std::string& path) { return content_of(path).value_or(std::string()); }

std::vector<std::string> environment() { return changed_environment(environ, {}); }

struct NcuEnd {
  int exit_code = 0;
  std::string said;  ///< standard error
};

/// ncu with its standard output in a file.
Result<NcuEnd> run_ncu(const std::string& ncu, const std::vector<std::string>& words, const std::string& output) {
  std::vector<std::string> command{ncu};
  command.insert(command.end(), words.begin(), words.end());
  const std::string errors = output + ".stderr";
  Result<ChildEnd> end = [&] {
    const Redirection out(STDOUT_FILENO, output), error(STDERR_FILENO, errors);
    return run_child(ncu, command, environment());
  }();
  if (!end) return tl::unexpected(end.error());
  NcuEnd result{end->exit_code, text_of(errors)};
  std::error_code ignored;
  fs::remove(errors, ignored);
  return result;
}

Result<verify::Measurement> read_csv(const std::string& path, const std::string& name) {
  std::ifstream in(path, std::ios::binary);
  std::error_code error;
  if (!in.is_open() || !fs::is_regular_file(path, error))
    return fail("ncu.unreadable", name, "cannot be read", "Give a file that ncu wrote.");
  return verify::read_ncu_csv(in, name);
}

/// Both pages of a report, joined.
Result<verify::Measurement> convert(const std::string& ncu, const std::string& report, const std::string& folder,
                                    const std::string& name) {
  std::vector<verify::Measurement> pages;
  for (const char* page : {"source", "raw"}) {
    const std::string file = folder + "/" + page + ".csv";
    const auto end = run_ncu(ncu, {"--import", report, "--csv", "--page", page, "--print-units", "base"}, file);
    if (!end) return tl::unexpected(end.error());
    if (end->exit_code != 0) {
      std::string why = error_in(end->said + text_of(file));
      return fail("ncu.failed", name,
                  "ncu cannot show its " + std::string(page) + " page" + (why.empty() ? "" : ": " + why),
                  "An older ncu does not read the reports of a newer one: name another with --ncu.");
    }
    auto launches = read_csv(file, std::string(page) + " page of " + name);
    if (!launches) return launches;
    pages.push_back(std::move(*launches));
  }
  return verify::joined(std::move(pages[0]), std::move(pages[1]));
}

tl::unexpected<Diagnostic> not_permitted(const std::string& program) {
  return fail("ncu.permission", program,
              "ncu is not permitted to read the GPU's performance counters (ERR_NVGPUCTRPERM)",
              "Ask the administrator to let all users profile: the line 'options nvidia "
              "NVreg_RestrictProfilingToAdminUsers=0' in\n"
              "  /etc/modprobe.d/nvidia-profiling.conf, then a reload of the driver or a reboot; or profile as root; "
              "in a container, start\n"
              "  it with --cap-add=SYS_ADMIN. https://developer.nvidia.com/ERR_NVGPUCTRPERM\n"
              "  Or profile where that is permitted, and compare here:\n" +
                  how_to_collect(program));
}

tl::unexpected<Diagnostic> failed(const std::string& program, const std::string& log, int exit_code) {
  const std::string why = error_in(log);
  return fail("ncu.failed", program,
              "ncu ended with " + std::to_string(exit_code) + (why.empty() ? " and no report" : ": " + why),
              "Does the program run by itself on this machine, and `ncu` on it? --keep DIR keeps what ncu said.");
}

}  // namespace

Result<std::string> find_ncu(const std::string& given) {
  const std::string path = variable_or_empty("PATH");
  if (!given.empty()) return find_program(given, path).map([](const ProgramFile& program) { return program.path; });
  std::vector<std::string> places{"ncu"};
  for (const std::string& place : usual_places()) places.push_back(place);
  for (const std::string& place : places)
    if (const auto program = find_program(place, path)) return program->path;
  return fail("ncu.missing", "ncu",
              "Nsight Compute is neither on PATH nor in /usr/local/cuda/bin nor in /opt/nvidia/nsight-compute",
              "It comes with the CUDA toolkit (Debian and Ubuntu: cuda-nsight-compute-13-0 of NVIDIA's repository); "
              "--ncu names it elsewhere.\n"
              "  Or measure on another machine, and compare here:\n" +
                  how_to_collect("./app"));
}

Result<void> require_gpu() {
  std::error_code error;
  for (const char* device : {"/dev/nvidiactl", "/dev/nvhost-gpu", "/dev/dxg"})
    if (fs::exists(device, error)) return {};
  return fail("ncu.no-gpu", "this machine",
              "has no NVIDIA GPU, or its driver is not loaded (there is no /dev/nvidiactl)",
              "`lanebank run` needs none. To compare with a measurement of another machine, collect there:\n" +
                  how_to_collect("./app"));
}

Result<Profile> profile(const std::string& ncu, const std::vector<std::string>& command,
                        const session::EngineOptions& engine, const std::string& folder) {
  const std::string report = folder + "/report.ncu-rep", log_file = folder + "/ncu.log",
                    output = folder + "/program.out";
  std::error_code ignored;
  fs::remove(report, ignored);
  std::vector<std::string> words{"--target-processes",
                                 "all",
                                 "--clock-control",
                                 "none",
                                 "--section",
                                 "SourceCounters",
                                 "--metrics",
                                 verify::metrics_to_collect(),
                                 "--log-file",
                                 log_file,
                                 "-f",
                                 "-o",
                                 report};
  if (!engine.kernel_name.empty())
    words.insert(words.end(), {"--kernel-name", engine.kernel_name, "--kernel-name-base", engine.kernel_name_base});
  if (engine.launch_skip != 0) words.insert(words.end(), {"--launch-skip", std::to_string(engine.launch_skip)});
  if (engine.launch_count != ~std::uint64_t{0})
    words.insert(words.end(), {"--launch-count", std::to_string(engine.launch_count)});
  words.insert(words.end(), command.begin(), command.end());
  const auto end = run_ncu(ncu, words, output);
  if (!end) return tl::unexpected(end.error());
  std::string log = text_of(log_file);  // ncu's words alone, unless it did not come to open it
  if (log.empty()) log = end->said + text_of(output);
  const std::string& program = command.front();
  if (log.find("ERR_NVGPUCTRPERM") != log.npos) return not_permitted(program);
  Profile result;
  if (const auto code = program_code_in(log); code && *code != 0) {
    result.exit_code = *code;
    return result;
  }
  const bool has_report = fs::is_regular_file(report, ignored);
  if (!has_report && log.find("No kernels were profiled") != log.npos)
    return fail("ncu.no-kernel", program, "ncu saw no kernel of it, or none that the filters take",
                "Does it launch kernels on the GPU of this machine? Filters: -k, -s, -c.");
  if (!has_report || end->exit_code != 0) return failed(program, log, end->exit_code);
  auto launches = convert(ncu, report, folder, "the report");
  if (!launches) return tl::unexpected(launches.error());
  result.launches = std::move(*launches);
  return result;
}

Result<verify::Measurement> import_measurement(const std::string& file, const std::string& ncu,
                                               const std::string& folder) {
  std::ifstream in(file, std::ios::binary);
  char head[4] = {};
  in.read(head, sizeof head);
  const bool is_report =
      fs::path(file).extension().string().starts_with(".ncu-rep") || std::string_view(head, 3) == "NVR";
  if (!is_report || !in.is_open()) return read_csv(file, file);
  const auto found = find_ncu(ncu);
  if (!found)
    return fail("ncu.missing", file, "is a report of Nsight Compute, which only ncu reads, and there is none here",
                "Convert it where ncu is:\n"
                "  ncu --import " +
                    file +
                    " --csv --page source --print-units base > source.csv\n"
                    "  ncu --import " +
                    file +
                    " --csv --page raw --print-units base > raw.csv\n"
                    "  and give both: --import source.csv --import raw.csv");
  return convert(*found, file, folder, file);
}

}  // namespace lanebank::tools
