// The public functions for training: checks of the arguments, an estimate of
// the memory, and the steps from a corpus to a model.

#include "firth/train.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/check_range.h"
#include "base/checksum.h"
#include "base/matrix.h"
#include "base/memory_info.h"
#include "base/threads.h"
#include "corpus/held_out.h"
#include "corpus/token_stream.h"
#include "firth/fields.h"
#include "firth/progress.h"
#include "firth/ranks.h"
#include "firth/status_macros.h"
#include "model/embedding_model.h"
#include "objective/objective_tables.h"
#include "run/run.h"
#include "train/embedding_checkpoint.h"
#include "train/embedding_learner.h"
#include "train/engine.h"
#include "train/initial_vectors.h"
#include "train/normalization.h"
#include "train/training.h"
#include "vectors/join_views.h"

namespace firth {
namespace {

// Properties of a training run that the options do not contain.
struct TrainingSize {
  ModelShape shape;
  uint64_t composition_bytes = 0;  // N-grams of the words, already in memory.
  size_t other_words = 0;          // Words that are added after training.
  bool keeps_best = false;         // A copy of the best model so far.
  bool copies_tables = false;      // Checkpoints are written in the background.
  int threads = 1;
  EngineMemory engine;
  ViewPlace place;
};

// Returns the bytes needed to write a file: the words in its format, and
// buffers. Small objects are also counted here.
uint64_t WritingBytes(const ModelShape& shape) {
  constexpr uint64_t kBuffers = uint64_t{3} << 20;
  constexpr uint64_t kWord = 20;
  return kBuffers + kWord * shape.vocab_size;
}

uint64_t RowBytes(const ModelShape& shape) {
  return shape.stride() * sizeof(float);
}

uint64_t WorkerBytes(const TrainOptions& options, const TrainingSize& size) {
  const ModelShape& shape = size.shape;
  const uint64_t bytes =
      size.engine.workers +
      static_cast<uint64_t>(size.threads) *
          ObjectiveWorkerBytes(options.objective, shape.vocab_size, shape.dim,
                               size.threads,
                               /*composed=*/size.composition_bytes > 0);
  if (!TraitsOf(options.objective).measures_normalization) return bytes;
  // The allocator may keep the memory that was used to measure Z after an
  // epoch, in addition to that of the workers in the next epoch.
  const uint64_t measuring = NormalizationBytes(options, shape);
  return options.epochs > 1 ? bytes + measuring : std::max(bytes, measuring);
}

// Returns the bytes of one view that are kept until all views are joined.
uint64_t KeptBytes(const ModelShape& shape) {
  return ModelBytes(shape) - shape.output_rows * RowBytes(shape);
}

uint64_t JoinBytesOf(const TrainOptions& options, const TrainingSize& size) {
  const size_t rows = KeptBytes(size.shape) / RowBytes(size.shape);
  return JoinBytes(rows, size.place.views * size.shape.dim,
                   size.place.joined_dim, NumThreads(options.threads));
}

// The peak occurs during training, or afterwards while the result is measured
// (NCE) or joined (views). The buffers of the workers and of the later phase
// are not needed at the same time.
MemoryEstimate EstimateMemory(const TrainOptions& options,
                              const TrainingSize& size) {
  const ModelShape& shape = size.shape;
  const uint64_t tables =
      ModelBytes(shape) * (size.keeps_best ? 2 : 1) + size.engine.tables;
  MemoryEstimate estimate;
  estimate.tables = tables;
  if (size.other_words > 0) {
    estimate.tables += (shape.vocab_size + size.other_words) * RowBytes(shape);
  }
  estimate.workers = ObjectiveTableBytes(options.objective, shape.vocab_size) +
                     shape.vocab_size * sizeof(float) + size.composition_bytes +
                     WorkerBytes(options, size);
  if (size.place.views > 0) {
    const uint64_t joining = KeptBytes(shape) + JoinBytesOf(options, size);
    estimate.workers =
        std::max(estimate.workers, joining - std::min(joining, tables));
    estimate.tables +=
        (size.place.views - size.place.number) * KeptBytes(shape);
  }
  uint64_t more =
      estimate.total() - size.composition_bytes + WritingBytes(shape);
  if (size.copies_tables) {
    const uint64_t copies =
        (shape.input_rows() + shape.output_rows) * RowBytes(shape) +
        WritingBytes(shape);
    if (more + copies <= AvailableMemoryBytes()) more += copies;
  }
  estimate.peak = std::max(PeakMemoryBytes(), ResidentMemoryBytes() + more);
  return estimate;
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
      "training needs %.1f MB of memory (%.1f MB for the tables), but only "
      "%.1f MB is available; use fewer words (min-count, max-vocab) or a "
      "smaller dim",
      needed.total() * 1e-6, needed.tables * 1e-6, available * 1e-6));
}

