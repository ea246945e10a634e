// Compares the vectors of a word in two sentences in each layer of a language
// model, and finds the tokens of a reference text that are nearest to each.
// Layer 0 ignores the context, so both vectors of the same word are equal. In
// higher layers, "bank" in a sentence about rivers is near other words about
// rivers.

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ask/question.h"
#include "ask/words.h"
#include "firth/contextualizer.h"
#include "firth/query.h"
#include "firth/status_macros.h"
#include "firth/tagged_text.h"

namespace firth {

// The vectors take 4 bytes per dimension and layer of each token: 123 MB with 3
// layers of 1024 dimensions.
struct EmbeddedText {
  std::string path;
  std::vector<std::vector<std::string>> sentences;
  std::vector<TokenVectors> vectors;  // One per sentence.
};

namespace {

constexpr size_t kMostTextTokens = 10000;
constexpr size_t kWordsAround = 6;

struct ContextRequest {
  std::string text;
  uint64_t word = 0;
  std::string other_text;
  uint64_t other_word = 0;
  uint64_t top = 10;
  std::string reference;

  static FieldTable Fields() {
    FieldsOf<ContextRequest> fields;
    fields.Add("text", &ContextRequest::text,
               "sentence, with tokens separated by white space",
               Field().AtLeast(1));
    fields.Add("word", &ContextRequest::word,
               "position of the word in the sentence, from 0");
    fields.Add("other-text", &ContextRequest::other_text,
               "other sentence, with tokens separated by white space",
               Field().AtLeast(1));
    fields.Add("other-word", &ContextRequest::other_word,
               "position of the word in the other sentence, from 0");
    AddTop("number of nearest tokens of the reference text", &fields, 1000);
    fields.Add(
        "reference", &ContextRequest::reference,
        "path to a reference text, one sentence per line, in which the "
        "nearest tokens are found; only its first 10,000 tokens are read",
        Field().ValueName("FILE").Place());
    return fields;
  }
};

struct NearToken {
  std::string word;
  float score = 0;
  std::string context;

  static AnswerTable Members() {
    return {
        {"word", &NearToken::word},
        {"score", &NearToken::score, "cosine"},
        {"context", &NearToken::context,
         "surrounding words, with the token itself between double asterisks"}};
  }
};

struct LayerAnswer {
  uint64_t layer = 0;
  double cosine = 0;
  std::vector<NearToken> neighbors;
  std::vector<NearToken> other_neighbors;

  static AnswerTable Members() {
    return {{"layer", &LayerAnswer::layer,
             "number of the layer; 0 means the token vectors"},
            {"cosine", &LayerAnswer::cosine,
             "cosine of the word's vectors in the two sentences"},
            {"neighbors", &LayerAnswer::neighbors,
             "tokens of the reference text that are nearest to the word, best "
             "first; empty without a reference text"},
            {"other_neighbors", &LayerAnswer::other_neighbors,
             "the same for the word in the other sentence"}};
  }
};

struct ContextAnswer {
  std::vector<std::string> words;
  std::vector<std::string> other_words;
  std::vector<LayerAnswer> layers;

  static AnswerTable Members() {
    return {{"words", &ContextAnswer::words, "tokens of the sentence",
             Listing::kInJson},
            {"other_words", &ContextAnswer::other_words,
             "tokens of the other sentence", Listing::kInJson},
            {"layers", &ContextAnswer::layers}};
  }
};

absl::StatusOr<EmbeddedText> ReadReference(const std::string& path,
                                           Contextualizer* model) {
  FIRTH_ASSIGN_OR_RETURN(
      TaggedTextReader reader,
      TaggedTextReader::Open(
          {.inputs = {path}, .form = TextForm::kText, .with_tags = false}));
  EmbeddedText text{path, {}, {}};
  for (size_t tokens = 0; tokens < kMostTextTokens;) {
    FIRTH_ASSIGN_OR_RETURN(std::vector<TaggedSentence> read, reader.Next(100));
    if (read.empty()) break;
    for (TaggedSentence& sentence : read) {
      tokens += sentence.tokens.size();
      if (sentence.tokens.empty() || tokens > kMostTextTokens) continue;
      text.sentences.push_back(std::move(sentence.tokens));
    }
  }
  if (text.sentences.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": the file contains no sentences (one per line)"));
  }
  FIRTH_ASSIGN_OR_RETURN(text.vectors, model->Embed(Borrow(text.sentences)));
  return text;
}

// Returns the reference text, embedded by the model, or null if there is none.
// The caller must hold the lock of the model. The model keeps the text for
// later requests.
absl::StatusOr<const EmbeddedText*> FindReference(
    const OpenedLanguageModel& model, const std::string& path) {
  if (path.empty()) return nullptr;
  if (model.reference == nullptr || model.reference->path != path) {
    FIRTH_ASSIGN_OR_RETURN(EmbeddedText text,
                           ReadReference(path, &model.model));
    model.reference = std::make_shared<EmbeddedText>(std::move(text));
  }
  return model.reference.get();
}

