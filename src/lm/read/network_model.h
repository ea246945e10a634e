// NetworkModel: a BiLanguageModel as a TextModel. A model of pieces cuts its
// texts here, so that the network sees only pieces.

#ifndef FIRTH_LM_READ_NETWORK_MODEL_H_
#define FIRTH_LM_READ_NETWORK_MODEL_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/mapped_file.h"
#include "firth/contextualizer.h"
#include "firth/language_model.h"
#include "lm/model/language_model.h"
#include "lm/read/text_model.h"

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
  absl::StatusOr<std::vector<WordDistribution>> Fill(const Sentence& sentence,
                                                     size_t count) override;
  absl::StatusOr<WordDistribution> NextWords(const Sentence& sentence,
                                             size_t count,
                                             const Sentence& words) override;
  absl::StatusOr<std::vector<double>> NextSentence(absl::Span<const Pair> pairs,
                                                   const Hooks& hooks) override;
  absl::Status Save(const std::string& path, const Hooks& hooks) override;
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

// Two sentences read together, as in BERT: <S> a </S> b </S>. Tokens after the
// first </S> belong to the second segment, whose vector is added to theirs
// (Devlin et al. 2019, section 3.1; see SentenceBatch). The vector of the first
// segment is part of the position vectors.

// Returns two scores per pair, from a model with a head for next sentences: the
// second sentence follows the first, and it does not. Models of pieces require
// pieces as words. Errors: InvalidArgument, a pair with more tokens than the
// model has positions; Cancelled.
absl::StatusOr<Matrix<float>> ScorePairs(
    BiLanguageModel& model, absl::Span<const LanguageModel::Pair> pairs,
    const Hooks& hooks);

// Contextualizers for other models, which require layers.

// Like Contextualizer::Load(), but returns InvalidArgument for a language model
// without layers.
absl::StatusOr<Contextualizer> LoadContextualizer(const std::string& path);
absl::StatusOr<Contextualizer> LoadContextualizer(const MappedFilePtr& file);

// Returns the model of a contextualizer.
BiLanguageModel& ModelOf(Contextualizer& contextualizer);

}  // namespace firth

#endif  // FIRTH_LM_READ_NETWORK_MODEL_H_
