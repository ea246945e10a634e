// Computes one vector per sentence from the vectors of its words.

#ifndef FIRTH_SENTENCE_VECTORS_H_
#define FIRTH_SENTENCE_VECTORS_H_

#include <cstddef>
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
  // Parameter a of smooth inverse frequency, 0 to 1e9: a word of relative
  // frequency p gets the weight a / (a + p) (Arora, Liang and Ma, "A Simple but
  // Tough-to-Beat Baseline for Sentence Embeddings", ICLR 2017, with a =
  // 0.001). 0 gives every word the weight 1.
  double sif = 0;
  // Scale word vectors to unit length first, as fastText does. Has no effect on
  // supervised fastText models, for which fastText does not do so.
  bool unit_words = false;
  bool lowercase = false;  // Convert words to lower case first.
  bool subwords = true;    // Build vectors of unknown words from their n-grams.

  static FieldTable Fields();
  absl::Status Validate() const;
};

// Computes the vector of a text in the way of the model to which a vector file
// belongs, if that is not the mean over words separated by white space. A
// supervised fastText model also reads n-grams of words and the end of the
// text, and a model2vec folder splits words by its tokenizer. Thread-safe.
class TextEncoder {
 public:
  virtual ~TextEncoder() = default;

  // Errors: InvalidArgument, the model reads texts in an unsupported way.
  // Encode() must not be called then.
  virtual absl::Status Check() const { return absl::OkStatus(); }

  // Sets `vector` [dim] to the vector of the text, or to zeros if it has none.
  // For `unit_words` see SentenceOptions. Returns how many of its words, or
  // pieces of words, have a vector. Errors: InvalidArgument, a regular
  // expression of the model takes too much time or memory for this text.
  virtual absl::StatusOr<size_t> Encode(absl::string_view text, bool unit_words,
                                        absl::Span<float> vector) const = 0;
};

// Computes the vectors of sentences: by the TextEncoder of the word vectors,
// or, without one, with `sif` or without `subwords`, as weighted means of the
// vectors of their words. Immutable.
class SentenceEncoder {
 public:
  // Creates an encoder. Errors: InvalidArgument (options; `sif` with a
  // vocabulary without counts; see TextEncoder::Check()).
  static absl::StatusOr<SentenceEncoder> Create(WordVectors vectors,
                                                const SentenceOptions& options);

  size_t dim() const { return vectors_.dim(); }
  // Returns whether Encode() does not use the TextEncoder, if there is one.
  bool averages_words() const { return text_encoder() == nullptr; }

  // Sets `vector` [dim] to the mean of the vectors of the words, separated by
  // white space, or to the result of the TextEncoder. It is zero if no word has
  // a vector. Returns how many words, or pieces of words, have one. Errors:
  // those of TextEncoder::Encode(); vectors of words alone have none.
  absl::StatusOr<size_t> Encode(absl::string_view sentence,
                                absl::Span<float> vector) const;

 private:
  SentenceEncoder(WordVectors&& vectors, const SentenceOptions& options)
      : vectors_(std::move(vectors)), options_(options) {}
  // Returns null if vectors of words are averaged.
  const TextEncoder* text_encoder() const;
  size_t EncodeWords(absl::string_view sentence,
                     absl::Span<float> vector) const;
  // Adds `weight` times the word's vector to *sum [dim].
  void Add(absl::Span<const float> word, double weight,
           std::vector<double>* sum) const;

  WordVectors vectors_;
  SentenceOptions options_;
};

// Subtracts from each row its projections on the first `count` principal
// components of all rows, without centering (Arora et al. use 1). rows: [n,
// dim], row by row. Errors: InvalidArgument, products of the values are not
// finite.
absl::Status RemoveCommonComponents(size_t dim, size_t count,
                                    absl::Span<float> rows);

}  // namespace firth

#endif  // FIRTH_SENTENCE_VECTORS_H_
