#include "cudart/process.hpp"

#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace lanebank::cudart {

const lanebank_shim* shim = nullptr;

namespace {

std::atomic<Process*> the_process = nullptr;

void write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

session::EngineOptions options_from_environment() {
  auto options = session::EngineOptions::from_environment([](const char* name) { return std::getenv(name); });
  if (!options) fail_internally("environment", to_string(options.error()));
  return std::move(*options);
}

}  // namespace

void tell(std::string_view text) {
  std::fflush(stderr);
  write_all(STDERR_FILENO, "lanebank: " + std::string(text) + "\n");
}

void fail_internally(std::string_view where, std::string_view what) {
  tell(std::string(where) + ": " + std::string(what));
  ::_exit(125);
}

Process::Process(session::EngineOptions options)
    : reported_(!options.channel.empty()), engine_(std::move(options), {.print = [this](std::string_view text) {
                                                     std::lock_guard lock(output_mutex_);
                                                     output_ += text;
                                                   }}) {
  for (std::size_t i = 0; i < std::size(limits); ++i) limits[i] = default_limits[i];
  if (engine_.setup_error()) tell(to_string(*engine_.setup_error()));
  pthread_atfork(nullptr, nullptr, [] {
    if (Process* process = existing()) process->mark_forked();
  });
}

Process& Process::get() {
  static std::mutex mutex;
  if (Process* process = existing()) return *process;
  std::lock_guard lock(mutex);
  if (existing() == nullptr) the_process.store(new Process(options_from_environment()));
  return *existing();
}

Process* Process::existing() { return the_process.load(std::memory_order_acquire); }

ThreadState& Process::thread() {
  static thread_local ThreadState state;
  return state;
}

void Process::tell_unless_reported(const Diagnostic& diagnostic) const {
  if (!reported_) tell(to_string(diagnostic));
}

const DeviceModel& Process::model() {
  std::call_once(model_once_, [&] {
    registry_.refresh(engine_);
    model_ = &device_model(engine_.architecture());
  });
  return *model_;
}

Error Process::admit(OnFault on_fault) {
  if (on_fault == OnFault::plain) return cudaSuccess;
  if (forked()) return abi::cudaErrorInitializationError;
  if (on_fault == OnFault::waits) {
    flush_device_output();
    const Error pending = pending_fault_.exchange(cudaSuccess);
    if (pending != cudaSuccess && known_fault_ == cudaSuccess) known_fault_ = pending;
  }
  return known_fault_;
}

void Process::fault(Error error) {
  if (!is_spoiled()) pending_fault_ = error;
}

void Process::reset() {
  flush_device_output();
  if (is_spoiled()) known_fault_ = abi::cudaErrorDevicesUnavailable;  // as measured: the process must end
  pending_fault_ = cudaSuccess;
}

void Process::flush_device_output() {
  std::string text;
  {
    std::lock_guard lock(output_mutex_);
    text.swap(output_);
  }
  if (text.empty()) return;
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (forked()) return;
  std::fflush(stdout);
}

void Process::print_assertion(const std::string& text) {
  const std::string line = text + "\n";
  {
    std::lock_guard lock(output_mutex_);
    if (output_.ends_with(line)) output_.resize(output_.size() - line.size());
  }
  std::fflush(stderr);
  write_all(STDERR_FILENO, line);
}

}  // namespace lanebank::cudart
