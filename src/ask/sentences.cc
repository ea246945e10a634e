// Questions about sentences: for language models their log probabilities,
// whether one follows another, their next and hidden words and the contextual
// vectors of their tokens, and for taggers the tags of these.

#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "ask/question.h"
#include "ask/words.h"
#include "base/quote.h"
#include "firth/contextualizer.h"
#include "firth/embedding_file.h"
#include "firth/language_model.h"
#include "firth/status_macros.h"
#include "firth/tag_scores.h"
#include "firth/tagger.h"
#include "lm/model/language_model_options.h"

namespace firth {
namespace {

struct ScoreAnswer {
  std::vector<std::string> words;
  double log_probability = 0;
  uint64_t tokens = 0;
  uint64_t num_unknown = 0;

  static AnswerTable Members() {
    return {{"words", &ScoreAnswer::words, "the tokens of the sentence"},
            {"log_probability", &ScoreAnswer::log_probability,
             "ln p of the words and the end of the sentence"},
            {"tokens", &ScoreAnswer::tokens,
             "number of words, plus one for the end"},
            {"num_unknown", &ScoreAnswer::num_unknown,
             "number of words that count as <UNK>"}};
  }
};

absl::StatusOr<std::vector<ScoreAnswer>> Score(
    const Opened& opened, absl::Span<const SentenceRequest> requests) {
  std::vector<std::vector<std::string>> tokens;
  for (const SentenceRequest& request : requests) {
    tokens.push_back(request.Tokens());
  }
  const OpenedLanguageModel& model = opened.language_model();
  const std::lock_guard<std::mutex> lock(model.mutex);
  FIRTH_ASSIGN_OR_RETURN(
      const std::vector<SentenceScore> scores,
      model.model.language_model().Score(Borrow(tokens), opened.hooks()));
  std::vector<ScoreAnswer> answers;
  for (size_t i = 0; i < requests.size(); ++i) {
    answers.push_back({std::move(tokens[i]), scores[i].log_probability,
                       scores[i].tokens, scores[i].unknown});
  }
  return answers;
}

struct NextRequest {
  std::string first;
  std::string second;

  static FieldTable Fields() {
    FieldsOf<NextRequest> fields;
    fields.Add("first", &NextRequest::first, "the first sentence");
    fields.Add("second", &NextRequest::second,
               "the sentence that may follow the first one");
    return fields;
  }
};

struct NextAnswer {
  std::vector<std::string> texts;
  double probability = 0;

  static AnswerTable Members() {
    return {{"texts", &NextAnswer::texts, "the two sentences of the request",
             Listing::kInJson},
            {"probability", &NextAnswer::probability,
             "probability that the second sentence follows the first one"}};
  }
};

absl::StatusOr<std::vector<NextAnswer>> Estimate(
    const Opened& opened, absl::Span<const NextRequest> requests) {
  std::vector<std::vector<std::string>> tokens;
  for (const NextRequest& request : requests) {
    tokens.push_back(SplitTokens(request.first));
    tokens.push_back(SplitTokens(request.second));
  }
  std::vector<LanguageModel::Pair> pairs;
  for (size_t i = 0; i < tokens.size(); i += 2) {
    pairs.emplace_back(Borrow(tokens[i]), Borrow(tokens[i + 1]));
  }
  const OpenedLanguageModel& model = opened.language_model();
  const std::lock_guard<std::mutex> lock(model.mutex);
  FIRTH_ASSIGN_OR_RETURN(
      const std::vector<double> probabilities,
      model.model.language_model().NextSentence(pairs, opened.hooks()));
  std::vector<NextAnswer> answers;
  for (size_t i = 0; i < requests.size(); ++i) {
    answers.push_back(
        {{requests[i].first, requests[i].second}, probabilities[i]});
  }
  return answers;
}

struct FillRequest {
  std::vector<std::string> words;
  uint64_t top = 10;

  static FieldTable Fields() {
    FieldsOf<FillRequest> fields;
    AddWords("words", &FillRequest::words,
             "words of a sentence; each <MASK> is predicted", &fields)
        .Range(1, 65536);
    AddTop("number of words for each <MASK>", &fields);
    return fields;
  }
};

struct FilledWord {
  uint64_t mask = 0;
  std::string word;
  double probability = 0;

  static AnswerTable Members() {
    return {{"mask", &FilledWord::mask, "number of the mask, from 1"},
            {"word", &FilledWord::word},
            {"probability", &FilledWord::probability}};
  }
};

struct FillAnswer {
  std::string query;
  std::vector<FilledWord> words;

