// The public class: opening, saving, labeling texts with all threads, and the
// weights of n-grams.

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/mapped_file.h"
#include "base/parallel_exceptions.h"
#include "base/quote.h"
#include "base/threads.h"
#include "classify/classifier_body.h"
#include "classify/model/classifier_file.h"
#include "classify/model/feature_weights.h"
#include "classify/model/quantize_model.h"
#include "classify/model/text_context.h"
#include "classify/model/text_scorer.h"
#include "firth/classifier.h"
#include "firth/fields.h"
#include "firth/status_macros.h"
#include "io/formats/fasttext_parts.h"
#include "io/tensors/safetensors_header.h"
#include "lm/read/network_model.h"

namespace firth {
namespace {

absl::StatusOr<ClassifierModel> LoadModel(const MappedFilePtr& file) {
  const bool is_fasttext = StartsLikeFasttext(file->bytes()) &&
                           !StartsLikeSafetensors(file->bytes());
  return is_fasttext ? LoadFasttextClassifier(file) : LoadClassifierModel(file);
}

std::string BytesAndSum(uint64_t bytes, uint64_t checksum) {
  return absl::StrCat(bytes, " bytes and checksum ", HexChecksum(checksum));
}

// Checks the file given for a model that reads a contextualizer. Errors:
// InvalidArgument, not the file that the model was trained with.
absl::Status CheckGiven(const ClassifierModel& model, const MappedFile& file,
                        const std::string& model_path) {
  const std::string expected =
      BytesAndSum(model.contextualizer_size, model.contextualizer_checksum);
  const std::string found = BytesAndSum(file.size(), Checksum(file.bytes(), 0));
  if (found == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      file.path(), ": this is not the file that ", model_path,
      " was trained with: expected ", expected, ", found ", found));
}

// Returns the file of the contextualizer that the model reads, or null if it
// reads none.
absl::StatusOr<MappedFilePtr> FindContextualizer(const ClassifierModel& model,
                                                 const std::string& model_path,
                                                 const std::string& path) {
  if (model.tuned_contextualizer != nullptr && path.empty()) {
    return model.tuned_contextualizer;
  }
  if (model.tuned_contextualizer != nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(model_path,
                     ": this classifier contains the contextualizer that it "
                     "tuned; omit --contextualizer ",
                     path));
  }
  if (model.contextualizer_name.empty() && path.empty()) return nullptr;
  if (model.contextualizer_name.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(model_path,
                     ": this classifier was trained without a contextualizer; "
                     "omit --contextualizer ",
                     path));
  }
  if (path.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        model_path,
        ": this classifier needs --contextualizer FILE. The file that it was "
        "trained with was named ",
        Quote(model.contextualizer_name), " and has ",
        BytesAndSum(model.contextualizer_size, model.contextualizer_checksum)));
  }
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  FIRTH_RETURN_IF_ERROR(CheckGiven(model, *file, model_path));
  return file;
}

// Returns null if the model reads none. Errors: those of FindContextualizer()
// and of loading; DataLoss, a contextualizer whose states do not match the
// model.
absl::StatusOr<std::unique_ptr<Contextualizer>> LoadContextualizerOf(
    const ClassifierModel& model, const std::string& model_path,
    const std::string& path) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file,
                         FindContextualizer(model, model_path, path));
  if (file == nullptr) return nullptr;
  FIRTH_ASSIGN_OR_RETURN(Contextualizer contextualizer,
                         LoadContextualizer(file));
  const size_t states = contextualizer.num_layers() * contextualizer.dim();
  if (states == model.context_mean.size()) {
    return std::make_unique<Contextualizer>(std::move(contextualizer));
  }
  return absl::DataLossError(absl::StrCat(
      model_path, ": expected a contextualizer of ", model.context_mean.size(),
      " values in all layers, as in \"context_mean\", found ", states));
}

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

