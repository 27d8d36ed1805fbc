#include "child.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace lanebank::tools {
namespace {

volatile sig_atomic_t child_process = 0;

/// A signal from the terminal reaches the whole foreground group, the program included; one that somebody sent
/// to lanebank goes on to the program.
void pass_on(int signal, siginfo_t* info, void*) {
  const int saved = errno;
  if (info->si_code != SI_KERNEL && child_process > 0) ::kill(static_cast<pid_t>(child_process), signal);
  errno = saved;
}

constexpr int passed_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

/// Handlers for the time that the program runs.
class Forwarding {
 public:
  Forwarding() {
    struct sigaction action {};
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    for (std::size_t i = 0; i < std::size(passed_signals); i++) {
      ::sigaction(passed_signals[i], nullptr, &saved_[i]);
      if (saved_[i].sa_handler != SIG_IGN) ::sigaction(passed_signals[i], &action, nullptr);
    }
  }
  ~Forwarding() {
    for (std::size_t i = 0; i < std::size(passed_signals); i++) ::sigaction(passed_signals[i], &saved_[i], nullptr);
    child_process = 0;
  }
  Forwarding(const Forwarding&) = delete;
  Forwarding& operator=(const Forwarding&) = delete;

  /// In the child: as they were.
  void restore() const {
    for (std::size_t i = 0; i < std::size(passed_signals); i++) ::sigaction(passed_signals[i], &saved_[i], nullptr);
  }

 private:
  struct sigaction saved_[std::size(passed_signals)];
};

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  for (const std::string& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

std::string start_problem(int error) {
  if (error == ENOEXEC) return "cannot be run: it is neither a program of this machine nor a script with a #! line";
  if (error == ENOENT) return "cannot be run: the interpreter or loader that it names does not exist";
  return std::string("cannot be run: ") + std::strerror(error);
}

}  // namespace

Result<ChildEnd> run_child(const std::string& path, const std::vector<std::string>& arguments,
                           const std::vector<std::string>& environment) {
  const std::vector<char*> argv = pointers(arguments), envp = pointers(environment);
  int failure[2];  // the child writes errno when it cannot become the program
  if (::pipe2(failure, O_CLOEXEC) != 0) return fail("program.start", path, start_problem(errno));
  const auto begin = std::chrono::steady_clock::now();
  Forwarding forwarding;
  sigset_t all, before;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);  // no signal is lost between fork and the note of the child
  const pid_t child = ::fork();
  if (child == 0) {
    forwarding.restore();
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    ::execve(path.c_str(), argv.data(), envp.data());
    const int error = errno;
    [[maybe_unused]] const ssize_t count = ::write(failure[1], &error, sizeof error);
    ::_exit(127);
  }
  const int fork_error = errno;
  child_process = child;
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  ::close(failure[1]);
  if (child < 0) {
    ::close(failure[0]);
    return fail("program.start", path, start_problem(fork_error));
  }
  int error = 0;
  ssize_t count;
  while ((count = ::read(failure[0], &error, sizeof error)) < 0 && errno == EINTR) {
  }
  ::close(failure[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (count == sizeof error) return fail("program.start", path, start_problem(error));
  ChildEnd end;
  end.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  end.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return end;
}

std::vector<std::string> changed_environment(char** base, const std::vector<std::string>& changes) {
  const auto name_of = [](std::string_view entry) { return entry.substr(0, entry.find('=') + 1); };
  std::vector<std::string> result;
  for (char** entry = base; entry && *entry; entry++) {
    const bool changed = std::any_of(changes.begin(), changes.end(),
                                     [&](const std::string& change) { return name_of(change) == name_of(*entry); });
    if (!changed) result.emplace_back(*entry);
  }
  result.insert(result.end(), changes.begin(), changes.end());
  return result;
}

}  // namespace lanebank::tools
