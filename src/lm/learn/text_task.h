// TextTask: a task on which a language model is trained. It reads a text in
// chunks, chooses the rows that predict and their targets, and runs the layers
// and heads.
//
// A training step adds the words of the chunk to ChunkWords and encodes them;
// each distinct word is encoded once.

#ifndef FIRTH_LM_LEARN_TEXT_TASK_H_
#define FIRTH_LM_LEARN_TEXT_TASK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "corpus/token_stream.h"
#include "firth/corpus.h"
#include "firth/language_model.h"
#include "lm/model/language_model.h"
#include "lm/model/text_words.h"
#include "nn/head.h"

namespace firth {

// A text as rows of a batch, for truncated back-propagation through time.
//
// The text is cut at ends of sentences into one piece per row, all of similar
// length. A row contains the sentences of its piece end to end, again and
// again. A sentence w_1 ... w_n takes n + 1 steps. At step i, from 0,
//
//   forward   reads s_i           and predicts s_{i+1}
//   backward  reads s_{n+1-i}     and predicts s_{n-i}
//
// with s_0 = <S>, s_i = w_i, s_{n+1} = </S>. Each direction reads every
// sentence in its own order, begins and ends it at the same steps, and passes
// on its state.
//
// If words are hidden and no state is passed on, the rows are whole sentences
// of n + 2 steps, with both marks.

// Ids as in TextWords.
struct TextChunk {
  struct Side {
    std::vector<uint32_t> inputs;   // [steps * rows], time-major
    std::vector<uint32_t> targets;  // the same
  };
  Side forward;
  Side backward;  // its first step is in the last rows
};

class TextRows {
 public:
  // Makes at most `most_rows` rows, at most one per sentence. `first_word` is
  // that of TextWords. Borrows the text, which must have a sentence.
  TextRows(const TokenStream& text, uint32_t first_word, size_t most_rows,
           bool whole = false);

  size_t rows() const { return cursors_.size(); }
  // Number of steps of all sentences, which each direction predicts per epoch.
  uint64_t tokens() const { return tokens_; }

  // Returns whether a row's next step is the first of a sentence.
  bool StartsSentence(size_t row) const { return cursors_[row].step == 0; }

  // Sets *chunk to the next steps of all rows.
  void Fill(size_t steps, TextChunk* chunk);
  // Sets *ids to those of whole sentences, one row after another.
  void FillWhole(size_t steps, std::vector<uint32_t>* ids);

  // Returns the sentence and step of every row, interleaved, for checkpoints.
  std::vector<uint64_t> Positions() const;
  // Returns false if the positions belong to another text.
  bool SetPositions(const std::vector<uint64_t>& positions);

 private:
  struct Cursor {
    size_t begin;  // range of the piece, in sentences
    size_t end;
    size_t sentence;  // current sentence
    size_t step;      // in the sentence
  };

  size_t Length(size_t sentence) const {
    return starts_[sentence + 1] - starts_[sentence] - 1;
  }
  // Returns the number of steps of a sentence.
  size_t Steps(size_t sentence) const { return Length(sentence) + marks_; }
  void Advance(Cursor* cursor) const;
  // Returns s_i of a sentence.
  uint32_t Token(size_t sentence, size_t i) const;

  const TokenStream& text_;
  uint32_t first_word_;
  size_t marks_;                  // steps for the marks of a sentence
  std::vector<uint64_t> starts_;  // of sentences, and the end of the last
  uint64_t tokens_;
  std::vector<Cursor> cursors_;
};

class TextTask {
 public:
  // The rows of a chunk that a head reads, and their gradients. A task of next
  // words has a side for each direction; masked words need a single side.
  struct Side {
    std::vector<uint32_t> word_of_row;  // the encoded word of each row
    nn::Targets targets;                // rows that predict, and their words
    Matrix<float> inputs;
    Matrix<float> d_inputs;       // gradient of the inputs
    nn::LayerState<float> state;  // carried over to the next chunk
    double loss = 0;              // mean over the targets, nats
  };

  virtual ~TextTask() = default;

  // Reads the next chunk. The key determines which words are masked and which
  // pairs are drawn. Adds the words of the chunk to *words, and sets the words
  // of rows and the targets of the sides.
  virtual void Read(uint64_t key, ChunkWords* words) = 0;
  // Runs layers and heads forward and backward on the encoded words. Sets the
  // losses and gradients of the sides.
  virtual void Run(ConstView<float> vectors, uint64_t key) = 0;
  // Returns whether the loss consists only of those of predicted words.
  virtual bool has_only_words() const { return true; }

  // The sides are indexed by direction if there are two.
  absl::Span<Side> sides() { return absl::MakeSpan(sides_); }
  absl::Span<nn::HeadWork<float>> works() { return absl::MakeSpan(works_); }
  // Returns the mean loss of the sides in use, nats per target.
  double Loss() const;

  const TextWords& words() const { return words_; }
  // Number of tokens of the text that each direction predicts in an epoch, and
  // in a step.
  uint64_t tokens() const { return rows_.tokens(); }
  uint64_t tokens_per_step() const { return rows_.rows() * unroll_; }
  // Returns the position in the text, for checkpoints.
  virtual std::vector<uint64_t> Positions() const { return rows_.Positions(); }
  // Returns false if the positions belong to another text.
  virtual bool SetPositions(const std::vector<uint64_t>& positions) {
    return rows_.SetPositions(positions);
  }

 protected:
  // `whole` is as for TextRows.
  TextTask(const LanguageModelTraining& training, const Corpus& text,
           BiLanguageModel* model, bool whole);

  BiLanguageModel& model_;
  size_t unroll_;  // steps per chunk
  TextWords words_;
  TextRows rows_;
  std::vector<Side> sides_;
  std::vector<nn::HeadWork<float>> works_;  // one per side
};

// Returns the task of the training run. Borrows all arguments. Errors:
// InvalidArgument, a text without the documents that pairs require.
absl::StatusOr<std::unique_ptr<TextTask>> MakeTextTask(
    const LanguageModelTraining& training, const Corpus& text,
    BiLanguageModel* model);

}  // namespace firth

#endif  // FIRTH_LM_LEARN_TEXT_TASK_H_
