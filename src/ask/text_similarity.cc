// Measures the similarity of pairs of texts. The comparer is kept for requests
// with equal options.

#include "firth/text_similarity.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_split.h"
#include "ask/question.h"
#include "ask/questions.h"
#include "ask/reused.h"

namespace firth {
namespace {

struct TextSimilarityRequest {
  static FieldTable Fields();

  std::string a, b;
  TextSimilarityOptions options;
};

FieldTable TextSimilarityRequest::Fields() {
  FieldsOf<TextSimilarityRequest> fields;
  fields.Add("a", &TextSimilarityRequest::a, "the first text");
  fields.Add("b", &TextSimilarityRequest::b, "the second text");
  fields.Part(&TextSimilarityRequest::options);
  return fields;
}

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

absl::StatusOr<TextSimilarityAnswer> Compare(
    const absl::StatusOr<TextComparer>& comparer,
    const TextSimilarityRequest& request) {
  if (!comparer.ok()) return comparer.status();
  const absl::StatusOr<double> value =
      comparer->Compare(WordsOf(request.a), WordsOf(request.b));
  if (!value.ok() && !absl::IsNotFound(value.status())) return value.status();
  TextSimilarityAnswer answer{{request.a, request.b}, {}};
  if (value.ok()) answer.value = *value;
  return answer;
}

std::vector<absl::StatusOr<TextSimilarityAnswer>> CompareTexts(
    const Opened& opened, absl::Span<const TextSimilarityRequest> requests) {
  std::vector<absl::StatusOr<TextSimilarityAnswer>> answers;
  Reused<TextComparer> comparer;
  for (const TextSimilarityRequest& request : requests) {
    if (opened.hooks().StopRequested()) {
      answers.emplace_back(absl::CancelledError("interrupted"));
      continue;
    }
    answers.push_back(
        Compare(comparer.For(request.options,
                             [&](const TextSimilarityOptions& options) {
                               return TextComparer::Create(
                                   opened.vectors().vectors(), options);
                             }),
                request));
  }
  return answers;
}

}  // namespace

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
      &CompareTexts, [](const Opened&, const TextSimilarityRequest& request) {
        // The word mover's distance needs time and memory for each pair of
        // words.
        return request.a.size() * request.b.size() / 64 + request.a.size() +
               request.b.size();
      });
}

}  // namespace firth
