// Computes log probabilities of sentences.

#include <mutex>
#include <string>
#include <vector>

#include "ask/question.h"
#include "ask/questions.h"
#include "ask/together.h"
#include "firth/language_model.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

struct ScoreRequest {
  static FieldTable Fields();

  std::string text;
  std::vector<std::string> words;
};

FieldTable ScoreRequest::Fields() {
  FieldsOf<ScoreRequest> fields;
  AddTokens(&ScoreRequest::text, &ScoreRequest::words, &fields);
  return fields;
}

struct ScoreAnswer {
  std::vector<std::string> words;
  double log_probability = 0;
  uint64_t tokens = 0;
  uint64_t num_unknown = 0;

  static AnswerTable Members() {
    return {{"words", &ScoreAnswer::words, "the tokens of the sentence"},
            {"log_probability", &ScoreAnswer::log_probability,
             "ln p of the words and the end of the sentence"},
            {"tokens", &ScoreAnswer::tokens,
             "number of words, plus one for the end"},
            {"num_unknown", &ScoreAnswer::num_unknown,
             "number of words that count as <UNK>"}};
  }
};

absl::StatusOr<std::vector<ScoreAnswer>> Score(
    const Opened& opened, absl::Span<const ScoreRequest> requests) {
  std::vector<ScoreAnswer> answers(requests.size());
  std::vector<LanguageModel::Sentence> sentences;
  for (size_t i = 0; i < requests.size(); ++i) {
    answers[i].words = TokensOf(requests[i]);
    sentences.push_back(Borrow(answers[i].words));
  }
  const OpenedLanguageModel& model = opened.language_model();
  const std::lock_guard<std::mutex> lock(model.mutex);
  FIRTH_ASSIGN_OR_RETURN(
      const std::vector<SentenceScore> scores,
      model.model.language_model().Score(sentences, opened.hooks()));
  for (size_t i = 0; i < requests.size(); ++i) {
    answers[i].log_probability = scores[i].log_probability;
    answers[i].tokens = scores[i].tokens;
    answers[i].num_unknown = scores[i].unknown;
  }
  return answers;
}

std::vector<absl::StatusOr<ScoreAnswer>> ScoreAll(
    const Opened& opened, absl::Span<const ScoreRequest> requests) {
  return AnswerTogether<ScoreAnswer>(
      requests, [](const ScoreRequest&, const ScoreRequest&) { return true; },
      [&](absl::Span<const ScoreRequest> run) { return Score(opened, run); });
}

}  // namespace

Question LmScoreQuestion() {
  return MakeQuestion<ScoreRequest, ScoreAnswer>(
      {.name = "lm-score",
       .summary = "compute the log probability of sentences",
       .description =
           "Computes ln p of a sentence. p is the product of the probabilities "
           "of its words and of its end, each given the words before it. "
           "Unknown words count as <UNK>, and only the forward direction is "
           "used.",
       .slots = {ModelSlot(ModelKind::kLanguageModel)},
       .example = R"({"text":"the king spoke"})",
       .command = "lm score",
       .lane = Lane::kStream},
      &ScoreAll, [](const Opened&, const ScoreRequest& request) {
        // Computing a token costs more than writing its part of the answer.
        return TokensOf(request).size() * uint64_t{512};
      });
}

}  // namespace firth
