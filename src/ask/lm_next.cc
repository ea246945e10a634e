// Estimates whether one sentence follows another.

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

struct NextRequest {
  static FieldTable Fields();

  std::string first;
  std::string second;
};

FieldTable NextRequest::Fields() {
  FieldsOf<NextRequest> fields;
  fields.Add("first", &NextRequest::first, "the first sentence");
  fields.Add("second", &NextRequest::second,
             "the sentence that may follow the first one");
  return fields;
}

struct NextAnswer {
  std::vector<std::string> texts;
  double probability = 0;

  static AnswerTable Members() {
    return {{"texts", &NextAnswer::texts, "the two sentences of the request",
             Listing::kInJson},
            {"probability", &NextAnswer::probability,
             "probability that the second sentence follows the first one"}};
  }
};

absl::StatusOr<std::vector<NextAnswer>> Estimate(
    const Opened& opened, absl::Span<const NextRequest> requests) {
  std::vector<std::vector<std::string>> tokens;
  for (const NextRequest& request : requests) {
    tokens.push_back(SplitTokens(request.first));
    tokens.push_back(SplitTokens(request.second));
  }
  std::vector<LanguageModel::Pair> pairs;
  for (size_t i = 0; i < tokens.size(); i += 2) {
    pairs.emplace_back(Borrow(tokens[i]), Borrow(tokens[i + 1]));
  }
  const OpenedLanguageModel& model = opened.language_model();
  const std::lock_guard<std::mutex> lock(model.mutex);
  FIRTH_ASSIGN_OR_RETURN(
      const std::vector<double> probabilities,
      model.model.language_model().NextSentence(pairs, opened.hooks()));
  std::vector<NextAnswer> answers;
  for (size_t i = 0; i < requests.size(); ++i) {
    answers.push_back(
        {{requests[i].first, requests[i].second}, probabilities[i]});
  }
  return answers;
}

std::vector<absl::StatusOr<NextAnswer>> EstimateAll(
    const Opened& opened, absl::Span<const NextRequest> requests) {
  return AnswerTogether<NextAnswer>(
      requests, [](const NextRequest&, const NextRequest&) { return true; },
      [&](absl::Span<const NextRequest> run) { return Estimate(opened, run); });
}

}  // namespace

Question LmNextQuestion() {
  return MakeQuestion<NextRequest, NextAnswer>(
      {.name = "lm-next",
       .summary = "estimate whether one sentence follows another",
       .description =
           "Computes the probability that the second sentence of a pair "
           "follows the first one in a text, as in BERT (Devlin et al. 2019). "
           "The model must be trained by \"firth lm train --next-sentence\", "
           "or be an imported BERT model with a next-sentence head.\n\n"
           "  firth lm import bert-base-uncased --output bert.safetensors\n"
           "  firth lm next bert.safetensors \"he went to the store .\" \\\n"
           "    \"he bought milk .\"\n"
           "  firth lm next bert.safetensors <pairs.tsv",
       .slots = {ModelSlot(ModelKind::kLanguageModel)},
       .example = R"({"first":"the king spoke","second":"a queen spoke"})",
       .arguments = {"first", "second"},
       .takes_texts = true,
       .command = "lm next",
       .lane = Lane::kSlow},
      &EstimateAll, [](const Opened&, const NextRequest& request) {
        // Computing a token costs more than writing the answer.
        return (request.first.size() + request.second.size()) * uint64_t{128};
      });
}

}  // namespace firth
