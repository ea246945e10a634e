// Compares words with each other: the cosine of two words, those of all pairs
// of several words, and the word that does not match the others.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "ask/question.h"
#include "ask/words.h"
#include "firth/query.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

struct SimilarityAnswer : QueryAnswer {
  std::optional<float> similarity;

  static AnswerTable Members() {
    return WithQuery(
        {{"similarity", &SimilarityAnswer::similarity,
          "cosine from -1 to 1, or null if a word has no vector; 0 if a "
          "vector is zero"}});
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
  std::vector<std::string> words;
  WordLookup lookup;

  static FieldTable Fields() {
    FieldsOf<MatrixRequest> fields;
    AddWords("words", &MatrixRequest::words, "words to compare", &fields)
        .Range(2, 1000);
    fields.Part(&MatrixRequest::lookup);
    return fields;
  }
};

struct MatrixAnswer : LookedUp {
  std::vector<std::string> words;
  std::vector<std::vector<float>> similarity;  // [words][words]

  static AnswerTable Members() {
    return WithLookUp(
        {{"words", &MatrixAnswer::words,
          "words that have a vector, in the order of the request",
          Listing::kInJson},
         AnswerMember{"similarity", &MatrixAnswer::similarity,
                      "cosines of all pairs of words, one row per word"}
             .LabelledBy("words")});
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

struct OddRequest {
  std::vector<std::string> words;
  WordLookup lookup;

  static FieldTable Fields() {
    FieldsOf<OddRequest> fields;
    AddWords("words", &OddRequest::words, "words, one of which does not match",
             &fields)
        .AtLeast(3);
    fields.Part(&OddRequest::lookup);
    return fields;
  }
};

struct CentralWord {
  std::string word;
  float centrality = 0;

  static AnswerTable Members() {
    return {{"word", &CentralWord::word},
            {"centrality", &CentralWord::centrality,
             "cosine with the mean of the unit vectors of all words"}};
  }
};

struct OddAnswer : QueryAnswer {
  std::optional<std::string> odd;
  std::vector<CentralWord> words;

  static AnswerTable Members() {
    return WithQuery(
        {{"odd", &OddAnswer::odd,
          "word with the lowest centrality, or null if fewer than three words "
          "have a vector"},
         {"words", &OddAnswer::words,
          "words that have a vector, in the order of the request",
          Listing::kInJson}});
  }
};

absl::StatusOr<OddAnswer> FindOdd(const Opened& opened,
                                  const OddRequest& request) {
  OddAnswer answer;
  FIRTH_ASSIGN_OR_RETURN(
      const std::vector<FoundWord> words,
      LookUp(opened.vectors(), request.words, request.lookup, &answer));
  if (words.empty()) return answer;
  const std::vector<float> centrality = Centrality(VectorsOf(words));
  for (size_t i = 0; i < words.size(); ++i) {
    answer.words.push_back({words[i].word, centrality[i]});
  }
  // With only two words, both are equally far from the mean.
  if (words.size() < 3) return answer;
  const auto odd = std::min_element(centrality.begin(), centrality.end());
  answer.odd = words[static_cast<size_t>(odd - centrality.begin())].word;
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

Question OddQuestion() {
  return MakeQuestion<OddRequest, OddAnswer>(
      {.name = "odd",
       .summary = "find the word that does not match the others",
       .description =
           "Finds the word, among three or more, whose vector is farthest from "
           "the mean of all. Words without a vector are left out. JSON also "
           "lists the centrality of each word, which is its cosine with the "
           "mean.\n\n"
           "  firth odd model.safetensors breakfast cereal dinner lunch",
       .slots = {VectorsSlot(VectorAccess::kGivenWords)},
       .example = R"({"words":["king","queen","river"]})",
       .arguments = {"words"}},
      &FindOdd, [](const Opened&, const OddRequest& request) {
        return request.words.size() * kScoredWordBytes;
      });
}

}  // namespace firth
