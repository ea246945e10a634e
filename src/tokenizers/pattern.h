// The patterns of a tokenizer.json: {"String": "a text"} or {"Regex": "a
// regular expression"}. The expressions are those of Oniguruma, and are
// compiled by ICU, which is loaded for the first one. What the two libraries
// read differently is refused.

#ifndef FIRTH_TOKENIZERS_PATTERN_H_
#define FIRTH_TOKENIZERS_PATTERN_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firth {

// A part of a text, [begin, end), in bytes.
struct TextRange {
  size_t begin;
  size_t end;
};

// Thread-safe.
class TextPattern {
 public:
  virtual ~TextPattern() = default;

  // Sets *matches to the matches in the text, which must be valid UTF-8, from
  // left to right. They do not overlap. They may be empty, but not directly
  // after another match. Errors: InvalidArgument, a regular expression takes
  // too much time or memory for this text.
  virtual absl::Status FindAll(absl::string_view text,
                               std::vector<TextRange>* matches) const = 0;
};

std::unique_ptr<TextPattern> LiteralPattern(absl::string_view literal);

// Errors: InvalidArgument, an expression that is malformed or refused;
// FailedPrecondition, ICU is missing.
absl::StatusOr<std::unique_ptr<TextPattern>> RegexPattern(
    absl::string_view expression);

}  // namespace firth

#endif  // FIRTH_TOKENIZERS_PATTERN_H_
