// Words on one or two semantic axes, such as from man to woman.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "firth/query.h"
#include "firth/semantic_axis.h"
#include "firth/status_macros.h"
#include "serve/field_error.h"
#include "serve/route.h"
#include "serve/word_finder.h"

namespace firth::tools {
namespace {

constexpr size_t kMostSideWords = 100;
constexpr int64_t kMostTop = 20000;

absl::StatusOr<std::vector<SemanticAxis>> AxesOf(const WordVectors& vectors,
                                                 const Json& list,
                                                 WordFinder* finder) {
  std::vector<SemanticAxis> axes;
  for (const Json& axis : list) {
    const std::string place = absl::StrCat("axes[", axes.size(), "]");
    const AxisWords words{axis["from"].get<std::vector<std::string>>(),
                          axis["to"].get<std::vector<std::string>>()};
    absl::StatusOr<SemanticAxis> made =
        MakeAxis(vectors, words, UnknownWords::kSubword);
    if (!made.ok()) return FieldError(place, made.status().message());
    axes.push_back(*std::move(made));
    for (const FoundWords* side : {&axes.back().from, &axes.back().to}) {
      for (const std::string& word : side->unknown) finder->Find(word);
    }
  }
  return axes;
}

// Those that were named, or the most frequent ones.
std::vector<FoundWord> WordsToPlace(const WordVectors& vectors,
                                    const Json& request, WordFinder* finder) {
  if (request.contains("words") && request["words"].is_array()) {
    return finder->FindAll(request["words"]);
  }
  std::vector<FoundWord> words;
  const size_t top = std::min(request["top"].get<size_t>(), vectors.size());
  for (size_t i = 0; i < top; ++i) {
    const WordId id = ToWordId(i);
    words.push_back({std::string(vectors.vocabulary().Word(id)), id,
                     vectors.CopyVector(id)});
  }
  return words;
}

absl::StatusOr<Answer> Axes(const ServedFiles& files, const Json& request) {
  FIRTH_ASSIGN_OR_RETURN(const VectorModel* model,
                         ChooseVectors(files.models, request));
  WordFinder finder(model->vectors);
  FIRTH_ASSIGN_OR_RETURN(const std::vector<SemanticAxis> axes,
                         AxesOf(model->vectors, request["axes"], &finder));
  Json words = Json::array();
  Json points = Json::array();
  for (const FoundWord& word : WordsToPlace(model->vectors, request, &finder)) {
    Json point = Json::array();
    for (const SemanticAxis& axis : axes) {
      point.push_back(Rounded(Similarity(word.vector, axis.direction)));
    }
    words.push_back(word.word);
    points.push_back(std::move(point));
  }
  return JsonAnswer({{"words", std::move(words)},
                     {"points", std::move(points)},
                     {"unknown", finder.Unknown()}});
}

}  // namespace

Route AxesRoute() {
  const Json side = WordsSchema(1, kMostSideWords);
  const Json axis = ObjectSchema({{"from", side}, {"to", side}});
  const Json example_axis = {{"from", {"man"}}, {"to", {"woman"}}};
  return {
      .method = "POST",
      .path = "/axes",
      .summary =
          "Computes the cosines of words with axes, each from some words to "
          "others.",
      .request = ObjectSchema(
          {ModelProperty(),
           {"axes", ListSchema(axis, 1, 2)},
           Optional("words",
                    AnySchema({NullSchema(), WordsSchema(0, kMostWords)},
                              "if null, the most frequent words")),
           Optional("top", WholeSchema(1, kMostTop, "number of these"), 500)}),
      .example = {{"axes", Json::array({example_axis})},
                  {"words", {"king", "queen"}}},
      .response = ObjectSchema(
          {{"words", WordsSchema(0, 0)},
           {"points", ListSchema(ListSchema(NumberSchema(), 1, 2), 0, 0,
                                 "for each word, one cosine per axis")},
           UnknownProperty()}),
      .answer = &Axes};
}

}  // namespace firth::tools
