#include <string>
#include <vector>

#include "firth/sentence_vectors.h"
#include "firth/status_macros.h"
#include "serve/route.h"
#include "serve/word_finder.h"

namespace firth::tools {
namespace {

constexpr size_t kMostTexts = 1000;

absl::StatusOr<Answer> Sentences(const ServedFiles& files,
                                 const Json& request) {
  FIRTH_ASSIGN_OR_RETURN(const VectorModel* model,
                         ChooseVectors(files.models, request));
  FIRTH_ASSIGN_OR_RETURN(const SentenceEncoder encoder,
                         SentenceEncoder::Create(model->vectors, {}));
  Json vectors = Json::array();
  std::vector<float> vector(encoder.dim());
  for (const Json& text : request["texts"]) {
    const size_t words = encoder.Encode(text.get_ref<const std::string&>(),
                                        absl::MakeSpan(vector));
    vectors.push_back(words > 0 ? NumbersJson(vector) : Json(nullptr));
  }
  return JsonAnswer({{"dim", encoder.dim()}, {"vectors", std::move(vectors)}});
}

}  // namespace

Route SentencesRoute() {
  return {.method = "POST",
          .path = "/sentences",
          .summary =
              "Computes one vector per text, the mean of the vectors of its "
              "words, which are separated by white space.",
          .request = ObjectSchema(
              {ModelProperty(),
               {"texts", ListSchema(TextSchema(), 1, kMostTexts)}}),
          .example = {{"texts", {"the king spoke", "a queen"}}},
          .response = ObjectSchema(
              {{"dim", WholeSchema(1, INT32_MAX)},
               {"vectors",
                ListSchema(
                    AnySchema({NullSchema(), ListSchema(NumberSchema())}), 0, 0,
                    "one vector per text; null if no word has a vector")}}),
          .answer = &Sentences};
}

}  // namespace firth::tools
