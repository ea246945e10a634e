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
  bool unit_words = false;  // words' vectors are made 1 long first
  bool lowercase = false;   // words are folded first
  bool subwords = true;     // unknown words have vectors where n-grams give one

  static FieldTable Fields();
  absl::Status Validate() const;
};

// Makes the weighted mean of the vectors of a sentence's words. Immutable.
class SentenceEncoder {
 public:
  // Errors: InvalidArgument (options; sif with a vocabulary without counts).
  static absl::StatusOr<SentenceEncoder> Create(WordVectors vectors,
                                                const SentenceOptions& options);

  size_t dim() const { return vectors_.dim(); }

  // Adds up the words between white space into `vector` [dim], overwritten:
  // zeros where none has a vector. Returns how many words had one.
  size_t Encode(absl::string_view sentence, absl::Span<float> vector) const;

 private:
  SentenceEncoder(WordVectors&& vectors, const SentenceOptions& options)
      : vectors_(std::move(vectors)), options_(options) {}
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
