// The public side of training: options, estimates, and the road from a corpus
// to a model.

#include "firth/train.h"

#include <omp.h>

#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/memory_info.h"
#include "base/status_macros.h"
#include "corpus/token_stream.h"
#include "model/embedding_model.h"
#include "objective/objective_tables.h"
#include "train/hogwild_trainer.h"

namespace firth {
namespace {

// Fails unless low <= value <= high. NaN fails too.
template <class Number>
absl::Status CheckRange(absl::string_view name, Number value, Number low,
                        Number high) {
  if (value >= low && value <= high) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": expected ", low, " to ", high, ", found ", value));
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

absl::Status ValidateArchitecture(const SkipGramOptions& options) {
  return CheckRange("shared-windows", options.shared_windows, 1, 2);
}
absl::Status ValidateArchitecture(const CbowOptions&) {
  return absl::OkStatus();
}

int ThreadsOf(const TrainOptions& options) {
  return options.threads > 0 ? options.threads : omp_get_num_procs();
}

// CBOW's corrected gradient moves an input vector by the n-th part of what
// word2vec.c moves it by, so from word2vec.c's start, near 0, it takes epochs
// to get anywhere. A start of about the size of trained vectors makes up for it
// (on 10 M words of Wikipedia, dim 100, 5 epochs, learning rate 0.1: analogies
// 23 % -> 26 %; a start 4 times as large is too much: 22 %).
float InputRange(const TrainOptions& options) {
  const auto* cbow = std::get_if<CbowOptions>(&options.architecture);
  if (cbow == nullptr || cbow->gradient != CbowGradient::kCorrected) return 0;
  return 1.0f / std::sqrt(static_cast<float>(options.dim));
}

ModelShape ShapeOf(const TrainOptions& options, size_t vocab_size,
                   const std::optional<ModelSubwords>& subwords) {
  ModelShape shape =
      ShapeFor(options.objective, vocab_size, static_cast<size_t>(options.dim));
  if (subwords.has_value()) {
    shape.words_have_rows = WordsHaveRows(options.subwords);
    shape.n_gram_rows = subwords->index.rows();
  }
  shape.input_range = InputRange(options);
  return shape;
}

absl::StatusOr<std::optional<ModelSubwords>> MakeSubwords(
    const TrainOptions& options, const Vocabulary& vocabulary) {
  if (std::holds_alternative<NoSubwords>(options.subwords)) {
    return std::nullopt;
  }
  FIRTH_ASSIGN_OR_RETURN(SubwordIndex index,
                         SubwordIndex::Create(options.subwords, vocabulary));
  Composition composition(vocabulary, index);
  return ModelSubwords{std::move(index), std::move(composition)};
}

MemoryEstimate Estimate(const TrainOptions& options, size_t vocab_size,
                        const std::optional<ModelSubwords>& subwords) {
  const auto dim = static_cast<size_t>(options.dim);
  MemoryEstimate estimate;
  estimate.tables = ModelBytes(ShapeOf(options, vocab_size, subwords));
  estimate.workers =
      ObjectiveTableBytes(options.objective, vocab_size) + vocab_size * 4 +
      (subwords.has_value() ? subwords->composition.Bytes() : 0) +
      static_cast<uint64_t>(ThreadsOf(options)) *
          ObjectiveWorkerBytes(options.objective, vocab_size, dim);
  return estimate;
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

}  // namespace

absl::Status TrainOptions::Validate() const {
  FIRTH_RETURN_IF_ERROR(std::visit(
      [](const auto& chosen) { return ValidateArchitecture(chosen); },
      architecture));
  FIRTH_RETURN_IF_ERROR(std::visit(
      [](const auto& chosen) { return ValidateObjective(chosen); }, objective));
  FIRTH_RETURN_IF_ERROR(firth::Validate(subwords));
  if (!std::holds_alternative<NoSubwords>(subwords) &&
      std::holds_alternative<FullSoftmaxOptions>(objective)) {
    return absl::InvalidArgumentError(
        "subwords: expected an objective other than softmax");
  }
  if (!(subword_step > 0 && subword_step <= 1)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "subword-step: expected above 0 to 1, found ", subword_step));
  }
  FIRTH_RETURN_IF_ERROR(CheckRange("dim", dim, 1, 65536));
  FIRTH_RETURN_IF_ERROR(CheckRange("window", window, 1, 1000));
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

double DefaultLearningRate(const TrainOptions& options) {
  const auto* cbow = std::get_if<CbowOptions>(&options.architecture);
  if (cbow == nullptr) return 0.025;
  return cbow->gradient == CbowGradient::kCorrected ? 0.1 : 0.05;
}

MemoryEstimate EstimateTrainingMemory(const Vocabulary& vocabulary,
                                      const TrainOptions& options) {
  const auto subwords = MakeSubwords(options, vocabulary);
  return Estimate(options, vocabulary.size(),
                  subwords.ok() ? *subwords : std::nullopt);
}

uint64_t AvailableMemory() { return AvailableMemoryBytes(); }

absl::StatusOr<TrainedModel> Train(const Corpus& corpus,
                                   const TrainOptions& options,
                                   const Hooks& hooks) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  if (corpus.tokens == nullptr) {
    return absl::InvalidArgumentError(
        "expected a corpus with its tokens, found one that was only counted");
  }
  const size_t vocab_size = corpus.vocabulary.size();
  FIRTH_ASSIGN_OR_RETURN(std::optional<ModelSubwords> subwords,
                         MakeSubwords(options, corpus.vocabulary));
  FIRTH_RETURN_IF_ERROR(CheckMemory(Estimate(options, vocab_size, subwords)));
  FIRTH_ASSIGN_OR_RETURN(
      const ObjectiveTables tables,
      MakeObjectiveTables(options.objective, corpus.vocabulary));
  const ModelShape shape = ShapeOf(options, vocab_size, subwords);
  EmbeddingModel model(shape, options.seed, std::move(subwords));
  HogwildTrainer trainer(options, *corpus.tokens, corpus.vocabulary, tables,
                         model, hooks);
  TrainedModel trained;
  FIRTH_ASSIGN_OR_RETURN(trained.report, trainer.Run());
  FIRTH_ASSIGN_OR_RETURN(
      EmbeddingModel::Frozen frozen,
      EmbeddingModel::Freeze(std::move(model), corpus.vocabulary));
  trained.vectors = std::move(frozen.vectors);
  trained.output = std::move(frozen.output);
  trained.output_bias = std::move(frozen.output_bias);
  return trained;
}

}  // namespace firth
