// TagLearner: trains a tagger's network, controlled by a Run.

#ifndef FIRTH_TAG_TAG_LEARNER_H_
#define FIRTH_TAG_TAG_LEARNER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/file_info.h"
#include "firth/tagger.h"
#include "io/formats/vector_format.h"
#include "lm/learn/context_tuner.h"
#include "nn/optimizer.h"
#include "nn/schedule.h"
#include "run/epoch_learner.h"
#include "tag/tag_network.h"
#include "tag/tag_set.h"
#include "tag/token_features.h"

namespace firth {

// The data and options for training a tagger. Borrows all.
struct TagTask {
  TagSet& train;
  TagSet& dev;  // may be empty
  const TagNumbers& numbers;
  const FeatureChoice& choice;
  const TaggerOptions& options;
  // Checksums of the feature files, or "" if there is none.
  std::string vectors = {};
  std::string contextualizer = {};
  // Null if the contextualizer is not tuned. Otherwise, the sets do not keep
  // its vectors in memory.
  ContextTuner* tuner = nullptr;
};

// Measures at the ends of epochs. Between two steps, training can stop, be
// saved and resume.
class TagLearner : public EpochLearner<TaggerReport> {
 public:
  TagLearner(const TagTask& task, const TaggerHooks& hooks,
             TagNetwork<float>& network, TaggerReport* report);

  // Sets the scales of the network from the first sentences. Must be called
  // before training.
  absl::Status SetScales();

  nlohmann::json Identity() const override;

  std::vector<NamedTensor> Learned() override;
  std::vector<NamedTensor> Others() override;
  nlohmann::json State() const override;
  absl::Status SetState(const nlohmann::json& state) override;

 private:
  using Batches = std::vector<std::vector<size_t>>;

  absl::StatusOr<size_t> PrepareBatches() override;
  absl::Status Step(size_t batch) override;
  absl::Status MeasureEpoch(TaggerEpoch* result) override;
  std::optional<double> ScoreOf(const TaggerEpoch& epoch) const override;

  Batches BatchesOf(size_t epoch) const;
  // Sets the total number of steps, by which the learning rates fall.
  void SetRateSteps(uint64_t steps);
  // Returns the network's input for some sentences. If the contextualizer is
  // tuned, dropout is applied to its layers by the key.
  absl::StatusOr<TokenFeatures<float>> FeaturesOf(
      absl::Span<const size_t> batch, uint64_t key);
  absl::Status Diverged(absl::string_view cause);
  // Reads the features of each batch. Errors: Cancelled, the user asked to
  // stop; those of reading.
  absl::Status ForEach(
      const Batches& batches,
      absl::FunctionRef<void(const TokenFeatures<float>&)> see) const;
  absl::Status ReadAgain();

  TagTask task_;
  const TaggerOptions& options_;
  const TaggerHooks& hooks_;
  TagNetwork<float>& network_;
  nn::ParameterList<float> parameters_;  // of the network
  nn::ParameterList<float> all_;         // also of a tuned contextualizer
  nn::Optimizer<float> optimizer_;
  nn::Schedule rate_;
  std::vector<Matrix<float>> d_layers_;
  Batches batches_;  // of the current epoch
};

// Trains from the current weights of the network, and sets the best ones by
// `dev`. See Tagger::Train().
absl::Status TrainTagNetwork(const TagTask& task, const TaggerHooks& hooks,
                             const Checkpointing& checkpointing,
                             TagNetwork<float>& network, TaggerReport* report);

// Describes a checkpoint of a tagger for DescribeFile(). Returns nothing if the
// file is not one.
absl::StatusOr<std::optional<FileInfo>> DescribeTaggerCheckpoint(
    const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_TAG_TAG_LEARNER_H_
