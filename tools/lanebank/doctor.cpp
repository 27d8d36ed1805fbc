#include "doctor.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <functional>
#include <future>
#include <sstream>

#include "base/diagnostic.hpp"
#include "installation.hpp"
#include "machine/lower_table.hpp"
#include "observed_run.hpp"
#include "output.hpp"
#include "probe.hpp"
#include "session/gate.hpp"

namespace lanebank::tools {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, separator);)
    if (!word.empty()) words.push_back(word);
  return words;
}

bool is_program(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

/// The first folder's program of that name; empty: none.
std::string find_tool(const std::vector<std::string>& folders, const std::string& name) {
  for (const std::string& folder : folders)
    if (const fs::path path = fs::path(folder) / name; is_program(path)) return path.string();
  return {};
}

/// "13.0.48" behind the first `mark` that a digit follows.
std::string version_in(const std::string& text, const std::string& mark) {
  const auto is_digit = [&](std::size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]));
  };
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    const std::size_t begin = at + mark.size();
    if (!is_digit(begin)) continue;
    std::size_t end = begin;
    while (is_digit(end) || (end < text.size() && text[end] == '.' && is_digit(end + 1))) end++;
    return text.substr(begin, end - begin);
  }
  return {};
}

std::string first_line(const std::string& text) {
  const auto lines = split(text, '\n');
  return lines.empty() ? "it said nothing" : lines.front();
}

void broken(DoctorPart& part, const std::string& note, const std::string& remedy) {
  part.state = PartState::broken;
  part.note = note;
  part.remedy = remedy;
}

void limited(DoctorPart& part, const std::string& note, const std::string& remedy) {
  part.state = PartState::limited;
  part.note = note;
  part.remedy = remedy;
}

/// What it said, or nothing: then `part` says why.
std::string answer_of(DoctorPart& part, const std::vector<std::string>& command, std::chrono::milliseconds limit,
                      const std::vector<std::string>& changes = {}) {
  const std::string how =
      "See what `" + fs::path(command.front()).filename().string() + " " + command.back() + "` says.";
  const auto answer = ask_program(command, changes, limit);
  if (!answer) {
    broken(part, answer.error().what, how);
  } else if (!answer->ended) {
    broken(part, "it did not answer within " + std::to_string(limit.count() / 1000.0).substr(0, 4) + " s", how);
  } else if (answer->exit_code != 0) {
    broken(part, "it ended with " + std::to_string(answer->exit_code) + ": " + first_line(answer->output), how);
  } else {
    part.state = PartState::usable;
    return answer->output;
  }
  return {};
}

class Examination {
 public:
  explicit Examination(const DoctorPlaces& places) : places_(places), on_path_(split(places.search_path, ':')) {}

  void engine(DoctorPart& part) const {
    const auto found = find_installation(places_.executable);
    if (!found)
      return broken(part, to_string({"", found.error().where, found.error().what, "", {}}), found.error().remedy);
    part.path = found->shim;
    const std::string remedy = part.remedy;
    const fs::path engine = fs::path(found->shim).parent_path() / "liblanebank_engine.so";
    if (std::error_code ignored; !fs::is_regular_file(engine, ignored))
      return broken(part, engine.filename().string() + " is not beside it", remedy);
    // The dynamic loader complains of what it cannot load, and starts the program all the same.
    const std::string said = answer_of(part, {places_.executable, "--version"}, places_.limit,
                                       {"LD_BIND_NOW=1", "LD_PRELOAD=" + found->shim + ":" + engine.string()});
    if (part.state != PartState::usable) return;
    if (said.find("cannot be preloaded") != std::string::npos) return broken(part, first_line(said), remedy);
    part.version = version_in(said, "lanebank ");
    if (found->stub_folder.empty())
      limited(part, "its stubs of libcudart and libcuda are missing: programs that name them do not start without CUDA",
              remedy);
  }

  void processor(DoctorPart& part) const {
    part.version = machine::simd_level();
    part.state = PartState::usable;
#if defined(__x86_64__)
    if (part.version != "native") part.version = "x86-64-" + part.version;
    if (!__builtin_cpu_supports("sse4.2")) broken(part, "it has no SSE4.2", part.remedy);
#endif
  }

  void temporary(DoctorPart& part) const {
    part.path = places_.temporary_folder.empty() ? "/tmp" : places_.temporary_folder;
    if (const auto channel = ChannelFile::make(places_.temporary_folder); !channel)
      return broken(part, channel.error().what, part.remedy);
    part.state = PartState::usable;
  }

  void nvcc(DoctorPart& part) const { tool(part, "nvcc", "V"); }

  /// The engine takes it from PATH alone.
  void ptxas(DoctorPart& part) const {
    tool(part, "ptxas", "V");
    if (part.state == PartState::usable && find_tool(on_path_, "ptxas").empty())
      limited(part, "it is not on PATH, where lanebank run looks for it",
              "export PATH=$PATH:" + fs::path(part.path).parent_path().string());
  }

  void gpu(DoctorPart& part) const {
    std::error_code ignored;
    const bool driver = fs::exists(fs::path(places_.driver_folder) / "version", ignored);
    part.path = find("nvidia-smi");
    if (part.path.empty()) {
      if (driver) limited(part, "a driver is loaded, but there is no nvidia-smi", "Install the driver's tools.");
      return;
    }
    const auto lines =
        split(answer_of(part, {part.path, "--query-gpu=name,compute_cap,driver_version", "--format=csv,noheader"},
                        places_.limit),
              '\n');
    if (part.state != PartState::usable) return;
    for (const std::string& line : lines) part.version += (part.version.empty() ? "" : "; ") + line;
    if (lines.empty()) broken(part, "nvidia-smi names no GPU", "See what `nvidia-smi` says.");
  }