// The position of a token in the reference text.
struct TextToken {
  size_t sentence;
  size_t token;
  float cosine;
};

bool IsBetter(const TextToken& a, const TextToken& b) {
  return std::tuple(-a.cosine, a.sentence, a.token) <
         std::tuple(-b.cosine, b.sentence, b.token);
}

std::string ContextOf(const std::vector<std::string>& sentence, size_t at) {
  const size_t first = at - std::min(at, kWordsAround);
  const size_t end = std::min(sentence.size(), at + kWordsAround + 1);
  std::string context = first > 0 ? "... " : "";
  for (size_t i = first; i < end; ++i) {
    const char* const star = i == at ? "**" : "";
    absl::StrAppend(&context, i > first ? " " : "", star, sentence[i], star);
  }
  return end < sentence.size() ? context + " ..." : context;
}

std::vector<NearToken> Nearest(const EmbeddedText* text, size_t layer,
                               absl::Span<const float> vector, size_t top) {
  std::vector<NearToken> nearest;
  if (text == nullptr) return nearest;
  std::vector<TextToken> tokens;
  for (size_t s = 0; s < text->vectors.size(); ++s) {
    const TokenVectors& vectors = text->vectors[s];
    for (size_t t = 0; t < vectors.tokens; ++t) {
      tokens.push_back({s, t, Similarity(vector, vectors.Vector(layer, t))});
    }
  }
  top = std::min(top, tokens.size());
  std::partial_sort(tokens.begin(),
                    tokens.begin() + static_cast<ptrdiff_t>(top), tokens.end(),
                    IsBetter);
  for (const TextToken& token : absl::MakeSpan(tokens).first(top)) {
    const std::vector<std::string>& sentence = text->sentences[token.sentence];
    nearest.push_back({sentence[token.token], token.cosine,
                       ContextOf(sentence, token.token)});
  }
  return nearest;
}

absl::Status CheckPosition(absl::string_view field, uint64_t word,
                           size_t tokens) {
  if (word < tokens) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      field, ": expected the position of a word, at least 0 and less than ",
      tokens, ", found ", word));
}

absl::StatusOr<ContextAnswer> CompareContexts(const Opened& opened,
                                              const ContextRequest& request) {
  ContextAnswer answer{
      SplitTokens(request.text), SplitTokens(request.other_text), {}};
  FIRTH_RETURN_IF_ERROR(
      CheckPosition("word", request.word, answer.words.size()));
  FIRTH_RETURN_IF_ERROR(CheckPosition("other-word", request.other_word,
                                      answer.other_words.size()));
  const OpenedLanguageModel& model = opened.language_model();
  const std::lock_guard<std::mutex> lock(model.mutex);
  FIRTH_ASSIGN_OR_RETURN(const EmbeddedText* text,
                         FindReference(model, request.reference));
  FIRTH_ASSIGN_OR_RETURN(
      const std::vector<TokenVectors> vectors,
      model.model.Embed({Borrow(answer.words), Borrow(answer.other_words)}));
  for (size_t layer = 0; layer < vectors[0].layers; ++layer) {
    const absl::Span<const float> a = vectors[0].Vector(layer, request.word);
    const absl::Span<const float> b =
        vectors[1].Vector(layer, request.other_word);
    answer.layers.push_back({layer, Similarity(a, b),
                             Nearest(text, layer, a, request.top),
                             Nearest(text, layer, b, request.top)});
  }
  return answer;
}

}  // namespace

Question ContextQuestion() {
  return MakeQuestion<ContextRequest, ContextAnswer>(
      {.name = "context",
       .summary = "compare a word in two sentences, layer by layer",
       .description =
           "Computes how similar the vectors of a word in two sentences are in "
           "each layer of a language model. If there is a reference text, the "
           "answer also has the tokens of this text that are nearest to the "
           "word in each sentence.\n\n"
           "  firth context lm.safetensors \"the king spoke\" \"a king of "
           "spades\" --word 1 \\\n"
           "    --other-word 1",
       .slots = {ModelSlot(ModelKind::kLanguageModel)},
       .example = R"({"text":"the king spoke","word":1,)"
                  R"("other-text":"a king of spades","other-word":1,"top":2})",
       .arguments = {"text", "other-text"},
       .takes_texts = true,
       .lane = Lane::kSlow},
      &CompareContexts,
      [](const Opened& opened, const ContextRequest& request) {
        return request.top * 2 * opened.language_model().model.num_layers() *
               4 * kScoredWordBytes;
      });
}

}  // namespace firth
