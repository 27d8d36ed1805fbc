// Runs a program and gathers what it says.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace lanebank::testing {

struct ProgramEnd {
  int exit_code = 0;  ///< 128 + n after signal n
  std::string output, errors;
};

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + " cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A file of its own that goes with the object.
class TemporaryFile {
 public:
  TemporaryFile() {
    char name[] = "/tmp/lanebank-test-XXXXXX";
    const int descriptor = mkstemp(name);
    if (descriptor < 0) throw std::runtime_error("no temporary file");
    close(descriptor);
    path_ = name;
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }
  std::string text() const { return read_file(path_); }

 private:
  std::string path_;
};

inline ProgramEnd run_program(const std::vector<std::string>& command,
                              const std::map<std::string, std::string>& environment = {}) {
  TemporaryFile output, errors;
  const pid_t child = fork();
  if (child == 0) {
    dup2(open(output.path().c_str(), O_WRONLY | O_TRUNC), 1);
    dup2(open(errors.path().c_str(), O_WRONLY | O_TRUNC), 2);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), output.text(), errors.text()};
}

}  // namespace lanebank::testing
