// FeatureIndex: what is read of a text, as numbers.
//
// Features have a row each in the tables of a classifier:
//
//   [words | n-grams of words | n-grams of characters]
//
// Words come by frequency. An n-gram of words is the one without its last word,
// and that word: a trie whose nodes are rows, so that nothing collides and the
// text of an n-gram can be told. N-grams of characters are those of a word
// between < and >. The rows of a known word's character n-grams are kept with
// it; those of an unknown one are looked up.
//
// The other way is fastText's (FeatureOptions::hashing): both kinds of n-grams
// are hashed into `buckets` rows behind the words, as fastText 0.9.2 does
// it, and each text ends with the word "</s>".

#ifndef FIRTH_SRC_CLASSIFY_FEATURE_INDEX_H_
#define FIRTH_SRC_CLASSIFY_FEATURE_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/classifier.h"

namespace firth {

struct FeatureOptions {
  bool lowercase = false;
  Normalization normalize = Normalization::kNone;
  bool split_punctuation = false;
  uint64_t word_ngrams = 1;
  uint64_t min_n = 0;
  uint64_t max_n = 0;
  // As fastText: words stand between its white space (ASCII), a text ends with
  // "</s>", if only at its end, and n-grams have the rows of their hashes.
  bool hashing = false;
  uint64_t buckets = 0;  // with hashing; 0: no n-grams have rows
  // With hashing: words that start with it are labels and not read. May be
  // empty.
  std::string label_prefix = {};
};
FeatureOptions FeaturesOf(const ClassifierOptions& options);

// All of an index, as a file holds it.
struct FeatureParts {
  struct WordNgram {
    uint32_t prefix;  // row of the n-gram (or word) without its last word
    uint32_t last;    // row of its last word
  };

  FeatureOptions options;
  std::vector<std::string> words;
  // N-gram i has row words.size() + i, which is above its prefix.
  std::vector<WordNgram> word_ngrams;
  // N-gram i has row words.size() + word_ngrams.size() + i.
  std::vector<std::string> character_ngrams;
  // With hashing: where not empty, only these buckets have rows, and
  // kept_buckets[i] has row words.size() + i. Of pruned models.
  std::vector<uint32_t> kept_buckets;
};

// A feature of a text, and how often it is there.
struct FeatureCount {
  uint32_t row;
  uint32_t count;
};

// What a reader does with a feature that a text has again: adds to its count,
// or gives it once more with a count of its own, which takes less time.
enum class Repeats { kCounted, kApart };

// Texts as features: those of text i are [begins[i], begins[i + 1]), words
// first, then n-grams of words, then those of characters; each row once.
struct FeatureBags {
  std::vector<uint64_t> begins = {0};
  std::vector<FeatureCount> features;
  std::vector<uint32_t> tokens;  // of each text, unknown ones included

  size_t size() const { return begins.size() - 1; }
  absl::Span<const FeatureCount> Of(size_t text) const {
    return absl::MakeConstSpan(features).subspan(
        begins[text], begins[text + 1] - begins[text]);
  }
  // Adds a text.
  void Add(absl::Span<const FeatureCount> its_features, size_t its_tokens) {
    features.insert(features.end(), its_features.begin(), its_features.end());
    begins.push_back(features.size());
    tokens.push_back(static_cast<uint32_t>(its_tokens));
  }
  // Adds other texts.
  void Append(const FeatureBags& others);
};

// Immutable and cheap to copy.
class FeatureIndex {
 public:
  // Of no feature.
  FeatureIndex();
  // The features that occur at least min_count times in the texts, the words
  // of more_words behind theirs, and the texts as features. Errors:
  // InvalidArgument, no text has a word; ResourceExhausted, more than 2^32 - 2
  // features; Cancelled.
  static absl::StatusOr<FeatureIndex> Build(
      absl::Span<const LabelledText> texts, const ClassifierOptions& options,
      const Hooks& hooks, FeatureBags* bags,
      absl::Span<const absl::string_view> more_words = {});
  // Errors: InvalidArgument with the place: what stands twice, a row that is
  // not below its n-gram.
  static absl::StatusOr<FeatureIndex> Of(FeatureParts parts);

  const FeatureParts& parts() const;
  const FeatureOptions& options() const { return parts().options; }
  size_t num_words() const { return parts().words.size(); }
  size_t num_word_ngrams() const { return parts().word_ngrams.size(); }
  size_t num_character_ngrams() const {
    return parts().character_ngrams.size();
  }
  size_t rows() const;
  // The first row of a character n-gram. With hashing: rows().
  size_t first_character_row() const;

  // The feature's words with spaces between, or its characters; with hashing,
  // "bucket 7" of what has no text.
  std::string Text(size_t row) const;

  // What a thread reads texts with. Used by one thread at a time; borrows the
  // index.
  class Reader {
   public:
    explicit Reader(const FeatureIndex& index,
                    Repeats repeats = Repeats::kCounted);
    ~Reader();
    Reader(Reader&&) noexcept;

    // The features of a text, until the next call, in the order of
    // FeatureBags, where repeats are counted.
    absl::Span<const FeatureCount> Read(absl::string_view text);
    // Of the text read last: tokens, unknown ones included.
    size_t tokens() const;

   private:
    class Body;
    friend class FeatureIndexBuilder;
    std::unique_ptr<Body> body_;
  };

 private:
  struct Body;
  friend class FeatureIndexBuilder;
  explicit FeatureIndex(std::shared_ptr<const Body> body);
  std::shared_ptr<const Body> body_;
};

}  // namespace firth

#endif  // FIRTH_SRC_CLASSIFY_FEATURE_INDEX_H_
