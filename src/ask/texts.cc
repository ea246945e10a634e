// Questions about texts for vectors: their vectors, and the similarity of
// pairs.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_split.h"
#include "ask/question.h"
#include "ask/words.h"
#include "firth/sentence_vectors.h"
#include "firth/text_similarity.h"

namespace firth {
namespace {

struct SentenceVectorRequest {
  std::string text;
  SentenceOptions options;

  static FieldTable Fields() {
    FieldsOf<SentenceVectorRequest> fields;
    fields.Add("text", &SentenceVectorRequest::text, "text to encode");
    fields.Part(&SentenceVectorRequest::options);
    return fields;
  }
};

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

absl::StatusOr<SentenceEncoder> MakeEncoder(const Opened& opened,
                                            const SentenceOptions& options) {
  return SentenceEncoder::Create(opened.vectors().vectors(), options);
}

absl::StatusOr<SentenceVectorAnswer> Encode(
    const Opened&, const SentenceEncoder& encoder,
    const SentenceVectorRequest& request) {
  std::vector<float> vector(encoder.dim());
  SentenceVectorAnswer answer;
  answer.words = encoder.Encode(request.text, absl::MakeSpan(vector));
  if (answer.words > 0) answer.vector = std::move(vector);
  return answer;
}

struct TextSimilarityRequest {
  std::string a, b;
  TextSimilarityOptions options;

  static FieldTable Fields() {
    FieldsOf<TextSimilarityRequest> fields;
    fields.Add("a", &TextSimilarityRequest::a, "the first text");
    fields.Add("b", &TextSimilarityRequest::b, "the second text");
    fields.Part(&TextSimilarityRequest::options);
    return fields;
  }
};

struct TextSimilarityAnswer {
  std::vector<std::string> texts;
  std::optional<double> value;

  static AnswerTable Members() {
    return {{"texts", &TextSimilarityAnswer::texts, "texts of the request",
             Listing::kInJson},
            {"value", &TextSimilarityAnswer::value,
             "similarity or distance, depending on the measure; null if a text "
             "has no word with a vector"}};
  }
};

std::vector<absl::string_view> WordsOf(absl::string_view text) {
  return absl::StrSplit(text, absl::ByAnyChar(" \t\n\v\f\r"),
                        absl::SkipEmpty());
}

absl::StatusOr<TextComparer> MakeComparer(
    const Opened& opened, const TextSimilarityOptions& options) {
  return TextComparer::Create(opened.vectors().vectors(), options);
}

absl::StatusOr<TextSimilarityAnswer> CompareTexts(
    const Opened&, const TextComparer& comparer,
    const TextSimilarityRequest& request) {
  const absl::StatusOr<double> value =
      comparer.Compare(WordsOf(request.a), WordsOf(request.b));
  if (!value.ok() && !absl::IsNotFound(value.status())) return value.status();
  TextSimilarityAnswer answer{{request.a, request.b}, {}};
  if (value.ok()) answer.value = *value;
  return answer;
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
      &MakeEncoder, &Encode,
      [](const Opened& opened, const SentenceVectorRequest&) {
        return opened.vectors().vectors().dim() * kNumberBytes;
      });
}

Question TextSimilarityQuestion() {
  return MakeQuestion<TextSimilarityRequest, TextSimilarityAnswer>(
      {.name = "text-similarity",
       .summary = "measure how similar two texts are",
       .description =
           "Compares two texts by the vectors of their words, which are "
           "separated by white space. Similar texts have a high cosine and a "
           "low distance (wmd, relaxed-wmd).\n\n"
           "  firth text-similarity model.safetensors \"the king spoke\" \"the "
           "queen talked\"\n"
           "  firth text-similarity model.safetensors --measure soft-cosine "
           "<pairs.tsv",
       .slots = {VectorsSlot(VectorAccess::kAll)},
       .example = R"({"a":"the king spoke","b":"the queen talked"})",
       .arguments = {"a", "b"},
       .takes_texts = true},
      &MakeComparer, &CompareTexts,
      [](const Opened&, const TextSimilarityRequest& request) {
        // The word mover's distance needs time and memory for each pair of
        // words.
        return request.a.size() * request.b.size() / 64 + request.a.size() +
               request.b.size();
      });
}

}  // namespace firth
