// What training, running and scoring a tag network over a data set share.

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

// More are taken for a column that holds something else.
inline constexpr size_t kMostTags = 4096;
// Bytes of a token that its characters are read of, with two marks.
inline constexpr size_t kTaggerCharacters = 50;

// The tags of a training set, numbered as they first appear.
class TagNumbers {
 public:
  // Errors: InvalidArgument for more than 4096, a sign of a wrong column.
  static absl::StatusOr<TagNumbers> Of(
      absl::Span<const TaggedSentence> sentences);

  const std::vector<std::string>& tags() const { return tags_; }
  // Of a sentence with no other tags.
  std::vector<uint32_t> Numbers(const TaggedSentence& sentence) const;

 private:
  std::vector<std::string> tags_;
  absl::flat_hash_map<std::string, uint32_t> numbers_;
};

// Sentences that outlive it, and their features.
struct TagSet {
  TagSet(absl::Span<const TaggedSentence> of, TokenFeatureSource* source,
         uint64_t cache_bytes);

  absl::Span<const TaggedSentence> sentences;
  FeatureStore features;
};

// Errors: InvalidArgument unless every token has a tag, and every sentence a
// token.
absl::Status CheckTagged(absl::Span<const TaggedSentence> sentences);

// Of the mixes that the network has.
std::vector<MixWeights> MixesOf(TagNetwork<float>& network);

// What such a network reads.
FeatureChoice ChoiceOf(const TagNetworkOptions& network);

// Of a network that reads the choice.
TagNetworkOptions NetworkOptions(const TaggerOptions& options,
                                 const TokenFeatureSource& source,
                                 const FeatureChoice& choice, size_t num_tags);

// The tags of some sentences, in their order. Errors: OutOfRange, a value that
// is not finite; Cancelled.
absl::StatusOr<std::vector<PredictedTags>> PredictTags(
    FeatureStore& features, const std::vector<std::string>& tags,
    const FeatureChoice& choice, size_t batch, const Hooks& hooks,
    TagNetwork<float>& network, bool with_probabilities = false);

// The scores of the network on a set.
absl::StatusOr<TagScores> ScoreTags(TagSet& set,
                                    const std::vector<std::string>& tags,
                                    const FeatureChoice& choice,
                                    const TaggerOptions& options,
                                    const Hooks& hooks,
                                    TagNetwork<float>& network);

}  // namespace firth

#endif  // FIRTH_TAG_TAG_SET_H_
