// Pairs of a text of documents, for models that learn whether a sentence
// follows another (Devlin et al. 2019, section 3.1 and its published code).
//
// A pair is two runs of sentences, <S> a </S> b </S>: a ends where a drawn
// number of words is reached, and b is what follows in the document or, for
// half of the pairs, begins at a sentence of another document, drawn. Together
// they fill the steps of a row, as far as their documents go: of a the last
// words stay, of b the first ones.

#ifndef FIRTH_LM_PAIR_ROWS_H_
#define FIRTH_LM_PAIR_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "firth/corpus.h"

namespace firth {

// Ids as TextWords gives them, a pair behind another.
struct PairChunk {
  std::vector<uint32_t> ids;
  std::vector<size_t> lengths;   // of the pairs
  std::vector<size_t> seconds;   // the row of `ids` where each b begins
  std::vector<uint32_t> labels;  // 0: b follows a; 1: it does not
};

class PairRows {
 public:
  // Whether pairs of at most so many steps can be drawn from the text. Errors:
  // InvalidArgument, fewer than two documents, or fewer than five steps.
  static absl::Status Check(const Corpus& text, size_t steps);

  // first_word: of TextWords. Borrows the text, which was checked.
  PairRows(const Corpus& text, uint32_t first_word);

  // The next `pairs`, each of at most `steps` rows. The key draws.
  void Fill(size_t pairs, size_t steps, uint64_t key, PairChunk* chunk);

  // For checkpoints: the sentence at which the next pair begins.
  uint64_t position() const { return next_; }
  // False if there is no such sentence.
  bool set_position(uint64_t position);

 private:
  struct Words {  // in the text
    size_t begin;
    size_t end;
  };

  size_t num_documents() const { return documents_.size() - 1; }
  // The document of a sentence.
  size_t DocumentOf(size_t sentence) const;
  // From a sentence on, to the end of its document at most: those of whole
  // sentences until there are `enough`. Sets *end to the sentence behind them.
  Words Take(size_t sentence, size_t enough, size_t* end) const;
  // The first sentence of a b that does not follow.
  size_t DrawOther(size_t document, class Rng& rng) const;
  void Append(Words words, std::vector<uint32_t>* ids) const;

  absl::Span<const uint32_t> tokens_;
  uint32_t first_word_;
  std::vector<Words> sentences_;
  std::vector<size_t> documents_ = {0};  // their first sentences, and the end
  size_t next_ = 0;
};

}  // namespace firth

#endif  // FIRTH_LM_PAIR_ROWS_H_
