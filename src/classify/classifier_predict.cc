// Labels texts, using all threads, and selects the labels to return.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/parallel_exceptions.h"
#include "base/threads.h"
#include "classify/classifier_body.h"
#include "classify/text_context.h"
#include "classify/text_scorer.h"
#include "firth/classifier.h"
#include "firth/fields.h"
#include "firth/status_macros.h"

namespace firth {
namespace {

// Number of texts that a thread scores at a time.
constexpr int kScoredTexts = 16;
// Number of labels of a text for which space is reserved at once.
constexpr size_t kRoomOfLabels = 32;

absl::Status CheckPrediction(const PredictOptions& options) {
  if (options.threads < 0 || options.threads > kMostThreads) {
    return absl::InvalidArgumentError(absl::StrCat(
        "threads: must be 0 to ", kMostThreads, ", found ", options.threads));
  }
  if (!options.threshold.has_value() ||
      (*options.threshold >= 0 && *options.threshold <= 1)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("threshold: must be 0 to 1, found ", *options.threshold));
}

// Returns the minimum probability of a label that is predicted.
double LeastOf(const ClassifierModel& model, size_t label,
               const PredictOptions& options) {
  if (options.threshold.has_value()) return *options.threshold;
  if (!model.several_labels) return 0;
  return model.thresholds.empty()
             ? 0.5
             : static_cast<double>(model.thresholds[label]);
}

// Returns whether the labels to return can be found in a tree without visiting
// all labels.
bool SearchesTree(const ClassifierModel& model, const PredictOptions& options) {
  const bool one_least =
      options.threshold.has_value() || model.thresholds.empty();
  const bool some = (options.top > 0 && options.top < model.labels.size()) ||
                    LeastOf(model, 0, options) > 0;
  return model.link == LabelLink::kTree && one_least && some;
}

std::vector<LabelProbability> Chosen(const ClassifierModel& model,
                                     absl::Span<const float> probabilities,
                                     const PredictOptions& options) {
  std::vector<LabelProbability> chosen;
  // Space for all labels would be too much if there are thousands of labels and
  // most texts have one.
  chosen.reserve(std::min(probabilities.size(), kRoomOfLabels));
  for (size_t label = 0; label < probabilities.size(); ++label) {
    const float probability = probabilities[label];
    if (static_cast<double>(probability) >= LeastOf(model, label, options)) {
      chosen.push_back({label, probability});
    }
  }
  const size_t count =
      options.top == 0 ? chosen.size() : std::min(options.top, chosen.size());
  std::partial_sort(
      chosen.begin(), chosen.begin() + static_cast<ptrdiff_t>(count),
      chosen.end(), [](const auto& a, const auto& b) {
        return a.probability != b.probability ? a.probability > b.probability
                                              : a.label < b.label;
      });
  chosen.resize(count);
  return chosen;
}

// Calls visit(text, its context, scorer) for each text, from any thread.
template <class Visit>
absl::Status VisitTexts(const ClassifierModel& model, const LabelTree* tree,
                        absl::Span<const float> prior,
                        absl::Span<const absl::string_view> texts,
                        const Matrix<float>& context, int threads,
                        const Hooks& hooks, const Visit& visit) {
  const int most = static_cast<int>(
      std::min<size_t>(65536, texts.size() / kScoredTexts + 1));
  ParallelExceptions exceptions;
#pragma omp parallel num_threads(std::min(NumThreads(threads), most))
  exceptions.Catch([&] {
    TextScorer scorer(model, tree, prior);
#pragma omp for schedule(dynamic, kScoredTexts) nowait
    for (size_t i = 0; i < texts.size(); ++i) {
      if (hooks.StopRequested()) continue;
      visit(i, context.rows() > 0 ? context.Row(i) : nullptr, scorer);
    }
  });
  exceptions.Rethrow();
  if (hooks.StopRequested()) return absl::CancelledError("stopped");
  return absl::OkStatus();
}

absl::Status ReadContextOf(const ClassifierModel& model,
                           Contextualizer* contextualizer, std::mutex& mutex,
                           absl::Span<const absl::string_view> texts,
                           int threads, const Hooks& hooks,
                           Matrix<float>* context) {
  if (contextualizer == nullptr) return absl::OkStatus();
  const std::lock_guard<std::mutex> lock(mutex);
  return ReadContext(texts, model.features.options(), threads, hooks,
                     contextualizer, context);
}

}  // namespace

absl::StatusOr<std::vector<std::vector<LabelProbability>>> Classifier::Predict(
    absl::Span<const absl::string_view> texts, const PredictOptions& options,
    const Hooks& hooks, std::vector<uint64_t>* known) const {
  FIRTH_RETURN_IF_ERROR(CheckPrediction(options));
  const ClassifierModel& model = body_->model;
  Matrix<float> context;
  FIRTH_RETURN_IF_ERROR(ReadContextOf(model, body_->contextualizer.get(),
                                      body_->contextualizer_mutex, texts,
                                      options.threads, hooks, &context));
  const bool searches = SearchesTree(model, options);
  const size_t most = options.top == 0 ? model.labels.size() : options.top;
  const double least = searches ? LeastOf(model, 0, options) : 0;
  std::vector<std::vector<LabelProbability>> results(texts.size());
  if (known != nullptr) known->assign(texts.size(), 0);
  FIRTH_RETURN_IF_ERROR(VisitTexts(
      model, body_->label_tree(), body_->prior, texts, context, options.threads,
      hooks, [&](size_t text, const float* its_context, TextScorer& scorer) {
        if (searches) {
          scorer.FindMostProbable(texts[text], its_context, most, least,
                                  &results[text]);
        } else {
          results[text] =
              Chosen(model, scorer.Score(texts[text], its_context), options);
        }
        if (known != nullptr) (*known)[text] = scorer.known();
      }));
  return results;
}

absl::Status Classifier::CountKnown(absl::Span<const absl::string_view> texts,
                                    absl::Span<uint64_t> known, int threads,
                                    const Hooks& hooks) const {
  if (known.size() != texts.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("known: needs room for ", texts.size(), " numbers, found ",
                     known.size()));
  }
  FIRTH_RETURN_IF_ERROR(
      CheckPrediction({.threshold = std::nullopt, .threads = threads}));
  const bool has_context = body_->contextualizer != nullptr;
  return VisitTexts(body_->model, body_->label_tree(), body_->prior, texts, {},
                    threads, hooks,
                    [&](size_t text, const float*, TextScorer& scorer) {
                      known[text] = scorer.CountKnown(texts[text], has_context);
                    });
}

absl::Status Classifier::Probabilities(
    absl::Span<const absl::string_view> texts, absl::Span<float> probabilities,
    int threads, const Hooks& hooks) const {
  const ClassifierModel& model = body_->model;
  const size_t labels = model.labels.size();
  if (probabilities.size() != texts.size() * labels) {
    return absl::InvalidArgumentError(absl::StrCat(
        "probabilities: needs room for ", texts.size(), " texts with ", labels,
        " labels each, found ", probabilities.size()));
  }
  FIRTH_RETURN_IF_ERROR(
      CheckPrediction({.threshold = std::nullopt, .threads = threads}));
  Matrix<float> context;
  FIRTH_RETURN_IF_ERROR(ReadContextOf(model, body_->contextualizer.get(),
                                      body_->contextualizer_mutex, texts,
                                      threads, hooks, &context));
  return VisitTexts(
      model, body_->label_tree(), body_->prior, texts, context, threads, hooks,
      [&](size_t text, const float* its_context, TextScorer& scorer) {
        const absl::Span<const float> row =
            scorer.Score(texts[text], its_context);
        std::copy(
            row.begin(), row.end(),
            probabilities.begin() + static_cast<ptrdiff_t>(text * labels));
      });
}

}  // namespace firth