// Calls visit(text, its context, scorer) for each text, from any thread. `body`
// is a Classifier::Body.
template <class Visit>
absl::Status VisitTexts(const auto& body,
                        absl::Span<const absl::string_view> texts,
                        const Matrix<float>& context, int threads,
                        const Hooks& hooks, const Visit& visit) {
  const int most = static_cast<int>(
      std::min<size_t>(65536, texts.size() / kScoredTexts + 1));
  ParallelExceptions exceptions;
#pragma omp parallel num_threads(std::min(NumThreads(threads), most))
  exceptions.Catch([&] {
    TextScorer scorer(body.model, body.label_tree(), body.prior);
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

// Does the same after reading the contexts of the texts.
template <class Visit>
absl::Status VisitInContext(const auto& body,
                            absl::Span<const absl::string_view> texts,
                            int threads, const Hooks& hooks,
                            const Visit& visit) {
  Matrix<float> context;
  if (body.contextualizer != nullptr) {
    const std::lock_guard<std::mutex> lock(body.contextualizer_mutex);
    FIRTH_RETURN_IF_ERROR(ReadContext(texts, body.model.features.options(),
                                      threads, hooks, body.contextualizer.get(),
                                      &context));
  }
  return VisitTexts(body, texts, context, threads, hooks, visit);
}

}  // namespace

Classifier::Classifier(std::shared_ptr<const Body> body)
    : body_(std::move(body)) {}
Classifier::~Classifier() = default;
Classifier::Classifier(Classifier&&) noexcept = default;
Classifier& Classifier::operator=(Classifier&&) noexcept = default;

const ClassifierOptions& Classifier::options() const {
  return body_->model.options;
}

const std::vector<std::string>& Classifier::labels() const {
  return body_->model.labels;
}

bool Classifier::has_several_labels() const {
  return body_->model.several_labels;
}

absl::StatusOr<std::vector<std::vector<LabelProbability>>> Classifier::Predict(
    absl::Span<const absl::string_view> texts, const PredictOptions& options,
    const Hooks& hooks, std::vector<uint64_t>* known) const {
  FIRTH_RETURN_IF_ERROR(CheckPrediction(options));
  const ClassifierModel& model = body_->model;
  const bool searches = SearchesTree(model, options);
  const size_t most = options.top == 0 ? model.labels.size() : options.top;
  const double least = searches ? LeastOf(model, 0, options) : 0;
  std::vector<std::vector<LabelProbability>> results(texts.size());
  if (known != nullptr) known->assign(texts.size(), 0);
  FIRTH_RETURN_IF_ERROR(VisitInContext(
      *body_, texts, options.threads, hooks,
      [&](size_t text, const float* its_context, TextScorer& scorer) {
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
  return VisitTexts(*body_, texts, {}, threads, hooks,
                    [&](size_t text, const float*, TextScorer& scorer) {
                      known[text] = scorer.CountKnown(texts[text], has_context);
                    });
}

absl::Status Classifier::Probabilities(
    absl::Span<const absl::string_view> texts, absl::Span<float> probabilities,
    int threads, const Hooks& hooks) const {
  const size_t labels = body_->model.labels.size();
  if (probabilities.size() != texts.size() * labels) {
    return absl::InvalidArgumentError(absl::StrCat(
        "probabilities: needs room for ", texts.size(), " texts with ", labels,
        " labels each, found ", probabilities.size()));
  }
  FIRTH_RETURN_IF_ERROR(
      CheckPrediction({.threshold = std::nullopt, .threads = threads}));
  return VisitInContext(
      *body_, texts, threads, hooks,
      [&](size_t text, const float* its_context, TextScorer& scorer) {
        const absl::Span<const float> row =
            scorer.Score(texts[text], its_context);
        std::copy(
            row.begin(), row.end(),
            probabilities.begin() + static_cast<ptrdiff_t>(text * labels));
      });
}

absl::StatusOr<Classifier> Classifier::Load(const std::string& path,
                                            const std::string& contextualizer) {
  FIRTH_ASSIGN_OR_RETURN(const MappedFilePtr file, MappedFile::Open(path));
  FIRTH_ASSIGN_OR_RETURN(ClassifierModel model, LoadModel(file));
  FIRTH_ASSIGN_OR_RETURN(auto reader,
                         LoadContextualizerOf(model, path, contextualizer));
  return Classifier(
      std::make_shared<const Body>(std::move(model), std::move(reader)));
}

absl::Status Classifier::Save(const std::string& path) const {
  return absl::EndsWith(path, ".bin")
             ? SaveFasttextClassifier(body_->model, path)
             : SaveClassifierModel(body_->model, path);
}

uint64_t Classifier::FileBytes() const {
  return ClassifierFileBytes(body_->model);
}

std::vector<NgramWeight> Classifier::Explain(absl::string_view text,
                                             size_t label, size_t count) const {
  return ExplainText(body_->model, body_->label_tree(), text, label, count);
}

std::vector<NgramWeight> Classifier::Strongest(size_t label,
                                               size_t count) const {
  std::vector<NgramWeight> strongest;
  firth::VisitStrongest(body_->model, body_->label_tree(), label, label + 1,
                        count, [&](size_t, std::vector<NgramWeight> ngrams) {
                          strongest = std::move(ngrams);
                        });
  return strongest;
}

void Classifier::VisitStrongest(
    size_t count,
    absl::FunctionRef<void(size_t label, std::vector<NgramWeight> ngrams)>
        visit) const {
  firth::VisitStrongest(body_->model, body_->label_tree(), 0,
                        body_->model.labels.size(), count, visit);
}

absl::StatusOr<Classifier> QuantizeClassifier(
    const Classifier& classifier, absl::Span<const LabelledText> train,
    const QuantizeClassifierOptions& options, const Hooks& hooks) {
  const ClassifierModel& whole = classifier.body_->model;
  if (!whole.contextualizer_name.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("this classifier reads the contextualizer ",
                     Quote(whole.contextualizer_name),
                     ", whose file cannot be made smaller; only classifiers "
                     "without one can"));
  }
  FIRTH_ASSIGN_OR_RETURN(ClassifierModel small,
                         QuantizeModel(whole, train, options, hooks));
  return Classifier(std::make_shared<const Classifier::Body>(std::move(small)));
}

}  // namespace firth
