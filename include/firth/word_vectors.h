// WordVectors: one vector per word, produced by training and read by queries.

#ifndef FIRTH_WORD_VECTORS_H_
#define FIRTH_WORD_VECTORS_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/matrix.h"
#include "firth/row_store.h"
#include "firth/subwords.h"
#include "firth/vocabulary.h"
#include "firth/word_id.h"

namespace firth {

// Rows of words and n-grams, for models with subwords. The vector of a word is
// the mean of its own row and the rows of its n-grams.
struct SubwordTables {
  SubwordIndex index;
  FloatTable words;    // [words, dim]; empty if the file does not contain them.
  FloatTable n_grams;  // [index.rows(), dim]
};

// An n-gram of a word and its vector [dim], which is zero if it was not
// trained.
struct NGramVector {
  std::string n_gram;
  std::vector<float> vector;
};
// Returns the n-grams of a word, which may be unknown, in their order in the
// word.
std::vector<NGramVector> NGramVectors(const SubwordTables& subwords,
                                      absl::string_view word);

class TextEncoder;  // firth/sentence_vectors.h

// The vectors of a vocabulary. Immutable and cheap to copy.
class WordVectors {
 public:
  WordVectors();

  // Creates vectors. rows: [vocabulary.size(), dim], in any form; they are not
  // read here. Errors: InvalidArgument, another number of rows, dim is 0, or a
  // subword table has the wrong shape.
  static absl::StatusOr<WordVectors> Create(
      Vocabulary vocabulary, RowStore rows,
      std::optional<SubwordTables> subwords = std::nullopt);

  size_t size() const { return vocabulary_.size(); }
  size_t dim() const { return dim_; }
  const Vocabulary& vocabulary() const { return vocabulary_; }
  const RowStore& rows() const { return rows_; }

  // Returns the vector of a word as floats.
  std::vector<float> CopyVector(WordId word) const;
  void CopyVector(WordId word, absl::Span<float> to) const;  // to: [dim]
  // Returns 1 / |vector| for each word, or 0 if the norm is not a normal float.
  // This is the case for zero vectors and for values that are not finite, whose
  // cosines are all 0, and for huge or tiny vectors, which queries normalize
  // first. The first call on any copy reads all rows, using all cores.
  // Thread-safe.
  absl::Span<const float> inverse_norms() const;

  // Returns whether rows() is a table of floats. The following functions
  // require it (checked). It is true for all vectors except those loaded in the
  // form of their file and those returned by Quantize().
  bool is_float() const { return std::holds_alternative<FloatTable>(rows_); }
  const FloatTable& table() const;
  absl::Span<const float> Vector(WordId word) const;
  // Returns the vector of `word`, or nothing if it is not in the vocabulary.
  std::optional<absl::Span<const float>> Find(absl::string_view word) const;

  // Returns null if words have no n-grams.
  const SubwordTables* subwords() const { return subwords_.get(); }
  // Returns the mean of the vectors of the word's n-grams, for a word that is
  // not in the vocabulary. Returns nothing if none of them was trained, or if
  // the mean is not finite (LoadOptions::only_vectors and `lazily` allow
  // damaged n-grams).
  std::optional<std::vector<float>> FromNGrams(absl::string_view word) const;

  // Returns the encoder for texts of the model of these vectors, or null if a
  // text is the mean of the vectors of its words.
  const TextEncoder* text_encoder() const { return text_encoder_.get(); }
  // Returns these vectors with another encoder for texts.
  WordVectors WithTextEncoder(
      std::shared_ptr<const TextEncoder> text_encoder) const;

 private:
  Vocabulary vocabulary_;
  RowStore rows_;
  size_t dim_ = 0;
  struct LazyNorms;
  std::shared_ptr<const LazyNorms> norms_;
  std::shared_ptr<const SubwordTables> subwords_;
  std::shared_ptr<const TextEncoder> text_encoder_;
};

}  // namespace firth

#endif  // FIRTH_WORD_VECTORS_H_
