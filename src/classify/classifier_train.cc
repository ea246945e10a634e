// Trains a classifier as users call it: chooses what is automatic, converts
// texts to features, and trains on them in a run.

#include "firth/classifier.h"

#include <chrono>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/checksum.h"
#include "base/mapped_file.h"
#include "base/memory_info.h"
#include "classify/classifier_body.h"
#include "classify/model/text_context.h"
#include "classify/train/classifier_learner.h"
#include "classify/train/training_plan.h"
#include "firth/status_macros.h"
#include "firth/thousands.h"
#include "firth/vector_io.h"
#include "io/formats/vector_format.h"
#include "lm/read/network_model.h"
#include "run/run.h"
#include "vectors/sentence_form.h"
#include "vectors/word_bag_encoder.h"

namespace firth {
namespace {

// With more labels than this, a tree is trained, because the time of the other
// losses grows with the number of labels.
constexpr size_t kMostFlatLabels = 10'000;

// With the wide part, more dimensions do not help.
constexpr uint64_t kUsualDim = 16;

constexpr double kUsualRate = 0.5;

std::string SumOf(absl::Span<const LabelledText> texts) {
  uint64_t sum = texts.size();
  for (const LabelledText& text : texts) {
    for (const std::string& label : text.labels) sum = Checksum(label, sum);
    sum = Checksum(text.text, sum + 1);
  }
  return HexChecksum(sum);
}

absl::StatusOr<LabelLoss> ChosenLoss(const ClassifierOptions& options,
                                     const LabelSet& labels) {
  if (std::holds_alternative<SoftmaxLabelLoss>(options.loss) &&
      labels.several) {
    size_t text = 0;
    while (labels.texts.Of(text).size() < 2) ++text;
    return absl::InvalidArgumentError(absl::StrCat(
        "text ", text + 1, ": loss softmax requires exactly one label, found ",
        labels.texts.Of(text).size(),
        "; use loss ova for texts with several labels"));
  }
  if (!std::holds_alternative<AutomaticLabelLoss>(options.loss)) {
    return options.loss;
  }
  if (labels.names.size() > kMostFlatLabels &&
      options.parts != ClassifierParts::kWide) {
    return TreeLabelLoss();
  }
  if (labels.several) return OneVsAllLoss();
  return SoftmaxLabelLoss();
}

// Sets all automatic options except epochs.
absl::Status Choose(const LabelSet& labels, const WordVectors* vectors,
                    ClassifierOptions* options) {
  FIRTH_ASSIGN_OR_RETURN(options->loss, ChosenLoss(*options, labels));
  if (IsDeepLoss(options->loss)) options->parts = ClassifierParts::kDeep;
  if (vectors != nullptr) {
    if (options->dim != 0 && options->dim != vectors->dim()) {
      return absl::InvalidArgumentError(
          absl::StrCat("dim: must be ", vectors->dim(),
                       ", as in the vectors, found ", options->dim));
    }
    options->dim = vectors->dim();
  }
  if (options->dim == 0) options->dim = kUsualDim;
  if (options->learning_rate == 0) {
    options->learning_rate = kUsualRate;
  }
  if (options->l2 == 0) {
    options->l2 = 1 / static_cast<double>(labels.texts.size());
  }
  return absl::OkStatus();
}

absl::Status CheckMemory(const ClassifierTask& task, const Hooks& hooks) {
  const size_t labels = task.labels.names.size();
  MemoryEstimate estimate;
  estimate.tables = TrainingBytes(
      task.options, task.index.rows(), task.train.bags.features.size(),
      task.train.bags.size(), labels, task.train.context.cols());
  estimate.peak = ResidentMemoryBytes() + estimate.tables;
  if (hooks.progress != nullptr) hooks.progress->OnMemory(estimate);
  const uint64_t available = AvailableMemoryBytes();
  if (estimate.tables <= available) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "a classifier of ", Thousands(task.index.rows()), " features and ",
      Thousands(labels), " labels needs ", Thousands(estimate.tables),
      " bytes to train, but only ", Thousands(available),
      " are available. Use fewer features (min-count, word-ngrams, max-n) or "
      "parts deep, which has no weight per feature and label"));
}

