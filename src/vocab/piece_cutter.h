// Words cut into the pieces of a vocabulary. A model that reads pieces has some
// ten thousand of them and no unknown words: what it does not have whole it has
// in parts.

#ifndef FIRTH_VOCAB_PIECE_CUTTER_H_
#define FIRTH_VOCAB_PIECE_CUTTER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "firth/vocabulary.h"
#include "firth/word_id.h"

namespace firth {

// Thread-safe.
class PieceCutter {
 public:
  virtual ~PieceCutter() = default;

  // Appends the pieces of a word of any bytes, which may be none. starts_text:
  // the word is the first of its text, else white space stands before it.
  virtual void Cut(absl::string_view word, bool starts_text,
                   std::vector<WordId>* pieces) const = 0;

  // The text that the pieces make, in which spaces stand between words.
  virtual std::string Join(absl::Span<const WordId> pieces) const = 0;
};

struct WordPieceOptions {
  bool lowercase = true;
  bool strip_accents = true;
  bool part_ideographs = true;  // each is a word by itself
};

// WordPiece as BERT cuts (Devlin et al., "BERT: pre-training of deep
// bidirectional transformers for language understanding", 2019, and its
// published code): a piece that does not begin a word starts with "##". A part
// that cannot be cut, or has more than 100 characters, is `unknown`.
std::unique_ptr<PieceCutter> MakeWordPieces(const WordPieceOptions& options,
                                            Vocabulary pieces, WordId unknown);

struct BytePairOptions {
  bool space_first = false;  // the first word of a text has a space before it
};

// Byte pairs as GPT-2 merges them (Sennrich et al., "Neural machine translation
// of rare words with subword units", 2016; Radford et al., "Language models are
// unsupervised multitask learners", 2019). A piece is spelled with a printable
// character for each byte. merges: "LEFT RIGHT", those to be made first first.
// A byte without a piece of its own is `unknown`. Errors: InvalidArgument, the
// entry of `merges` that is no two pieces which make a third.
absl::StatusOr<std::unique_ptr<PieceCutter>> MakeBytePairs(
    const BytePairOptions& options, Vocabulary pieces, WordId unknown,
    const Vocabulary& merges);

}  // namespace firth

#endif  // FIRTH_VOCAB_PIECE_CUTTER_H_
