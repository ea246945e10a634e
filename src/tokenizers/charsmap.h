// The replacements of SentencePiece's normalization (Kudo and Richardson,
// "SentencePiece: a simple and language independent subword tokenizer", 2018),
// as tokenizer.json contains them, in base64:
//
//   u32           size of the trie in bytes
//   u32 [...]     a double-array trie (Yata's Darts-clone)
//   the rest      the replacements, each of which ends with NUL
//
// A trie maps a text to the position of its replacement. A unit of the trie has
// these bits: 0 to 7 and 31, the byte that leads to it; 8, whether a text ends
// here, whose value is the unit at the offset; 9, whether the offset is
// multiplied by 256; 10 to 30, the offset to the units of the next byte.

#ifndef FIRTH_TOKENIZERS_CHARSMAP_H_
#define FIRTH_TOKENIZERS_CHARSMAP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firth {

// Thread-safe.
class Charsmap {
 public:
  // Errors: InvalidArgument: what was expected and found.
  static absl::StatusOr<Charsmap> Read(absl::string_view base64);

  // Appends the text with its replacements, like Hugging Face's tokenizers: a
  // grapheme of less than 6 bytes is replaced as a whole if a text at its start
  // has a replacement, and otherwise each of its characters. The text must be
  // valid UTF-8.
  void AppendReplaced(absl::string_view text, std::string* to) const;

 private:
  // Returns the replacement of the shortest text at the start of `part` that
  // has one.
  std::optional<absl::string_view> Find(absl::string_view part) const;
  // Appends the replacement of `part`, if it has one.
  bool AppendFound(absl::string_view part, std::string* to) const;

  std::vector<uint32_t> units_;
  std::string replacements_;
};

}  // namespace firth

#endif  // FIRTH_TOKENIZERS_CHARSMAP_H_
