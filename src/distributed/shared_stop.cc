#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/ranks.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

// How often the ranks compare their flags. The delay is too short for a person
// to notice, and the messages are too small to slow the training down.
constexpr std::chrono::milliseconds kAskEvery(100);

}  // namespace

absl::StatusOr<std::unique_ptr<SharedStop>> SharedStop::Begin(
    Ranks& ranks, const std::atomic<bool>& own) {
  FIRTH_ASSIGN_OR_RETURN(std::unique_ptr<Ranks> channel, ranks.Another());
  return std::unique_ptr<SharedStop>(new SharedStop(std::move(channel), own));
}

SharedStop::SharedStop(std::unique_ptr<Ranks> channel,
                       const std::atomic<bool>& own)
    : channel_(std::move(channel)), own_(own), asker_([this] { Ask(); }) {}

SharedStop::~SharedStop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
  }
  ended_.notify_all();
  asker_.join();
}

// A rank that has finished continues to answer until all ranks have: otherwise
// the others would wait for it forever.
//
// Gathers short messages instead of summing, because OpenMPI 4 allocates memory
// for each sum and crashes when it gets none.
void SharedStop::Ask() {
  enum Flag : char { kStop = 1, kEnding = 2 };
  std::string all(static_cast<size_t>(channel_->size()), '\0');
  for (;;) {
    bool ending = false;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      ended_.wait_for(lock, kAskEvery, [&] { return ending_; });
      ending = ending_;
    }
    const char own = (own_.load(std::memory_order_relaxed) ? kStop : 0) |
                     (ending ? kEnding : 0);
    absl::Status status =
        channel_->BeginGather(absl::MakeConstSpan(&own, 1), all.data());
    if (status.ok()) status = channel_->AwaitGather();
    if (!status.ok()) return;
    if (absl::c_any_of(all, [](char rank) { return (rank & kStop) != 0; })) {
      requested_.store(true, std::memory_order_relaxed);
    }
    if (absl::c_all_of(all, [](char rank) { return (rank & kEnding) != 0; })) {
      return;
    }
  }
}

}  // namespace firth
