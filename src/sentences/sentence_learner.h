// SentenceLearner: trains the rows of sentence vectors, controlled by a Run.

#ifndef FIRTH_SENTENCES_SENTENCE_LEARNER_H_
#define FIRTH_SENTENCES_SENTENCE_LEARNER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/mapped_file.h"
#include "firth/file_info.h"
#include "firth/sentence_training.h"
#include "nn/contrast.h"
#include "nn/optimizer.h"
#include "nn/schedule.h"
#include "run/epoch_learner.h"
#include "sentences/bag_rows.h"
#include "sentences/sentence_sources.h"

namespace firth {

// The n-grams of known words, for which they are sometimes exchanged.
struct WordNGrams {
  // By word: rows of its n-grams, and the number that they are divided by. The
  // rows of n-grams follow those of words.
  std::vector<std::vector<uint32_t>> rows;
  std::vector<float> factors;
  // By word: probability with which it is exchanged.
  std::vector<float> probabilities;
};

// Measures at the ends of epochs. Between two steps, training can stop, be
// saved and resume.
class SentenceLearner : public EpochLearner<SentenceReport> {
 public:
  // Borrows all. `ngrams` may be empty.
  SentenceLearner(const SentenceSources& sources, const WordNGrams& ngrams,
                  const SentenceTrainingOptions& options,
                  const SentenceHooks& hooks, uint64_t start_sum, BagRows* rows,
                  SentenceReport* report);

  nlohmann::json Identity() const override;

  std::vector<NamedTensor> Learned() override;
  std::vector<NamedTensor> Others() override;
  nlohmann::json State() const override;
  absl::Status SetState(const nlohmann::json& state) override;

 private:
  // The texts of a batch: anchors, then positives, then negatives; or the texts
  // of a teacher.
  struct Texts {
    Bags bags;
    std::vector<uint64_t> keys;
    size_t pairs = 0;
  };

  absl::StatusOr<size_t> PrepareBatches() override;
  absl::Status Step(size_t batch) override;
  absl::Status MeasureEpoch(SentenceEpoch* result) override;
  std::optional<double> ScoreOf(const SentenceEpoch& epoch) const override;

  const std::vector<ExampleBatch>& batches();
  // `with_ngrams`: whether words may be exchanged for their n-grams.
  void TakeTexts(const ExampleBatch& batch, uint64_t key, bool with_ngrams,
                 Texts* texts) const;
  void TakeText(absl::Span<const uint32_t> ids, uint64_t key, bool with_ngrams,
                Texts* texts) const;
  std::vector<nn::ContrastPair> MasksOf(const Texts& texts) const;
  // Sets vectors_ and d_vectors_, and returns the loss.
  double LossOf(const ExampleBatch& batch, const Texts& texts);
  double TeacherLossOf(const ExampleBatch& batch);
  absl::Status NotFinite(double loss);
  absl::StatusOr<double> HeldOutLoss();

  const SentenceSources& sources_;
  const WordNGrams& ngrams_;
  const SentenceTrainingOptions& options_;
  const SentenceHooks& hooks_;
  const uint64_t start_sum_;
  BagRows& rows_;
  nn::Optimizer<float> row_optimizer_;
  nn::Optimizer<float> weight_optimizer_;
  nn::Contrast<float> contrast_;
  nn::Schedule rate_;
  HeldOutExamples held_out_;
  std::optional<size_t> batches_epoch_;  // The epoch of batches_.
  std::vector<ExampleBatch> batches_;
  Texts texts_;
  Matrix<float> vectors_;
  Matrix<float> d_vectors_;
};

// Describes a checkpoint for DescribeFile(). Returns nothing if the file is not
// one.
absl::StatusOr<std::optional<FileInfo>> DescribeSentenceCheckpoint(
    const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_SENTENCES_SENTENCE_LEARNER_H_
