// Threads that do jobs in the order in which they came.

#ifndef FIRTH_TOOLS_SERVE_WORK_QUEUE_H_
#define FIRTH_TOOLS_SERVE_WORK_QUEUE_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace firth::tools {

class WorkQueue {
 public:
  // At most `most` jobs wait.
  WorkQueue(size_t threads, size_t most);
  // Waits for all jobs.
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // False where too many wait already. Thread-safe.
  bool Add(std::function<void()> job);

 private:
  void Run();

  const size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_WORK_QUEUE_H_
