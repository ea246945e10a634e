// SentenceReader: reads one worker's piece of the corpus.

#ifndef FIRTH_TRAIN_SENTENCE_READER_H_
#define FIRTH_TRAIN_SENTENCE_READER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "base/rng.h"
#include "corpus/token_stream.h"
#include "firth/word_id.h"
#include "vocab/subsampler.h"

namespace firth {

// Positions [begin, end) of a TokenStream.
struct StreamPiece {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// The words that subsampling kept of a sentence, or of a part of a long one.
// Centers are the words from first_center to end_center. The words around them
// are only context and belong to another part.
struct WordRun {
  std::vector<WordId> words;
  std::vector<uint64_t> keys;  // Random bits of each word.
  size_t first_center = 0;
  size_t end_center = 0;
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
  // words on each side.
  SentenceReader(const TokenStream& stream, const Subsampler& subsampler,
                 StreamPiece piece, uint64_t epoch_key, size_t window);

  // Continues with another piece.
  void Start(StreamPiece piece) {
    position_ = piece.begin;
    end_ = piece.end;
  }

  // Replaces *run by the next run with at least one center. Returns false at
  // the end of the piece.
  bool Next(WordRun* run);

  // Returns how many words of all its pieces were read, including dropped ones.
  uint64_t words_read() const { return words_read_; }

 private:
  uint64_t KeyAt(uint64_t position) const;
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
  uint64_t words_read_ = 0;
};

// Returns the reach of the window at a word: uniform in 1..window, drawn from
// the half of the word's key that subsampling does not use.
inline size_t DrawReach(uint64_t key, size_t window) {
  return 1 + static_cast<size_t>(((key & 0xffffffffu) * window) >> 32);
}

}  // namespace firth

#endif  // FIRTH_TRAIN_SENTENCE_READER_H_
