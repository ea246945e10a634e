// A long call: work on a thread of its own, while the thread of the call, on
// which alone the caller's functions may be used, waits and serves it: it
// delivers what there is to report, and fetches sentences ahead of the work.

#ifndef FIRTH_C_LONG_CALL_H_
#define FIRTH_C_LONG_CALL_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/corpus.h"
#include "firth/firth.h"
#include "firth/progress.h"

namespace firth::c {

// Sentences one after another in one block of bytes.
struct SentenceBatch {
  std::string bytes;
  std::vector<size_t> word_ends;      // in bytes
  std::vector<size_t> sentence_ends;  // in words

  // Appends n sentences. Errors: InvalidArgument, an empty word, offsets that
  // are none; nothing is appended then.
  absl::Status Append(const char* words, const int64_t* offsets,
                      const int64_t* sentences, int64_t n);
};

// A milestone or a warning.
struct Message {
  const char* event;
  std::string text;
};

// The epoch that a caller's function is handling on this thread, or null.
const EpochProgress* AnnouncedEpoch();

// The body of a call that can take long and whose caller hands over no
// sentences. Where there is no `progress`, the work needs no further thread.
FirthStatus* AnswerLong(
    FirthProgress progress, void* context,
    absl::FunctionRef<absl::Status(const Hooks&)> work) noexcept;

// The same of a training run. If it is stopped, the work goes on with what it
// has learned so far.
FirthStatus* AnswerTraining(
    FirthProgress progress, void* context,
    absl::FunctionRef<absl::Status(const Hooks&)> work) noexcept;

// Used by one thread, for one Run().
class LongCall {
 public:
  // Both functions may be null and get `context`. `next` makes the sentences of
  // SentencesOfCaller().
  LongCall(FirthProgress progress, FirthNextSentences next, void* context);
  ~LongCall();
  LongCall(const LongCall&) = delete;
  LongCall& operator=(const LongCall&) = delete;

  // For the work to read.
  SentenceSource SentencesOfCaller();

  // Returns what the work returns; what it throws as a status.
  absl::Status Run(absl::FunctionRef<absl::Status(const Hooks&)> work);

 private:
  using Event = std::variant<ReadProgress, MemoryEstimate, TrainProgress,
                             EpochProgress, WorkProgress, Message>;
  using Clock = std::chrono::steady_clock;
  // How long the caller's function is left without a call.
  static constexpr std::chrono::milliseconds kTick{50};

  class Sink;
  class Joined;

  void Put(Event event);
  // Returns when the caller knows all that was put, or the work is to end.
  void WaitUntilDelivered();
  void Serve(std::unique_lock<std::mutex>& lock);
  void Deliver(std::unique_lock<std::mutex>& lock);
  void Fetch(std::unique_lock<std::mutex>& lock);
  // Calls the caller's function, with null where the text is empty.
  void Tell(const std::string& event);
  bool WantsSentences() const;

  // On the thread that works.
  absl::StatusOr<std::optional<absl::Span<const absl::string_view>>>
  NextSentence();
  // Replaces the batch that is read; false at the end.
  absl::StatusOr<bool> TakeBatch();

  FirthProgress progress_;
  FirthNextSentences next_;
  void* context_;
  std::shared_ptr<FirthSentenceSink> sentences_;
  FirthSentenceSink* sentences_handle_;
  Clock::time_point last_told_ = Clock::now();

  std::mutex mutex_;
  std::condition_variable for_caller_;  // something of the next five is new
  bool done_ = false;
  std::deque<Event> events_;
  bool is_delivering_ = false;
  std::optional<SentenceBatch> fetched_;
  bool at_end_ = false;  // of the sentences
  // Events were delivered, sentences fetched, or the work is to end.
  std::condition_variable for_work_;
  absl::Status broken_;  // why there are no more sentences
  std::atomic<bool> stop_ = false;

  // Only the thread that works uses these.
  SentenceBatch batch_;
  size_t word_ = 0;      // of the batch, the next one
  size_t sentence_ = 0;  // likewise
  std::vector<absl::string_view> words_;
};

}  // namespace firth::c

#endif  // FIRTH_C_LONG_CALL_H_
