// LanguageModelLearner: trains a language model, controlled by a Run. A step
// encodes the words of the next chunk of a TextTask, lets it run the layers and
// heads, and updates the parameters.
//
// All further steps depend only on its tensors (parameters, sums of the
// optimizer, states of both directions) and on its state (the counts, and the
// position of each row in the text), so it can pause after any step.

#ifndef FIRTH_LM_LEARN_LANGUAGE_MODEL_LEARNER_H_
#define FIRTH_LM_LEARN_LANGUAGE_MODEL_LEARNER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "firth/corpus.h"
#include "firth/file_info.h"
#include "firth/language_model.h"
#include "io/formats/vector_format.h"
#include "lm/learn/text_task.h"
#include "lm/model/language_model.h"
#include "lm/model/text_words.h"
#include "nn/optimizer.h"
#include "nn/schedule.h"
#include "run/learner.h"
#include "run/run.h"

namespace firth {

class LanguageModelLearner : public Learner {
 public:
  // Borrows all arguments except the task. The options must be valid.
  LanguageModelLearner(const LanguageModelTraining& options, const Corpus& text,
                       BiLanguageModel* model, std::unique_ptr<TextTask> task);

  nlohmann::json Identity() const override;

  absl::StatusOr<bool> Advance(RunControl& control) override;
  bool done() const override { return step_ >= total_steps_; }
  uint64_t position() const override { return TokensAt(step_); }
  uint64_t total() const override { return TokensAt(total_steps_); }

  absl::StatusOr<std::string> Measure() override;
  std::vector<std::optional<double>> Scores() const override;

  std::vector<NamedTensor> Learned() override;
  std::vector<NamedTensor> Others() override;
  nlohmann::json State() const override;
  absl::Status SetState(const nlohmann::json& state) override;
  void SetRateFactor(double factor) override { rate_factor_ = factor; }

  LanguageModelReport Report(const RunReport& run) const;
  // Returns a message if the text is shorter than a step, otherwise "".
  std::string Shortage() const;

 private:
  uint64_t TokensAt(uint64_t step) const {
    return step * task_->tokens_per_step();
  }
  // Returns the epoch of the last step, from 0.
  uint64_t Epoch() const { return TokensAt(step_ - 1) / task_->tokens(); }
  // Trains on the next chunk with the current learning rate. Returns the mean
  // loss, in nats per target. Errors: OutOfRange, the loss or the gradient is
  // not finite; the parameters are then unchanged.
  absl::StatusOr<double> Step();
  absl::StatusOr<double> StepOfTeam();
  void EncoderBackward();
  // Clears the gradients. Returns an error that names the non-finite value.
  absl::Status NotFinite(absl::string_view what, double found);
  void AddLoss(double loss);
  absl::Status CheckLearns(double loss) const;
  bool IsTimeToMeasure() const;

  const LanguageModelTraining& options_;
  const Corpus& text_;
  BiLanguageModel& model_;
  std::unique_ptr<TextTask> task_;
  nn::ParameterList<float> parameters_;
  nn::ParameterList<float> learned_;  // the parameters that are not frozen
  nn::Optimizer<float> optimizer_;
  ChunkWords words_;
  Matrix<float> d_words_;  // gradient of the encoded words
  uint64_t total_steps_;
  nn::Schedule schedule_;
  double rate_factor_ = 1;
  uint64_t step_ = 0;           // steps done
  std::vector<double> losses_;  // mean of each epoch
  uint64_t epoch_steps_ = 0;    // steps in the current epoch's mean
  std::vector<ValidationPoint> validations_;
  Standing standing_;
};

// Describes a checkpoint of a language model for DescribeFile(). Returns
// nothing if the file is not one.
absl::StatusOr<std::optional<FileInfo>> DescribeLanguageModelCheckpoint(
    const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_LM_LEARN_LANGUAGE_MODEL_LEARNER_H_