// Returns the ranks that train together, or null if this process trains alone.
Ranks* OthersOf(const TrainOptions& options, const Hooks& hooks) {
  const bool alone =
      std::holds_alternative<NotDistributed>(options.distributed) ||
      hooks.ranks == nullptr || hooks.ranks->size() == 1;
  return alone ? nullptr : hooks.ranks;
}

// Checks that there are ranks if and only if `distributed` is set, and that it
// allows them. Errors: InvalidArgument, the same on all ranks.
absl::Status CheckCanBeShared(const TrainOptions& options, const Hooks& hooks,
                              const InitialVectors& initial) {
  const bool shared =
      !std::holds_alternative<NotDistributed>(options.distributed);
  if (shared != (hooks.ranks != nullptr)) {
    return absl::InvalidArgumentError(
        shared
            ? "distributed: there are no other ranks; start several with mpirun"
            : "distributed: several ranks were started; give the way in which "
              "they share the training run");
  }
  if (OthersOf(options, hooks) == nullptr) return absl::OkStatus();
  return CheckShared(options, initial.freeze, hooks.ranks->size());
}

// Checks that all ranks were given the same, except for the number of threads.
// Errors: FailedPrecondition, the same on all ranks, with the differences.
absl::Status CheckSameTraining(Ranks& ranks, const Training& training) {
  const auto& [corpus, options, hooks, initial, checkpointing, validation,
               sentences] = training;
  TrainOptions own = options;
  const FieldEditor fields(&own);
  NamedTexts texts;
  for (const std::string& name : fields.names()) {
    if (name == "threads") continue;
    const bool is_chosen = fields.Find(name) != nullptr;
    texts.emplace_back(name, is_chosen ? fields.Text(name) : "");
  }
  const uint64_t given = initial.vectors != nullptr ? InitialSum(initial) : 0;
  const auto flag = [](bool is_set) { return is_set ? "true" : "false"; };
  const NamedTexts others = {
      {"the checksum of the vocabulary",
       HexChecksum(VocabularySum(corpus.vocabulary))},
      {"the checksum of the vectors to start from", HexChecksum(given)},
      {"freeze-init", flag(initial.freeze)},
      {"init-others", flag(initial.keep_others)},
      {"the folder of checkpoints", checkpointing.folder},
      {"resume", flag(checkpointing.resume)},
      {"patience", absl::StrCat(validation.patience)},
      {"the checksum of the validation data", MeasuredOn(validation)}};
  texts.insert(texts.end(), others.begin(), others.end());
  return CheckSameOnAll(ranks, texts);
}

absl::Status CheckTraining(const Corpus& corpus, const TrainOptions& options,
                           const Hooks& hooks, const InitialVectors& initial,
                           const Validation& validation) {
  FIRTH_RETURN_IF_ERROR(options.Validate());
  FIRTH_RETURN_IF_ERROR(validation.Validate(corpus));
  FIRTH_RETURN_IF_ERROR(
      CheckInitialVectors(initial, corpus.vocabulary, options));
  if (corpus.tokens == nullptr) {
    return absl::InvalidArgumentError(
        "the corpus was only counted and has no tokens; read it with its "
        "tokens");
  }
  if (!options.views.empty() && initial.vectors != nullptr) {
    return absl::InvalidArgumentError(
        "views: cannot start from given vectors; views start from random ones");
  }
  return CheckCanBeShared(options, hooks, initial);
}

// Counts the tokens of a text. A word alone in its sentence predicts nothing.
HeldOutTokens CountHeldOut(const Corpus& text) {
  HeldOutTokens counts;
  counts.known = text.tokens->num_words();
  counts.all = std::max(text.report.tokens, counts.known);
  uint64_t sentence = 0;  // Words so far.
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

// CBOW's corrected gradient moves an input vector by 1/n of what word2vec.c
// moves it by, so it takes epochs to get away from word2vec.c's start near 0.
// Starting values of about the size of trained vectors make up for this (on 10
// M words of Wikipedia, dim 100, 5 epochs, learning rate 0.1: analogies 23 % ->
// 26 %; values 4 times as large are too much: 22 %).
float InputRange(const TrainOptions& options) {
  const auto* cbow = std::get_if<CbowOptions>(&options.architecture);
  if (cbow == nullptr || cbow->gradient != CbowGradient::kCorrected ||
      cbow->sum) {
    return 0;
  }
  return 1.0f / std::sqrt(static_cast<float>(options.dim));
}

// Returns nothing for equal weights. Others have mean 1 over a whole window.
std::vector<float> StartingPositionWeights(const TrainOptions& options) {
  const auto* cbow = std::get_if<CbowOptions>(&options.architecture);
  if (cbow == nullptr || cbow->context_weights == ContextWeights::kEqual) {
    return {};
  }
  const auto window = static_cast<size_t>(options.window);
  std::vector<float> weights(2 * window, 1.0f);
  if (cbow->context_weights == ContextWeights::kPosition) return weights;
  for (size_t distance = 1; distance <= window; ++distance) {
    const float weight = 2.0f * static_cast<float>(window + 1 - distance) /
                         static_cast<float>(window + 1);
    weights[window - distance] = weights[window + distance - 1] = weight;
  }
  return weights;
}

bool IsDirectional(const TrainOptions& options) {
  const auto* skip_gram = std::get_if<SkipGramOptions>(&options.architecture);
  return skip_gram != nullptr && skip_gram->directional;
}

}  // namespace

