// Sentences of similar lengths as a padded chunk with token vectors, for
// reading text without training.

#ifndef FIRTH_LM_READ_SENTENCE_BATCH_H_
#define FIRTH_LM_READ_SENTENCE_BATCH_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "lm/model/language_model.h"
#include "lm/model/text_words.h"

namespace firth {

// Sets row k to row which[k] of `from`.
template <class T>
void GatherRows(std::type_identity_t<ConstView<T>> from,
                absl::Span<const uint32_t> which, Matrix<T>* rows) {
  rows->Resize(which.size(), from.cols());
  nn::ForRows(which.size(), from.cols(), [&](size_t begin, size_t end) {
    for (size_t k = begin; k < end; ++k) {
      std::copy_n(from.Row(which[k]), from.cols(), rows->Row(k));
    }
  });
}

// Ids of TextWords, without the marks at both ends.
using SentenceIds = std::vector<uint32_t>;

// Returns the ids of other sentences than a Corpus. `words` borrows the tokens.
std::vector<SentenceIds> IdsOf(
    absl::Span<const std::vector<absl::string_view>> sentences,
    TextWords* words);

// A chunk of sentences, each with the marks that the model reads.
struct SentenceChunk {
  std::vector<size_t> lengths;  // including the marks
  // The position in ChunkWords of the word in each row, time-major.
  std::vector<uint32_t> word_of_row;
  // Rows after the first kEndSentence inside of a sentence.
  std::vector<uint32_t> second_rows;

  size_t steps() const { return word_of_row.size() / lengths.size(); }
};
// Lays out the sentences with these indices. `words` then has only their words.
SentenceChunk LayOut(const LanguageModelOptions& options,
                     absl::Span<const SentenceIds> sentences,
                     absl::Span<const size_t> indices, ChunkWords* words);

// A sentence of n words has n + 2 steps, or n + 1 without <S>. In models that
// read pairs, tokens after the first kEndSentence inside of a sentence belong
// to the second segment, whose vector is added to theirs.
class SentenceBatch {
 public:
  // Borrows both arguments. Batches of one thread may share `words`.
  SentenceBatch(BiLanguageModel& model, ChunkWords& words)
      : model_(model), words_(words) {}

  // Takes the sentences with these indices and computes their token vectors.
  void Set(absl::Span<const SentenceIds> sentences,
           absl::Span<const size_t> indices);

  size_t size() const { return indices_.size(); }
  size_t index(size_t b) const { return indices_[b]; }
  nn::ChunkShape shape() const {
    return {chunk_.steps(), size(), chunk_.lengths};
  }
  size_t RowOf(size_t b, size_t step) const { return step * size() + b; }
  // [rows, input size of the layers]
  ConstView<float> tokens() const { return tokens_.view(); }

 private:
  BiLanguageModel& model_;
  ChunkWords& words_;
  std::vector<size_t> indices_;
  SentenceChunk chunk_;
  Matrix<float> tokens_;
};

// Cuts sentences into batches.
class SentenceBatches {
 public:
  // `most` is the number of sentences per batch. They are in the order of the
  // text if keep_order is set, otherwise by length. Borrows the sentences.
  SentenceBatches(absl::Span<const SentenceIds> sentences, size_t most,
                  bool keep_order);

  // Sets *batch to the next batch. Returns false if there is none.
  bool Next(SentenceBatch* batch);

 private:
  absl::Span<const SentenceIds> sentences_;
  size_t most_;
  std::vector<size_t> order_;
  size_t next_ = 0;
};

}  // namespace firth

#endif  // FIRTH_LM_READ_SENTENCE_BATCH_H_
