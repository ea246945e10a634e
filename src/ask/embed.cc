// Computes contextual vectors of tokens.

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "ask/question.h"
#include "ask/tokens.h"
#include "base/quote.h"
#include "firth/contextualizer.h"
#include "firth/embedding_file.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

struct EmbedRequest {
  SentenceRequest sentence;
  std::string layers = "all";

  static FieldTable Fields() {
    FieldsOf<EmbedRequest> fields;
    fields.Part(&EmbedRequest::sentence);
    fields.Add(
        "layers", &EmbedRequest::layers,
        "layers to return: all, average (their mean), or the number of a "
        "layer (0 means the token vectors)");
    return fields;
  }
};

struct EmbedAnswer {
  std::vector<std::string> words;
  std::vector<std::vector<std::vector<float>>> layers;

  static AnswerTable Members() {
    return {{"words", &EmbedAnswer::words, "the tokens of the sentence"},
            {"layers", &EmbedAnswer::layers,
             "for each layer, one vector per token"}};
  }
};

absl::StatusOr<MixWeights> WeightsOf(const std::string& layers, size_t count) {
  MixWeights mix;
  mix.shares.assign(count, 0);
  size_t layer = 0;
  if (layers == "average") {
    mix.shares.assign(count, 1.0 / static_cast<double>(count));
  } else if (absl::SimpleAtoi(layers, &layer) && layer < count) {
    mix.shares[layer] = 1;
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("layers: expected all, average, or a layer from 0 to ",
                     count - 1, ", found ", Quote(layers)));
  }
  return mix;
}

absl::StatusOr<EmbedAnswer> AnswerOf(const std::vector<std::string>& tokens,
                                     TokenVectors vectors,
                                     const std::string& layers) {
  if (layers != "all") {
    FIRTH_ASSIGN_OR_RETURN(const MixWeights mix,
                           WeightsOf(layers, vectors.layers));
    vectors = MixLayers(vectors, mix);
  }
  EmbedAnswer answer{tokens, {}};
  for (size_t layer = 0; layer < vectors.layers; ++layer) {
    auto& list = answer.layers.emplace_back();
    for (size_t token = 0; token < vectors.tokens; ++token) {
      const absl::Span<const float> vector = vectors.Vector(layer, token);
      list.emplace_back(vector.begin(), vector.end());
    }
  }
  return answer;
}

absl::StatusOr<std::vector<EmbedAnswer>> EmbedAll(
    const Opened& opened, absl::Span<const EmbedRequest> requests) {
  std::vector<std::vector<std::string>> tokens;
  for (const EmbedRequest& request : requests) {
    tokens.push_back(request.sentence.Tokens());
  }
  const OpenedLanguageModel& model = opened.language_model();
  const std::lock_guard<std::mutex> lock(model.mutex);
  FIRTH_ASSIGN_OR_RETURN(std::vector<TokenVectors> vectors,
                         model.model.Embed(Borrow(tokens), {}, opened.hooks()));
  std::vector<EmbedAnswer> answers;
  for (size_t i = 0; i < requests.size(); ++i) {
    FIRTH_ASSIGN_OR_RETURN(
        answers.emplace_back(),
        AnswerOf(tokens[i], std::move(vectors[i]), requests[i].layers));
  }
  return answers;
}

bool HaveSameLayers(const EmbedRequest& a, const EmbedRequest& b) {
  return a.layers == b.layers;
}

}  // namespace

Question EmbedQuestion() {
  return MakeQuestion<EmbedRequest, EmbedAnswer>(
      {.name = "embed",
       .summary = "compute contextual vectors for the tokens of a text",
       .description =
           "Computes the contextual vectors of the tokens of a sentence with a "
           "language model. They do not depend on other sentences.",
       .slots = {ModelSlot(ModelKind::kLanguageModel)},
       .example = R"({"text":"the king spoke","layers":"1"})",
       .lane = Lane::kStream},
      &EmbedAll,
      [](const Opened& opened, const EmbedRequest& request) {
        const Contextualizer& model = opened.language_model().model;
        const uint64_t layers =
            request.layers == "all" ? model.num_layers() : 1;
        return request.sentence.Tokens().size() * layers * model.dim() * 12;
      },
      &HaveSameLayers);
}

}  // namespace firth
