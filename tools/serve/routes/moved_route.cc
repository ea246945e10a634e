// Which words moved most between two models, with the neighbors that they lost
// and won and what chance alone does, kept once it is known.

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "firth/drift.h"
#include "firth/status_macros.h"
#include "serve/field_error.h"
#include "serve/route.h"
#include "serve/word_finder.h"

namespace firth::tools {
namespace {

constexpr size_t kMostMoved = 500;
constexpr size_t kShownNeighbors = 5;

Json FirstWords(const Vocabulary& vocabulary,
                absl::Span<const Neighbor> neighbors) {
  Json words = Json::array();
  for (const Neighbor& neighbor : neighbors.subspan(0, kShownNeighbors)) {
    words.push_back(std::string(vocabulary.Word(neighbor.word)));
  }
  return words;
}

// `other_seed` may be null.
absl::StatusOr<Json> MeasureMoves(const VectorModel& before,
                                  const VectorModel& after,
                                  const VectorModel* other_seed) {
  const absl::StatusOr<Drift> drift =
      other_seed == nullptr ? Drift::Create(before.vectors, after.vectors, {})
                            : Drift::Create(before.vectors, after.vectors,
                                            other_seed->vectors, {});
  if (!drift.ok()) return FieldError("models", drift.status().message());
  const Vocabulary& vocabulary = drift->vocabulary();
  Json words = Json::array();
  for (const WordDrift& word : drift->MostMoved(kMostMoved)) {
    const NeighborChange change = drift->Neighbors(word.word);
    words.push_back({{"word", std::string(vocabulary.Word(word.word))},
                     {"cosine", Rounded(word.cosine)},
                     {"chance_cosine", std::isnan(word.chance_cosine)
                                           ? Json(nullptr)
                                           : Json(Rounded(word.chance_cosine))},
                     {"p", Rounded(word.p)},
                     {"count", vocabulary.Count(word.word)},
                     {"lost", FirstWords(vocabulary, change.lost)},
                     {"won", FirstWords(vocabulary, change.won)}});
  }
  return words;
}

absl::StatusOr<Answer> Moved(const ServedFiles& files, const Json& request) {
  const std::string both = request["models"].get<std::string>();
  const std::string chance = request.value("chance", std::string());
  const std::pair<std::string, std::string> names =
      absl::StrSplit(both, absl::MaxSplits(',', 1));
  FIRTH_ASSIGN_OR_RETURN(const VectorModel* before,
                         FindVectors(files.models, names.first, "models"));
  FIRTH_ASSIGN_OR_RETURN(const VectorModel* after,
                         FindVectors(files.models, names.second, "models"));
  const VectorModel* other_seed = nullptr;
  if (!chance.empty()) {
    FIRTH_ASSIGN_OR_RETURN(other_seed,
                           FindVectors(files.models, chance, "chance"));
  }
  const std::lock_guard<std::mutex> lock(files.kept->mutex);
  Json& kept =
      files.kept->by_question[absl::StrCat("moved ", both, ",", chance)];
  if (kept.is_null()) {
    FIRTH_ASSIGN_OR_RETURN(kept, MeasureMoves(*before, *after, other_seed));
  }
  Json words = Json::array();
  const size_t k = std::min(request["k"].get<size_t>(), kept.size());
  for (size_t i = 0; i < k; ++i) words.push_back(kept[i]);
  return JsonAnswer({{"words", std::move(words)}});
}

}  // namespace

Route MovedRoute() {
  const Json word = ObjectSchema(
      {{"word", TextSchema()},
       {"cosine", NumberSchema("cosine of its vectors in the two models")},
       {"chance_cosine",
        AnySchema({NullSchema(), NumberSchema()},
                  "cosine of its vectors in the first model and in `chance`")},
       {"p",
        NumberSchema(
            "fraction of the words of similar frequency that moved at least as "
            "far; with `chance`, of those that did so by chance alone")},
       {"count", WholeSchema(0, INT64_MAX)},
       {"lost",
        ListSchema(TextSchema(), 0, 0,
                   "neighbors in the first model only, the nearest first")},
       {"won",
        ListSchema(TextSchema(), 0, 0,
                   "neighbors in the second model only, the nearest first")}});
  return {
      .method = "GET",
      .path = "/moved",
      .summary =
          "Returns the words that moved most between two models after a "
          "rotation. The first request waits for the alignment.",
      .request = ObjectSchema(
          {{"models", TextSchema("two names separated by a comma")},
           Optional(
               "chance",
               TextSchema(
                   "a model trained like the first one but with another seed")),
           Optional("k", WholeSchema(1, kMostMoved), 50)}),
      .example = {{"models", "old,new"}, {"k", 5}},
      .response = ObjectSchema({{"words", ListSchema(word)}}),
      .lane = Lane::kSlow,
      .answer = &Moved};
}

}  // namespace firth::tools
