// Threads that run blocks. A pool of our own rather than a library's: the engine lives inside other
// people's processes, where a second copy of a threading runtime, or one that does not survive fork,
// does harm; and blocks need plain threads that may wait for each other.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace lanebank::machine {

class WorkerPool {
 public:
  WorkerPool() = default;
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Calls job(0) .. job(count-1), each once, on this thread and count-1 others; returns when all are
  /// done. An exception of a job is thrown again here. After fork, the child's first call starts new threads.
  void run(unsigned count, const std::function<void(unsigned)>& job);

 private:
  void loop(unsigned number, std::uint64_t seen);
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::vector<std::thread> threads_;
  const std::function<void(unsigned)>* job_ = nullptr;
  unsigned wanted_ = 0, running_ = 0;
  std::uint64_t round_ = 0;
  bool ends_ = false;
  int process_ = 0;
  std::exception_ptr failure_;
};

}  // namespace lanebank::machine