  static AnswerTable Members() {
    return {{"query", &FillAnswer::query, "the sentence", Listing::kInJson},
            {"words", &FillAnswer::words,
             "most probable words for each mask, best first, then <UNK> with "
             "the probability of all words that the model lacks"}};
  }
};

absl::StatusOr<FillAnswer> Fill(const Opened& opened,
                                const FillRequest& request) {
  FillAnswer answer{absl::StrJoin(request.words, " "), {}};
  // A word that contains white space is several tokens.
  const std::vector<std::string> tokens = SplitTokens(answer.query);
  const OpenedLanguageModel& model = opened.language_model();
  const std::lock_guard<std::mutex> lock(model.mutex);
  FIRTH_ASSIGN_OR_RETURN(
      const std::vector<WordDistribution> masks,
      model.model.language_model().Fill(Borrow(tokens), request.top));
  for (size_t mask = 0; mask < masks.size(); ++mask) {
    for (const WordProbability& word : masks[mask].words) {
      answer.words.push_back({mask + 1, word.word, word.probability});
    }
    answer.words.push_back(
        {mask + 1, std::string(kUnknown), masks[mask].unknown});
  }
  return answer;
}

struct NextWordsRequest {
  SentenceRequest sentence;
  uint64_t top = 10;
  std::vector<std::string> of;

  static FieldTable Fields() {
    FieldsOf<NextWordsRequest> fields;
    fields.Part(&NextWordsRequest::sentence);
    AddTop("number of words", &fields);
    AddWords("of", &NextWordsRequest::of,
             "words whose probabilities are returned, instead of the most "
             "probable words; </S> is the end of the sentence",
             &fields);
    return fields;
  }
};

struct NextWord {
  std::string word;
  double probability = 0;

  static AnswerTable Members() {
    return {{"word", &NextWord::word}, {"probability", &NextWord::probability}};
  }
};

struct NextWordsAnswer {
  std::string query;
  std::vector<NextWord> words;
  std::vector<UnknownWord> unknown;

  static AnswerTable Members() {
    return {{"query", &NextWordsAnswer::query, "the beginning of the sentence",
             Listing::kInJson},
            {"words", &NextWordsAnswer::words,
             "most probable words, best first, then <UNK> with the probability "
             "of all words that the model lacks; or the words of the request"},
            {"unknown", &NextWordsAnswer::unknown,
             "words of the request that the model lacks", Listing::kInJson}};
  }
};

absl::StatusOr<NextWordsAnswer> FindNextWords(const Opened& opened,
                                              const NextWordsRequest& request) {
  const std::vector<std::string> tokens = request.sentence.Tokens();
  NextWordsAnswer answer{absl::StrJoin(tokens, " "), {}, {}};
  const OpenedLanguageModel& model = opened.language_model();
  const std::lock_guard<std::mutex> lock(model.mutex);
  FIRTH_ASSIGN_OR_RETURN(const WordDistribution next,
                         model.model.language_model().NextWords(
                             Borrow(tokens), request.top, Borrow(request.of)));
  for (const WordProbability& word : next.words) {
    if (word.unknown) {
      answer.unknown.push_back({word.word, {}});
    } else {
      answer.words.push_back({word.word, word.probability});
    }
  }
  if (request.of.empty()) {
    answer.words.push_back({std::string(kUnknown), next.unknown});
  }
  return answer;
}

struct EmbedRequest {
  SentenceRequest sentence;
  std::string layers = "all";

