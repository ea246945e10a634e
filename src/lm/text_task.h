// TextTask: what a language model learns from a text. It reads the text in
// chunks, chooses what each chunk predicts, and runs the layers and heads.
//
// A training step adds the words of the chunk to ChunkWords and encodes them;
// each distinct word is encoded once.

#ifndef FIRTH_LM_TEXT_TASK_H_
#define FIRTH_LM_TEXT_TASK_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/corpus.h"
#include "firth/language_model.h"
#include "lm/chunk_words.h"
#include "lm/language_model.h"
#include "lm/text_rows.h"
#include "lm/text_words.h"
#include "nn/head.h"

namespace firth {

class TextTask {
 public:
  // What one head reads of a chunk: one direction, or both together.
  struct Side {
    std::vector<uint32_t> word_of_row;  // the encoded word of each row
    nn::Targets targets;                // rows that predict, and their words
    Matrix<float> inputs;
    Matrix<float> d_inputs;       // gradient of the inputs
    nn::LayerState<float> state;  // carried over to the next chunk
    double loss = 0;              // mean over the targets, nats
  };

  virtual ~TextTask() = default;

  // Reads the next chunk, drawn by the key if anything is drawn. Adds its words
  // to *words, and sets the words of rows and the targets of the sides.
  virtual void Read(uint64_t key, ChunkWords* words) = 0;
  // Runs layers and heads forward and backward on the encoded words. Sets the
  // losses and gradients of the sides.
  virtual void Run(ConstView<float> vectors, uint64_t key) = 0;
  // Returns whether the loss is only that of predicted words.
  virtual bool has_only_words() const { return true; }

  // Sides by direction, or a single one.
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

#endif  // FIRTH_LM_TEXT_TASK_H_
