// Input vectors of a window's words: either rows of the table, one per word, or
// composed from the rows of a word and its n-grams.
//
// A word with n-grams is the mean of about 25 rows. It is composed once, when
// it comes into reach of the center. While it is in reach, for up to 2 * window
// + 1 steps, it is a row of private memory. When it leaves, its steps are added
// to all its rows at once. (fastText does both for each pair of words, which
// takes most of its time.) If other words meanwhile change a row that it shares
// with them, it sees the change when it next enters, like changes by other
// threads (Hogwild). Pinned words take part in the same way, but change no
// rows.

#include "base/matrix.h"
#include "base/prefetch.h"
#include "model/embedding_model.h"
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
#include "train/table_updates-inl.h"

HWY_BEFORE_NAMESPACE();
namespace firth {
namespace HWY_NAMESPACE {

// Rows of the words of a run, by position, and those of its sentence.
class InputRows {
 public:
  HWY_INLINE SharedRow operator[](size_t pos) const {
    return rows_[pos & mask_];
  }
  HWY_INLINE absl::Span<const SharedRow> of_sentence() const {
    return of_sentence_;
  }
  // Returns whether training moves the rows of words; those of the sentence
  // always move.
  HWY_INLINE bool words_move() const { return words_move_; }

 protected:
  std::vector<SharedRow> rows_;
  std::vector<SharedRow> of_sentence_;
  bool words_move_ = true;
  size_t mask_ = SIZE_MAX;  // For a ring of rows, its size - 1.
};

// Rows of the table itself, which are worth prefetching.
class WordInputs : public InputRows {
 public:
  explicit WordInputs(SharedMatrix& table) : table_(table) {}

  static constexpr bool kInTable = true;

  HWY_INLINE void Start(const WordRun& run) {
    rows_.clear();
    for (const WordId word : run.words)
      rows_.push_back(table_.Row(Index(word)));
    of_sentence_.clear();
    for (const uint32_t row : run.rows) of_sentence_.push_back(table_.Row(row));
  }
  HWY_INLINE void MoveTo(const WordRun&, size_t, size_t) {}

 private:
  SharedMatrix& table_;
};

// Rows in private memory.
template <class Updates>
class ComposedInputs : public InputRows {
 public:
  // Borrows the model, which must have a composition, and the updates.
  ComposedInputs(EmbeddingModel& model, const TrainOptions& options,
                 Updates& updates)
      : model_(model),
        table_(model.input()),
        composition_(*model.composition()),
        updates_(updates),
        words_are_inputs_(options.window > 0),
        own_share_(std::holds_alternative<NoSubwords>(options.subwords)
                       ? 1
                       : static_cast<float>(options.word_step)),
        n_gram_share_(static_cast<float>(options.subword_step)),
        columns_(VisitedColumns(model.dim())),
        now_(RingSize(options), model.dim()),
        entered_(now_.rows(), model.dim()),
        table_rows_(composition_.most_rows()) {
    mask_ = now_.rows() - 1;
    for (size_t i = 0; i < now_.rows(); ++i) {
      rows_.push_back(SharedRow(now_.Row(i)));
    }
  }

  static constexpr bool kInTable = false;

  void Start(const WordRun& run) {
    begin_ = end_ = 0;
    EnterSentence(run);
    if (!words_are_inputs_) return;
    for (size_t pos = 0; pos < kWordsAhead; ++pos) Prefetch(run, pos);
  }

  // Brings the words [begin, end) of the run into reach. Neither bound may
  // decrease. The last call of a run must leave no words in reach; the rows of
  // the sentence leave with them.
  HWY_NOINLINE void MoveTo(const WordRun& run, size_t begin, size_t end) {
    if (begin == run.words.size()) LeaveSentence(run);
    if (!words_are_inputs_) return;
    for (; begin_ < begin; ++begin_) Leave(run, begin_);
    for (; end_ < end; ++end_) {
      Enter(run, end_);
      Prefetch(run, end_ + kWordsAhead);
    }
  }

 private:
  // Rows are prefetched this many words before their use.
  static constexpr size_t kWordsAhead = 2;

  // Returns a power of two that is enough for all words in reach at once.
  static size_t RingSize(const TrainOptions& options) {
    return std::bit_ceil(2 * static_cast<size_t>(options.window) + kMaxCenters);
  }

  // Prefetches into the second-level cache: a word's rows would fill a quarter
  // of the first-level cache, which has to hold the rows in use.
  void Prefetch(const WordRun& run, size_t pos) {
    if (pos >= run.words.size()) return;
    for (const uint32_t row : composition_.RowsOf(run.words[pos])) {
      for (size_t at = 0; at < columns_; at += kRowFloats) {
        PrefetchForLater(table_.Row(row).UnsafeData() + at);
      }
    }
  }

  void Enter(const WordRun& run, size_t pos) {
    size_t count = 0;
    for (const uint32_t row : composition_.RowsOf(run.words[pos])) {
      table_rows_[count++] = table_.Row(row);
    }
    float* const entered = entered_.Row(pos & mask_);
    ScaledSum(absl::MakeConstSpan(table_rows_).first(count),
              1.0f / static_cast<float>(count), columns_, entered);
    std::copy_n(entered, columns_, now_.Row(pos & mask_));
  }

  void Leave(const WordRun& run, size_t pos) {
    const WordId word = run.words[pos];
    if (model_.IsPinned(word)) return;
    updates_.AddWord({composition_.RowsOf(word), composition_.own_rows(),
                      own_share_, n_gram_share_, now_.Row(pos & mask_),
                      entered_.Row(pos & mask_)});
  }

  // The rows of a sentence are in private memory for the whole run.
  void EnterSentence(const WordRun& run) {
    const size_t count = run.rows.size();
    if (2 * count > sentence_.rows()) {
      sentence_ = PaddedMatrix(2 * count, model_.dim());
    }
    of_sentence_.clear();
    for (size_t i = 0; i < count; ++i) {
      float* const now = sentence_.Row(2 * i);
      CopyRow(table_.Row(run.rows[i]), columns_, now);
      std::copy_n(now, columns_, sentence_.Row(2 * i + 1));
      of_sentence_.push_back(SharedRow(now));
    }
  }

  void LeaveSentence(const WordRun& run) {
    for (size_t i = 0; i < of_sentence_.size(); ++i) {
      updates_.AddWord({run.rows.subspan(i, 1), 1, 1, 0, sentence_.Row(2 * i),
                        sentence_.Row(2 * i + 1)});
    }
    of_sentence_.clear();
  }

  const EmbeddingModel& model_;
  SharedMatrix& table_;
  const Composition& composition_;
  Updates& updates_;
  const bool words_are_inputs_;  // Whether windows have words at all.
  // Factors of a word's step, for its own row and for the rows of its n-grams.
  const float own_share_;
  const float n_gram_share_;
  const size_t columns_;
  PaddedMatrix now_;                   // [ring, dim]: the words in reach.
  PaddedMatrix entered_;               // Their values when they entered.
  PaddedMatrix sentence_;              // Rows of the sentence: now, entered.
  std::vector<SharedRow> table_rows_;  // Rows of one word.
  size_t begin_ = 0;                   // [begin_, end_) is in reach.
  size_t end_ = 0;
};

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace firth
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
