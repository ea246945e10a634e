// The thread that talks goes round: it tells the news of this rank and hears
// that of all, exchanges the rows whose turn it is, table by table and some
// megabytes at a time, and rests. Since all ranks hear the same news, they
// leave the round together.

#include "train/replicas/replica_exchange.h"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "absl/algorithm/container.h"
#include "firth/status_macros.h"
#include "train/replicas/narrow_rows.h"

namespace firth {
namespace {

// What an exchange may take of all threads' time, for each other rank and at
// most.
constexpr double kShareOfOther = 0.03;
constexpr double kMostShare = 0.1;
// Rows move far at first: ranks that tell each other little then are behind for
// several epochs.
constexpr uint64_t kFirstExchanges = 200;
constexpr double kMostShareAtFirst = 0.3;
// What is added up at once, in values.
constexpr size_t kChunkValues = size_t{1} << 20;

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

// Of this thread, so far.
double CpuSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec) * 1e-9;
}

// How many values of `rows` rows each rank adds up.
std::vector<size_t> PartsOf(size_t rows, size_t cols, int ranks) {
  const auto size = static_cast<size_t>(ranks);
  std::vector<size_t> counts;
  for (size_t r = 0; r < size; ++r) {
    counts.push_back((rows * (r + 1) / size - rows * r / size) * cols);
  }
  return counts;
}

}  // namespace

double RateOfReplicas(int ranks) {
  return ranks > 1 ? std::pow(std::max(ranks, 4), 0.25) : 1;
}

ReplicaExchange::ReplicaExchange(EmbeddingModel& model, TrainMonitor& monitor,
                                 size_t vocab_size, int threads,
                                 SentNumbers send, std::unique_ptr<Ranks> ranks)
    : monitor_(monitor),
      threads_(threads),
      send_(send),
      ranks_(std::move(ranks)),
      vocab_size_(vocab_size) {
  const auto add_words = [&](size_t table, size_t first) {
    turns_.push_back({.table = table, .first = first, .count = vocab_size_});
  };
  tables_.reserve(4);
  tables_.emplace_back(model.input());
  const size_t words = model.words_have_rows() ? vocab_size_ : 0;
  if (words > 0) add_words(0, 0);
  turns_.push_back({.table = 0,
                    .first = words,
                    .count = model.input().rows() - words,
                    .order = RowTurns::kAny});
  tables_.emplace_back(model.output());
  const size_t outputs = model.output().rows();
  if (outputs < vocab_size_) {  // inner nodes, the root last
    turns_.push_back(
        {.table = 1, .count = outputs, .order = RowTurns::kFrequentLast});
  }
  for (size_t at = 0; at + vocab_size_ <= outputs; at += vocab_size_) {
    add_words(1, at);
  }
  for (SharedMatrix* const small :
       {&model.output_bias(), &model.position_weights()}) {
    if (small->rows() == 0) continue;
    turns_.push_back({.table = tables_.size(),
                      .count = small->rows(),
                      .order = RowTurns::kAll});
    tables_.emplace_back(*small, /*saturates=*/true);
  }
}

void ReplicaExchange::EndWorkers(bool failed) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ended_ = true;
  failed_ = failed;
  ended_changed_.notify_all();
}

void ReplicaExchange::Begin() {
  ended_ = failed_ = bad_values_ = false;
  all_pause_ = pausing_ = false;
}

void ReplicaExchange::Restart() {
  for (ReplicaTable& table : tables_) table.Restart();
}

