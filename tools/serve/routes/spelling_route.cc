#include "firth/query.h"
#include "firth/status_macros.h"
#include "serve/route.h"
#include "serve/word_finder.h"

namespace firth::tools {
namespace {

// Longer words are nobody's mistake, and each byte costs a look at all words.
constexpr size_t kMostBytes = 256;

absl::StatusOr<Answer> Spelling(const ServedFiles& files, const Json& request) {
  FIRTH_ASSIGN_OR_RETURN(const VectorModel* model,
                         ChooseVectors(files.models, request));
  const Vocabulary& vocabulary = model->vectors.vocabulary();
  const auto word = request["word"].get<std::string>();
  Json spellings = Json::array();
  if (word.size() <= kMostBytes) {
    for (const WordId id :
         ClosestSpellings(vocabulary, word, request["k"].get<size_t>())) {
      spellings.push_back(std::string(vocabulary.Word(id)));
    }
  }
  return JsonAnswer({{"spellings", std::move(spellings)}});
}

}  // namespace

Route SpellingRoute() {
  return {.method = "GET",
          .path = "/spelling",
          .summary =
              "Returns the words of the model whose spelling is most similar "
              "to a word.",
          .request = ObjectSchema({ModelProperty(),
                                   {"word", TextSchema()},
                                   Optional("k", WholeSchema(1, 100), 5)}),
          .example = {{"word", "quen"}},
          .response = ObjectSchema({{"spellings", ListSchema(TextSchema())}}),
          .answer = &Spelling};
}

}  // namespace firth::tools
