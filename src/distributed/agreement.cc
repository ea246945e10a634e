// Each rank sends the text of its error, or an empty text, and all ranks derive
// the same status from the same texts. A payload marks this status, so that it
// is not agreed on again.

#include "distributed/agreement.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

// Marks an error that all ranks already have.
constexpr char kAgreed[] = "firth/agreed";

// Returns a status as text: its code as one character, the name of the rank, a
// NUL, and the message. Returns "" for OK.
std::string TextOf(absl::string_view rank, const absl::Status& status) {
  if (status.ok()) return "";
  std::string text(1, static_cast<char>(status.code()));
  absl::StrAppend(&text, rank, absl::string_view("\0", 1), status.message());
  return text;
}

struct RankError {
  absl::StatusCode code;
  std::string rank;
  std::string message;
};

RankError ErrorOf(const std::string& text) {
  const size_t name_end = text.find('\0');
  return {static_cast<absl::StatusCode>(text[0]), text.substr(1, name_end - 1),
          text.substr(name_end + 1)};
}

// Returns the status that all ranks return, given the texts of all of them.
absl::Status StatusOfAll(const std::vector<std::string>& texts) {
  std::vector<RankError> errors;
  for (const std::string& text : texts) {
    if (!text.empty()) errors.push_back(ErrorOf(text));
  }
  if (errors.empty()) return absl::OkStatus();
  const RankError& first = errors.front();
  const bool of_all =
      errors.size() == texts.size() &&
      std::all_of(errors.begin(), errors.end(), [&](const RankError& error) {
        return error.message == first.message;
      });
  absl::Status status(first.code,
                      of_all || first.rank.empty()
                          ? first.message
                          : absl::StrCat(first.rank, ": ", first.message));
  status.SetPayload(kAgreed, absl::Cord());
  return status;
}

absl::Status AgreeAs(Ranks& ranks, absl::string_view name,
                     const absl::Status& own) {
  if (own.GetPayload(kAgreed).has_value()) return own;
  FIRTH_ASSIGN_OR_RETURN(const std::vector<std::string> texts,
                         GatherTexts(ranks, TextOf(name, own)));
  return StatusOfAll(texts);
}

// How often the ranks compare their flags. The delay is too short for a person
// to notice, and the messages are too small to slow the training down.
constexpr std::chrono::milliseconds kAskEvery(100);

}  // namespace

std::string RankName(const Ranks& ranks) {
  return absl::StrCat("rank ", ranks.rank(), " of ", ranks.size(), " on ",
                      ranks.Machine());
}

absl::StatusOr<std::vector<std::string>> GatherTexts(Ranks& ranks,
                                                     const std::string& own) {
  return ranks.Exchange(
      std::vector<std::string>(static_cast<size_t>(ranks.size()), own));
}

absl::Status Agree(Ranks* ranks, const absl::Status& own) {
  return ranks != nullptr ? AgreeAs(*ranks, RankName(*ranks), own) : own;
}

absl::Status AgreeWithFirst(Ranks* ranks, const absl::Status& own) {
  if (ranks == nullptr) return own;
  return AgreeAs(*ranks, ranks->rank() == 0 ? "" : RankName(*ranks), own);
}

absl::StatusOr<double> NumberOfFirst(
    Ranks& ranks, absl::FunctionRef<absl::StatusOr<double>()> compute) {
  absl::StatusOr<double> number = 0;
  if (ranks.rank() == 0) number = compute();
  std::string text;
  if (number.ok()) Pack(*number, &text);
  FIRTH_RETURN_IF_ERROR(TakeFromFirst(ranks, number.status(), &text));
  absl::string_view packed = text;
  return Unpack<double>(&packed);
}

bool AnyRank(Ranks* ranks, bool own) {
  if (ranks == nullptr) return own;
  uint64_t count = own ? 1 : 0;
  return !ranks->Sum(absl::MakeSpan(&count, 1)).ok() || count > 0;
}

absl::Status TakeFromFirst(Ranks& ranks, const absl::Status& own,
                           std::string* text) {
  const bool is_first = ranks.rank() == 0;
  FIRTH_RETURN_IF_ERROR(
      AgreeWithFirst(&ranks, is_first ? own : absl::OkStatus()));
  FIRTH_ASSIGN_OR_RETURN(std::vector<std::string> texts,
                         GatherTexts(ranks, is_first ? *text : ""));
  *text = std::move(texts[0]);
  return absl::OkStatus();
}

absl::Status CheckSameOnAll(Ranks& ranks, const NamedTexts& own) {
  std::string packed;
  for (const auto& [name, text] : own) PackText(text, &packed);
  FIRTH_ASSIGN_OR_RETURN(const std::vector<std::string> all,
                         GatherTexts(ranks, packed));
  for (size_t r = 1; r < all.size(); ++r) {
    absl::string_view first = all[0];
    absl::string_view other = all[r];
    for (const auto& [name, text] : own) {
      const absl::string_view expected = UnpackText(&first);
      const absl::string_view found = UnpackText(&other);
      if (found == expected) continue;
      const auto shown = [](absl::string_view value) {
        return value.empty() ? "nothing" : value;
      };
      return absl::FailedPreconditionError(
          absl::StrCat(name, " differs between ranks: it is ", shown(expected),
                       " on rank 0 and ", shown(found), " on rank ", r));
    }
  }
  return absl::OkStatus();
}

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