absl::Status ReplicaExchange::Run() {
  for (;;) {
    const Clock::time_point start = Clock::now();
    const double cpu_before = CpuSeconds();
    FIRTH_ASSIGN_OR_RETURN(const News news, TellNews());
    if (news.pausing > 0 || news.failed > 0) all_pause_ = true;
    const bool all_ended = news.ended == static_cast<uint64_t>(ranks_->size());
    if (news.failed == 0) {
      FIRTH_RETURN_IF_ERROR(Exchange(/*all=*/all_ended));
    }
    const double cpu = CpuSeconds() - cpu_before;
    seconds_ += cpu;
    if (all_ended) break;
    const double share =
        std::min(kShareOfOther * (ranks_->size() - 1),
                 number_ < kFirstExchanges ? kMostShareAtFirst : kMostShare);
    Rest(cpu / (share * threads_) - SecondsSince(start));
  }
  for (ReplicaTable& table : tables_) table.Settle();
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

absl::Status ReplicaExchange::Exchange(bool all) {
  ++number_;
  for (const RowTurns& turns : turns_) {
    FIRTH_RETURN_IF_ERROR(ExchangeRanges(
        tables_[turns.table],
        all ? AllRows(turns) : RowsOfExchange(number_, vocab_size_, turns)));
  }
  return absl::OkStatus();
}

absl::Status ReplicaExchange::ExchangeRanges(
    ReplicaTable& table, absl::Span<const RowRange> ranges) {
  const size_t at_once = std::max<size_t>(1, kChunkValues / table.cols());
  std::vector<size_t> rows;
  for (const RowRange& range : ranges) {
    for (size_t row = range.begin; row < range.end; ++row) {
      rows.push_back(row);
      if (rows.size() < at_once) continue;
      FIRTH_RETURN_IF_ERROR(ExchangeRows(table, rows));
      rows.clear();
    }
  }
  return rows.empty() ? absl::OkStatus() : ExchangeRows(table, rows);
}

absl::Status ReplicaExchange::ExchangeRows(ReplicaTable& table,
                                           absl::Span<const size_t> rows) {
  bad_values_ = !table.Collect(rows, send_, &moves_) || bad_values_;
  FIRTH_RETURN_IF_ERROR(send_ == SentNumbers::kFloat32
                            ? AddUpRows(table, rows)
                            : AddUpNarrowRows(table, rows));
  table.Apply(rows, moves_, steps_);
  return absl::OkStatus();
}

// Makes the steps those of the moves of all ranks.
absl::Status ReplicaExchange::AddUpRows(const ReplicaTable& table,
                                        absl::Span<const size_t> rows) {
  const size_t cols = table.cols();
  const std::vector<size_t> counts = PartsOf(rows.size(), cols, ranks_->size());
  FIRTH_RETURN_IF_ERROR(ranks_->SendParts(counts, moves_, &own_part_));
  const size_t own = std::accumulate(
      counts.begin(), counts.begin() + ranks_->rank(), size_t{0});
  steps_.resize(moves_.size());
  AddUpMoves(own_part_, counts.size(), table, rows.subspan(own / cols),
             steps_.data() + own);
  return ranks_->GatherParts(counts, absl::MakeSpan(steps_));
}

absl::Status ReplicaExchange::AddUpNarrowRows(const ReplicaTable& table,
                                              absl::Span<const size_t> rows) {
  const size_t cols = table.cols();
  const size_t half = NarrowCols(cols);
  const std::vector<size_t> counts = PartsOf(rows.size(), half, ranks_->size());
  NarrowRows(moves_, cols, &narrow_);
  FIRTH_RETURN_IF_ERROR(ranks_->SendParts(counts, narrow_, &narrow_part_));
  WidenRows(narrow_part_, cols, &own_part_);
  const size_t first =
      std::accumulate(counts.begin(), counts.begin() + ranks_->rank(),
                      size_t{0}) /
      half;
  const size_t values = own_part_.size() / counts.size();
  steps_.resize(moves_.size());
  const auto steps = absl::MakeSpan(steps_).subspan(first * cols, values);
  AddUpMoves(own_part_, counts.size(), table, rows.subspan(first),
             steps.data());
  RoundSteps(steps, absl::MakeSpan(moves_).subspan(first * cols, values));
  NarrowRows(steps, cols, &narrow_part_);
  absl::c_copy(narrow_part_,
               narrow_.begin() + static_cast<ptrdiff_t>(first * half));
  FIRTH_RETURN_IF_ERROR(ranks_->GatherParts(counts, absl::MakeSpan(narrow_)));
  WidenRows(narrow_, cols, &steps_);
  return absl::OkStatus();
}

void ReplicaExchange::Rest(double seconds) {
  std::unique_lock<std::mutex> lock(mutex_);
  ended_changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                          [&] { return ended_; });
}

}  // namespace firth