  static FieldTable Fields() {
    FieldsOf<EmbedRequest> fields;
    fields.Part(&EmbedRequest::sentence);
    fields.Add(
        "layers", &EmbedRequest::layers,
        "layers to return: all, top, average (their mean), or the number of a "
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
  if (layers == "top") {
    mix.shares.back() = 1;
  } else if (layers == "average") {
    mix.shares.assign(count, 1.0 / static_cast<double>(count));
  } else if (absl::SimpleAtoi(layers, &layer) && layer < count) {
    mix.shares[layer] = 1;
  } else {
    return absl::InvalidArgumentError(absl::StrCat(
        "layers: expected all, top, average, or a layer from 0 to ", count - 1,
        ", found ", Quote(layers)));
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

struct TagAnswer {
  std::vector<std::string> words;
  std::vector<std::string> tags;
  std::vector<double> probabilities;
  std::optional<std::vector<TagSpan>> spans;

  static AnswerTable Members() {
    return {{"words", &TagAnswer::words, "the tokens of the sentence"},
            {"tags", &TagAnswer::tags, "one per token"},
            {"probabilities", &TagAnswer::probabilities,
             "probability of each tag; with a CRF or a hidden Markov model, "
             "over all "
             "tag sequences"},
            {"spans", &TagAnswer::spans,
             "spans marked by tags of the form B-NP; null if the model has no "
             "such tags"}};
  }
};

absl::StatusOr<std::vector<TagAnswer>> TagAll(
    const Opened& opened, absl::Span<const SentenceRequest> requests) {
  std::vector<TaggedSentence> sentences(requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    sentences[i].tokens = requests[i].Tokens();
  }
  const OpenedTagger& model = opened.tagger();
  const std::lock_guard<std::mutex> lock(model.mutex);
  FIRTH_RETURN_IF_ERROR(model.tagger.Tag(
      absl::MakeSpan(sentences), {.probabilities = true}, opened.hooks()));
  const bool has_spans = MarkSpans(model.tagger.tags());
  std::vector<TagAnswer> answers;
  for (TaggedSentence& sentence : sentences) {
    std::optional<std::vector<TagSpan>> spans;
    if (has_spans) spans = SpansOf(sentence.predicted);
    answers.push_back({std::move(sentence.tokens),
                       std::move(sentence.predicted),
                       std::move(sentence.probabilities), std::move(spans)});
  }
  return answers;
}

}  // namespace

Question LmScoreQuestion() {
  return MakeQuestion<SentenceRequest, ScoreAnswer>(
      {.name = "lm-score",
       .summary = "compute the log probability of sentences",
       .description =
           "Computes ln p of a sentence. p is the product of the probabilities "
           "of its words and of its end, each given the words before it. "
           "Unknown words count as <UNK>, and only the forward direction is "
           "used.",
       .slots = {ModelSlot(ModelKind::kLanguageModel)},
       .example = R"({"text":"the king spoke"})",
       .command = "lm score",
       .lane = Lane::kStream},
      &Score, &SentenceRequest::Size);
}

Question LmNextQuestion() {
  return MakeQuestion<NextRequest, NextAnswer>(
      {.name = "lm-next",
       .summary = "estimate whether one sentence follows another",
       .description =
           "Computes the probability that the second sentence of a pair "
           "follows the first one in a text, as in BERT (Devlin et al. 2019). "
           "The model must be trained by \"firth lm train --next-sentence\", "
           "or be an imported BERT model with a next-sentence head.\n\n"
           "  firth lm import bert-base-uncased --output bert.safetensors\n"
           "  firth lm next bert.safetensors \"he went to the store .\" \\\n"
           "    \"he bought milk .\"\n"
           "  firth lm next bert.safetensors <pairs.tsv",
       .slots = {ModelSlot(ModelKind::kLanguageModel)},
       .example = R"({"first":"the king spoke","second":"a queen spoke"})",
       .arguments = {"first", "second"},
       .takes_texts = true,
       .command = "lm next",
       .lane = Lane::kSlow},
      &Estimate, [](const Opened&, const NextRequest& request) {
        // Computing a token costs more than writing the answer.
        return (request.first.size() + request.second.size()) * uint64_t{128};
      });
}

Question NextWordsQuestion() {
  return MakeQuestion<NextWordsRequest, NextWordsAnswer>(
      {.name = "next-words",
       .summary = "predict the next word of a sentence",
       .description =
           "Finds the most probable words after the beginning of a sentence, "
           "with their probabilities, or the probabilities of given words. The "
           "end of the sentence is the word </S>. A masked model, which reads "
           "both sides of a word, predicts the last word of the sentence.\n\n"
           "  firth lm next-words lm.safetensors \"the bank of\"\n"
           "  firth lm next-words lm.safetensors \"the bank of\" --of "
           "england,clay",
       .slots = {ModelSlot(ModelKind::kLanguageModel)},
       .example = R"({"text":"the king","top":3})",
       .arguments = {"text"},
       .takes_texts = true,
       .command = "lm next-words",
       .lane = Lane::kSlow},
      &FindNextWords, [](const Opened&, const NextWordsRequest& request) {
        return (request.sentence.Tokens().size() * (1 + request.of.size()) +
                1) *
                   uint64_t{512} +
               request.top * kScoredWordBytes;
      });
}

Question LmFillQuestion() {
  return MakeQuestion<FillRequest, FillAnswer>(
      {.name = "lm-fill",
       .summary = "predict the hidden words of a sentence",
       .description =
           "Finds the most probable words for each <MASK> of a sentence, with "
           "their probabilities. Each mask is filled independently. The model "
           "must be trained by \"firth lm train --predict masked\", or "
           "imported from a BERT model.\n\n"
           "  firth lm fill masked.safetensors \"the <MASK> of the river\"",
       .slots = {ModelSlot(ModelKind::kLanguageModel)},
       .example = R"({"words":["the","<MASK>","spoke"],"top":3})",
       .arguments = {"words"},
       .command = "lm fill",
       .lane = Lane::kSlow},
      &Fill, [](const Opened&, const FillRequest& request) {
        return request.words.size() *
               (request.top * kScoredWordBytes + uint64_t{512});
      });
}

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

Question TagQuestion() {
  return MakeQuestion<SentenceRequest, TagAnswer>(
      {.name = "tag",
       .summary = "tag the tokens of sentences",
       .description =
           "Predicts a tag for each token of a sentence, with its probability. "
           "If tags are of the form B-NP, the answer also has the spans that "
           "they mark.",
       .slots = {ModelSlot(ModelKind::kTagger)},
       .example = R"({"text":"the king spoke"})",
       .command = "tag apply",
       .lane = Lane::kStream},
      &TagAll, &SentenceRequest::Size);
}

}  // namespace firth
