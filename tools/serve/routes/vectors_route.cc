#include <optional>

#include "firth/status_macros.h"
#include "serve/route.h"
#include "serve/word_finder.h"

namespace firth::tools {
namespace {

absl::StatusOr<Answer> Vectors(const ServedFiles& files, const Json& request) {
  FIRTH_ASSIGN_OR_RETURN(const VectorModel* model,
                         ChooseVectors(files.models, request));
  WordFinder finder(model->vectors);
  Json vectors = Json::array();
  for (const Json& word : request["words"]) {
    const std::optional<FoundWord> found = finder.Find(word.get<std::string>());
    vectors.push_back(found.has_value() ? NumbersJson(found->vector)
                                        : Json(nullptr));
  }
  return JsonAnswer({{"dim", model->vectors.dim()},
                     {"vectors", std::move(vectors)},
                     {"unknown", finder.Unknown()},
                     {"composed", finder.Composed()}});
}

}  // namespace

Route VectorsRoute() {
  return {
      .method = "POST",
      .path = "/vectors",
      .summary = "Returns the vectors of words.",
      .request = ObjectSchema(
          {ModelProperty(), {"words", WordsSchema(1, kMostWords)}}),
      .example = {{"words", {"king", "queen"}}},
      .response = ObjectSchema(
          {{"dim", WholeSchema(1, INT32_MAX)},
           {"vectors",
            ListSchema(AnySchema({NullSchema(), ListSchema(NumberSchema())}), 0,
                       0, "one vector per word; null if it has none")},
           UnknownProperty(),
           {"composed", WordsSchema(0, 0)}}),
      .answer = &Vectors};
}

}  // namespace firth::tools
