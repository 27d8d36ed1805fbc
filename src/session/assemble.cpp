#include "session/assemble.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace lanebank::session {
namespace {

namespace fs = std::filesystem;

std::string find_program(const std::string& search_path, const std::string& name) {
  std::string_view rest = search_path;
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    const std::string candidate = std::string(rest.substr(0, end)) + "/" + name;
    if (::access(candidate.c_str(), X_OK) == 0 && fs::is_regular_file(candidate)) return candidate;
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return {};
}

/// A folder of its own that goes away with its files.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& parent) {
    std::string pattern = (parent.empty() ? "/tmp" : parent) + "/lanebank-ptx-XXXXXX";
    if (::mkdtemp(pattern.data())) path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Runs a program with both outputs in a file; its wait status, or -1 when it cannot be started. Its
/// environment is empty but for PATH and TMPDIR: a preloaded lanebank stays out of it.
int run(const std::vector<std::string>& arguments, const Assembler& with, const std::string& folder,
        const std::string& output) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::string path = "PATH=" + with.search_path, temporary = "TMPDIR=" + folder;
  char* environment[] = {path.data(), temporary.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environment);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return -1;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 0;  // somebody else waited for it: the output file decides
  return status;
}

std::string first_complaint(const std::string& file) {
  std::ifstream stream(file);
  std::string line, first;
  while (std::getline(stream, line)) {
    if (first.empty()) first = line;
    if (line.find("error") != std::string::npos || line.find("fatal") != std::string::npos) return line;
  }
  return first.empty() ? "it said nothing" : first;
}

}  // namespace

Result<std::vector<std::byte>> assemble(std::string_view ptx, const std::string& target, const Assembler& with) {
  const std::string ptxas = find_program(with.search_path, "ptxas");
  if (ptxas.empty())
    return fail(
        "ptx.no_assembler", "", "the program embeds PTX only, and ptxas, which would assemble it, is not on PATH",
        "Add the bin folder of a CUDA toolkit to PATH, or build the program with machine code: nvcc -arch=" + target +
            ".");
  const TemporaryFolder folder(with.temporary_folder);
  if (folder.path().empty())
    return fail("ptx.folder", with.temporary_folder,
                "no temporary folder can be made: " + std::string(std::strerror(errno)),
                "Name a writable one in TMPDIR.");
  const std::string source = folder.path() + "/code.ptx", result = folder.path() + "/code.cubin",
                    messages = folder.path() + "/messages";
  std::ofstream(source, std::ios::binary) << ptx;
  std::vector<std::string> arguments = {ptxas, "-arch=" + target, source, "-o", result};
  if (ptx.find("\t.loc\t") != std::string_view::npos || ptx.find(".loc ") != std::string_view::npos)
    arguments.insert(arguments.begin() + 1, "-lineinfo");
  const int status = run(arguments, with, folder.path(), messages);
  std::ifstream stream(result, std::ios::binary);
  if (status != 0 || !stream)
    return fail("ptx.assembly", ptxas,
                "cannot assemble the program's PTX for " + target + ": " + first_complaint(messages),
                "Build the program with machine code: nvcc -arch=" + target + ".");
  const std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  return std::vector<std::byte>(data, data + bytes.size());
}

}  // namespace lanebank::session
