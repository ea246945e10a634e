// The public side of training: options, estimates, and the road from a corpus
// to a model.

#include "firth/train.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/check_range.h"
#include "base/memory_info.h"
#include "base/status_macros.h"
#include "corpus/held_out.h"
#include "corpus/token_stream.h"
#include "model/embedding_model.h"
#include "objective/objective_tables.h"
#include "run/run.h"
#include "train/embedding_learner.h"
#include "train/grown_model.h"
#include "train/initial_vectors.h"
#include "train/memory_estimate.h"
#include "train/model_shape.h"
#include "train/train_views.h"

namespace firth {
namespace {

absl::Status CheckStep(absl::string_view name, double step, double most) {
  if (step > 0 && step <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": expected above 0 to ", most, ", found ", step));
}

// Adding output vectors needs one row a word in both tables.
absl::Status ValidateAddOutput(const TrainOptions& options) {
  FIRTH_RETURN_IF_ERROR(
      CheckRange("add-output", options.add_output, 0.0, 10.0));
  const auto* skip_gram = std::get_if<SkipGramOptions>(&options.architecture);
  const bool directional =
      skip_gram != nullptr && skip_gram->directional && options.views.empty();
  if (options.add_output > 0 &&
      (directional || !WordsHaveRows(options.subwords) ||
       std::holds_alternative<HierarchicalSoftmaxOptions>(options.objective))) {
    return absl::InvalidArgumentError(
        "add-output: expected one output row a word and words with rows of "
        "their own, found hierarchical softmax, directional or floret");
  }
  return absl::OkStatus();
}

absl::Status ValidateWordShare(const TrainOptions& options) {
  FIRTH_RETURN_IF_ERROR(CheckRange("word-share", options.word_share, 0.0, 1.0));
  if (options.word_share < 1 &&
      (std::holds_alternative<NoSubwords>(options.subwords) ||
       !WordsHaveRows(options.subwords))) {
    return absl::InvalidArgumentError(
        "word-share: expected words with rows of their own and n-grams");
  }
  return absl::OkStatus();
}

absl::Status ValidateViews(const TrainOptions& options) {
  if (options.views.empty()) return absl::OkStatus();
  FIRTH_RETURN_IF_ERROR(CheckRange("number of views", options.views.size(),
                                   size_t{2}, size_t{8}));
  for (const int window : options.views) {
    FIRTH_RETURN_IF_ERROR(CheckRange("views", window, 1, 1000));
  }
  if (options.view_dim == 0) return absl::OkStatus();
  return CheckRange("view-dim", options.view_dim, options.dim, 65536);
}

absl::Status CheckNoise(int negatives, double exponent) {
  FIRTH_RETURN_IF_ERROR(CheckRange("negative", negatives, 1, 1000));
  return CheckRange("noise-exponent", exponent, -10.0, 10.0);
}

absl::Status ValidateObjective(const NegativeSamplingOptions& options) {
  return CheckNoise(options.negatives, options.noise_exponent);
}
absl::Status ValidateObjective(const NceOptions& options) {
  return CheckNoise(options.negatives, options.noise_exponent);
}
absl::Status ValidateObjective(const HierarchicalSoftmaxOptions&) {
  return absl::OkStatus();
}
absl::Status ValidateObjective(const FullSoftmaxOptions& options) {
  return CheckRange("batch", options.batch, 1, 4096);
}

absl::Status ValidateArchitecture(const SkipGramOptions& skip_gram,
                                  const TrainOptions& options) {
  FIRTH_RETURN_IF_ERROR(
      CheckRange("shared-windows", skip_gram.shared_windows, 1, 2));
  if (skip_gram.directional &&
      !std::holds_alternative<NegativeSamplingOptions>(options.objective)) {
    return absl::InvalidArgumentError(
        "directional: expected negative sampling as the objective");
  }
  return absl::OkStatus();
}
absl::Status ValidateArchitecture(const CbowOptions&, const TrainOptions&) {
  return absl::OkStatus();
}

absl::StatusOr<std::optional<ModelSubwords>> MakeSubwords(
    const InitialVectors& initial, const TrainOptions& options,
    const Vocabulary& vocabulary) {
  if (std::holds_alternative<NoSubwords>(options.subwords)) {
    return std::nullopt;
  }
  FIRTH_ASSIGN_OR_RETURN(SubwordIndex index,
                         MakeSubwordIndex(initial, options, vocabulary));
  Composition composition(vocabulary, index);
  return ModelSubwords{std::move(index), std::move(composition)};
}

size_t NumRows(const std::optional<ModelSubwords>& subwords) {
  return subwords.has_value() ? subwords->index.rows() : 0;
}

absl::Status CheckMemory(const MemoryEstimate& needed) {
  const uint64_t available = AvailableMemoryBytes();
  if (needed.total() <= available) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrFormat(
      "training needs %.1f MB of memory (%.1f MB for the tables), the machine "
      "has %.1f MB available; fewer words (min-count, max-vocab) or a smaller "
      "dim need less",
      needed.total() * 1e-6, needed.tables * 1e-6, available * 1e-6));
}

