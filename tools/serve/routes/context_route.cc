// A word in two sentences: how alike its vectors are in each layer of a
// language model, and which tokens of the reference text are near to each. In
// layer 0, which knows no context, the same word is the same; above it, a bank
// of a river is near to others of rivers.

#include <array>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "firth/query.h"
#include "firth/status_macros.h"
#include "serve/field_error.h"
#include "serve/route.h"
#include "serve/tokens.h"
#include "serve/word_finder.h"

namespace firth::tools {
namespace {

using Tokens = std::vector<std::vector<std::string>>;

absl::StatusOr<Tokens> TokensOfBoth(const Json& sentences) {
  Json texts = Json::array();
  for (const Json& sentence : sentences) texts.push_back(sentence["text"]);
  FIRTH_ASSIGN_OR_RETURN(Tokens tokens, TokensOf(texts, "sentences"));
  for (size_t i = 0; i < tokens.size(); ++i) {
    const auto word = sentences[i]["word"].get<size_t>();
    if (word < tokens[i].size()) continue;
    return FieldError(
        absl::StrCat("sentences[", i, "].word"),
        absl::StrCat("expected the index of a word, from 0 and below ",
                     tokens[i].size(), ", found ", word));
  }
  return tokens;
}

absl::StatusOr<Json> NearestJson(const ServedFiles& files,
                                 const LanguageModelFile& file, size_t layer,
                                 absl::Span<const float> vector, size_t k) {
  Json list = Json::array();
  if (files.text == nullptr) return list;
  FIRTH_ASSIGN_OR_RETURN(const std::vector<TextToken> nearest,
                         files.text->Nearest(file, layer, vector, k));
  for (const TextToken& token : nearest) {
    list.push_back({{"word", files.text->Word(token)},
                    {"score", Rounded(token.cosine)},
                    {"context", files.text->Context(token)}});
  }
  return list;
}

absl::StatusOr<Answer> Context(const ServedFiles& files, const Json& request) {
  FIRTH_ASSIGN_OR_RETURN(const LanguageModelFile* file,
                         ChooseLanguageModel(files.models, request));
  const Json& sentences = request["sentences"];
  FIRTH_ASSIGN_OR_RETURN(const Tokens tokens, TokensOfBoth(sentences));
  const std::lock_guard<std::mutex> lock(file->mutex);
  FIRTH_ASSIGN_OR_RETURN(const std::vector<TokenVectors> vectors,
                         file->model->Embed(Borrow(tokens)));
  Json layers = Json::array();
  for (size_t layer = 0; layer < file->num_layers; ++layer) {
    std::array<absl::Span<const float>, 2> both;
    Json neighbors = Json::array();
    for (size_t i = 0; i < both.size(); ++i) {
      both[i] = vectors[i].Vector(layer, sentences[i]["word"].get<size_t>());
      FIRTH_ASSIGN_OR_RETURN(neighbors.emplace_back(),
                             NearestJson(files, *file, layer, both[i],
                                         request["k"].get<size_t>()));
    }
    layers.push_back({{"layer", layer},
                      {"cosine", Rounded(Similarity(both[0], both[1]))},
                      {"neighbors", std::move(neighbors)}});
  }
  return JsonAnswer({{"layers", std::move(layers)}, {"words", tokens}});
}

}  // namespace

Route ContextRoute() {
  const Json sentence = ObjectSchema(
      {{"text", TextSchema()},
       {"word", WholeSchema(0, 1000000,
                            "position of the word in the sentence, from 0")}});
  const Json neighbor = ObjectSchema({{"word", TextSchema()},
                                      {"score", NumberSchema()},
                                      {"context", TextSchema()}});
  const Json layer = ObjectSchema(
      {{"layer", WholeSchema(0, 1000)},
       {"cosine", NumberSchema("cosine of the two contextual vectors")},
       {"neighbors",
        ListSchema(ListSchema(neighbor), 2, 2,
                   "for each of the two words, the nearest tokens of the "
                   "reference text (--text); empty without such a text")}});
  const Json example = {{"sentences",
                         {{{"text", "the king spoke"}, {"word", 1}},
                          {{"text", "a king of spades"}, {"word", 1}}}},
                        {"k", 2}};
  return {.method = "POST",
          .path = "/context",
          .summary = "compare a word in two sentences, layer by layer",
          .request = ObjectSchema({ModelProperty(),
                                   {"sentences", ListSchema(sentence, 2, 2)},
                                   Optional("k", WholeSchema(1, 100), 10)}),
          .example = example,
          .response = ObjectSchema(
              {{"layers", ListSchema(layer)},
               {"words", ListSchema(ListSchema(TextSchema()), 2, 2)}}),
          .lane = Lane::kSlow,
          .answer = &Context};
}

}  // namespace firth::tools
