// Questions about texts: for vectors their vectors and the similarity of pairs,
// and for classifiers their labels.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "ask/question.h"
#include "ask/words.h"
#include "firth/classifier.h"
#include "firth/sentence_vectors.h"
#include "firth/status_macros.h"
#include "firth/text_similarity.h"

namespace firth {
namespace {

struct SentenceVectorRequest {
  std::string text;
  SentenceOptions options;

  static FieldTable Fields() {
    FieldsOf<SentenceVectorRequest> fields;
    fields.Add("text", &SentenceVectorRequest::text, "text to encode");
    fields.Part(&SentenceVectorRequest::options);
    return fields;
  }
};

struct SentenceVectorAnswer {
  uint64_t words = 0;
  std::optional<std::vector<float>> vector;

  static AnswerTable Members() {
    return {{"words", &SentenceVectorAnswer::words,
             "number of words, or of word pieces, that have a vector",
             Listing::kInJson},
            {"vector", &SentenceVectorAnswer::vector,
             "vector of the text, or null if no word has a vector"}};
  }
};

absl::StatusOr<SentenceEncoder> MakeEncoder(const Opened& opened,
                                            const SentenceOptions& options) {
  return SentenceEncoder::Create(opened.vectors().vectors(), options);
}

absl::StatusOr<SentenceVectorAnswer> Encode(
    const Opened&, const SentenceEncoder& encoder,
    const SentenceVectorRequest& request) {
  std::vector<float> vector(encoder.dim());
  SentenceVectorAnswer answer;
  FIRTH_ASSIGN_OR_RETURN(answer.words,
                         encoder.Encode(request.text, absl::MakeSpan(vector)));
  if (answer.words > 0) answer.vector = std::move(vector);
  return answer;
}

struct TextSimilarityRequest {
  std::string a, b;
  TextSimilarityOptions options;

  static FieldTable Fields() {
    FieldsOf<TextSimilarityRequest> fields;
    fields.Add("a", &TextSimilarityRequest::a, "the first text");
    fields.Add("b", &TextSimilarityRequest::b, "the second text");
    fields.Part(&TextSimilarityRequest::options);
    return fields;
  }
};

struct TextSimilarityAnswer {
  std::vector<std::string> texts;
  std::optional<double> value;

  static AnswerTable Members() {
    return {{"texts", &TextSimilarityAnswer::texts, "texts of the request",
             Listing::kInJson},
            {"value", &TextSimilarityAnswer::value,
             "similarity or distance, depending on the measure; null if a text "
             "has no word with a vector"}};
  }
};

absl::StatusOr<TextComparer> MakeComparer(
    const Opened& opened, const TextSimilarityOptions& options) {
  return TextComparer::Create(opened.vectors().vectors(), options);
}

absl::StatusOr<TextSimilarityAnswer> CompareTexts(
    const Opened&, const TextComparer& comparer,
    const TextSimilarityRequest& request) {
  const absl::StatusOr<double> value =
      comparer.CompareTexts(request.a, request.b);
  if (!value.ok() && !absl::IsNotFound(value.status())) return value.status();
  TextSimilarityAnswer answer{{request.a, request.b}, {}};
  if (value.ok()) answer.value = *value;
  return answer;
}

constexpr int kAutomatic = -1;

struct ClassifyRequest {
  std::string text;
  int top = kAutomatic;
  double threshold = kAutomatic;
  int threads = 0;

  static FieldTable Fields() {
    FieldsOf<ClassifyRequest> fields;
    fields.Add("text", &ClassifyRequest::text, "text to classify");
    fields
        .Add("top", &ClassifyRequest::top,
             "maximum number of labels per text; 0 means all that reach the "
             "threshold")
        .Range(0, 1e9)
        .Automatic(kAutomatic, "1, or 0 if texts have several labels")
        .Everyday();
    fields.Add("threshold", &ClassifyRequest::threshold,
               "allow only labels with at least this probability, instead of "
               "using the thresholds estimated in training",
               Field().Range(0, 1).Automatic(kAutomatic, "").Everyday());
    fields.Add("threads", &ClassifyRequest::threads,
               "number of threads; 0 means all cores",
               Field().Range(0, kMostThreads).Work().Unlisted());
    return fields;
  }
};

struct LabelAnswer {
  std::string label;
  float probability = 0;

  static AnswerTable Members() {
    return {{"label", &LabelAnswer::label},
            {"probability", &LabelAnswer::probability}};
  }
};

struct ClassifyAnswer {
  std::vector<LabelAnswer> labels;
  uint64_t known = 0;

