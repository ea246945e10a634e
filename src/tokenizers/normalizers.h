// The "normalizer" of a tokenizer.json: steps that change a text before it is
// split.

#ifndef FIRTH_TOKENIZERS_NORMALIZERS_H_
#define FIRTH_TOKENIZERS_NORMALIZERS_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tokenizers/json_options.h"
#include "tokenizers/pattern.h"

namespace firth {

// A text that steps change. It is valid UTF-8.
struct ChangedText {
  // Keeps the capacity of the strings.
  void Set(absl::string_view original, bool at_start);

  std::string text;
  // Whether the first character comes from the beginning of the whole text.
  bool starts_text = true;
  // A text may become 64 times as long, and a short one a little longer.
  size_t most_bytes = 0;
  std::string room;  // Memory for the next version of the text.
  std::vector<TextRange> matches;
};

// Thread-safe.
class TextStep {
 public:
  virtual ~TextStep() = default;
  // Errors: InvalidArgument, the text becomes too long, or those of
  // TextPattern.
  virtual absl::Status Change(ChangedText* text) const = 0;
};
using TextSteps = std::vector<std::unique_ptr<TextStep>>;

// Appends the steps of a normalizer; a Sequence has several. Errors:
// InvalidArgument, an unknown kind or option, with its path.
absl::Status AddTextSteps(const JsonOptions& normalizer, TextSteps* steps);

absl::Status ChangeText(const TextSteps& steps, ChangedText* text);

// Returns the pattern in the option "pattern". Errors: InvalidArgument, no
// pattern; those of RegexPattern().
absl::StatusOr<std::unique_ptr<TextPattern>> PatternOf(
    const JsonOptions& options);

}  // namespace firth

#endif  // FIRTH_TOKENIZERS_NORMALIZERS_H_
