// Where the input vectors of a window's words come from: from the table, a row
// a word, or put together from the rows of a word and its n-grams.
//
// A word with n-grams is the mean of some 25 rows. It is put together once when
// it comes into reach of the center, is a row of private memory while it is in
// reach, for up to 2 * window + 1 steps, and gives its steps back to all its
// rows once, when it leaves. (fastText does both for each pair of words, which
// is most of its time.) What other words do meanwhile to a row that it shares
// with them, it sees when it enters next, as what other threads do (Hogwild).
// Words that are pinned take part in the same way, and give nothing back.

#include "base/aligned_matrix.h"
#include "model/embedding_model.h"
#include "model/slice_log.h"
#include "simd/targets.h"
#include "train/sentence_reader.h"
#include "vocab/composition.h"

#if defined(FIRTH_TRAIN_INPUTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef FIRTH_TRAIN_INPUTS_INL_H_
#undef FIRTH_TRAIN_INPUTS_INL_H_
#else
#define FIRTH_TRAIN_INPUTS_INL_H_
#endif

#include "hwy/highway.h"
#include "simd/row_ops-inl.h"
#include "train/logged_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

class WordInputs {
 public:
  explicit WordInputs(SharedMatrix& table) : table_(table) {}

  // Rows are in the table itself, and worth asking for ahead.
  static constexpr bool kInTable = true;

  HWY_INLINE void Start(const WordRun&, SliceLog*) {}
  HWY_INLINE void MoveTo(const WordRun&, size_t, size_t) {}
  HWY_INLINE void Finish(const WordRun&) {}

  // Of the word at a position of the run's words.
  HWY_INLINE SharedRow Row(absl::Span<const WordId> words, size_t pos) const {
    return table_.Row(Index(words[pos]));
  }

 private:
  SharedMatrix& table_;
};

class ComposedInputs {
 public:
  // word_step, n_gram_step: the shares of a word's step that its own row and
  // each of its n-grams' rows get. most_in_reach: positions that MoveTo() may
  // be asked for at once. Borrows the model, which has a composition.
  ComposedInputs(EmbeddingModel& model, float word_step, float n_gram_step,
                 size_t most_in_reach)
      : model_(model),
        table_(model.input()),
        composition_(*model.composition()),
        word_step_(word_step),
        n_gram_step_(n_gram_step),
        columns_(VisitedColumns(model.dim())),
        mask_(std::bit_ceil(most_in_reach) - 1),
        now_(mask_ + 1, model.dim()),
        entered_(mask_ + 1, model.dim()),
        rows_(composition_.most_rows()) {}

  static constexpr bool kInTable = false;

  // Steps go into the log, if there is one, else to the table.
  HWY_INLINE void Start(const WordRun& run, SliceLog* log) {
    log_ = log;
    begin_ = end_ = 0;
    for (size_t pos = 0; pos < kWordsAhead; ++pos) Prefetch(run, pos);
  }

  // From now on the words [begin, end) of the run are in reach; neither falls.
  HWY_INLINE void MoveTo(const WordRun& run, size_t begin, size_t end) {
    for (; begin_ < begin; ++begin_) Leave(run, begin_);
    for (; end_ < end; ++end_) {
      Enter(run, end_);
      Prefetch(run, end_ + kWordsAhead);
    }
  }

  HWY_INLINE void Finish(const WordRun& run) { MoveTo(run, end_, end_); }

  HWY_INLINE SharedRow Row(absl::Span<const WordId>, size_t pos) {
    return SharedRow(now_.Row(pos & mask_));
  }

 private:
  // Rows are asked for this many words before their use.
  static constexpr size_t kWordsAhead = 2;

  HWY_INLINE absl::Span<const SharedRow> RowsOf(WordId word) {
    size_t count = 0;
    for (const uint32_t row : composition_.RowsOf(word)) {
      rows_[count++] = table_.Row(row);
    }
    return absl::MakeConstSpan(rows_).first(count);
  }

  HWY_INLINE void Prefetch(const WordRun& run, size_t pos) {
    if (pos >= run.words.size()) return;
    for (const uint32_t row : composition_.RowsOf(run.words[pos])) {
      for (size_t at = 0; at < columns_; at += kRowFloats) {
        PrefetchElement(table_.Row(row), at);
      }
    }
  }

  void Enter(const WordRun& run, size_t pos) {
    const absl::Span<const SharedRow> rows = RowsOf(run.words[pos]);
    float* const entered = entered_.Row(pos & mask_);
    ScaledSum(rows, 1.0f / static_cast<float>(rows.size()), columns_, entered);
    std::copy_n(entered, columns_, now_.Row(pos & mask_));
  }

  void Leave(const WordRun& run, size_t pos) {
    const WordId word = run.words[pos];
    if (model_.IsPinned(word)) return;
    const float* const now = now_.Row(pos & mask_);
    const float* const entered = entered_.Row(pos & mask_);
    const size_t own = composition_.own_rows();
    if (log_ != nullptr) {
      float* const moved = log_->input.NewVector();
      Subtract(now, entered, moved);
      const absl::Span<const uint32_t> rows = composition_.RowsOf(word);
      const float weight = 1.0f / static_cast<float>(rows.size());
      for (size_t i = 0; i < rows.size(); ++i) {
        log_->input.Add(rows[i], moved, i < own ? word_step_ : n_gram_step_,
                        weight);
      }
      AddSpread(SharedRow(entered_.Row(pos & mask_)), columns_, log_->inputs);
      return;
    }
    float* const moved = entered_.Row(pos & mask_);
    Subtract(now, entered, moved);
    const absl::Span<const SharedRow> rows = RowsOf(word);
    AddScaledToAll(word_step_, moved, columns_, rows.first(own));
    AddScaledToAll(n_gram_step_, moved, columns_, rows.subspan(own));
  }

  // to = a - b
  void Subtract(const float* a, const float* b, float* to) const {
    const FloatTag d;
    for (size_t at = 0; at < columns_; at += FloatLanes()) {
      hn::Store(hn::Sub(hn::Load(d, a + at), hn::Load(d, b + at)), d, to + at);
    }
  }

  const EmbeddingModel& model_;
  SharedMatrix& table_;
  SliceLog* log_ = nullptr;
  const Composition& composition_;
  const float word_step_;
  const float n_gram_step_;
  const size_t columns_;
  const size_t mask_;            // a position's place in the ring
  AlignedMatrix now_;            // [ring, dim]: the words in reach
  AlignedMatrix entered_;        // as they were when they came
  std::vector<SharedRow> rows_;  // of one word
  size_t begin_ = 0;             // [begin_, end_) is in reach
  size_t end_ = 0;
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
