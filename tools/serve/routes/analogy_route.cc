#include <vector>

#include "firth/query.h"
#include "firth/status_macros.h"
#include "serve/route.h"
#include "serve/word_finder.h"

namespace firth::tools {
namespace {

absl::StatusOr<Answer> Analogy(const ServedFiles& files, const Json& request) {
  FIRTH_ASSIGN_OR_RETURN(const VectorModel* model,
                         ChooseVectors(files.models, request));
  WordFinder finder(model->vectors);
  const std::vector<FoundWord> words =
      finder.FindAll({request["a"], request["b"], request["c"]});
  Json neighbors = Json::array();
  if (words.size() == 3) {
    SumQuery query{
        {{words[0].vector, -1}, {words[1].vector}, {words[2].vector}}, {}};
    for (const FoundWord& word : words) {
      if (word.id.has_value()) query.exclude.push_back(*word.id);
    }
    neighbors =
        NeighborsJson(model->vectors.vocabulary(),
                      model->neighbors->FindSum(
                          query, request["k"].get<size_t>(),
                          request["method"] == "add" ? AnalogyMethod::kAdd
                                                     : AnalogyMethod::kMul));
  }
  return JsonAnswer({{"neighbors", std::move(neighbors)},
                     {"unknown", finder.Unknown()},
                     {"composed", finder.Composed()}});
}

}  // namespace

Route AnalogyRoute() {
  return {
      .method = "POST",
      .path = "/analogy",
      .summary = "Solves analogies: a is to b as c is to the answer.",
      .request = ObjectSchema(
          {ModelProperty(),
           {"a", TextSchema()},
           {"b", TextSchema()},
           {"c", TextSchema()},
           Optional("k", WholeSchema(1, 1000), 10),
           Optional("method",
                    ChoiceSchema(
                        {"add", "multiply"},
                        "add: 3CosAdd; mul: 3CosMul, which compares all words"),
                    "add")}),
      .example = {{"a", "man"}, {"b", "king"}, {"c", "woman"}, {"k", 3}},
      .response = ObjectSchema({{"neighbors", NeighborsSchema()},
                                UnknownProperty(),
                                {"composed", WordsSchema(0, 0)}}),
      .answer = &Analogy};
}

}  // namespace firth::tools
