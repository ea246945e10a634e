// A word in two models: which neighbors only one of them has, and which both.

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "firth/query.h"
#include "firth/status_macros.h"
#include "serve/route.h"
#include "serve/word_finder.h"

namespace firth::tools {
namespace {

struct Side {
  const VectorModel* model;
  std::optional<FoundWord> word;
  std::vector<Neighbor> neighbors;
  Json unknown;
};

absl::StatusOr<Side> Look(const ServedFiles& files, const Json& request,
                          size_t i) {
  Side side;
  FIRTH_ASSIGN_OR_RETURN(
      side.model,
      FindVectors(files.models, request["models"][i].get<std::string>(),
                  "models"));
  WordFinder finder(side.model->vectors);
  side.word = finder.Find(request["word"].get<std::string>());
  side.unknown = finder.Unknown();
  for (Json& word : side.unknown) word["model"] = side.model->name;
  if (!side.word.has_value()) return side;
  std::vector<WordId> exclude;
  if (side.word->id.has_value()) exclude.push_back(*side.word->id);
  side.neighbors = side.model->neighbors->Find(
      side.word->vector, request["k"].get<size_t>(), exclude);
  return side;
}

// The cosines of the neighbors, by word.
std::unordered_map<std::string, float> Scores(const Side& side) {
  std::unordered_map<std::string, float> scores;
  for (const Neighbor& neighbor : side.neighbors) {
    scores.emplace(side.model->vectors.vocabulary().Word(neighbor.word),
                   neighbor.score);
  }
  return scores;
}

absl::StatusOr<Answer> CompareModels(const ServedFiles& files,
                                     const Json& request) {
  FIRTH_ASSIGN_OR_RETURN(const Side first, Look(files, request, 0));
  FIRTH_ASSIGN_OR_RETURN(const Side second, Look(files, request, 1));
  const std::array<const Side*, 2> sides = {&first, &second};
  const std::array<std::unordered_map<std::string, float>, 2> scores = {
      Scores(first), Scores(second)};
  Json only = {Json::array(), Json::array()};
  Json joint = Json::array();
  Json unknown = Json::array();
  for (size_t i = 0; i < sides.size(); ++i) {
    const Vocabulary& vocabulary = sides[i]->model->vectors.vocabulary();
    for (const Neighbor& neighbor : sides[i]->neighbors) {
      const std::string word(vocabulary.Word(neighbor.word));
      const auto other = scores[1 - i].find(word);
      if (other == scores[1 - i].end()) {
        only[i].push_back({{"word", word}, {"score", Rounded(neighbor.score)}});
      } else if (i == 0) {
        joint.push_back(
            {{"word", word},
             {"scores", {Rounded(neighbor.score), Rounded(other->second)}}});
      }
    }
    for (const Json& word : sides[i]->unknown) unknown.push_back(word);
  }
  return JsonAnswer({{"only", std::move(only)},
                     {"joint", std::move(joint)},
                     {"unknown", std::move(unknown)}});
}

}  // namespace

Route CompareRoute() {
  const Json neighbor =
      ObjectSchema({{"word", TextSchema()}, {"score", NumberSchema()}});
  const Json both = ObjectSchema(
      {{"word", TextSchema()}, {"scores", ListSchema(NumberSchema(), 2, 2)}});
  const Json unknown = ObjectSchema({{"word", TextSchema()},
                                     {"spellings", ListSchema(TextSchema())},
                                     {"model", TextSchema()}});
  return {
      .method = "POST",
      .path = "/compare",
      .summary =
          "Compares the neighbors of a word in two models: those that only one "
          "has, and those that both have.",
      .request = ObjectSchema({{"models", ListSchema(TextSchema(), 2, 2)},
                               {"word", TextSchema()},
                               Optional("k", WholeSchema(1, 1000), 20)}),
      .example = {{"models", {"old", "new"}}, {"word", "king"}, {"k", 5}},
      .response = ObjectSchema(
          {{"only", ListSchema(ListSchema(neighbor), 2, 2)},
           {"joint", ListSchema(both)},
           {"unknown", ListSchema(unknown, 0, 0, "which model has the word")}}),
      .answer = &CompareModels};
}

}  // namespace firth::tools
