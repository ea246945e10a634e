// Advice for people who train for the first time. The figures of the report do
// not show them that a text is too small for the options, or that it was not
// split into words.

#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "firth/thousands.h"
#include "firth/vector_training.h"

namespace firth {
namespace {

constexpr absl::string_view kSmall = "small";

// Below this number of words times epochs, the defaults train too little.
constexpr uint64_t kEnoughWords = 20'000'000;
// Number of words of a text below which --preset small is recommended.
constexpr uint64_t kSmallText = 1'000'000;
// Mean length of a token in bytes, white space included. No language that
// separates words by spaces has such long ones.
constexpr uint64_t kLongToken = 25;
// A loss above this fraction of the starting loss has hardly moved.
constexpr double kHardlyMoved = 0.97;

// Returns the mean loss of untrained vectors, whose scores are all 0, or
// nothing if it depends on more than the options.
std::optional<double> StartingLoss(const ObjectiveOptions& objective,
                                   uint64_t words) {
  return std::visit(
      [words](const auto& chosen) -> std::optional<double> {
        using Chosen = std::decay_t<decltype(chosen)>;
        if constexpr (std::is_same_v<Chosen, NegativeSamplingOptions>) {
          return (1 + chosen.negatives) * std::numbers::ln2;
        } else if constexpr (std::is_same_v<Chosen, FullSoftmaxOptions>) {
          return std::log(static_cast<double>(words));
        } else {
          return std::nullopt;
        }
      },
      objective);
}

std::string AdviceOnDropped(const VectorTraining& options,
                            const CorpusReport& corpus) {
  // Words beyond --max-vocab and --vocab are left out on purpose.
  const uint64_t dropped = corpus.dropped_min_count + corpus.dropped_pruned +
                           corpus.dropped_too_long;
  if (dropped <= corpus.tokens / 2) return "";
  const std::string kept = absl::StrFormat(
      "only %.1f%% of the tokens belong to words that are frequent enough to "
      "be kept; ",
      100 * static_cast<double>(corpus.words_kept) /
          static_cast<double>(corpus.tokens));
  if (!options.corpus.split_punctuation &&
      corpus.bytes / corpus.tokens >= kLongToken) {
    return kept +
           "--split-punctuation finds the words in text without spaces, such "
           "as Chinese";
  }
  if (options.preset == kSmall) return kept + "--min-count 1 keeps all words";
  return kept + "--preset small keeps rarer words (--min-count)";
}

std::string AdviceOnSize(const VectorTraining& options,
                         const CorpusReport& corpus) {
  const uint64_t words = corpus.words_kept;
  const auto epochs = static_cast<uint64_t>(options.training.epochs);
  if (words * epochs >= kEnoughWords || options.preset == kSmall) return "";
  const std::string size =
      absl::StrCat("the text is small (", Thousands(words), " words); ");
  if (words < kSmallText) {
    return size + "--preset small is meant for such texts";
  }
  return absl::StrCat(size, "--epochs ", (kEnoughWords + words - 1) / words,
                      " gives better vectors");
}

std::string AdviceOnLoss(const VectorTraining& options,
                         const CorpusReport& corpus,
                         const TrainReport& training) {
  const std::optional<double> start =
      StartingLoss(options.training.objective, corpus.types_kept);
  const double end = training.epochs.back().loss;
  if (!start.has_value() || end < kHardlyMoved * *start) return "";
  return absl::StrFormat(
      "the loss hardly changed (from %.2f to %.2f); try more --epochs or a "
      "higher --learning-rate",
      *start, end);
}

}  // namespace

std::string TrainingAdvice(const VectorTraining& options,
                           const CorpusReport& corpus,
                           const TrainReport& training) {
  const bool has_learned =
      !training.epochs.empty() && training.epochs.back().examples > 0;
  if (training.interrupted) return "";
  std::string advice = AdviceOnDropped(options, corpus);
  if (!has_learned) return advice;
  if (advice.empty()) advice = AdviceOnSize(options, corpus);
  if (advice.empty()) advice = AdviceOnLoss(options, corpus, training);
  return advice;
}

}  // namespace firth
