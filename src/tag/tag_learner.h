// TagLearner: the training of a tagger's network, as a Run drives it.

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
#include "lm/context_tuner.h"
#include "nn/optimizer.h"
#include "nn/schedule.h"
#include "run/learner.h"
#include "tag/tag_network.h"
#include "tag/tag_set.h"
#include "tag/token_features.h"

namespace firth {

// What a tagger learns from. Borrowed throughout.
struct TagTask {
  TagSet& train;
  TagSet& dev;  // of no sentences: none
  const TagNumbers& numbers;
  const FeatureChoice& choice;
  const TaggerOptions& options;
  // Checksums of the files of the features; empty: there is none.
  std::string vectors = {};
  std::string contextualizer = {};
  // Null: the contextualizer stays as it is. Else the sets keep no vectors of
  // it in memory.
  ContextTuner* tuner = nullptr;
};

// The points to measure at are the ends of epochs; between two steps the
// training can stop, be saved, and go on.
class TagLearner : public Learner {
 public:
  TagLearner(const TagTask& task, const TaggerHooks& hooks,
             TagNetwork<float>& network, TaggerReport* report);

  // Before anything else: sets the scales of the network from the first
  // sentences.
  absl::Status SetScales();

  nlohmann::json Identity() const override;

  absl::StatusOr<bool> Advance(RunControl& control) override;
  bool done() const override { return epoch() >= options_.epochs; }
  uint64_t position() const override;
  uint64_t total() const override;

  absl::StatusOr<std::string> Measure() override;
  std::vector<std::optional<double>> Scores() const override;

  std::vector<NamedTensor> Learnt() override;
  std::vector<NamedTensor> Others() override;
  nlohmann::json State() const override;
  absl::Status SetState(const nlohmann::json& state) override;
  void SetRateFactor(double factor) override { rate_factor_ = factor; }

 private:
  using Batches = std::vector<std::vector<size_t>>;

  size_t epoch() const { return report_.epochs.size(); }
  Batches BatchesOf(size_t epoch) const;
  // Of all epochs together, by which the rates fall.
  void SetRateSteps(uint64_t steps);
  absl::Status Step(absl::Span<const size_t> batch);
  // What the network reads of some sentences. Where the contextualizer is
  // tuned, its layers come with dropout by the key.
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
  TaggerReport& report_;
  nn::ParameterList<float> parameters_;  // of the network
  nn::ParameterList<float> all_;         // and of a contextualizer
  nn::Optimizer<float> optimizer_;
  nn::Schedule rate_;
  std::vector<Matrix<float>> d_layers_;
  double rate_factor_ = 1;
  uint64_t epoch_tokens_;  // of all sentences
  // Of the present epoch.
  size_t batch_ = 0;  // done
  uint64_t tokens_ = 0;
  double loss_ = 0;  // their sum
  double seconds_ = 0;
  Standing standing_;
};

// Trains from the weights that the network has, and leaves the best ones by
// `dev`. See Tagger::Train().
absl::Status TrainTagNetwork(const TagTask& task, const TaggerHooks& hooks,
                             const Checkpointing& checkpointing,
                             TagNetwork<float>& network, TaggerReport* report);

// What DescribeFile() tells of a checkpoint of a tagger; nothing if the file is
// none.
absl::StatusOr<std::optional<FileInfo>> DescribeTaggerCheckpoint(
    const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_TAG_TAG_LEARNER_H_
