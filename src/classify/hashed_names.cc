#include "classify/hashed_names.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "classify/feature_index_body.h"
#include "vocab/character_ngrams.h"

namespace firth {
namespace {

constexpr uint64_t kHashFactor = 116049371;  // as in feature_index.cc

class NameFinder {
 public:
  explicit NameFinder(const FeatureParts& parts) : parts_(parts) {
    for (uint32_t i = 0; i < parts.kept_buckets.size(); ++i) {
      kept_.emplace(parts.kept_buckets[i], i);
    }
  }

  void AddCharacters(const std::string& word) {
    if (word == kSentenceEndWord || parts_.options.max_n == 0) return;
    ForEachNGramOfMarked(
        absl::StrCat("<", word, ">"), static_cast<int>(parts_.options.min_n),
        static_cast<int>(parts_.options.max_n), /*marks_alone=*/false,
        [&](absl::string_view n_gram) { Add(NGramHash(n_gram), n_gram); });
  }

  // Adds the n-grams that begin with words[begin].
  void AddWords(const std::vector<std::string>& words, size_t begin) {
    std::string name = words[begin];
    uint64_t hash = Signed(words[begin]);
    for (size_t n = 2; n <= parts_.options.word_ngrams; ++n) {
      if (begin + n > words.size()) return;
      const std::string& last = words[begin + n - 1];
      absl::StrAppend(&name, " ", last);
      hash = hash * kHashFactor + Signed(last);
      Add(hash, name);
    }
  }

  absl::flat_hash_map<uint32_t, std::string> Take() {
    return std::move(names_);
  }

 private:
  static uint64_t Signed(absl::string_view word) {
    return static_cast<uint64_t>(
        int64_t{static_cast<int32_t>(NGramHash(word))});
  }

  void Add(uint64_t hash, absl::string_view name) {
    const auto bucket = static_cast<uint32_t>(hash % parts_.options.buckets);
    uint32_t row = bucket;
    if (!kept_.empty()) {
      const auto found = kept_.find(bucket);
      if (found == kept_.end()) return;
      row = found->second;
    }
    names_.try_emplace(static_cast<uint32_t>(parts_.words.size()) + row, name);
  }

  const FeatureParts& parts_;
  absl::flat_hash_map<uint32_t, uint32_t> kept_;  // bucket to index
  absl::flat_hash_map<uint32_t, std::string> names_;
};

}  // namespace

absl::flat_hash_map<uint32_t, std::string> HashedNames(
    const FeatureIndex& features, absl::string_view text) {
  const FeatureOptions& options = features.options();
  if (!options.hashing || options.buckets == 0) return {};
  std::vector<std::string> words;
  TokenRoom room;
  ForEachToken(options, text, &room,
               [&](absl::string_view token) { words.emplace_back(token); });
  NameFinder finder(features.parts());
  for (size_t i = 0; i < words.size(); ++i) {
    finder.AddCharacters(words[i]);
    finder.AddWords(words, i);
  }
  return finder.Take();
}

}  // namespace firth
