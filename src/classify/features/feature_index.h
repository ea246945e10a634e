// FeatureIndex: converts texts to numbered features.
//
// Each feature has a row in the tables of a classifier:
//
//   [words | n-grams of words | n-grams of characters]
//
// Words are sorted by frequency. An n-gram of words is stored as the n-gram
// without its last word, and that word. This is a trie whose nodes are rows, so
// there are no collisions, and the text of an n-gram can be recovered. N-grams
// of characters are those of a word between < and >. The rows of a known word's
// character n-grams are stored with it; those of an unknown word are looked up.
//
// The alternative is that of fastText (FeatureOptions::hashing). Both kinds of
// n-grams are hashed into `buckets` rows after the words, as in fastText 0.9.2,
// and each text ends with the word "</s>".

#ifndef FIRTH_CLASSIFY_FEATURES_FEATURE_INDEX_H_
#define FIRTH_CLASSIFY_FEATURES_FEATURE_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
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
  // Follows fastText: words are separated by its (ASCII) white space, a text
  // ends with "</s>", and only at its end, and n-grams have the rows of their
  // hashes.
  bool hashing = false;
  uint64_t buckets = 0;  // with hashing; 0 means that no n-gram has a row
  // With hashing, words that start with this prefix are labels and are not
  // read. May be empty.
  std::string label_prefix = {};
};
FeatureOptions FeaturesOf(const ClassifierOptions& options);

// The contents of an index, as stored in a file.
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
  // With hashing, in pruned models: if not empty, only these buckets have rows,
  // and kept_buckets[i] has row words.size() + i.
  std::vector<uint32_t> kept_buckets;
};

// A feature of a text, and its count.
struct FeatureCount {
  uint32_t row;
  uint32_t count;
};

// How a reader handles a feature that occurs again in a text: it adds to the
// count, or returns the feature once more with its own count, which takes less
// time.
enum class Repeats { kCounted, kApart };

// Texts as features. Those of text i are [begins[i], begins[i + 1]): words
// first, then n-grams of words, then those of characters. Each row occurs once
// per text.
struct FeatureBags {
  std::vector<uint64_t> begins = {0};
  std::vector<FeatureCount> features;
  std::vector<uint32_t> tokens;  // per text, including unknown ones

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
  // Creates an index without features.
  FeatureIndex();
  // Builds an index of the features that occur at least min_count times in the
  // texts, followed by the words of more_words, and sets *bags to the texts as
  // features. Errors: InvalidArgument, no text has a word; ResourceExhausted,
  // more than 2^32 - 2 features; Cancelled.
  static absl::StatusOr<FeatureIndex> Build(
      absl::Span<const LabelledText> texts, const ClassifierOptions& options,
      const Hooks& hooks, FeatureBags* bags,
      absl::Span<const absl::string_view> more_words = {});
  // Creates an index from its parts. Errors: InvalidArgument, with the place: a
  // duplicate, or a row that is not below its n-gram.
  static absl::StatusOr<FeatureIndex> Of(FeatureParts parts);

  const FeatureParts& parts() const;
  const FeatureOptions& options() const { return parts().options; }
  size_t num_words() const { return parts().words.size(); }
  size_t num_word_ngrams() const { return parts().word_ngrams.size(); }
  size_t num_character_ngrams() const {
    return parts().character_ngrams.size();
  }
  size_t rows() const;
  // Returns the first row of a character n-gram; with hashing, rows().
  size_t first_character_row() const;

  // Returns the feature's words, separated by spaces, or its characters. With
  // hashing, n-grams have no text, so the result is, for example, "bucket 7".
  std::string Text(size_t row) const;
  // Returns, by row, the first n-gram of a text in each bucket: words separated
  // by spaces, or characters. Returns nothing if n-grams are not hashed.
  absl::flat_hash_map<uint32_t, std::string> BucketNames(
      absl::string_view text) const;

  // Reads texts. Used by one thread at a time; borrows the index.
  class Reader {
   public:
    explicit Reader(const FeatureIndex& index,
                    Repeats repeats = Repeats::kCounted);
    ~Reader();
    Reader(Reader&&) noexcept;

    // Returns the features of a text, valid until the next call. If repeats are
    // counted, they are in the order of FeatureBags.
    absl::Span<const FeatureCount> Read(absl::string_view text);
    // Returns the number of tokens of the last text, including unknown ones.
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

#endif  // FIRTH_CLASSIFY_FEATURES_FEATURE_INDEX_H_
