#include "support/thread_ranks.h"

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "firth/status_macros.h"

namespace firth {
namespace {

// Where the ranks of one channel meet: each shows the others a pointer, looks
// at theirs, and goes on when all have looked.
class Meeting {
 public:
  explicit Meeting(int size) : shown_(static_cast<size_t>(size)) {}

  // look(pointers of all ranks). What was shown stays until all have looked.
  absl::Status Meet(
      int rank, const void* own,
      const std::function<void(const std::vector<const void*>& all)>& look) {
    shown_[static_cast<size_t>(rank)] = own;
    FIRTH_RETURN_IF_ERROR(Wait());
    look(shown_);
    return Wait();
  }

  void Abort() {
    const std::lock_guard<std::mutex> lock(mutex_);
    aborted_ = true;
    all_here_.notify_all();
  }

 private:
  absl::Status Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    const uint64_t round = round_;
    if (++here_ == shown_.size()) {
      here_ = 0;
      ++round_;
      all_here_.notify_all();
    }
    all_here_.wait(lock, [&] { return round_ != round || aborted_; });
    if (round_ != round) return absl::OkStatus();
    return absl::AbortedError("another rank has given up");
  }

  std::vector<const void*> shown_;
  std::mutex mutex_;
  std::condition_variable all_here_;
  size_t here_ = 0;
  uint64_t round_ = 0;
  bool aborted_ = false;
};

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(int rank, int size, std::shared_ptr<Meeting> meeting)
      : rank_(rank), size_(size), meeting_(std::move(meeting)) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string Machine() const override { return "a thread"; }
  void Abort() override { meeting_->Abort(); }

  absl::Status Sum(absl::Span<float> values) override { return SumOf(values); }
  absl::Status Sum(absl::Span<double> values) override { return SumOf(values); }
  absl::Status Sum(absl::Span<uint64_t> values) override {
    return SumOf(values);
  }

  absl::StatusOr<std::vector<std::string>> Exchange(
      const std::vector<std::string>& to) override {
    std::vector<std::string> from;
    FIRTH_RETURN_IF_ERROR(meeting_->Meet(rank_, &to, [&](const auto& all) {
      for (const void* shown : all) {
        from.push_back((*static_cast<const std::vector<std::string>*>(
            shown))[static_cast<size_t>(rank_)]);
      }
    }));
    return from;
  }

  absl::Status SendParts(absl::Span<const size_t> counts,
                         absl::Span<const float> values,
                         std::vector<float>* own) override {
    own->clear();
    const size_t begin = BeginOf(counts, static_cast<size_t>(rank_));
    const size_t count = counts[static_cast<size_t>(rank_)];
    return meeting_->Meet(rank_, values.data(), [&](const auto& all) {
      for (const void* shown : all) {
        const float* const part = static_cast<const float*>(shown) + begin;
        own->insert(own->end(), part, part + count);
      }
    });
  }

  absl::Status GatherParts(absl::Span<const size_t> counts,
                           absl::Span<float> values) override {
    std::vector<float> gathered(values.size());
    FIRTH_RETURN_IF_ERROR(
        meeting_->Meet(rank_, values.data(), [&](const auto& all) {
          for (size_t r = 0; r < all.size(); ++r) {
            const size_t begin = BeginOf(counts, r);
            std::copy_n(static_cast<const float*>(all[r]) + begin, counts[r],
                        gathered.begin() + static_cast<std::ptrdiff_t>(begin));
          }
        }));
    std::copy(gathered.begin(), gathered.end(), values.begin());
    return absl::OkStatus();
  }

  absl::Status BeginGather(absl::Span<const char> own, char* all) override {
    pending_.push_back({own, all});
    return absl::OkStatus();
  }
  absl::Status AwaitGather() override {
    const Gather gather = pending_.front();
    pending_.pop_front();
    return meeting_->Meet(rank_, gather.own.data(), [&](const auto& all) {
      char* at = gather.all;
      for (const void* shown : all) {
        at =
            std::copy_n(static_cast<const char*>(shown), gather.own.size(), at);
      }
    });
  }
  absl::StatusOr<std::unique_ptr<Ranks>> Another() override {
    std::shared_ptr<Meeting> meeting;
    if (rank_ == 0) meeting = std::make_shared<Meeting>(size_);
    const auto own = meeting;
    FIRTH_RETURN_IF_ERROR(meeting_->Meet(rank_, &own, [&](const auto& all) {
      meeting = *static_cast<const std::shared_ptr<Meeting>*>(all[0]);
    }));
    return std::make_unique<ThreadRanks>(rank_, size_, std::move(meeting));
  }

 private:
  static size_t BeginOf(absl::Span<const size_t> counts, size_t rank) {
    return std::accumulate(counts.begin(),
                           counts.begin() + static_cast<std::ptrdiff_t>(rank),
                           size_t{0});
  }

  // In the order of the ranks, and so the same on each.
  template <class Value>
  absl::Status SumOf(absl::Span<Value> values) {
    std::vector<Value> sums(values.size());
    FIRTH_RETURN_IF_ERROR(
        meeting_->Meet(rank_, values.data(), [&](const auto& all) {
          for (const void* shown : all) {
            const auto* const own = static_cast<const Value*>(shown);
            for (size_t i = 0; i < sums.size(); ++i) sums[i] += own[i];
          }
        }));
    std::copy(sums.begin(), sums.end(), values.begin());
    return absl::OkStatus();
  }

  // One that was begun.
  struct Gather {
    absl::Span<const char> own;
    char* all;
  };

  const int rank_;
  const int size_;
  const std::shared_ptr<Meeting> meeting_;
  std::deque<Gather> pending_;
};

}  // namespace

void RunRanks(int size, const std::function<void(Ranks&)>& work) {
  const auto meeting = std::make_shared<Meeting>(size);
  std::vector<std::thread> threads;
  threads.reserve(static_cast<size_t>(size));
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([=, &work] {
      ThreadRanks ranks(rank, size, meeting);
      work(ranks);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace firth
