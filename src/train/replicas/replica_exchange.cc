// The exchange thread runs in a loop: it exchanges the rows whose turn it is,
// of all tables at once, and then rests. On busy cores or a slow network, an
// exchange takes as long as the ranks wait for one another. They wait twice:
// when they send moves, together with the news, and when they send steps. All
// ranks receive the same news, so they leave the loop together.

#include "train/replicas/replica_exchange.h"

#include <time.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/threads.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

std::vector<RowRange> AllRows(const RowTurns& turns) {
  return {{turns.first, turns.first + turns.count}};
}

// Maximum fraction of all threads' time, for each other rank and in total.
constexpr double kShareOfOther = 0.03;
constexpr double kMostShare = 0.1;
// Rows move far at first. Ranks that exchange too little then fall behind for
// several epochs.
constexpr uint64_t kFirstExchanges = 200;
constexpr double kMostShareAtFirst = 0.3;
// Maximum number of floats sent at once, not counting the end of the last row.
constexpr size_t kFloatsAtOnce = size_t{1} << 22;

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

// Returns the CPU time of this thread so far.
double CpuSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec) * 1e-9;
}

constexpr size_t kFirstWords = 2048;
constexpr size_t kWordsATurn = kFirstWords / 2;

// Returns the words, out of `count`, whose turn it is in exchange k.
std::vector<RowRange> WordsOfExchange(uint64_t k, size_t count) {
  std::vector<RowRange> words = {{0, std::min(count, kFirstWords)}};
  for (size_t group = kFirstWords; group < count; group *= 2) {
    const size_t begin = group + k % (group / kWordsATurn) * kWordsATurn;
    const size_t end = std::min(begin + kWordsATurn, count);
    if (begin < end) words.push_back({begin, end});
  }
  return words;
}

// Returns the maximum number of words, out of `count`, in one exchange.
size_t MostWords(size_t count) {
  size_t words = kFirstWords;
  for (size_t group = kFirstWords; group < count; group *= 2) {
    words += kWordsATurn;
  }
  return std::min(words, count);
}

}  // namespace

std::vector<RowRange> RowsOfExchange(uint64_t k, size_t vocab_size,
                                     const RowTurns& turns) {
  const size_t first = turns.first;
  const size_t end = first + turns.count;
  if (turns.count == 0 || turns.order == RowTurns::kAll) return AllRows(turns);
  if (turns.order == RowTurns::kAny) {
    const size_t words = MostWords(vocab_size);
    const size_t count = (turns.count * words + vocab_size - 1) / vocab_size;
    const size_t begin = first + k * count % turns.count;
    if (begin + count <= end) return {{begin, begin + count}};
    return {{begin, end}, {first, begin + count - turns.count}};
  }
  std::vector<RowRange> rows = WordsOfExchange(k, turns.count);
  for (RowRange& range : rows) {
    range = turns.order == RowTurns::kFrequentLast
                ? RowRange{end - range.end, end - range.begin}
                : RowRange{first + range.begin, first + range.end};
  }
  return rows;
}

double RateOfReplicas(int ranks) { return ranks > 1 ? 4.0 / 3 : 1; }

