// CBOW. The mean of the context's input rows, h = 1/n sum_i x_i, predicts the
// center. The gradient with respect to one x_i is 1/n of that with respect to
// h; word2vec.c and fastText give every x_i the whole of it, an n times greater
// and varying learning rate for the inputs (Irsoy, Benton and Stratos,
// "Corrected CBOW Performs as well as Skip-gram", 2021). Both can be had.

#include "simd/targets.h"
#include "train/window.h"

#if defined(FIRTH_TRAIN_CBOW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_TRAIN_CBOW_INL_H_
#undef FIRTH_TRAIN_CBOW_INL_H_
#else
#define FIRTH_TRAIN_CBOW_INL_H_
#endif

#include "hwy/highway.h"
#include "simd/row_ops-inl.h"
#include "simd/window_kernel-inl.h"
#include "train/inputs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

class Cbow {
 public:
  Cbow(const CbowOptions& options, size_t window, EmbeddingModel& model)
      : corrected_(options.gradient == CbowGradient::kCorrected),
        input_(model.input()),
        columns_(VisitedColumns(model.dim())),
        hidden_(2, model.dim()),
        rows_(2 * window) {}

  // Windows are stepped one by one: with one hidden vector each there is little
  // that a shared step would do only once.
  static constexpr size_t kMostCenters = 1;

  // An example is a center.
  template <class Inputs, class Objective>
  HWY_INLINE void Step(Inputs& inputs, const Objective& objective,
                       const WindowGroup& group, const OutputBlock& block,
                       const GroupWeights&, absl::Span<const SharedRow> wanted,
                       StepBlock& steps, LossSum& losses, Worker& worker) {
    const absl::Span<const SharedRow> context =
        Gather(inputs, group.windows[0], hidden_.Row(0));
    const HiddenInput hidden{hidden_.Row(0), hidden_.Row(1)};
    StepHiddenVector(hidden, block, worker.learning_rate(), columns_, wanted,
                     steps, losses);
    objective.Finish(block, steps, 1);
    worker.AddExamples(1);
    AddScaledToAll(Share(context.size()), hidden.hidden_step, columns_,
                   context);
  }

  HWY_INLINE void AddExample(const Window& window, SoftmaxBatch& batch) {
    const absl::Span<const SharedRow> context =
        Gather(WordInputs(input_), window, batch.hidden.Row(batch.size()));
    sources_.insert(sources_.end(), context.begin(), context.end());
    source_ends_.push_back(sources_.size());
    batch.PushTarget(static_cast<uint32_t>(window.words[window.center]));
    batch.EndExample();
  }

  HWY_INLINE void GiveBackSteps(const SoftmaxBatch& batch) {
    size_t begin = 0;
    for (size_t i = 0; i < source_ends_.size(); ++i) {
      const size_t count = source_ends_[i] - begin;
      AddScaledToAll(Share(count), batch.hidden_steps.Row(i), columns_,
                     absl::MakeConstSpan(sources_).subspan(begin, count));
      begin += count;
    }
    sources_.clear();
    source_ends_.clear();
  }

 private:
  // The mean of the context into `hidden`. Returns the context's rows.
  template <class Inputs>
  HWY_INLINE absl::Span<const SharedRow> Gather(Inputs&& inputs,
                                                const Window& window,
                                                float* hidden) {
    size_t count = 0;
    for (size_t pos = window.begin; pos < window.end; ++pos) {
      if (pos == window.center) continue;
      rows_[count++] = inputs.Row(window.words, pos);
    }
    const auto context = absl::MakeConstSpan(rows_).first(count);
    ScaledSum(context, 1.0f / static_cast<float>(count), columns_, hidden);
    return context;
  }

  float Share(size_t count) const {
    return corrected_ ? 1.0f / static_cast<float>(count) : 1.0f;
  }

  bool corrected_;
  SharedMatrix& input_;
  size_t columns_;
  AlignedMatrix hidden_;            // the hidden vector and its step
  std::vector<SharedRow> rows_;     // of the present context
  std::vector<SharedRow> sources_;  // of all contexts of the batch
  std::vector<size_t> source_ends_;
};

inline Cbow MakeArchitecture(const CbowOptions& cbow,
                             const TrainOptions& options,
                             EmbeddingModel& model) {
  return Cbow(cbow, static_cast<size_t>(options.window), model);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