absl::Status CheckShared(const TrainOptions& options, bool freeze, int ranks) {
  if (ranks == 1) return absl::OkStatus();
  return KindOf(options).CheckShared(options, freeze, ranks);
}

absl::Status Validation::Validate(const Corpus& corpus) const {
  FIRTH_RETURN_IF_ERROR(CheckRange("patience", patience, 0, 10000));
  if (patience > 0 && !enabled()) {
    return absl::InvalidArgumentError(
        "patience: nothing is measured; give a held-out text or a test set");
  }
  if (text == nullptr) return absl::OkStatus();
  if (text->tokens == nullptr ||
      text->vocabulary.size() != corpus.vocabulary.size()) {
    return absl::InvalidArgumentError(
        "validation: the text must be read with the vocabulary of the corpus");
  }
  return CheckHeldOut(
      CountHeldOut(*text),
      "tokens of known words with another known word in their line");
}

uint64_t AvailableMemory() { return AvailableMemoryBytes(); }

uint64_t PeakMemory() { return PeakMemoryBytes(); }

absl::StatusOr<TrainedModel> Train(const Corpus& corpus,
                                   const TrainOptions& options,
                                   const Hooks& hooks,
                                   const InitialVectors& initial,
                                   const Checkpointing& checkpointing,
                                   const Validation& validation) {
  Ranks* const ranks = OthersOf(options, hooks);
  FIRTH_RETURN_IF_ERROR(
      Agree(ranks, CheckTraining(corpus, options, hooks, initial, validation)));
  Training training{corpus, options, hooks, initial, checkpointing, validation};
  training.hooks.ranks = ranks;
  const bool is_first = ranks == nullptr || ranks->rank() == 0;
  if (!is_first) training.hooks.progress = nullptr;
  FIRTH_RETURN_IF_ERROR(AgreeWithFirst(
      ranks, is_first ? ReserveCheckpoints(&training.checkpointing)
                      : checkpointing.Validate()));
  if (ranks != nullptr) {
    FIRTH_RETURN_IF_ERROR(CheckSameTraining(*ranks, training));
  }
  absl::StatusOr<TrainedModel> trained = options.views.empty()
                                             ? TrainOne(training, ViewPlace())
                                             : TrainViews(training);
  FIRTH_RETURN_IF_ERROR(Agree(ranks, trained.status()));
  return trained;
}

