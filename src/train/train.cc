// The public side of training: options, estimates, and the road from a corpus
// to a model.

#include "firth/train.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/check_range.h"
#include "base/memory_info.h"
#include "corpus/held_out.h"
#include "corpus/token_stream.h"
#include "distributed/divided_table.h"
#include "firth/status_macros.h"
#include "model/embedding_model.h"
#include "objective/objective_tables.h"
#include "run/run.h"
#include "train/columns/column_tables.h"
#include "train/embedding_learner.h"
#include "train/grown_model.h"
#include "train/initial_vectors.h"
#include "train/memory_estimate.h"
#include "train/model_shape.h"
#include "train/replicas/text_rest.h"
#include "train/together.h"
#include "train/train_views.h"

namespace firth {
namespace {

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

// Of all ranks, if there are others.
absl::Status AgreeOn(Ranks* ranks, const absl::Status& own) {
  return ranks != nullptr ? Agree(*ranks, own) : own;
}

// Reserves room for both tables on rank 0. Errors: the same on all ranks.
absl::StatusOr<std::optional<TableFiles>> ReserveTables(Ranks& ranks,
                                                        size_t words,
                                                        size_t dim) {
  if (ranks.rank() > 0) {
    FIRTH_RETURN_IF_ERROR(AgreeWithFirst(ranks, absl::OkStatus()));
    return std::nullopt;
  }
  absl::StatusOr<TableFile> input = TableFile::Reserve(words, dim);
  absl::StatusOr<TableFile> output = TableFile::Reserve(words, dim);
  FIRTH_RETURN_IF_ERROR(
      AgreeWithFirst(ranks, input.ok() ? output.status() : input.status()));
  return TableFiles{*std::move(input), *std::move(output)};
}

// Every rank reads the whole text.
absl::StatusOr<TrainedModel> TrainByColumns(const Corpus& corpus,
                                            const TrainOptions& options,
                                            const Hooks& hooks,
                                            const InitialVectors& initial,
                                            const Checkpointing& checkpointing,
                                            const Validation& validation) {
  Ranks& ranks = *hooks.ranks;
  const auto dim = static_cast<size_t>(options.dim);
  FIRTH_ASSIGN_OR_RETURN(std::optional<TableFiles> files,
                         ReserveTables(ranks, corpus.vocabulary.size(), dim));
  TableFiles* const room = files.has_value() ? &*files : nullptr;
  Corpus whole = corpus;
  FIRTH_ASSIGN_OR_RETURN(whole.tokens, JoinStreams(ranks, *corpus.tokens));
  InitialVectors of_words = initial;
  of_words.keep_others = false;  // their vectors are whole
  absl::StatusOr<TrainedModel> trained =
      TrainOne(whole, options, hooks, of_words, checkpointing, validation,
               ViewPlace(), room != nullptr ? &room->input : nullptr);
  FIRTH_RETURN_IF_ERROR(Agree(ranks, trained.status()));
  FIRTH_ASSIGN_OR_RETURN(FloatTable vectors,
                         JoinColumns(ranks, trained->vectors.table(), dim,
                                     room != nullptr ? &room->input : nullptr));
  trained->vectors = WordVectors();
  FIRTH_ASSIGN_OR_RETURN(
      trained->output, JoinColumns(ranks, trained->output, dim,
                                   room != nullptr ? &room->output : nullptr));
  if (ranks.rank() > 0) return trained;
  FIRTH_ASSIGN_OR_RETURN(
      trained->vectors,
      WordVectors::Create(corpus.vocabulary, std::move(vectors)));
  FIRTH_RETURN_IF_ERROR(AppendOthers(initial, &*trained));
  return trained;
}

// Every rank trains on its share of the text.
absl::StatusOr<TrainedModel> TrainByReplicas(const Corpus& corpus,
                                             const TrainOptions& options,
                                             const Hooks& hooks,
                                             const InitialVectors& initial,
                                             const Checkpointing& checkpointing,
                                             const Validation& validation) {
  Ranks& ranks = *hooks.ranks;
  Corpus own = corpus;
  FIRTH_ASSIGN_OR_RETURN(own.tokens, PlaceStream(ranks, corpus.tokens));
  absl::StatusOr<TrainedModel> trained = TrainOne(
      own, options, hooks, initial, checkpointing, validation, ViewPlace());
  if (ranks.rank() == 0 || !trained.ok()) return trained;
  TrainedModel report_alone;
  report_alone.report = std::move(trained->report);
  return report_alone;
}

absl::StatusOr<TrainedModel> TrainTogether(const Corpus& corpus,
                                           const TrainOptions& options,
                                           const Hooks& hooks,
                                           const InitialVectors& initial,
                                           const Checkpointing& checkpointing,
                                           const Validation& validation) {
  Ranks& ranks = *hooks.ranks;
  const bool is_first = ranks.rank() == 0;
  Hooks used = hooks;
  if (!is_first) used.progress = nullptr;
  Checkpointing reserved = checkpointing;
  FIRTH_RETURN_IF_ERROR(
      AgreeWithFirst(ranks, is_first ? ReserveCheckpoints(&reserved)
                                     : checkpointing.Validate()));
  FIRTH_RETURN_IF_ERROR(
      CheckSameTraining(ranks, options, corpus, initial, reserved, validation));
  return (IsByColumns(options) ? TrainByColumns : TrainByReplicas)(
      corpus, options, used, initial, reserved, validation);
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
  return CheckCanBeShared(options, hooks, initial);
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
  Hooks used = hooks;
  used.ranks = OthersOf(options, hooks);
  const absl::Status checked =
      CheckTraining(corpus, options, hooks, initial, validation);
  if (used.ranks != nullptr) {
    FIRTH_RETURN_IF_ERROR(Agree(*used.ranks, checked));
    absl::StatusOr<TrainedModel> trained = TrainTogether(
        corpus, options, used, initial, checkpointing, validation);
    FIRTH_RETURN_IF_ERROR(Agree(*used.ranks, trained.status()));
    return trained;
  }
  FIRTH_RETURN_IF_ERROR(checked);
  Checkpointing reserved = checkpointing;
  FIRTH_RETURN_IF_ERROR(ReserveCheckpoints(&reserved));
  if (!options.views.empty()) {
    if (initial.vectors != nullptr) {
      return absl::InvalidArgumentError(
          "views: cannot start from given vectors; views start from random "
          "ones");
    }
    return TrainViews(corpus, options, used, reserved, validation);
  }
  return TrainOne(corpus, options, used, initial, reserved, validation,
                  ViewPlace());
}

absl::StatusOr<TrainedModel> TrainOne(
    const Corpus& corpus, const TrainOptions& options, const Hooks& hooks,
    const InitialVectors& initial, const Checkpointing& checkpointing,
    const Validation& validation, const ViewPlace& place,
    TableFile* score_file) {
  const size_t vocab_size = corpus.vocabulary.size();
  FIRTH_ASSIGN_OR_RETURN(std::optional<ModelSubwords> subwords,
                         MakeSubwords(initial, options, corpus.vocabulary));
  ModelShape shape = ShapeOf(options, vocab_size, NumRows(subwords));
  const bool by_columns = hooks.ranks != nullptr && IsByColumns(options);
  const bool is_replica = hooks.ranks != nullptr && !by_columns;
  if (by_columns) shape = ShareOfShape(shape, *hooks.ranks);
  const MemoryEstimate needed = EstimateMemory(
      options, {.shape = shape,
                .composition_bytes =
                    subwords.has_value() ? subwords->composition.Bytes() : 0,
                .other_words = NumOthers(initial, corpus.vocabulary),
                .more_models = uint64_t{validation.enabled()} + is_replica,
                .copies_tables = !checkpointing.folder.empty() &&
                                 checkpointing.in_background,
                .place = place});
  if (hooks.progress != nullptr) hooks.progress->OnMemory(needed);
  FIRTH_RETURN_IF_ERROR(AgreeOn(hooks.ranks, CheckMemory(needed)));
  const absl::StatusOr<ObjectiveTables> tables =
      MakeObjectiveTables(options.objective, corpus.vocabulary);
  FIRTH_RETURN_IF_ERROR(AgreeOn(hooks.ranks, tables.status()));
  GiveBackFreeMemory();
  EmbeddingModel model(shape, options.seed, std::move(subwords));
  const InitialWords initial_words =
      StartFrom(initial, corpus.vocabulary, &model);
  if (options.deterministic && model.composition() == nullptr) {
    model.Pin(std::vector<bool>(vocab_size));
  }
  EmbeddingTraining training{options, corpus, initial,    validation,
                             *tables, model,  hooks.ranks};
  FIRTH_ASSIGN_OR_RETURN(
      training.text,
      TextOf(is_replica ? hooks.ranks : nullptr, *corpus.tokens));
  if (is_replica) {
    FIRTH_ASSIGN_OR_RETURN(training.exchange, hooks.ranks->Another());
  }
  training.score_file = score_file;
  EmbeddingLearner learner(std::move(training));
  const RunOptions run_options{hooks, checkpointing, place.number,
                               static_cast<uint64_t>(validation.patience)};
  FIRTH_ASSIGN_OR_RETURN(const RunReport run,
                         Run(learner, run_options).Drive());
  TrainedModel trained;
  trained.report = learner.Report(run);
  if (IsModel(initial)) {
    std::vector<uint64_t> counts = CountTokens(corpus);
    if (is_replica) {
      FIRTH_RETURN_IF_ERROR(hooks.ranks->Sum(absl::MakeSpan(counts)));
    }
    WeighByEvidence(initial, corpus.vocabulary, counts, &model);
  }
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
