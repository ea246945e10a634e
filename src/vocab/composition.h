// Composition: maps each word to the rows of the input table whose mean is the
// word's vector.

#ifndef FIRTH_VOCAB_COMPOSITION_H_
#define FIRTH_VOCAB_COMPOSITION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "firth/subwords.h"
#include "firth/vocabulary.h"
#include "firth/word_id.h"

namespace firth {

// Row w of the table belongs to word w, and row V + r to row r of the index. A
// word has its own row and those of its n-grams. If words have no rows (see
// WordsHaveRows()), row r belongs to row r of the index. Immutable.
class Composition {
 public:
  Composition(const Vocabulary& vocabulary, const SubwordIndex& index);
  // Creates the composition of words without n-grams.
  explicit Composition(size_t num_words);

  absl::Span<const uint32_t> RowsOf(WordId word) const {
    const size_t begin = begins_[Index(word)];
    return absl::MakeConstSpan(rows_).subspan(begin,
                                              begins_[Index(word) + 1] - begin);
  }
  size_t num_words() const { return begins_.size() - 1; }
  size_t most_rows() const { return most_rows_; }  // Maximum for one word.
  // Returns how many rows of a word are its own, 1 or 0. They come first.
  size_t own_rows() const { return own_rows_; }
  uint64_t Bytes() const {
    return begins_.size() * sizeof(size_t) + rows_.size() * sizeof(uint32_t);
  }

 private:
  std::vector<uint32_t> rows_;
  std::vector<size_t> begins_;  // [words + 1], positions in rows_.
  size_t most_rows_ = 0;
  size_t own_rows_ = 1;
};

}  // namespace firth

#endif  // FIRTH_VOCAB_COMPOSITION_H_
