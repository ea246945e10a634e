// Computes the input of a tagger's network from the tokens of sentences.

#ifndef FIRTH_TAG_TOKEN_FEATURES_H_
#define FIRTH_TAG_TOKEN_FEATURES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/contextualizer.h"
#include "firth/tagger.h"
#include "firth/word_vectors.h"
#include "io/formats/vector_format.h"
#include "tag/tag_network.h"

namespace firth {

// The casing of a token: one of few kinds that are informative about names and
// that vectors of lowercased words no longer contain (Collobert et al.,
// "Natural language processing (almost) from scratch", JMLR 2011: the feature
// "caps", here with kinds for numbers and for scripts without case). Files
// contain these numbers.
enum class Casing : uint32_t {
  kNoLetter,   // "...", "%"
  kNumber,     // digits and no letter: "1,500"
  kLower,      // letters, none of them a capital: "the", "n't"
  kInitial,    // only the first letter is a capital: "Paris", "A"
  kCapitals,   // more than one letter, all capitals: "U.N."
  kMixed,      // any other letters: "McDonald", "iPhone"
  kWithDigit,  // a letter and a digit: "F16"
};
inline constexpr size_t kNumCasings = 7;

Casing CasingOf(absl::string_view token);

// Copies the static vector of a token, [dim]: that of the word as written,
// otherwise in lower case, otherwise that of its n-grams, otherwise zeros.
// Returns whether there was one.
bool CopyTokenVector(const WordVectors& vectors, const std::string& token,
                     absl::Span<float> to);

// The features that a network reads.
struct FeatureChoice {
  bool words = false;
  std::vector<size_t> layers;  // of the contextualizer
  bool casing = false;
  size_t max_characters = 0;  // 0 means none

  bool spelling() const { return casing || max_characters > 0; }
};

// The files from which features come. Used by one thread at a time.
class TokenFeatureSource {
 public:
  // Loads the inputs; either or both are optional. Errors: those of loading.
  static absl::StatusOr<TokenFeatureSource> Load(const TaggerInputs& inputs,
                                                 int threads);
  // Loads from files that are open, or null.
  static absl::StatusOr<TokenFeatureSource> Load(
      const WholeVectors& vectors, const MappedFilePtr& contextualizer,
      int threads);

  const WordVectors* vectors() const {
    return vectors_.has_value() ? &*vectors_ : nullptr;
  }
  // Null if there is none.
  Contextualizer* contextualizer() {
    return contextualizer_.has_value() ? &*contextualizer_ : nullptr;
  }
  // These are 0 if there is no such input.
  size_t static_dim() const { return vectors_ ? vectors_->dim() : 0; }
  size_t contextual_dim() const {
    return contextualizer_ ? contextualizer_->dim() : 0;
  }
  size_t num_layers() const {
    return contextualizer_ ? contextualizer_->num_layers() : 0;
  }
  // Returns all features except the spelling.
  FeatureChoice All() const;

  absl::StatusOr<std::vector<TokenVectors>> Embed(
      absl::Span<const std::vector<std::string>* const> sentences);

 private:
  TokenFeatureSource() = default;
  std::optional<WordVectors> vectors_;
  std::optional<Contextualizer> contextualizer_;
  int threads_ = 0;
};

// The sentences of a data set, each with a token or more, and their contextual
// vectors. As many vectors as fit into `memory` bytes are kept; the others are
// computed anew each time. Borrows source and sentences.
class FeatureStore {
 public:
  FeatureStore(TokenFeatureSource* source,
               std::vector<const std::vector<std::string>*> sentences,
               uint64_t memory)
      : source_(source),
        sentences_(std::move(sentences)),
        kept_(sentences_.size()),
        memory_left_(memory) {}

  size_t size() const { return sentences_.size(); }
  size_t length(size_t sentence) const { return sentences_[sentence]->size(); }

  // Returns the features of some sentences, in this order.
  absl::StatusOr<TokenFeatures<float>> Get(absl::Span<const size_t> which,
                                           const FeatureChoice& choice);

 private:
  absl::StatusOr<std::vector<TokenVectors>> EmbedMissing(
      absl::Span<const size_t> which);

  TokenFeatureSource* source_;
  std::vector<const std::vector<std::string>*> sentences_;
  std::vector<std::shared_ptr<const TokenVectors>> kept_;
  uint64_t memory_left_;
};

}  // namespace firth

#endif  // FIRTH_TAG_TOKEN_FEATURES_H_
