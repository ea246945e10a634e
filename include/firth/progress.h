// Progress reports and stop requests of long-running calls.

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
  uint64_t bytes = 0;  // Bytes of text, after decompression.
  uint64_t tokens = 0;
  uint64_t types = 0;  // Distinct words so far.
  double seconds = 0;
};

struct TrainProgress {
  double fraction = 0;  // Fraction of all epochs, 0 to 1.
  int epoch = 0;        // Index of the epoch, from 0.
  double words_per_second = 0;
  double loss = 0;  // Mean loss per example since the last report, in nats.
  double learning_rate = 0;
  double seconds_left = 0;
  double perplexity = 0;  // exp(loss) of a language model; 0 if not known.
};

// A completed epoch of word vectors.
struct EpochProgress {
  int epoch = 0;    // Index of the epoch, from 0.
  double loss = 0;  // Mean loss per example of this epoch, in nats.
  // Copies the vectors of all words, with their n-grams, as they are after this
  // epoch; for documents, the vectors of the tags. Valid until OnEpoch()
  // returns. Null if training uses views or other ranks.
  const std::function<absl::StatusOr<WordVectors>()>* copy_vectors = nullptr;
};

// Progress of other work, in words, questions or sentences.
struct WorkProgress {
  uint64_t done = 0;
  uint64_t total = 0;
};

// Memory that training needs in addition to the corpus, in bytes.
struct MemoryEstimate {
  uint64_t tables = 0;  // Input and output tables.
  // Noise table, tree, n-grams and the buffers of all threads.
  uint64_t workers = 0;
  uint64_t total() const { return tables + workers; }
  // Estimated maximum resident memory of the process. It is the larger of what
  // the process used while reading, and of what it uses now (including the
  // corpus) plus total(), the memory for writing, and copies for checkpoints if
  // there is room.
  uint64_t peak = 0;
};

// Receives progress reports. Called by one thread at a time, a few times per
// second; calls should return quickly.
class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  virtual void OnRead(const ReadProgress&) {}
  // Reports the memory that training will need, before it is allocated.
  virtual void OnMemory(const MemoryEstimate&) {}
  virtual void OnTrain(const TrainProgress&) {}
  // Called once after each epoch, in order. If training returns to a
  // checkpoint, it repeats the epochs after it.
  virtual void OnEpoch(const EpochProgress&) {}
  virtual void OnWork(const WorkProgress&) {}
  // Reports an intermediate result, one line of text for people.
  virtual void OnMilestone(absl::string_view) {}
  // Reports something the user should know, although work continues.
  virtual void OnWarning(absl::string_view) {}
};

// Progress sink, stop flag and ranks of a call. Each may be null. When *stop
// becomes true, the work ends soon and in an orderly way. With ranks, reading
// and training are shared by all ranks: each must make the same calls with the
// same options.
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
