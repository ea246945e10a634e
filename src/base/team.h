// Work that the threads of a team divide among themselves.
//
// RunTeam() starts a team, whose first thread does the work. However deep
// inside, the work may be divided: into tasks, as one a direction, which may be
// divided themselves, or into ranges of rows. Threads that have nothing to do
// take what comes. So a team of four helps two tasks, and one alone as well.
// Outside of a team a division is a plain loop.
//
// Who takes which range, and how many there are, is left to chance and to the
// number of threads: what is computed must not depend on where a range ends.
// That holds where each row is made by itself, and for sums over rows where
// columns are divided. Then results are the same, bit for bit, with any number
// of threads.

#ifndef FIRTH_BASE_TEAM_H_
#define FIRTH_BASE_TEAM_H_

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/change_count.h"
#include "base/parallel_exceptions.h"

namespace firth {

using TeamTask = absl::FunctionRef<void(size_t)>;

// Holds the tasks that the threads of a team may take from each other.
class Team {
 public:
  // Returns when task(i), which does not throw, is done for all i < count: by
  // this thread and by those that help.
  void Divide(size_t count, TeamTask task);
  // Takes tasks until there will be no more.
  void Help();
  // Sends those who help away. Nothing is divided any more.
  void Close();

 private:
  struct Division {
    TeamTask task;
    size_t count;
    size_t next;  // the first that nobody has taken
    size_t left;  // that are not done
  };

  // Does one of a division's tasks; of any, if null. False: there is none.
  bool DoOne(Division* division);

  std::mutex mutex_;             // of all below but changes_
  std::vector<Division*> open_;  // of which tasks are not taken
  bool closed_ = false;
  // Counts what those who wait may wait for.
  ChangeCount changes_;
};

// The team of this thread, and how many of its threads, with this one, there
// are for what this one does.
struct TeamPlace {
  Team* team = nullptr;
  size_t share = 1;
};
inline thread_local TeamPlace team_place;

// Sets it as long as it lives.
class InTeam {
 public:
  explicit InTeam(TeamPlace place) : before_(team_place) { team_place = place; }
  ~InTeam() { team_place = before_; }
  InTeam(const InTeam&) = delete;
  InTeam& operator=(const InTeam&) = delete;

 private:
  TeamPlace before_;
};

// Does the work with a team of so many threads; inside of a team, with that.
// Throws what the work throws.
void RunTeam(int threads, absl::FunctionRef<void()> work);

// Calls task(i) for all i < count, which share the team. Throws what one
// throws.
template <class Task>
void ForTasks(size_t count, const Task& task) {
  const TeamPlace place = team_place;
  if (place.share == 1 || count <= 1) {
    for (size_t i = 0; i < count; ++i) task(i);
    return;
  }
  const size_t share = (place.share + count - 1) / count;
  ParallelExceptions exceptions;
  place.team->Divide(count, [&](size_t i) {
    exceptions.Catch([&] {
      const InTeam own({place.team, share});
      task(i);
    });
  });
  exceptions.Rethrow();
}

// Calls work(begin, end) for ranges that make up [0, count), each of at least
// `least`, if there are as many, and each from a multiple of `step` on. Throws
// what a call throws.
template <class Work>
void ForRanges(size_t count, size_t step, size_t least, const Work& work) {
  // More than there are threads: one of them may come late.
  constexpr size_t kRangesPerThread = 2;
  const size_t share = team_place.share;
  const size_t steps = (count + step - 1) / step;
  const size_t ranges = share == 1
                            ? 1
                            : std::min({kRangesPerThread * share, steps,
                                        count / std::max<size_t>(least, 1)});
  if (ranges <= 1) {
    if (count > 0) work(size_t{0}, count);
    return;
  }
  ForTasks(ranges, [&](size_t r) {
    work(steps * r / ranges * step,
         std::min(count, steps * (r + 1) / ranges * step));
  });
}

}  // namespace firth

#endif  // FIRTH_BASE_TEAM_H_
