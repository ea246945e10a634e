// The words near others: of several questions at once, each a sum of words and
// vectors such as king - man + woman.

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "firth/query.h"
#include "firth/status_macros.h"
#include "serve/field_error.h"
#include "serve/route.h"
#include "serve/word_finder.h"

namespace firth::tools {
namespace {

constexpr size_t kMostQueries = 256;
constexpr size_t kMostTerms = 100;
constexpr size_t kMostDim = 65536;
// Of all queries: as JSON they take 60 bytes each.
constexpr size_t kMostAnswers = 25600;

// A question as it is asked of the vectors.
struct Sum {
  std::vector<float> vector;  // [dim]; empty: there is nothing to ask
  std::vector<WordId> exclude;
  Json unknown;
  Json composed;
};

// A word, or the numbers of a vector; nothing for an unknown word.
absl::StatusOr<std::optional<FoundWord>> FindTerm(const Json& term,
                                                  const std::string& place,
                                                  size_t dim,
                                                  WordFinder* finder) {
  if (term.is_string()) return finder->Find(term.get<std::string>());
  if (term.size() != dim) {
    return FieldError(
        place, absl::StrCat("expected ", dim, " numbers, found ", term.size()));
  }
  FoundWord found{"", std::nullopt, term.get<std::vector<float>>()};
  const auto is_finite = [](float value) { return std::isfinite(value); };
  if (absl::c_all_of(found.vector, is_finite)) return found;
  return FieldError(place, "expected numbers in the range of a float");
}

// The vectors of one sign.
absl::Status AddTerms(const Json& list, const std::string& place, float weight,
                      size_t dim, WordFinder* finder,
                      std::vector<FoundWord>* words,
                      std::vector<float>* weights) {
  for (size_t i = 0; i < list.size(); ++i) {
    FIRTH_ASSIGN_OR_RETURN(
        std::optional<FoundWord> found,
        FindTerm(list[i], absl::StrCat(place, "[", i, "]"), dim, finder));
    if (!found.has_value()) continue;
    words->push_back(*std::move(found));
    weights->push_back(weight);
  }
  return absl::OkStatus();
}

// A word alone is asked with its own vector, so that its answers are to the bit
// those of "firth nn".
std::vector<float> VectorOf(const std::vector<FoundWord>& words,
                            const std::vector<float>& weights) {
  if (words.empty()) return {};
  if (words.size() == 1 && weights[0] > 0) return words[0].vector;
  std::vector<QueryTerm> terms;
  for (size_t i = 0; i < words.size(); ++i) {
    terms.push_back({words[i].vector, weights[i]});
  }
  return SumOfUnitVectors(terms);
}

absl::StatusOr<Sum> Ask(const Json& query, const std::string& place,
                        const WordVectors& vectors) {
  WordFinder finder(vectors);
  std::vector<FoundWord> words;
  std::vector<float> weights;
  for (const auto& [key, weight] :
       {std::pair("plus", 1.0F), {"minus", -1.0F}}) {
    FIRTH_RETURN_IF_ERROR(AddTerms(query[key], absl::StrCat(place, ".", key),
                                   weight, vectors.dim(), &finder, &words,
                                   &weights));
  }
  Sum sum{VectorOf(words, weights), {}, finder.Unknown(), finder.Composed()};
  for (const FoundWord& word : words) {
    if (word.id.has_value()) sum.exclude.push_back(*word.id);
  }
  return sum;
}

absl::StatusOr<const NearestNeighbors*> ChooseSearch(const VectorModel& model,
                                                     const Json& request) {
  const std::string name = request.value("search", model.searches[0]);
  if (name == model.searches[0]) return &*model.neighbors;
  if (name == model.searches.back()) return &*model.exact;
  return FieldError("search", absl::StrCat("expected one of ",
                                           absl::StrJoin(model.searches, ", "),
                                           ", found \"", name, "\""));
}

absl::StatusOr<Answer> Neighbors(const ServedFiles& files,
                                 const Json& request) {
  FIRTH_ASSIGN_OR_RETURN(const VectorModel* model,
                         ChooseVectors(files.models, request));
  FIRTH_ASSIGN_OR_RETURN(const NearestNeighbors* search,
                         ChooseSearch(*model, request));
  const auto k = request["k"].get<size_t>();
  if (request["queries"].size() * k > kMostAnswers) {
    return FieldError(
        "k",
        absl::StrCat("all queries together may have at most ", kMostAnswers,
                     " answers, found ", request["queries"].size() * k));
  }
  std::vector<Sum> sums;
  for (const Json& query : request["queries"]) {
    FIRTH_ASSIGN_OR_RETURN(
        sums.emplace_back(),
        Ask(query, absl::StrCat("queries[", sums.size(), "]"), model->vectors));
  }
  std::vector<NeighborQuery> queries;
  for (const Sum& sum : sums) {
    if (!sum.vector.empty()) queries.push_back({sum.vector, sum.exclude});
  }
  const std::vector<std::vector<Neighbor>> found = search->FindAll(queries, k);
  Json results = Json::array();
  size_t next = 0;
  for (Sum& sum : sums) {
    Json neighbors = Json::array();
    if (!sum.vector.empty()) {
      neighbors = NeighborsJson(model->vectors.vocabulary(), found[next++]);
    }
    results.push_back({{"neighbors", std::move(neighbors)},
                       {"unknown", std::move(sum.unknown)},
                       {"composed", std::move(sum.composed)}});
  }
  return JsonAnswer({{"results", std::move(results)}});
}

Json TermsSchema(absl::string_view help) {
  return ListSchema(
      AnySchema({ListSchema(NumberSchema(), 1, kMostDim), TextSchema()}), 0,
      kMostTerms, help);
}

}  // namespace

Route NeighborsRoute() {
  const Json query = ObjectSchema(
      {Optional("plus",
                TermsSchema("words, or vectors with the model's number of "
                            "dimensions, that are added"),
                Json::array()),
       Optional("minus", TermsSchema("words or vectors that are subtracted"),
                Json::array())});
  const Json result = ObjectSchema(
      {{"neighbors", NeighborsSchema()},
       UnknownProperty(),
       {"composed",
        WordsSchema(0, 0, "words whose vectors were built from n-grams")}});
  return {
      .method = "POST",
      .path = "/neighbors",
      .summary =
          "find the words nearest to words, to sums of words, or to vectors",
      .request = ObjectSchema(
          {ModelProperty(),
           {"queries", ListSchema(query, 1, kMostQueries)},
           Optional("k", WholeSchema(1, 1000, "number of answers per query"),
                    10),
           Optional("search",
                    TextSchema(
                        "one of the model's searches, as /info lists them"))}),
      .example = {{"queries",
                   {{{"plus", {"king", "woman"}}, {"minus", {"man"}}}}},
                  {"k", 3}},
      .response = ObjectSchema({{"results", ListSchema(result)}}),
      .answer = &Neighbors};
}

}  // namespace firth::tools
