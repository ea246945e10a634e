#include "classify/feature_estimate.h"

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "base/rng.h"
#include "classify/feature_index_body.h"
#include "vocab/character_ngrams.h"

namespace firth {
namespace {

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

FeatureEstimate EstimateFeatures(absl::Span<const LabelledText> texts,
                                 const ClassifierOptions& options) {
  Estimator estimator(options);
  for (const LabelledText& text : texts) estimator.Read(text.text);
  return estimator.Finish();
}

}  // namespace firth
