// Predicts the tags of the tokens of sentences.

#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ask/question.h"
#include "ask/tokens.h"
#include "firth/status_macros.h"
#include "firth/tag_scores.h"
#include "firth/tagger.h"

namespace firth {
namespace {

struct TagAnswer {
  std::vector<std::string> words;
  std::vector<std::string> tags;
  std::vector<double> probabilities;
  std::optional<std::vector<TagSpan>> spans;

  static AnswerTable Members() {
    return {{"words", &TagAnswer::words, "the tokens of the sentence"},
            {"tags", &TagAnswer::tags, "one per token"},
            {"probabilities", &TagAnswer::probabilities,
             "probability of each tag; with a CRF, over all tag sequences"},
            {"spans", &TagAnswer::spans,
             "spans marked by tags of the form B-NP; null if the model has no "
             "such tags"}};
  }
};

absl::StatusOr<std::vector<TagAnswer>> TagAll(
    const Opened& opened, absl::Span<const SentenceRequest> requests) {
  std::vector<TaggedSentence> sentences(requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    sentences[i].tokens = requests[i].Tokens();
  }
  const OpenedTagger& model = opened.tagger();
  const std::lock_guard<std::mutex> lock(model.mutex);
  FIRTH_RETURN_IF_ERROR(model.tagger.Tag(
      absl::MakeSpan(sentences), {.probabilities = true}, opened.hooks()));
  const bool has_spans = MarkSpans(model.tagger.tags());
  std::vector<TagAnswer> answers;
  for (TaggedSentence& sentence : sentences) {
    std::optional<std::vector<TagSpan>> spans;
    if (has_spans) spans = SpansOf(sentence.predicted);
    answers.push_back({std::move(sentence.tokens),
                       std::move(sentence.predicted),
                       std::move(sentence.probabilities), std::move(spans)});
  }
  return answers;
}

}  // namespace

Question TagQuestion() {
  return MakeQuestion<SentenceRequest, TagAnswer>(
      {.name = "tag",
       .summary = "tag the tokens of sentences",
       .description =
           "Predicts a tag for each token of a sentence, with its probability. "
           "If tags are of the form B-NP, the answer also has the spans that "
           "they mark.",
       .slots = {ModelSlot(ModelKind::kTagger)},
       .example = R"({"text":"the king spoke"})",
       .command = "tag apply",
       .lane = Lane::kStream},
      &TagAll, [](const Opened&, const SentenceRequest& request) {
        // Computing a token costs more than writing its part of the answer.
        return request.Tokens().size() * uint64_t{512};
      });
}

}  // namespace firth