// A word alone in its sentence predicts nothing.
HeldOutTokens CountHeldOut(const Corpus& text) {
  HeldOutTokens counts;
  counts.known = text.tokens->num_words();
  counts.all = std::max(text.report.tokens, counts.known);
  uint64_t sentence = 0;  // words so far
  for (const uint32_t token : text.tokens->tokens()) {
    if (token != TokenStream::kSentenceEnd) {
      ++sentence;
      continue;
    }
    if (sentence > 1) counts.usable += sentence;
    sentence = 0;
  }
  return counts;
}

}  // namespace

absl::Status TrainOptions::Validate() const {
  FIRTH_RETURN_IF_ERROR(std::visit(
      [this](const auto& chosen) {
        return ValidateArchitecture(chosen, *this);
      },
      architecture));
  FIRTH_RETURN_IF_ERROR(std::visit(
      [](const auto& chosen) { return ValidateObjective(chosen); }, objective));
  FIRTH_RETURN_IF_ERROR(firth::Validate(subwords));
  if (!std::holds_alternative<NoSubwords>(subwords) &&
      std::holds_alternative<FullSoftmaxOptions>(objective)) {
    return absl::InvalidArgumentError(
        "subwords: expected an objective other than softmax");
  }
  FIRTH_RETURN_IF_ERROR(CheckStep("subword-step", subword_step, 1));
  FIRTH_RETURN_IF_ERROR(CheckStep("word-step", word_step, 1000));
  FIRTH_RETURN_IF_ERROR(ValidateWordShare(*this));
  FIRTH_RETURN_IF_ERROR(ValidateAddOutput(*this));
  FIRTH_RETURN_IF_ERROR(CheckRange("dim", dim, 1, 65536));
  FIRTH_RETURN_IF_ERROR(CheckRange("window", window, 1, 1000));
  FIRTH_RETURN_IF_ERROR(ValidateViews(*this));
  FIRTH_RETURN_IF_ERROR(CheckRange("sample", sample, 0.0, 1.0));
  FIRTH_RETURN_IF_ERROR(CheckRange("epochs", epochs, 1, 10000));
  FIRTH_RETURN_IF_ERROR(CheckRange("learning-rate", learning_rate, 0.0, 1e9));
  FIRTH_RETURN_IF_ERROR(
      CheckRange("min-learning-rate", min_learning_rate, 0.0, 1e9));
  const double start =
      learning_rate > 0 ? learning_rate : DefaultLearningRate(*this);
  if (min_learning_rate > start) {
    return absl::InvalidArgumentError(
        absl::StrCat("min-learning-rate: expected at most the learning rate, ",
                     start, ", found ", min_learning_rate));
  }
  return CheckRange("threads", threads, 0, 1024);
}

absl::Status Validation::Validate(const Corpus& corpus) const {
  FIRTH_RETURN_IF_ERROR(CheckRange("patience", patience, 0, 10000));
  if (patience > 0 && !enabled()) {
    return absl::InvalidArgumentError(
        "patience: expected something to measure, found nothing");
  }
  if (text == nullptr) return absl::OkStatus();
  if (text->tokens == nullptr ||
      text->vocabulary.size() != corpus.vocabulary.size()) {
    return absl::InvalidArgumentError(
        "validation: expected a text read with the vocabulary of the corpus");
  }
  return CheckHeldOut(CountHeldOut(*text),
                      "tokens of known words beside another in their line");
}

