// Work that the threads of a team divide among themselves.
//
// RunTeam() starts a team, whose first thread does the work. At any depth, the
// work may be divided into tasks, such as one per direction, which may be
// divided further, or into ranges of rows. Idle threads take whatever becomes
// available. A team of four can therefore help with two tasks, or with one.
// Outside a team, a division is a plain loop.
//
// Which thread takes which range, and how many ranges there are, depends on
// chance and on the number of threads. Results must therefore not depend on the
// boundaries of ranges. This is the case if each row is computed independently,
// and for sums over rows if the columns are divided. Results are then the same,
// bit for bit, for any number of threads.

#ifndef FIRTH_BASE_TEAM_H_
#define FIRTH_BASE_TEAM_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/parallel_exceptions.h"

namespace firth {

// Lets the threads of a team wait for each other thousands of times per second.
//
// A waiting thread spins for a moment, since the change is usually about to
// come, and then sleeps. If a thread has lost its core to another program,
// threads that kept spinning would occupy the cores that it could run on.
// (GCC's OpenMP spins for milliseconds: next to another busy program, rounds
// took 20 times as long.)
class ChangeCount {
 public:
  // Returns the count, for Await(). A thread must call this before it checks
  // whether what it waits for has happened. It then misses no change that
  // happens in between.
  uint32_t Seen() const { return count_.load(std::memory_order_acquire); }

  // Signals a change. Everything that this thread wrote before is visible to
  // the threads that it wakes.
  void Tell() {
    // Sequentially consistent, like the check in notify_all() whether anybody
    // sleeps. A weaker change might become visible only after that check, to a
    // thread that has fallen asleep meanwhile and would then sleep forever.
    count_.fetch_add(1, std::memory_order_seq_cst);
    count_.notify_all();
  }

  // Waits until something has changed since Seen() returned `seen`.
  void Await(uint32_t seen) const {
    constexpr int kSpins = 2000;  // About 50 microseconds.
    for (int spin = 0; spin < kSpins; ++spin) {
      if (Seen() != seen) return;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    count_.wait(seen, std::memory_order_acquire);
  }

 private:
  std::atomic<uint32_t> count_{0};
};

using TeamTask = absl::FunctionRef<void(size_t)>;

// Holds the tasks that the threads of a team may take from each other.
class Team {
 public:
  // Returns when task(i) is done for all i < count, by this thread or others. A
  // task must not throw.
  void Divide(size_t count, TeamTask task);
  // Executes tasks until Close() is called.
  void Help();
  // Makes all calls of Help() return. Nothing may be divided afterwards.
  void Close();

 private:
  struct Division {
    TeamTask task;
    size_t count;
    size_t next;  // First task that is not taken.
    size_t left;  // Number of tasks that are not done.
  };

  // Executes one task of `division`, or of any division if null. Returns false
  // if there is none.
  bool DoOne(Division* division);

  std::mutex mutex_;             // Guards all members below except changes_.
  std::vector<Division*> open_;  // Divisions with tasks that are not taken.
  bool closed_ = false;
  // Counts the events that threads may wait for.
  ChangeCount changes_;
};

// The team of the current thread, and how many of its threads, including this
// one, are available for its current work.
struct TeamPlace {
  Team* team = nullptr;
  size_t share = 1;
};
inline thread_local TeamPlace team_place;

// Sets team_place while it exists.
class InTeam {
 public:
  explicit InTeam(TeamPlace place) : before_(team_place) { team_place = place; }
  ~InTeam() { team_place = before_; }
  InTeam(const InTeam&) = delete;
  InTeam& operator=(const InTeam&) = delete;

 private:
  TeamPlace before_;
};

// Runs `work` with a team of this many threads, or with the current team if
// there is one. Throws what `work` throws.
void RunTeam(int threads, absl::FunctionRef<void()> work);

// Calls task(i) for all i < count; these calls share the team. Throws what one
// of them throws.
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

// Calls work(begin, end) for ranges that make up [0, count). Each range begins
// at a multiple of `step` and has at least `least` elements, if there are that
// many. Throws what a call throws.
template <class Work>
void ForRanges(size_t count, size_t step, size_t least, const Work& work) {
  // More than one per thread, because a thread may come late.
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

// A point at which the threads of a team wait for each other.
class TeamBarrier {
 public:
  // Returns when `team` threads have called it. The last of them calls
  // complete() before any returns. What a thread wrote before is visible to all
  // threads afterwards.
  template <class Complete>
  void Wait(int team, const Complete& complete) {
    const uint32_t phase = phases_.Seen();
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == team) {
      complete();
      arrived_.store(0, std::memory_order_relaxed);
      phases_.Tell();
      return;
    }
    phases_.Await(phase);
  }

 private:
  alignas(128) ChangeCount phases_;
  alignas(128) std::atomic<int> arrived_{0};
};

}  // namespace firth

#endif  // FIRTH_BASE_TEAM_H_
