// Computes the cosines of two words, and of all pairs of several words.

#include <optional>
#include <string>
#include <vector>

#include "ask/question.h"
#include "ask/questions.h"
#include "ask/words.h"
#include "firth/query.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

struct SimilarityAnswer {
  std::string query;
  std::optional<float> similarity;
  std::vector<UnknownWord> unknown;
  std::vector<std::string> composed;

  static AnswerTable Members() {
    return {{"query", &SimilarityAnswer::query, "words of the request",
             Listing::kInJson},
            {"similarity", &SimilarityAnswer::similarity,
             "cosine from -1 to 1, or null if a word has no vector; 0 if a "
             "vector is "
             "zero"},
            Unknown<SimilarityAnswer>(),
            Composed<SimilarityAnswer>()};
  }
};

absl::StatusOr<SimilarityAnswer> CompareTwo(const Opened& opened,
                                            const TwoWords& request) {
  SimilarityAnswer answer;
  FIRTH_ASSIGN_OR_RETURN(const std::vector<FoundWord> words,
                         LookUp(opened.vectors(), request, &answer));
  if (!answer.unknown.empty()) return answer;
  answer.similarity = Similarity(words[0].vector, words[1].vector);
  return answer;
}

struct MatrixRequest {
  static FieldTable Fields();

  std::vector<std::string> words;
  WordLookup lookup;
};

FieldTable MatrixRequest::Fields() {
  FieldsOf<MatrixRequest> fields;
  fields.Add("words", &MatrixRequest::words, "words to compare")
      .ValueName("WORD,WORD...")
      .Range(2, 1000);
  fields.Part(&MatrixRequest::lookup);
  return fields;
}

struct MatrixAnswer {
  std::vector<std::string> words;
  std::vector<std::vector<float>> similarity;  // [words][words]
  std::vector<UnknownWord> unknown;
  std::vector<std::string> composed;

  static AnswerTable Members() {
    return {{"words", &MatrixAnswer::words,
             "words that have a vector, in the order of "
             "the request",
             Listing::kInJson},
            AnswerMember{"similarity", &MatrixAnswer::similarity,
                         "cosines of all pairs of words, one row per word"}
                .LabelledBy("words"),
            Unknown<MatrixAnswer>(),
            Composed<MatrixAnswer>()};
  }
};

absl::StatusOr<MatrixAnswer> CompareAll(const Opened& opened,
                                        const MatrixRequest& request) {
  MatrixAnswer answer;
  FIRTH_ASSIGN_OR_RETURN(
      const std::vector<FoundWord> words,
      LookUp(opened.vectors(), request.words, request.lookup, &answer));
  const std::vector<float> cosines = SimilarityMatrix(VectorsOf(words));
  for (size_t i = 0; i < words.size(); ++i) {
    const auto row =
        absl::MakeSpan(cosines).subspan(i * words.size(), words.size());
    answer.words.push_back(words[i].word);
    answer.similarity.emplace_back(row.begin(), row.end());
  }
  return answer;
}

}  // namespace

Question SimilarityQuestion() {
  return MakeQuestion<TwoWords, SimilarityAnswer>(
      {.name = "similarity",
       .summary = "compute the cosine similarity of two words",
       .description = "Computes the cosine of the vectors of two words, from "
                      "-1 to 1.\n\n"
                      "  firth similarity model.safetensors cup mug\n\n"
                      "The question \"matrix\" compares several words.",
       .slots = {VectorsSlot(VectorAccess::kGivenWords)},
       .example = R"({"word":"king","other":"queen"})",
       .arguments = {"word", "other"}},
      &CompareTwo);
}

Question MatrixQuestion() {
  return MakeQuestion<MatrixRequest, MatrixAnswer>(
      {.name = "matrix",
       .summary = "compute the cosine similarities of all pairs of words",
       .description =
           "Computes the matrix of the cosines of 2 to 1000 words. Words "
           "without a vector are left out.\n\n"
           "  firth matrix model.safetensors cup mug bottle coffee",
       .slots = {VectorsSlot(VectorAccess::kGivenWords)},
       .example = R"({"words":["king","queen","man"]})",
       .arguments = {"words"}},
      &CompareAll, [](const Opened&, const MatrixRequest& request) {
        return request.words.size() * request.words.size() * kNumberBytes;
      });
}

}  // namespace firth
