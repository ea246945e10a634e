// TagModel: predicts the tags of the tokens of sentences.
//
// Tagger, and with it all commands and interfaces, uses a model only by this
// class. tag_model.cc lists the kinds of models.

#ifndef FIRTH_TAG_TAG_MODEL_H_
#define FIRTH_TAG_TAG_MODEL_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mapped_file.h"
#include "firth/file_info.h"
#include "firth/progress.h"
#include "firth/tagger.h"

namespace firth {

// The predicted tag of each token of a sentence.
struct PredictedTags {
  std::vector<std::string> tags;
  // The probability of each of these tags, if it was requested.
  std::vector<double> probabilities;
};

// Used by one thread at a time.
class TagModel {
 public:
  // The tokens of sentences, none of which is empty.
  using Sentences = std::vector<const std::vector<std::string>*>;
  using Predictions = absl::StatusOr<std::vector<PredictedTags>>;

  virtual ~TagModel() = default;

  virtual const std::vector<std::string>& tags() const = 0;
  // Returns the most probable tags of each sentence. Errors: OutOfRange, a
  // value that is not finite; Cancelled.
  virtual Predictions Predict(Sentences sentences, bool with_probabilities,
                              const Hooks& hooks) = 0;
  // Returns the mixes of contextual layers, if the model has any.
  virtual std::vector<MixWeights> mixes() { return {}; }
  // Writes the file, whole or not at all.
  virtual absl::Status Save(const std::string& path) const = 0;
};

// Opens a model of any kind. Errors: as for Tagger::Load().
absl::StatusOr<std::unique_ptr<TagModel>> OpenTagModel(
    const std::string& path, const TaggerInputs& inputs, int threads);

// Describes a model of any kind for DescribeFile(). Returns nothing for other
// files.
absl::StatusOr<std::optional<FileInfo>> DescribeTagModel(
    const MappedFilePtr& file);

// One kind of models. Both functions return nothing for a file of another kind.
struct TagModelKind {
  absl::StatusOr<std::unique_ptr<TagModel>> (*open)(const MappedFilePtr& file,
                                                    const TaggerInputs& inputs,
                                                    int threads);
  absl::StatusOr<std::optional<FileInfo>> (*describe)(
      const MappedFilePtr& file);
};
extern const TagModelKind kNetworkTagger;  // tag/tagger.cc
extern const TagModelKind kHmmTagger;      // tag/hmm_tagger.cc

}  // namespace firth

#endif  // FIRTH_TAG_TAG_MODEL_H_
