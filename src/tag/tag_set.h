// Functions for training, running and scoring a tag network on a data set.

#ifndef FIRTH_TAG_TAG_SET_H_
#define FIRTH_TAG_TAG_SET_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/tagger.h"
#include "tag/tag_model.h"
#include "tag/tag_network.h"
#include "tag/token_features.h"

namespace firth {

// Maximum number of tags. A column with more probably contains something else.
inline constexpr size_t kMostTags = 4096;
// Maximum bytes of a token that are read as characters, with two marks.
inline constexpr size_t kTaggerCharacters = 50;

// The tags of a training set, numbered in the order of their first occurrence.
class TagNumbers {
 public:
  // Errors: InvalidArgument, more than 4096 tags, a sign of a wrong column.
  static absl::StatusOr<TagNumbers> Of(
      absl::Span<const TaggedSentence> sentences);

  const std::vector<std::string>& tags() const { return tags_; }
  // Returns the numbers of a sentence's tags, which must all be known.
  std::vector<uint32_t> Numbers(const TaggedSentence& sentence) const;

 private:
  std::vector<std::string> tags_;
  absl::flat_hash_map<std::string, uint32_t> numbers_;
};

// Sentences, which are borrowed, and their features.
struct TagSet {
  TagSet(absl::Span<const TaggedSentence> of, TokenFeatureSource* source,
         uint64_t cache_bytes);

  absl::Span<const TaggedSentence> sentences;
  FeatureStore features;
};

// Errors: InvalidArgument, a token without a tag, or a sentence without tokens.
absl::Status CheckTagged(absl::Span<const TaggedSentence> sentences);

// Returns the weights of the mixes in the network.
std::vector<MixWeights> MixesOf(TagNetwork<float>& network);

// Returns the options of a network that reads these features.
TagNetworkOptions NetworkOptions(const TaggerOptions& options,
                                 const TokenFeatureSource& source,
                                 const FeatureChoice& choice, size_t num_tags);

// Returns the tags of the sentences, in their order. Errors: OutOfRange, a
// value that is not finite; Cancelled.
absl::StatusOr<std::vector<PredictedTags>> PredictTags(
    FeatureStore& features, const std::vector<std::string>& tags,
    const FeatureChoice& choice, size_t batch, const Hooks& hooks,
    TagNetwork<float>& network, bool with_probabilities = false);

// Returns the scores of the network on a set.
absl::StatusOr<TagScores> ScoreTags(TagSet& set,
                                    const std::vector<std::string>& tags,
                                    const FeatureChoice& choice,
                                    const TaggerOptions& options,
                                    const Hooks& hooks,
                                    TagNetwork<float>& network);

}  // namespace firth

#endif  // FIRTH_TAG_TAG_SET_H_
