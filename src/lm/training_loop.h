// TrainingLoop: the training of a language model from its start, or from a
// checkpoint, to its end.
//
// A checkpoint holds all that the steps to come depend on: parameters, the best
// ones so far, sums of the optimizer, states of both directions, and as JSON
// the counts and where the rows stand in the text.

#ifndef FIRTH_LM_TRAINING_LOOP_H_
#define FIRTH_LM_TRAINING_LOOP_H_

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mapped_file.h"
#include "firth/corpus.h"
#include "firth/file_info.h"
#include "firth/language_model.h"
#include "firth/progress.h"
#include "lm/chunk_trainer.h"
#include "lm/language_model.h"
#include "nlohmann/json.hpp"

namespace firth {

class TrainingLoop {
 public:
  // Borrows all; the options are valid.
  TrainingLoop(const LanguageModelTraining& options, const Corpus& text,
               const Hooks& hooks, BiLanguageModel* model);

  // Leaves the best parameters in the model where there was validation, else
  // the last ones. Errors: those of TrainLanguageModel().
  absl::Status Run();

  const LanguageModelReport& report() const { return report_; }

 private:
  using Clock = std::chrono::steady_clock;
  // A matrix that the training goes on from.
  struct Named {
    std::string name;
    Matrix<float>* matrix;
  };

  uint64_t TokensAt(uint64_t step) const {
    return step * trainer_.tokens_per_step();
  }
  // Of the step just done, from 0.
  uint64_t Epoch() { return TokensAt(step_ - 1) / trainer_.rows().tokens(); }
  // Whether that step passed a multiple of so many tokens.
  bool IsDue(uint64_t every) const {
    return TokensAt(step_) / every != TokensAt(step_ - 1) / every;
  }
  bool has_best() const {
    return best_loss_ < std::numeric_limits<double>::infinity();
  }

  void AddLoss(double loss);
  void Tell(Clock::time_point start, double learning_rate);
  absl::Status ValidateIfDue();
  void AddValidation(const Perplexity& measured);
  void KeepBest();
  void RestoreBest();
  std::vector<Named> Matrices();
  // With a warning where it cannot be written.
  void SaveCheckpoint();
  absl::Status WriteCheckpoint();
  absl::Status Resume();
  absl::Status CheckSameOptions(const nlohmann::json& before) const;
  // False if something lacks or is of another type.
  bool TakeContent(const nlohmann::json& content);

  const LanguageModelTraining& options_;
  const Hooks& hooks_;
  BiLanguageModel& model_;
  ChunkTrainer trainer_;
  std::string fingerprint_;
  nn::ParameterList<float> learnt_;
  uint64_t total_steps_ = 0;
  uint64_t step_ = 0;        // done
  uint64_t first_step_ = 0;  // of this run
  LanguageModelReport report_;
  uint64_t epoch_steps_ = 0;  // in the mean loss of this epoch
  double told_loss_ = 0;
  uint64_t told_steps_ = 0;
  Clock::time_point last_told_ = Clock::now();
  double best_loss_ = std::numeric_limits<double>::infinity();
  int without_better_ = 0;
  std::vector<Matrix<float>> best_;  // of learnt_
};

// Describes a checkpoint for DescribeFile(); returns nothing if the file is
// none.
absl::StatusOr<std::optional<FileInfo>> DescribeLanguageModelCheckpoint(
    const MappedFilePtr& file);

}  // namespace firth

#endif  // FIRTH_LM_TRAINING_LOOP_H_
