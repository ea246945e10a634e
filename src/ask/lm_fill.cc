// Predicts the hidden words of a sentence with a masked language model.

#include <mutex>
#include <string>
#include <vector>

#include "ask/question.h"
#include "ask/questions.h"
#include "ask/together.h"
#include "ask/words.h"
#include "firth/language_model.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

struct FillRequest {
  static FieldTable Fields();

  std::vector<std::string> words;
  uint64_t top = 10;
};

FieldTable FillRequest::Fields() {
  FieldsOf<FillRequest> fields;
  fields
      .Add("words", &FillRequest::words,
           "words of a sentence; each <MASK> is predicted")
      .ValueName("WORD,WORD...")
      .Range(1, 65536);
  fields.Add("top", &FillRequest::top, "number of words for each <MASK>")
      .Range(1, 1000000);
  return fields;
}

struct FilledWord {
  uint64_t mask = 0;
  std::string word;
  double probability = 0;

  static AnswerTable Members() {
    return {{"mask", &FilledWord::mask, "number of the mask, from 1"},
            {"word", &FilledWord::word},
            {"probability", &FilledWord::probability}};
  }
};

struct FillAnswer {
  std::string query;
  std::vector<FilledWord> words;

  static AnswerTable Members() {
    return {{"query", &FillAnswer::query, "the sentence", Listing::kInJson},
            {"words", &FillAnswer::words,
             "most probable words for each mask, best "
             "first"}};
  }
};

absl::StatusOr<FillAnswer> Fill(const Opened& opened,
                                const FillRequest& request) {
  FillAnswer answer{QueryText(request.words), {}};
  // A word that contains white space is several tokens.
  const std::vector<std::string> tokens = SplitTokens(answer.query);
  const OpenedLanguageModel& model = opened.language_model();
  const std::lock_guard<std::mutex> lock(model.mutex);
  FIRTH_ASSIGN_OR_RETURN(
      const std::vector<std::vector<WordProbability>> masks,
      model.model.language_model().Fill(Borrow(tokens), request.top));
  for (size_t mask = 0; mask < masks.size(); ++mask) {
    for (const WordProbability& word : masks[mask]) {
      answer.words.push_back({mask + 1, word.word, word.probability});
    }
  }
  return answer;
}

}  // namespace

Question LmFillQuestion() {
  return MakeQuestion<FillRequest, FillAnswer>(
      {.name = "lm-fill",
       .summary = "predict the hidden words of a sentence",
       .description =
           "Finds the most probable words for each <MASK> of a sentence, with "
           "their probabilities. Each mask is filled independently. The model "
           "must be trained by \"firth lm train --predict masked\", or "
           "imported from a BERT model.\n\n"
           "  firth lm fill masked.safetensors \"the <MASK> of the river\"",
       .slots = {ModelSlot(ModelKind::kLanguageModel)},
       .example = R"({"words":["the","<MASK>","spoke"],"top":3})",
       .arguments = {"words"},
       .command = "lm fill",
       .lane = Lane::kSlow},
      &Fill, [](const Opened&, const FillRequest& request) {
        return request.words.size() *
               (request.top * kScoredWordBytes + uint64_t{512});
      });
}

}  // namespace firth