  void ncu(DoctorPart& part) const {
    tool(part, "ncu", "Version ");
    if (part.state != PartState::usable || places_.is_root) return;
    const auto params = content_of(places_.driver_folder + "/params");
    if (params && params->find("RmProfilingAdminOnly: 1") != std::string::npos)
      limited(part, "on this machine only root may profile (RmProfilingAdminOnly)",
              "Ask for NVreg_RestrictProfilingToAdminUsers=0, or run ncu as root.");
  }

  void sanitizer(DoctorPart& part) const { tool(part, "compute-sanitizer", "Version "); }
  void cmake(DoctorPart& part) const { tool(part, "cmake", "version "); }

  void googletest(DoctorPart& part) const {
    for (const std::string& prefix : places_.prefixes) {
      const fs::path header = fs::path(prefix) / "include/gtest/gtest.h";
      std::error_code ignored;
      if (!fs::is_regular_file(header, ignored)) continue;
      part.state = PartState::usable;
      part.path = header.string();
      for (const char* folder : {"lib", "lib64", "lib/x86_64-linux-gnu"}) {
        const auto text = content_of((fs::path(prefix) / folder / "cmake/GTest/GTestConfigVersion.cmake").string());
        if (text && part.version.empty()) part.version = version_in(*text, "set(PACKAGE_VERSION \"");
      }
      return;
    }
  }

 private:
  std::string find(const std::string& name) const {
    const std::string found = find_tool(on_path_, name);
    return found.empty() ? find_tool(places_.tool_folders, name) : found;
  }

  void tool(DoctorPart& part, const std::string& name, const std::string& mark) const {
    part.path = find(name);
    if (part.path.empty()) return;
    part.version = version_in(answer_of(part, {part.path, "--version"}, places_.limit), mark);
    if (part.state == PartState::usable && part.version.empty())
      limited(part, "it does not tell its version", "See what `" + name + " --version` says.");
  }

  const DoctorPlaces& places_;
  std::vector<std::string> on_path_;
};

struct Row {
  const char *id, *name;
  bool needed;
  const char *enables, *remedy;
  void (Examination::*look)(DoctorPart&) const;
};

constexpr Row rows[] = {
#define LANEBANK_DOCTOR_PART(id, name, needed, enables, remedy) {#id, name, needed, enables, remedy, &Examination::id},
#include "doctor_parts.def"
#undef LANEBANK_DOCTOR_PART
};

/// Folders whose last part begins with `beginning`, newest name first.
void add_versions(std::vector<std::string>& folders, const fs::path& parent, const std::string& beginning) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().filename().string().rfind(beginning, 0) == 0) found.push_back(entry->path().string());
  std::sort(found.rbegin(), found.rend());
  folders.insert(folders.end(), found.begin(), found.end());
}

}  // namespace

DoctorPlaces DoctorPlaces::of_this_machine() {
  DoctorPlaces places;
  std::error_code ignored;
  places.executable = fs::read_symlink("/proc/self/exe", ignored).string();
  places.search_path = variable_or_empty("PATH");
  std::vector<std::string> toolkits;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string value = variable_or_empty(name); !value.empty()) toolkits.push_back(value);
  toolkits.emplace_back("/usr/local/cuda");
  for (const std::string& toolkit : toolkits) {
    places.tool_folders.push_back(toolkit + "/bin");
    add_versions(places.tool_folders, toolkit, "nsight-compute-");
  }
  add_versions(places.tool_folders, "/opt/nvidia/nsight-compute", "");
  places.tool_folders.emplace_back("/usr/lib/wsl/lib");
  places.prefixes = split(variable_or_empty("CMAKE_PREFIX_PATH"), ':');
  places.prefixes.insert(places.prefixes.end(), {"/usr", "/usr/local"});
  places.driver_folder = "/proc/driver/nvidia";
  places.temporary_folder = variable_or_empty("TMPDIR");
  places.is_root = ::geteuid() == 0;
  return places;
}

bool DoctorReport::can_run() const {
  return std::all_of(parts.begin(), parts.end(), [](const DoctorPart& part) {
    return !part.needed || part.state == PartState::usable || part.state == PartState::limited;
  });
}

DoctorReport examine(const DoctorPlaces& places) {
  const Examination examination(places);
  std::vector<std::future<DoctorPart>> asked;
  for (const Row& row : rows)
    asked.push_back(std::async(std::launch::async, [&row, &examination] {
      DoctorPart part{row.id, row.name, row.needed, PartState::absent, "", "", "", row.enables, row.remedy};
      (examination.*row.look)(part);
      if (part.state == PartState::usable) part.remedy.clear();
      return part;
    }));
  DoctorReport report;
  for (auto& part : asked) report.parts.push_back(part.get());
  return report;
}

int run_doctor(const DoctorArguments& arguments, const DoctorPlaces& places, std::ostream& out, std::ostream& err) {
  const auto fails = [&](const Diagnostic& diagnostic) {
    err << "lanebank doctor: " << to_string(diagnostic) << '\n';
    return session::exit_failure;
  };
  auto json = Output::open_or(arguments.json == "-" ? "" : arguments.json, Output::nowhere());
  if (!json) return fails(json.error());
  const DoctorReport report = examine(places);
  if (auto written = json->write(doctor_json(report)); !written) return fails(written.error());
  out << (arguments.json == "-" ? doctor_json(report) : doctor_text(report)) << std::flush;
  if (!out) return fails({"doctor.unwritable", "standard output", "cannot be written", "Is the disk full?"});
  return report.can_run() ? session::exit_success : session::exit_cannot_analyse;
}

}  // namespace lanebank::tools
