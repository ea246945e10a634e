// Skip-gram. Every word of the context predicts the center: m input rows, the
// words around, against the output rows of the center's block. (word2vec.c
// pairs words so; over a corpus these are the same pairs as "the center
// predicts its context", Mikolov et al. 2013.)
//
// Directional: the words before the center and those after it predict it with
// rows of their own, two steps a window.
//
// Under full softmax the center's row is the one hidden vector and the context
// its targets: the same pairs, one softmax a position instead of one a pair.

#include "simd/targets.h"
#include "train/window.h"

#if defined(FIRTH_TRAIN_SKIP_GRAM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_TRAIN_SKIP_GRAM_INL_H_
#undef FIRTH_TRAIN_SKIP_GRAM_INL_H_
#else
#define FIRTH_TRAIN_SKIP_GRAM_INL_H_
#endif

#include "hwy/highway.h"
#include "simd/row_ops-inl.h"
#include "simd/window_kernel-inl.h"
#include "train/logged_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

class SkipGram {
 public:
  SkipGram(const SkipGramOptions& options, EmbeddingModel& model)
      : shared_windows_(options.shared_windows),
        directional_(options.directional),
        input_(model.input()),
        output_(model.output()),
        columns_(VisitedColumns(model.dim())),
        after_(0) {}

  // The contexts of neighbours are mostly the same words, so that one step for
  // two windows visits each row once.
  static constexpr size_t kMostCenters = kMaxCenters;
  int shared_windows() const { return shared_windows_; }

  // Examples are (context word, center) pairs.
  template <class Inputs, class Objective>
  HWY_INLINE void Step(Inputs& inputs, const Objective& objective,
                       const WindowGroup& group, OutputBlock& block,
                       const GroupWeights& weights,
                       absl::Span<const SharedRow> wanted, StepBlock& steps,
                       LossSum& losses, Worker& worker) {
    const auto step = [&](size_t begin, size_t end, OutputBlock& rows,
                          absl::Span<const SharedRow> ahead) HWY_ATTR {
      StepWords(inputs, objective, group, begin, end, rows, weights, ahead,
                steps, losses, worker);
    };
    if (directional_) {
      // Of two centers, the first is before and the second after the other.
      const size_t first = group.windows[0].center;
      const size_t last = group.windows[group.size - 1].center;
      const bool any_before = group.begin < last;
      step(group.begin, last, block, wanted);
      step(first + 1, group.end, AfterRows(block),
           any_before ? absl::Span<const SharedRow>() : wanted);
    } else {
      step(group.begin, group.end, block, wanted);
    }
    worker.AddExamples(group.num_pairs());
  }

  HWY_INLINE void StartRun(SliceLog*) {}
  HWY_INLINE void FinishRun(SliceLog*) {}

  HWY_INLINE void AddExample(const Window& window, SoftmaxBatch& batch) {
    CopyRow(input_.Row(Index(window.words[window.center])), columns_,
            batch.hidden.Row(batch.size()));
    sources_.push_back(window.words[window.center]);
    for (size_t pos = window.begin; pos < window.end; ++pos) {
      if (pos == window.center) continue;
      batch.PushTarget(static_cast<uint32_t>(window.words[pos]));
    }
    batch.EndExample();
  }

  HWY_INLINE void GiveBackSteps(const SoftmaxBatch& batch) {
    for (size_t i = 0; i < sources_.size(); ++i) {
      AddScaled(1, batch.hidden_steps.Row(i), columns_,
                input_.Row(Index(sources_[i])));
    }
    sources_.clear();
  }

 private:
  // The words [begin, end) of the group.
  template <class Inputs, class Objective>
  HWY_INLINE void StepWords(Inputs& inputs, const Objective& objective,
                            const WindowGroup& group, size_t begin, size_t end,
                            OutputBlock& block, const GroupWeights& weights,
                            absl::Span<const SharedRow> wanted,
                            StepBlock& steps, LossSum& losses, Worker& worker) {
    size_t count = 0;
    for (size_t pos = begin; pos < end; ++pos) {
      const uint32_t contexts = group.ContextsWith(pos);
      rows_.rows[count] = inputs.Row(group.windows[0].words, pos);
      weights_.of[count] = weights.Of(contexts);
      count += contexts != 0 ? 1 : 0;  // all but a single window's center
      if (count < kMaxInputRows) continue;
      StepRows(objective, group, count, block, {}, steps, losses, worker);
      count = 0;
    }
    if (count > 0) {
      StepRows(objective, group, count, block, wanted, steps, losses, worker);
    }
  }

  // The same block, of the second half of the output table.
  OutputBlock& AfterRows(const OutputBlock& block) {
    if (after_.max_rows() < block.max_rows()) {
      after_ = OutputBlock(block.max_rows());
    }
    after_.Clear();
    const auto vocab_size = static_cast<uint32_t>(output_.rows() / 2);
    for (size_t j = 0; j < block.size; ++j) {
      const uint32_t row = vocab_size + block.ids[j];
      after_.Push(output_.Row(row), row, block.labels()[j], block.offsets()[j]);
    }
    return after_;
  }

  template <class Objective>
  HWY_INLINE void StepRows(const Objective& objective, const WindowGroup& group,
                           size_t count, OutputBlock& block,
                           absl::Span<const SharedRow> wanted, StepBlock& steps,
                           LossSum& losses, Worker& worker) {
    logged_.Enter(block, columns_, worker.log());
    if (group.size == 1) {
      StepWindow(rows_, count, block, EqualWeights(), worker.learning_rate(),
                 columns_, wanted, steps, losses);
    } else {
      StepWindow(rows_, count, block, weights_, worker.learning_rate(),
                 columns_, wanted, steps, losses);
    }
    objective.Finish(block, steps, count, worker.log());
  }

  int shared_windows_;
  bool directional_;
  SharedMatrix& input_;
  SharedMatrix& output_;
  size_t columns_;
  LoggedRows logged_;
  OutputBlock after_;  // of the words after a center
  SharedInputs rows_;  // of the step
  PairWeights weights_;
  std::vector<WordId> sources_;  // of the batch's examples
};

inline SkipGram MakeArchitecture(const SkipGramOptions& options,
                                 const TrainOptions&, EmbeddingModel& model) {
  return SkipGram(options, model);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
