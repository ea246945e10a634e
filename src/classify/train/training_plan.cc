#include "classify/train/training_plan.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "base/matrix.h"
#include "base/rng.h"
#include "classify/features/feature_index_body.h"
#include "classify/train/wide_step.h"
#include "vocab/character_ngrams.h"

namespace firth {
namespace {

// Enough held-out texts to estimate two or three scales. If a fold has fewer,
// folds are held out one after another until there are as many. A fold has at
// most kMostHeldOut texts.
constexpr size_t kEnoughHeldOut = 500;
constexpr size_t kMostHeldOut = 10'000;

// Returns the number of texts in one fold.
size_t HeldOutTexts(const ClassifierOptions& options, size_t texts) {
  const auto share =
      static_cast<size_t>(options.held_out * static_cast<double>(texts));
  return std::min(share, kMostHeldOut);
}

// Returns the folds, each in ascending order.
std::vector<std::vector<uint32_t>> HeldOutFolds(
    const ClassifierOptions& options, size_t texts) {
  const size_t fold = HeldOutTexts(options, texts);
  const size_t folds = NumHeldOutFolds(options, texts);
  if (folds == 0) return {};
  const std::vector<uint32_t> order =
      Shuffled(AllTexts(texts), CombineKeys(options.seed, 11));
  std::vector<std::vector<uint32_t>> result;
  for (size_t i = 0; i < folds; ++i) {
    const auto begin = order.begin() + static_cast<ptrdiff_t>(i * fold);
    result.emplace_back(begin, begin + static_cast<ptrdiff_t>(fold));
    std::sort(result.back().begin(), result.back().end());
  }
  return result;
}

constexpr uint64_t kSampledOneIn = 16;

// Returns the same hash in each process, unlike Abseil's hashes.
uint64_t HashOf(absl::string_view text) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  return Mix64(hash);
}

// Counts of the n-grams whose hash is in the sample.
class SampledCounts {
 public:
  void Add(uint64_t hash, uint64_t count) {
    if (hash % kSampledOneIn == 0) counts_[hash] += count;
  }
  // Returns an estimate of how many n-grams occurred at least `min_count`
  // times.
  uint64_t CountAtLeast(uint64_t min_count) const {
    uint64_t frequent = 0;
    for (const auto& [hash, count] : counts_) frequent += count >= min_count;
    return frequent * kSampledOneIn;
  }

 private:
  absl::flat_hash_map<uint64_t, uint64_t> counts_;
};

class Estimator {
 public:
  explicit Estimator(const ClassifierOptions& options)
      : options_(options), features_(FeaturesOf(options)) {}

  void Read(absl::string_view text) {
    window_.clear();
    ForEachToken(features_, text, &room_, [this](absl::string_view token) {
      ++estimate_.tokens;
      ++estimate_.occurrences;
      ++words_[token];
      CountWordNgrams(HashOf(token));
    });
  }

  FeatureEstimate Finish() {
    uint64_t frequent = 0;
    for (const auto& [word, count] : words_) {
      frequent += count >= options_.min_count;
      if (options_.max_n > 0) CountCharacterNgrams(word, count);
    }
    const uint64_t ngrams = options_.buckets > 0
                                ? options_.buckets
                                : ngrams_.CountAtLeast(options_.min_count);
    estimate_.features = frequent + ngrams;
    return estimate_;
  }

 private:
  // Counts the n-grams that end with the word.
  void CountWordNgrams(uint64_t word) {
    for (uint64_t& ngram : window_) {
      ngram = CombineKeys(ngram, word);
      ngrams_.Add(ngram, 1);
      ++estimate_.occurrences;
    }
    window_.insert(window_.begin(), word);
    if (window_.size() >= options_.word_ngrams) window_.pop_back();
  }

  void CountCharacterNgrams(absl::string_view word, uint64_t count) {
    ForEachNGram(word, static_cast<int>(options_.min_n),
                 static_cast<int>(options_.max_n),
                 [&](absl::string_view ngram) {
                   // Must differ from the hash of a word with this spelling.
                   ngrams_.Add(Mix64(HashOf(ngram) + 1), count);
                   estimate_.occurrences += count;
                 });
  }

