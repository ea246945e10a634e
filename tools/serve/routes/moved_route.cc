// Which words moved most between two models, kept once it is known.

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "firth/drift.h"
#include "firth/status_macros.h"
#include "serve/field_error.h"
#include "serve/route.h"
#include "serve/word_finder.h"

namespace firth::tools {
namespace {

constexpr size_t kMostMoved = 1000;

absl::StatusOr<Json> MeasureMoves(const VectorModel& before,
                                  const VectorModel& after) {
  const absl::StatusOr<Drift> drift =
      Drift::Create(before.vectors, after.vectors, {});
  if (!drift.ok()) return FieldError("models", drift.status().message());
  Json words = Json::array();
  for (const WordDrift& word : drift->MostMoved(kMostMoved)) {
    const Vocabulary& vocabulary = drift->vocabulary();
    words.push_back({{"word", std::string(vocabulary.Word(word.word))},
                     {"cosine", Rounded(word.cosine)},
                     {"p", Rounded(word.p)},
                     {"count", vocabulary.Count(word.word)}});
  }
  return words;
}

absl::StatusOr<Answer> Moved(const ServedFiles& files, const Json& request) {
  const std::string both = request["models"].get<std::string>();
  const std::pair<std::string, std::string> names =
      absl::StrSplit(both, absl::MaxSplits(',', 1));
  FIRTH_ASSIGN_OR_RETURN(const VectorModel* before,
                         FindVectors(files.models, names.first, "models"));
  FIRTH_ASSIGN_OR_RETURN(const VectorModel* after,
                         FindVectors(files.models, names.second, "models"));
  const std::lock_guard<std::mutex> lock(files.kept->mutex);
  Json& kept = files.kept->by_question[absl::StrCat("moved ", both)];
  if (kept.is_null()) {
    FIRTH_ASSIGN_OR_RETURN(kept, MeasureMoves(*before, *after));
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
       {"cosine", NumberSchema("of its vectors in both models")},
       {"p", NumberSchema("the share of the words of like frequency that moved "
                          "as far")},
       {"count", WholeSchema(0, INT64_MAX)}});
  return {.method = "GET",
          .path = "/moved",
          .summary =
              "the words that moved most between two models, aligned by "
              "a rotation; the first question waits for it",
          .request = ObjectSchema(
              {{"models", TextSchema("two names with a comma between them")},
               Optional("k", WholeSchema(1, kMostMoved), 50)}),
          .example = {{"models", "old,new"}, {"k", 5}},
          .response = ObjectSchema({{"words", ListSchema(word)}}),
          .lane = Lane::kSlow,
          .answer = &Moved};
}

}  // namespace firth::tools