std::vector<absl::string_view> ViewsOf(absl::Span<const LabelledText> texts) {
  std::vector<absl::string_view> views;
  views.reserve(texts.size());
  for (const LabelledText& text : texts) views.push_back(text.text);
  return views;
}

// The opened files from which a classifier starts; each may be absent.
struct ClassifierFiles {
  std::optional<WordVectors> vectors;
  SentenceForm form;  // Form of the texts of a sentence model.
  std::unique_ptr<Contextualizer> contextualizer;
};

absl::StatusOr<std::string> SumOfFile(const std::string& path,
                                      ClassifierModel* model) {
  if (path.empty()) return std::string();
  FIRTH_ASSIGN_OR_RETURN(const auto file,
                         MappedFile::Open(FileOfVectors(path)));
  const uint64_t sum = Checksum(file->bytes(), 0);
  if (model != nullptr) {
    model->contextualizer_name =
        std::filesystem::path(path).filename().string();
    model->contextualizer_size = file->size();
    model->contextualizer_checksum = sum;
  }
  return HexChecksum(sum);
}

absl::StatusOr<ClassifierFiles> LoadFiles(const ClassifierInputs& inputs,
                                          const ClassifierOptions& options,
                                          const Hooks& hooks) {
  ClassifierFiles files;
  if (options.tune_contextualizer && inputs.contextualizer.empty()) {
    return absl::InvalidArgumentError(
        "tune-contextualizer: requires a contextualizer");
  }
  if (inputs.vectors.empty() && inputs.contextualizer.empty()) return files;
  if (options.parts == ClassifierParts::kWide) {
    return absl::InvalidArgumentError(
        "parts: the wide part does not use vectors or a contextualizer; use "
        "deep or both");
  }
  if (!inputs.vectors.empty()) {
    FIRTH_ASSIGN_OR_RETURN(
        VectorFile file,
        LoadVectorFile(inputs.vectors, {.only_vectors = true, .hooks = hooks}));
    const auto form = file.metadata.find(std::string(kSentencesKey));
    if (form != file.metadata.end()) {
      FIRTH_ASSIGN_OR_RETURN(files.form,
                             ReadSentenceForm(form->second, inputs.vectors));
    }
    files.vectors = std::move(file.vectors);
  }
  if (!inputs.contextualizer.empty()) {
    FIRTH_ASSIGN_OR_RETURN(Contextualizer contextualizer,
                           LoadContextualizer(inputs.contextualizer));
    files.contextualizer =
        std::make_unique<Contextualizer>(std::move(contextualizer));
  }
  return files;
}

absl::Status ReadTexts(absl::Span<const LabelledText> texts,
                       const FeatureIndex& index, const Hooks& hooks,
                       FeatureBags* bags) {
  FeatureIndex::Reader reader(index);
  for (const LabelledText& text : texts) {
    if (hooks.StopRequested()) return absl::CancelledError("stopped");
    const auto features = reader.Read(text.text);
    bags->Add(features, reader.tokens());
  }
  return absl::OkStatus();
}

void TellSizes(const ClassifierTask& task, ClassifierReport* report) {
  report->texts = task.train.bags.size();
  for (const uint32_t tokens : task.train.bags.tokens) report->words += tokens;
  report->labels = task.labels.names.size();
  report->features = task.index.rows();
  const uint64_t labels = report->labels;
  if (HasWide(task.options)) report->parameters += report->features * labels;
  if (HasDeep(task.options)) {
    report->parameters +=
        report->features * task.options.dim +
        labels * (task.options.dim + task.train.context.cols());
  }
  if (task.tuned != nullptr) report->parameters += task.tuned->num_parameters();
}

