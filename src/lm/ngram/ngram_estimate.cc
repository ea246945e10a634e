// Every smoothing gives a word w after a context h
//
//   p(w | h) = (c(h w) - discount(c(h w))) scale + interpolation p(w | h')
//
// where h' is h without its first word, and a weight of h' for words that do
// not follow h in the model, the backoff:
//
//                        scale              interpolation = backoff
//   Kneser-Ney           1 / c(h)           what was subtracted, and pruned
//   add-k                1 / (c(h) + k V)   0, k V / (c(h) + k V)
//   stupid backoff       1 / c(h)           0, 0.4
//
// c(h) is the sum of c(h w) over w. For add-k, the discount is -k, pruned
// n-grams do not count, and the backoff weighs 1 / V instead of p(w | h'),
// where V is the number of words without <S>. Below the unigrams, p(w | h') is
// 1 / V.
//
// Orders are estimated upward, so that p(w | h') is known. Until the end, the
// builder contains p and the weights themselves, not their logarithms.

#include "lm/ngram/ngram_estimate.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/memory_info.h"
#include "lm/model/language_model_options.h"

namespace firth {
namespace {

constexpr NgramDiscounts kFallbackDiscounts = {0, 0.5, 1, 1.5};
constexpr double kStupidWeight = 0.4;
// Keep words possible if a discount is 0.
constexpr double kLeastWeight = 1e-10;
constexpr float kLeastProbability = 1e-30F;

// How the words after one context are estimated.
struct ContextEstimate {
  NgramDiscounts discounts = {};
  double scale = 0;
  double interpolation = 0;
  double backoff = 1;
};

// A word after the current context.
struct Follower {
  uint32_t word;
  uint32_t count;
  bool kept;
};

// Equations of Chen and Goodman 1998, section 4.1.6 (17).
absl::StatusOr<NgramDiscounts> DiscountsOf(const NgramOrderCounts& counts,
                                           int n) {
  const auto& of_count = counts.of_count;
  NgramDiscounts discounts = {};
  const double y =
      static_cast<double>(of_count[1]) /
      std::max(1.0, static_cast<double>(of_count[1] + 2 * of_count[2]));
  for (int i = 1; i <= 3; ++i) {
    if (of_count[i] == 0) {
      return absl::FailedPreconditionError(
          absl::StrCat("no n-gram of order ", n, " has the count ", i));
    }
    discounts[i] = i - (i + 1) * y * static_cast<double>(of_count[i + 1]) /
                           static_cast<double>(of_count[i]);
    if (discounts[i] >= 0 && discounts[i] <= i) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("the discount for n-grams of order ", n, " with count ", i,
                     " would be ", discounts[i]));
  }
  return discounts;
}

class Estimator {
 public:
  Estimator(const NgramCounts& counts, const CountingTraining& training,
            const std::vector<NgramDiscounts>& discounts)
      : counts_(counts),
        training_(training),
        discounts_(discounts),
        builder_(counts.order(), counts.vocab_size()),
        num_predicted_(static_cast<double>(counts.vocab_size() - 1)) {}

  absl::Status EstimateUnigrams(const Hooks& hooks);
  absl::Status EstimateOrder(int n, const Hooks& hooks);
  NgramTrie Finish() &&;

 private:
  bool Is(CountSmoothing smoothing) const {
    return training_.smoothing == smoothing;
  }
  // Estimates what follows a context of n - 1 words.
  ContextEstimate EstimateContext(int n) const;
  // Adds the n-grams of the current context.
  absl::Status AddFollowers(int n);
  // Returns the node of the current context, or kNone if it is pruned.
  uint32_t FindContext(int n);

  static double Probability(const ContextEstimate& estimate,
                            const Follower& follower, double lower) {
    return (follower.count -
            estimate.discounts[std::min<uint32_t>(follower.count, 3)]) *
               estimate.scale +
           estimate.interpolation * lower;
  }

