#include "train/replicas/replica_exchange.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "firth/status_macros.h"

namespace firth {
namespace {

constexpr uint64_t kFirstWords = 1024;
// Of the time.
constexpr double kShare = 0.05;
// Above, ranks on their own learn worse vectors.
constexpr int kMostRate = 4;
// What is added up at once, in values.
constexpr size_t kChunkValues = size_t{1} << 20;

}  // namespace

uint64_t WordsOfExchange(uint64_t k, uint64_t vocab_size) {
  const int doublings = std::min(std::countr_zero(k), 40);
  return std::min(vocab_size, kFirstWords << doublings);
}

double RateOfReplicas(int ranks) { return std::min(ranks, kMostRate); }

ReplicaExchange::ReplicaExchange(EmbeddingModel& model, TrainMonitor& monitor,
                                 std::unique_ptr<Ranks> ranks)
    : monitor_(monitor),
      ranks_(std::move(ranks)),
      vocab_size_(model.output().rows()) {
  tables_.reserve(2);
  tables_.emplace_back(model.input());
  tables_.emplace_back(model.output());
}

void ReplicaExchange::EndWorkers(bool failed) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ended_ = true;
  failed_ = failed;
  ended_changed_.notify_all();
}

void ReplicaExchange::Begin() {
  ended_ = failed_ = false;
  all_pause_ = pausing_ = false;
}

absl::Status ReplicaExchange::Run() {
  for (;;) {
    FIRTH_RETURN_IF_ERROR(ranks_->Await());
    const Clock::time_point start = Clock::now();
    FIRTH_ASSIGN_OR_RETURN(const News news, TellNews());
    if (news.pausing > 0 || news.failed > 0) all_pause_ = true;
    const bool all_ended = news.ended == static_cast<uint64_t>(ranks_->size());
    if (news.failed == 0) {
      FIRTH_RETURN_IF_ERROR(ExchangeWords(
          all_ended ? vocab_size_ : WordsOfExchange(++number_, vocab_size_)));
    }
    const double seconds =
        std::chrono::duration<double>(Clock::now() - start).count();
    seconds_ += seconds;
    if (all_ended) break;
    Rest(seconds * (1 / kShare - 1));
  }
  if (!bad_values_) return absl::OkStatus();
  return absl::OutOfRangeError(
      "expected finite values to exchange with other ranks, found NaN or "
      "infinity; the learning rate is probably too high");
}

absl::StatusOr<ReplicaExchange::News> ReplicaExchange::TellNews() {
  const uint64_t own_words = monitor_.words();
  uint64_t news[] = {own_words, 0, pausing_.load(std::memory_order_relaxed),
                     bad_values_};
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    news[1] = ended_;
    news[3] |= failed_;
  }
  FIRTH_RETURN_IF_ERROR(ranks_->Sum(absl::MakeSpan(news)));
  monitor_.set_words_of_others(news[0] - own_words);
  return News{news[0], news[1], news[2], news[3]};
}

absl::Status ReplicaExchange::ExchangeWords(uint64_t words) {
  for (ReplicaTable& table : tables_) {
    FIRTH_RETURN_IF_ERROR(ExchangeRows(table, words));
  }
  return absl::OkStatus();
}

absl::Status ReplicaExchange::ExchangeRows(ReplicaTable& table, size_t rows) {
  const auto least = static_cast<float>(RateOfReplicas(ranks_->size()));
  const size_t at_once = std::max<size_t>(1, kChunkValues / table.SentValues());
  std::vector<float> values;
  for (size_t begin = 0; begin < rows; begin += at_once) {
    const size_t end = std::min(begin + at_once, rows);
    values.clear();
    bad_values_ = !table.Collect(begin, end, &values) || bad_values_;
    FIRTH_RETURN_IF_ERROR(ranks_->Sum(absl::MakeSpan(values)));
    table.Apply(begin, end, values, least);
  }
  return absl::OkStatus();
}

void ReplicaExchange::Rest(double seconds) {
  std::unique_lock<std::mutex> lock(mutex_);
  ended_changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                          [&] { return ended_; });
}

}  // namespace firth
