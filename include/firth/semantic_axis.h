// Directions with a meaning: from man to woman, from poor to rich.

#ifndef FIRTH_SEMANTIC_AXIS_H_
#define FIRTH_SEMANTIC_AXIS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/query.h"
#include "firth/word_vectors.h"

namespace firth {

// The words of a group that have a vector, and those that have none.
struct FoundWords {
  std::vector<std::string> words;           // as they were found
  std::vector<std::vector<float>> vectors;  // [dim] each, one a word
  std::vector<std::string> unknown;         // as they were asked
};

// Looks words up as they are spelled, or in lower case where
// IsLowercase(vocabulary). Words whose vector is zero or not finite count as
// unknown. Errors: NotFound, an unknown word with UnknownWords::kError.
absl::StatusOr<FoundWords> FindWords(const WordVectors& vectors,
                                     absl::Span<const std::string> words,
                                     UnknownWords unknown);

// The words at both ends of an axis; a side has one or more.
struct AxisWords {
  std::vector<std::string> from;
  std::vector<std::string> to;
};

// Reads "man:woman" or "man,boy,he:woman,girl,she". Errors: InvalidArgument,
// which has `text`.
absl::StatusOr<AxisWords> ParseAxis(absl::string_view text);

// A direction between two groups of words: the mean of the unit vectors at its
// end minus that at its beginning (An et al. 2018). For groups of one size it
// is the mean of the differences of pairs (Kozlowski et al. 2019). The cosine
// of a word with the axis, Similarity() or NearestNeighbors::Cosines(), tells
// how far it lies to either side.
struct SemanticAxis {
  std::vector<float> direction;  // [dim], 1 long
  FoundWords from;
  FoundWords to;
};

// Errors: InvalidArgument, a side of which no word has a vector, or sides that
// have the same mean; NotFound, see FindWords().
absl::StatusOr<SemanticAxis> MakeAxis(const WordVectors& vectors,
                                      const AxisWords& words,
                                      UnknownWords unknown);

}  // namespace firth

#endif  // FIRTH_SEMANTIC_AXIS_H_
