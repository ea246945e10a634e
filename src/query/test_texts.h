// The vectors of the texts of a test set.

#ifndef FIRTH_QUERY_TEST_TEXTS_H_
#define FIRTH_QUERY_TEST_TEXTS_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "firth/evaluate_texts.h"
#include "firth/sentence_vectors.h"
#include "query/test_set_lines.h"

namespace firth {

class TestTexts {
 public:
  // Errors: InvalidArgument (options).
  static absl::StatusOr<TestTexts> Create(const WordVectors& vectors,
                                          const EvaluateTextsOptions& options);

  size_t dim() const { return dim_; }
  // Returns the vector of a text [dim], scaled to length 1; or zeros if none of
  // its words has a vector. Errors: see SentenceEncoder::Encode().
  absl::StatusOr<std::vector<float>> UnitVector(absl::string_view text);
  // Returns whether any text was converted to lower case.
  bool folded() const { return fold_.folded(); }

 private:
  TestTexts(SentenceEncoder encoder, size_t dim, CaseFold fold)
      : encoder_(std::move(encoder)), dim_(dim), fold_(fold) {}

  SentenceEncoder encoder_;
  size_t dim_;
  CaseFold fold_;
};

}  // namespace firth

#endif  // FIRTH_QUERY_TEST_TEXTS_H_
