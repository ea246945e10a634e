#include <cmath>
#include <string>
#include <vector>

#include "firth/bias.h"
#include "firth/status_macros.h"
#include "serve/route.h"
#include "serve/word_finder.h"

namespace firth::tools {
namespace {

constexpr size_t kMostGroupWords = 200;
constexpr int64_t kMostPermutations = 100000;

WordGroup GroupOf(const Json& request, const char* name) {
  return {name, request[name].get<std::vector<std::string>>()};
}

absl::StatusOr<Answer> Weat(const ServedFiles& files, const Json& request) {
  FIRTH_ASSIGN_OR_RETURN(const VectorModel* model,
                         ChooseVectors(files.models, request));
  const WeatTest test{"test", GroupOf(request, "x"), GroupOf(request, "y"),
                      GroupOf(request, "a"), GroupOf(request, "b")};
  WeatOptions options;
  options.permutations = request["permutations"].get<uint64_t>();
  options.seed = request["seed"].get<uint64_t>();
  FIRTH_ASSIGN_OR_RETURN(const WeatResult result,
                         MeasureWeat(model->vectors, test, options));
  WordFinder finder(model->vectors);
  for (const std::string& word : result.unknown) finder.Find(word);
  return JsonAnswer(
      {{"effect", std::isfinite(result.effect) ? Json(Rounded(result.effect))
                                               : Json(nullptr)},
       {"p", Rounded(result.p)},
       {"exact", result.exact},
       {"permutations", result.permutations},
       {"unknown", finder.Unknown()}});
}

}  // namespace

Route WeatRoute() {
  const Json group = WordsSchema(1, kMostGroupWords);
  return {
      .method = "POST",
      .path = "/weat",
      .summary =
          "Measures how much more two groups of words x and y are associated "
          "with a than with b (WEAT, Caliskan et al. 2017).",
      .request = ObjectSchema(
          {ModelProperty(),
           {"x", group},
           {"y", group},
           {"a", group},
           {"b", group},
           Optional("permutations", WholeSchema(1, kMostPermutations), 10000),
           Optional("seed", WholeSchema(0, INT64_MAX), 1)}),
      .example = {{"x", {"king"}},
                  {"y", {"queen"}},
                  {"a", {"man"}},
                  {"b", {"woman"}}},
      .response = ObjectSchema(
          {{"effect", AnySchema({NullSchema(), NumberSchema()},
                                "effect size, from -2 to 2; null if all words "
                                "are associated alike")},
           {"p", NumberSchema("one-sided")},
           {"exact", BooleanSchema("whether p counts all partitions")},
           {"permutations",
            WholeSchema(0, INT64_MAX,
                        "number of partitions that p was computed from")},
           UnknownProperty()}),
      .answer = &Weat};
}

}  // namespace firth::tools
