// NetworkModel: a BiLanguageModel as a TextModel. A model of pieces cuts its
// texts here, so that the network sees only pieces.

#ifndef FIRTH_LM_NETWORK_MODEL_H_
#define FIRTH_LM_NETWORK_MODEL_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lm/language_model.h"
#include "lm/text_model.h"

namespace firth {

class NetworkModel : public TextModel {
 public:
  explicit NetworkModel(std::unique_ptr<BiLanguageModel> model)
      : model_(std::move(model)) {}

  absl::StatusOr<Perplexity> Measure(const Corpus& text,
                                     const MeasureOptions& options,
                                     const Hooks& hooks) override;
  absl::StatusOr<std::vector<std::vector<TokenScore>>> TokenScores(
      absl::Span<const Sentence> sentences, const Hooks& hooks) override;
  absl::StatusOr<std::unique_ptr<Continuation>> Continue(
      const GenerateOptions& options) override;
  absl::StatusOr<std::vector<std::vector<WordProbability>>> Fill(
      const Sentence& sentence, size_t count) override;
  absl::StatusOr<std::vector<double>> NextSentence(absl::Span<const Pair> pairs,
                                                   const Hooks& hooks) override;
  absl::Status Save(const std::string& path) override;
  std::map<std::string, std::string>& metadata() override {
    return model_->metadata();
  }
  BiLanguageModel* network() override { return model_.get(); }

 private:
  // Must be called before predictions.
  void Prepare();
  // Returns the sentences as the model reads them, which borrow from the model
  // and from `sentences`.
  std::vector<Sentence> Cut(absl::Span<const Sentence> sentences) const;

  std::unique_ptr<BiLanguageModel> model_;
  // Whether the head's PrepareAll() was called, which is slow if rows are
  // computed from characters. Parameters do not change after that.
  bool prepared_ = false;
};

}  // namespace firth

#endif  // FIRTH_LM_NETWORK_MODEL_H_
