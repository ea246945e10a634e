// Sources of token vectors: a language model, or arrays in a file.

#ifndef FIRTH_LM_DISTILL_TOKEN_TEACHER_H_
#define FIRTH_LM_DISTILL_TOKEN_TEACHER_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "firth/distill.h"

namespace firth {

class TokenTeacher::Body {
 public:
  virtual ~Body() = default;
  virtual size_t num_layers() const = 0;
  virtual size_t dim() const = 0;
  // Checks that vectors for the text exist. Must precede Next(). Errors:
  // InvalidArgument, a text for which there are none.
  virtual absl::Status Check(const Corpus& text) = 0;
  // Returns the vectors of the text's next sentences, which must not be empty.
  virtual absl::StatusOr<std::vector<TokenVectors>> Next(
      absl::Span<const Contextualizer::Sentence> sentences,
      const Hooks& hooks) = 0;
};

}  // namespace firth

#endif  // FIRTH_LM_DISTILL_TOKEN_TEACHER_H_
