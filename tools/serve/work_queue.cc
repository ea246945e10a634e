#include "serve/work_queue.h"

#include <exception>
#include <utility>

namespace firth::tools {

WorkQueue::WorkQueue(size_t threads, size_t most) : most_(most) {
  try {
    for (size_t i = 0; i < threads; ++i) {
      threads_.emplace_back([this] { Run(); });
    }
  } catch (const std::exception&) {
    End();  // The destructor is not called.
    throw;
  }
}

WorkQueue::~WorkQueue() { End(); }

void WorkQueue::End() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool WorkQueue::Add(std::function<void()> job) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (jobs_.size() >= most_) return false;
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
  return true;
}

void WorkQueue::Run() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ends_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    lock.lock();
  }
}

}  // namespace firth::tools
