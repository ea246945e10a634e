// Divides words into the pieces of a vocabulary. A model of pieces has tens of
// thousands of them and no unknown words, because a word that is not a piece
// consists of several.

#ifndef FIRTH_VOCAB_PIECE_CUTTER_H_
#define FIRTH_VOCAB_PIECE_CUTTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/unicode.h"
#include "firth/vocabulary.h"
#include "firth/word_id.h"

namespace firth {

// Thread-safe.
class PieceCutter {
 public:
  virtual ~PieceCutter() = default;

  // Appends the pieces of a word, which may be none. The word may have any
  // bytes. `starts_text`: whether the word is the first of its text; otherwise,
  // white space precedes it.
  virtual void Cut(absl::string_view word, bool starts_text,
                   std::vector<WordId>* pieces) const = 0;

  // Returns the text of the pieces, with spaces between words.
  virtual std::string Join(absl::Span<const WordId> pieces) const = 0;
};

struct WordPieceOptions {
  bool lowercase = true;
  bool strip_accents = true;
  bool part_ideographs = true;  // Whether each ideograph is a word of its own.
};

// Divides words like BERT's WordPiece (Devlin et al., "BERT: pre-training of
// deep bidirectional transformers for language understanding", 2019, and its
// published code): a piece that does not begin a word starts with "##". A part
// that cannot be divided, or has more than 100 characters, is `unknown`.
std::unique_ptr<PieceCutter> MakeWordPieces(const WordPieceOptions& options,
                                            Vocabulary pieces, WordId unknown);

struct BytePairOptions {
  // Whether a space precedes the first word of a text.
  bool space_first = false;
};

// Merges byte pairs like GPT-2 (vocab/byte_pairs.h). A piece is spelled with a
// printable character for each byte. `merges` has entries "LEFT RIGHT", in the
// order in which they are applied. A byte without a piece of its own is
// `unknown`. Errors: InvalidArgument, an entry of `merges` that is not two
// pieces whose concatenation is a third.
absl::StatusOr<std::unique_ptr<PieceCutter>> MakeBytePairs(
    const BytePairOptions& options, Vocabulary pieces, WordId unknown,
    const Vocabulary& merges);

// The steps by which BERT divides a text into pieces of words, for callers that
// combine them differently from MakeWordPieces().

// Returns the text without control characters and invalid UTF-8, and with a
// space for each white space. Depending on the options, it is in lower case and
// without accents, and ideographs are surrounded by spaces.
std::string CleanForWordPieces(absl::string_view text,
                               const WordPieceOptions& options);

// Returns the text without the nonspacing marks of its normalization form NFD.
// The text must be valid UTF-8.
std::string WithoutAccents(absl::string_view text);

// Returns whether the character is in a block of Chinese ideographs. Hangul and
// Japanese kana are in others, because their words are separated by spaces or
// are longer.
bool IsIdeograph(int32_t point);

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
    const auto byte = static_cast<unsigned char>(text[at]);
    if (absl::ascii_isalnum(byte)) {
      ++at;
      continue;
    }
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

// The prefix of a piece inside a word.
inline constexpr absl::string_view kInsideWord = "##";

// Finds the pieces of parts of a text: the longest one at the start of the
// part, then the same for the rest, whose pieces start with a prefix.
// Thread-safe.
class WordPieceMatcher {
 public:
  // Parts of more characters have no pieces.
  explicit WordPieceMatcher(Vocabulary pieces, size_t most_characters = 100,
                            absl::string_view prefix = kInsideWord);

  const Vocabulary& pieces() const { return pieces_; }
  size_t most_characters() const { return most_characters_; }
  // Appends the pieces of a part. Returns false, and appends nothing, if the
  // part cannot be divided completely.
  bool AppendPieces(absl::string_view part, std::vector<WordId>* to) const;

 private:
  Vocabulary pieces_;
  size_t most_characters_;
  std::string prefix_;
  size_t longest_ = 0;  // Length of the longest piece, in bytes.
};

}  // namespace firth

#endif  // FIRTH_VOCAB_PIECE_CUTTER_H_