absl::Status TrainModel(const ClassifierTask& task, const Hooks& hooks,
                        const Checkpointing& checkpointing,
                        ClassifierReport* report, ClassifierModel* model) {
  FIRTH_RETURN_IF_ERROR(CheckMemory(task, hooks));
  ClassifierLearner learner(task, report);
  const RunOptions options{.hooks = hooks,
                           .checkpointing = checkpointing,
                           .patience = task.options.patience};
  FIRTH_ASSIGN_OR_RETURN(const RunReport run, Run(learner, options).Drive());
  FIRTH_RETURN_IF_ERROR(learner.Finish(model));
  report->best_epoch = run.best;
  report->interrupted = model->interrupted = run.interrupted;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Classifier> Classifier::Train(
    absl::Span<const LabelledText> train, absl::Span<const LabelledText> valid,
    const ClassifierInputs& inputs, const ClassifierOptions& options,
    const Hooks& hooks, ClassifierReport* report,
    const Checkpointing& checkpointing) {
  const auto start = std::chrono::steady_clock::now();
  FIRTH_RETURN_IF_ERROR(options.Validate());
  Checkpointing reserved = checkpointing;
  FIRTH_RETURN_IF_ERROR(ReserveCheckpoints(&reserved));
  FIRTH_ASSIGN_OR_RETURN(const LabelSet labels, NumberLabels(train));
  FIRTH_RETURN_IF_ERROR(CheckLabelsAmong(
      labels.names, valid, "the texts to measure on", "the training texts"));
  FIRTH_ASSIGN_OR_RETURN(ClassifierFiles files,
                         LoadFiles(inputs, options, hooks));
  const WordVectors* const vectors =
      files.vectors.has_value() ? &*files.vectors : nullptr;
  ClassifierModel model;
  model.options = options;
  // The words of a sentence model are found in texts of its form.
  model.options.lowercase |= files.form.lowercase;
  model.options.split_punctuation |= files.form.split_punctuation;
  FIRTH_RETURN_IF_ERROR(Choose(labels, vectors, &model.options));
  std::vector<absl::string_view> words;
  for (size_t i = 0; vectors != nullptr && i < vectors->size(); ++i) {
    words.push_back(vectors->vocabulary().Word(ToWordId(i)));
  }
  ClassifierTexts train_texts;
  ClassifierTexts valid_texts;
  FIRTH_ASSIGN_OR_RETURN(model.features,
                         FeatureIndex::Build(train, model.options, hooks,
                                             &train_texts.bags, words));
  FIRTH_RETURN_IF_ERROR(
      ReadTexts(valid, model.features, hooks, &valid_texts.bags));
  train_texts.labels = labels.texts;
  valid_texts.labels = LabelsAmong(labels.names, valid);
  if (model.options.epochs == 0) {
    uint64_t tokens = 0;
    for (const uint32_t count : train_texts.bags.tokens) tokens += count;
    model.options.epochs = AutomaticEpochs(model.options, tokens);
  }
  nlohmann::json sources = {{"texts", SumOf(train)}, {"valid", SumOf(valid)}};
  FIRTH_ASSIGN_OR_RETURN(sources["vectors"],
                         SumOfFile(inputs.vectors, nullptr));
  FIRTH_ASSIGN_OR_RETURN(sources["contextualizer"],
                         SumOfFile(inputs.contextualizer, &model));
  if (files.contextualizer != nullptr) {
    for (const auto& [texts, to] :
         {std::pair(train, &train_texts), std::pair(valid, &valid_texts)}) {
      FIRTH_RETURN_IF_ERROR(
          ReadContext(ViewsOf(texts), model.features.options(), options.threads,
                      hooks, files.contextualizer.get(), &to->context));
    }
    FitContextScale(train_texts.context, &model);
    for (Matrix<float>* const context :
         {&train_texts.context, &valid_texts.context}) {
      for (size_t i = 0; i < context->rows(); ++i) {
        ScaleContext(model, context->Row(i));
      }
    }
  }
  std::optional<TunedContext> tuned;
  if (options.tune_contextualizer) {
    tuned.emplace(model, TunedTexts{train, train_texts.context},
                  TunedTexts{valid, valid_texts.context}, hooks,
                  *files.contextualizer);
  }
  *report = {};
  const ClassifierTask task{
      model.options, model.features,
      labels,        train_texts,
      valid_texts,   vectors,
      sources,       tuned.has_value() ? &*tuned : nullptr};
  TellSizes(task, report);
  FIRTH_RETURN_IF_ERROR(TrainModel(task, hooks, reserved, report, &model));
  if (tuned.has_value()) {
    FIRTH_ASSIGN_OR_RETURN(model.tuned_contextualizer, tuned->File());
    FIRTH_ASSIGN_OR_RETURN(*files.contextualizer,
                           LoadContextualizer(model.tuned_contextualizer));
  }
  report->seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return Classifier(std::make_shared<const Body>(
      std::move(model), std::move(files.contextualizer)));
}

}  // namespace firth
