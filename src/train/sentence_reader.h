// SentenceReader: reads one worker's piece of the corpus.

#ifndef FIRTH_TRAIN_SENTENCE_READER_H_
#define FIRTH_TRAIN_SENTENCE_READER_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/matrix.h"
#include "base/rng.h"
#include "base/shared_matrix.h"
#include "corpus/token_stream.h"
#include "firth/word_id.h"
#include "simd/window_block.h"
#include "vocab/subsampler.h"

namespace firth {

// Positions [begin, end) of a TokenStream.
struct StreamPiece {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// Rows of the input table that belong to whole sentences, such as the vectors
// of documents. They are in the context of every word of their sentence.
struct SentenceRows {
  // Position of each sentence's first token in the stream, ascending. A
  // sentence may be empty.
  std::vector<uint64_t> begins;
  std::vector<uint64_t> row_begins;  // [sentences + 1], positions in `rows`.
  std::vector<uint32_t> rows;        // Rows of the input table.
  // Number of different rows. They follow those of words in the input table.
  size_t num_rows = 0;

  // Returns the sentence of a position of the stream.
  size_t SentenceAt(uint64_t position) const {
    return static_cast<size_t>(
        std::upper_bound(begins.begin(), begins.end(), position) -
        begins.begin() - 1);
  }
  absl::Span<const uint32_t> RowsOf(size_t sentence) const {
    return absl::MakeConstSpan(rows).subspan(
        row_begins[sentence], row_begins[sentence + 1] - row_begins[sentence]);
  }
};

// The words that subsampling kept of a sentence, or of a part of a long one.
// Centers are the words from first_center to end_center. The words around them
// are only context and belong to another part.
struct WordRun {
  std::vector<WordId> words;
  std::vector<uint64_t> keys;  // Random bits of each word.
  size_t first_center = 0;
  size_t end_center = 0;
  absl::Span<const uint32_t> rows;  // Those of the sentence, see SentenceRows.
};

// Reads a piece as runs. The words kept, and their windows, depend only on the
// seed, the epoch and the position. So a piece may begin and end anywhere, even
// inside a sentence: its reader takes context from beyond the boundary, and
// every position of the corpus is a center exactly once, with the same window,
// for any number of pieces. Sentences have no maximum length; a long one is
// returned as several runs whose windows overlap. Not thread-safe. Borrows the
// stream and the subsampler.
class SentenceReader {
 public:
  // `epoch_key` is CombineKeys(seed, epoch). `window` is the number of context
  // words on each side. `rows` is null if sentences have no rows.
  SentenceReader(const TokenStream& stream, const Subsampler& subsampler,
                 StreamPiece piece, uint64_t epoch_key, size_t window,
                 const SentenceRows* rows = nullptr);

  // Continues with another piece.
  void Start(StreamPiece piece) {
    position_ = piece.begin;
    end_ = piece.end;
    sentence_ =
        rows_ != nullptr && position_ < end_ ? rows_->SentenceAt(position_) : 0;
  }

  // Replaces *run by the next run with at least one center. Returns false at
  // the end of the piece.
  bool Next(WordRun* run);

  // Returns how many words of all its pieces were read, including dropped ones.
  uint64_t words_read() const { return words_read_; }

 private:
  uint64_t KeyAt(uint64_t position) const {
    return Mix64(epoch_key_ +
                 (first_position_ + position) * 0x9e3779b97f4a7c15u);
  }
  bool Keeps(uint32_t token, uint64_t key) const {
    return subsampler_.Keeps(ToWordId(token), static_cast<uint32_t>(key >> 32));
  }
  void AddContextBefore(uint64_t position, WordRun* run) const;
  void AddCenters(WordRun* run);
  void AddContextAfter(WordRun* run) const;

  absl::Span<const uint32_t> tokens_;
  const Subsampler& subsampler_;
  uint64_t first_position_;
  uint64_t position_;
  uint64_t end_;
  uint64_t epoch_key_;
  size_t window_;
  const SentenceRows* rows_;
  size_t sentence_ = 0;        // That of position_, if sentences have rows.
  std::vector<WordId> words_;  // Scratch memory.
  std::vector<uint64_t> keys_;
  uint64_t words_read_ = 0;
};

// Returns the reach of the window at a word: uniform in 1..window, drawn from
// the half of the word's key that subsampling does not use.
inline size_t DrawReach(uint64_t key, size_t window) {
  return 1 + static_cast<size_t>(((key & 0xffffffffu) * window) >> 32);
}

// One position of a run, with the context in its reach: the words [begin, end)
// except for the center.
struct Window {
  absl::Span<const WordId> words;
  size_t center;
  size_t begin;
  size_t end;