namespace {

// Trains the model, and turns it into read-only tables.
absl::StatusOr<TrainedModel> RunAndFreeze(const Training& training,
                                          const ViewPlace& place,
                                          EmbeddingLearner& learner,
                                          EmbeddingModel& model) {
  const TrainOptions& options = training.options;
  const Vocabulary& vocabulary = training.corpus.vocabulary;
  const RunOptions run_options{
      training.hooks, training.checkpointing, place.number,
      static_cast<uint64_t>(training.validation.patience)};
  FIRTH_ASSIGN_OR_RETURN(const RunReport run,
                         Run(learner, run_options).Drive());
  TrainedModel trained;
  trained.report = learner.Report(run);
  if (IsModel(training.initial)) {
    std::vector<uint64_t> counts = CountTokens(training.corpus);
    FIRTH_RETURN_IF_ERROR(learner.engine().SumOverText(absl::MakeSpan(counts)));
    WeighByEvidence(training.initial, vocabulary, counts, &model);
  }
  if (options.word_share < 1) {
    model.ScaleOwnRows(static_cast<float>(options.word_share));
  }
  if (options.add_output > 0) model.AddOutput(options.add_output);
  FIRTH_ASSIGN_OR_RETURN(EmbeddingModel::Frozen frozen,
                         EmbeddingModel::Freeze(std::move(model), vocabulary));
  trained.vectors = std::move(frozen.vectors);
  trained.output = std::move(frozen.output);
  trained.output_bias = std::move(frozen.output_bias);
  trained.sentences = std::move(frozen.sentences);
  return trained;
}

// Trains on the text of this rank, with tables of its share of the model.
absl::StatusOr<TrainedModel> TrainShare(const Training& training,
                                        const ViewPlace& place) {
  const auto& [corpus, options, hooks, given, checkpointing, validation,
               sentences] = training;
  const EngineKind& kind = KindOf(options);
  const size_t vocab_size = corpus.vocabulary.size();
  FIRTH_ASSIGN_OR_RETURN(std::optional<ModelSubwords> subwords,
                         MakeSubwords(given, options, corpus.vocabulary));
  ModelShape whole = ShapeOf(options, vocab_size, NumRows(subwords));
  if (sentences != nullptr) {
    whole.sentence_rows = sentences->rows.num_rows;
    whole.input_range = sentences->input_range;
  }
  const ModelShape shape = kind.ShapeOf(whole, hooks.ranks);
  InitialVectors initial = given;
  // The vectors of other words are whole, so they cannot be added to a share of
  // the columns, but only to the complete model.
  if (shape.is_share()) initial.keep_others = false;
  const MemoryEstimate needed = EstimateMemory(
      options, {.shape = shape,
                .composition_bytes =
                    subwords.has_value() ? subwords->composition.Bytes() : 0,
                .other_words = NumOthers(initial, corpus.vocabulary),
                .keeps_best = validation.enabled(),
                .copies_tables = !checkpointing.folder.empty() &&
                                 checkpointing.in_background,
                .threads = kind.Threads(options),
                .engine = kind.Memory(options, shape, hooks.ranks != nullptr),
                .place = place});
  if (hooks.progress != nullptr) hooks.progress->OnMemory(needed);
  FIRTH_RETURN_IF_ERROR(Agree(hooks.ranks, CheckMemory(needed)));
  const absl::StatusOr<ObjectiveTables> tables =
      MakeObjectiveTables(options.objective, corpus.vocabulary);
  FIRTH_RETURN_IF_ERROR(Agree(hooks.ranks, tables.status()));
  GiveBackFreeMemory();
  EmbeddingModel model(shape, options.seed, std::move(subwords));
  const InitialWords initial_words =
      StartFrom(initial, corpus.vocabulary, &model);
  if (options.deterministic && model.composition() == nullptr) {
    model.Pin(std::vector<bool>(vocab_size));
  }
  FIRTH_ASSIGN_OR_RETURN(
      const std::unique_ptr<EmbeddingLearner> learner,
      EmbeddingLearner::Create(
          {options, corpus, initial, validation, *tables, model, sentences},
          kind.Threads(options),
          [&kind, ranks = hooks.ranks](const EngineInputs& inputs) {
            return kind.Make(inputs, ranks);
          }));
  absl::StatusOr<TrainedModel> trained =
      RunAndFreeze(training, place, *learner, model);
  FIRTH_RETURN_IF_ERROR(Agree(hooks.ranks, trained.status()));
  trained->report.initial = initial_words;
  FIRTH_RETURN_IF_ERROR(learner->engine().Finish(&*trained));
  return trained;
}

}  // namespace

absl::StatusOr<TrainedModel> TrainOne(const Training& training,
                                      const ViewPlace& place) {
  FIRTH_ASSIGN_OR_RETURN(
      const Corpus corpus,
      KindOf(training.options).TextOf(training.corpus, training.hooks.ranks));
  FIRTH_ASSIGN_OR_RETURN(TrainedModel trained,
                         TrainShare({corpus, training.options, training.hooks,
                                     training.initial, training.checkpointing,
                                     training.validation, training.sentences},
                                    place));
  const bool has_model = trained.vectors.size() > 0;
  if (has_model) {
    FIRTH_RETURN_IF_ERROR(AppendOthers(training.initial, &trained));
  }
  return trained;
}

ModelShape ShapeOf(const TrainOptions& options, size_t vocab_size,
                   size_t n_gram_rows) {
  ModelShape shape =
      ShapeFor(options.objective, vocab_size, static_cast<size_t>(options.dim));
  shape.words_have_rows = WordsHaveRows(options.subwords);
  shape.n_gram_rows = n_gram_rows;
  if (IsDirectional(options)) shape.output_rows *= 2;
  shape.input_range = InputRange(options);
  shape.position_weights = StartingPositionWeights(options);
  return shape;
}

}  // namespace firth
