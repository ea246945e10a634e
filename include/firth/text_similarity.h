// Measures the similarity of two texts by the vectors of their words.

#ifndef FIRTH_TEXT_SIMILARITY_H_
#define FIRTH_TEXT_SIMILARITY_H_

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/word_vectors.h"

namespace firth {

class FieldTable;

// Similarity measures of two texts. A text is a bag of words with vectors,
// which are scaled to unit length except for kMean.
enum class TextMeasure {
  // Cosine of the means of the words' vectors, from -1 to 1. If the vectors
  // have a TextEncoder, such as those of a sentence model, of its vectors.
  kMean,
  // Soft cosine of the bags of words, from 0 to 1. The similarity of two words
  // is their cosine to the power of `exponent`, or 0 if the cosine is not above
  // `threshold` (Sidorov et al. 2014; Charlet and Damnati 2017).
  kSoftCosine,
  // Word mover's distance, from 0 for the same words to 2: the minimum total
  // distance to move the words of one text to those of the other, weighted by
  // their frequencies (Kusner et al. 2015).
  kWordMovers,
  // A lower bound of the word mover's distance that is much faster for long
  // texts: each word moves to the nearest word of the other text. The larger
  // value of the two directions is returned.
  kRelaxedWordMovers,
  // kMean if the vectors have a TextEncoder, otherwise kWordMovers.
  kAutomatic,
};

struct TextSimilarityOptions {
  TextMeasure measure = TextMeasure::kAutomatic;
  double exponent = 2;     // Exponent of kSoftCosine, 0 to 100.
  double threshold = 0;    // Threshold of kSoftCosine, 0 to 1.
  bool lowercase = false;  // Convert words to lower case first.
  bool subwords = true;    // Build vectors of unknown words from their n-grams.

  static FieldTable Fields();
  absl::Status Validate() const;
};

// Compares texts. Immutable and thread-safe.
class TextComparer {
 public:
  // Creates a comparer. Errors: InvalidArgument (options; see
  // TextEncoder::Check()).
  static absl::StatusOr<TextComparer> Create(
      WordVectors vectors, const TextSimilarityOptions& options);

  // Returns the similarity or distance of two texts. Words without a vector, or
  // with a zero vector, are left out. The exact word mover's distance needs 16
  // bytes per pair of distinct words, and time that grows faster than the cube
  // of their number: two texts of 2,000 words take seconds. Errors: NotFound,
  // no word of a text is left; InvalidArgument, more than 2^24 pairs for the
  // exact distance.
  absl::StatusOr<double> Compare(absl::Span<const absl::string_view> a,
                                 absl::Span<const absl::string_view> b) const;
  // Compares texts by the encoder of the vectors, if the measure is one of
  // means and they have one, and otherwise their words, which are separated by
  // white space.
  absl::StatusOr<double> CompareTexts(absl::string_view a,
                                      absl::string_view b) const;

 private:
  TextComparer(WordVectors&& vectors, const TextSimilarityOptions& options)
      : vectors_(std::move(vectors)), options_(options) {}

  // Returns null if words are compared.
  const TextEncoder* encoder() const;

  WordVectors vectors_;
  TextSimilarityOptions options_;
};

}  // namespace firth

#endif  // FIRTH_TEXT_SIMILARITY_H_
