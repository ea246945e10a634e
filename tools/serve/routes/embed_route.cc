#include <string>
#include <vector>

#include "firth/contextualizer.h"
#include "firth/embedding_file.h"
#include "firth/status_macros.h"
#include "serve/route.h"
#include "serve/tokens.h"
#include "serve/word_finder.h"

namespace firth::tools {
namespace {

// All layers, their mean, or the last one.
TokenVectors ChooseLayers(const TokenVectors& vectors,
                          const std::string& layers) {
  if (layers == "all") return vectors;
  MixWeights mix;
  mix.shares.assign(vectors.layers, 1.0 / static_cast<double>(vectors.layers));
  if (layers == "last") {
    mix.shares.assign(vectors.layers, 0);
    mix.shares.back() = 1;
  }
  return MixLayers(vectors, mix);
}

Json LayersJson(const TokenVectors& vectors) {
  Json layers = Json::array();
  for (size_t layer = 0; layer < vectors.layers; ++layer) {
    Json tokens = Json::array();
    for (size_t token = 0; token < vectors.tokens; ++token) {
      tokens.push_back(NumbersJson(vectors.Vector(layer, token)));
    }
    layers.push_back(std::move(tokens));
  }
  return layers;
}

absl::StatusOr<Answer> Embed(const ServedFiles& files, const Json& request) {
  FIRTH_ASSIGN_OR_RETURN(const LanguageModelFile* file,
                         ChooseLanguageModel(files.models, request));
  FIRTH_ASSIGN_OR_RETURN(const std::vector<std::vector<std::string>> texts,
                         TokensOf(request["sentences"], "sentences"));
  std::vector<TokenVectors> vectors;
  {
    const std::lock_guard<std::mutex> lock(file->mutex);
    FIRTH_ASSIGN_OR_RETURN(vectors, file->model->Embed(Borrow(texts)));
  }
  Json sentences = Json::array();
  for (size_t i = 0; i < texts.size(); ++i) {
    sentences.push_back(
        {{"words", texts[i]},
         {"layers", LayersJson(ChooseLayers(
                        vectors[i], request["layers"].get<std::string>()))}});
  }
  return JsonAnswer({{"sentences", std::move(sentences)}});
}

}  // namespace

Route EmbedRoute() {
  const Json vector = ListSchema(NumberSchema());
  const Json sentence = ObjectSchema(
      {{"words", ListSchema(TextSchema())},
       {"layers", ListSchema(ListSchema(vector), 0, 0,
                             "for each layer, one vector per token")}});
  return {
      .method = "POST",
      .path = "/embed",
      .summary = "Computes contextual vectors of tokens with a language model.",
      .request = ObjectSchema(
          {ModelProperty(), SentencesProperty(),
           Optional("layers",
                    ChoiceSchema({"mix", "all", "last"},
                                 "mix means the mean of all layers"),
                    "mix")}),
      .example = {{"sentences", {"the king spoke"}}, {"layers", "last"}},
      .response = ObjectSchema({{"sentences", ListSchema(sentence)}}),
      .lane = Lane::kSlow,
      .answer = &Embed};
}

}  // namespace firth::tools