  const NgramCounts& counts_;
  const CountingTraining& training_;
  const std::vector<NgramDiscounts>& discounts_;
  NgramTrieBuilder builder_;
  double num_predicted_;
  absl::uint128 context_ = 0;
  std::vector<Follower> followers_;                   // of context_
  std::array<uint32_t, kMostNgramOrder> words_ = {};  // of the last context
};

ContextEstimate Estimator::EstimateContext(int n) const {
  double total = 0;
  double kept = 0;
  double discounted = 0;
  ContextEstimate estimate;
  if (Is(CountSmoothing::kKneserNey)) estimate.discounts = discounts_[n - 1];
  for (const Follower& follower : followers_) {
    total += follower.count;
    if (!follower.kept) continue;
    kept += follower.count;
    discounted += estimate.discounts[std::min<uint32_t>(follower.count, 3)];
  }
  switch (training_.smoothing) {
    case CountSmoothing::kKneserNey:
      estimate.scale = 1 / total;
      estimate.interpolation =
          std::max(kLeastWeight, (discounted + (total - kept)) / total);
      estimate.backoff = estimate.interpolation;
      break;
    case CountSmoothing::kAddK: {
      estimate.discounts.fill(-training_.add_k);
      const double added = training_.add_k * num_predicted_;
      estimate.scale = 1 / (kept + added);
      estimate.backoff = added / (kept + added);
      break;
    }
    case CountSmoothing::kStupidBackoff:
      estimate.scale = 1 / total;
      estimate.backoff = kStupidWeight;
      break;
  }
  return estimate;
}

// Words that do not occur have the count 0.
absl::Status Estimator::EstimateUnigrams(const Hooks& hooks) {
  const size_t vocab_size = counts_.vocab_size();
  followers_.clear();
  for (uint32_t word = 0; word < vocab_size; ++word) {
    followers_.push_back({word, 0, true});
  }
  FIRTH_RETURN_IF_ERROR(
      counts_.ForEach(1, hooks, [&](const NgramCount& counted) {
        followers_[counted.low].count = Is(CountSmoothing::kKneserNey)
                                            ? counted.count
                                            : counted.occurrences;
        return absl::OkStatus();
      }));
  ContextEstimate estimate = EstimateContext(1);
  const double uniform = 1 / num_predicted_;
  double for_unknown = 0;
  if (Is(CountSmoothing::kKneserNey) && !training_.interpolate_unigrams) {
    for_unknown = std::exchange(estimate.interpolation, 0);
  }
  for (const Follower& follower : followers_) {
    double p = Probability(estimate, follower, uniform);
    if (Is(CountSmoothing::kStupidBackoff) && follower.count == 0) {
      p = kStupidWeight * uniform;
    }
    if (follower.word == kUnknownId) p += for_unknown;
    // By convention, as nothing predicts it.
    if (follower.word == kBeginSentenceId) p = 1;
    builder_.log_probability(NgramTrie::NodeOf(follower.word)) =
        static_cast<float>(p);
  }
  return absl::OkStatus();
}

absl::Status Estimator::EstimateOrder(int n, const Hooks& hooks) {
  builder_.StartOrder(counts_.OfOrder(n).kept);
  followers_.clear();
  const NgramPacking& packing = counts_.packing();
  const bool uses_count = Is(CountSmoothing::kKneserNey);
  FIRTH_RETURN_IF_ERROR(
      counts_.ForEach(n, hooks, [&](const NgramCount& counted) -> absl::Status {
        const absl::uint128 words = counted.words();
        const absl::uint128 context = packing.WithoutLast(words);
        if (context != context_) {
          FIRTH_RETURN_IF_ERROR(AddFollowers(n));
          context_ = context;
        }
        followers_.push_back({packing.Word(words, 0),
                              uses_count ? counted.count : counted.occurrences,
                              counts_.IsKept(counted, n)});
        return absl::OkStatus();
      }));
  FIRTH_RETURN_IF_ERROR(AddFollowers(n));
  builder_.FinishOrder();
  return absl::OkStatus();
}

// A context occurs at least as often as any n-gram that it begins, so all
// followers of a pruned context are pruned. The same holds for suffixes.
absl::Status Estimator::AddFollowers(int n) {
  if (followers_.empty()) return absl::OkStatus();
  const uint32_t context = FindContext(n);
  if (context != NgramTrie::kNone) {
    const ContextEstimate estimate = EstimateContext(n);
    builder_.backoff(context) = static_cast<float>(estimate.backoff);
    for (const Follower& follower : followers_) {
      if (!follower.kept) continue;
      const uint32_t suffix = builder_.SuffixOf(context, follower.word);
      FIRTH_ASSIGN_OR_RETURN(const uint32_t node,
                             builder_.Add(context, follower.word, suffix));
      builder_.log_probability(node) = static_cast<float>(
          Probability(estimate, follower, builder_.log_probability(suffix)));
    }
  }
  followers_.clear();
  return absl::OkStatus();
}

uint32_t Estimator::FindContext(int n) {
  for (int i = 0; i < n - 1; ++i) {
    words_[i] = counts_.packing().Word(context_, n - 2 - i);
  }
  return builder_.FindContext(absl::MakeConstSpan(words_).first(n - 1));
}

NgramTrie Estimator::Finish() && {
  for (uint32_t node = 0; node < builder_.size(); ++node) {
    float& p = builder_.log_probability(node);
    p = std::min(0.0F, std::log10(std::max(p, kLeastProbability)));
    if (!builder_.IsInner(node)) continue;
    float& backoff = builder_.backoff(node);
    if (backoff > 0) backoff = std::log10(backoff);  // 0 if nothing follows
  }
  return std::move(builder_).Finish(Is(CountSmoothing::kAddK));
}

}  // namespace

absl::StatusOr<std::vector<NgramDiscounts>> EstimateDiscounts(
    const NgramCounts& counts, const CountingTraining& training) {
  std::vector<NgramDiscounts> discounts;
  for (int n = 1; n <= counts.order(); ++n) {
    absl::StatusOr<NgramDiscounts> of_order = DiscountsOf(counts.OfOrder(n), n);
    if (of_order.ok()) {
      discounts.push_back(*of_order);
    } else if (training.discount_fallback) {
      discounts.push_back(kFallbackDiscounts);
    } else {
      return absl::FailedPreconditionError(absl::StrCat(
          "the text is too small to estimate the discounts of Kneser-Ney: ",
          of_order.status().message(), "; use ",
          counts.order() > 1 ? "a lower order, " : "",
          "more text, or --discount-fallback, which uses 0.5, 1 and 1.5"));
    }
  }
  return discounts;
}

absl::StatusOr<NgramTrie> EstimateTrie(
    const NgramCounts& counts, const CountingTraining& training,
    const std::vector<NgramDiscounts>& discounts, const Hooks& hooks) {
  // Word, probability, and for inner nodes child, suffix and backoff.
  uint64_t bytes = counts.vocab_size() * 20;
  for (int n = 2; n <= counts.order(); ++n) {
    bytes += counts.OfOrder(n).kept * (n < counts.order() ? 20 : 8);
  }
  FIRTH_RETURN_IF_ERROR(CheckMemoryFor("a counting model", bytes));
  Estimator estimator(counts, training, discounts);
  FIRTH_RETURN_IF_ERROR(estimator.EstimateUnigrams(hooks));
  for (int n = 2; n <= counts.order(); ++n) {
    FIRTH_RETURN_IF_ERROR(estimator.EstimateOrder(n, hooks));
  }
  return std::move(estimator).Finish();
}

}  // namespace firth
