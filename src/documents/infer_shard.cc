// This file is compiled once per instruction set. The windows, the kernel, the
// objectives and the architectures are those of training, but steps of output
// rows are dropped, and the rows of words do not move.
//
// Random numbers are keyed by the words of the document, so that two documents
// do not see the same noise words, and the same document always does. Since
// texts that occur often would all have the same error, that of a short
// document is reduced: its vector is the mean of several runs.

#include "documents/infer_shard.h"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "base/checksum.h"
#include "base/rng.h"
#include "base/shared_matrix.h"
#include "corpus/token_stream.h"
#include "simd/targets.h"
#include "simd/window_block.h"
#include "train/sentence_reader.h"
#include "train/worker.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "documents/infer_shard.cc"
#include "hwy/foreach_target.h"
// Must come after foreach_target.h.
#include "hwy/highway.h"
#include "objective/objectives-inl.h"
#include "simd/row_ops-inl.h"
#include "simd/shared_row-inl.h"
#include "train/architectures-inl.h"
#include "train/inputs-inl.h"
#include "train/run_trainer-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

// An output row that does not move.
struct FrozenRow {
  SharedRow row;
};

HWY_INLINE FloatVec LoadLanes(FrozenRow row, size_t at) {
  return LoadLanes(row.row, at);
}
HWY_INLINE void AddToLanes(FrozenRow, size_t, FloatVec) {}

// Drops all steps. See train/table_updates-inl.h for the methods.
class NoUpdates {
 public:
  explicit NoUpdates(size_t max_rows) : rows_(max_rows) {}

  HWY_INLINE const FrozenRow* RowsOf(const OutputBlock& block) {
    for (size_t j = 0; j < block.size; ++j) rows_[j] = {block.rows[j]};
    return rows_.data();
  }
  HWY_INLINE void AddBias(uint32_t, float) {}

 private:
  std::vector<FrozenRow> rows_;
};

// The rows of words, and the vector of the document as that of the sentence.
class DocumentInputs : public InputRows {
 public:
  DocumentInputs(SharedMatrix& table, SharedRow document) : table_(table) {
    of_sentence_.push_back(document);
    words_move_ = false;
  }

  static constexpr bool kInTable = true;

  HWY_INLINE void Start(const WordRun& run) {
    rows_.assign(run.words.size(), SharedRow());
    if (table_.rows() == 0) return;  // Words are not inputs.
    for (size_t pos = 0; pos < rows_.size(); ++pos) {
      rows_[pos] = table_.Row(Index(run.words[pos]));
    }
  }
  HWY_INLINE void MoveTo(const WordRun&, size_t, size_t) {}

 private:
  SharedMatrix& table_;
};

template <class Architecture, class Objective>
void InferWith(const InferContext& context, Architecture architecture,
               Objective objective) {
  const TrainOptions& options = context.options;
  const auto dim = static_cast<size_t>(options.dim);
  PaddedMatrix vector(1, dim);
  NoUpdates updates(objective.MaxRows());
  DocumentInputs inputs(context.model.input(), SharedRow(vector.Row(0)));
  RunTrainer trainer(
      options, inputs, architecture, objective,
      WindowStepper(context.model, objective.MaxRows(), updates));
  // Any row: the number of rows makes each window one of a document.
  const uint32_t row = 0;
  WordRun run;
  run.rows = absl::MakeConstSpan(&row, 1);
  // Finds the vector of a document in one run of all epochs.
  const auto infer = [&](const TokenStream& stream, uint64_t key) HWY_ATTR {
    RandomRow(key, 0.5f / static_cast<float>(dim),
              absl::MakeSpan(vector.Row(0), dim));
    const uint64_t words = stream.num_words();
    const LearningRateSchedule schedule = ScheduleFor(options, words);
    for (int epoch = 0; epoch < options.epochs; ++epoch) {
      SentenceReader reader(stream, context.subsampler,
                            {0, stream.tokens().size()},
                            CombineKeys(key, static_cast<uint64_t>(epoch)),
                            static_cast<size_t>(options.window));
      const uint64_t before = words * static_cast<uint64_t>(epoch);
      uint64_t read = 0;
      while (reader.Next(&run)) {
        trainer.Train(run, schedule.At(before + read), [](size_t) {});
        read = reader.words_read();
      }
    }
  };
  while (const std::optional<InferTask> task = context.next()) {
    const uint64_t words = task->tokens.size() - 1;
    const TokenStream stream(task->tokens, words, nullptr);
    const uint64_t key =
        CombineKeys(options.seed, Checksum(task->tokens, words));
    const uint64_t runs = InferenceRuns(words);
    std::fill_n(task->vector, dim, 0.0f);
    for (uint64_t i = 0; i < runs; ++i) {
      infer(stream, CombineKeys(key, i));
      for (size_t k = 0; k < dim; ++k) {
        task->vector[k] += vector.Row(0)[k] / static_cast<float>(runs);
      }
    }
  }
}

void InferShardTarget(const InferContext& context) {
  std::visit(
      [&](const auto& architecture, const auto& objective) HWY_ATTR {
        auto made = MakeObjective(objective, context.tables, context.model,
                                  /*threads=*/1);
        using Objective = decltype(made);
        if constexpr (std::is_same_v<Objective, NegativeSampling> ||
                      std::is_same_v<Objective, HierarchicalSoftmax>) {
          InferWith(
              context,
              MakeArchitecture(architecture, context.options, context.model),
              std::move(made));
        }
      },
      context.options.architecture, context.options.objective);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace firth {

HWY_EXPORT(InferShardTarget);

void InferShard(const InferContext& context) {
  HWY_DYNAMIC_DISPATCH(InferShardTarget)(context);
}

}  // namespace firth
#endif  // HWY_ONCE
