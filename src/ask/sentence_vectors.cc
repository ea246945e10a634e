// Computes the vectors of texts. The encoder is kept for requests with equal
// options.

#include "firth/sentence_vectors.h"

#include <optional>
#include <string>
#include <vector>

#include "ask/question.h"
#include "ask/questions.h"
#include "ask/reused.h"

namespace firth {
namespace {

struct SentenceVectorRequest {
  static FieldTable Fields();

  std::string text;
  SentenceOptions options;
};

FieldTable SentenceVectorRequest::Fields() {
  FieldsOf<SentenceVectorRequest> fields;
  fields.Add("text", &SentenceVectorRequest::text, "text to encode");
  fields.Part(&SentenceVectorRequest::options);
  return fields;
}

struct SentenceVectorAnswer {
  uint64_t words = 0;
  std::optional<std::vector<float>> vector;

  static AnswerTable Members() {
    return {{"words", &SentenceVectorAnswer::words,
             "number of words, or of word pieces, that have a vector",
             Listing::kInJson},
            {"vector", &SentenceVectorAnswer::vector,
             "vector of the text, or null if no word has a vector"}};
  }
};

SentenceVectorAnswer Encode(const SentenceEncoder& encoder,
                            const std::string& text) {
  std::vector<float> vector(encoder.dim());
  SentenceVectorAnswer answer;
  answer.words = encoder.Encode(text, absl::MakeSpan(vector));
  if (answer.words > 0) answer.vector = std::move(vector);
  return answer;
}

std::vector<absl::StatusOr<SentenceVectorAnswer>> EncodeTexts(
    const Opened& opened, absl::Span<const SentenceVectorRequest> requests) {
  std::vector<absl::StatusOr<SentenceVectorAnswer>> answers;
  Reused<SentenceEncoder> reused;
  for (const SentenceVectorRequest& request : requests) {
    const absl::StatusOr<SentenceEncoder>& encoder =
        reused.For(request.options, [&](const SentenceOptions& options) {
          return SentenceEncoder::Create(opened.vectors().vectors(), options);
        });
    if (encoder.ok()) {
      answers.emplace_back(Encode(*encoder, request.text));
    } else {
      answers.emplace_back(encoder.status());
    }
  }
  return answers;
}

}  // namespace

Question SentenceVectorsQuestion() {
  return MakeQuestion<SentenceVectorRequest, SentenceVectorAnswer>(
      {.name = "sentence-vectors",
       .summary = "compute one vector per text",
       .description =
           "Computes the mean vector of the words of a text, which are "
           "separated by white space. Two kinds of models compute it "
           "differently: a supervised fastText model also reads n-grams of "
           "words and the end of the line, and a model2vec folder splits words "
           "with its tokenizer.",
       .slots = {VectorsSlot(VectorAccess::kAll)},
       .example = R"({"text":"the king spoke"})",
       .lane = Lane::kStream},
      &EncodeTexts, [](const Opened& opened, const SentenceVectorRequest&) {
        return opened.vectors().vectors().dim() * uint64_t{12};
      });
}

}  // namespace firth
