// What gives tokens their vectors: a language model, or arrays in a file.

#ifndef FIRTH_LM_TOKEN_TEACHER_H_
#define FIRTH_LM_TOKEN_TEACHER_H_

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
  // Before the text is begun. Errors: InvalidArgument, a text that it knows
  // nothing of.
  virtual absl::Status Check(const Corpus& text) = 0;
  // The vectors of the next sentences of that text, which are not empty.
  virtual absl::StatusOr<std::vector<TokenVectors>> Next(
      absl::Span<const Contextualizer::Sentence> sentences,
      const Hooks& hooks) = 0;
};

}  // namespace firth

#endif  // FIRTH_LM_TOKEN_TEACHER_H_
