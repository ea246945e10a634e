// One vector a sentence, from those of its words.

#ifndef FIRTH_SENTENCE_VECTORS_H_
#define FIRTH_SENTENCE_VECTORS_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/word_vectors.h"

namespace firth {

class FieldTable;

struct SentenceOptions {
  // A word of relative frequency p weighs a / (a + p) (smooth inverse
  // frequency; Arora, Liang and Ma, "A Simple but Tough-to-Beat Baseline for
  // Sentence Embeddings", ICLR 2017: a = 0.001), 0 to 1e9; 0: every word
  // weighs 1.
  double sif = 0;
  // Words' vectors are made 1 long first, as fastText does it, which does not
  // where its model is supervised: neither is it done there.
  bool unit_words = false;
  bool lowercase = false;  // words are folded first
  bool subwords = true;    // unknown words have vectors where n-grams give one

  static FieldTable Fields();
  absl::Status Validate() const;
};

// Makes the vector of a text as the model does that a vector file belongs to,
// where that is not the mean of the vectors of the words between white space: a
// supervised model of fastText also reads n-grams of words and the end of the
// text, and a model2vec folder cuts words by its tokenizer. Thread-safe.
class TextEncoder {
 public:
  virtual ~TextEncoder() = default;

  // Errors: InvalidArgument, the model reads texts in a way that is not
  // supported. Encode() must not be called then.
  virtual absl::Status Check() const { return absl::OkStatus(); }

  // Sets `vector` [dim] to the vector of the text, zeros where it has none.
  // unit_words: see SentenceOptions. Returns how many of its words, or pieces
  // of words, have a vector.
  virtual size_t Encode(absl::string_view text, bool unit_words,
                        absl::Span<float> vector) const = 0;
};

// Makes the vectors of sentences: those of the TextEncoder that belongs to the
// word vectors or, without one, with sif, or without subwords, weighted means
// of the vectors of their words. Immutable.
class SentenceEncoder {
 public:
  // Errors: InvalidArgument (options; sif with a vocabulary without counts; see
  // TextEncoder::Check()).
  static absl::StatusOr<SentenceEncoder> Create(WordVectors vectors,
                                                const SentenceOptions& options);

  size_t dim() const { return vectors_.dim(); }

  // Sets `vector` [dim] to the mean of the vectors of the words between white
  // space, or to what the TextEncoder makes of them: zeros where none has a
  // vector. Returns how many words, or pieces of words, have one.
  size_t Encode(absl::string_view sentence, absl::Span<float> vector) const;

 private:
  SentenceEncoder(WordVectors&& vectors, const SentenceOptions& options)
      : vectors_(std::move(vectors)), options_(options) {}
  // Null where vectors of words are added up.
  const TextEncoder* text_encoder() const;
  size_t EncodeWords(absl::string_view sentence,
                     absl::Span<float> vector) const;
  // Adds the word, `weight` times, to sum [dim].
  void Add(absl::Span<const float> word, double weight,
           std::vector<double>* sum) const;

  WordVectors vectors_;
  SentenceOptions options_;
};

// Subtracts from each row its projections on the first `count` principal
// components of all, which are not centered (Arora et al.: 1). rows: [n, dim],
// row by row. Errors: InvalidArgument, their products are not finite.
absl::Status RemoveCommonComponents(size_t dim, size_t count,
                                    absl::Span<float> rows);

}  // namespace firth

#endif  // FIRTH_SENTENCE_VECTORS_H_
