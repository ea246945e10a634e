// Seq2SeqLearner: trains a sequence-to-sequence model, controlled by a Run.

#ifndef FIRTH_SEQ2SEQ_SEQ2SEQ_LEARNER_H_
#define FIRTH_SEQ2SEQ_SEQ2SEQ_LEARNER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/file_info.h"
#include "firth/seq2seq.h"
#include "nn/optimizer.h"
#include "nn/schedule.h"
#include "run/epoch_learner.h"
#include "seq2seq/seq2seq_model.h"

namespace firth {

// Measures at the ends of epochs. Between two steps, training can stop, be
// saved and resume.
class Seq2SeqLearner : public EpochLearner<Seq2SeqReport> {
 public:
  // Borrows all.
  Seq2SeqLearner(absl::Span<const TextPair> train,
                 absl::Span<const TextPair> dev, const Seq2SeqOptions& options,
                 const Seq2SeqHooks& hooks, Seq2SeqModel& model,
                 Seq2SeqReport* report);

  nlohmann::json Identity() const override;

  std::vector<NamedTensor> Learned() override;
  std::vector<NamedTensor> Others() override;
  nlohmann::json State() const override;
  absl::Status SetState(const nlohmann::json& state) override;

 private:
  // The ids of a pair, with the ends of its texts.
  struct PairIds {
    std::vector<uint32_t> source;
    std::vector<uint32_t> target;
  };
  using Batches = std::vector<std::vector<size_t>>;

  absl::StatusOr<size_t> PrepareBatches() override;
  absl::Status Step(size_t batch) override;
  absl::Status MeasureEpoch(Seq2SeqEpoch* result) override;
  std::optional<double> ScoreOf(const Seq2SeqEpoch& epoch) const override;

  PairIds IdsOf(const TextPair& pair) const;
  Batches BatchesOf(size_t epoch) const;
  PairBatch BatchOf(absl::Span<const size_t> pairs) const;
  absl::Status NotFinite(absl::string_view what, double found);
  // Returns the mean loss per token of the dev set.
  absl::StatusOr<double> DevLoss() const;
  absl::StatusOr<double> DevScore() const;

  absl::Span<const TextPair> train_;
  absl::Span<const TextPair> dev_;
  const Seq2SeqOptions& options_;
  const Seq2SeqHooks& hooks_;
  Seq2SeqModel& model_;
  std::vector<PairIds> pairs_;  // of train; empty if denoising
  nn::ParameterList<float> parameters_;
  nn::Optimizer<float> optimizer_;
  nn::Schedule rate_;
  Batches batches_;  // of the current epoch
};

// Returns the pair with spans of its source moved to its target, as drawn by
// the key.
TextPair Denoised(const TextPair& pair, const Seq2SeqOptions& options,
                  uint64_t key);

// Describes a checkpoint for DescribeFile(). Returns nothing if the file is not
// one.
absl::StatusOr<std::optional<FileInfo>> DescribeSeq2SeqCheckpoint(
    const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_SEQ2SEQ_SEQ2SEQ_LEARNER_H_
