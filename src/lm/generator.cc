#include "lm/generator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "firth/status_macros.h"
#include "lm/finite_layers.h"
#include "lm/sentence_batch.h"

namespace firth {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

// Replaces scores by ln p. Errors: OutOfRange, a score that is not finite,
// unless it is minus infinity, the score of a word that cannot follow.
absl::Status LogSoftmax(View<float> scores) {
  for (size_t r = 0; r < scores.rows(); ++r) {
    float* const row = scores.Row(r);
    const double greatest = *std::max_element(row, row + scores.cols());
    double sum = 0;
    for (size_t w = 0; w < scores.cols(); ++w) {
      sum += std::exp(row[w] - greatest);
    }
    const double log_sum = greatest + std::log(sum);
    if (!std::isfinite(log_sum)) {
      return NotFinite("the scores of words", static_cast<float>(log_sum));
    }
    for (size_t w = 0; w < scores.cols(); ++w) {
      row[w] = static_cast<float>(row[w] - log_sum);
    }
  }
  return absl::OkStatus();
}

}  // namespace

Generator::Generator(BiLanguageModel& model, const GenerateOptions& options)
    : model_(model),
      options_(options),
      text_words_(model),
      words_(model, text_words_) {
  model.head()->PrepareAll();
}

absl::Status Generator::ReadIds(absl::Span<const uint32_t> ids) {
  words_.Clear();
  std::vector<uint32_t> word_of_row;
  for (const uint32_t id : ids) word_of_row.push_back(words_.Add(id));
  GatherRows(model_.encoder().Forward(words_.batch()), word_of_row, &tokens_);
  // One step is one piece.
  model_.layers()[Direction::kForward].Read(
      tokens_.view(), {1, ids.size(), {}}, &state_,
      [this](size_t /*first*/, ConstView<float> top) { hidden_ = top; });
  return CheckLayers(model_, Direction::kForward, {1, ids.size(), {}}, 0,
                     std::as_const(tokens_).view());
}

absl::StatusOr<ConstView<float>> Generator::Predict() {
  log_probabilities_.Resize(hidden_.rows(), model_.head()->vocab_size());
  model_.head()->Scores(hidden_, log_probabilities_.view());
  FIRTH_RETURN_IF_ERROR(LogSoftmax(log_probabilities_.view()));
  for (size_t row = 0; row < hidden_.rows(); ++row) {
    log_probabilities_.Row(row)[kBeginSentenceId] = kNever;
    if (!options_.unknown) log_probabilities_.Row(row)[kUnknownId] = kNever;
  }
  return std::as_const(log_probabilities_).view();
}

absl::StatusOr<ConstView<float>> Generator::Start() {
  state_ = model_.layers()[Direction::kForward].MakeState(1);
  FIRTH_RETURN_IF_ERROR(ReadIds({kBeginSentenceId}));
  for (const std::string& word : options_.prompt) {
    FIRTH_RETURN_IF_ERROR(ReadIds({text_words_.IdOf(word)}));
  }
  return Predict();
}

absl::StatusOr<ConstView<float>> Generator::Read(
    absl::Span<const size_t> parents, absl::Span<const uint32_t> words) {
  state_.KeepRows(parents);
  std::vector<uint32_t> ids;
  ids.reserve(words.size());
  for (const uint32_t word : words) {
    ids.push_back(text_words_.IdOf(model_.data().words.Word(ToWordId(word))));
  }
  FIRTH_RETURN_IF_ERROR(ReadIds(ids));
  return Predict();
}

absl::StatusOr<GeneratedSentence> Generator::Draw(uint64_t key,
                                                  const Hooks& hooks) {
  FIRTH_ASSIGN_OR_RETURN(const Hypothesis drawn,
                         DrawSentence(*this, options_, key, hooks));
  return Sentence(drawn);
}

absl::StatusOr<std::vector<GeneratedSentence>> Generator::Search(
    const Hooks& hooks) {
  FIRTH_ASSIGN_OR_RETURN(const std::vector<Hypothesis> found,
                         SearchSentences(*this, options_, hooks));
  std::vector<GeneratedSentence> sentences;
  for (const Hypothesis& hypothesis : found) {
    sentences.push_back(Sentence(hypothesis));
  }
  return sentences;
}

GeneratedSentence Generator::Sentence(const Hypothesis& hypothesis) const {
  GeneratedSentence sentence;
  sentence.words = options_.prompt;
  for (const uint32_t word : hypothesis.words) {
    sentence.words.emplace_back(model_.data().words.Word(ToWordId(word)));
  }
  sentence.log_probability = hypothesis.log_probability;
  sentence.ended = hypothesis.ended;
  return sentence;
}

}  // namespace firth
