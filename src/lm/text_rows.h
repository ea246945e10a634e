// A text as rows of a batch, for truncated back-propagation through time.
//
// The text is cut at ends of sentences into as many pieces of about one length
// as there are rows; a row holds the sentences of its piece end to end, again
// and again. A sentence w_1 ... w_n takes n + 1 steps. At step i, from 0,
//
//   forward   reads s_i           and predicts s_{i+1}
//   backward  reads s_{n+1-i}     and predicts s_{n-i}
//
// with s_0 = <S>, s_i = w_i, s_{n+1} = </S>: each direction reads every
// sentence in its own order, begins and ends it at the same steps, and carries
// its state on.
//
// Where words are hidden and nothing is carried on, the rows are whole
// sentences: n + 2 steps, with both marks.

#ifndef FIRTH_LM_TEXT_ROWS_H_
#define FIRTH_LM_TEXT_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "corpus/token_stream.h"

namespace firth {

// Ids as TextWords gives them.
struct TextChunk {
  struct Side {
    std::vector<uint32_t> inputs;   // [steps * rows], time-major
    std::vector<uint32_t> targets;  // the same
  };
  Side forward;
  Side backward;  // the first step in the last rows
};

class TextRows {
 public:
  // At most `most_rows` rows, fewer if there are fewer sentences. first_word:
  // of TextWords. Borrows the text, which has a sentence.
  TextRows(const TokenStream& text, uint32_t first_word, size_t most_rows,
           bool whole = false);

  size_t rows() const { return cursors_.size(); }
  // Steps of all sentences together: what one epoch predicts, a direction.
  uint64_t tokens() const { return tokens_; }

  // Whether a row's next step is the first of a sentence.
  bool StartsSentence(size_t row) const { return cursors_[row].step == 0; }

  // The next steps of all rows.
  void Fill(size_t steps, TextChunk* chunk);
  // Those of whole sentences, a row behind another.
  void FillWhole(size_t steps, std::vector<uint32_t>* ids);

  // For checkpoints: sentence and step of every row, in turn.
  std::vector<uint64_t> Positions() const;
  // False if they are of another text.
  bool SetPositions(const std::vector<uint64_t>& positions);

 private:
  struct Cursor {
    size_t begin;  // the piece, in sentences
    size_t end;
    size_t sentence;  // now
    size_t step;      // in it
  };

  size_t Length(size_t sentence) const {
    return starts_[sentence + 1] - starts_[sentence] - 1;
  }
  // Of a sentence.
  size_t Steps(size_t sentence) const { return Length(sentence) + marks_; }
  void Advance(Cursor* cursor) const;
  // s_i of a sentence.
  uint32_t Token(size_t sentence, size_t i) const;

  const TokenStream& text_;
  uint32_t first_word_;
  size_t marks_;                  // steps of a sentence besides its words
  std::vector<uint64_t> starts_;  // of sentences, and the end of the last
  uint64_t tokens_;
  std::vector<Cursor> cursors_;
};

}  // namespace firth

#endif  // FIRTH_LM_TEXT_ROWS_H_