  const ClassifierOptions& options_;
  const FeatureOptions features_;
  FeatureEstimate estimate_;
  absl::flat_hash_map<std::string, uint64_t> words_;
  SampledCounts ngrams_;
  // Hashes of the n-grams that end with the last word and may continue.
  std::vector<uint64_t> window_;
  TokenRoom room_;
};

}  // namespace

bool IsDeepLoss(const LabelLoss& loss) {
  return std::holds_alternative<TreeLabelLoss>(loss) ||
         std::holds_alternative<SampledLabelLoss>(loss);
}
bool HasWide(const ClassifierOptions& options) {
  return options.parts != ClassifierParts::kDeep;
}
bool HasDeep(const ClassifierOptions& options) {
  return options.parts != ClassifierParts::kWide;
}

LabelLink LinkOf(const ClassifierOptions& options, bool several_labels) {
  if (std::holds_alternative<TreeLabelLoss>(options.loss)) {
    return LabelLink::kTree;
  }
  const bool each_for_itself =
      several_labels || std::holds_alternative<OneVsAllLoss>(options.loss);
  return each_for_itself ? LabelLink::kSigmoid : LabelLink::kSoftmax;
}

uint64_t AutomaticEpochs(const ClassifierOptions& options, uint64_t tokens) {
  if (options.parts != ClassifierParts::kDeep) return 5;
  constexpr uint64_t kTokens = 10'000'000;
  return std::clamp<uint64_t>(kTokens / std::max<uint64_t>(tokens, 1), 5, 25);
}

size_t NumHeldOutFolds(const ClassifierOptions& options, size_t texts) {
  const size_t fold = HeldOutTexts(options, texts);
  if (fold == 0) return 0;
  return std::min(texts / fold, (kEnoughHeldOut + fold - 1) / fold);
}

std::vector<TrainingPhase> PlanPhases(const ClassifierOptions& options,
                                      absl::Span<const uint32_t> tokens,
                                      bool hold_out) {
  std::vector<TrainingPhase> phases;
  if (hold_out) {
    for (auto& fold : HeldOutFolds(options, tokens.size())) {
      TrainingPhase& phase = phases.emplace_back();
      for (const uint32_t text : AllTexts(tokens.size())) {
        if (!std::binary_search(fold.begin(), fold.end(), text)) {
          phase.train.push_back(text);
        }
      }
      phase.held_out = std::move(fold);
    }
  }
  phases.push_back({AllTexts(tokens.size()), {}, 0});
  for (TrainingPhase& phase : phases) {
    for (const uint32_t text : phase.train) phase.tokens += tokens[text];
  }
  return phases;
}

std::vector<uint32_t> AllTexts(size_t count) {
  std::vector<uint32_t> texts(count);
  std::iota(texts.begin(), texts.end(), 0);
  return texts;
}

std::vector<uint32_t> Shuffled(std::vector<uint32_t> texts, uint64_t key) {
  Rng rng(key);
  for (size_t i = texts.size(); i > 1; --i) {
    std::swap(texts[i - 1], texts[rng.Below(static_cast<uint32_t>(i))]);
  }
  return texts;
}

uint64_t TrainingBytes(const ClassifierOptions& options, size_t features,
                       uint64_t features_of_texts, size_t texts, size_t labels,
                       size_t context_dim) {
  const auto floats = [](double count) { return 4 * count; };
  const auto rows = static_cast<double>(features);
  double bytes = floats(rows);
  if (HasWide(options)) {
    const auto width = static_cast<double>(WideTable::WidthOf(labels));
    bytes += floats(rows * (2 * width + 1)) +
             floats(static_cast<double>(texts) * width) +
             8 * static_cast<double>(features_of_texts);
  }
  if (HasDeep(options)) {
    const auto dim = static_cast<double>(PaddedStride<float>(options.dim));
    const auto output =
        static_cast<double>(PaddedStride<float>(options.dim + context_dim));
    bytes +=
        floats(rows * dim + static_cast<double>(labels) * output) +
        floats(static_cast<double>(texts) * static_cast<double>(context_dim));
  }
  return static_cast<uint64_t>(bytes);
}

FeatureEstimate EstimateFeatures(absl::Span<const LabelledText> texts,
                                 const ClassifierOptions& options) {
  Estimator estimator(options);
  for (const LabelledText& text : texts) estimator.Read(text.text);
  return estimator.Finish();
}

}  // namespace firth
