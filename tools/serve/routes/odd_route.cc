#include <algorithm>
#include <vector>

#include "firth/query.h"
#include "firth/status_macros.h"
#include "serve/route.h"
#include "serve/word_finder.h"

namespace firth::tools {
namespace {

absl::StatusOr<Answer> Odd(const ServedFiles& files, const Json& request) {
  FIRTH_ASSIGN_OR_RETURN(const VectorModel* model,
                         ChooseVectors(files.models, request));
  WordFinder finder(model->vectors);
  const std::vector<FoundWord> words = finder.FindAll(request["words"]);
  Json odd = nullptr;
  Json known = Json::array();
  Json scores = Json::array();
  if (!words.empty()) {
    const std::vector<float> belongs = Centrality(VectorsOf(words));
    const auto least = std::min_element(belongs.begin(), belongs.end());
    odd = words[static_cast<size_t>(least - belongs.begin())].word;
    for (const FoundWord& word : words) known.push_back(word.word);
    for (const float score : belongs) scores.push_back(Rounded(score));
  }
  return JsonAnswer({{"odd", std::move(odd)},
                     {"words", std::move(known)},
                     {"scores", std::move(scores)},
                     {"unknown", finder.Unknown()}});
}

}  // namespace

Route OddRoute() {
  return {
      .method = "POST",
      .path = "/odd",
      .summary = "Finds the word that does not fit with the others.",
      .request = ObjectSchema(
          {ModelProperty(), {"words", WordsSchema(3, kMostWords)}}),
      .example = {{"words", {"king", "queen", "river"}}},
      .response = ObjectSchema(
          {{"odd", AnySchema({NullSchema(), TextSchema()})},
           {"words", WordsSchema(0, 0, "the words that have a vector")},
           {"scores", ListSchema(NumberSchema(), 0, 0,
                                 "cosine of each word with the mean of all")},
           UnknownProperty()}),
      .answer = &Odd};
}

}  // namespace firth::tools
