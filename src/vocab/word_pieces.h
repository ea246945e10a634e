// The steps by which BERT divides a text into pieces of words, for callers that
// combine them differently from MakeWordPieces().

#ifndef FIRTH_VOCAB_WORD_PIECES_H_
#define FIRTH_VOCAB_WORD_PIECES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/unicode.h"
#include "firth/vocabulary.h"
#include "firth/word_id.h"
#include "vocab/piece_cutter.h"

namespace firth {

// Returns the text without control characters and invalid UTF-8, and with a
// space for each white space. Depending on the options, it is in lower case and
// without accents, and ideographs are surrounded by spaces.
std::string CleanForWordPieces(absl::string_view text,
                               const WordPieceOptions& options);

// Returns the text without the nonspacing marks of its normalization form NFD.
// The text must be valid UTF-8.
std::string WithoutAccents(absl::string_view text);

// Returns whether the character is a word of its own: punctuation, and every
// ASCII character that is not a letter, digit, space or control character.
bool IsWordPieceMark(int32_t point);

// Calls visit(part) for the parts of a text between white space. Each mark is a
// part of its own. The text must be valid UTF-8.
template <class Visit>
void ForEachMarkedPart(absl::string_view text, Visit visit) {
  size_t begin = 0;
  const auto end_part = [&](size_t end) {
    if (end > begin) visit(text.substr(begin, end - begin));
  };
  for (size_t at = 0; at < text.size();) {
    const size_t space = WhiteSpaceBytes(text.substr(at));
    const CodePoint point = DecodeUtf8(text.substr(at));
    const bool is_mark = space == 0 && IsWordPieceMark(point.value);
    if (space > 0 || is_mark) end_part(at);
    if (is_mark) visit(text.substr(at, point.bytes));
    at += space > 0 ? space : point.bytes;
    if (space > 0 || is_mark) begin = at;
  }
  end_part(text.size());
}

// Finds the pieces of parts of a text: the longest one at the start of the
// part, then the same for the rest, whose pieces start with "##". Thread-safe.
class WordPieceMatcher {
 public:
  // Parts of more characters have no pieces.
  explicit WordPieceMatcher(Vocabulary pieces, size_t most_characters = 100);

  const Vocabulary& pieces() const { return pieces_; }
  // Appends the pieces of a part. Returns false, and appends nothing, if the
  // part cannot be divided completely.
  bool AppendPieces(absl::string_view part, std::vector<WordId>* to) const;

 private:
  Vocabulary pieces_;
  size_t most_characters_;
  size_t longest_ = 0;  // Length of the longest piece, in bytes.
};

}  // namespace firth

#endif  // FIRTH_VOCAB_WORD_PIECES_H_
