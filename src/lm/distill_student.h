// Students estimate one vector per word from the vectors of its tokens.

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
  // Trains on the next sentence. `rows` has the row of each of its tokens;
  // numbers from the number of words on mean that the word has no vector.
  // `vectors` has their vectors, in one layer. `done` is the fraction of the
  // text that was read before.
  virtual void Learn(absl::Span<const uint32_t> rows,
                     const TokenVectors& vectors, double done) = 0;
  // Returns the vectors, [words, dim], and ends the training.
  virtual absl::StatusOr<FloatTable> TakeRows() = 0;
};

// `counts` are those of the words that get vectors. Errors: ResourceExhausted.
absl::StatusOr<std::unique_ptr<DistillStudent>> MakeStudent(
    const DistillOptions& options, absl::Span<const uint64_t> counts,
    size_t dim);

}  // namespace firth

#endif  // FIRTH_LM_DISTILL_STUDENT_H_
