// The "pre_tokenizer" of a tokenizer.json: steps that split a text into parts,
// which the model then divides into tokens.

#ifndef FIRTH_TOKENIZERS_SPLITTERS_H_
#define FIRTH_TOKENIZERS_SPLITTERS_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "tokenizers/json_options.h"
#include "tokenizers/pattern.h"

namespace firth {

// A part of a text; never empty.
struct TextPart {
  size_t begin;
  size_t end;
  // Whether it starts with the first character of the whole text.
  bool starts_text;
};

// A text and its parts, which do not overlap. It is valid UTF-8.
struct SplitText {
  // Makes the text one part, or none if it is empty.
  void Set(absl::string_view whole, bool starts_text);
  absl::string_view Of(const TextPart& part) const {
    return absl::string_view(text).substr(part.begin, part.end - part.begin);
  }

  std::string text;
  std::vector<TextPart> parts;
  // Memory for the next version, for the matches in a part, and for the pieces
  // between them.
  std::string room;
  std::vector<TextPart> next_parts;
  std::vector<TextRange> matches;
  struct Piece {
    TextRange range;
    bool is_match;
  };
  std::vector<Piece> pieces;
};

// Thread-safe.
class SplitStep {
 public:
  virtual ~SplitStep() = default;
  // Errors: those of TextPattern.
  virtual absl::Status Split(SplitText* text) const = 0;
};
using SplitSteps = std::vector<std::unique_ptr<SplitStep>>;

// Appends the steps of a pre-tokenizer; a Sequence has several. Errors:
// InvalidArgument, an unknown kind or option, with its path.
absl::Status AddSplitSteps(const JsonOptions& pre_tokenizer, SplitSteps* steps);

}  // namespace firth

#endif  // FIRTH_TOKENIZERS_SPLITTERS_H_
