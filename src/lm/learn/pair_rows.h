// Pairs from a text with documents, to train models on whether a sentence
// follows another (Devlin et al. 2019, section 3.1 and its published code).
//
// A pair is two runs of sentences, <S> a </S> b </S>. Run a ends when it
// reaches a random number of words. Run b follows it in the document or, for
// half of the pairs, begins at a random sentence of another document. Together
// they fill the steps of a row, if their documents are long enough. Run a keeps
// its last words, and b its first.

#ifndef FIRTH_LM_LEARN_PAIR_ROWS_H_
#define FIRTH_LM_LEARN_PAIR_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "firth/corpus.h"

namespace firth {

// Pairs, one after another, with ids as in TextWords.
struct PairChunk {
  std::vector<uint32_t> ids;
  std::vector<size_t> lengths;   // of the pairs
  std::vector<size_t> seconds;   // row of `ids` at which each b begins
  std::vector<uint32_t> labels;  // 0 if b follows a, otherwise 1
};

class PairRows {
 public:
  // Checks that pairs of at most `steps` steps can be drawn. Errors:
  // InvalidArgument, fewer than two documents, or fewer than five steps.
  static absl::Status Check(const Corpus& text, size_t steps);

  // `first_word` is that of TextWords. Borrows the text, which passed Check().
  PairRows(const Corpus& text, uint32_t first_word);

  // Draws the next `pairs`, each of at most `steps` rows, by the key.
  void Fill(size_t pairs, size_t steps, uint64_t key, PairChunk* chunk);

  // Returns the sentence at which the next pair begins, for checkpoints.
  uint64_t position() const { return next_; }
  // Returns false if there is no such sentence.
  bool set_position(uint64_t position);

 private:
  struct Words {  // range of the text
    size_t begin;
    size_t end;
  };

  size_t num_documents() const { return documents_.size() - 1; }
  // Returns the document of a sentence.
  size_t DocumentOf(size_t sentence) const;
  // Returns the words of whole sentences, from this one until there are
  // `enough` words or the document ends. Sets *end to the sentence after them.
  Words Take(size_t sentence, size_t enough, size_t* end) const;
  // Draws the first sentence of a b that does not follow.
  size_t DrawOther(size_t document, class Rng& rng) const;
  void Append(Words words, std::vector<uint32_t>* ids) const;

  absl::Span<const uint32_t> tokens_;
  uint32_t first_word_;
  std::vector<Words> sentences_;
  std::vector<size_t> documents_ = {0};  // first sentence of each, and the end
  size_t next_ = 0;
};

}  // namespace firth

#endif  // FIRTH_LM_LEARN_PAIR_ROWS_H_
