#include <vector>

#include "firth/query.h"
#include "firth/status_macros.h"
#include "serve/route.h"
#include "serve/word_finder.h"

namespace firth::tools {
namespace {

constexpr size_t kMostRows = 300;

absl::StatusOr<Answer> Matrix(const ServedFiles& files, const Json& request) {
  FIRTH_ASSIGN_OR_RETURN(const VectorModel* model,
                         ChooseVectors(files.models, request));
  WordFinder finder(model->vectors);
  const std::vector<FoundWord> words = finder.FindAll(request["words"]);
  const std::vector<float> cosines = SimilarityMatrix(VectorsOf(words));
  Json known = Json::array();
  Json scores = Json::array();
  for (size_t i = 0; i < words.size(); ++i) {
    known.push_back(words[i].word);
    Json row = Json::array();
    for (size_t j = 0; j < words.size(); ++j) {
      row.push_back(Rounded(cosines[i * words.size() + j]));
    }
    scores.push_back(std::move(row));
  }
  return JsonAnswer({{"words", std::move(known)},
                     {"scores", std::move(scores)},
                     {"unknown", finder.Unknown()}});
}

}  // namespace

Route MatrixRoute() {
  return {
      .method = "POST",
      .path = "/matrix",
      .summary = "Computes the cosines of all pairs of some words.",
      .request =
          ObjectSchema({ModelProperty(), {"words", WordsSchema(1, kMostRows)}}),
      .example = {{"words", {"king", "queen", "man"}}},
      .response = ObjectSchema(
          {{"words", WordsSchema(0, 0, "the words that have a vector")},
           {"scores",
            ListSchema(ListSchema(NumberSchema()), 0, 0, "one row per word")},
           UnknownProperty()}),
      .answer = &Matrix};
}

}  // namespace firth::tools
