// How near two texts are, by the vectors of their words.

#ifndef FIRTH_TEXT_SIMILARITY_H_
#define FIRTH_TEXT_SIMILARITY_H_

#include <cstddef>

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/word_vectors.h"

namespace firth {

class FieldTable;

// A text is the bag of its words, of which each has a vector: made 1 long, but
// for kMean.
enum class TextMeasure {
  // The cosine of the means of the words' vectors, from -1 to 1.
  kMean,
  // The cosine of the bags where words are not at right angles but at those of
  // their vectors: the similarity of two words is their cosine to the power of
  // `exponent`, 0 where the cosine is `threshold` or less (Sidorov et al.
  // 2014; Charlet and Damnati 2017). From 0 to 1.
  kSoftCosine,
  // Word mover's distance: the least way on which the words of one text travel
  // to those of the other, each word having its share of the text (Kusner et
  // al. 2015). From 0, for the same words, to 2.
  kWordMovers,
  // A lower bound of it, which is much faster for long texts: each word goes to
  // the nearest one of the other text; the greater of both directions.
  kRelaxedWordMovers,
};

struct TextSimilarityOptions {
  TextMeasure measure = TextMeasure::kWordMovers;
  double exponent = 2;     // of kSoftCosine, 0 to 100
  double threshold = 0;    // of kSoftCosine, 0 to 1
  bool lowercase = false;  // words are folded first
  bool subwords = true;    // unknown words have vectors where n-grams give one

  static FieldTable Fields();
  absl::Status Validate() const;
};

// Immutable; any number of threads may compare.
class TextComparer {
 public:
  // Errors: InvalidArgument (options).
  static absl::StatusOr<TextComparer> Create(
      WordVectors vectors, const TextSimilarityOptions& options);

  // Words without a vector, or with one of zeros, are left out. The exact
  // distance takes 16 bytes a pair of different words, and time that grows with
  // more than the cube of their number: two texts of 2,000 take seconds.
  // Errors: NotFound, a text of which no word is left; InvalidArgument, more
  // than 2^24 pairs for the exact distance.
  absl::StatusOr<double> Compare(absl::Span<const absl::string_view> a,
                                 absl::Span<const absl::string_view> b) const;

 private:
  TextComparer(WordVectors&& vectors, const TextSimilarityOptions& options)
      : vectors_(std::move(vectors)), options_(options) {}

  WordVectors vectors_;
  TextSimilarityOptions options_;
};

}  // namespace firth

#endif  // FIRTH_TEXT_SIMILARITY_H_
