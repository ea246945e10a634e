#include "io/formats/fasttext_text.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "vocab/character_ngrams.h"

namespace firth {
namespace {

constexpr absl::string_view kWhiteSpace("\n\r\t\v\f \0", 7);
// The prefix of labels that the model does not have. fastText stores no other
// prefix.
constexpr absl::string_view kLabelPrefix = "__label__";

class FasttextTextEncoder : public TextEncoder {
 public:
  FasttextTextEncoder(const FasttextHeader& header, WordVectors vectors,
                      FloatTable input)
      : vectors_(std::move(vectors)),
        input_(std::move(input)),
        labels_(header.labels.begin(), header.labels.end()),
        buckets_(static_cast<uint64_t>(header.buckets)),
        min_n_(std::max(header.min_n, 1)),
        max_n_(header.max_n),
        word_n_grams_(static_cast<size_t>(std::max(header.word_n_grams, 1))),
        pruned_(header.pruned),
        kept_(header.kept.begin(), header.kept.end()) {}

  absl::StatusOr<size_t> Encode(absl::string_view text, bool /*unit_words*/,
                                absl::Span<float> vector) const override {
    std::vector<uint32_t> rows;
    const size_t words = AppendRows(text, &rows);
    std::vector<double> sum(vector.size());
    for (const uint32_t row : rows) {
      const absl::Span<const float> values = input_.Row(row);
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
    }
    const auto count = static_cast<double>(std::max<size_t>(rows.size(), 1));
    for (size_t i = 0; i < sum.size(); ++i) {
      vector[i] = static_cast<float>(sum[i] / count);
    }
    return words;
  }

 private:
  // Returns the number of words that have rows.
  size_t AppendRows(absl::string_view text, std::vector<uint32_t>* rows) const {
    std::vector<uint32_t> hashes;
    size_t words = 0;
    for (const absl::string_view token : absl::StrSplit(
             text, absl::ByAnyChar(kWhiteSpace), absl::SkipEmpty())) {
      if (token == kSentenceEndWord) break;
      const std::optional<WordId> id = vectors_.vocabulary().Find(token);
      if (!id.has_value() && IsLabel(token)) continue;
      const size_t before = rows->size();
      if (id.has_value()) rows->push_back(static_cast<uint32_t>(Index(*id)));
      AppendCharacterRows(token, rows);
      words += rows->size() > before ? 1 : 0;
      hashes.push_back(NGramHash(token));
    }
    const auto end = vectors_.vocabulary().Find(kSentenceEndWord);
    if (end.has_value()) rows->push_back(static_cast<uint32_t>(Index(*end)));
    hashes.push_back(NGramHash(kSentenceEndWord));
    ForEachWordNGramHash(hashes, word_n_grams_,
                         [&](uint64_t hash) { AppendBucketRow(hash, rows); });
    return words;
  }

  bool IsLabel(absl::string_view token) const {
    return labels_.contains(token) || absl::StartsWith(token, kLabelPrefix);
  }

  void AppendCharacterRows(absl::string_view word,
                           std::vector<uint32_t>* rows) const {
    if (max_n_ == 0) return;
    ForEachNGram(word, min_n_, max_n_, [&](absl::string_view n_gram) {
      AppendBucketRow(NGramHash(n_gram), rows);
    });
  }

  void AppendBucketRow(uint64_t hash, std::vector<uint32_t>* rows) const {
    if (buckets_ == 0) return;
    auto bucket = static_cast<uint32_t>(hash % buckets_);
    if (pruned_) {
      const auto found = kept_.find(bucket);
      if (found == kept_.end()) return;
      bucket = found->second;
    }
    rows->push_back(static_cast<uint32_t>(vectors_.size()) + bucket);
  }

  WordVectors vectors_;
  FloatTable input_;
  absl::flat_hash_set<std::string> labels_;
  uint64_t buckets_;
  int min_n_;
  int max_n_;
  size_t word_n_grams_;
  bool pruned_;
  absl::flat_hash_map<uint32_t, uint32_t> kept_;  // Maps a bucket to its row.
};

}  // namespace

std::shared_ptr<const TextEncoder> MakeFasttextTextEncoder(
    const FasttextHeader& header, WordVectors vectors, FloatTable input) {
  return std::make_shared<FasttextTextEncoder>(header, std::move(vectors),
                                               std::move(input));
}

}  // namespace firth