double DefaultLearningRate(const TrainOptions& options) {
  const auto* cbow = std::get_if<CbowOptions>(&options.architecture);
  if (cbow == nullptr) return 0.025;
  return cbow->gradient == CbowGradient::kCorrected ? 0.1 : 0.05;
}

uint64_t AvailableMemory() { return AvailableMemoryBytes(); }

uint64_t PeakMemory() { return PeakMemoryBytes(); }

absl::StatusOr<TrainedModel> Train(const Corpus& corpus,
                                   const TrainOptions& options,
                                   const Hooks& hooks,
                                   const InitialVectors& initial,
                                   const Checkpointing& checkpointing,
                                   const Validation& validation) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  FIRTH_RETURN_IF_ERROR(checkpointing.Validate());
  FIRTH_RETURN_IF_ERROR(validation.Validate(corpus));
  FIRTH_RETURN_IF_ERROR(
      CheckInitialVectors(initial, corpus.vocabulary, options));
  if (corpus.tokens == nullptr) {
    return absl::InvalidArgumentError(
        "expected a corpus with its tokens, found one that was only counted");
  }
  Checkpointing reserved = checkpointing;
  FIRTH_RETURN_IF_ERROR(ReserveCheckpoints(&reserved));
  if (!options.views.empty()) {
    if (initial.vectors != nullptr) {
      return absl::InvalidArgumentError(
          "views: expected to start from random vectors, found given ones");
    }
    return TrainViews(corpus, options, hooks, reserved, validation);
  }
  return TrainOne(corpus, options, hooks, initial, reserved, validation,
                  ViewPlace());
}

absl::StatusOr<TrainedModel> TrainOne(
    const Corpus& corpus, const TrainOptions& options, const Hooks& hooks,
    const InitialVectors& initial, const Checkpointing& checkpointing,
    const Validation& validation, const ViewPlace& place) {
  const size_t vocab_size = corpus.vocabulary.size();
  FIRTH_ASSIGN_OR_RETURN(std::optional<ModelSubwords> subwords,
                         MakeSubwords(initial, options, corpus.vocabulary));
  const ModelShape shape = ShapeOf(options, vocab_size, NumRows(subwords));
  const MemoryEstimate needed = EstimateMemory(
      options, {.shape = shape,
                .composition_bytes =
                    subwords.has_value() ? subwords->composition.Bytes() : 0,
                .other_words = NumOthers(initial, corpus.vocabulary),
                .keeps_best = validation.enabled(),
                .copies_tables = !checkpointing.folder.empty() &&
                                 checkpointing.in_background,
                .place = place});
  if (hooks.progress != nullptr) hooks.progress->OnMemory(needed);
  FIRTH_RETURN_IF_ERROR(CheckMemory(needed));
  FIRTH_ASSIGN_OR_RETURN(
      const ObjectiveTables tables,
      MakeObjectiveTables(options.objective, corpus.vocabulary));
  EmbeddingModel model(shape, options.seed, std::move(subwords));
  const InitialWords initial_words =
      StartFrom(initial, corpus.vocabulary, &model);
  if (options.deterministic && model.composition() == nullptr) {
    model.Pin(std::vector<bool>(vocab_size));
  }
  EmbeddingLearner learner(
      {options, corpus, initial, validation, tables, model});
  const RunOptions run_options{hooks, checkpointing, place.number,
                               static_cast<uint64_t>(validation.patience)};
  FIRTH_ASSIGN_OR_RETURN(const RunReport run,
                         Run(learner, run_options).Drive());
  TrainedModel trained;
  trained.report = learner.Report(run);
  if (IsModel(initial)) WeighByEvidence(initial, corpus, &model);
  if (options.word_share < 1) {
    model.ScaleOwnRows(static_cast<float>(options.word_share));
  }
  if (options.add_output > 0) model.AddOutput(options.add_output);
  FIRTH_ASSIGN_OR_RETURN(
      EmbeddingModel::Frozen frozen,
      EmbeddingModel::Freeze(std::move(model), corpus.vocabulary));
  trained.vectors = std::move(frozen.vectors);
  trained.output = std::move(frozen.output);
  trained.output_bias = std::move(frozen.output_bias);
  trained.report.initial = initial_words;
  FIRTH_RETURN_IF_ERROR(AppendOthers(initial, &trained));
  return trained;
}

}  // namespace firth
