#include "lm/ngram/ngram_counts.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "corpus/token_stream.h"
#include "lm/model/language_model_options.h"

namespace firth {
namespace {

// The counts of one order may take this fraction of the memory that is left:
// those that were finished stay in memory while the next are collected.
constexpr uint64_t kMemoryParts = 3;
constexpr uint64_t kFewestBufferBytes = uint64_t{1} << 20;
// Tokens between two questions whether to stop.
constexpr size_t kTokensAtOnce = size_t{1} << 16;

}  // namespace

absl::StatusOr<NgramCounts> NgramCounts::Count(const Corpus& text,
                                               NgramCounting counting,
                                               const Hooks& hooks) {
  if (text.tokens->tokens().size() > std::numeric_limits<uint32_t>::max()) {
    return absl::InvalidArgumentError(
        "counting models are trained on at most 4,294,967,295 tokens, "
        "including the ends of sentences");
  }
  FIRTH_ASSIGN_OR_RETURN(
      const NgramPacking packing,
      NgramPacking::Create(counting.order, counting.vocab_size));
  NgramCounts counts(std::move(counting), packing);
  FIRTH_RETURN_IF_ERROR(counts.CountText(text, hooks));
  for (int n = counts.order() - 1; n >= 1; --n) {
    hooks.ReportWork(counts.order() - n, counts.order());
    FIRTH_RETURN_IF_ERROR(counts.CountBelow(n, hooks));
  }
  return counts;
}

NgramOrderCounts& NgramCounts::AddOrder(uint64_t most_counts) {
  uint64_t used = 0;
  for (const NgramOrderCounts& done : orders_) {
    used += done.counts.memory_bytes();
  }
  const uint64_t left =
      counting_.memory_bytes - std::min(counting_.memory_bytes, used);
  return orders_.emplace_front(
      std::max(kFewestBufferBytes, left / kMemoryParts), most_counts,
      counting_.temp_dir);
}

absl::Status NgramCounts::CountText(const Corpus& text, const Hooks& hooks) {
  const absl::Span<const uint32_t> tokens = text.tokens->tokens();
  NgramOrderCounts& top = AddOrder(tokens.size());
  const int others = order() - 1;
  absl::uint128 context = 0;  // the last N - 1 words, <S> before a sentence
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (i % kTokensAtOnce == 0 && hooks.StopRequested()) {
      return absl::CancelledError("interrupted");
    }
    const bool ends = tokens[i] == TokenStream::kSentenceEnd;
    const absl::uint128 words = packing_.Append(
        context, ends ? kEndSentenceId : counting_.ids[tokens[i]]);
    FIRTH_RETURN_IF_ERROR(top.counts.Add({words, 1, 1}));
    context = ends ? 0 : packing_.Last(words, others);
  }
  FIRTH_RETURN_IF_ERROR(top.counts.Finish());
  return CountCounts(order(), hooks);
}

absl::Status NgramCounts::CountBelow(int n, const Hooks& hooks) {
  const NgramOrderCounts& above = orders_.front();
  NgramOrderCounts& order = AddOrder(above.total + above.padded);
  FIRTH_RETURN_IF_ERROR(above.counts.ForEachBlock(
      hooks, [&](SortedCounts::Block block) -> absl::Status {
        for (const NgramCount& counted : block) {
          const absl::uint128 words = packing_.Last(counted.words(), n);
          const bool begins = packing_.Word(words, n - 1) == kBeginSentenceId;
          FIRTH_RETURN_IF_ERROR(order.counts.Add(
              {words, begins ? counted.count : 1, counted.occurrences}));
        }
        return absl::OkStatus();
      }));
  FIRTH_RETURN_IF_ERROR(order.counts.Finish());
  return CountCounts(n, hooks);
}

absl::Status NgramCounts::CountCounts(int n, const Hooks& hooks) {
  NgramOrderCounts& order = orders_.front();
  return order.counts.ForEachBlock(
      hooks, [&](SortedCounts::Block block) -> absl::Status {
        for (const NgramCount& counted : block) {
          if (IsPadded(counted, n)) {
            ++order.padded;
            continue;
          }
          ++order.total;
          if (IsKept(counted, n)) ++order.kept;
          if (counted.count < order.of_count.size()) {
            ++order.of_count[counted.count];
          }
        }
        return absl::OkStatus();
      });
}

uint64_t NgramCounts::file_bytes() const {
  uint64_t bytes = 0;
  for (const NgramOrderCounts& order : orders_) {
    bytes += order.counts.file_bytes();
  }
  return bytes;
}

}  // namespace firth
