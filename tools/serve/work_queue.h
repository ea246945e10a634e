// A queue of jobs, which several threads run in the order in which they were
// added.

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
  // Starts the threads. At most `most` jobs can wait at the same time. Throws
  // std::system_error if the system starts no more threads.
  WorkQueue(size_t threads, size_t most);
  // Completes all jobs, including those that wait, and ends the threads.
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // Adds a job. Returns false, without adding it, if too many jobs wait.
  // Thread-safe.
  bool Add(std::function<void()> job);

 private:
  void Run();
  void End();

  const size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace firth::tools

#endif  // FIRTH_TOOLS_SERVE_WORK_QUEUE_H_
