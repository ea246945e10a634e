// Composition: which rows of the input table a word's vector is the mean of.

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

// Row w of the table is word w's own, row V + r that of row r of the index: a
// word's rows are its own and those of its n-grams. Where words have no rows
// (see WordsHaveRows()), row r is that of row r of the index. Immutable.
class Composition {
 public:
  Composition(const Vocabulary& vocabulary, const SubwordIndex& index);
  // Of words without n-grams.
  explicit Composition(size_t num_words);

  absl::Span<const uint32_t> RowsOf(WordId word) const {
    const size_t begin = begins_[Index(word)];
    return absl::MakeConstSpan(rows_).subspan(begin,
                                              begins_[Index(word) + 1] - begin);
  }
  size_t num_words() const { return begins_.size() - 1; }
  size_t most_rows() const { return most_rows_; }  // of a word
  // How many rows of a word are its own, 1 or 0; the first.
  size_t own_rows() const { return own_rows_; }
  uint64_t Bytes() const {
    return begins_.size() * sizeof(size_t) + rows_.size() * sizeof(uint32_t);
  }

 private:
  std::vector<uint32_t> rows_;
  std::vector<size_t> begins_;  // [words + 1], into rows_
  size_t most_rows_ = 0;
  size_t own_rows_ = 1;
};

}  // namespace firth

#endif  // FIRTH_VOCAB_COMPOSITION_H_