  size_t context_size() const { return end - begin - 1; }
  bool Has(size_t pos) const {
    return pos >= begin && pos < end && pos != center;
  }
};

// One window, or the windows of adjacent centers that share their noise words.
constexpr size_t kMaxCenters = kMostSharing;
struct WindowGroup {
  std::array<Window, kMaxCenters> windows;
  size_t size;   // Number of windows.
  size_t begin;  // Words [begin, end) are in some window.
  size_t end;
  size_t word_pairs;     // Number of pairs of a center and a context word.
  size_t sentence_rows;  // Rows of the sentence, which are in every window.

  // Returns the contexts that contain the word: bit c is set for windows[c].
  uint32_t ContextsWith(size_t pos) const {
    uint32_t bits = 0;
    for (size_t c = 0; c < size; ++c) {
      bits |= static_cast<uint32_t>(windows[c].Has(pos)) << c;
    }
    return bits;
  }
  size_t num_pairs() const { return word_pairs + size * sentence_rows; }
};

// Returns the set of all contexts of a group of `size` windows.
constexpr uint32_t AllContexts(size_t size) { return (1u << size) - 1; }

// Returns the position of a context word, from 0 for the leftmost word of a
// whole window to 2 * window - 1.
inline size_t ContextPosition(size_t pos, size_t center, size_t window) {
  return pos < center ? window - (center - pos) : window + (pos - center) - 1;
}

inline Window WindowAt(const WordRun& run, size_t center, size_t window,
                       bool dynamic) {
  const size_t reach = dynamic ? DrawReach(run.keys[center], window) : window;
  return {run.words, center, center - std::min(center, reach),
          std::min(center + reach + 1, run.words.size())};
}

// Returns the windows of `size` centers, beginning at `center`.
inline WindowGroup GroupAt(const WordRun& run, size_t center, size_t size,
                           size_t window, bool dynamic) {
  WindowGroup group;
  group.size = size;
  group.sentence_rows = run.rows.size();
  group.windows[0] = WindowAt(run, center, window, dynamic);
  group.begin = group.windows[0].begin;
  group.end = group.windows[0].end;
  group.word_pairs = group.windows[0].context_size();
  for (size_t c = 1; c < size; ++c) {
    group.windows[c] = WindowAt(run, center + c, window, dynamic);
    group.begin = std::min(group.begin, group.windows[c].begin);
    group.end = std::max(group.end, group.windows[c].end);
    group.word_pairs += group.windows[c].context_size();
  }
  return group;
}

// How often the pair of an input row and an output row of a group's block
// counts. With the target of a center, it counts once if the input is in that
// center's context; with a noise word, once for each such center.
class GroupWeights {
 public:
  explicit GroupWeights(size_t max_rows)
      : weights_(FirstRow(kMaxCenters + 1), max_rows + kColumnOverrun) {
    for (size_t size = 1; size <= kMaxCenters; ++size) {
      for (uint32_t contexts = 0; contexts <= AllContexts(size); ++contexts) {
        float* const row = weights_.Row(FirstRow(size) + contexts);
        for (size_t j = 0; j < weights_.cols(); ++j) {
          row[j] = static_cast<float>(j < size ? contexts >> j & 1
                                               : std::popcount(contexts));
        }
      }
    }
  }

  // Returns [rows of the block], for a group of `size` windows. See
  // WindowGroup::ContextsWith() for `contexts`.
  const float* Of(size_t size, uint32_t contexts) const {
    return weights_.Row(FirstRow(size) + contexts);
  }

 private:
  // Returns the row of no context, after the rows of smaller groups.
  static constexpr size_t FirstRow(size_t size) {
    return (size_t{1} << size) - 2;
  }

  PaddedMatrix weights_;  // [sets of contexts of each size, columns]
};

}  // namespace firth

#endif  // FIRTH_TRAIN_SENTENCE_READER_H_
