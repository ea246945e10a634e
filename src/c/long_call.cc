// Two threads share a few members behind one lock: the one that works puts
// events and asks for sentences, the caller's delivers and fetches. Sentences
// are fetched one batch ahead, so that both have something to do. Figures that
// change all the time replace those not yet told, and a slow caller has no
// queue that grows.

#include "c/long_call.h"

#include <thread>

#include "absl/strings/str_cat.h"
#include "c/call.h"
#include "nlohmann/json.hpp"

struct FirthSentenceSink {
  static constexpr absl::string_view kName = "FirthSentenceSink";
  std::mutex mutex;
  bool open = false;  // during a call of FirthNextSentences
  firth::c::SentenceBatch batch;
};

namespace firth::c {
namespace {

OrderedJson ToJson(const ReadProgress& read) {
  return {{"event", "read"},
          {"bytes", read.bytes},
          {"tokens", read.tokens},
          {"types", read.types},
          {"seconds", read.seconds}};
}

OrderedJson ToJson(const MemoryEstimate& memory) {
  return {{"event", "memory"},
          {"tables", memory.tables},
          {"workers", memory.workers},
          {"total", memory.total()},
          {"peak", memory.peak}};
}

OrderedJson ToJson(const TrainProgress& train) {
  return {{"event", "train"},
          {"fraction", train.fraction},
          {"epoch", train.epoch},
          {"loss", train.loss},
          {"learning_rate", train.learning_rate},
          {"words_per_second", train.words_per_second},
          {"seconds_left", train.seconds_left}};
}

OrderedJson ToJson(const EpochProgress& epoch) {
  return {{"event", "epoch"}, {"epoch", epoch.epoch}, {"loss", epoch.loss}};
}

OrderedJson ToJson(const WorkProgress& work) {
  return {{"event", "work"}, {"done", work.done}, {"total", work.total}};
}

OrderedJson ToJson(const Message& message) {
  return {{"event", message.event}, {"message", message.text}};
}

// The epoch that the caller's function is handling on this thread, or null.
thread_local const EpochProgress* announced_epoch = nullptr;

// Announces an epoch, or null, while it exists. The caller's function may make
// long calls of its own.
class Announced {
 public:
  explicit Announced(const EpochProgress* epoch)
      : outer_(std::exchange(announced_epoch, epoch)) {}
  ~Announced() { announced_epoch = outer_; }
  Announced(const Announced&) = delete;
  Announced& operator=(const Announced&) = delete;

 private:
  const EpochProgress* outer_;
};

// Of figures that change all the time only the last ones count, so that no
// queue grows while the caller is slow.
template <class Event>
bool Replaces(const Event& event) {
  return std::holds_alternative<ReadProgress>(event) ||
         std::holds_alternative<TrainProgress>(event) ||
         std::holds_alternative<WorkProgress>(event);
}

}  // namespace

absl::Status SentenceBatch::Append(const char* words, const int64_t* offsets,
                                   const int64_t* sentences, int64_t n) {
  // SentencesOf() would do the same, but takes a fifth longer.
  FIRTH_RETURN_IF_ERROR(CheckCount("n", n));
  if (n == 0) return absl::OkStatus();
  FIRTH_RETURN_IF_ERROR(CheckOffsets("sentences", sentences, n));
  const int64_t first = sentences[0];
  const int64_t count = sentences[n] - first;
  if (count > 0) {
    FIRTH_RETURN_IF_ERROR(CheckOffsets("offsets", offsets, sentences[n]));
    FIRTH_RETURN_IF_ERROR(
        CheckArray("words", words, offsets[sentences[n]] - offsets[first]));
  }
  for (int64_t word = first; word < first + count; ++word) {
    if (offsets[word] == offsets[word + 1]) {
      return absl::InvalidArgumentError(
          absl::StrCat("words: word ", word, " is empty"));
    }
  }
  const size_t words_before = word_ends.size();
  for (int64_t word = 0; word < count; ++word) {
    word_ends.push_back(
        bytes.size() +
        static_cast<size_t>(offsets[first + word + 1] - offsets[first]));
  }
  if (count > 0) {
    bytes.append(words + offsets[first], words + offsets[first + count]);
  }
  for (int64_t i = 0; i < n; ++i) {
    sentence_ends.push_back(words_before +
                            static_cast<size_t>(sentences[i + 1] - first));
  }
  return absl::OkStatus();
}

// Takes what the work reports.
class LongCall::Sink : public ProgressSink {
 public:
  explicit Sink(LongCall* call) : call_(call) {}

