// What learns a vector a word from vectors of tokens.

#ifndef FIRTH_LM_DISTILL_STUDENT_H_
#define FIRTH_LM_DISTILL_STUDENT_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/distill.h"

namespace firth {

class DistillStudent {
 public:
  virtual ~DistillStudent() = default;
  // The next sentence: the row of each of its tokens, from the number of words
  // on of a word without one; and their vectors, of one layer. done: the share
  // of the text that was read before.
  virtual void Learn(absl::Span<const uint32_t> rows,
                     const TokenVectors& vectors, double done) = 0;
  // [words, dim]; nothing is learnt after it.
  virtual absl::StatusOr<FloatTable> TakeRows() = 0;
};

// counts: of the words that get vectors. Errors: ResourceExhausted.
absl::StatusOr<std::unique_ptr<DistillStudent>> MakeStudent(
    const DistillOptions& options, absl::Span<const uint64_t> counts,
    size_t dim);

}  // namespace firth

#endif  // FIRTH_LM_DISTILL_STUDENT_H_
