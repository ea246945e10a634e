// WordVectors: one vector a word. What training makes and queries read.

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

// The tables from which words with n-grams are composed: a word's vector is the
// mean of its own row and those of its n-grams.
struct SubwordTables {
  SubwordIndex index;
  FloatTable words;    // [words, dim]; empty where a file does not have them
  FloatTable n_grams;  // [index.rows(), dim]
};

// An n-gram of a word and its vector [dim]: zeros if it has not been trained.
struct NGramVector {
  std::string n_gram;
  std::vector<float> vector;
};
// Returns the n-grams of a word, which may be unknown, in their order in it.
std::vector<NGramVector> NGramVectors(const SubwordTables& subwords,
                                      absl::string_view word);

class TextEncoder;  // firth/sentence_vectors.h

// Immutable and cheap to copy.
class WordVectors {
 public:
  WordVectors();

  // rows: [vocabulary.size(), dim], in any form; not read here.
  // Errors: InvalidArgument when the number of rows is another or dim is 0, or
  // a table of the subwords has another shape than it says.
  static absl::StatusOr<WordVectors> Create(
      Vocabulary vocabulary, RowStore rows,
      std::optional<SubwordTables> subwords = std::nullopt);

  size_t size() const { return vocabulary_.size(); }
  size_t dim() const { return dim_; }
  const Vocabulary& vocabulary() const { return vocabulary_; }
  const RowStore& rows() const { return rows_; }

  // The vector of a word, as floats.
  std::vector<float> CopyVector(WordId word) const;
  void CopyVector(WordId word, absl::Span<float> to) const;  // to: [dim]
  // 1 / |vector| of each word; 0 where the norm is no normal float: of a zero
  // vector and of values that are not finite, whose cosines are all 0, and of
  // huge or tiny ones, which queries make 1 long first. The first call, of any
  // copy, reads all rows, on all cores; thread-safe.
  absl::Span<const float> inverse_norms() const;

  // Whether rows() is a table of floats. What follows is for such vectors only
  // (checked): all but those that were loaded in the form that their file has,
  // and what Quantize() made.
  bool is_float() const { return std::holds_alternative<FloatTable>(rows_); }
  const FloatTable& table() const;
  absl::Span<const float> Vector(WordId word) const;
  // The vector of `word`, or nothing if it is not in the vocabulary.
  std::optional<absl::Span<const float>> Find(absl::string_view word) const;

  // Null where words have no n-grams.
  const SubwordTables* subwords() const { return subwords_.get(); }
  // The mean of the vectors of the word's n-grams, for a word that is not in
  // the vocabulary; nothing if none of them has been trained, or if it is not
  // finite (LoadOptions::only_vectors and `lazily` let damaged n-grams in).
  std::optional<std::vector<float>> FromNGrams(absl::string_view word) const;

  // How the model of these vectors makes the vector of a text. Null where that
  // is the mean of the vectors of its words.
  const TextEncoder* text_encoder() const { return text_encoder_.get(); }
  // These vectors with another encoder of texts.
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
