// Semantic axes: directions with a meaning, such as from man to woman or from
// poor to rich.

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
  std::vector<std::string> words;           // Words as they were found.
  std::vector<std::vector<float>> vectors;  // One per word, [dim] each.
  std::vector<std::string> unknown;         // Words as they were given.
};

// Looks words up as they are spelled, or in lower case if
// IsLowercase(vocabulary). Words whose vector is zero or not finite count as
// unknown. Errors: NotFound, an unknown word with UnknownWords::kError.
absl::StatusOr<FoundWords> FindWords(const WordVectors& vectors,
                                     absl::Span<const std::string> words,
                                     UnknownWords unknown);

// The words at the two ends of an axis; each side has at least one.
struct AxisWords {
  std::vector<std::string> from;
  std::vector<std::string> to;
};

// Parses "man:woman" or "man,boy,he:woman,girl,she". Errors: InvalidArgument,
// with `text`.
absl::StatusOr<AxisWords> ParseAxis(absl::string_view text);

// A direction between two groups of words: the mean of the unit vectors of `to`
// minus that of `from` (An et al. 2018). For groups of equal size it is the
// mean difference of pairs (Kozlowski et al. 2019). The cosine of a word with
// the axis, by Similarity() or NearestNeighbors::Cosines(), measures how far
// the word is toward either end.
struct SemanticAxis {
  std::vector<float> direction;  // Unit vector, [dim].
  FoundWords from;
  FoundWords to;
};

// Computes an axis. Errors: InvalidArgument, no word of a side has a vector, or
// both sides have the same mean; NotFound, see FindWords().
absl::StatusOr<SemanticAxis> MakeAxis(const WordVectors& vectors,
                                      const AxisWords& words,
                                      UnknownWords unknown);

}  // namespace firth

#endif  // FIRTH_SEMANTIC_AXIS_H_
