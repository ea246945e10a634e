// Predicts the labels of texts.

#include <algorithm>
#include <string>
#include <vector>

#include "ask/question.h"
#include "ask/words.h"
#include "firth/classifier.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

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
    fields
        .Add("threshold", &ClassifyRequest::threshold,
             "allow only labels with at least this probability, instead of "
             "using the thresholds estimated in training")
        .Range(0, 1)
        .Automatic(kAutomatic, "")
        .Everyday();
    fields
        .Add("threads", &ClassifyRequest::threads,
             "number of threads; 0 means all cores")
        .Range(0, kMostThreads)
        .Work()
        .Unlisted();
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
