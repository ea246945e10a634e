// Skip-gram. Every word of the context predicts the center: m input rows, those
// of the context, are stepped against the output rows of the center's block.
// (word2vec.c pairs words in this way. Over a corpus these are the same pairs
// as in "the center predicts its context", Mikolov et al. 2013.)
//
// Directional: the words before the center and those after it have separate
// output rows, so a window takes two steps.
//
// Under full softmax, the center's row is the only hidden vector and the
// context words are its targets. The pairs are the same, with one softmax per
// position instead of one per pair.

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
#include "train/inputs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

class SkipGram {
 public:
  SkipGram(const SkipGramOptions& options, EmbeddingModel& model)
      : shared_windows_(options.shared_windows),
        directional_(options.directional),
        output_(model.output()),
        columns_(VisitedColumns(model.dim())),
        after_(0) {}

  // Returns how many windows one step takes. The contexts of neighbors are
  // mostly the same words, so one step for two windows visits each row once.
  size_t most_centers() const { return static_cast<size_t>(shared_windows_); }

  // Steps a group of windows. Returns the number of examples, which are pairs
  // of a context word and a center.
  template <class Stepper>
  HWY_NOINLINE size_t Step(const InputRows& inputs, const WindowGroup& group,
                           const OutputBlock& block,
                           absl::Span<const SharedRow> wanted,
                           Stepper& stepper) {
    if (directional_) {
      // With two centers, each is in the other's context.
      const size_t first = group.windows[0].center;
      const size_t last = group.windows[group.size - 1].center;
      const bool any_before = group.begin < last;
      StepWords(inputs, group, group.begin, last, block, wanted, stepper);
      StepWords(inputs, group, first + 1, group.end, AfterRows(block),
                any_before ? absl::Span<const SharedRow>() : wanted, stepper);
    } else {
      StepWords(inputs, group, group.begin, group.end, block, wanted, stepper);
    }
    return group.num_pairs();
  }

  void AddExample(const InputRows& inputs, const Window& window,
                  SoftmaxBatch& batch) {
    CopyRow(inputs[window.center], columns_, batch.hidden.Row(batch.size()));
    sources_.push_back(inputs[window.center]);
    for (size_t pos = window.begin; pos < window.end; ++pos) {
      if (pos == window.center) continue;
      batch.PushTarget(static_cast<uint32_t>(window.words[pos]));
    }
    batch.EndExample();
  }

  void GiveBackSteps(const SoftmaxBatch& batch) {
    for (size_t i = 0; i < sources_.size(); ++i) {
      AddScaled(1, batch.hidden_steps.Row(i), columns_, sources_[i]);
    }
    sources_.clear();
  }

 private:
  // Steps the words [begin, end) of the group.
  template <class Stepper>
  HWY_INLINE void StepWords(const InputRows& inputs, const WindowGroup& group,
                            size_t begin, size_t end, const OutputBlock& block,
                            absl::Span<const SharedRow> wanted,
                            Stepper& stepper) {
    // All pairs of a single window count once.
    const PairWeights* const weights = group.size > 1 ? &weights_ : nullptr;
    size_t count = 0;
    for (size_t pos = begin; pos < end; ++pos) {
      const uint32_t contexts = group.ContextsWith(pos);
      rows_.rows[count] = inputs[pos];
      weights_.of[count] = stepper.WeightsOf(contexts);
      count += contexts != 0 ? 1 : 0;  // Skips the center of a single window.
      if (count < kMaxInputRows) continue;
      stepper.StepWords(rows_, count, weights, block, {});
      count = 0;
    }
    if (count > 0) stepper.StepWords(rows_, count, weights, block, wanted);
  }

  // Returns the same block, from the second half of the output table.
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

  int shared_windows_;
  bool directional_;
  SharedMatrix& output_;
  size_t columns_;
  OutputBlock after_;  // For the words after a center.
  SharedInputs rows_;  // Rows of one step.
  PairWeights weights_;
  std::vector<SharedRow> sources_;  // Of the batch's examples.
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
