// How a long-running call reports and how it is asked to stop.

#ifndef FIRTH_PROGRESS_H_
#define FIRTH_PROGRESS_H_

#include <atomic>
#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firth {

class Ranks;        // firth/ranks.h
class WordVectors;  // firth/word_vectors.h

struct ReadProgress {
  uint64_t bytes = 0;  // of text, after decompression
  uint64_t tokens = 0;
  uint64_t types = 0;  // different words so far
  double seconds = 0;
};

struct TrainProgress {
  double fraction = 0;  // of all epochs, 0 to 1
  int epoch = 0;        // from 0
  double words_per_second = 0;
  double loss = 0;  // mean per example since the last report, nats
  double learning_rate = 0;
  double seconds_left = 0;
  double perplexity = 0;  // exp(loss), of language models; 0: not known
};

// An epoch of word vectors that is over.
struct EpochProgress {
  int epoch = 0;    // from 0
  double loss = 0;  // mean per example of this epoch, nats
  // Copies the vectors of all words, with their n-grams, as this epoch leaves
  // them. Valid until OnEpoch() returns. Null in a training with views or with
  // other ranks.
  const std::function<absl::StatusOr<WordVectors>()>* copy_vectors = nullptr;
};

// How far other work has come: words, questions or sentences of it.
struct WorkProgress {
  uint64_t done = 0;
  uint64_t total = 0;
};

// Memory that training takes besides the corpus, in bytes.
struct MemoryEstimate {
  uint64_t tables = 0;   // input and output table
  uint64_t workers = 0;  // noise table, tree, n-grams, buffers of all threads
  uint64_t total() const { return tables + workers; }
  // The most that the process will have had resident: what it has now, with the
  // corpus, the total, what writing takes, and copies for checkpoints if there
  // is room for them; or what it had while it read.
  uint64_t peak = 0;
};

// Receives reports. Called by one thread at a time, a few times a second; a
// call should return quickly.
class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  virtual void OnRead(const ReadProgress&) {}
  // Reports the memory that training will need, before it starts.
  virtual void OnMemory(const MemoryEstimate&) {}
  virtual void OnTrain(const TrainProgress&) {}
  // Called once after each epoch, in order. A training that goes back to a
  // checkpoint repeats the epochs after it.
  virtual void OnEpoch(const EpochProgress&) {}
  virtual void OnWork(const WorkProgress&) {}
  // Reports a milestone, as a line for people.
  virtual void OnMilestone(absl::string_view) {}
  // Something the user should know although the work goes on.
  virtual void OnWarning(absl::string_view) {}
};

// All may be null. When *stop becomes true, work ends soon and in order. With
// ranks, reading and training are those of all ranks together: each calls the
// same with the same options.
struct Hooks {
  ProgressSink* progress = nullptr;
  const std::atomic<bool>* stop = nullptr;
  Ranks* ranks = nullptr;

  bool StopRequested() const {
    return stop != nullptr && stop->load(std::memory_order_relaxed);
  }
  void ReportWork(uint64_t done, uint64_t total) const {
    if (progress != nullptr) progress->OnWork({done, total});
  }
};

}  // namespace firth

#endif  // FIRTH_PROGRESS_H_
