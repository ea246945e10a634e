#include "firth/complete_word.h"
#include "firth/status_macros.h"
#include "serve/route.h"
#include "serve/word_finder.h"

namespace firth::tools {
namespace {

absl::StatusOr<Answer> Words(const ServedFiles& files, const Json& request) {
  FIRTH_ASSIGN_OR_RETURN(const VectorModel* model,
                         ChooseVectors(files.models, request));
  const Vocabulary& vocabulary = model->vectors.vocabulary();
  const Completions found =
      CompleteWord(vocabulary, request["prefix"].get<std::string>(),
                   request["k"].get<size_t>());
  Json words = Json::array();
  for (const absl::string_view word : found.words) {
    const WordId id = *vocabulary.Find(word);
    words.push_back({{"word", std::string(word)},
                     {"id", Index(id)},
                     {"count", vocabulary.Count(id)}});
  }
  return JsonAnswer({{"total", found.count}, {"words", std::move(words)}});
}

}  // namespace

Route WordsRoute() {
  return {
      .method = "GET",
      .path = "/words",
      .summary = "Returns the words with a prefix, the most frequent first.",
      .request =
          ObjectSchema({ModelProperty(), Optional("prefix", TextSchema(), ""),
                        Optional("k", WholeSchema(1, 1000), 10)}),
      .example = {{"prefix", "qu"}},
      .response = ObjectSchema(
          {{"total",
            WholeSchema(0, UINT32_MAX, "number of all words with the prefix")},
           {"words",
            ListSchema(ObjectSchema({{"word", TextSchema()},
                                     {"id", WholeSchema(0, UINT32_MAX)},
                                     {"count", WholeSchema(0, INT64_MAX)}}))}}),
      .answer = &Words};
}

}  // namespace firth::tools
