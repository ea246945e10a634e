// The architectures, for the per-target build: which input rows a window has.
// Each has a MakeArchitecture() for its alternative of ArchitectureOptions.

#include <array>

#include "base/shared_matrix.h"
#include "simd/targets.h"
#include "train/sentence_reader.h"

#if defined(FIRTH_TRAIN_ARCHITECTURES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_TRAIN_ARCHITECTURES_INL_H_
#undef FIRTH_TRAIN_ARCHITECTURES_INL_H_
#else
#define FIRTH_TRAIN_ARCHITECTURES_INL_H_
#endif

#include "hwy/highway.h"
#include "simd/row_ops-inl.h"
#include "simd/window_kernel-inl.h"
#include "train/inputs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

// Skip-gram. Every word of the context predicts the center: m input rows, those
// of the context, are stepped against the output rows of the center's block.
// Rows of the sentence predict its words in the same way (PV-DBOW of Le and
// Mikolov, "Distributed Representations of Sentences and Documents", ICML
// 2014). (word2vec.c pairs words in this way. Over a corpus these are the same
// pairs as in "the center predicts its context", Mikolov et al. 2013.)
//
// Directional: the words before the center and those after it have separate
// output rows, so a window takes two steps.
//
// Under full softmax, the center's row is the only hidden vector and the
// context words are its targets. The pairs are the same, with one softmax per
// position instead of one per pair.
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
    weights_.most = group.size;
    size_t count = 0;
    const auto add = [&](SharedRow row, uint32_t contexts) HWY_ATTR {
      rows_.rows[count] = row;
      weights_.of[count] = stepper.WeightsOf(group.size, contexts);
      count += contexts != 0 ? 1 : 0;  // Skips the center of a single window.
      if (count < kMaxInputRows) return;
      stepper.StepWords(rows_, count, weights, block, {});
      count = 0;
    };
    for (const SharedRow row : inputs.of_sentence()) {
      add(row, AllContexts(group.size));
    }
    for (size_t pos = begin; group.word_pairs > 0 && pos < end; ++pos) {
      add(inputs[pos], group.ContextsWith(pos));
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

// CBOW. The mean of the context's input rows, h = 1/n sum_i x_i, predicts the
// center. Rows of the sentence are part of the mean (PV-DM of Le and Mikolov
// 2014). The gradient with respect to one x_i is 1/n of that with respect to h.
// word2vec.c and fastText apply the whole gradient to every x_i, so that the
// learning rate of the inputs varies and is n times as large (Irsoy, Benton and
// Stratos, "Corrected CBOW Performs as well as Skip-gram", 2021). Both are
// available.
//
// Positions may have weights: h = 1/n sum_i w_i * x_i, element by element, so
// that dL/dx_i = 1/n w_i * dL/dh and, if they are learned, dL/dw_i = 1/n x_i *
// dL/dh. Every window of every worker uses the same few rows of weights, so
// each worker has its own copies and exchanges them from time to time (see
// base/shared_matrix.h).
class Cbow {
 public:
  Cbow(const CbowOptions& options, size_t window, EmbeddingModel& model)
      : shared_windows_(options.shared_windows),
        corrected_(options.gradient == CbowGradient::kCorrected),
        sum_(options.sum),
        learns_weights_(options.context_weights == ContextWeights::kPosition),
        window_(window),
        position_weights_(model.position_weights(), 0,
                          model.position_weights().rows()),
        columns_(VisitedColumns(model.dim())),
        hidden_(2 * kMaxCenters, model.dim()),
        rows_(2 * window * kMaxCenters),
        weights_(2 * window * kMaxCenters) {}

  // Returns how many windows one step takes. Two windows in a step share their
  // noise words, whose rows are visited once.
  size_t most_centers() const { return static_cast<size_t>(shared_windows_); }

  // Steps a group of windows. Returns the number of examples, one per center.
  template <class Stepper>
  HWY_NOINLINE size_t Step(const InputRows& inputs, const WindowGroup& group,
                           const OutputBlock& block,
                           absl::Span<const SharedRow> wanted,
                           Stepper& stepper) {
    float* const steps = hidden_.Row(kMaxCenters);
    if (group.size == 1) {
      const Context context =
          Gather(inputs, group.windows[0], 0, hidden_.Row(0));
      stepper.StepHidden({hidden_.Row(0), steps}, block, wanted);
      GiveBack(context, steps);
      return 1;
    }
    const HiddenInputs hidden{hidden_.Row(0), steps, hidden_.stride()};
    if (has_weights()) {
      std::array<Context, kMaxCenters> contexts;
      for (size_t c = 0; c < group.size; ++c) {
        contexts[c] = Gather(inputs, group.windows[c], c, hidden_.Row(c));
      }
      stepper.StepHidden(hidden, group.size, block, wanted);
      for (size_t c = 0; c < group.size; ++c) {
        GiveBack(contexts[c], steps + c * hidden_.stride());
      }
      return group.size;
    }
    FindContexts(inputs, group);
    WithSets(group.size, [&](auto sets) HWY_ATTR {
      ScaledSumsOfSets<sets()>(contexts_.sets, contexts_.scales, columns_,
                               hidden_.Row(0), hidden_.stride());
    });
    stepper.StepHidden(hidden, group.size, block, wanted);
    WithSets(group.size, [&](auto sets) HWY_ATTR {
      AddScaledToSets<sets()>(contexts_.shares, steps, hidden_.stride(),
                              columns_, contexts_.moving);
    });
    return group.size;
  }

  void AddExample(const InputRows& inputs, const Window& window,
                  SoftmaxBatch& batch) {
    const Context context =
        Gather(inputs, window, 0, batch.hidden.Row(batch.size()));
    sources_.insert(sources_.end(), context.rows.begin(), context.rows.end());
    source_weights_.insert(source_weights_.end(), context.weights.begin(),
                           context.weights.end());
    source_ends_.push_back(sources_.size());
    batch.PushTarget(static_cast<uint32_t>(window.words[window.center]));
    batch.EndExample();
  }

  void GiveBackSteps(const SoftmaxBatch& batch) {
    size_t begin = 0;
    for (size_t i = 0; i < source_ends_.size(); ++i) {
      const size_t count = source_ends_[i] - begin;
      Context context{
          absl::MakeConstSpan(sources_).subspan(begin, count), {}, count};
      if (has_weights()) {
        context.weights =
            absl::MakeConstSpan(source_weights_).subspan(begin, count);
      }
      GiveBack(context, batch.hidden_steps.Row(i));
      begin += count;
    }
    sources_.clear();
    source_weights_.clear();
    source_ends_.clear();
  }

  // Returns the weights of positions, which every step reads and updates.
  WorkerTable& hot_rows() { return position_weights_; }

 private:
  // Input rows of a context, and the weights of their positions, if any. The
  // first `moving` rows get steps.
  struct Context {
    absl::Span<const SharedRow> rows;
    absl::Span<float* const> weights;
    size_t moving;
  };

  // The contexts of all windows of a group.
  struct Contexts {
    RowSets sets;
    RowSets moving;  // The first rows of `sets`, which get steps.
    // By window: factors of the sum of its rows and of their steps.
    float scales[kMaxCenters];
    float shares[kMaxCenters];
  };

  bool has_weights() const { return position_weights_.num_hot() > 0; }

  // Calls call(std::integral_constant<size_t, size>()).
  template <class Call>
  static HWY_INLINE void WithSets(size_t size, const Call& call) {
    WithCols(size, [&](auto sets) HWY_ATTR {
      if constexpr (sets() >= 2 && sets() <= kMaxCenters) call(sets);
    });
  }

  // Finds the rows of a group of at least two windows, so that no context is
  // empty, and the windows that each row is in.
  HWY_INLINE void FindContexts(const InputRows& inputs,
                               const WindowGroup& group) {
    const size_t in_sentence = inputs.of_sentence().size();
    const size_t count = in_sentence + group.end - group.begin;
    if (rows_.size() < count) rows_.resize(count);
    if (members_.size() < count * RowSets::kStride) {
      members_.resize(count * RowSets::kStride);
    }
    std::copy_n(inputs.of_sentence().begin(), in_sentence, rows_.begin());
    std::fill_n(members_.begin(), in_sentence * RowSets::kStride, 1.0f);
    // Positions, from the group's first word on. Further sets are empty.
    HWY_ALIGN float begins[RowSets::kStride] = {};
    HWY_ALIGN float ends[RowSets::kStride] = {};
    HWY_ALIGN float centers[RowSets::kStride] = {};
    const auto position = [&](size_t pos) {
      return static_cast<float>(pos - group.begin);
    };
    for (size_t c = 0; c < group.size; ++c) {
      const Window& window = group.windows[c];
      begins[c] = position(window.begin);
      ends[c] = position(window.end);
      centers[c] = position(window.center);
      const float mean =
          1.0f / static_cast<float>(in_sentence + window.context_size());
      contexts_.scales[c] = sum_ ? 1.0f : mean;
      contexts_.shares[c] = corrected_ ? mean : 1.0f;
    }
    const hn::CappedTag<float, RowSets::kStride> d;
    float* members = members_.data() + in_sentence * RowSets::kStride;
    for (size_t pos = group.begin; pos < group.end; ++pos) {
      rows_[in_sentence + pos - group.begin] = inputs[pos];
      const auto at = hn::Set(d, position(pos));
      for (size_t c = 0; c < RowSets::kStride; c += hn::Lanes(d)) {
        const auto in = hn::And(hn::Ge(at, hn::Load(d, begins + c)),
                                hn::And(hn::Lt(at, hn::Load(d, ends + c)),
                                        hn::Ne(at, hn::Load(d, centers + c))));
        hn::StoreU(hn::IfThenElseZero(in, hn::Set(d, 1.0f)), d, members + c);
      }
      members += RowSets::kStride;
    }
    contexts_.sets = {absl::MakeConstSpan(rows_).first(count), members_.data()};
    contexts_.moving = contexts_.sets;
    if (!inputs.words_move()) {
      contexts_.moving.rows = contexts_.moving.rows.first(in_sentence);
    }
  }

  // Writes the mean of the context of the c-th window of a group to `hidden`.
  HWY_INLINE Context Gather(const InputRows& inputs, const Window& window,
                            size_t c, float* hidden) {
    const size_t most = 2 * window_ + inputs.of_sentence().size();
    if (rows_.size() < most * kMaxCenters) rows_.resize(most * kMaxCenters);
    const auto rows = absl::MakeSpan(rows_).subspan(c * most, most);
    size_t count = 0;
    for (const SharedRow row : inputs.of_sentence()) rows[count++] = row;
    for (size_t pos = window.begin; pos < window.end; ++pos) {
      if (pos == window.center) continue;
      rows[count++] = inputs[pos];
    }
    Context context{rows.first(count),
                    {},
                    inputs.words_move() ? count : inputs.of_sentence().size()};
    const float scale = sum_ ? 1.0f : 1.0f / static_cast<float>(count);
    if (has_weights()) {
      context.weights = Weights(window, c);
      ScaledSumOfProducts(context.rows, context.weights, scale, columns_,
                          hidden);
    } else {
      ScaledSum(context.rows, scale, columns_, hidden);
    }
    return context;
  }

  absl::Span<float* const> Weights(const Window& window, size_t c) {
    const auto weights = absl::MakeSpan(weights_).subspan(c * 2 * window_);
    size_t count = 0;
    for (size_t pos = window.begin; pos < window.end; ++pos) {
      if (pos == window.center) continue;
      weights[count++] =
          position_weights_.Own(ContextPosition(pos, window.center, window_));
    }
    return weights.first(count);
  }

  HWY_INLINE void GiveBack(const Context& context, const float* hidden_step) {
    const size_t count = context.rows.size();
    const float mean = 1.0f / static_cast<float>(count);
    const float share = corrected_ ? mean : 1.0f;
    if (has_weights()) {
      AddProducts(context.rows, context.weights, share,
                  learns_weights_ ? mean : 0, hidden_step, columns_);
    } else {
      AddScaledToAll(share, hidden_step, columns_,
                     context.rows.first(context.moving));
    }
  }

  int shared_windows_;
  bool corrected_;
  bool sum_;
  bool learns_weights_;
  size_t window_;
  WorkerTable position_weights_;  // [positions, dim]; no rows if all are equal.
  size_t columns_;
  PaddedMatrix hidden_;          // Hidden vectors of a group, then their steps.
  std::vector<SharedRow> rows_;  // [2 * window] for each window of the group.
  std::vector<float*> weights_;  // Same shape as rows_.
  std::vector<float> members_;   // Of the group's rows, see RowSets.
  Contexts contexts_;            // Of the group.
  std::vector<SharedRow> sources_;  // Input rows of all contexts in the batch.
  std::vector<float*> source_weights_;
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
