#include <optional>

#include "firth/query.h"
#include "firth/status_macros.h"
#include "serve/route.h"
#include "serve/word_finder.h"

namespace firth::tools {
namespace {

constexpr size_t kMostPairs = 1000;

absl::StatusOr<Answer> PairScores(const ServedFiles& files,
                                  const Json& request) {
  FIRTH_ASSIGN_OR_RETURN(const VectorModel* model,
                         ChooseVectors(files.models, request));
  WordFinder finder(model->vectors);
  Json scores = Json::array();
  for (const Json& pair : request["pairs"]) {
    const std::optional<FoundWord> a = finder.Find(pair[0].get<std::string>());
    const std::optional<FoundWord> b = finder.Find(pair[1].get<std::string>());
    Json score = nullptr;
    if (a.has_value() && b.has_value()) {
      score = Rounded(Similarity(a->vector, b->vector));
    }
    scores.push_back(std::move(score));
  }
  return JsonAnswer(
      {{"scores", std::move(scores)}, {"unknown", finder.Unknown()}});
}

}  // namespace

Route SimilarityRoute() {
  return {
      .method = "POST",
      .path = "/similarity",
      .summary = "Computes the cosines of pairs of words.",
      .request =
          ObjectSchema({ModelProperty(),
                        {"pairs", ListSchema(ListSchema(TextSchema(), 2, 2), 1,
                                             kMostPairs)}}),
      .example = {{"pairs", Json::array({Json::array({"king", "queen"}),
                                         Json::array({"king", "man"})})}},
      .response = ObjectSchema(
          {{"scores", ListSchema(AnySchema({NullSchema(), NumberSchema()}), 0,
                                 0, "null if one of the words has no vector")},
           UnknownProperty()}),
      .answer = &PairScores};
}

}  // namespace firth::tools