  static AnswerTable Members() {
    return {
        {"labels", &ClassifyAnswer::labels, "most probable first"},
        {"known", &ClassifyAnswer::known,
         "number of words and n-grams of the text that the model has; if 0, "
         "the probabilities are those of the training texts",
         Listing::kInJson}};
  }
};

// Returns the maximum number of labels per text; 0 means all.
size_t MostLabels(const Classifier& classifier,
                  const ClassifyRequest& request) {
  if (request.top != kAutomatic) return static_cast<size_t>(request.top);
  return classifier.has_several_labels() ? 0 : 1;
}

absl::StatusOr<std::vector<ClassifyAnswer>> Predict(
    const Opened& opened, absl::Span<const ClassifyRequest> requests) {
  const Classifier& classifier = opened.classifier();
  PredictOptions options;
  options.top = MostLabels(classifier, requests[0]);
  options.threads = requests[0].threads;
  if (requests[0].threshold >= 0) options.threshold = requests[0].threshold;
  std::vector<absl::string_view> texts;
  for (const ClassifyRequest& request : requests) {
    texts.push_back(request.text);
  }
  std::vector<uint64_t> known;
  FIRTH_ASSIGN_OR_RETURN(
      const auto predicted,
      classifier.Predict(texts, options, opened.hooks(), &known));
  std::vector<ClassifyAnswer> answers(requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    answers[i].known = known[i];
    for (const LabelProbability& label : predicted[i]) {
      answers[i].labels.push_back(
          {classifier.labels()[label.label], label.probability});
    }
  }
  return answers;
}

bool HaveSameOptions(const ClassifyRequest& a, const ClassifyRequest& b) {
  return a.top == b.top && a.threshold == b.threshold && a.threads == b.threads;
}

}  // namespace

Question SentenceVectorsQuestion() {
  return MakeQuestion<SentenceVectorRequest, SentenceVectorAnswer>(
      {.name = "sentence-vectors",
       .summary = "compute one vector per text",
       .description =
           "Computes the mean vector of the words of a text, which are "
           "separated by white space. Two kinds of models compute it "
           "differently: a supervised fastText model also reads n-grams of "
           "words and the end of the line, and a model2vec folder splits words "
           "with its tokenizer.",
       .slots = {VectorsSlot(VectorAccess::kAll)},
       .example = R"({"text":"the king spoke"})",
       .lane = Lane::kStream},
      &MakeEncoder, &Encode,
      [](const Opened& opened, const SentenceVectorRequest&) {
        return opened.vectors().vectors().dim() * kNumberBytes;
      });
}

Question TextSimilarityQuestion() {
  return MakeQuestion<TextSimilarityRequest, TextSimilarityAnswer>(
      {.name = "text-similarity",
       .summary = "measure how similar two texts are",
       .description =
           "Compares two texts by the vectors of their words, which are "
           "separated by white space. Similar texts have a high cosine and a "
           "low distance (wmd, relaxed-wmd). Models that encode whole texts, "
           "such as those of \"firth sentences train\", are compared by the "
           "cosine of the vectors of the texts.\n\n"
           "  firth text-similarity model.safetensors \"the king spoke\" \"the "
           "queen talked\"\n"
           "  firth text-similarity model.safetensors --measure soft-cosine "
           "<pairs.tsv",
       .slots = {VectorsSlot(VectorAccess::kAll)},
       .example = R"({"a":"the king spoke","b":"the queen talked"})",
       .arguments = {"a", "b"},
       .takes_texts = true},
      &MakeComparer, &CompareTexts,
      [](const Opened&, const TextSimilarityRequest& request) {
        // The word mover's distance needs time and memory for each pair of
        // words.
        return request.a.size() * request.b.size() / 64 + request.a.size() +
               request.b.size();
      });
}

Question ClassifyQuestion() {
  return MakeQuestion<ClassifyRequest, ClassifyAnswer>(
      {.name = "classify",
       .summary = "predict the labels of texts",
       .description =
           "Predicts the labels of a text with their probabilities, the most "
           "probable first. If the model has one label per text, the answer "
           "has the most probable label. If it has several, the answer has all "
           "labels that reach the threshold estimated for them in training; "
           "there may be none.",
       .slots = {ModelSlot(ModelKind::kClassifier)},
       .example = R"({"text":"the king spoke","top":2})",
       .command = "classify predict",
       .lane = Lane::kStream},
      &Predict,
      [](const Opened& opened, const ClassifyRequest& request) {
        const size_t all = opened.classifier().labels().size();
        const size_t most = MostLabels(opened.classifier(), request);
        return (most == 0 ? all : std::min(all, most)) * kScoredWordBytes +
               request.text.size();
      },
      &HaveSameOptions);
}

}  // namespace firth