ReplicaExchange::ReplicaExchange(EmbeddingModel& model, TrainMonitor& monitor,
                                 size_t vocab_size, int threads,
                                 SentNumbers send, std::unique_ptr<Ranks> ranks)
    : monitor_(monitor),
      threads_(threads),
      ranks_(std::move(ranks)),
      vocab_size_(vocab_size) {
  const auto add_words = [&](size_t table, size_t first) {
    turns_.push_back({.table = table, .first = first, .count = vocab_size_});
  };
  tables_.reserve(4);
  tables_.emplace_back(model.input(), send);
  const size_t words = model.words_have_rows() ? vocab_size_ : 0;
  if (words > 0) add_words(0, 0);
  turns_.push_back({.table = 0,
                    .first = words,
                    .count = model.input().rows() - words,
                    .order = RowTurns::kAny});
  tables_.emplace_back(model.output(), send);
  const size_t outputs = model.output().rows();
  if (outputs < vocab_size_) {  // Inner nodes, root last.
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
    tables_.emplace_back(*small, send, /*saturates=*/true);
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
  news_ = {};
}

void ReplicaExchange::Restart() {
  for (ReplicaTable& table : tables_) table.Restart();
}

absl::Status ReplicaExchange::Run() {
  WakeSoon();
  bool all_ended = false;
  while (!all_ended) {
    all_ended = news_.ended == static_cast<uint64_t>(ranks_->size());
    const Clock::time_point start = Clock::now();
    const double cpu_before = CpuSeconds();
    FIRTH_RETURN_IF_ERROR(Exchange(/*all=*/all_ended));
    const double cpu = CpuSeconds() - cpu_before;
    seconds_ += cpu;
    const double share =
        std::min(kShareOfOther * (ranks_->size() - 1),
                 number_ < kFirstExchanges ? kMostShareAtFirst : kMostShare);
    Rest(cpu / (share * threads_) - SecondsSince(start));
  }
  for (ReplicaTable& table : tables_) table.Settle();
  if (!bad_values_) return absl::OkStatus();
  return absl::OutOfRangeError(
      "a row to exchange with other ranks contains NaN or infinity; the "
      "learning rate is probably too high");
}

absl::Status ReplicaExchange::Exchange(bool all) {
  ++number_;
  rows_.clear();
  // Bad values are not spread: the ranks only wait until all have ended.
  if (news_.failed > 0) return ExchangeRows();
  size_t floats = 0;
  for (const RowTurns& turns : turns_) {
    for (const RowRange& range :
         all ? AllRows(turns) : RowsOfExchange(number_, vocab_size_, turns)) {
      for (size_t row = range.begin; row < range.end; ++row) {
        ReplicaTable& table = tables_[turns.table];
        rows_.push_back({&table, row});
        floats += table.sent_cols();
        if (floats < kFloatsAtOnce) continue;
        FIRTH_RETURN_IF_ERROR(ExchangeRows());
        if (news_.failed > 0) return absl::OkStatus();
        rows_.clear();
        floats = 0;
      }
    }
  }
  return ExchangeRows();
}

// Exchanges news even if there are no rows.
absl::Status ReplicaExchange::ExchangeRows() {
  DivideRows();
  for (const SentRow& sent : rows_) {
    bad_values_ |= !sent.table->Collect(sent.row, &moves_[sent.at]);
  }
  const News own = OwnNews();
  for (size_t at = 0, r = 0; r < counts_.size(); at += counts_[r++]) {
    std::memcpy(&moves_[at], &own, sizeof(own));
  }
  FIRTH_RETURN_IF_ERROR(ranks_->SendParts(counts_, moves_, &own_part_));
  HearNews(own);
  if (news_.failed > 0) return absl::OkStatus();
  AddUpRows();
  FIRTH_RETURN_IF_ERROR(ranks_->GatherParts(counts_, absl::MakeSpan(steps_)));
  for (const SentRow& sent : rows_) {
    sent.table->Apply(sent.row, &moves_[sent.at], &steps_[sent.at]);
  }
  return absl::OkStatus();
}

// Assigns an equal number of the rows to each rank, which adds them up.
void ReplicaExchange::DivideRows() {
  counts_.clear();
  const auto ranks = static_cast<size_t>(ranks_->size());
  size_t at = 0;
  size_t i = 0;
  for (size_t r = 0; r < ranks; ++r) {
    const size_t begin = at;
    at += kNewsFloats;
    for (; i < rows_.size() * (r + 1) / ranks; ++i) {
      rows_[i].at = at;
      at += rows_[i].table->sent_cols();
    }
    counts_.push_back(at - begin);
  }
  moves_.resize(at);
  steps_.resize(at);
}

void ReplicaExchange::AddUpRows() {
  const size_t ranks = counts_.size();
  const auto rank = static_cast<size_t>(ranks_->rank());
  size_t at = kNewsFloats;
  for (size_t i = rows_.size() * rank / ranks;
       i < rows_.size() * (rank + 1) / ranks; ++i) {
    const SentRow& sent = rows_[i];
    sent.table->AddUp(sent.row, &own_part_[at], ranks, counts_[rank],
                      &steps_[sent.at]);
    at += sent.table->sent_cols();
  }
}

ReplicaExchange::News ReplicaExchange::OwnNews() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return {.words = monitor_.words(),
          .ended = ended_,
          .pausing = pausing_.load(std::memory_order_relaxed),
          .failed = bad_values_ || failed_};
}

void ReplicaExchange::HearNews(const News& own) {
  news_ = {};
  const size_t count = counts_[static_cast<size_t>(ranks_->rank())];
  for (size_t r = 0; r < counts_.size(); ++r) {
    News news{};
    std::memcpy(&news, &own_part_[r * count], sizeof(news));
    news_.words += news.words;
    news_.ended += news.ended;
    news_.pausing += news.pausing;
    news_.failed += news.failed;
  }
  monitor_.set_words_of_others(news_.words - own.words);
  if (news_.pausing > 0 || news_.failed > 0) all_pause_ = true;
}

void ReplicaExchange::Rest(double seconds) {
  std::unique_lock<std::mutex> lock(mutex_);
  ended_changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                          [&] { return ended_; });
}

}  // namespace firth
