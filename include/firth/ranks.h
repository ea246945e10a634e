// Ranks: processes that share one training run, on several machines or cores.
//
// Ranks is the interface to the communication layer, such as MPI: training
// calls it for sums and exchanges over all ranks and does not depend on how
// they are transmitted. Without ranks, a process works alone.

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

// A communication channel between all ranks.
//
// Every function except the first four is collective: each rank must call the
// same functions in the same order, with spans of the same size unless stated
// otherwise, and waits for the others. A channel is used by one thread at a
// time; concurrent threads need a channel each. Errors: Aborted, another rank
// has given up (an implementation may end the process instead, as MPI does).
// Exceptions do not reach other ranks, so a rank that runs out of memory must
// call Abort().
class Ranks {
 public:
  virtual ~Ranks() = default;

  // Returns the index of this process, from 0.
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Returns the name of this rank's machine, for messages.
  virtual std::string Machine() const = 0;
  // Ends all ranks, immediately or when each of them communicates next. The
  // caller must have reported the reason.
  virtual void Abort() = 0;

  // Replaces the values by their sums over all ranks, bit for bit the same on
  // each.
  virtual absl::Status Sum(absl::Span<float> values) = 0;
  virtual absl::Status Sum(absl::Span<double> values) = 0;
  virtual absl::Status Sum(absl::Span<uint64_t> values) = 0;
  // Sends to[r] to rank r. Returns what each rank sent to this one, in rank
  // order.
  virtual absl::StatusOr<std::vector<std::string>> Exchange(
      const std::vector<std::string>& to) = 0;
  // Exchanges the parts of a vector: of the values, counts[r] belong to rank
  // r, one part after another. Replaces *own by every rank's version of this
  // rank's part, [size, counts[rank]]. The counts must be the same on all
  // ranks.
  virtual absl::Status SendParts(absl::Span<const size_t> counts,
                                 absl::Span<const float> values,
                                 std::vector<float>* own) = 0;
  // Replaces every part by that of the rank to which it belongs. Parts are as
  // in SendParts().
  virtual absl::Status GatherParts(absl::Span<const size_t> counts,
                                   absl::Span<float> values) = 0;
  // Starts to gather `own` of each rank into `all`, [size, own.size()], and
  // returns immediately. Both must stay valid until AwaitGather(), which waits
  // for the gather that was started first.
  virtual absl::Status BeginGather(absl::Span<const char> own, char* all) = 0;
  virtual absl::Status AwaitGather() = 0;
  // Returns a second channel between the same ranks, for a thread that runs
  // next to the workers. It sleeps while it waits and leaves the cores to them.
  virtual absl::StatusOr<std::unique_ptr<Ranks>> Another() = 0;
};

// A stop request that reaches all ranks. While it exists, a thread of each rank
// compares the ranks' own flags ten times per second over its own channel, and
// sets the shared flag everywhere once one of them is set. This also reaches
// ranks that are busy with their own work, such as reading. Ranks see the flag
// at slightly different times, so they still have to agree on the position at
// which they stop.
class SharedStop {
 public:
  // Starts the thread; collective. `own` is set when this rank is asked to
  // stop, and is borrowed. Errors: those of Ranks::Another().
  static absl::StatusOr<std::unique_ptr<SharedStop>> Begin(
      Ranks& ranks, const std::atomic<bool>& own);
  // Waits until all ranks reach this point.
  ~SharedStop();
  SharedStop(const SharedStop&) = delete;
  SharedStop& operator=(const SharedStop&) = delete;

  // Becomes true once any rank was asked to stop.
  const std::atomic<bool>* flag() const { return &requested_; }

 private:
  SharedStop(std::unique_ptr<Ranks> channel, const std::atomic<bool>& own);
  void Ask();

  const std::unique_ptr<Ranks> channel_;
  const std::atomic<bool>& own_;
  std::atomic<bool> requested_ = false;
  std::mutex mutex_;
  std::condition_variable ended_;
  // Guarded by mutex_.
  bool ending_ = false;
  // Declared last because it uses all other members.
  std::thread asker_;
};

// Joins the ranks with which this process was started, for example by mpirun.
// Loads the module built by `make MPI=1`, and MPI with it. A process that was
// started alone is the only rank. Call it at most once per process. Errors:
// FailedPrecondition, with what is missing.
absl::StatusOr<std::unique_ptr<Ranks>> JoinRanks();

// Returns the same status on all ranks: OK if all are OK, otherwise the error
// of the first rank that has one, with the rank's name unless all have it. If a
// status was already agreed on, it is returned again without communication. A
// rank that fails alone may therefore return early to its next call of Agree();
// the other ranks then receive its error there. If `ranks` is null, this
// process is alone, and its own status is returned.
absl::Status Agree(Ranks* ranks, const absl::Status& own);
// Like Agree(), for work that the first rank does for all: its error is
// returned without its name. One rank may call this while others call Agree().
absl::Status AgreeWithFirst(Ranks* ranks, const absl::Status& own);

// Pairs of a name and this rank's text. All ranks have the same names in the
// same order.
using NamedTexts = std::vector<std::pair<std::string, std::string>>;

// Checks that every rank has the same texts as rank 0. Errors:
// FailedPrecondition on each rank: "NAME: expected the same on all ranks, found
// ... on rank 0 and ... on rank 2".
absl::Status CheckSameOnAll(Ranks& ranks, const NamedTexts& own);

// Returns how many ranks were started together, according to the environment; 1
// if there is only this process.
int RanksStarted();

// Returns the name of a rank, "rank 1 of 4 on HOST".
std::string RankName(const Ranks& ranks);

}  // namespace firth

#endif  // FIRTH_RANKS_H_
