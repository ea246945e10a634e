// Ranks: the processes that work on one training together, each on a machine or
// a core of its own.
//
// This is the seam behind which MPI stands: a training asks for sums and
// exchanges over all ranks, and does not know what carries them. Who passes no
// ranks works alone.

#ifndef FIRTH_RANKS_H_
#define FIRTH_RANKS_H_

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace firth {

// A channel between all ranks. Every function but the first four is for all
// ranks together: each calls the same ones in the same order, with spans of the
// same size but where it is said, and waits for the others. One thread at a
// time; threads that talk at the same time have a channel each. Errors:
// Aborted, another rank has given up (an implementation may end the process
// instead, as MPI does). An exception is no error that others hear of: who runs
// out of memory calls Abort().
class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual int rank() const = 0;  // of this process, from 0
  virtual int size() const = 0;
  // The machine that this rank works on, for messages.
  virtual std::string Machine() const = 0;
  // Ends all ranks at once, as soon as each of them talks next or at once. The
  // caller has said why.
  virtual void Abort() = 0;

  // Replaces the values by their sums over all ranks, the same bits on each.
  virtual absl::Status Sum(absl::Span<float> values) = 0;
  virtual absl::Status Sum(absl::Span<double> values) = 0;
  virtual absl::Status Sum(absl::Span<uint64_t> values) = 0;
  // to[r] goes to rank r. Returns what came from each rank, in their order.
  virtual absl::StatusOr<std::vector<std::string>> Exchange(
      const std::vector<std::string>& to) = 0;
  // The next two functions exchange parts: counts[r] of the values are the part
  // of rank r, in the order of the ranks; the counts are the same on all ranks.
  //
  // Replaces *own by what all ranks have of this rank's part, [size,
  // counts[rank]].
  virtual absl::Status SendParts(absl::Span<const size_t> counts,
                                 absl::Span<const float> values,
                                 std::vector<float>* own) = 0;
  // Makes every part what its rank has there.
  virtual absl::Status GatherParts(absl::Span<const size_t> counts,
                                   absl::Span<float> values) = 0;
  // Begins to gather what each rank has, `own`, to `all`, [size, own.size()],
  // and returns while it is on its way; both stay until AwaitGather(), which
  // waits for the one that was begun first.
  virtual absl::Status BeginGather(absl::Span<const char> own, char* all) = 0;
  virtual absl::Status AwaitGather() = 0;
  // A second channel between the same ranks, for a thread beside those that
  // work: it waits asleep, so that they have the cores.
  virtual absl::StatusOr<std::unique_ptr<Ranks>> Another() = 0;
};

// A request to stop that reaches all ranks. While it lives, a thread of each
// rank compares the ranks' own flags ten times a second over a channel of its
// own, and sets the shared flag everywhere once one of them is set. This also
// reaches ranks that are busy with their own work, such as reading. Ranks see
// the flag at slightly different times, so they still have to agree on the
// position at which they stop.
class SharedStop {
 public:
  // All ranks call it together. `own` is set when this rank is asked to stop,
  // and is borrowed. Errors: those of Ranks::Another().
  static absl::StatusOr<std::unique_ptr<SharedStop>> Begin(
      Ranks& ranks, const std::atomic<bool>& own);
  // Waits until all ranks have come here.
  ~SharedStop();
  SharedStop(const SharedStop&) = delete;
  SharedStop& operator=(const SharedStop&) = delete;

  // True once any rank was asked to stop.
  const std::atomic<bool>* flag() const { return &requested_; }

 private:
  SharedStop(std::unique_ptr<Ranks> channel, const std::atomic<bool>& own);
  void Ask();

  const std::unique_ptr<Ranks> channel_;
  const std::atomic<bool>& own_;
  std::atomic<bool> requested_ = false;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ending_ = false;  // guarded by mutex_
  std::thread asker_;    // last: it uses all others
};

// Joins the ranks that this process was started with, as by mpirun: loads the
// module that `make MPI=1` builds, and MPI with it. A process that was started
// by itself is the only rank. Call once in a process. Errors:
// FailedPrecondition, with what is missing.
absl::StatusOr<std::unique_ptr<Ranks>> JoinRanks();

// All ranks return the same: OK where each is, else the error of the first rank
// that has one, with the rank's name unless all have it. What it has returned
// on all ranks it returns again without asking the others: so a rank that fails
// by itself may return to where it agrees the next time, while the others
// agree, hear of it and return.
absl::Status Agree(Ranks& ranks, const absl::Status& own);
// The same for what the first rank does for all: its error goes without its
// name. One rank may call this where others call Agree().
absl::Status AgreeWithFirst(Ranks& ranks, const absl::Status& own);

// Pairs of a name and the text that a rank has under it. All ranks have the
// same names in one order.
using NamedTexts = std::vector<std::pair<std::string, std::string>>;

// Whether every rank has the same texts as rank 0. Errors: FailedPrecondition
// on each rank: "NAME: expected the same on all ranks, found ... on rank 0 and
// ... on rank 2".
absl::Status CheckSameOnAll(Ranks& ranks, const NamedTexts& own);

// How many ranks the environment says were started together; 1: none but this.
int RanksStarted();

// "rank 1 of 4 on HOST".
std::string RankName(const Ranks& ranks);

}  // namespace firth

#endif  // FIRTH_RANKS_H_