  void OnRead(const ReadProgress& read) override { call_->Put(read); }
  void OnMemory(const MemoryEstimate& memory) override { call_->Put(memory); }
  void OnTrain(const TrainProgress& train) override { call_->Put(train); }
  void OnEpoch(const EpochProgress& epoch) override {
    call_->Put(epoch);
    if (epoch.copy_vectors != nullptr) call_->WaitUntilDelivered();
  }
  void OnWork(const WorkProgress& work) override { call_->Put(work); }
  void OnMilestone(absl::string_view message) override {
    call_->Put(Message{"milestone", std::string(message)});
  }
  void OnWarning(absl::string_view message) override {
    call_->Put(Message{"warning", std::string(message)});
  }

 private:
  LongCall* call_;
};

// A thread that ends before this object does, even where the caller's functions
// throw.
class LongCall::Joined {
 public:
  template <class Work>
  Joined(LongCall* call, Work work) : call_(call), thread_(std::move(work)) {}
  ~Joined() {
    {
      const std::lock_guard lock(call_->mutex_);
      if (!call_->done_) call_->stop_ = true;
    }
    call_->for_work_.notify_all();
    thread_.join();
  }
  Joined(const Joined&) = delete;
  Joined& operator=(const Joined&) = delete;

 private:
  LongCall* call_;
  std::thread thread_;
};

const EpochProgress* AnnouncedEpoch() { return announced_epoch; }

FirthStatus* AnswerLong(
    FirthProgress progress, void* context,
    absl::FunctionRef<absl::Status(const Hooks&)> work) noexcept {
  if (progress == nullptr) return Answer([&] { return work(Hooks()); });
  return AnswerTraining(
      progress, context, [&](const Hooks& hooks) -> absl::Status {
        if (hooks.StopRequested()) {
          return absl::CancelledError("stopped by the callback");
        }
        return work(hooks);
      });
}

FirthStatus* AnswerTraining(
    FirthProgress progress, void* context,
    absl::FunctionRef<absl::Status(const Hooks&)> work) noexcept {
  return AnswerHere(
      [&] { return LongCall(progress, nullptr, context).Run(work); });
}

LongCall::LongCall(FirthProgress progress, FirthNextSentences next,
                   void* context)
    : progress_(progress),
      next_(next),
      context_(context),
      sentences_(std::make_shared<FirthSentenceSink>()),
      sentences_handle_(MakeHandle(sentences_)) {}

LongCall::~LongCall() { FreeHandle(sentences_handle_); }

SentenceSource LongCall::SentencesOfCaller() {
  return [this] { return NextSentence(); };
}

absl::Status LongCall::Run(absl::FunctionRef<absl::Status(const Hooks&)> work) {
  Tell("");
  Sink sink(this);
  absl::Status result;
  {
    const Joined thread(this, [&] {
      result = WithoutExceptions([&] { return work({&sink, &stop_}); });
      const std::lock_guard lock(mutex_);
      done_ = true;
      for_caller_.notify_all();
    });
    std::unique_lock lock(mutex_);
    Serve(lock);
  }
  return result;
}

void LongCall::Put(Event event) {
  const std::lock_guard lock(mutex_);
  if (progress_ == nullptr) return;
  if (!events_.empty() && events_.back().index() == event.index() &&
      Replaces(event)) {
    events_.back() = std::move(event);
  } else {
    events_.push_back(std::move(event));
  }
  for_caller_.notify_all();
}

// The vectors that the event refers to stay valid, because the work waits until
// the caller's function returns.
void LongCall::WaitUntilDelivered() {
  std::unique_lock lock(mutex_);
  for_work_.wait(
      lock, [this] { return stop_ || (events_.empty() && !is_delivering_); });
}

bool LongCall::WantsSentences() const {
  return next_ != nullptr && !at_end_ && !fetched_.has_value() && !stop_;
}

void LongCall::Serve(std::unique_lock<std::mutex>& lock) {
  const auto is_news = [this] {
    return done_ || !events_.empty() || WantsSentences();
  };
  while (!done_ || !events_.empty()) {
    if (progress_ == nullptr) {
      for_caller_.wait(lock, is_news);
    } else {
      for_caller_.wait_until(lock, last_told_ + kTick, is_news);
    }
    const bool has_events = !events_.empty();
    if (has_events) Deliver(lock);
    if (!done_ && WantsSentences()) Fetch(lock);
    if (!has_events && Clock::now() >= last_told_ + kTick) {
      lock.unlock();
      Tell("");
      lock.lock();
    }
  }
}

void LongCall::Deliver(std::unique_lock<std::mutex>& lock) {
  const Event event = std::move(events_.front());
  events_.pop_front();
  is_delivering_ = true;
  lock.unlock();
  {
    const Announced announced(std::get_if<EpochProgress>(&event));
    Tell(std::visit([](const auto& one) { return DumpJson(ToJson(one)); },
                    event));
  }
  lock.lock();
  is_delivering_ = false;
  if (progress_ == nullptr) events_.clear();
  for_work_.notify_all();
}

void LongCall::Tell(const std::string& event) {
  if (progress_ == nullptr) return;
  const int32_t answer =
      progress_(context_, event.empty() ? nullptr : event.c_str(),
                static_cast<int64_t>(event.size()));
  last_told_ = Clock::now();
  if (answer == 0) return;
  const std::lock_guard lock(mutex_);
  progress_ = nullptr;
  stop_ = true;
  for_work_.notify_all();
}

void LongCall::Fetch(std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  {
    const std::lock_guard open(sentences_->mutex);
    sentences_->open = true;
  }
  const int32_t answer = next_(context_, sentences_handle_);
  SentenceBatch batch;
  {
    const std::lock_guard open(sentences_->mutex);
    sentences_->open = false;
    std::swap(batch, sentences_->batch);
  }
  lock.lock();
  if (answer != 0) {
    broken_ =
        absl::CancelledError("the callback for sentences stopped the call");
  }
  at_end_ = answer != 0 || batch.sentence_ends.empty();
  fetched_ = std::move(batch);
  for_work_.notify_all();
}

absl::StatusOr<bool> LongCall::TakeBatch() {
  std::unique_lock lock(mutex_);
  for_work_.wait(lock, [this] { return stop_ || fetched_.has_value(); });
  FIRTH_RETURN_IF_ERROR(broken_);
  if (stop_) return absl::CancelledError("the callback stopped the call");
  batch_ = *std::move(fetched_);
  // At the end it stays, so that nobody waits for another one.
  if (at_end_) {
    fetched_.emplace();
  } else {
    fetched_.reset();
  }
  word_ = sentence_ = 0;
  for_caller_.notify_all();
  return !batch_.sentence_ends.empty();
}

absl::StatusOr<std::optional<absl::Span<const absl::string_view>>>
LongCall::NextSentence() {
  if (sentence_ == batch_.sentence_ends.size()) {
    FIRTH_ASSIGN_OR_RETURN(const bool more, TakeBatch());
    if (!more) return std::nullopt;
  }
  words_.clear();
  size_t begin = word_ == 0 ? 0 : batch_.word_ends[word_ - 1];
  for (; word_ < batch_.sentence_ends[sentence_]; ++word_) {
    const size_t end = batch_.word_ends[word_];
    words_.emplace_back(batch_.bytes.data() + begin, end - begin);
    begin = end;
  }
  ++sentence_;
  return absl::MakeConstSpan(words_);
}

extern "C" FirthStatus* firth_sentence_sink_add(FirthSentenceSink* sink,
                                                const char* words,
                                                const int64_t* offsets,
                                                const int64_t* sentences,
                                                int64_t n) {
  return AnswerHere([&]() -> absl::Status {
    FIRTH_ASSIGN_OR_RETURN(const auto target, Take("sink", sink));
    const std::lock_guard lock(target->mutex);
    if (!target->open) {
      return absl::FailedPreconditionError(
          "sink: the sink is valid only during the call that it was passed to");
    }
    return target->batch.Append(words, offsets, sentences, n);
  });
}

}  // namespace firth::c
