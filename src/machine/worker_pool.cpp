#include "machine/worker_pool.hpp"

#include <unistd.h>

namespace lanebank::machine {

WorkerPool::~WorkerPool() {
  if (process_ != getpid()) {
    // A forked child: the threads are the parent's.
    for (std::thread& thread : threads_) thread.detach();
    return;
  }
  {
    std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::loop(unsigned number, std::uint64_t seen) {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return ends_ || round_ != seen; });
    if (ends_) return;
    seen = round_;
    if (number >= wanted_) continue;
    const auto* job = job_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      (*job)(number);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure && !failure_) failure_ = failure;
    if (--running_ == 0) done_.notify_all();
  }
}

void WorkerPool::run(unsigned count, const std::function<void(unsigned)>& job) {
  if (count <= 1) {
    job(0);
    return;
  }
  std::unique_lock lock(mutex_);
  if (process_ != getpid()) {
    for (std::thread& thread : threads_) thread.detach();
    threads_.clear();
    process_ = getpid();
  }
  while (threads_.size() + 1 < count) {
    const unsigned number = static_cast<unsigned>(threads_.size()) + 1;
    threads_.emplace_back([this, number, seen = round_] { loop(number, seen); });
  }
  job_ = &job;
  wanted_ = count;
  running_ = count - 1;
  failure_ = nullptr;
  ++round_;
  wake_.notify_all();
  lock.unlock();
  std::exception_ptr own_failure;
  try {
    job(0);
  } catch (...) {
    own_failure = std::current_exception();
  }
  lock.lock();
  done_.wait(lock, [&] { return running_ == 0; });
  if (own_failure) std::rethrow_exception(own_failure);
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace lanebank::machine
