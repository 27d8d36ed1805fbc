#include "probe.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

#include "child.hpp"

namespace lanebank::tools {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t most_output = 64 << 10;

std::chrono::milliseconds left_until(Clock::time_point end) {
  return std::max(std::chrono::milliseconds(0),
                  std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()));
}

/// Reads until the other side closes or time is up.
std::string read_until(int descriptor, Clock::time_point end) {
  std::string text;
  char buffer[4096];
  for (;;) {
    pollfd wanted{descriptor, POLLIN, 0};
    const int ready = ::poll(&wanted, 1, static_cast<int>(left_until(end).count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return text;
    const ssize_t count = ::read(descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer, std::min<std::size_t>(static_cast<std::size_t>(count), most_output - text.size()));
  }
}

/// True when the process ended in time.
bool reap(pid_t process, Clock::time_point end, int& status) {
  for (;;) {
    const pid_t result = ::waitpid(process, &status, WNOHANG);
    if (result == process) return true;
    if (result < 0 && errno != EINTR) return false;
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  for (const std::string& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

/// A process group of its own, so that all of it can be stopped.
int start(const std::vector<std::string>& command, const std::vector<std::string>& environment, int output,
          pid_t& process) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  const int error = ::posix_spawn(&process, command.front().c_str(), &actions, &attributes, pointers(command).data(),
                                  pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

Result<ProbeAnswer> ask_program(const std::vector<std::string>& command, const std::vector<std::string>& changes,
                                std::chrono::milliseconds limit) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail("probe.pipe", command.front(), std::strerror(errno));
  pid_t process = 0;
  const int error = start(command, changed_environment(environ, changes), ends[1], process);
  ::close(ends[1]);
  if (error != 0) {
    ::close(ends[0]);
    return fail("probe.start", command.front(), std::string("cannot be started: ") + std::strerror(error));
  }
  const Clock::time_point end = Clock::now() + limit;
  ProbeAnswer answer;
  answer.output = read_until(ends[0], end);
  ::close(ends[0]);
  int status = 0;
  answer.ended = reap(process, end, status);
  if (!answer.ended) {
    ::kill(-process, SIGKILL);
    // A process that waits for its driver does not die: it is not waited for any longer.
    reap(process, Clock::now() + std::chrono::milliseconds(200), status);
    return answer;
  }
  answer.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return answer;
}

}  // namespace lanebank::tools
