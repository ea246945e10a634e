// The threads are OpenMP's. Their work is a list of divisions protected by a
// lock. A task lasts at least microseconds, and taking one costs tens of
// nanoseconds. OpenMP's own tasks would be as good on an idle machine (see
// ChangeCount).
//
// No cycle of waiting threads is possible. A thread that waits for tasks waits
// for the threads that have taken them, and these wait only for tasks inside
// theirs.

#include "base/team.h"

#include <omp.h>

namespace firth {

bool Team::DoOne(Division* division) {
  size_t taken = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (division == nullptr && !open_.empty()) division = open_.back();
    if (division == nullptr || division->next == division->count) return false;
    taken = division->next++;
    if (division->next == division->count) {
      open_.erase(std::find(open_.begin(), open_.end(), division));
    }
  }
  division->task(taken);
  bool last = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    last = --division->left == 0;
  }
  // The division may already be destroyed.
  if (last) changes_.Tell();
  return true;
}

void Team::Divide(size_t count, TeamTask task) {
  Division own{task, count, 0, count};
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    open_.push_back(&own);
  }
  changes_.Tell();
  while (DoOne(&own)) {
  }
  for (;;) {
    const uint32_t seen = changes_.Seen();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (own.left == 0) return;
    }
    changes_.Await(seen);
  }
}

void Team::Help() {
  for (;;) {
    const uint32_t seen = changes_.Seen();
    if (DoOne(nullptr)) continue;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (closed_) return;
    }
    changes_.Await(seen);
  }
}

void Team::Close() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
  }
  changes_.Tell();
}

void RunTeam(int threads, absl::FunctionRef<void()> work) {
  if (threads == 1 || team_place.team != nullptr) {
    work();
    return;
  }
  Team team;
  ParallelExceptions exceptions;
#pragma omp parallel num_threads(threads)
  if (omp_get_thread_num() == 0) {
    exceptions.Catch([&] {
      const InTeam place({&team, static_cast<size_t>(omp_get_num_threads())});
      work();
    });
    team.Close();
  } else {
    team.Help();
  }
  exceptions.Rethrow();
}

}  // namespace firth
